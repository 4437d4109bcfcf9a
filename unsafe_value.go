package arena

import (
	"reflect"
	"unsafe"
)

// A typeSlab is a slab as package arenakit sees it, for types known at run time only. arenakit.Slab
// documents the methods. Each gets the arena that has returned the slab, which is nil if that is of
// the heap: it has no stores, and never has room.
type typeSlab slab

// New returns a new zero value.
func (s *typeSlab) New(a *Arena) unsafe.Pointer {
	if sanitizing || debugging || s.n < 1 || s.stores != a.stores || s.stores.arena != a {
		return s.one(a)
	}
	s.n--
	// SAFETY: buf is a block of the type, whose size is chunks.size, and n is at most its length.
	return unsafe.Add(s.buf.at.to, s.n*s.chunks.size)
}

// Slice returns the first of n new zero values.
func (s *typeSlab) Slice(a *Arena, n int) unsafe.Pointer {
	if sanitizing || debugging || n < 1 || n > s.n || s.stores != a.stores || s.stores.arena != a {
		return s.more(a, n)
	}
	// SAFETY: buf begins with n free values.
	p := s.buf.at.to
	(*slab)(s).cut(n)
	return p
}

// Extend makes n values longer, if they are the newest.
func (s *typeSlab) Extend(a *Arena, p unsafe.Pointer, n, more int) bool {
	// SAFETY: newest compares p.
	if uint(more) > uint(s.n) || n < 1 || !s.mayMove(a) || (*slab)(s).newest(pointer{p}, n) == nil {
		return false
	}
	(*slab)(s).cut(more)
	return true
}

// Shrink frees the values behind the first keep of n, if they are the newest.
func (s *typeSlab) Shrink(a *Arena, p unsafe.Pointer, n, keep int) {
	// SAFETY: newest compares p.
	if keep < 1 || keep >= n || !s.mayMove(a) || s.stores.depth() > 0 { // the values may be older than a Mark
		return
	}
	chunk := (*slab)(s).newest(pointer{p}, n)
	if chunk == nil {
		return
	}
	s.most = max(s.most, s.full-s.n) // the next arena needs room for this many
	// SAFETY: the n values at p are the last before buf, and all of buf is behind them. What is
	// behind keep of them is in the chunk.
	s.buf.at.to = unsafe.Add(p, keep*s.chunks.size)
	s.buf.n += n - keep
	s.buf.cap = s.buf.n
	s.n += n - keep
}

// mayMove tells whether the slab has a chunk, and may make its newest slice longer or shorter. It
// is inlined.
func (s *typeSlab) mayMove(a *Arena) bool {
	return !sanitizing && !debugging && !s.buf.at.isNil() && s.stores == a.stores && s.stores.arena == a
}

// Expect makes the next chunk large enough for n values.
func (s *typeSlab) Expect(a *Arena, n int) {
	if a == nil {
		return
	}
	s.check(a)
	if n -= s.n; n > 0 && s.chunks.size > 0 {
		s.chunks.hint = int32(min(n, max(maxChunk/s.chunks.size, 1)))
		(*slab)(s).activate() // so that no other arena that has the slab later finds the hint
	}
}

// Serves tells whether a has the slab, and is not nil. Its chunks are tight then. It panics when a
// has been freed.
func (s *typeSlab) Serves(a *Arena) bool {
	if a == nil || s.stores != a.open() {
		return false
	}
	s.chunks.tight = true
	return true
}

// check panics when the arena, which is not the heap, was closed since it has returned the slab.
func (s *typeSlab) check(a *Arena) {
	if a.open() != s.stores {
		panic("arenakit: a Slab is used after its arena was closed")
	}
}

// one is New where the current chunk has no room.
//
//go:noinline
func (s *typeSlab) one(a *Arena) unsafe.Pointer {
	if a == nil {
		// SAFETY: the pointer that reflect returns.
		return reflect.New(s.slots.typ).UnsafePointer()
	}
	s.check(a)
	return (*slab)(s).slot().at.to
}

// more is Slice where the current chunk has no room.
//
//go:noinline
func (s *typeSlab) more(a *Arena, n int) unsafe.Pointer {
	if n < 1 {
		panic("arenakit: Slab.Slice of less than one value")
	}
	checkLen(n, n, int(s.slots.typ.Size()))
	if a == nil {
		// SAFETY: a pointer to what the slice points at.
		return reflect.MakeSlice(reflect.SliceOf(s.slots.typ), n, n).UnsafePointer()
	}
	s.check(a)
	return (*slab)(s).slice(n).at.to
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

// newest returns the current chunk if the n > 0 slots at p are those that cut has taken last from
// it, or nil. There is a current chunk.
func (s *slab) newest(p pointer, n int) *block {
	chunk := &s.chunks.list[s.chunks.cur]
	// SAFETY: the addresses are compared, and never made pointers again.
	if from := chunk.n - s.buf.n - n; from < 0 || chunk.at.address()+uintptr(from*s.chunks.size) != p.address() {
		return nil
	}
	return chunk
}

// A view is a variable of type []T, for a T known at run time only, through which package reflect
// makes and clears memory of that type, for a slotType.
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
	// SAFETY: Grow has made memory for n values of type typ, at least, which the header of the
	// slice points at.
	v.slice.Grow(n)
	at := v.head.at
	*v.head = header{}
	return block{at, n}
}

// clear has reflect zero the slots, with write barriers. The compiler does it for pointers, in a
// fourth of the time where there are few: they are lists of messages, of which decoders have one
// for each type.
func (v *view) clear(b block, from, to int) {
	if from >= to {
		return
	}
	// SAFETY: memory of the type, and of that length: b is from a slab of the type. Pointers to
	// anything are pointers, and nil for all is nil.
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
		panic("arena: internal error: a part outside of its chunk; please report it")
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
	// SAFETY: as above, or p is plain memory, of n values and aligned for t, which is plain (as in
	// sliceOf).
	return reflect.SliceAt(t, p.to, n)
}
