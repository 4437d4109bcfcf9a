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
// uses it then, the use is a data race, and package runtime may end the program. After Free it
// stays valid, and is nobody else's. In guard mode the arena does not use maps again; the
// use of what a stale map refers to is found. Stats and limits do not count maps. Reset drops a map
// that has much fewer entries than in former rounds, and Options.Retain bounds the maps, too.
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
	m := g.spares.Next()
	if m.is == nil || len(m.is) > 0 { // who uses a stale map has it
		*m = goMap[M]{make(M, n), 0}
	}
	return m.is
}

// goMaps are the maps of one type that an arena has made.
type goMaps[M ~map[K]V, K comparable, V any] struct{ spares share.Spares[goMap[M]] }

// A goMap is a map, or nil, and the most entries that it had at a Reset.
type goMap[M any] struct {
	is   M
	room int
}

// A map with room for more than smallRoom entries is dropped if less than a part of it is taken.
// Emptying takes as long as the room is large.
const smallRoom, sparse = 64, 8

// ArenaReset empties the maps in use. They are dropped if again is false.
func (g *goMaps[M, K, V]) ArenaReset(again bool) {
	g.spares.Reset(again, func(m *goMap[M]) {
		n := len(m.is)
		if m.room > smallRoom && n < m.room/sparse {
			*m = goMap[M]{}
			return
		}
		m.room = max(m.room, n)
		clear(m.is)
	})
}

// ArenaRetain keeps at most so many bytes of maps, none of which is in use, and returns how many
// that are, about. A map has a byte beside each of its places, and at most seven of eight are
// taken.
func (g *goMaps[M, K, V]) ArenaRetain(most int64) (kept int64) {
	return g.spares.Retain(most, func(m goMap[M]) int64 {
		bytes := int64(mem.SizeOf[goMap[M]]())
		if m.is != nil {
			bytes += 48 + (max(int64(m.room), 7)*8/7+1)*int64(mem.SizeOf[K]()+mem.SizeOf[V]()+1)
		}
		return bytes
	})
}

// ArenaIdle leaves the maps in use to those who have them. Others may get the rest.
func (g *goMaps[M, K, V]) ArenaIdle() bool {
	g.spares.Leave()
	return true
}
