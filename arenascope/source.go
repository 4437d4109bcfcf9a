package arenascope

import (
	"context"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
)

// A Source decides what [arena.FromContext] and [arena.Fork] return for a context. A [Scope] is
// one. Any goroutine may call the methods at any time, also when the work is over.
type Source interface {
	// Arena returns the arena of the goroutine that the Source is for: the same one each time. It
	// returns nil, which is the heap, once the arena may have another user.
	Arena() *arena.Arena

	// Fork returns a context derived from ctx, for one more goroutine of the same work, with an
	// arena of its own.
	Fork(ctx context.Context) context.Context
}

// OrHeap returns a while it can be used. It returns nil, the heap, after Free, while the arena is
// in a Pool, and after its Group was Reset. It is for values that hold an arena that somebody else
// ends, and that may outlive it: arena.New[T](arenascope.OrHeap(p.arena)).
//
// It does not see that a Pool has given the arena to somebody else, whose values would be mixed
// with the caller's. Only the goroutine that may use a may call it. OrHeap of nil is nil.
func OrHeap(a *arena.Arena) *arena.Arena {
	if a == nil || share.IsOpen(a.Internal()) {
		return a
	}
	return nil
}

// NewContext returns a context in which s decides what [arena.FromContext] and [arena.Fork] return.
// A Scope does not need it, because it is a context. It panics if s is nil.
func NewContext(ctx context.Context, s Source) context.Context {
	if s == nil {
		panic("arenascope: NewContext: the Source is nil; use arena.NewContext with a nil arena for the heap")
	}
	return context.WithValue(ctx, share.ContextKey{}, s)
}
