package model_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// A madeMap is a map, and what it must have.
type madeMap struct {
	is   map[int]*int
	want map[int]*int
}

func (m *madeMap) fill(r *rand.Rand) {
	for range r.IntN(200) {
		k, v := r.IntN(300), new(int)
		m.is[k], m.want[k] = v, v
	}
}

func address[M any](m M) uintptr { return reflect.ValueOf(m).Pointer() }

// TestMakeMap runs random programs that make maps and fill them, in arenas that end in all ways.
// Each map has what was stored in it, also if others write to stale maps, and no two users of an
// arena have the same one.
func TestMakeMap(t *testing.T) {
	type named map[string]bool
	r := rand.New(rand.NewPCG(testrun.Seed(t), 0))
	for _, c := range []struct {
		name   string
		reused bool
		begin  func() (a *arena.Arena, end func())
	}{
		{"Reset", true, func() func() (*arena.Arena, func()) {
			a := arena.NewArena()
			return func() (*arena.Arena, func()) { return a, a.Reset }
		}()},
		{"Put", true, func() func() (*arena.Arena, func()) {
			pool := &arena.Pool{}
			return func() (*arena.Arena, func()) {
				a := pool.Get()
				return a, func() { pool.Put(a) }
			}
		}()},
		{"Reset of a Group", true, func() func() (*arena.Arena, func()) {
			g := arena.NewGroup()
			return func() (*arena.Arena, func()) { return g.Arena(), g.Reset }
		}()},
		{"Reset in guard mode", false, func() func() (*arena.Arena, func()) {
			a := arena.NewWith(arena.Options{Guard: true})
			return func() (*arena.Arena, func()) { return a, a.Reset }
		}()},
		{"Free", false, func() (*arena.Arena, func()) {
			a := arena.NewArena()
			return a, a.Free
		}},
		{"the heap", false, func() (*arena.Arena, func()) { return nil, func() {} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stale []*madeMap
			seen := map[uintptr]bool{}
			reused := 0
			for range 600 {
				a, end := c.begin()
				var made []*madeMap
				for range r.IntN(12) {
					if r.IntN(3) == 0 && len(made) > 0 {
						made[r.IntN(len(made))].fill(r)
						continue
					}
					m := &madeMap{arena.MakeMap[map[int]*int](a, r.IntN(40)-4), map[int]*int{}}
					for _, other := range made {
						if address(m.is) == address(other.is) {
							t.Fatal("two have the same map")
						}
					}
					if seen[address(m.is)] {
						reused++
					}
					made, seen[address(m.is)] = append(made, m), true
					other := arena.MakeMap[named](a, 0)
					if len(other) > 0 {
						t.Fatalf("a new map has %v", other)
					}
					other["x"] = true
				}
				if a != nil && r.IntN(8) == 0 {
					mark := a.Mark()
					arena.MakeMap[map[int]*int](a, 0)[1] = new(int)
					a.Rewind(mark)
				}
				for _, m := range made {
					if !maps.Equal(m.is, m.want) {
						t.Fatalf("a map has %v, want %v", m.is, m.want)
					}
				}
				if end(); !c.reused {
					for _, m := range made {
						if !maps.Equal(m.is, m.want) {
							t.Fatalf("after the end a map has %v, want %v", m.is, m.want)
						}
					}
				}
				if stale = append(stale, made...); c.reused && len(stale) > 0 {
					stale[r.IntN(len(stale))].is[0] = new(int) // before the next one makes a map
				}
			}
			if c.reused != (reused > 500) {
				t.Errorf("%d maps were used again", reused)
			}
		})
	}
}

// TestMakeMapPut: a unit of work with an arena of a Pool allocates no map, and Put allocates
// nothing.
func TestMakeMapPut(t *testing.T) {
	if builtWith("-race") || builtWith("-asan") || tools.Debugging {
		t.Skip("no memory is used again")
	}
	var pool arena.Pool
	if n := testing.AllocsPerRun(100, func() {
		a := pool.Get()
		arena.MakeMap[map[int]int](a, 0)[1] = 1
		pool.Put(a)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMakeMapBounds: an arena keeps no more maps than Retain allows, none that is large for
// nothing, and none for long that nobody needs.
func TestMakeMapBounds(t *testing.T) {
	type ints = map[int]int
	fill := func(m ints, n int) ints {
		for i := range n {
			m[i] = i
		}
		return m
	}
	same := func(a *arena.Arena, n int, reset func()) bool {
		m := fill(arena.MakeMap[ints](a, 0), n)
		was := address(m)
		reset()
		next := arena.MakeMap[ints](a, 0)
		defer reset()
		fill(next, n)
		return address(next) == was && m != nil
	}
	a := arena.NewArena()
	if !same(a, 1000, a.Reset) {
		t.Error("a map is not used again")
	}
	m := fill(arena.MakeMap[ints](a, 0), 3)
	a.Reset()
	if address(arena.MakeMap[ints](a, 0)) == address(m) {
		t.Error("a map with room for 1000 entries is used again for 3")
	}
	a.Reset()
	little := arena.NewWith(arena.Options{Retain: 4 << 10})
	if same(little, 1000, little.Reset) || !same(little, 10, little.Reset) {
		t.Error("Retain does not bound the maps")
	}
	var many []ints
	for range 100 {
		many = append(many, arena.MakeMap[ints](a, 0))
	}
	for range 100 {
		a.Reset()
		arena.MakeMap[ints](a, 0)
	}
	for range 100 {
		for _, m := range many[1:] {
			if address(arena.MakeMap[ints](a, 0)) == address(m) {
				t.Fatal("a map that nobody needed for 100 rounds is used again")
			}
		}
	}
}
