package entries

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
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
	s ref.Space
	ref.Map[uint64, uint64]
}

func newRefMap(int) table[uint64]     { return &refMap{s: ref.In(arena.NewArena())} }
func newMmapRefMap(int) table[uint64] { return &refMap{s: ref.In(mmap())} }

func (m *refMap) set(k, v uint64)                  { m.Set(m.s, k, v) }
func (m *refMap) get(k uint64) (v uint64, ok bool) { return m.Get(m.s, k) }
func (m *refMap) wait()                            {}

type refTree struct {
	s ref.Space
	ref.Tree[uint64, uint64]
}

func newRefTree(int) table[uint64] { return &refTree{s: ref.In(arena.NewArena())} }

func (t *refTree) set(k, v uint64)                  { t.Set(t.s, k, v) }
func (t *refTree) get(k uint64) (v uint64, ok bool) { return t.Get(t.s, k) }
func (t *refTree) wait()                            {}

type refTextMap struct {
	s ref.Space
	ref.TextMap[uint64]
}

func newRefTextMap(int) table[string]     { return &refTextMap{s: ref.In(arena.NewArena())} }
func newMmapRefTextMap(int) table[string] { return &refTextMap{s: ref.In(mmap())} }

func (m *refTextMap) set(k string, v uint64)           { m.Set(m.s, k, v) }
func (m *refTextMap) get(k string) (v uint64, ok bool) { return m.Get(m.s, k) }
func (m *refTextMap) wait()                            {}
