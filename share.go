package arena

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
)

// contextKey is the key under which a context has its arena, an *Arena or a carrier.
type contextKey = share.ContextKey

// Internal is for the other packages of this module, such as ref and arenascope. Nobody else can do
// anything with the result.
func (a *Arena) Internal() share.Arena[*Arena] { return share.Show[*Arena]((*shown)(a)) }

// A shown is an Arena with the methods that package share calls.
type shown Arena

// IsOpen reports whether the arena can be used.
func (s *shown) IsOpen() bool { return s == nil || s.life.state() == stateOpen }

// Space returns where values with references lie in the arena.
func (s *shown) Space() region.Space { return (*Arena)(s).space() }

// Memory returns the Memory of an arena that a Pool has given away. It is kept up to date from then
// on.
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

// space returns where values with references lie in a. It panics when a has been freed.
func (a *Arena) space() region.Space {
	if a == nil {
		return region.Space{}
	}
	st := a.open()
	if st.space == (region.Space{}) {
		st.spent = true
		st.space = region.New(st)
	}
	return st.space
}

// What follows is what a region asks of the stores: they are its region.Stores.

// Check panics when the stores do not belong to an open arena.
func (st *stores) Check() { st.check() }

// Enter notes that a goroutine is inside of the arena until it calls the result.
func (st *stores) Enter() (leave func()) {
	u := st.user.enter(st)
	return func() { u.leave(st) }
}

// Failed returns a MemoryError.
func (st *stores) Failed(size int64, why error) error { return &MemoryError{st.name(), size, why} }

// Least returns the fewest bytes that are worth asking for.
func (st *stores) Least() int {
	if st.provider != nil {
		return minProvided
	}
	return 0
}

// Take returns memory for want granules, or for fewer, down to need.
func (st *stores) Take(want, need int) []byte {
	slots := st.reserve(region.Granule, want, need)
	var b []byte
	if from := st.giver(); from != nil && !(st.guard != nil && st.depth() > 0) { // the pages of a guard end with the scope
		if st.guard != nil {
			st.guard.expect("what references are to")
			defer st.guard.forget()
		}
		b, slots = st.take(from, region.Granule, slots, need, reflect.TypeFor[byte]())
	}
	if b == nil {
		b = make([]byte, slots*region.Granule)
	}
	hide(blockOf(b), 1)
	st.placed(startOf(b), len(b))
	if st.keeper != nil {
		st.keeper.references(b)
	}
	return b
}

// Release frees what Take has returned.
func (st *stores) Release(b []byte) {
	st.unreserve(int64(len(b)))
	if st.provider != nil {
		st.provider.release(startOf(b))
	}
}

// Reserve counts want granules, or fewer, down to need, as a limit allows.
func (st *stores) Reserve(want, need int) int { return st.reserve(region.Granule, want, need) }

// Release undoes Reserve.
func (st *stores) Unreserve(bytes int64) { st.unreserve(bytes) }

// Claim notes that b is all memory that the provider has for references, and reports whether it has
// given none of it for anything else.
func (st *stores) Claim(b []byte) bool {
	st.placed(startOf(b), len(b))
	return st.provider.claim(b)
}

// Grown is called when there is more memory.
func (st *stores) Grown() { st.grown(nil, 0) }

// HandOut makes b good for the address sanitizer.
func (st *stores) HandOut(b []byte) { handOut(blockOf(b), 1) }

// RefsOnly makes all allocations fail except allocations in the region.
func (st *stores) RefsOnly(why error) { st.provider.limit(why) }

// spaceChunks returns the chunks of the region.
func (st *stores) spaceChunks(all []extent) []extent {
	for _, b := range region.Chunks(st.space) {
		all = append(all, blockOf(b).extent(1, reflect.TypeFor[byte]()))
	}
	return all
}
