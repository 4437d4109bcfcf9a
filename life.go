package arena

// A life is the state of an arena, in its lower bits. Above them an arena that is open, or lies in a Pool, has its own address,
// from first use on: a copy of it has another address. An arena that was ended has what [Stats] says of it, where there is room.
type life uint64

const (
	stateBits  = 2
	resetsBits = 22
	peakBits   = 64 - resetsBits - stateBits
)

// A state says whether an arena can be used, and if not, why.
type state uint8

const (
	stateOpen   state = iota
	stateFreed        // by Free
	statePooled       // by Pool.Put, until Pool.Get
	stateEnded        // by Reset of its Group
)

func (l life) state() state { return state(l % (1 << stateBits)) }

// isItself tells whether a is open, in use, or claimed, and no copy of another.
func (a *Arena) isItself() bool { return a.life == a.address() }

// claim makes a an arena that is open, and whose copies are known as such.
func (a *Arena) claim() { a.life = a.address() }

// rest makes a an arena that lies in a Pool.
func (a *Arena) rest() { a.life = a.address() + life(statePooled) }

// rests tells whether a lies in a Pool, and is no copy of another.
func (a *Arena) rests() bool { return a.life == a.address()+life(statePooled) }

// end puts a, which has no stores any more, into its last state.
func (a *Arena) end(s state, peak, resets int64) {
	if peak < 1<<peakBits && resets < 1<<resetsBits {
		a.life = lastLife(s, peak, resets)
		return
	}
	a.life = life(s)
	switch {
	case a.opt == nil:
		a.opt = new(settings)
	case a.opt.group != nil: // the settings are those of many arenas
		a.end(s, min(peak, 1<<peakBits-1), min(resets, 1<<resetsBits-1))
		return
	}
	a.opt.ended = &ended{peak, resets}
}

// lastLife is the life of an arena in its last state, with a peak and Resets for which there is room.
func lastLife(s state, peak, resets int64) life {
	return life(s) + life(resets)<<stateBits + life(peak)<<(stateBits+resetsBits)
}

// ended is what Stats says of an arena that was ended.
type ended struct{ peak, resets int64 }

// was returns what Stats says of an arena without stores.
func (a *Arena) was() (peak, resets int64) {
	switch a.life.state() {
	case stateOpen, statePooled:
		return 0, 0
	}
	if o := a.opt; o != nil && o.ended != nil {
		return o.ended.peak, o.ended.resets
	}
	return int64(a.life >> (stateBits + resetsBits)), int64(a.life >> stateBits % (1 << resetsBits))
}

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
