package entries

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
)

// A plainMap is an arena.Map.
type plainMap struct{ *arena.Map[uint64, uint64] }

func newMap(int) table[uint64] { return plainMap{arena.NewMap[uint64, uint64](arena.NewArena(), 0)} }

func (m plainMap) set(k, v uint64)                  { m.Set(k, v) }
func (m plainMap) get(k uint64) (v uint64, ok bool) { return m.Get(k) }
func (m plainMap) wait()                            {}

// mmap is memory outside of the Go heap.
func mmap() *arena.Arena {
	return arena.NewWith(arena.Options{Memory: new(offheap.Mmap), Finalize: true})
}

type refMap struct {
	a *arena.Arena
	arena.RefMap[uint64, uint64]
}

func newRefMap(int) table[uint64]     { return &refMap{a: arena.NewArena()} }
func newMmapRefMap(int) table[uint64] { return &refMap{a: mmap()} }

func (m *refMap) set(k, v uint64)                  { m.Set(m.a, k, v) }
func (m *refMap) get(k uint64) (v uint64, ok bool) { return m.Get(m.a, k) }
func (m *refMap) wait()                            {}

type refTree struct {
	a *arena.Arena
	arena.RefTree[uint64, uint64]
}

func newRefTree(int) table[uint64] { return &refTree{a: arena.NewArena()} }

func (t *refTree) set(k, v uint64)                  { t.Set(t.a, k, v) }
func (t *refTree) get(k uint64) (v uint64, ok bool) { return t.Get(t.a, k) }
func (t *refTree) wait()                            {}

type refTextMap struct {
	a *arena.Arena
	arena.RefTextMap[uint64]
}

func newRefTextMap(int) table[string]     { return &refTextMap{a: arena.NewArena()} }
func newMmapRefTextMap(int) table[string] { return &refTextMap{a: mmap()} }

func (m *refTextMap) set(k string, v uint64)           { m.Set(m.a, k, v) }
func (m *refTextMap) get(k string) (v uint64, ok bool) { return m.Get(m.a, k) }
func (m *refTextMap) wait()                            {}
