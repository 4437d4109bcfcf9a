package arena

import "reflect"

// A block is the memory of one chunk: n slots, which begin at at. Its slab knows what the slots are. So the code for
// chunks is there once, and not for each type.
type block struct {
	at pointer
	n  int
}

// first returns the first n slots of b, to hand out.
func (b block) first(n int) block { return block{b.at, min(n, b.n)} }

// extent returns the memory of b, whose slots are of type t and have size bytes.
func (b block) extent(size int, t reflect.Type) extent { return extent{b.at, b.n * size, t} }

// A slotType says what the slots of a slab are: a type known at compile time, typed, or at run time only, *view.
type slotType interface {
	make(n int) block            // a new zeroed block
	clear(b block, from, to int) // zeroes the slots [from, to) of a block of this type, with write barriers where it needs them
	elem() reflect.Type          // the type of a slot
}

// typed is the slotType of T.
type typed[T any] struct{}

func (typed[T]) make(n int) block            { return blockOf(make([]T, n)) }
func (typed[T]) clear(b block, from, to int) { clear(slotsOf[T](b)[from:to]) }
func (typed[T]) elem() reflect.Type          { return reflect.TypeFor[T]() }
