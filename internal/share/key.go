// Package share is what package arena shows to the packages beside it, besides its public names: the key of contexts, whether an
// arena is open, where its memory lies, and where its references lead.
package share

// A ContextKey is the key under which a context has its arena, an *arena.Arena or an arenascope.Source.
type ContextKey struct{}
