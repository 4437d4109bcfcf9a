package fix

import (
	"strings"
	"testing"
)

const declaredSource = `
-- a.go --
package m

import "fmt"

type Point struct{ X, Y int }

type Shape interface{ Area() int }

func (p *Point) Area() int { return p.X * p.Y }

// Pair instantiates nothing: only the test does.
type Pair[T, U any] struct{ all []any }

func (p *Pair[T, U]) Add(t T, u U) { // both become values of interfaces
	p.all = append(p.all, t)
	var box any = u
	p.all = append(p.all, box)
}

// Pairs has pairs of two types.
func Pairs[T, U any](ts []T, us []U) string {
	p := &Pair[T, U]{}
	for i, t := range ts {
		p.Add(t, us[i])
	}
	return fmt.Sprint(p.all...)
}

// Append appends to any slice.
func Append[S ~[]E, E any](s S, e E) S { return append(s, e) }

// Group appends to a slice in a map.
func Group[K comparable, S ~[]E, E any](m map[K]S, k K, e E) { m[k] = append(m[k], e) }

// Areas converts to an interface with methods, which may be nil.
func Areas[S Shape](list []S) (all []Shape) {
	for _, s := range list {
		all = append(all, s)
	}
	return all
}

// Cells declares variables in all ways.
func Cells(n int) (all []*int, p *Point, area func() int) {
	var (
		// a is the first.
		a int
		b = n + 1 // b is the second

		c, d int
		e    Point = Point{n, 2}
		f, g       = n, n
	)
	var (
		h int
	)
	var i = n
	var (
		j int; k = j + 5
	)
	var l, m int
	{
		var i = i + 1 // of another one
		all = append(all, &i)
	}
	var o *int = &l
	h, j, k, m = 7, 8, k+n, *o+1
	all = append(all, &a, &b, &c, &e.X, &g, &h, &i, &j, &k, &l, &m)
	a, d, f = 1, 4, f+1
	return all, &e, func() int { return d + f }
}
-- m_test.go --
package m

import (
	"fmt"
	"testing"
)

func Test(t *testing.T) {
	for range 3 {
		cells, p, area := Cells(10)
		got := ""
		for _, c := range cells {
			got += fmt.Sprint(*c, " ")
		}
		var none Shape
		shapes := Areas([]Shape{none, &Point{3, 4}})
		got += fmt.Sprint(*p, area(), shapes[0] == nil, shapes[1].Area(), len(Areas([]*Point{nil})))
		got += Pairs([]string{"a", "b"}, []int{1000, 2}) + Pairs([]error{nil, fmt.Errorf("c")}, []*Point{nil, nil}) + Pairs([]any{nil, 2.5}, []Point{{}, {5, 6}})
		if want := "11 1 11 0 10 10 7 10 8 15 0 1 {10 2} 15 true 12 1a1000b2<nil> <nil> c <nil><nil> {0 0} 2.5 {5 6}"; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
`

// TestDeclared: what moves are variables that a declaration has with others, or with a value, and
// values of type parameters in interfaces, of functions that only a test instantiates.
func TestDeclared(t *testing.T) {
	o := Options{Roots: strings.Fields("m.Cells m.Pairs m.Areas m.Append m.Group")}
	r, src := rewritten(t, declaredSource, o)
	moved := map[string]int{}
	for _, s := range r.Sites {
		if s.Why == "" {
			moved[s.Kind]++
		} else if s.Why == whySeveral.String() {
			moved[s.Why]++
		}
	}
	if moved[kindVariable] != 11 || moved[kindBox] != 2 || moved[whySeveral.String()] != 1 {
		t.Errorf("%v move\n%s", moved, src)
	}
	for _, s := range []string{"e := arena.New[Point](ar)\n\t*e = Point{n, 2}", "var d int", "i := arena.Ptr[int](ar, (*i)+1)", "var box any = arena.Box(ar, u)", "var f, g = n, n"} {
		if !strings.Contains(src, s) {
			t.Errorf("no %s in\n%s", s, src)
		}
	}
	arena := sources(t)
	t.Chdir(written(t, declaredSource))
	tested(t, arena, o)
}

// TestTypeParameters: a value of a type parameter in an interface may be of any type.
func TestTypeParameters(t *testing.T) {
	t.Parallel()
	parseAsCommented(t, written(t, `
-- p.go --
package m

type N struct{ x *int }

type pair struct{ a, b any }

var g *N

func Parse[T any, S Shape](text string, t T, s S) T {
	k := &N{} // stays: a value
	if sink, ok := any(t).(Sink); ok {
		sink.Put(k)
	}
	l := &N{} // stays: a value
	s.Put(l)
	r := &N{} // stays: a value
	Shape(s).Put(r)
	n := &N{} // stays: a value
	n.x = new(int) // stays: a value
	keep(any(n).(T))
	m := &N{} // moves: a value
	m.x = new(int) // moves: a value
	look(any(m).(T))
	p := &pair{
		&N{}, // moves: a value
		any(&N{}).(T), // stays: a value
	}
	g = p.b.(*N)
	keepShape(newShape[S]())
	return any(m).(T)
}

type Shape interface {
	Area() int
	Sink
}

type Sink interface{ Put(*N) }

func (*N) Area() int { return 1 }

func (*N) Put(n *N) { g = n }

func newShape[S Shape]() S {
	return any(&N{}).(S) // stays: a value
}

func keepShape[S Shape](s S) {
	var i Shape = s
	if n, ok := i.(*N); ok {
		g = n
	}
}

func keep[T any](t T) {
	if n, ok := any(t).(*N); ok {
		g = n
	}
}

func look[T any](t T) bool {
	n, ok := any(t).(*N)
	return ok && n.x != nil
}
-- p_test.go --
package m

var _ = Parse[*N, *N]
`))
}
