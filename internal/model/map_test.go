package model_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// TestMapUncomparable proves that a key that cannot be compared panics as it does in Go's
// map, whatever is asked and however many entries there are.
func TestMapUncomparable(t *testing.T) {
	keys := []any{[]int{1}, map[string]int{}, func() {}, [1][]int{}, struct{ f any }{[]int{}}}
	for _, n := range []int{0, 3, 7, 100} {
		// The message of a Go map that is empty is a little different: this one is not.
		std, m := map[any]int{"": 0}, arena.NewMap[any, int](arena.NewArena(), 0)
		for i := range n {
			std[i] = i
			m.Set(i, i)
		}
		for _, k := range keys {
			for name, f := range map[string][2]func(){
				"Get":    {func() { _ = std[k] }, func() { m.Get(k) }},
				"Lookup": {func() { _ = std[k] }, func() { m.Lookup(k) }},
				"Set":    {func() { std[k] = 1 }, func() { m.Set(k, 1) }},
				"Entry":  {func() { std[k]++ }, func() { *m.Entry(k)++ }},
				"Delete": {func() { delete(std, k) }, func() { m.Delete(k) }},
			} {
				want, got := recovered(f[0]), recovered(f[1])
				if _, ok := got.(runtime.Error); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s of a %T with %d entries: panic %v, want %v", name, k, n, got, want)
				}
			}
		}
		if m.Len() != n {
			t.Errorf("Len is %d after panics, want %d", m.Len(), n)
		}
	}
}

// recovered returns what f panics with, or nil.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// A mapGame is a Map that changes while iterators over it are under way. Each
// entry has a value that no other has or had.
type mapGame struct {
	t     *testing.T
	r     *rand.Rand
	m     *arena.Map[float64, int]
	model map[float64]int
	alive map[int]bool // the values in the map, including the values of NaNs
	last  int
	left  int // steps that may still change it
}

func newMapGame(t *testing.T, r *rand.Rand, a *arena.Arena) *mapGame {
	g := &mapGame{t, r, arena.NewMap[float64, int](a, r.IntN(20)), map[float64]int{}, map[int]bool{}, 0, 1000}
	for range r.IntN(100) {
		g.set(float64(r.IntN(100)))
	}
	for range r.IntN(4) {
		g.set(math.NaN())
	}
	return g
}

// set adds an entry, or makes one that is there another one.
func (g *mapGame) set(k float64) {
	g.delete(k)
	g.last++
	g.m.Set(k, g.last)
	g.alive[g.last] = true
	if k == k {
		g.model[k] = g.last
	}
}

func (g *mapGame) delete(k float64) {
	if v, ok := g.model[k]; g.m.Delete(k) != ok {
		g.t.Fatalf("Delete(%v) is %v", k, !ok)
	} else if ok {
		delete(g.model, k)
		delete(g.alive, v)
	}
}

// change does something while an iterator is at k.
func (g *mapGame) change(k float64) {
	if g.left--; g.left < 0 {
		return
	}
	switch g.r.IntN(12) {
	case 0, 1:
		g.delete(k)
	case 2, 3:
		g.delete(float64(g.r.IntN(200)))
	case 4:
		for i := range g.r.IntN(100) {
			g.delete(float64(i))
		}
	case 5:
		if g.r.IntN(4) == 0 {
			for range 3 * g.m.Len() { // it grows twice
				g.set(float64(g.r.IntN(2000)))
			}
		}
	case 6:
		if n := g.r.IntN(16); n < 2 {
			g.m.Clear()
			clear(g.model)
			clear(g.alive)
			for i := range n * g.r.IntN(300) {
				g.set(float64(i))
			}
		}
	case 7:
		g.set(k) // deleted and added again
	case 8:
		g.set(math.NaN())
	case 9:
		g.iterate()
	default:
		g.set(float64(g.r.IntN(200)))
	}
}

// A mapWatch checks what one iterator yields.
type mapWatch struct {
	g     *mapGame
	start map[int]bool // the values that were there
	seen  map[int]bool
}

func (g *mapGame) watch() *mapWatch {
	w := &mapWatch{g, map[int]bool{}, map[int]bool{}}
	for v := range g.alive {
		w.start[v] = true
	}
	return w
}

func (w *mapWatch) yield(k float64, v int) {
	if want, ok := w.g.model[k]; k == k && (!ok || v != want) {
		w.g.t.Fatalf("yielded %v: %v; want %v, %v", k, v, want, ok)
	}
	if !w.g.alive[v] {
		w.g.t.Fatalf("yielded %v: %v, which is gone", k, v)
	}
	if w.seen[v] {
		w.g.t.Fatalf("yielded %v: %v twice", k, v)
	}
	w.seen[v] = true
}

// done is called when the iterator has come to its end.
func (w *mapWatch) done() {
	for v := range w.start {
		if w.g.alive[v] && !w.seen[v] {
			w.g.t.Fatalf("did not yield %v, which was there all the time", v)
		}
	}
}

// iterate iterates over the map, and changes it meanwhile.
func (g *mapGame) iterate() {
	w := g.watch()
	stop := -1
	if g.r.IntN(3) == 0 {
		stop = g.r.IntN(g.m.Len() + 1)
	}
	for k, v := range g.m.All() {
		w.yield(k, v)
		if stop--; stop == 0 {
			return
		}
		g.change(k)
	}
	w.done()
}

// pull is iterate with an iterator that is left and continued.
func (g *mapGame) pull() {
	w := g.watch()
	started := false
	next, stop := iter.Pull2(g.m.All())
	defer stop()
	for {
		k, v, ok := next()
		if !ok {
			break
		}
		if !started {
			w.start, started = g.watch().start, true // it begins here
		}
		w.yield(k, v)
		for range g.r.IntN(4) {
			g.change(k)
		}
	}
	if started {
		w.done()
	}
}

// TestMapIterate proves that a Map may be changed during an iteration, and that what is
// yielded is what the specification of Go says of range over a map.
func TestMapIterate(t *testing.T) {
	seed := testrun.Seed(t)
	games := 500
	if !testrun.Long() {
		games = 100
	}
	for i := range games {
		var a *arena.Arena
		if i%2 == 0 {
			a = arena.NewArena()
		}
		g := newMapGame(t, rand.New(rand.NewPCG(seed, uint64(i))), a)
		g.iterate()
		g.left = 300
		g.pull()
	}
}

// TestMapIterateGrows proves that an iteration ends although its body always adds.
func TestMapIterateGrows(t *testing.T) {
	for _, n := range []int{1, 7, 12, 100} {
		m := arena.NewMap[int, int](arena.NewArena(), 0)
		for i := range n {
			m.Set(i, i)
		}
		seen := 0
		for range m.All() {
			for range n {
				m.Set(m.Len(), 0)
			}
			if seen++; seen > 30*n+30 {
				t.Fatalf("%d entries yield %d and more", n, seen)
			}
		}
	}
}

// TestMapTorture is TestTorture for the values and the keys of Maps, which are kept by them only.
func TestMapTorture(t *testing.T) {
	collect(t)
	tortureMap(t, specimen[string]{text, func(v string, i int) bool { return v == text(i) }})
	tortureMap(t, specimen[any]{
		func(i int) any { return *newLeaf(i) },
		func(v any, i int) bool { l, ok := v.(leaf); return ok && l == leaf{i, text(i)} },
	})
	tortureMap(t, specimen[*leaf]{newLeaf, func(v *leaf, i int) bool { return *v == leaf{i, text(i)} }})
	tortureMap(t, specimen[[2]*leaf]{
		func(i int) [2]*leaf { return [2]*leaf{1: newLeaf(i)} },
		func(v [2]*leaf, i int) bool { return v[0] == nil && *v[1] == leaf{i, text(i)} },
	})
}

func tortureMap[T comparable](t *testing.T, s specimen[T]) {
	t.Helper()
	n := howMany() / 10
	for _, hint := range []int{0, n} {
		a := arena.NewArena()
		for range 2 {
			keys, values := arena.NewMap[T, int](a, hint), arena.NewMap[int, T](a, hint)
			for i := range n {
				keys.Set(s.fresh(i), i)
				if values.Set(i, s.fresh(i)); i%3 == 0 {
					values.Delete(i)
					values.Set(i, s.fresh(i))
				}
			}
			check := func(when string) {
				t.Helper()
				overwrite(n)
				lost, seen := 0, 0
				for k, i := range keys.All() {
					if seen++; !s.same(k, i) {
						lost++
					}
				}
				for i := range n {
					if v, ok := values.Get(i); !ok || !s.same(v, i) {
						lost++
					}
				}
				if lost > 0 || seen != n {
					t.Errorf("%v: lost %d of %d keys and values %s; %d keys", reflect.TypeFor[T](), lost, n, when, seen)
				}
			}
			check("in an arena")
			if hint > 0 {
				arena.NewMap[T, int](a, hint)
				a.Reset()
				continue
			}
			a.Free()
			check("after Free")
			break
		}
	}
}

// TestMapKeepsNothing proves that what a Map does not have any more is collected.
func TestMapKeepsNothing(t *testing.T) {
	const n = 100
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		m := arena.NewMap[*leaf, *leaf](a, n)
		var refs [n][2]weak.Pointer[leaf]
		fill := func() {
			for i := range refs {
				k, v := newLeaf(i), newLeaf(i)
				m.Set(k, v)
				refs[i] = [2]weak.Pointer[leaf]{weak.Make(k), weak.Make(v)}
			}
		}
		check := func(when string, lives func(i int) bool) {
			t.Helper()
			runtime.GC()
			runtime.GC()
			for i, r := range refs {
				for _, p := range r {
					if (p.Value() != nil) != lives(i) {
						t.Fatalf("%s: entry %d lives: %v", when, i, !lives(i))
					}
				}
			}
		}
		fill()
		check("all", func(int) bool { return true })
		for i := range refs {
			if i%2 == 0 && !m.Delete(refs[i][0].Value()) {
				t.Fatalf("entry %d is not there", i)
			}
		}
		check("Delete", func(i int) bool { return i%2 == 1 })
		m.Clear()
		check("Clear", func(int) bool { return false })
		if fill(); a != nil {
			a.Reset()
			check("Reset", func(int) bool { return false })
		}
		runtime.KeepAlive(m)
	}
}

// TestMapMemory proves that a Map of constant size needs no more memory however much it
// changes, and that Maps in an arena that is Reset need no heap.
func TestMapMemory(t *testing.T) {
	const n = 1000
	rounds := 1_000_000
	if !testrun.Long() {
		rounds = 50_000
	}
	a := arena.NewArena()
	m := arena.NewMap[int, int](a, n)
	for i := range n {
		m.Set(i, i)
	}
	before := a.Stats().Reserved
	for i := range rounds {
		if !m.Delete(i) {
			t.Fatalf("%d is not there", i)
		}
		m.Set(i+n, i)
	}
	if after := a.Stats().Reserved; after != before {
		t.Errorf("%d bytes became %d", before, after)
	}

	for _, n := range []int{10, 100, 1000, 10_000} {
		for _, hint := range []int{0, n} {
			a := arena.NewArena()
			words := make([]string, n)
			for i := range words {
				words[i] = "word " + strconv.Itoa(i)
			}
			round := func() {
				ints, texts := arena.NewMap[int, int](a, hint), arena.NewMap[string, []int](a, hint)
				floats := arena.NewMap[float64, int](a, hint)
				for i, w := range words {
					ints.Set(i, i)
					texts.Set(w, nil)
					*floats.Entry(float64(i))++
				}
				a.Reset()
			}
			round()
			if allocs := testing.AllocsPerRun(5, round); allocs != 0 {
				t.Errorf("%v allocations to make Maps of %d entries, hint %d", allocs, n, hint)
			}
		}
	}
	words := arena.NewMap[string, int](arena.NewArena(), n)
	for name, f := range map[string]func(i int){
		"Get":    func(i int) { m.Get(i) },
		"Lookup": func(i int) { m.Lookup(i) },
		"Entry":  func(i int) { *m.Entry(rounds + i)++ },
		"Set":    func(i int) { m.Delete(rounds + i); m.Set(rounds+i, 0) },
		"All": func(i int) {
			for k, v := range m.All() {
				i += k + v
			}
		},
		"Keys": func(i int) {
			for k := range m.Keys() {
				i += k
			}
		},
		"Values": func(i int) {
			for v := range m.Values() {
				i += v
			}
		},
		"Get of bytes": func(i int) {
			b := [40]byte{byte(i), byte(i >> 8)}
			words.Get(string(b[:30])) // up to 32 bytes are copied to the stack
		},
	} {
		i := 0
		if name == "Get of bytes" && tools.Looking {
			continue
		}
		if allocs := testing.AllocsPerRun(100, func() { i++; f(i) }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// TestMapZero proves what a Map that NewMap did not make can do, and one that is stale.
func TestMapZero(t *testing.T) {
	a := arena.NewArena()
	stale := arena.NewMap[string, int](a, 10)
	stale.Set("a", 1)
	next, stop := iter.Pull(stale.Keys())
	defer stop()
	next()
	a.Reset()
	if _, ok := next(); ok {
		t.Error("an iterator yields what is gone")
	}
	for name, m := range map[string]*arena.Map[string, int]{"zero": {}, "stale": stale} {
		m.Clear()
		for range m.All() {
			t.Errorf("%s: All yields", name)
		}
		if v, ok := m.Get("a"); ok || v != 0 || m.Lookup("a") != nil || m.Delete("a") || m.Len() != 0 {
			t.Errorf("%s: is not empty", name)
		}
		for _, f := range []func(){func() { m.Set("a", 1) }, func() { m.Entry("a") }} {
			if got := recovered(f); got != "arena: a Map is written to that was not made by NewMap, or whose arena was Reset; make a new one" {
				t.Errorf("%s: panic %v", name, got)
			}
		}
	}
}

// TestMapStale proves that old holders of Maps, of pointers into them, and of iterators
// over them, break nothing when their arena is Reset again and again. It runs in a child
// process, with a collector that runs all the time.
func TestMapStale(t *testing.T) {
	if os.Getenv(misuseSeed) == "" {
		seed := strconv.FormatUint(testrun.Seed(t), 10)
		if out, err := runTest(t, "TestMapStale", misuseSeed+"="+seed,
			"GODEBUG=gccheckmark=1", "GOGC=1", "GOTRACEBACK=crash"); err != nil {
			t.Fatalf("%v (%s=%s)\n%s", err, misuseSeed, seed, out)
		}
		return
	}
	seed, err := strconv.ParseUint(os.Getenv(misuseSeed), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	a := arena.NewArena()
	steps := []func(){
		holdMaps(t, r, a, func(i int) int { return i }, func(i int) int { return i }, func(int) error { return nil }),
		holdMaps(t, r, a, func(i int) string { return arena.Sprintf(a, "word %d", i) }, func(i int) bool { return i%2 == 0 },
			func(v bool) error { return isBool(&v) }),
		holdMaps(t, r, a, newLeaf, func(i int) any { return *newLeaf(i) }, func(v any) error {
			if l, ok := v.(leaf); v != nil && (!ok || l.name != text(l.i)) {
				return errors.New("another value")
			}
			return nil
		}),
		holdMaps(t, r, a, func(i int) any { return text(i) }, newLeaf, func(v *leaf) error {
			if v != nil && v.name != text(v.i) {
				return errors.New("another value")
			}
			return nil
		}),
	}
	n := 30_000
	if !testrun.Long() {
		n = 3_000
	}
	for range n {
		if r.IntN(100) == 0 {
			a.Reset()
		}
		if r.IntN(5) == 0 {
			b := arena.Bytes(a, make([]byte, r.IntN(200)+1)) // takes memory that was of Maps
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}
		steps[r.IntN(len(steps))]()
	}
}

// holdMaps returns a function that does something with old and new Maps of a.
func holdMaps[K comparable, V any](t *testing.T, r *rand.Rand, a *arena.Arena, key func(i int) K, value func(i int) V, check func(V) error) func() {
	var maps [8]*arena.Map[K, V]
	var refs [8]*V
	var nexts [4]func() (K, V, bool)
	var stops [4]func()
	is := func(v V) {
		t.Helper()
		if err := check(v); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		m := &maps[r.IntN(len(maps))]
		ref, it := &refs[r.IntN(len(refs))], r.IntN(len(nexts))
		if *m == nil || r.IntN(20) == 0 {
			*m = arena.NewMap[K, V](a, r.IntN(20))
			if n := (*m).Len(); n != 0 {
				t.Fatalf("a new Map has %d entries", n)
			}
		}
		k := key(r.IntN(60))
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			defer func() { _ = recover() }() // a stale one says so
			for range r.IntN(20) {
				(*m).Set(key(r.IntN(60)), value(r.IntN(60)))
			}
		case 4:
			v, _ := (*m).Get(k)
			is(v)
		case 5:
			if *ref = (*m).Lookup(k); *ref != nil {
				is(**ref)
			}
		case 6:
			if *ref != nil {
				is(**ref)
				**ref = value(r.IntN(60))
			}
		case 7:
			(*m).Delete(k)
		case 8:
			for _, v := range (*m).All() {
				is(v)
			}
		case 9:
			if stops[it] != nil {
				stops[it]()
			}
			nexts[it], stops[it] = iter.Pull2((*m).All())
		case 10:
			for range r.IntN(5) {
				if nexts[it] != nil {
					_, v, _ := nexts[it]()
					is(v)
				}
			}
		case 11:
			if r.IntN(4) == 0 {
				(*m).Clear()
			}
		}
	}
}

// TestMapReaders proves that reading a Map writes nothing: the race detector would see it.
func TestMapReaders(t *testing.T) {
	const n = 1000
	a := arena.NewArena()
	ints, texts, anys := arena.NewMap[int, int](a, 0), arena.NewMap[string, int](a, 0), arena.NewMap[any, int](a, 0)
	for i := range n {
		ints.Set(i, i)
		texts.Set(text(i), i)
		anys.Set(text(i), i)
	}
	zero := new(arena.Map[string, int])
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range n {
				v1, _ := ints.Get(i)
				v2, _ := texts.Get(text(i))
				if p := anys.Lookup(text(i)); p == nil || v1 != i || v2 != i || *p != i {
					t.Errorf("%d is %d and %d", i, v1, v2)
				}
				if v, ok := ints.Get(-i - 1); ok {
					t.Errorf("%d is %d", -i-1, v)
				}
				zero.Get("a")
			}
			sum := 0
			for k, v := range ints.All() {
				sum += k - v
			}
			for v := range texts.Values() {
				sum += v
			}
			if sum != n*(n-1)/2 || ints.Len() != n {
				t.Errorf("sum %d", sum)
			}
		})
	}
	wg.Wait()
}
