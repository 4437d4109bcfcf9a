// Package share is what package arena shows to arenascope beside its public names: the key of contexts, and where the memory of an
// arena lies.
package share

// A ContextKey is the key under which a context has its arena, an *arena.Arena or an arenascope.Source.
type ContextKey struct{}
