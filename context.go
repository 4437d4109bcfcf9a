package arena

import "context"

// contextKey is the key under which a context has its arena, an *Arena or a Source.
type contextKey struct{}

// NewContext returns a context that carries a, for [FromContext]. A nil arena, which is
// the heap, hides one that ctx carries.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// A Source is who gives arenas to the goroutines of one unit of work, a request for one, and ends them all
// together. Any goroutine may call its methods, at any time: also when the work is over.
type Source interface {
	// Arena returns the arena of the goroutine that the Source is for: each time the same one, or nil, which is the heap,
	// when the arena may have another user by now.
	Arena() *Arena

	// Fork returns the Source for one more goroutine of the same work. It gives another arena.
	Fork() Source
}

// NewContextFrom returns a context for which s decides what [FromContext] and [Fork] return. It is for those who make
// an arena for each request, call or batch. s must not be nil.
func NewContextFrom(ctx context.Context, s Source) context.Context {
	if s == nil {
		panic("arena: NewContextFrom: the Source is nil; use NewContext with a nil arena for the heap")
	}
	return context.WithValue(ctx, contextKey{}, s)
}

// FromContext returns the arena that ctx carries, or nil, which is the heap, when
// it carries none. A nil context carries none.
//
// Who made the arena says how long it lives, usually as long as the work that ctx was
// made for, and that work's goroutine is the one that may use it: another that
// the work starts uses [Fork].
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

// Fork returns a context for one more goroutine, which has an arena of its own in it: [FromContext] of the context that
// Fork returns, and of those derived from it, is that one. What the goroutine makes lives as long as what is made in the
// arena of ctx, and may be used by the others of the same work.
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
// Any number of goroutines may call Fork with one context, also in the goroutine that is to use the arena. Each call is another arena, so a
// goroutine calls it once. Whoever ends the work must be certain that the goroutine has ended before, as with ctx itself.
//
// Fork needs somebody who ends the new arena: it is for contexts of arenahttp, of [Group.NewContext], and with an arena of a Group. With
// a context that carries another arena the new one carries nil, which is the heap, and so it does with
// one that carries none, and when the work is over.
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
			return o.group.NewContext(ctx)
		}
		return NewContext(ctx, nil)
	case Source:
		return NewContextFrom(ctx, v.Fork())
	}
	return ctx
}

// NewContext returns a context that carries an arena of g, for [FromContext], and of which [Fork] makes
// others that do. After Reset of g, the arena panics when it is used. Any goroutine may call NewContext.
// It panics when g has been freed; where g is nil the context carries the heap.
func (g *Group) NewContext(ctx context.Context) context.Context {
	return NewContext(ctx, g.Arena())
}
