package arena

import (
	"reflect"
	"unsafe"
)

// A TypeSlab is the part of an arena that holds the values of one type known only at run time. It is what [Slab]
// is for other types. Decoders use it: they know where each field lies in a value, and make values by the million.
// Its New takes a few nanoseconds, where [NewValue] takes some ten. It is for packages that build on arenas.
//
// [SlabOfType] returns the TypeSlab of an arena. It belongs to the arena: Reset empties it. When the arena is freed
// its methods panic, but for Extend and Shrink, which do nothing. Only the goroutine that uses the arena may use the TypeSlab. The zero TypeSlab has no
// type, and must not be used.
type TypeSlab struct {
	a *Arena
	s *slab // that of the heap has no stores, and never has room
}

// SlabOfType returns the slab of a that holds values of type t. It panics when t is nil, and when a has been
// freed. SlabOfType(nil, t) is the Go heap. It is for packages that build on arenas.
func SlabOfType(a *Arena, t reflect.Type) TypeSlab {
	if t == nil {
		panic("arena: SlabOfType: the type is nil")
	}
	if a == nil {
		return TypeSlab{s: newSlab(slotType{typ: t})}
	}
	return TypeSlab{a: a, s: a.open().slabOfType(t)}
}

// For returns h for the arena a, and true, if a has the slab of h now. That is often so, because a new arena goes on with the slabs of one that was
// freed. If For reports false, call [SlabOfType], which takes five times as long. h may be stale, or the zero TypeSlab. For reports false with a nil arena, and
// panics when a has been freed.
func (h TypeSlab) For(a *Arena) (TypeSlab, bool) {
	if a == nil {
		return TypeSlab{}, false
	}
	// SAFETY: the slab of h is one of those that a has now, or it is not returned.
	if st := a.open(); h.s == nil || h.s.stores != st {
		return TypeSlab{}, false
	}
	h.s.chunks.tight = true
	return TypeSlab{a: a, s: h.s}, true
}

// New returns a pointer to a new zero value of the slab's type. See the function [New]. The pointer must not be
// used as a pointer to any other type.
func (h TypeSlab) New() unsafe.Pointer {
	s := h.s
	if sanitizing || debugging || s.n < 1 || s.stores != h.a.stores || s.stores.arena != h.a {
		return h.one()
	}
	s.n--
	// SAFETY: buf is a block of the type, whose size is chunks.size, and n is at most its length.
	return unsafe.Add(s.buf.at.to, s.n*s.chunks.size)
}

// Slice returns a pointer to the first of n new zero values of the slab's type, which lie side by side. It panics
// if n < 1.
func (h TypeSlab) Slice(n int) unsafe.Pointer {
	s := h.s
	if sanitizing || debugging || n < 1 || n > s.n || s.stores != h.a.stores || s.stores.arena != h.a {
		return h.more(n)
	}
	// SAFETY: buf begins with n free values.
	p := s.buf.at.to
	s.cut(n)
	return p
}

// Extend makes the n values at p, which Slice has returned, a slice of n+more, in place. The new values are zero. It
// reports false, and changes nothing, where these are not the newest values of the slab, where there is no room behind
// them, and on the heap. Slice then makes a longer slice elsewhere.
func (h TypeSlab) Extend(p unsafe.Pointer, n, more int) bool {
	// SAFETY: newest compares p.
	s := h.s
	if uint(more) > uint(s.n) || n < 1 || !h.mayMove() || s.newest(pointer{p}, n) == nil {
		return false
	}
	s.cut(more)
	return true
}

// Shrink makes the slice of n values at p shorter: keep of them stay, and the slab gets the others back, which must be zero still. Slice has returned p,
// and Extend may have made the slice longer. It does nothing where Extend would report false, or keep is less than 1.
func (h TypeSlab) Shrink(p unsafe.Pointer, n, keep int) {
	// SAFETY: newest compares p.
	s := h.s
	if keep < 1 || keep >= n || !h.mayMove() {
		return
	}
	chunk := s.newest(pointer{p}, n)
	if chunk == nil {
		return
	}
	s.most = max(s.most, s.done+chunk.n-s.n) // so many the next arena needs room for
	// SAFETY: the n values at p are the last before buf, and all of buf is behind them. What is behind keep of them is in the chunk.
	s.buf.at.to = unsafe.Add(p, keep*s.chunks.size)
	s.buf.n += n - keep
	s.buf.cap = s.buf.n
	s.n += n - keep
}

// mayMove tells whether the slab has a chunk, and may make its newest slice longer or shorter. It is inlined.
func (h TypeSlab) mayMove() bool {
	s := h.s
	return !sanitizing && !debugging && !s.buf.at.isNil() && s.stores == h.a.stores && s.stores.arena == h.a
}

// Expect says that about n values will be asked for. The next memory that the slab takes has room for those of
// them that do not fit now, up to 256 KiB. Without Expect a slab begins with a little memory and doubles it.
// Expect is for callers that keep what an arena holds, and know how much that will be.
func (h TypeSlab) Expect(n int) {
	s := h.s
	if h.a == nil {
		return
	}
	h.check()
	if n -= s.n; n > 0 && s.chunks.size > 0 {
		s.chunks.hint = int32(min(n, max(maxChunk/s.chunks.size, 1)))
		s.activate() // so that no other arena that has the slab later finds the hint
	}
}

func (*TypeSlab) zeroInCopies() {}

// check panics when the arena, which is not the heap, was closed since it has returned the slab.
func (h TypeSlab) check() {
	if h.a.open() != h.s.stores {
		panic("arena: a TypeSlab is used after its arena was closed")
	}
}

// one is New where the current chunk has no room.
//
//go:noinline
func (h TypeSlab) one() unsafe.Pointer {
	if h.a == nil {
		// SAFETY: the pointer that reflect returns.
		return reflect.New(h.s.slots.typ).UnsafePointer()
	}
	h.check()
	return h.s.slot().at.to
}

// more is Slice where the current chunk has no room.
//
//go:noinline
func (h TypeSlab) more(n int) unsafe.Pointer {
	if n < 1 {
		panic("arena: TypeSlab.Slice of less than one value")
	}
	checkLen(n, n, int(h.s.slots.typ.Size()))
	if h.a == nil {
		// SAFETY: a pointer to what the slice points at.
		return reflect.MakeSlice(reflect.SliceOf(h.s.slots.typ), n, n).UnsafePointer()
	}
	h.check()
	return h.s.slice(n).at.to
}

// cut takes n slots from the start of buf, of which n are free.
func (s *slab) cut(n int) {
	// SAFETY: n <= s.n <= buf.n. If there is nothing behind the slots, at stays where it is.
	if rest := s.buf.n - n; rest > 0 {
		s.buf = header{block{pointer{unsafe.Add(s.buf.at.to, n*s.chunks.size)}, rest}, rest}
	} else {
		s.buf.n, s.buf.cap = 0, 0
	}
	s.n -= n
}

// newest returns the current chunk if the n > 0 slots at p are those that cut has taken last from it, or nil. There is a current chunk.
func (s *slab) newest(p pointer, n int) *block {
	chunk := &s.chunks.list[s.chunks.cur]
	// SAFETY: the addresses are compared, and never made pointers again.
	if from := chunk.n - s.buf.n - n; from < 0 || chunk.at.address()+uintptr(from*s.chunks.size) != p.address() {
		return nil
	}
	return chunk
}

// A view is a variable of type []T, for a T known at run time only, through which package reflect makes and clears memory of
// that type, for a slotType.
type view struct {
	slice    reflect.Value
	head     *header
	size     int
	pointers bool // T is a pointer type
}

// slotTypeOf is slotTypeFor of a type known at run time only.
func slotTypeOf(t reflect.Type) slotType {
	s := reflect.New(reflect.SliceOf(t))
	// SAFETY: a slice of any type is a pointer and two ints.
	v := &view{s.Elem(), (*header)(s.UnsafePointer()), int(t.Size()), t.Kind() == reflect.Pointer}
	return slotType{t, v.make, v.clear}
}

// make has reflect make the memory, so that the collector knows the type.
func (v *view) make(n int) block {
	// SAFETY: Grow has made memory for n values of type typ, at least, which the header of the slice points at.
	v.slice.Grow(n)
	at := v.head.at
	*v.head = header{}
	return block{at, n}
}

// clear has reflect zero the slots, with write barriers. The compiler does it for pointers, in a fourth of the time where there are few:
// they are lists of messages, of which decoders have one for each type.
func (v *view) clear(b block, from, to int) {
	if from >= to {
		return
	}
	// SAFETY: memory of the type, and of that length: b is from a slab of the type. Pointers to anything are pointers, and nil for all is nil.
	b = b.part(from, to, v.size)
	if v.pointers {
		clear(unsafe.Slice((*unsafe.Pointer)(b.at.to), b.n))
		return
	}
	*v.head = header{b, b.n}
	v.slice.Clear()
	*v.head = header{}
}

// part returns the slots [from, to) of b, of which there is at least one. They have size bytes.
func (b block) part(from, to, size int) block {
	if from < 0 || to <= from || to > b.n {
		panic("arena: a part of a chunk that it does not have")
	}
	// SAFETY: there are slots behind from.
	return block{pointer{unsafe.Add(b.at.to, from*size)}, to - from}
}

// valueAt returns a pointer to the t at p, which a slab has made.
func valueAt(t reflect.Type, p pointer) reflect.Value {
	// SAFETY: p is from a slab of type t.
	return reflect.NewAt(t, p.to)
}

// sliceValueAt returns the n values of type t at p as a slice.
func sliceValueAt(t reflect.Type, p pointer, n int) reflect.Value {
	// SAFETY: as above, or p is plain memory, of n values and aligned for t, which is plain (as in sliceOf).
	return reflect.SliceAt(t, p.to, n)
}
