package model_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

type words []string

// A shape is what an interface slice has.
type shape interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

// TestAppendForms proves that Append is called as the comment says: with named slices, and with the
// type of the elements in front where values of other types are to be in them.
func TestAppendForms(t *testing.T) {
	eachArena(func(name string, a *arena.Arena) {
		w := arena.Append(a, words{"a"}, "b")
		var _ words = w
		shapes := arena.Append[shape](a, []shape(nil), &square{2}, nil)
		shapes = arena.Append[shape](a, shapes, &square{3})
		var named []error
		named = arena.Append[error](a, named, &arena.LimitError{})
		if len(w) != 2 || len(shapes) != 3 || shapes[2].area() != 9 || len(named) != 1 {
			t.Errorf("arena %s: %v, %v, %v", name, w, shapes, named)
		}
	})
}

// TestCollect compares the functions of slices with package slices, for random input.
func TestCollect(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	eachArena(func(name string, a *arena.Arena) {
		for range 200 {
			var parts []words
			for range r.IntN(5) {
				parts = append(parts, strings.Fields(randomText(r)))
			}
			all := slices.Concat(parts...)
			same := func(what string, got, want words) {
				t.Helper()
				if !slices.Equal(got, want) || (got == nil) != (want == nil) {
					t.Fatalf("%s, arena %s: got %#v, want %#v", what, name, got, want)
				}
			}
			same("Collect", arena.Collect(a, slices.Values(all)), slices.Collect(slices.Values(all)))
			same("AppendSeq", arena.AppendSeq(a, slices.Clip(all), slices.Values(all)), slices.AppendSeq(slices.Clip(all), slices.Values(all)))
			n := r.IntN(6)
			grown := arena.Grow(a, slices.Clip(all), n)
			if cap(grown)-len(grown) < n || !slices.Equal(grown, all) {
				t.Fatalf("Grow by %d, arena %s: length %d, capacity %d", n, name, len(grown), cap(grown))
			}
		}
	})
	for what, f := range map[string]func(){
		"Grow": func() { arena.Grow(nil, words{}, -1) },
	} {
		if got := fmt.Sprint(recovered(f)); !strings.HasPrefix(got, "arena: "+what) {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestCollectMap compares the functions of maps with package maps, for random input.
func TestCollectMap(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	eachArena(func(name string, a *arena.Arena) {
		for range 50 {
			want := map[float64]int{}
			for range r.IntN(100) {
				want[float64(r.IntN(100))/4] = r.Int()
			}
			m := arena.CollectMap(a, maps.All(want))
			if got := maps.Collect(m.All()); !maps.Equal(got, want) {
				t.Fatalf("CollectMap, arena %s: got %v, want %v", name, got, want)
			}
			m.Insert(maps.All(map[float64]int{1: 1, -1: 2}))
			maps.Insert(want, maps.All(map[float64]int{1: 1, -1: 2}))
			m.Set(math.NaN(), 0)
			if got := arena.SortedKeys(a, m); len(got) != len(want)+1 || got[0] == got[0] || !slices.Equal(got[1:], slices.Sorted(maps.Keys(want))) {
				t.Fatalf("SortedKeys, arena %s: got %v, want %v", name, got, want)
			}
			for i := range 110 {
				k := float64(i) / 4
				if _, ok := want[k]; m.Has(k) != ok {
					t.Fatalf("Has(%v), arena %s: %v", k, name, !ok)
				}
			}
		}
	})
}

// TestMapText proves that a Map whose keys come as bytes, in one buffer, is the map of Go that has
// their text.
func TestMapText(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	type key string
	eachArena(func(name string, a *arena.Arena) {
		m, want := arena.NewMap[key, int](a, 0), map[key]int{}
		var buffer []byte
		for i := range 2000 {
			s := strings.Repeat(fmt.Sprint(r.IntN(500)), r.IntN(30))
			buffer = append(buffer[:0], s...)
			p := arena.LookupText(m, buffer)
			if was, there := want[key(s)]; (p != nil) != there || p != nil && *p != was || arena.LookupText(m, s) != p {
				t.Fatalf("LookupText(%q), arena %s: %v, want %d, %v", s, name, p, was, there)
			}
			want[key(s)] += i
			if p != nil {
				*p += i
			} else {
				m.Set(key(arena.String(a, buffer)), i)
			}
		}
		clear(buffer[:cap(buffer)])
		if got := maps.Collect(m.All()); !maps.Equal(got, want) {
			t.Errorf("arena %s: got %v, want %v", name, got, want)
		}
	})
}

// TestCollectNoHeap proves that these functions take their memory from the arena.
func TestCollectNoHeap(t *testing.T) {
	all := words{"c", "a", "b"}
	buffer := []byte(strings.Repeat("key", 100))
	checkNoHeap(t, map[string]func(a *arena.Arena){
		"Grow":    func(a *arena.Arena) { arena.Grow(a, all, 10) },
		"Collect": func(a *arena.Arena) { arena.Collect(a, slices.Values(all)) },
		"SortedKeys": func(a *arena.Arena) {
			m := arena.NewMap[string, int](a, 3)
			m.Set("b", 1)
			arena.SortedKeys(a, m)
		},
		"LookupText": func(a *arena.Arena) {
			m := arena.NewMap[string, int](a, 3)
			arena.LookupText(m, buffer)
			m.Set(arena.String(a, buffer), 1)
			*arena.LookupText(m, buffer)++
			arena.LookupText(m, buffer[:20])
		},
	})
}
