package arenaarrow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
)

// numbers returns an array of n numbers.
func numbers(mem memory.Allocator, n int) *array.Int64 {
	b := array.NewInt64Builder(mem)
	defer b.Release()
	b.Reserve(n)
	for i := range n {
		b.Append(int64(i) * int64(i))
	}
	return b.NewInt64Array()
}

// Each query has an allocator of its own, whose Close tells what it has forgotten to release, and
// frees it.
func Example() {
	alloc := arenaarrow.New(arenaarrow.Options{Name: "queries"}) // one for the program
	query := func() {
		q := alloc.Child("squares")
		defer func() {
			if leaks := q.Close(); leaks != nil {
				fmt.Println(leaks.Name, "leaves", leaks.Blocks, "blocks")
			}
		}()
		a := numbers(q, 1000)
		defer a.Release()
		numbers(q, 1000) // is never released
		fmt.Println(a.Value(999))
	}
	query()
	fmt.Println(alloc.CurrentAlloc(), "bytes in use")
	// Output:
	// 998001
	// squares leaves 2 blocks
	// 0 bytes in use
}

// A query that needs more than it may have stops at the next batch. Others go on.
func ExampleAllocator_Context() {
	alloc := arenaarrow.New(arenaarrow.Options{})
	q := alloc.Child("greedy")
	defer q.Close()
	q.SetLimit(100_000)
	ctx, cancel := q.Context(context.Background())
	defer cancel()

	batches := 0
	for ctx.Err() == nil && batches < 1000 { // as readers do, or work with several goroutines
		defer numbers(q, 1024).Release()
		batches++
	}
	var limit *arena.LimitError
	if errors.As(context.Cause(ctx), &limit) {
		fmt.Println(limit.Name, "may have", limit.Limit, "bytes")
	}
	fmt.Println(batches < 15, q.Exceeded(), alloc.Exceeded())
	// Output:
	// greedy may have 100000 bytes
	// true true false
}

// A step reserves memory before it reads a batch, and spills what it has if there is none. Others
// can make it spill, too: not while it works with what it has, which is when it has the lock.
func ExampleAllocator_TryReserve() {
	alloc := arenaarrow.New(arenaarrow.Options{Limit: 100_000, Fair: true})
	step := alloc.Child("sort")
	defer step.Close()

	var mu sync.Mutex
	var batches []*array.Int64
	spilled := 0
	spill := func(int64) bool {
		if !mu.TryLock() {
			return false
		}
		defer mu.Unlock()
		if len(batches) == 0 {
			return false
		}
		for _, b := range batches {
			spilled += b.Len() // and write it to a file
			b.Release()
		}
		batches = nil
		return true
	}
	step.OnLimit(spill)
	for range 100 {
		if err := step.TryReserve(10_000); err != nil { // The function was called before.
			fmt.Println(err)
			return
		}
		mu.Lock()
		batches = append(batches, numbers(step, 1000))
		mu.Unlock()
	}
	fmt.Println(spilled+1000*len(batches), "numbers,", alloc.Stats().Peak <= 100_000, step.Exceeded())

	other := alloc.Child("other")
	defer other.Close()
	other.Free(other.Allocate(99_000)) // Memory that only the sort can give up.
	fmt.Println(len(batches), other.Exceeded())
	// Output:
	// 100000 numbers, true false
	// 0 false
}

// What outlives the query is made by the parent of its allocator, and belongs to who gets it.
func ExampleAllocator_Child() {
	alloc := arenaarrow.New(arenaarrow.Options{})
	sums := func() *array.Int64 {
		q := alloc.Child("sums")
		defer q.Close()
		a := numbers(q, 1000)
		defer a.Release()

		result := array.NewInt64Builder(alloc)
		defer result.Release()
		sum := int64(0)
		for _, v := range a.Int64Values() {
			sum += v
		}
		result.Append(sum)
		return result.NewInt64Array()
	}
	result := sums()
	defer result.Release()
	fmt.Println(result.Value(0), alloc.CurrentAlloc() > 0)
	// Output:
	// 332833500 true
}

// Tests run with Debug: a second Free panics with the stacks of the allocation and the first Free.
// A use after Release faults; after a call of arenadebug.CatchFaults the report contains the same
// stacks.
func ExampleOptions_debug() {
	alloc := arenaarrow.New(arenaarrow.Options{Name: "test", Debug: true})
	b := alloc.Allocate(1000)
	alloc.Free(b)
	defer func() {
		text := fmt.Sprint(recover())
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "arena") {
				fmt.Print(line)
			}
		}
		fmt.Println(strings.Contains(text, "made at:"), strings.Contains(text, "ended at:"), strings.Contains(text, "used at:"))
	}()
	alloc.Free(b)
	// Output:
	// arenaarrow: Free of what has been freed before
	// arena: second Free: arena test: a block of 1000 bytes
	// true true true
}

// Instead of memory.CheckedAllocator in tests; it reports where the leaked memory was allocated.
func ExampleAllocator_AssertSize() {
	alloc := arenaarrow.New(arenaarrow.Options{StackRate: 1}) // remembers all stacks
	a := numbers(alloc, 10)
	a.Release()
	alloc.AssertSize(failer{}, 0) // the *testing.T
	fmt.Println(alloc.CurrentAlloc())
	// Output: 0
}

type failer struct{}

func (failer) Errorf(format string, args ...any) { fmt.Printf(format, args...) }
func (failer) Helper()                           {}
