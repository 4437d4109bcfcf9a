// Package share contains the names of package arena that only the packages next to it may use: the
// key of contexts, whether an arena is open, where its memory is, and where its references lead.
package share

// A ContextKey is the key under which a context has its arena, an *arena.Arena or an
// arenascope.Source.
type ContextKey struct{}
