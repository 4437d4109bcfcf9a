package arena_test

import (
	"context"
	"testing"
	"time"

	"github.com/arena-go/arena"
)

// TestContext proves that a context carries the arena that it was given last,
// to every context that is derived from it and to no other.
func TestContext(t *testing.T) {
	type key struct{}
	a, b := arena.NewArena(), arena.NewArena()
	background := context.Background()
	withA := arena.NewContext(background, a)
	withB := arena.NewContext(withA, b)
	hidden := arena.NewContext(withB, nil)
	derive := func(ctx context.Context) []context.Context {
		c1, cancel1 := context.WithCancel(ctx)
		cancel1()
		c2, cancel2 := context.WithTimeout(ctx, time.Hour)
		t.Cleanup(cancel2)
		c3 := context.WithValue(ctx, key{}, arena.NewArena())
		derived := []context.Context{ctx, c1, c2, c3, context.WithoutCancel(c2)}
		for _, k := range []any{contextKey{}, struct{}{}, 0, ""} { // none is the package's key
			derived = append(derived, context.WithValue(c1, k, arena.NewArena()))
		}
		return derived
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		want *arena.Arena
	}{
		{"an empty one", background, nil},
		{"one with an arena", withA, a},
		{"one with another", withB, b},
		{"one with a nil arena", hidden, nil},
		{"one with an arena after a nil one", arena.NewContext(hidden, a), a},
	} {
		for i, ctx := range derive(c.ctx) {
			if got := arena.FromContext(ctx); got != c.want {
				t.Errorf("%s, derived %d: got %p, want %p", c.name, i, got, c.want)
			}
		}
	}
	if got := arena.FromContext(nil); got != nil { //nolint:staticcheck // this is what is tested
		t.Errorf("a nil context carries %p", got)
	}
	if got := result(func() any { return arena.NewContext(nil, a) }); got == nil { //nolint:staticcheck // the same
		t.Error("NewContext accepts a nil context")
	}

	// An arena that is carried is not touched, and one that is not there is the heap.
	if *arena.New[int](arena.FromContext(background)) != 0 || a.Stats().Types != nil {
		t.Error("a context has used its arena")
	}
	a.Free()
	if arena.FromContext(withA) != a {
		t.Error("a freed arena is not carried any more")
	}
}

// contextKey looks like the package's own key, and is another type.
type contextKey struct{}

// TestContextAllocates proves that a context with an arena is one allocation, and
// looking for it none.
func TestContextAllocates(t *testing.T) {
	ctx, a := context.Background(), arena.NewArena()
	if n := testing.AllocsPerRun(1000, func() { carried = arena.NewContext(ctx, a) }); n > 1 {
		t.Errorf("NewContext: %v allocations", n)
	}
	if n := testing.AllocsPerRun(1000, func() { arena.FromContext(carried).Reset() }); n != 0 {
		t.Errorf("FromContext: %v allocations", n)
	}
}

var carried context.Context // on the heap
