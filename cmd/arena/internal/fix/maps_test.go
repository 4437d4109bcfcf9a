package fix

import (
	"slices"
	"strings"
	"testing"
)

const mapsSource = `
-- a.go --
package m

import (
	"strconv"
	"sync"
)

type Names map[string]int

type Scope struct {
	Outer *Scope
	vars  Names
	kinds []map[int8]string
}

type Visitor interface{ Visit(skip func(string) bool) int }

type List []string

func (l List) Visit(skip func(string) bool) (n int) {
	for _, s := range l {
		if !skip(s) {
			n++
		}
	}
	return n
}

func Fields(words []string, n int64, small uint8) *Scope {
	s := &Scope{Outer: &Scope{}, vars: make(Names, n), kinds: []map[int8]string{{}, make(map[int8]string, small)}}
	s.Outer.vars = Names{}
	for i, w := range words {
		s.vars[w]++
		s.kinds[i%2][int8(i)] = w
		s.Outer.vars[w] = i
	}
	return s
}

func Results(words []string) (Names, map[string][]int) {
	first := map[string]int{}
	return first, places(words, first)
}

func places(words []string, first map[string]int) map[string][]int {
	all := make(map[string][]int)
	for i, w := range words {
		if _, ok := first[w]; !ok {
			first[w] = i
		}
		all[w] = append(all[w], i)
	}
	return all
}

func count[M ~map[K]int, K comparable](list []K) M {
	m := make(M)
	for _, k := range list {
		m[k]++
	}
	return m
}

func Generic(list []string) Names { return count[Names](list) }

func Local(list []string) int {
	seen := make(map[string]bool)
	skip := func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	}
	return List(list).Visit(skip)
}

func Captured() func(string) bool {
	seen := make(map[string]bool)
	return func(s string) bool { seen[s] = true; return len(seen) > 3 }
}

func Failing(list []string, n int) int {
	count := make(map[string]int)
	func() {
		defer func() { recover() }()
		count[list[0]] /= n
	}()
	return len(count)
}

var last map[string]bool

func Global() {
	seen := make(map[string]bool)
	seen["a"] = true
	last = seen
}

func Started(v Visitor) int {
	seen := make(map[string]bool)
	mark := func(s string) bool { seen[s] = true; return len(seen) > 3 }
	var done sync.WaitGroup
	done.Go(func() { v.Visit(mark) })
	done.Wait()
	return len(seen)
}

type point struct{ x, y int }

var order string

func note(s string) string { order += s; return s }

func Entries(n int) (Names, any) {
	text := strconv.Itoa(n)
	return Names{"a": n, text: 2}, map[point]map[string]any{
		{1, n}: {note("first"): float64(n), note("b"): nil, "text": text}, // the first
		{2, 2}: {
			"points": []*point{{n, 4}},
			"map":    &map[string]*point{"x": {5, n}},
			"names":  Names{note("second"): n},
			"none":   map[any]error{},
		},
	}
}

func Pointed(n int) (int, int) {
	list := &[]int{n, n}
	*list = append(*list, n)
	kept = &map[int][]int{n: *list}
	empty := &(Names{})
	(*empty)["a"] = n
	return (*kept)[n][2], len(*empty)
}

var kept *map[int][]int

// Long is a literal that is too long.
func Long(n int) map[int]int {
	return map[int]int{0: n, 1: n, 2: n, 3: n, 4: n, 5: n, 6: n, 7: n, 8: n, 9: n, 10: n, 11: n, 12: n, 13: n, 14: n, 15: n, 16: n, 17: n, 18: n, 19: n, 20: n}
}

func Errors() map[string]error { return make(map[string]error) }
-- a_test.go --
package m

import (
	"fmt"
	"testing"
)

func pointed() []int {
	n, m := Pointed(3)
	return []int{n, m}
}

func entries() string {
	order = ""
	names, all := Entries(7)
	m := all.(map[point]map[string]any)
	return fmt.Sprint(names, m[point{1, 7}], *m[point{2, 2}]["points"].([]*point)[0], *(*m[point{2, 2}]["map"].(*map[string]*point))["x"], m[point{2, 2}]["names"], len(m), order)
}

func Test(t *testing.T) {
	l := []string{"a", "b", "a", "c"}
	for range 3 {
		s := Fields(l, -1, 200)
		first, all := Results(l)
		got := fmt.Sprint(s.vars, s.kinds, s.Outer.vars, first, all, Generic(l), Local(l), Captured()("x"), Failing(l, 0), Started(List(l)), entries(), pointed(), len(Long(1)), Errors())
		const want = "map[a:2 b:1 c:1] [map[0:a 2:a] map[1:b 3:c]] map[a:2 b:1 c:3] map[a:0 b:1 c:3] map[a:[0 2] b:[1] c:[3]] map[a:2 b:1 c:1] 3 false 0 3map[7:2 a:7] map[b:<nil> first:7 text:7] {7 4} {5 7} map[second:7] 2firstbsecond[3 1] 21 map[]"
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if Global(); len(last) != 1 {
			t.Error(last)
		}
	}
}
`

// TestMaps: a map moves wherever it lies, unless it is left. It stays a map of Go.
func TestMaps(t *testing.T) {
	o := Options{Roots: strings.Fields("m.Fields m.Results m.Generic m.Local m.Captured m.Failing m.Global m.Started m.Entries m.Pointed m.Long m.Errors")}
	r, src := rewritten(t, mapsSource, o)
	stay := map[string]int{"count": 1, "Global": 1, "Started": 1, "Errors": 1, "Pointed": 1, "Entries": 1, "Long": 1}
	move := map[string]int{"Fields": 4, "Results": 1, "places": 1, "Local": 1, "Captured": 1, "Failing": 1, "Entries": 6, "Pointed": 1}
	for _, s := range r.Sites {
		if s.Kind != kindMap {
			continue
		}
		of := move
		if s.Why != "" {
			of = stay
		}
		of[strings.TrimPrefix(s.Function, "example.com/m.")]--
	}
	for _, of := range []map[string]int{move, stay} {
		for f, n := range of {
			if n != 0 {
				t.Errorf("%s: %d maps too few", f, n)
			}
		}
	}
	if !strings.Contains(src, "arena.MakeMap[Names](ar, int(n))") || !strings.Contains(src, "arena.MakeMap[map[int8]string](ar, 0)") {
		t.Errorf("no map moves in\n%s", src)
	}
	arena := sources(t)
	t.Chdir(written(t, mapsSource))
	tested(t, arena, o)
}

// TestClonedMaps: a copy of a map moves, and has what the map has.
func TestClonedMaps(t *testing.T) {
	const source = `
-- a.go --
package m

import "maps"

type Point struct{ X int }

type Points map[string]*Point

var kept Points

func With(old Points, name string, x int) Points {
	all := maps.Clone(old)
	if all == nil {
		return nil
	}
	all[name] = &Point{x}
	return all
}

func Keep(name string, x int) {
	all := Points{}
	all[name] = &Point{x}
	kept = maps.Clone(all)
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	old := Points{"a": {1}}
	for range 40 {
		all := With(old, "b", 2)
		if len(old) != 1 || len(all) != 2 || all["a"] != old["a"] || all["b"].X != 2 || With(nil, "", 0) != nil {
			t.Fatal(old, all)
		}
		if Keep("c", 3); kept["c"].X != 3 {
			t.Fatal(kept)
		}
	}
}
`
	o := Options{Roots: []string{"m.With", "m.Keep"}}
	r, src := rewritten(t, source, o)
	var moved []string
	for _, s := range r.Sites {
		if s.Why == "" {
			moved = append(moved, s.Function+": "+s.Kind)
		}
	}
	slices.Sort(moved)
	if want := []string{"example.com/m.Keep: a map", "example.com/m.With: a map", "example.com/m.With: a value"}; !slices.Equal(moved, want) {
		t.Errorf("%q move, want %q\n%s", moved, want, src)
	}
	arena := sources(t)
	t.Chdir(written(t, source))
	tested(t, arena, o)
}
