package arenakit

import (
	"reflect"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
)

// A Slab is the part of an arena that holds the values of one type known only at run time. It
// corresponds to [arena.Slab] for other types. Decoders use it: they know the offset of each field
// in a value, and allocate values by the million. Its New is several times as fast as
// [arena.NewValue].
//
// [SlabOf] returns the Slab of an arena. It belongs to the arena: Reset empties it. When the arena
// is freed, its methods panic, except Extend and Shrink, which do nothing. Only the goroutine that
// uses the arena may use the Slab. Slabs may be copied and compared. The zero Slab has no type, and
// must not be used.
type Slab struct {
	a *arena.Arena
	s share.Slab[*arena.Arena]
}

// SlabOf returns the slab of a that holds values of type t. It panics if t is nil, and if a has
// been freed. SlabOf(nil, t) is the Go heap.
func SlabOf(a *arena.Arena, t reflect.Type) Slab {
	if t == nil {
		panic("arenakit: SlabOf: the type is nil")
	}
	return Slab{a, share.SlabOf(a.Internal(), t)}
}

// For returns h for the arena a, and true, if a has the slab of h. That is often so, because a new
// arena reuses the slabs of a freed arena. If For returns false, call [SlabOf], which is slower. h
// may be stale, or the zero Slab, for which For returns false, as it does with a nil arena. For
// panics if a has been freed and h is not zero.
func (h Slab) For(a *arena.Arena) (Slab, bool) {
	if h.s == nil || !h.s.Serves(a) {
		return Slab{}, false
	}
	return Slab{a, h.s}, true
}

// New returns a pointer to a new zero value of the slab's type. See the function [arena.New]. The
// pointer must not be used as a pointer to any other type.
func (h Slab) New() unsafe.Pointer {
	// SAFETY: here and below, the slab of the arena has made the memory, and the collector knows
	// its type.
	return h.s.New(h.a)
}

// Slice returns a pointer to the first of n new zero values of the slab's type, which are next to
// each other. It panics if n < 1.
func (h Slab) Slice(n int) unsafe.Pointer {
	// SAFETY: as above.
	return h.s.Slice(h.a, n)
}

// Extend extends the n values at p, which Slice has returned, in place to n+more values. The new
// values are zero. It returns false, and changes nothing, if these are not the newest values of the
// slab, if there is no room after them, and on the heap. Slice then allocates a longer slice
// elsewhere.
func (h Slab) Extend(p unsafe.Pointer, n, more int) bool {
	// SAFETY: the slab compares p with the newest values.
	return h.s.Extend(h.a, p, n, more)
}

// Shrink makes the slice of n values at p shorter: keep of them stay, and the slab gets the others
// back, which must still be zero. Slice has returned p, and Extend may have made the slice longer.
// It does nothing if Extend would return false, or if keep is less than 1.
func (h Slab) Shrink(p unsafe.Pointer, n, keep int) {
	// SAFETY: as in Extend.
	h.s.Shrink(h.a, p, n, keep)
}

// Expect says that about n values will be allocated. The slab's next memory has room for the values
// that do not fit now, up to 256 KiB. Without Expect a slab begins with a little memory and doubles
// it. Expect is for callers that keep the values of an arena, and know their number.
func (h Slab) Expect(n int) { h.s.Expect(h.a, n) }
