package arena

import "reflect"

// A block is the memory of one chunk: n slots, which begin at at. Its slab knows what the slots are. So the code for
// chunks is there once, and not for each type.
type block struct {
	at pointer
	n  int
}

// A header is what a slice is in memory: a block of as many slots as the slice is long, and its capacity.
type header struct {
	block
	cap int
}

// from returns h[n:], of the slots of a slab, each of which has size bytes.
func (h header) from(n, size int) header {
	if n == h.n {
		return header{block{h.at, 0}, 0} // and not what lies behind it
	}
	rest := h.part(n, h.n, size)
	return header{rest, rest.n}
}

// first returns the first n slots of b, to hand out.
func (b block) first(n int) block { return block{b.at, min(n, b.n)} }

// extent returns the memory of b, whose slots are of type t and have size bytes.
func (b block) extent(size int, t reflect.Type) extent { return extent{b.at, b.n * size, t} }

// A slotType says what the slots of a slab are: of a type known at compile time, *slots, or at run time only, *view.
type slotType interface {
	make(n int) block            // a new zeroed block
	clear(b block, from, to int) // zeroes the slots [from, to) of a block of this type, with write barriers where it needs them
	elem() reflect.Type          // the type of a slot
}

// slots is the slotType of a type known at compile time. Two functions are all that is compiled for each type; the methods
// of a generic type would come with a description of each.
type slots struct {
	typ        reflect.Type
	makeSlots  func(n int) block
	clearSlots func(b block, from, to int)
}

func slotsFor[T any]() slots { return slots{reflect.TypeFor[T](), makeSlots[T], clearSlots[T]} }

func makeSlots[T any](n int) block            { return blockOf(make([]T, n)) }
func clearSlots[T any](b block, from, to int) { clear(slotsOf[T](b)[from:to]) }

func (s *slots) make(n int) block            { return s.makeSlots(n) }
func (s *slots) clear(b block, from, to int) { s.clearSlots(b, from, to) }
func (s *slots) elem() reflect.Type          { return s.typ }
