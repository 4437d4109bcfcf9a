package arena

// A local is the value of Local for one type, and the arena that has asked for it last.
type local struct {
	value any
	arena *Arena
	reset interface{ ArenaReset(again bool) } // the value, if it is to be told
}

// Local returns a's private T, made on first use, and reports whether a asks for it for the first time. It is for
// packages that build on arenas, and keep their tools with the arena that they work for: handles from
// [SlabOfType], for instance.
//
// The T is zero at first. Reset keeps it, and nothing counts it. When a is freed, put into its Pool, or ended by
// its Group, Local forgets the T: the next user of a, perhaps in another goroutine, gets a new one.
//
// A T that costs much to make can be passed on instead. Local asks for that if *T has a method ArenaIdle() bool,
// which Put then calls, and Free where other arenas use the memory of a again: not after a Reset, and not with most options. If it reports true, the T
// goes on as it is to the next user of a, or of another arena. Local reports first = true to that user, unless a Pool gives it the same arena again. With true
// the method promises that nobody but Local has the T, or will use it without asking Local again. The method must
// not use the arena. Where it is the first time, the handles in the T are stale.
//
// If *T has a method ArenaReset(again bool), Reset calls it, and so do Put and the Reset of a Group. What the arena has handed
// out is stale then, so the T may use what it has made for values of the arena elsewhere, such as Go's maps. It must not
// where again is false: the arena does not use its own memory again either, so that mistakes are found. Free does not call
// the method, since values outlive it. The method must not use the arena.
//
// If *T has a method ArenaRetain(most int64) (kept int64), it is called where [Options.Retain] or [Pool.Retain] bounds what the
// arena keeps, after ArenaReset. The T keeps at most as many bytes, and says how many it does keep. The method must not use the arena.
//
// Local panics when a has been freed. Local(nil) is a new T, for the first time.
func Local[T any](a *Arena) (v *T, first bool) {
	if a == nil {
		return new(T), true
	}
	st := a.open()
	for i := range st.locals {
		l := &st.locals[i]
		if v, ok := l.value.(*T); ok {
			first = l.arena != a
			l.arena = a
			return v, first
		}
	}
	v = new(T)
	l := local{value: v, arena: a}
	l.reset, _ = l.value.(interface{ ArenaReset(again bool) })
	st.locals = append(st.locals, l)
	return v, true
}

// resetLocals tells the values of Local of a Reset.
func (st *stores) resetLocals() {
	for i := range st.locals {
		if r := st.locals[i].reset; r != nil {
			r.ArenaReset(!st.watched())
		}
	}
}

// retainLocals lets the values of Local keep at most so many bytes, and returns what they leave of these.
func (st *stores) retainLocals(most int64) int64 {
	for _, l := range st.locals {
		if r, ok := l.value.(interface{ ArenaRetain(most int64) (kept int64) }); ok {
			most = max(most-r.ArenaRetain(most), 0)
		}
	}
	return most
}

// closeLocals forgets the values of Local, except those that say that nobody has them. The stores are about to
// serve somebody else: the arena next, unless that is nil.
func (st *stores) closeLocals(next *Arena) {
	kept := 0
	for _, l := range st.locals {
		if v, ok := l.value.(interface{ ArenaIdle() bool }); ok && v.ArenaIdle() {
			if l.arena != next {
				l.arena = nil
			}
			st.locals[kept] = l
			kept++
		}
	}
	clear(st.locals[kept:])
	st.locals = st.locals[:kept]
}
