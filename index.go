package arena

// An index finds stores by the ids of their types. It is a hash table with linear probing.
//
// Invariants: the length of entries is 0 or a power of two; count of them have an id, and at least
// one has none; each entry is found from its home on, without one that has no id between.
type index[S any] struct {
	entries []entry[S]
	count   int
}

// An entry is a store and its id, or nothing.
type entry[S any] struct {
	id    uintptr
	store S
}

// A near has some of the slabs of an index, where New finds them with two comparisons. A place has
// noSlab first, and then a slab of one type, which stays.
type near [16]*slab

// nearHome returns the place in a near where the search for an id begins.
func nearHome(id uintptr) uint32 { return uint32(id) * 0x9E3779B1 >> 28 }

// at returns the slab with the given id, or another.
func (x *near) at(id uintptr) *slab {
	i := nearHome(id)
	if s := x[i]; s.id == id {
		return s
	}
	return x[i^1]
}

// put makes s one of them if there is room for it. It replaces a slab of the same type.
func (x *near) put(s *slab) {
	i := nearHome(s.id)
	for _, i := range [...]uint32{i, i ^ 1} {
		if x[i] == &noSlab || x[i].id == s.id {
			x[i] = s
			return
		}
	}
}

func (x *near) init() {
	for i := range x {
		x[i] = &noSlab
	}
}

// fewTypes is the number of types for which stores have room in themselves.
const fewTypes = 3

// home returns the place in a table of n entries where the search for an id begins, by Fibonacci
// hashing.
func home(id uintptr, n int) int { return int(uint64(id)*0x9E3779B97F4A7C15>>33) & (n - 1) }

// find returns the store with the given id, or the zero S.
func (x *index[S]) find(id uintptr) (s S) {
	if len(x.entries) == 0 {
		return s
	}
	return x.entries[x.place(id)].store
}

// place returns where the entry for an id is, or if there is none, where it would be. There are
// entries.
func (x *index[S]) place(id uintptr) int {
	i, last := home(id, len(x.entries)), len(x.entries)-1
	for x.entries[i].id != id && x.entries[i].id != 0 {
		i = (i + 1) & last
	}
	return i
}

// set makes s the store with the given id, and replaces an older one.
func (x *index[S]) set(id uintptr, s S) {
	if n := len(x.entries); n == 0 || x.entries[x.place(id)].id == 0 {
		x.count++
		if x.count > max(n/2, min(n-1, fewTypes)) {
			x.grow()
		}
	}
	x.entries[x.place(id)] = entry[S]{id, s}
}

func (x *index[S]) grow() {
	old := x.entries
	x.entries = make([]entry[S], max(4*(fewTypes+1), 2*len(old)))
	for _, e := range old {
		if e.id != 0 {
			x.entries[x.place(e.id)] = e
		}
	}
}
