package arena

import "context"

// contextKey is the key under which a context has its arena.
type contextKey struct{}

// NewContext returns a context that carries a, for [FromContext]. A nil arena, which is
// the heap, hides one that ctx carries.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// FromContext returns the arena that ctx carries, or nil, which is the heap, when
// it carries none. A nil context carries none.
//
// Who made the arena says how long it lives, usually as long as the work that ctx was
// made for, and that work's goroutine is the one that may use it: another that
// the work starts takes an arena of its own, from a [Pool] or a [Group].
func FromContext(ctx context.Context) *Arena {
	if ctx == nil {
		return nil
	}
	a, _ := ctx.Value(contextKey{}).(*Arena)
	return a
}
