package arena

import (
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"testing"
)

// newWords makes a value of n words, one of twelve types.
func newWords(a *Arena, n int) {
	switch n {
	case 0:
		New[[1]uintptr](a)
	case 1:
		New[[2]*int](a)
	case 2:
		New[[3]any](a)
	case 3:
		New[[4]uintptr](a)
	case 4:
		New[[5]string](a)
	case 5:
		New[[6]*int](a)
	case 6:
		New[[7]uintptr](a)
	case 7:
		New[[8]uintptr](a)
	case 8:
		New[[1]string](a)
	case 9:
		New[[2]any](a)
	case 10:
		New[[3]*int](a)
	case 11:
		New[[4]*int](a)
	}
}

// TestFreshAllocs counts the objects that the heap makes for a new arena with a few values, for one from a Pool, and for Do: two for a new
// arena, which are the Arena and what all values lie in, and none for the others. Where all is plain, an object is enough for at least eight new arenas.
func TestFreshAllocs(t *testing.T) {
	if checking {
		t.Skip("see TestLayoutAllocs")
	}
	freshLayouts(t)
	const rounds = 2000
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection takes what is in pools, which is made and learnt again
	words := func(values, types int) func(a *Arena) {
		return func(a *Arena) {
			for i := range values {
				newWords(a, i%types)
			}
		}
	}
	for _, c := range []struct {
		name  string
		plain bool
		use   func(a *Arena)
	}{
		{"one value", true, words(1, 1)},
		{"ten values of one type", true, words(10, 1)},
		{"ten values of five types", false, words(10, 5)},
		{"twelve values of twelve types", false, words(12, 12)},
		{"62 values of eight types", false, words(62, 8)},
		{"120 values of twelve types", false, words(120, 12)},
		{"200 plain values", false, words(200, 1)},
		{"text", true, func(a *Arena) { String(a, "some text") }},
		{"a slice that grows", true, func(a *Arena) {
			var s []int
			for i := range 10 {
				s = Append(a, s, i)
			}
		}},
		{"a map of ten entries", false, func(a *Arena) {
			m := NewMap[uint64, uint64](a, 0)
			for i := range uint64(10) {
				m.Set(i, i)
			}
		}},
	} {
		unused.simple = sync.Pool{}
		var p Pool
		fresh := 2 * rounds
		if c.plain {
			fresh = rounds + rounds/8
		}
		for _, way := range []struct {
			name  string
			want  int
			round func()
		}{
			{"a new arena", fresh, func() {
				a := NewArena()
				c.use(a)
				a.Free()
			}},
			{"a Pool", 0, func() {
				a := p.Get()
				c.use(a)
				p.Put(a)
			}},
			{"Do", 0, func() { p.Do(c.use) }},
		} {
			// AllocsPerRun rounds down, so it counts all rounds at once.
			for range rounds {
				way.round()
			}
			if n := testing.AllocsPerRun(1, func() {
				for range rounds {
					way.round()
				}
			}); n > float64(way.want+rounds/100) {
				t.Errorf("%s, %s: %v allocations in %d rounds, want %d", c.name, way.name, n, rounds, way.want)
			}
		}
	}
}

// TestIndex compares an index with a map: with ids that lie close to each other, as the addresses of types do, and with any.
func TestIndex(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var x index[*int]
		if random.IntN(2) == 0 {
			x.entries = make([]entry[*int], fewTypes+1)
		}
		want := map[uintptr]*int{}
		base, step := uintptr(random.Uint32()), uintptr(1+random.IntN(100))
		for range random.IntN(150) {
			id := base + step*uintptr(random.IntN(100)) + 1
			if random.IntN(10) == 0 {
				id = uintptr(random.Uint32()) + 1
			}
			v := new(int)
			x.set(id, v)
			want[id] = v
			if err := x.check(); err != nil {
				t.Fatal(err)
			}
			if got := x.find(id + step); got != want[id+step] {
				t.Fatalf("find of the next id is %p, want %p", got, want[id+step])
			}
		}
		for id, v := range want {
			if x.find(id) != v {
				t.Fatalf("%d: another value", id)
			}
		}
		if x.count != len(want) {
			t.Fatalf("count is %d, want %d", x.count, len(want))
		}
	}
}
