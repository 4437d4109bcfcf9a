package fix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestStacked: calls stay that make nothing but what is on the stack, and so do the functions that
// are inlined there, also the functions that they call.
func TestStacked(t *testing.T) {
	const source = `
-- a.go --
package m

type Board struct{ squares [64]int8 }

func (b *Board) copy() *Board { c := &Board{}; c.squares = b.squares; return c }

type Position struct {
	board *Board
	moves int
}

func (p *Position) copy() *Position { return &Position{p.board.copy(), p.moves + 1} }

func (p *Position) pair() []*Board { return append([]*Board(nil), p.board) }

//go:noinline
func checks(p *Position, square int) bool {
	c := p.copy()
	c.board.squares[square]++
	return c.board.squares[square] > 1
}

//go:noinline
func pairs(p *Position) int { return len(p.pair()) }

func Next(p *Position, square int) *Position {
	if checks(p, square) || pairs(p) == 0 {
		return nil
	}
	n := p.copy()
	n.board.squares[square]++
	return n
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	first := &Position{board: &Board{}}
	for range 40 {
		p := first
		for i := range 9 {
			if p = Next(p, i); p == nil {
				t.Fatal(i)
			}
		}
		if p.moves != 9 || p.board.squares[8] != 1 || p.board.squares[9] != 0 {
			t.Fatal(p)
		}
	}
	if n := testing.AllocsPerRun(9, func() { checks(first, 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
`
	o := Options{Roots: []string{"m.Next"}}
	_, src := rewritten(t, source, o)
	for _, want := range []string{"\tc := p.copy()\n", "\tn := p.copyIn(ar)\n", "return &Position{p.board.copy(), p.moves + 1}", "{ c := &Board{}; c.squares", "p.board.copyIn(ar)"} {
		if !strings.Contains(src, want) {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
	if strings.Contains(src, "checksIn") {
		t.Errorf("an arena for what is on the stack\n%s", src)
	}
	testedLong(t, source, o)
}

// TestFormerBytes: what is allocated below a call of a former function does not count as moved.
func TestFormerBytes(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Node struct{ Kids []*Node }

var all []*Node

func node() *Node {
	return &Node{}
}

func keep() {
	all = append(all, node())
}

func Parse() *Node {
	keep()
	return node()
}
`
	sample := func(lines ...int64) *profile.Sample {
		s := &profile.Sample{Value: []int64{10, 1000}}
		for i, name := range []string{"node", "keep", "Parse"} {
			if lines[i] > 0 {
				fn := &profile.Function{Name: "example.com/m." + name, Filename: "a.go"}
				s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: fn, Line: lines[i]}}})
			}
		}
		return s
	}
	name := writtenProfile(t, []*profile.Sample{sample(8, 12, 16), sample(8, 0, 17)})
	r, src := rewritten(t, source, Options{Roots: []string{"m.Parse"}, Profile: name})
	if r.part() != 0.5 || fmt.Sprint(r.former) != "map[a.go:12:0.5]" || !strings.Contains(r.rest(), "50 % are allocated below calls without an arena, some of them on lines without sites: a.go:12 50 %.") {
		t.Errorf("%v moves, %v does not: %s\n%s", r.part(), r.former, r.rest(), src)
	}
}

// TestRootsOfReport: the report lists only roots that got an arena, and does not propose a root
// that is one.
func TestRootsOfReport(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Handler interface{ Serve(text string) []string }

type Router struct{ handlers []Handler }

func (r *Router) Serve(text string) []string { return append([]string{text + "!"}, r.handlers[0].Serve(text)...) }

func Count(text string) int { return len(text) }
`
	r, _ := rewritten(t, source, Options{Roots: []string{"m.Router.Serve", "m.Count"}, Ask: true})
	if len(r.Roots) != 1 || !strings.HasSuffix(r.Roots[0], "Router.ServeIn") || len(r.Asked) != 2 {
		t.Errorf("%s of %s", r.Roots, r.Asked)
	}
	for _, e := range r.Ends {
		if len(e.Try) > 0 {
			t.Errorf("try %s", e.Try)
		}
	}
}
