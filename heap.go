package arena

// OrHeap returns a while it can be used. After Free it returns nil, which is the heap, and so it does while the arena
// lies in a [Pool], and after its [Group] was Reset. It is for code that has an arena which it does not own, and may
// outlive it: arena.New[T](c.arena.OrHeap()).
//
// It does not see that a Pool has given the arena to somebody else, whose values would be mixed with those of the
// caller. Only the goroutine that may use a may call it. OrHeap of a nil arena is nil.
func (a *Arena) OrHeap() *Arena {
	if a != nil && a.life.state() != stateOpen {
		a = nil
	}
	return a
}
