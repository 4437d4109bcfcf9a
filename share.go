package arena

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
)

// contextKey is the key under which a context has its arena, an *Arena or a carrier.
type contextKey = share.ContextKey

// Internal is for the other packages of this module, such as ref and arenascope. Nobody else can do anything with the result.
func (a *Arena) Internal() share.Arena[*Arena] { return share.Show[*Arena]((*shown)(a)) }

// A shown is an Arena with the methods that package share calls.
type shown Arena

// IsOpen reports whether the arena can be used.
func (s *shown) IsOpen() bool { return s == nil || s.life.state() == stateOpen }

// Space returns where values with references lie in the arena.
func (s *shown) Space() region.Space { return (*Arena)(s).space() }

// Memory returns the Memory of an arena that a Pool has given away. It is kept up to date from then on.
func (s *shown) Memory() *share.Memory {
	a := (*Arena)(s)
	m := a.opt.member
	if m.memory == nil {
		m.memory = new(share.Memory)
		m.tellMemory(a.stores)
	}
	return m.memory
}

// Label notes what the arena is used for, if its values are noted.
func (s *shown) Label(what fmt.Stringer) {
	if st := s.stores; st != nil && st.keeper != nil {
		st.keeper.label(what.String())
	}
}

// Locals returns the values of arenakit.Local.
func (s *shown) Locals() *share.Locals { return &(*Arena)(s).open().locals }

// SlabOf returns the slab for values of type t.
func (s *shown) SlabOf(t reflect.Type) share.Slab[*Arena] {
	if s == nil {
		return (*typeSlab)(newSlab(slotType{typ: t}))
	}
	return (*typeSlab)((*Arena)(s).open().slabOfType(t))
}

// tellMemory tells the Memory which memory there is in st, which may be nil.
func (m *member) tellMemory(st *stores) {
	m.memory.Clear()
	if st != nil {
		all := st.plain.chunks.extents(nil, nil)
		for _, s := range st.all {
			all = s.chunks.extents(all, s.typ())
		}
		all = st.spaceChunks(all)
		if b := region.Whole(st.space); b != nil {
			all = append(all, blockOf(b).extent(1, nil))
		}
		for _, e := range all {
			m.memory.Add(e.at.address(), e.bytes)
		}
	}
	m.memory.Settle()
}

// placed notes that the arena has got memory.
func (st *stores) placed(at pointer, bytes int) {
	if o := st.arena.opt; o != nil && o.member != nil && o.member.memory != nil {
		o.member.memory.Add(at.address(), bytes)
	}
}
