// Package arenakit is for builders of decoders and adapters only, such as arenajson, arenapb and arenapgx. Programs that
// use arenas need none of it.
//
// A [Slab] makes the values of a type that is known at run time only, for the price of [arena.Slab.New], and returns
// them as unsafe pointers. [Local] keeps the tools of a package with the arena that they work for.
package arenakit
