package arena

import (
	"reflect"
	"slices"
)

// memory appends the memory of the chunks to all.
func (c *chunks[B]) memory(all []memory, typ reflect.Type) []memory {
	for _, m := range c.list {
		all = append(all, memory{m.start(), m.slots() * c.size, typ})
	}
	if c.large != nil {
		for _, l := range c.large.list {
			all = append(all, memory{l.mem.start(), l.mem.slots() * c.size, typ})
		}
	}
	return all
}

func (s *Slab[T]) memory(all []memory) []memory   { return s.chunks.memory(all, s.typ()) }
func (s *valueSlab) memory(all []memory) []memory { return s.chunks.memory(all, s.typ()) }

// watched tells whether no memory of the arena is used again after Reset: it is retired, and
// the collector takes it when nothing points there any more. That is so in guard mode, and in programs
// that are built to find mistakes: with the race detector, with the address sanitizer, or
// with the tag arenadebug.
func (st *stores) watched() bool { return racing || sanitizing || filling || st.guard != nil }

// retire tells everybody who watches that what the arena has handed out is not to be used any
// more. The caller drops it.
func (st *stores) retire() {
	var all []memory
	for _, s := range st.active {
		all = s.memory(all)
	}
	all = st.plain.chunks.memory(all, reflect.TypeFor[byte]())
	if st.refs != nil {
		all = st.refs.memory(all)
	}
	if st.guard != nil {
		st.guard.retire(st, all)
	} else if filling {
		for _, m := range all {
			if kindOf(m.typ) == kindPlain {
				m.fill()
			}
		}
	}
	for _, m := range all {
		poison(m)
	}
	if racing {
		if st.provider != nil {
			// What goes back to a Memory is not ours any more, and is written to by it.
			all = slices.DeleteFunc(all, func(m memory) bool { return st.provider.blocks[m.at] != nil })
		}
		markRace(all)
	}
}

// handOut makes m, of slots of size bytes, good for the address sanitizer.
func handOut[B block[B]](m B, size int) {
	if sanitizing {
		unpoison(memory{m.start(), m.slots() * size, nil})
	}
}
