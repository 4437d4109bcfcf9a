package arenakit

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
)

// A Slab is the part of an arena that holds the values of one type known only at run time. It is what [arena.Slab]
// is for other types. Decoders use it: they know where each field lies in a value, and make values by the million.
// Its New takes a few nanoseconds, where [arena.NewValue] takes some ten.
//
// [SlabOf] returns the Slab of an arena. It belongs to the arena: Reset empties it. When the arena is freed, its
// methods panic, but for Extend and Shrink, which do nothing. Only the goroutine that uses the arena may use the
// Slab. Slabs may be copied and compared. The zero Slab has no type, and must not be used.
type Slab struct {
	a *arena.Arena
	s share.Slab[*arena.Arena]
}

// SlabOf returns the slab of a that holds values of type t. It panics when t is nil, and when a has been
// freed. SlabOf(nil, t) is the Go heap.
func SlabOf(a *arena.Arena, t reflect.Type) Slab {
	if t == nil {
		panic("arenakit: SlabOf: the type is nil")
	}
	return Slab{a, share.SlabOf(a.Internal(), t)}
}

// For returns h for the arena a, and true, if a has the slab of h. That is often so, because a new arena goes on
// with the slabs of one that was freed. If For reports false, call [SlabOf], which takes five times as long. h may
// be stale, or the zero Slab, for which For reports false, as it does with a nil arena. For panics when a has been
// freed and h is not zero.
func (h Slab) For(a *arena.Arena) (Slab, bool) {
	if h.s == nil || !h.s.Serves(a) {
		return Slab{}, false
	}
	return Slab{a, h.s}, true
}

// New returns a pointer to a new zero value of the slab's type. See the function [arena.New]. The pointer must not be
// used as a pointer to any other type.
func (h Slab) New() unsafe.Pointer {
	// SAFETY: here and below, the slab of the arena has made the memory, and the collector knows its type.
	return h.s.New(h.a)
}

// Slice returns a pointer to the first of n new zero values of the slab's type, which lie side by side. It panics
// if n < 1.
func (h Slab) Slice(n int) unsafe.Pointer {
	// SAFETY: as above.
	return h.s.Slice(h.a, n)
}

// Extend makes the n values at p, which Slice has returned, a slice of n+more, in place. The new values are zero. It
// reports false, and changes nothing, where these are not the newest values of the slab, where there is no room behind
// them, and on the heap. Slice then makes a longer slice elsewhere.
func (h Slab) Extend(p unsafe.Pointer, n, more int) bool {
	// SAFETY: the slab compares p with the newest values.
	return h.s.Extend(h.a, p, n, more)
}

// Shrink makes the slice of n values at p shorter: keep of them stay, and the slab gets the others back, which must be
// zero still. Slice has returned p, and Extend may have made the slice longer. It does nothing where Extend would
// report false, or keep is less than 1.
func (h Slab) Shrink(p unsafe.Pointer, n, keep int) {
	// SAFETY: as in Extend.
	h.s.Shrink(h.a, p, n, keep)
}

// Expect says that about n values will be asked for. The next memory that the slab takes has room for those of
// them that do not fit now, up to 256 KiB. Without Expect a slab begins with a little memory and doubles it.
// Expect is for callers that keep what an arena holds, and know how much that will be.
func (h Slab) Expect(n int) { h.s.Expect(h.a, n) }
