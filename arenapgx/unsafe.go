package arenapgx

import (
	"reflect"
	"unsafe"

	"github.com/jackc/pgx/v5/pgtype"
)

// The functions of this file write to rows where a plan says that fields are. SAFETY of all of them
// is that a plan takes the places and the types of the fields from package reflect and from
// pointers to the very fields that pgx has asked to scan into (plan.go), and a column is decoded
// here only if the memory of its Go type is what the function writes (target.go). All else is left
// to pgx. Memory for rows and slices, and for what pointers lead to, comes from slabs of those very
// types, so that the collector knows it. Pointers are written as pointers, with the write barriers
// of the compiler.

type pointer = unsafe.Pointer

// at returns what lies offset bytes behind p, in the same value.
func at(p pointer, offset uintptr) pointer {
	// SAFETY: it is the offset of a field, or of an element.
	return unsafe.Add(p, offset)
}

// store writes v to p, where a value with the memory of a V lies.
func store[V any](p pointer, v V) {
	// SAFETY: above.
	*(*V)(p) = v
}

// A list is what a slice is in memory.
type list struct {
	data     pointer
	len, cap int
}

// storeList makes the slice at p one of the n elements at data.
func storeList(p, data pointer, n int) {
	// SAFETY: a slice of any type is a pointer and two ints. data is what arenakit.Slab.Slice(n)
	// has returned for the type of the elements.
	*(*list)(p) = list{data, n, n}
}

// empty is the address of slices without elements, like slices of make.
var empty struct{}

// storeEmpty makes the slice at p one that is empty, and not nil.
func storeEmpty(p pointer) {
	// SAFETY: as above. Nothing is read or written there.
	*(*list)(p) = list{pointer(&empty), 0, 0}
}

// text returns b as a string.
func text(b []byte) string {
	if len(b) == 0 {
		return "" // and nothing to keep alive
	}
	// SAFETY: nobody writes to b while the string is used: either b is a copy that was made for it,
	// or the string is gone before pgx uses its buffer again.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// identity returns where f lies with what it has captured. Closures that are made in one place have
// the same code, which is all that package reflect tells of a function.
func identity(f pgtype.TryWrapScanPlanFunc) *byte {
	// SAFETY: a function is a pointer to such a place, or nil. Nothing is read or written there.
	return *(**byte)(pointer(&f))
}

// pointerTo returns p.
func pointerTo[T any](p *T) pointer { return pointer(p) }

// variable returns a pointer to the t at p, in an interface.
func variable(t reflect.Type, p pointer) any {
	// SAFETY: what is at p is a t.
	return reflect.NewAt(t, p).Interface()
}

// setZero makes the t at p zero.
func setZero(t reflect.Type, p pointer) {
	// SAFETY: what is at p is a t.
	reflect.NewAt(t, p).Elem().SetZero()
}

// newOf returns a pointer to a new t on the heap.
func newOf(t reflect.Type) pointer { return reflect.New(t).UnsafePointer() }

// addressOf returns target, a pointer of the type that a plan has for it. If it is no pointer, the
// result is not used.
func addressOf(target any) pointer {
	// SAFETY: an interface is two words, of which the second is a pointer. Nothing is read or
	// written there before the plan has said that it is one to the type that is written.
	return (*[2]pointer)(pointer(&target))[1]
}
