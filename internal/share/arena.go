package share

import (
	"fmt"

	"github.com/arena-go/arena/internal/region"
)

// An Arena is an *arena.Arena as the packages beside package arena see it. It has neither exported methods nor exported
// fields: who cannot import this package can hold an Arena, and do nothing with it.
type Arena struct{ is Shown }

// Shown is what package arena shows of an arena, which may be nil.
type Shown interface {
	IsOpen() bool
	Memory() *Memory
	Space() region.Space
	Label(what fmt.Stringer)
}

// Show returns the Arena of what package arena shows.
func Show(s Shown) Arena { return Arena{s} }

// IsOpen reports whether a can be used. It is called by the goroutine of the arena. Nil, which is the heap, can be used.
func IsOpen(a Arena) bool { return a.is.IsOpen() }

// MemoryOf returns the Memory of an arena that a Pool has given away. It is called by the goroutine of the arena. The Memory
// is kept up to date from then on.
func MemoryOf(a Arena) *Memory { return a.is.Memory() }

// SpaceOf returns where values with references lie in a. It panics when a has been freed. Nil has the zero Space.
func SpaceOf(a Arena) region.Space { return a.is.Space() }

// Label notes what a, which is not nil, is used for: reports say so of values that are kept after its end. what is asked only
// if there can be such reports. It is called by the goroutine of the arena.
func Label(a Arena, what fmt.Stringer) { a.is.Label(what) }
