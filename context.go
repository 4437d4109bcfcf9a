package arena

import "context"

// NewContext returns a context that carries a, for [FromContext]. A nil a is the heap: it hides the arena that ctx
// carries.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// A Source gives arenas to the goroutines of one unit of work, such as a request, and ends them all together. Any
// goroutine may call its methods at any time, also when the work is over.
//
// It is for packages that build on arenas. Programs use [FromContext] and [Fork].
type Source interface {
	// Arena returns the arena of the goroutine that the Source is for: the same one each time. It returns nil, which is
	// the heap, once the arena may have another user.
	Arena() *Arena

	// Fork returns the Source for one more goroutine of the same work, with an arena of its own.
	Fork() Source
}

// NewContextFrom returns a context in which s decides what [FromContext] and [Fork] return. It is for packages
// that build on arenas, and make one for each request, call or batch. It panics when s is nil.
func NewContextFrom(ctx context.Context, s Source) context.Context {
	if s == nil {
		panic("arena: NewContextFrom: the Source is nil; use NewContext with a nil arena for the heap")
	}
	return context.WithValue(ctx, contextKey{}, s)
}

// FromContext returns the arena that ctx carries. It returns nil, which is the heap, when ctx is nil or carries
// none.
//
// The maker of the arena says how long it lives: usually as long as the work that ctx was made for. Only the
// goroutine of that work may use it. Another goroutine that the work starts uses [Fork].
func FromContext(ctx context.Context) *Arena {
	if ctx == nil {
		return nil
	}
	switch v := ctx.Value(contextKey{}).(type) {
	case *Arena:
		return v
	case Source:
		return v.Arena()
	}
	return nil
}

// Fork returns a context for one more goroutine, with an arena of its own. [FromContext] returns that arena for
// the context that Fork returns, and for those derived from it. What the goroutine makes lives as long as what is
// made in the arena of ctx, and the other goroutines of the same work may use it.
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
// Any number of goroutines may call Fork with one context, also the goroutine that is to use the arena. Each call
// makes another arena, so a goroutine calls it once. The code that ends the work must be certain that the goroutine has
// ended before, as with ctx itself.
//
// Fork needs somebody who ends the new arena. So it works with contexts of arenahttp, of [Group.NewContext], and
// with those that carry an arena of a Group. The new context carries nil, which is the heap, when ctx carries any
// other arena, when it carries none, and when the work is over. Fork panics when ctx is nil.
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
	case Source:
		return NewContextFrom(ctx, v.Fork())
	}
	return ctx
}

// NewContext returns a context that carries an arena of g, for [FromContext]. [Fork] of it carries another arena
// of g. After Reset of g these arenas panic when they are used. Any goroutine may call NewContext. It panics when
// g has been freed. If g is nil, the context carries the heap.
func (g *Group) NewContext(ctx context.Context) context.Context {
	return NewContext(ctx, g.Arena())
}
