// Package ref has references of four bytes to values in an arena, and what is built of them:
// slices, text, lists, maps and trees. None of it has pointers. So the collector has nothing to
// follow in it, even if it is ten million nodes. It can be written to a file and mapped back: see
// type File of package offheap.
//
//	s := ref.In(a)              // the Space of an arena: where its references lead
//	r, p := ref.New[node](s)    // r is four bytes, p is a *node
//	r.Get(s)                    // is p
//	var words ref.TextMap[int]  // may lie in a node, too
//	words.Set(s, "gopher", 7)
//
// Do not use it for what lives shortly: an arena alone is simpler. Types are limited to plain ones,
// see [Of], and all that is reached by references takes the [Space] as an argument.
package ref

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
)

// A Space is where references of an arena lead. [In] returns it. All functions that make a
// reference, and all methods that follow one, are given the Space.
//
// A Space belongs to one user of an arena. Reset of the arena empties it, and keeps it. It ends
// with Free, when the arena is put into a Pool, and with the Reset of a Group. The next user of the
// arena gets another Space. What is given a Space that has ended panics, but for methods that only
// read with a zero reference.
//
// A Space is a handle of one word. It may be copied and compared. It keeps the arena alive. The
// zero Space has no memory: making a reference in it panics, and so does following one that is not
// nil.
type Space struct {
	notText
	at region.Space
}

// In returns the Space of a, which is the same one each time until its user is done with a. It
// panics when a is nil, which is the heap elsewhere and has no references, and when a has been
// freed.
func In(a *arena.Arena) Space {
	if a == nil {
		panic("ref: In: references need an arena: a reference is a position in one, and a nil *Arena is the heap; make one with NewArena")
	}
	return Space{at: share.SpaceOf(a.Internal())}
}

// Bytes returns the bytes handed out in s since the last Reset, with padding, as
// arena.Stats.RefBytes does. In a [Region] these are the bytes up to the next reference.
func (s Space) Bytes() int64 { return region.Used(s.at) }

// An Of is a reference to a value of type T in an arena: a number of four bytes, which only means
// something with the [Space] of that arena. The zero Of is nil.
//
// References are for plain types, which have no pointers and no bools: numbers, and arrays and
// structs of numbers and of references to such types. What is built of them has no pointers. So the
// collector spends no time on it, however large it is, and it can be written to a file unchanged:
// see the type File of package offheap. An arena can have 32 GiB of such values. They lie in a
// region of their own, side by side, at multiples of 8 bytes.
//
//	type node struct {
//		left, right ref.Of[node]
//		key         int64
//	}
//
// Reset and Free make references stale. The pointers that Get returns become stale like pointers of
// [arena.New]. Get of a stale reference panics, or returns a pointer to a newer value, or to a part
// of one. In programs built with the race detector, the address sanitizer or the tag arenadebug it
// panics unless the reference was made in this Space, for this type, since the last Reset. In a
// [Region], such as a File, it panics unless one with the same number was, or the number is one of
// what was there before the arena, as in a File that was opened.
//
// Packages such as encoding/json do not know the Space, so encoding or decoding a reference with
// them is an error.
//
// References may be compared and copied. Any number of goroutines may call Get at the same time,
// while nobody allocates from the arena.
type Of[T any] struct {
	notText
	_   mem.Tag[T]
	off uint32
}

// A Slice is a reference of eight bytes to a slice of values of a plain type. See [Of]. The zero
// Slice is empty.
type Slice[T any] struct {
	notText
	_   mem.Tag[T]
	off uint32
	len uint32
}

// A String is a reference of eight bytes to a string in an arena. See [Of]. The zero String is the
// empty string. Two references to equal texts need not be equal: compare what Get returns.
type String struct {
	notText
	off uint32
	len uint32
}

// New makes a new zero value of type T in s. It returns a reference to it, and the pointer that Get
// of the reference returns. New panics when T is not a plain type, when s is zero or has ended, and
// as [arena.New] does.
func New[T any](s Space) (Of[T], *T) {
	id := mem.TypeID[T]()
	run := region.Last(s.at, id)
	if run == nil {
		run = runOf[T](s)
		region.Use(run, id)
	}
	r := Of[T]{off: region.Next(run)}
	return r, r.Get(s)
}

// NewSlice makes a slice of n zero values of type T in s. It returns a reference to it, and the
// slice. It panics when n is negative, and as [New] does.
func NewSlice[T any](s Space, n int) (Slice[T], []T) {
	size := mem.SizeOf[T]()
	switch {
	case n < 0:
		panic(fmt.Sprintf("ref: NewSlice: the length is %d, and must not be negative", n))
	case size > 0 && n > region.MaxBytes/size:
		panic(fmt.Sprintf("ref: NewSlice: %d values of %d bytes are larger than memory can be", n, size))
	}
	run := runOf[T](s)
	if n == 0 {
		return Slice[T]{}, []T{}
	}
	if uint64(n) > 1<<32-1 || uint64(n)*uint64(size) > 1<<35-region.Granule {
		region.Fail(s.at, int64(n)*int64(max(size, 1)), region.ErrFull)
	}
	r := Slice[T]{off: region.NewSlice(run, n), len: uint32(n)}
	return r, r.Get(s)
}

// NewString returns a reference to a copy of text in s. It panics as [New] does.
func NewString(s Space, text string) String {
	region.Open(s.at)
	if len(text) == 0 {
		return String{}
	}
	if uint64(len(text)) > 1<<32-1 {
		region.Fail(s.at, int64(len(text)), region.ErrFull)
	}
	return String{off: region.NewText(s.at, text, textType), len: uint32(len(text))}
}

// textType stands for the type of a string.
var textType = reflect.TypeFor[String]()

// IsNil reports whether r is the zero Of.
func (r Of[T]) IsNil() bool { return r.off == 0 }

// Free gives the value that r refers to back to s: [New] and [Slab.New] return it again, zeroed,
// for a new value of the same type. So an index whose entries come and go for ever takes no more
// memory than it needed at most. What the value refers to is not freed with it. Free of the zero Of
// does nothing.
//
// From then on r and all its copies are stale, and so are pointers that Get has returned. Get of
// such a reference returns a pointer to an old or a newer value of the same type. Programs built
// with the race detector, the address sanitizer or the tag arenadebug do not use the value again,
// and Get panics.
//
// Free panics when the value was freed before and has not been used again, when r does not lie in
// s, and as New does. In a [Region] only this arena uses the value again: an arena that opens the
// file later does not.
func (r Of[T]) Free(s Space) {
	if r.off != 0 {
		region.Free(runOf[T](s), r.off)
	}
}

// Offset returns the number of r, for [At].
func (r Of[T]) Offset() uint32 { return r.off }

// At returns the reference with the given Offset. It is for programs that write references to some
// other place than the arena, and read them back. At returns an error when there can be no T at
// that place in s, as there cannot be if s is zero or has ended. Whether there is one is for the
// caller to know. At panics when T is not a plain type.
func At[T any](s Space, offset uint32) (Of[T], error) {
	mustBePlain[T]("At")
	if offset == 0 {
		return Of[T]{}, nil
	}
	if err := region.Find(s.at, offset, mem.SizeOf[T](), reflect.TypeFor[T]()); err != nil {
		return Of[T]{}, fmt.Errorf("ref: At: no %v at %d: %w", reflect.TypeFor[T](), offset, err)
	}
	return Of[T]{off: offset}, nil
}

// Len returns the number of elements.
func (r Slice[T]) Len() int { return lenOf(r.len) }

// Get returns the slice. Its capacity is its length. [Of.Get] says how long it is valid, and when
// Get panics.
func (r Slice[T]) Get(s Space) []T {
	if r.len == 0 {
		return []T{}
	}
	size := mem.SizeOf[T]()
	return mem.SliceOf[T](bytesAt(s, r.off, uint64(r.len)*uint64(size), reflect.TypeFor[T]()), lenOf(r.len))
}

// At returns a pointer to element i. It panics when there is none, and as Get does.
func (r Slice[T]) At(s Space, i int) *T { return &r.Get(s)[i] }

// Len returns the number of bytes.
func (r String) Len() int { return lenOf(r.len) }

// Get returns the string, which shares the memory of the arena. [Of.Get] says how long it is valid,
// and when Get panics.
func (r String) Get(s Space) string {
	if r.len == 0 {
		return ""
	}
	return mem.StringOf(bytesAt(s, r.off, uint64(r.len), textType))
}

// lenOf returns n, a length that was read from memory. With 32 bits an int may not hold it.
func lenOf(n uint32) int {
	if int(n) < 0 {
		panic(region.ErrBad)
	}
	return int(n)
}

func mustBePlain[T any](what string) {
	if t := reflect.TypeFor[T](); mem.KindOf(t) != mem.Plain {
		panic(fmt.Sprintf("ref: %s: %v has pointers, bools, or references to such types; references are to numbers, and structs and arrays of numbers and references", what, t))
	}
}
