// Package sparestest tests what decoders do with what package spares keeps for them.
package sparestest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/spares"
)

// A Tester knows a decoder.
type Tester struct {
	// Decode decodes a message into a, which has a map with these entries, and returns the map.
	Decode func(a *arena.Arena, entries map[string]string) map[string]string
	// Watched says that the program looks for mistakes. No arena uses anything again then.
	Watched bool
}

var few = map[string]string{"a": "b", "c": "d"}

func (d Tester) decode(t *testing.T, a *arena.Arena, entries map[string]string) map[string]string {
	t.Helper()
	m := d.Decode(a, entries)
	if !maps.Equal(m, entries) {
		t.Fatalf("%v, want %v", m, entries)
	}
	return m
}

// left reports whether m has its entries still, as far as a program that looks for mistakes lets
// text be read then.
func (d Tester) left(m, entries map[string]string) bool {
	return len(m) == len(entries) && (d.Watched || maps.Equal(m, entries))
}

func same(a, b map[string]string) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// Again proves that the messages of a round get the maps of the previous round, each message its
// own map. After Free a map stays unchanged.
func (d Tester) Again(t *testing.T) {
	var pool arena.Pool
	g := arena.NewGroup()
	defer g.Free()
	kept := arena.NewArena()
	defer kept.Free()
	for _, way := range []struct {
		name  string
		begin func() *arena.Arena
		end   func(a *arena.Arena)
		again bool
	}{
		{"Reset", func() *arena.Arena { return kept }, (*arena.Arena).Reset, true},
		{"Put", pool.Get, pool.Put, true},
		{"Reset of a Group", g.Arena, func(*arena.Arena) { g.Reset() }, true},
		{"Free", arena.NewArena, (*arena.Arena).Free, false},
	} {
		again := way.again && !d.Watched
		for range 40 {
			a := way.begin()
			one, two, none := d.decode(t, a, few), d.decode(t, a, few), d.decode(t, a, nil)
			if same(one, two) || none != nil {
				t.Fatalf("%s: two messages have the map %v, and one without entries has %v", way.name, one, none)
			}
			way.end(a)
			if again && len(one)+len(two) > 0 || !again && !(d.left(one, few) && d.left(two, few)) {
				t.Fatalf("%s: the maps are %v and %v then", way.name, one, two)
			}
			a = way.begin()
			other := map[string]string{"e": "f"}
			third, fourth := d.decode(t, a, other), d.decode(t, a, other)
			if !again && !(d.left(one, few) && d.left(two, few)) {
				t.Fatalf("%s: the maps have become %v and %v", way.name, one, two)
			}
			if a == kept && again != (same(one, third) && same(two, fourth)) {
				t.Fatalf("%s: whether the maps are those of the round before is not %v", way.name, again)
			}
			way.end(a)
		}
	}
}

// Grown has the owner fill a map. It is empty after Reset, or nobody gets it again. One that is
// filled and emptied is used again for some time.
func (d Tester) Grown(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for n := range 100 {
		m := d.decode(t, a, few)
		for i := range n % 12 {
			m[fmt.Sprint(i)] = "more"
		}
		stays := d.Watched || len(m) > spares.Small
		a.Reset()
		if (len(m) > 0) != stays {
			t.Fatalf("round %d: there are %d entries after Reset", n, len(m))
		}
	}
	large := map[string]string{}
	for i := range spares.Small + 1 {
		large[fmt.Sprint(i)] = "value"
	}
	m := d.decode(t, a, large)
	a.Reset()
	if len(m) != len(large) {
		t.Fatalf("a map of %d has %d after Reset", len(large), len(m))
	}
	m = d.decode(t, a, few)
	for i := range 1000 {
		m[fmt.Sprint(i)] = "more"
	}
	clear(m)
	for range 300 {
		a.Reset()
		d.decode(t, a, few)
	}
	a.Reset()
	if same(m, d.decode(t, a, few)) {
		t.Fatal("a map that has been large is used for ever")
	}
}

// Made has a round make more maps than are kept, and others make few: then few are kept.
func (d Tester) Made(t *testing.T) {
	if d.Watched {
		t.Log("nothing is kept")
		return
	}
	a := arena.NewArena()
	defer a.Free()
	const many = spares.Most + 500
	round := func() map[uintptr]map[string]string { // which keeps their addresses theirs
		all := map[uintptr]map[string]string{}
		for range many {
			m := d.decode(t, a, few)
			all[reflect.ValueOf(m).Pointer()] = m
		}
		if len(all) != many {
			t.Fatalf("%d messages have %d maps", many, len(all))
		}
		return all
	}
	count := func(of, with map[uintptr]map[string]string) (n int) {
		for p := range of {
			if with[p] != nil {
				n++
			}
		}
		return n
	}
	first := round()
	a.Reset()
	empty := 0
	for _, m := range first {
		if len(m) == 0 {
			empty++
		}
	}
	second := round()
	if n := count(first, second); empty != spares.Most || n != spares.Most {
		t.Fatalf("%d maps are empty and %d are used again, want %d", empty, n, spares.Most)
	}
	a.Reset()
	for range 80 {
		d.decode(t, a, few)
		a.Reset()
	}
	if n := count(second, round()); n != 1 {
		t.Fatalf("%d maps are left after rounds that needed one", n)
	}
}

// Ways has arenas end in all ways, one after another, so that each gets what those before have
// left: but never what messages have that stay after Free. episode decodes some messages, and
// returns a function that looks at them. Messages of freed arenas are looked at again some time
// later, unless the program looks for mistakes.
func Ways(r *rand.Rand, rounds int, watched bool, episode func(a *arena.Arena) (check func())) {
	var pool arena.Pool
	g := arena.NewGroup()
	defer g.Free()
	kept := arena.NewArena()
	defer kept.Free()
	var freed []func()
	for n := range rounds {
		var a *arena.Arena
		var end func()
		free := false
		switch r.IntN(4) {
		case 0:
			a, free = arena.NewArena(), true
			end = a.Free
			if r.IntN(2) == 0 { // with what those have left that were freed
				episode(a)
				a.Reset()
			}
		case 1:
			a = pool.Get()
			end = func() { pool.Put(a) }
		case 2:
			a, end = g.Arena(), g.Reset
		default:
			a, end = kept, kept.Reset
		}
		check := episode(a)
		for range r.IntN(3) {
			m := a.Mark()
			episode(a)
			a.Rewind(m)
			check() // what is older than the scope
		}
		end()
		if free && !watched {
			freed = append(freed, check)
		}
		if n%20 == 0 {
			for _, check := range freed {
				check()
			}
			freed = nil
		}
	}
}
