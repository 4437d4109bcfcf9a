package arena

import "github.com/arena-go/arena/internal/mem"

// A RefList is a slice of values of a plain type that grows, in twelve bytes. See [Ref] and [RefSlice]. The zero RefList
// is empty. It may lie in the arena that it grows in, or elsewhere.
//
//	type word struct {
//		text  arena.RefString
//		lines arena.RefList[uint32]
//	}
//
// A RefList that grows leaves its former memory to the next Reset, as [Append] does. A copy of a RefList shares its
// elements. As with slices, append to one of both only.
type RefList[T any] struct {
	notText
	room RefSlice[T]
	n    uint32
}

// Len returns the number of elements.
func (l RefList[T]) Len() int { return min(refLen(l.n), l.room.Len()) }

// Get returns the elements. What is appended later is not in the slice. [Ref.Get] says how long it is valid, and when
// Get panics.
func (l RefList[T]) Get(a *Arena) []T {
	n := l.Len()
	return l.room.Get(a)[:n:n]
}

// Append appends the elements v. It panics when a list is too long, and as [NewRefSlice] does, also where it has room:
// a nil or a closed arena has no references.
func (l *RefList[T]) Append(a *Arena, v ...T) {
	a.toWrite()
	n := l.Len()
	if len(v) > l.room.Len()-n {
		l.grow(a, len(v))
	}
	copy(l.room.Get(a)[n:], v)
	l.n = uint32(n + len(v))
}

// Grow makes room for n more elements. It panics when n is negative, and as Append does.
func (l *RefList[T]) Grow(a *Arena, n int) {
	if n < 0 {
		panic("arena: RefList.Grow: negative count")
	}
	a.toWrite()
	if n > l.room.Len()-l.Len() {
		l.grow(a, n)
	}
}

// grow gives the list twice the room, and room for n more elements at least.
func (l *RefList[T]) grow(a *Arena, n int) {
	need := l.Len() + n
	if need < n {
		panicSize("a RefList", n, mem.SizeOf[T]())
	}
	least := max(refGranule/max(mem.SizeOf[T](), 1), 1)
	room, all := NewRefSlice[T](a, max(need, min(2*l.room.Len(), 1<<31-1), least))
	copy(all, l.Get(a))
	l.room = room
}

// Truncate removes all but the first n elements, and keeps the memory. It panics when n is negative, or more than Len. It knows no
// arena, so where the list itself lies in a [Region] that is read-only the write is a fault, which the system may answer by ending the program.
func (l *RefList[T]) Truncate(n int) {
	if n < 0 || n > l.Len() {
		panic("arena: RefList.Truncate: there are fewer elements, or the count is negative")
	}
	l.n = uint32(n)
}
