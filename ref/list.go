package ref

import (
	"fmt"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// A List is a slice of values of a plain type that grows, in twelve bytes. See [Of] and [Slice].
// The zero List is empty. It may lie in the arena that it grows in, or elsewhere.
//
//	type word struct {
//		text  ref.String
//		lines ref.List[uint32]
//	}
//
// A List that grows leaves its former memory to the next Reset, as [arena.Append] does. A copy of a
// List shares its elements. As with slices, append to one of both only.
type List[T any] struct {
	notText
	room Slice[T]
	n    uint32
}

// Len returns the number of elements.
func (l List[T]) Len() int { return min(lenOf(l.n), l.room.Len()) }

// Get returns the elements. What is appended later is not in the slice. [Of.Get] says how long it
// is valid, and when Get panics.
func (l List[T]) Get(s Space) []T {
	n := l.Len()
	return l.room.Get(s)[:n:n]
}

// Append appends the elements v. It panics when a list is too long, and as [NewSlice] does, also
// where it has room: the zero Space, and one that has ended, have no memory.
func (l *List[T]) Append(s Space, v ...T) {
	region.ToWrite(s.at)
	n := l.Len()
	if len(v) > l.room.Len()-n {
		l.grow(s, len(v))
	}
	copy(l.room.Get(s)[n:], v)
	l.n = uint32(n + len(v))
}

// Grow makes room for n more elements. It panics when n is negative, and as Append does.
func (l *List[T]) Grow(s Space, n int) {
	if n < 0 {
		panic("ref: List.Grow: negative count")
	}
	region.ToWrite(s.at)
	if n > l.room.Len()-l.Len() {
		l.grow(s, n)
	}
}

// grow gives the list twice the room, and room for n more elements at least.
func (l *List[T]) grow(s Space, n int) {
	need := l.Len() + n
	if need < n {
		panic(fmt.Sprintf("ref: a List of %d values of %d bytes is larger than memory can be", n, mem.SizeOf[T]()))
	}
	least := max(region.Granule/max(mem.SizeOf[T](), 1), 1)
	room, all := NewSlice[T](s, max(need, min(2*l.room.Len(), 1<<31-1), least))
	copy(all, l.Get(s))
	l.room = room
}

// Truncate removes all but the first n elements, and keeps the memory. It panics when n is
// negative, or more than Len. It knows no arena, so if the list itself lies in a [Region] that is
// read-only the write is a fault, which the system may answer by ending the program.
func (l *List[T]) Truncate(n int) {
	if n < 0 || n > l.Len() {
		panic("ref: List.Truncate: there are fewer elements, or the count is negative")
	}
	l.n = uint32(n)
}
