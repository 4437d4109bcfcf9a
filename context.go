package arena

import "context"

// NewContext returns a context that carries a, for [FromContext]. A nil a is the heap: it hides the
// arena that ctx carries.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// A carrier is what a context of package arenascope holds instead of an *Arena. It decides what
// FromContext and Fork return.
type carrier interface {
	Arena() *Arena
	Fork(ctx context.Context) context.Context
}

// FromContext returns the arena that ctx carries. It returns nil, which is the heap, when ctx is
// nil or carries none.
//
// The maker of the arena says how long it lives: usually as long as the work that ctx was made for.
// Only the goroutine of that work may use it. Another goroutine that the work starts uses [Fork].
func FromContext(ctx context.Context) *Arena {
	if ctx == nil {
		return nil
	}
	switch v := ctx.Value(contextKey{}).(type) {
	case *Arena:
		return v
	case carrier:
		return v.Arena()
	}
	return nil
}

// Fork returns a context for one more goroutine, with an arena of its own. [FromContext] returns
// that arena for the context that Fork returns, and for those derived from it. What the goroutine
// makes lives as long as what is made in the arena of ctx, and the other goroutines of the same
// work may use it.
//
//	var g errgroup.Group
//	for _, part := range parts {
//		g.Go(func() error {
//			ctx := arena.Fork(ctx) // FromContext of the outer ctx would be an arena for two goroutines
//			return work(ctx, part)
//		})
//	}
//	err := g.Wait()
//
// Any number of goroutines may call Fork with one context, also the goroutine that is to use the
// arena. Each call makes another arena, so a goroutine calls it once. The code that ends the work
// must be certain that the goroutine has ended before, as with ctx itself.
//
// Fork needs somebody who ends the new arena. So it works with contexts of arenahttp, arenagrpc,
// arenaconnect and whatever else uses package arenascope, with contexts of [Group.NewContext], and
// with contexts that carry an arena of a Group. The new context carries nil, which is the heap,
// when ctx carries any other arena, when it carries none, and when the work is over. Fork panics
// when ctx is nil.
func Fork(ctx context.Context) context.Context {
	if ctx == nil {
		panic("arena: Fork of a nil context; use context.Background")
	}
	switch v := ctx.Value(contextKey{}).(type) {
	case *Arena:
		if v == nil {
			return ctx
		}
		if o := v.opt; o != nil && o.group != nil {
			return NewContext(ctx, o.group.(*Group).fork(v))
		}
		return NewContext(ctx, nil)
	case carrier:
		return v.Fork(ctx)
	}
	return ctx
}

// NewContext returns a context that carries an arena of g, for [FromContext]. [Fork] of it carries
// another arena of g. After Reset of g these arenas panic when they are used. Any goroutine may
// call NewContext. It panics when g has been freed. If g is nil, the context carries the heap.
func (g *Group) NewContext(ctx context.Context) context.Context {
	return NewContext(ctx, g.Arena())
}
