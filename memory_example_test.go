package arena_test

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// A budget is a Memory that several arenas share, and that is never more than so many bytes. The bytes are from the heap here. Those of
// package offheap are not.
type budget struct{ left atomic.Int64 }

var errBudget = errors.New("the budget is used up")

func (b *budget) Alloc(size int) ([]byte, error) {
	if b.left.Add(int64(-size)) < 0 {
		b.left.Add(int64(size))
		return nil, errBudget
	}
	return make([]byte, size), nil
}

func (b *budget) Free(mem []byte) { b.left.Add(int64(len(mem))) }

// Try makes an error of the panic, which says for which arena there was no memory, and why.
func ExampleMemoryError_Error() {
	var b budget
	b.left.Store(1 << 20)
	first := arena.NewWith(arena.Options{Name: "first", Memory: &b})
	second := arena.NewWith(arena.Options{Name: "second", Memory: &b})
	defer second.Free()

	arena.MakeSlice[byte](first, 800_000, 800_000)
	sort := func() { arena.MakeSlice[byte](second, 800_000, 800_000) }
	err := arena.Try(sort)
	fmt.Println(err)
	var e *arena.MemoryError
	fmt.Println(errors.As(err, &e) && e.Unwrap() == errBudget, errors.Is(err, errBudget))

	first.Free()
	fmt.Println(arena.Try(sort))
	// Output:
	// arena: no memory for arena second: 800000 bytes: the budget is used up
	// true true
	// <nil>
}
