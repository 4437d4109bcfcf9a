package model_test

import (
	"context"
	"sync"
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
	//lint:ignore SA1012 this is what is tested
	if got := arena.FromContext(nil); got != nil {
		t.Errorf("a nil context carries %p", got)
	}
	//lint:ignore SA1012 this is what is tested
	if got := result(func() any { return arena.NewContext(nil, a) }); got == nil {
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

// TestFork proves what is forked without a unit of work: an arena of the same Group, or the
// heap.
func TestFork(t *testing.T) {
	for name, ctx := range map[string]context.Context{
		"none": t.Context(), "nil": arena.NewContext(t.Context(), nil), "one": arena.NewContext(t.Context(), arena.NewArena()),
		"of a nil Group": (*arena.Group)(nil).NewContext(t.Context()),
	} {
		if got := arena.FromContext(arena.Fork(ctx)); got != nil {
			t.Errorf("an arena is forked from a context with %s", name)
		}
	}
	//lint:ignore SA1012 this is what is tested
	if p := result(func() any { return arena.Fork(nil) }); p == nil {
		t.Error("Fork accepts a nil context")
	}
	g := arena.NewGroup()
	for round := range 3 {
		ctx := g.NewContext(t.Context())
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				ctx := arena.Fork(ctx)
				inner := arena.Fork(ctx)
				wait.Go(func() { fill(arena.FromContext(inner)) })
				fill(arena.FromContext(ctx))
			})
		}
		g.Go(func(a *arena.Arena) {
			wait.Go(func() { fill(arena.FromContext(arena.Fork(arena.NewContext(ctx, a)))) })
			fill(a)
		})
		fill(arena.FromContext(ctx))
		g.Wait() // which lets one more be started
		wait.Wait()
		if st := g.Stats(); st.InUse != 19*fills {
			t.Errorf("round %d: %d bytes are in use, want %d", round, st.InUse, 19*fills)
		}
		g.Reset()
		if result(func() any { arena.New[int](arena.FromContext(ctx)); return nil }) == nil {
			t.Error("an arena of the last round can be used")
		}
		if arena.FromContext(arena.Fork(ctx)) != nil {
			t.Error("an arena is forked from a context of the last round")
		}
	}
	for _, use := range []func(a *arena.Arena){fill, func(*arena.Arena) {}} {
		g := arena.NewGroup()
		ctx := g.NewContext(t.Context())
		use(arena.FromContext(ctx))
		g.Free()
		if arena.FromContext(arena.Fork(ctx)) != nil {
			t.Error("an arena is forked from a context of a freed Group")
		}
	}
	g.Free()
	if result(func() any { return g.NewContext(t.Context()) }) == nil {
		t.Error("a context can be had from a Group that was freed")
	}
}

// fills is how many bytes fill takes.
const fills = 1000

func fill(a *arena.Arena) {
	for range 100 {
		arena.MakeSlice[byte](a, 10, 10)
	}
}
