package arena

import "github.com/arena-go/arena/internal/mem"

// Maps and Builders may grow in a scope though they are older. Their new memory has their age: it
// is a chunk of its own, which stays until the innermost scope at their making ends.

// makeBorn is MakeSlice for something that was made when born scopes were open.
func makeBorn[T any](a *Arena, len, cap int, born depth) []T {
	if a.openScopes() <= int(born) {
		return makeSliceIn[T](a, len, cap)
	}
	checkLen(len, cap, mem.SizeOf[T]())
	if cap == 0 {
		return []T{}
	}
	s := slabOf[T](a)
	return slotsOf[T](s.makeBorn(cap, alignOf[T](), int(born)))[:len]
}

// growBorn is Grow of bytes of something that was made when born scopes were open.
func growBorn(a *Arena, b []byte, n int, born depth) []byte {
	if a.openScopes() <= int(born) {
		return Grow(a, b, n)
	}
	if n <= cap(b)-len(b) {
		return b
	}
	grown := makeBorn[byte](a, len(b), max(len(b)+n, 2*cap(b)), born)
	copy(grown, b)
	return grown
}

// makeBorn is make for something that was made when born scopes were open. The watchers do not know
// of it before the arena has ended.
func (s *slab) makeBorn(n, align, born int) block {
	st := s.stores
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	guard, keeper := st.guard, st.keeper
	defer func() { st.guard, st.keeper = guard, keeper }()
	st.guard, st.keeper = nil, nil
	c, t, slots, plain := &s.chunks, &s.slots, n, s.isPlain()
	size := c.size
	switch {
	case plain && size == 0:
		v := t.make(n)
		s.plainItems += n
		s.activate()
		return v
	case plain:
		c, t, slots = &st.plain.chunks, &byteSlots, n*size+align-1
		if slots < n {
			panicSize("an allocation", n, size)
		}
	}
	if plain {
		st.moving(nil)
	} else {
		st.moving(s)
	}
	v := c.slice(st, t, slots, true, born)
	s.activate()
	if plain {
		skip := int(-v.at.address() & uintptr(align-1))
		v = block{v.part(skip, slots, 1).at, n}
		st.scopes.older = append(st.scopes.older, olderSlice{s, n, n * size, born})
		s.plainItems += n
		st.plain.bytes += int64(n * size)
	} else {
		s.full += n
	}
	handOut(v, size)
	return v
}
