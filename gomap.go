package arena

import (
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/share"
)

// MakeMap returns an empty map of Go for a with room for n entries, as make(M, n) does on the heap.
// It grows, and may be used, as any map. Its memory is the heap's, but a uses the map again: Reset
// empties it, and later calls with the same type return it. So a unit of work that is like the one
// before allocates no map, and grows none. [NewMap] makes a map whose entries lie in the arena.
//
// After Reset the map is stale: it is empty, or has somebody else's entries. If another goroutine
// uses it then, the use is a data race, and package runtime may end the program. After Free it stays
// valid, and is nobody else's. An arena in guard mode uses no map again; what a stale map of it
// refers to is found. Stats and limits do not count maps. Reset leaves a map to the collector that
// has much fewer entries than in former rounds, and Options.Retain bounds the maps, too.
//
// MakeMap panics when a has been freed. MakeMap(nil, n) is make(M, n).
func MakeMap[M ~map[K]V, K comparable, V any](a *Arena, n int) M {
	if a == nil {
		return make(M, n)
	}
	return makeMapIn[M](a, n)
}

//go:noinline
func makeMapIn[M ~map[K]V, K comparable, V any](a *Arena, n int) M {
	g, _ := share.Local[goMaps[M, K, V]](share.LocalsOf(a.Internal()))
	return g.make(n)
}

// goMaps are the maps of one type that an arena has made: those in use, up to used, and behind them
// the spare ones. A unit of work that does the same as the one before gets the same maps in the same
// order, so they have the room that it needs.
type goMaps[M ~map[K]V, K comparable, V any] struct {
	all        []goMap[M]
	used, most int // most is how many were in use at once, lately
	rounds     int // since all were dropped
}

// A goMap is a map, or nil, and the most entries that it had at a Reset.
type goMap[M any] struct {
	is   M
	room int
}

const (
	// Each mapRounds Resets, those maps are dropped that nobody needed meanwhile. Each mapLife
	// Resets, all are: those that their owner has made large, and emptied again, keep their memory.
	mapRounds, mapLife = 32, 256
	// A map with room for more than smallRoom entries is dropped if it has less than a part of
	// them, because emptying it takes as long as its room is large.
	smallRoom, sparse = 64, 8
)

func (g *goMaps[M, K, V]) make(n int) M {
	if g.used == len(g.all) {
		g.all = append(g.all, goMap[M]{})
	}
	m := &g.all[g.used]
	g.used++
	if m.is == nil || len(m.is) > 0 { // who uses a stale map has it
		*m = goMap[M]{make(M, n), 0}
	}
	return m.is
}

// ArenaReset empties the maps in use. They are dropped if again is false.
func (g *goMaps[M, K, V]) ArenaReset(again bool) {
	if !again {
		*g = goMaps[M, K, V]{}
		return
	}
	for i := range g.all[:g.used] {
		m := &g.all[i]
		switch n := len(m.is); {
		case m.room > smallRoom && n < m.room/sparse:
			*m = goMap[M]{}
		default:
			m.room = max(m.room, n)
			clear(m.is)
		}
	}
	g.most, g.used = max(g.most, g.used), 0
	switch g.rounds++; {
	case g.rounds == mapLife:
		*g = goMaps[M, K, V]{}
	case g.rounds%mapRounds == 0:
		g.keep(g.most)
		g.most = 0
	}
}

// keep drops the maps behind the first n.
func (g *goMaps[M, K, V]) keep(n int) {
	if n < len(g.all) {
		g.all = append([]goMap[M](nil), g.all[:n]...)
	}
}

// ArenaRetain keeps at most so many bytes of maps, none of which is in use, and returns how many
// that are, about. A map has a byte beside each of its places, and at most seven of eight are taken.
func (g *goMaps[M, K, V]) ArenaRetain(most int64) (kept int64) {
	for i, m := range g.all {
		bytes := int64(mem.SizeOf[goMap[M]]())
		if m.is != nil {
			bytes += 48 + (max(int64(m.room), 7)*8/7+1)*int64(mem.SizeOf[K]()+mem.SizeOf[V]()+1)
		}
		if kept+bytes > most {
			g.keep(i)
			break
		}
		kept += bytes
	}
	return kept
}

// ArenaIdle leaves the maps in use to those who have them. Others may get the rest.
func (g *goMaps[M, K, V]) ArenaIdle() bool {
	g.all, g.used = g.all[g.used:], 0
	return true
}
