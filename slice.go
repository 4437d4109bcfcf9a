package arena

import (
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
)

// MakeSlice returns a slice of zero values of type T in a, as make([]T, len, cap) does on the heap.
// It stays valid as a value of [New] does.
//
// MakeSlice panics, and changes nothing, when len is negative, cap is less than len, or the slice
// is larger than memory can be. It panics as New does when a has been freed or may not grow so far.
// MakeSlice(nil, len, cap) is make([]T, len, cap), and may panic with the message of that.
func MakeSlice[T any](a *Arena, len, cap int) []T {
	if a == nil && uint(cap) < manyElements {
		return make([]T, len, cap)
	}
	return makeSliceIn[T](a, len, cap)
}

// manyElements is a capacity from which on MakeSlice of a nil arena computes itself whether that is
// more than memory can be: on 32 bits always.
const manyElements = 1 << (24 * (^uint(0) >> 63))

// makeSliceIn is MakeSlice, which is inlined for what it does with a nil arena. Here is what it
// does where the slab has room.
//
//go:noinline
func makeSliceIn[T any](a *Arena, len, cap int) []T {
	if a != nil && uint(len) <= uint(cap) && !sanitizing && !debugging {
		// What follows is open and look, by hand, as in newIn. No call is before it, so that all
		// stays in registers.
		if st := a.stores; st != nil && !(checking && !a.isItself()) && st.arena == a {
			s, id := st.last, mem.PointerID((*T)(nil))
			if s.id != id {
				s = st.near.at(id)
			}
			switch {
			case s.id != id:
			case s.kind == kindTyped && uint(cap-1) < uint(s.n):
				return cutSlots(typedSlab[T](s), cap)[:len]
			case s.kind == kindPlain && mem.SizeOf[T]() > 0 && uint(cap-1) < uint(maxBytes/max(mem.SizeOf[T](), 1)):
				v := block{st.plain.alloc(s, cap, mem.SizeOf[T](), alignOf[T]()), cap}
				s.activate()
				return slotsOf[T](v)[:len]
			}
		}
	}
	return makeSlice[T](a, len, cap)
}

// makeSlice is all of MakeSlice.
//
//go:noinline
func makeSlice[T any](a *Arena, len, cap int) []T {
	checkLen(len, cap, mem.SizeOf[T]())
	if a == nil {
		return make([]T, len, cap)
	}
	st, id := a.open(), mem.PointerID((*T)(nil))
	s := st.look(id)
	if s.id != id {
		s = slabIn[T](st)
	}
	if cap == 0 {
		return []T{}
	}
	return slotsOf[T](s.make(cap, alignOf[T]()))[:len]
}

// MakeSliceAligned is [MakeSlice] with the first element at an address that is a multiple of align
// bytes. If there is no first element, or it has size zero, the address may be any.
//
// T must be a plain type, which has no pointers and no bools. MakeSliceAligned panics when it is
// not, when align is not a power of two up to 4096, when a is nil, and as MakeSlice does.
func MakeSliceAligned[T any](a *Arena, len, cap, align int) []T {
	checkLen(len, cap, mem.SizeOf[T]())
	if align <= 0 || align&(align-1) != 0 || align > 4096 {
		panic(fmt.Sprintf("arena: MakeSliceAligned: align is %d, and must be a power of two up to 4096", align))
	}
	if a == nil {
		panic("arena: MakeSliceAligned: the arena is nil; make one with NewArena")
	}
	s := slabOf[T](a)
	if !s.isPlain() {
		panic(fmt.Sprintf("arena: MakeSliceAligned: %v has pointers or bools; use MakeSlice", reflect.TypeFor[T]()))
	}
	if cap == 0 {
		return []T{}
	}
	return slotsOf[T](s.make(cap, max(align, alignOf[T]())))[:len]
}

// SliceOf returns a slice in a with copies of the elements v.
func SliceOf[T any](a *Arena, v ...T) []T {
	s := MakeSlice[T](a, len(v), len(v))
	copy(s, v)
	return s
}

// Append returns s with the elements v appended, as the built-in append does. s may come from
// anywhere.
//
// If s has no room it grows inside a. It grows in place when s was allocated last and there is room
// behind it. Otherwise Append copies it to a slice of at least twice the capacity, and leaves s to
// the next Reset.
//
// One difference from append: after growth in place the result shares the elements of s, as after
// an append within the capacity. If you change the result and read s, append to a copy: Append(a,
// SliceOf(a, s...), v...).
//
// The elements must have the type that s has, as Go infers it from both. Where s is a slice of an
// interface type, name that type: Append[Node](a, nodes, &Leaf{}). Where s is nil, give it a type,
// or use [SliceOf].
//
// Append(nil, s, v...) is append(s, v...). Within the capacity of s Append does not use the arena,
// so it works after Free, too.
func Append[E any, S ~[]E](a *Arena, s S, v ...E) S {
	if cap(s)-len(s) < len(v) {
		return appendGrow(a, s, v)
	}
	return append(s, v...)
}

// appendGrow is Append where s has no room. Append itself is inlined.
//
//go:noinline
func appendGrow[E any, S ~[]E](a *Arena, s S, v []E) S {
	if a != nil {
		s = growSlice(a, s, len(v))
	}
	return append(s, v...)
}

// Push returns s with e at its end. It is [Append] of one element, and as fast as the builtin.
// Append takes several times as long for an element with pointers, because it calls a function that
// copies. If s is a slice of an interface type, name that type: Push[Node](a, nodes, &Leaf{}).
// Push(nil, s, e) is append(s, e).
func Push[E any, S ~[]E](a *Arena, s S, e E) S {
	if len(s) == cap(s) {
		s = growSlice(a, s, 1)
	}
	return append(s, e)
}

// moveSlice returns a copy of s in a with room for n > 0 more elements, and at least twice as many
// as s has. If a is nil it returns s: append makes the room then, as it would without us.
//
//go:noinline
func moveSlice[S ~[]E, E any](a *Arena, s S, n int) S {
	if a == nil {
		return s
	}
	need := len(s) + n
	if need < n {
		panicSize("a slice", n, mem.SizeOf[E]())
	}
	r := S(makeSliceIn[E](a, len(s), max(need, min(2*cap(s), maxBytes/max(mem.SizeOf[E](), 1)))))
	if len(s) > 0 {
		copy(r, s)
	}
	return r
}

// Grow returns s with room for n more elements. It grows as [Append] does. Grow(nil, s, n) is
// slices.Grow(s, n). It panics when n is negative, and as [MakeSlice] does.
func Grow[S ~[]E, E any](a *Arena, s S, n int) S {
	if n < 0 {
		panic("arena: Grow: negative count")
	}
	if a == nil {
		return slices.Grow(s, n)
	}
	if n <= cap(s)-len(s) {
		return s
	}
	return growSlice(a, s, n)
}

// growSlice is moveSlice, but s grows in place where it can.
//
//go:noinline
func growSlice[S ~[]E, E any](a *Arena, s S, n int) S {
	if a == nil {
		return s
	}
	if cap(s) == 0 || n > maxBytes/max(mem.SizeOf[E](), 1) {
		return moveSlice(a, s, n)
	}
	st, id := a.open(), mem.PointerID((*E)(nil))
	slab := st.look(id)
	if slab.id != id {
		slab = slabIn[E](st)
	}
	// In place a little at a time will do, because nothing is copied.
	need := n - (cap(s) - len(s))
	in := max(need, cap(s)/4, 64/max(mem.SizeOf[E](), 1))
	v := blockOf(s[:cap(s)])
	if more := slab.extend(v, in, need); more > 0 {
		return slotsOf[E](block{v.at, v.n + more})[:len(s)]
	}
	return moveSlice(a, s, n)
}

// make returns n > 0 zero values, in plain memory at a multiple of align.
func (s *slab) make(n, align int) block {
	if !s.isPlain() {
		return s.slice(n)
	}
	v := block{n: n}
	if size := s.chunks.size; size > 0 {
		v.at = s.stores.plain.alloc(s, n, size, align)
	} else {
		v = s.slots.make(n)
		s.plainItems += n
	}
	s.activate()
	return v
}

// Collect returns the values of seq in a slice in a, as slices.Collect does. It returns nil when
// there are none. The slice grows as [Append] does. If you know how many there will be, use
// [AppendSeq] with a slice of that capacity. If seq calls [Arena.Rewind] of a, the slice may be
// stale, as any slice that has grown in a scope; [CollectMap] and [Map.Insert] allow it.
//
// The slice is in a, but the loop over seq takes some bytes of the heap where the compiler does not
// see what seq does.
func Collect[E any](a *Arena, seq iter.Seq[E]) []E { return AppendSeq(a, []E(nil), seq) }

// AppendSeq appends the values of seq to s, as slices.AppendSeq does. See [Append].
func AppendSeq[S ~[]E, E any](a *Arena, s S, seq iter.Seq[E]) S {
	for v := range seq {
		s = Append(a, s, v)
	}
	return s
}

// maxBytes bounds a single allocation: what an address can reach, as for make.
const maxBytes = 1<<(31+16*(^uint(0)>>63)) - 1

// panicSize reports n values of size bytes, which no memory can hold.
func panicSize(what string, n, size int) {
	panic(fmt.Sprintf("arena: %s of %d values of %d bytes is larger than memory can be", what, n, size))
}

// checkLen panics as make does for a slice of elements of size bytes.
func checkLen(len, cap, size int) {
	if len < 0 || cap < len {
		panic(fmt.Sprintf("arena: a slice of length %d and capacity %d: need 0 <= length <= capacity", len, cap))
	}
	if size > 0 && cap > maxBytes/size {
		panicSize("a slice", cap, size)
	}
}
