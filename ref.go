package arena

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/arena-go/arena/internal/mem"
)

// A Ref is a reference to a value of type T in an arena: a number of four bytes, which only means something with
// that arena. The zero Ref is nil.
//
// References are for plain types, which have no pointers and no bools: numbers, and arrays and structs of numbers
// and of references to such types. What is built of them has no pointers. So the collector spends no time on it,
// however large it is, and it can be written to a file as it is: see the type File of package offheap. An arena
// can have 32 GiB of such values. They lie in a region of their own, side by side, at multiples of 8 bytes.
//
//	type node struct {
//		left, right arena.Ref[node]
//		key         int64
//	}
//
// Reset and Free make references stale. The pointers that Get returns become stale as those of [New] do. Get of a
// stale reference panics, or returns a pointer to a newer value, or to a part of one. In programs built with the
// race detector, the address sanitizer or the tag arenadebug it panics unless the reference was made in this
// arena, for this type, since the last Reset. In a [Region], such as a File, it panics unless one with the same number was,
// or the number is one of what was there before the arena, as in a File that was opened.
//
// A nil *Arena, which is the heap elsewhere, has no references. All functions that make one panic with a nil
// arena, and so does Get of a Ref that is not nil. Packages such as encoding/json do not know the arena, so
// encoding or decoding a reference with them is an error.
//
// References may be compared and copied. Any number of goroutines may call Get at the same time, while nobody
// allocates from the arena.
type Ref[T any] struct {
	notText
	_   mem.Tag[T]
	off uint32
}

// A RefSlice is a reference of eight bytes to a slice of values of a plain type. See [Ref]. The zero RefSlice is
// empty.
type RefSlice[T any] struct {
	notText
	_   mem.Tag[T]
	off uint32
	len uint32
}

// A RefString is a reference of eight bytes to a string in an arena. See [Ref]. The zero RefString is the empty
// string. Two references to equal texts need not be equal: compare what Get returns.
type RefString struct {
	notText
	off uint32
	len uint32
}

// NewRef makes a new zero value of type T in a. It returns a reference to it, and the pointer that Get of the
// reference returns. NewRef panics when T is not a plain type, when a is nil or closed, and as [New] does.
func NewRef[T any](a *Arena) (Ref[T], *T) {
	g := a.openRefs()
	if id := mem.TypeID[refKey[T]](); g.lastID != id {
		g.last, g.lastID = refSlabOf[T](a), id
	}
	r := typedRefSlab[T](g.last).New()
	return r, r.Get(a)
}

// NewRefSlice makes a slice of n zero values of type T in a. It returns a reference to it, and the slice. It
// panics when n is negative, and as [NewRef] does.
func NewRefSlice[T any](a *Arena, n int) (RefSlice[T], []T) {
	size := mem.SizeOf[T]()
	checkLen(n, n, size)
	g, s := a.openRefs(), refSlabOf[T](a)
	if n == 0 {
		return RefSlice[T]{}, []T{}
	}
	if uint64(n) > 1<<32-1 || uint64(n)*uint64(size) > 1<<35-refGranule {
		panic(&MemoryError{a.stores.name(), int64(n) * int64(max(size, 1)), errFull}) // checkLen has found that it does not overflow
	}
	r := RefSlice[T]{off: g.take(a.stores, n*size, reflect.TypeFor[T]()), len: uint32(n)}
	s.activate(s)
	s.plainItems += n
	return r, r.Get(a)
}

// NewRefString returns a reference to a copy of s in a. It panics as [NewRef] does.
func NewRefString(a *Arena, s string) RefString {
	g := a.openRefs()
	if len(s) == 0 {
		return RefString{}
	}
	if uint64(len(s)) > 1<<32-1 {
		panic(&MemoryError{a.stores.name(), int64(len(s)), errFull})
	}
	r := RefString{off: g.take(a.stores, len(s), textType), len: uint32(len(s))}
	copy(a.refBytes(r.off, uint64(r.len), textType), s)
	g.text.count++
	g.text.bytes += int64(len(s))
	return r
}

// textType stands for that of a string.
var textType = reflect.TypeFor[RefString]()

// take returns the reference to size bytes, for values of type t.
func (g *refRegion) take(st *stores, size int, t reflect.Type) uint32 {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	slots := granules(size)
	at, _ := g.alloc(st, slots, slots)
	g.bytes += int64(size)
	return g.check.made(at, t)
}

// granules returns how many granules size bytes take, at least one.
func granules(size int) uint32 { return uint32(max((uint64(size)+refGranule-1)/refGranule, 1)) }

// IsNil reports whether r is the zero Ref.
func (r Ref[T]) IsNil() bool { return r.off == 0 }

// Offset returns the number of r, for [RefAt].
func (r Ref[T]) Offset() uint32 { return r.off }

// RefAt returns the reference with the given Offset. It is for programs that write references to some other place
// than the arena, and read them back. RefAt returns an error when there can be no T at that place in a. Whether
// there is one is for the caller to know.
func RefAt[T any](a *Arena, offset uint32) (Ref[T], error) {
	mustBePlain[T]("RefAt")
	g := a.openRefs()
	if offset == 0 {
		return Ref[T]{}, nil
	}
	if g.ended != nil {
		return Ref[T]{}, fmt.Errorf("arena: RefAt: the memory of this arena is gone: %w", g.ended)
	}
	at := g.check.decode(offset)
	c, size := &g.chunks[bits.Len32(at)], uint64(max(mem.SizeOf[T](), 1))
	if at == 0 || uint64(at)*refGranule+size > uint64(g.end()) || uint64(at-c.base)*refGranule+size > c.size {
		return Ref[T]{}, fmt.Errorf("arena: RefAt: there is no %v at %d in this arena", reflect.TypeFor[T](), offset)
	}
	return Ref[T]{off: offset}, nil
}

// Len returns the number of elements.
func (s RefSlice[T]) Len() int { return refLen(s.len) }

// Get returns the slice. Its capacity is its length. [Ref.Get] says how long it is valid, and when Get panics.
func (s RefSlice[T]) Get(a *Arena) []T {
	if s.len == 0 {
		return []T{}
	}
	size := mem.SizeOf[T]()
	return mem.SliceOf[T](a.refBytes(s.off, uint64(s.len)*uint64(size), reflect.TypeFor[T]()), refLen(s.len))
}

// At returns a pointer to element i. It panics when there is none, and as Get does.
func (s RefSlice[T]) At(a *Arena, i int) *T { return &s.Get(a)[i] }

// Len returns the number of bytes.
func (s RefString) Len() int { return refLen(s.len) }

// Get returns the string, which shares the memory of the arena. [Ref.Get] says how long it is valid, and when Get
// panics.
func (s RefString) Get(a *Arena) string {
	if s.len == 0 {
		return ""
	}
	return mem.StringOf(a.refBytes(s.off, uint64(s.len), textType))
}

// refLen returns n, a length that was read from memory. With 32 bits an int may not hold it.
func refLen(n uint32) int {
	if int(n) < 0 {
		panic(errRefs)
	}
	return int(n)
}

func mustBePlain[T any](what string) {
	if t := reflect.TypeFor[T](); kindOf(t) != kindPlain {
		panic(fmt.Sprintf("arena: %s: %v has pointers, bools, or references to such types; references are to numbers, and structs and arrays of numbers and references", what, t))
	}
}
