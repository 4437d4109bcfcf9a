// Package arenakit is only for authors of decoders and adapters, such as arenajson, arenapb and
// arenapgx. Programs that use arenas do not need it.
//
// A [Slab] allocates values of a type that is known only at run time, at the cost of
// [arena.Slab.New], and returns them as unsafe pointers. [Local] keeps the tools of a package with
// the arena for which they work.
package arenakit
