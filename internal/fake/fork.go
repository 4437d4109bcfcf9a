package fake

import (
	"context"
	"sync"
	"testing"
)

// Goroutines is how many [Fork] starts.
const Goroutines = 4

// Fork makes goroutines call work, each with a context that fork returns for it. arenaOf returns
// the arena of a context: Fork checks that each goroutine has an arena of its own, other than the
// arena of ctx. It returns the context of one of them.
func Fork[A comparable](t testing.TB, ctx context.Context, fork func(context.Context) context.Context, arenaOf func(context.Context) A, work func(i int, own A)) context.Context {
	var left context.Context
	var all sync.WaitGroup
	var mu sync.Mutex
	var none A
	seen := map[A]bool{none: true, arenaOf(ctx): true}
	for i := range Goroutines {
		all.Go(func() {
			ctx := fork(ctx)
			own := arenaOf(ctx)
			mu.Lock()
			if seen[own] {
				t.Error("a goroutine has no arena of its own")
			}
			seen[own] = true
			if i == 0 {
				left = ctx
			}
			mu.Unlock()
			work(i, own)
		})
	}
	all.Wait()
	return left
}
