package arenascope_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
)

// A source is a Source that counts, and says when its work is over.
type source struct {
	a     *arena.Arena
	forks *int
	over  *bool
}

func (s *source) Arena() *arena.Arena {
	if *s.over {
		return nil
	}
	return s.a
}

func (s *source) Fork(ctx context.Context) context.Context {
	*s.forks++
	return arenascope.NewContext(ctx, &source{arena.NewArena(), s.forks, s.over})
}

// TestSource proves that a Source decides what a context carries, from one look to the next, and is
// asked for each fork.
func TestSource(t *testing.T) {
	forks, over := 0, false
	s := &source{arena.NewArena(), &forks, &over}
	ctx := arenascope.NewContext(t.Context(), s)
	forked := arena.Fork(ctx)
	again := arena.Fork(forked)
	a, b, c := arena.FromContext(ctx), arena.FromContext(forked), arena.FromContext(again)
	if a != s.a || b == nil || c == nil || a == b || b == c || a == c || forks != 2 {
		t.Errorf("the arenas are %p %p %p after %d forks", a, b, c, forks)
	}
	if arena.FromContext(context.WithoutCancel(forked)) != b || arena.FromContext(arena.NewContext(forked, nil)) != nil {
		t.Error("a forked context is not like others")
	}
	over = true
	for _, ctx := range []context.Context{ctx, forked, again} {
		if got := arena.FromContext(ctx); got != nil {
			t.Errorf("when the work is over there is the arena %p", got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("NewContext accepts a nil Source")
		}
	}()
	arenascope.NewContext(ctx, nil)
}

// TestOrHeap proves that OrHeap is the arena, or nil where that is closed.
func TestOrHeap(t *testing.T) {
	a, p, g := arena.NewArena(), new(arena.Pool), arena.NewGroup()
	pooled, member := p.Get(), g.Arena()
	for _, a := range []*arena.Arena{nil, a, pooled, member} {
		if arenascope.OrHeap(a) != a {
			t.Error("an open arena is not itself")
		}
	}
	a.Free()
	p.Put(pooled)
	g.Reset()
	for _, a := range []*arena.Arena{a, pooled, member} {
		if arenascope.OrHeap(a) != nil {
			t.Error("a closed arena is not the heap")
		}
	}
}

// What outlives the arena of its maker allocates on the heap from then on.
func ExampleOrHeap() {
	a := arena.NewArena()
	greet := func(name string) string { return arena.Concat(arenascope.OrHeap(a), "Hello, ", name) }
	fmt.Println(greet("Ada"))
	a.Free()
	fmt.Println(greet("Bob")) // on the heap
	// Output:
	// Hello, Ada
	// Hello, Bob
}
