package small

import (
	"reflect"
	"sync"
	"unsafe"
)

// The least that a new arena can cost when it learns at run time what its values are. It does what
// an arena must: stores that know the types come from a sync.Pool and go back to it, package
// reflect makes the one object in which all values lie, and each New finds the part for its type
// and moves its end. It does nothing else: the values and their number are known, there is no room
// for one more, and no check of use after Free.

// leastRoom is how many values of each type there is room for, of leastTypes types at most.
const leastRoom, leastTypes = 8, 8

// A leastArena has the size of an arena.Arena.
type leastArena struct {
	stores *leastStores
	_, _   *int
	life   uintptr
}

// leastStores have a part for each type.
type leastStores struct {
	arena   *leastArena
	parts   [leastTypes]leastPart
	offsets [leastTypes]uintptr
	types   int
	slice   reflect.Value
	head    *leastHead
}

// A leastPart is where the values of a type lie, and how many of them are left.
type leastPart struct {
	at   unsafe.Pointer
	left int
}

// A leastHead is what a slice is in memory.
type leastHead struct {
	at       unsafe.Pointer
	len, cap int
}

var leastOf = []reflect.Type{
	reflect.TypeFor[t0](), reflect.TypeFor[t1](), reflect.TypeFor[t2](), reflect.TypeFor[t3](),
	reflect.TypeFor[t4](), reflect.TypeFor[t5](), reflect.TypeFor[t6](), reflect.TypeFor[t7](),
}

// newLeastStores returns stores for room values of each of the types.
func newLeastStores(types, room int) *leastStores {
	st := &leastStores{types: types}
	fields := make([]reflect.StructField, types)
	for i := range fields {
		fields[i] = reflect.StructField{Name: "F" + string(rune('0'+i)), Type: reflect.ArrayOf(room, leastOf[i])}
	}
	t := reflect.StructOf(fields)
	for i := range fields {
		st.offsets[i] = t.Field(i).Offset
	}
	v := reflect.New(reflect.SliceOf(t))
	// SAFETY: a slice of any type is a pointer and two ints.
	st.slice, st.head = v.Elem(), (*leastHead)(v.UnsafePointer())
	return st
}

// begin gives a stores of the pool, and a new object.
//
//go:noinline
func (a *leastArena) begin(pool *sync.Pool, room int) {
	st := pool.Get().(*leastStores)
	a.stores, st.arena = st, a
	// SAFETY: the address is a number, and stays one.
	a.life = uintptr(unsafe.Pointer(a))
	st.slice.Grow(1)
	object := st.head.at
	*st.head = leastHead{}
	for i := range st.types {
		// SAFETY: the object has room values of type i there.
		st.parts[i] = leastPart{unsafe.Add(object, st.offsets[i]), room}
	}
}

// leastNew returns a value of type i, which is T.
//
//go:noinline
func leastNew[T any](a *leastArena, i int) *T {
	p := &a.stores.parts[i&(leastTypes-1)]
	if left := p.left - 1; uint(left) < leastRoom {
		p.left = left
		// SAFETY: the part has more than left values of type i, which is T.
		return (*T)(unsafe.Add(p.at, uintptr(left)*unsafe.Sizeof(*new(T))))
	}
	panic("small: no room in the least arena")
}

// free gives the stores back, and keeps nothing of the object.
//
//go:noinline
func (a *leastArena) free(pool *sync.Pool) {
	st := a.stores
	a.stores, a.life, st.arena = nil, 1, nil
	clear(st.parts[:st.types])
	pool.Put(st)
}

// leastOfTypes is inOf(types) for n values in a new arena of this kind, where there are room of
// each type.
func leastOfTypes(types, room int) func(n int) int {
	pool := &sync.Pool{New: func() any { return newLeastStores(types, room) }}
	return func(n int) int {
		a := new(leastArena)
		a.begin(pool, room)
		for i, t := 0, 0; i < n; i++ {
			switch t {
			case 0:
				kept[0] = leastNew[t0](a, 0)
			case 1:
				kept[1] = leastNew[t1](a, 1)
			case 2:
				kept[2] = leastNew[t2](a, 2)
			case 3:
				kept[3] = leastNew[t3](a, 3)
			case 4:
				kept[4] = leastNew[t4](a, 4)
			case 5:
				kept[5] = leastNew[t5](a, 5)
			case 6:
				kept[6] = leastNew[t6](a, 6)
			case 7:
				kept[7] = leastNew[t7](a, 7)
			}
			if t++; t == types {
				t = 0
			}
		}
		a.free(pool)
		return n
	}
}
