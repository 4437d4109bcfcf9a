package arena_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

// Code that a context reaches allocates from the arena of the request, and
// from the heap where there is none.
func ExampleNewContext() {
	answer := func(ctx context.Context, name string) string {
		return arena.Concat(arena.FromContext(ctx), "hello ", name)
	}
	arena.Do(func(a *arena.Arena) {
		ctx := arena.NewContext(context.Background(), a)
		fmt.Println(answer(ctx, "arena"))
		fmt.Println(a.Stats().InUse, "bytes")
	})
	fmt.Println(answer(context.Background(), "heap"))
	// Output:
	// hello arena
	// 11 bytes
	// hello heap
}

// A request is answered by several goroutines. Each has an arena of its own, and all that they make ends together.
func ExampleFork() {
	load := func(ctx context.Context, id int) string {
		a := arena.FromContext(ctx)
		return arena.Concat(a, "item ", arenastrings.Itoa(a, id))
	}
	g := arena.NewGroup() // Package arenahttp has one for each request.
	ctx := g.NewContext(context.Background())

	items := make([]string, 3)
	var all sync.WaitGroup
	for id := range items {
		all.Go(func() {
			ctx := arena.Fork(ctx) // once for each goroutine
			items[id] = load(ctx, id)
		})
	}
	all.Wait()
	fmt.Println(items)
	g.Free()
	// Output: [item 0 item 1 item 2]
}
