package share

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/region"
)

// An Arena is an A, which is *arena.Arena, for the packages next to package arena. It has neither
// exported methods nor exported fields: code that cannot import this package can hold an Arena, but
// do nothing with it.
type Arena[A any] struct{ is Shown[A] }

// Shown is what package arena shows of an arena, which may be nil.
type Shown[A any] interface {
	IsOpen() bool
	Memory() *Memory
	Space() region.Space
	Label(what fmt.Stringer)
	Locals() *Locals
	SlabOf(t reflect.Type) Slab[A]
}

// Show returns the Arena of what package arena shows.
func Show[A any](s Shown[A]) Arena[A] { return Arena[A]{s} }

// IsOpen reports whether a can be used. It is called by the goroutine of the arena. Nil, which is
// the heap, can be used.
func IsOpen[A any](a Arena[A]) bool { return a.is.IsOpen() }

// MemoryOf returns the Memory of an arena that a Pool has given away. It is called by the goroutine
// of the arena. The Memory is kept up to date from then on.
func MemoryOf[A any](a Arena[A]) *Memory { return a.is.Memory() }

// SpaceOf returns where values with references are in a. It panics when a has been freed. Nil has
// the zero Space.
func SpaceOf[A any](a Arena[A]) region.Space { return a.is.Space() }

// Label notes what a, which is not nil, is used for: reports say so of values that are kept after
// its end. what is asked only if there can be such reports. It is called by the goroutine of the
// arena.
func Label[A any](a Arena[A], what fmt.Stringer) { a.is.Label(what) }

// LocalsOf returns the Locals of a, which is not nil. It panics when a has been freed.
func LocalsOf[A any](a Arena[A]) *Locals { return a.is.Locals() }

// SlabOf returns the Slab of a for values of type t. It panics when a has been freed. Nil is the
// heap.
func SlabOf[A any](a Arena[A], t reflect.Type) Slab[A] { return a.is.SlabOf(t) }
