package arena

import (
	"reflect"

	"github.com/arena-go/arena/internal/region"
)

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

// Check panics when the stores are not those of an arena that is open.
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
	if from := st.giver(); from != nil {
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

// Release takes back what Take has returned.
func (st *stores) Release(b []byte) {
	st.unreserve(int64(len(b)))
	if st.provider != nil {
		st.provider.release(startOf(b))
	}
}

// Reserve counts want granules, or fewer, down to need, as a limit allows.
func (st *stores) Reserve(want, need int) int { return st.reserve(region.Granule, want, need) }

// Release takes back what Reserve has counted.
func (st *stores) Unreserve(bytes int64) { st.unreserve(bytes) }

// Claim notes that b is all memory that the provider has for references, and reports whether it has given none of it for anything else.
func (st *stores) Claim(b []byte) bool {
	st.placed(startOf(b), len(b))
	return st.provider.claim(b)
}

// Grown is called when there is more memory.
func (st *stores) Grown() { st.grown(nil, 0) }

// HandOut makes b good for the address sanitizer.
func (st *stores) HandOut(b []byte) { handOut(blockOf(b), 1) }

// RefsOnly makes all allocations fail but those of the region.
func (st *stores) RefsOnly(why error) { st.provider.limit(why) }

// spaceChunks returns the chunks of the region.
func (st *stores) spaceChunks(all []extent) []extent {
	for _, b := range region.Chunks(st.space) {
		all = append(all, blockOf(b).extent(1, reflect.TypeFor[byte]()))
	}
	return all
}
