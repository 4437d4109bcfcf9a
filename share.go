package arena

import (
	"fmt"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
)

// contextKey is the key under which a context has its arena, an *Arena or a carrier.
type contextKey = share.ContextKey

func init() { share.MemoryOf, share.Label = memoryOf, label }

// label notes what an *Arena is used for, if its values are noted.
func label(arena any, what fmt.Stringer) {
	if st := arena.(*Arena).stores; st != nil && st.keeper != nil {
		st.keeper.label(what.String())
	}
}

// memoryOf returns the Memory of an *Arena that a Pool has given away. The Memory is kept up to date from then on.
func memoryOf(arena any) *share.Memory {
	a := arena.(*Arena)
	m := a.opt.member
	if m.memory == nil {
		m.memory = new(share.Memory)
		m.tellMemory(a.stores)
	}
	return m.memory
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
