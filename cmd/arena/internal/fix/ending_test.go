package fix

import (
	"slices"
	"strings"
	"testing"
)

const endingSource = `
-- a.go --
package m

import (
	"sort"
	"sync"
)

type Node struct {
	Text string
	Kids []*Node
}

// A Visitor visits nodes.
type Visitor interface{ Visit(n *Node) }

// A VisitFunc is a function that visits.
type VisitFunc func(n *Node)

func (f VisitFunc) Visit(n *Node) { f(n) }

func walk(n *Node, v Visitor) {
	v.Visit(n)
	for _, kid := range n.Kids {
		walk(kid, v)
	}
}

type rules struct{ list []func(text string) *Node }

func (r *rules) add(f func(text string) *Node) { r.list = append(r.list, f) }

var (
	hooks []func() *Node
	once  sync.Once
)

func Parse(text string) (all []*Node) {
	root := &Node{Text: text, Kids: []*Node{{Text: text}}}
	walk(root, VisitFunc(func(n *Node) {
		all = append(all, &Node{Text: n.Text}) // visited
	}))
	r := &rules{}
	r.add(func(t string) *Node {
		return &Node{Text: t + text} // ruled
	})
	for _, rule := range r.list {
		all = append(all, rule("rule "))
	}
	sort.Sort(byText{all, func() *Node {
		return &Node{Text: text} // sorted
	}})
	return all
}

type byText struct {
	list []*Node
	make func() *Node
}

func (b byText) Len() int           { return len(b.list) }
func (b byText) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b byText) Less(i, j int) bool { return b.list[i].Text < b.make().Text }

func Keep(text string) int {
	once.Do(func() {
		hooks = append(hooks, func() *Node {
			return &Node{Text: text} // hooked
		})
	})
	return len(hooks)
}

type Later struct{ get func() *Node }

func Return(text string) *Later {
	return &Later{func() *Node {
		return &Node{Text: text} // returned
	}}
}

func (l *Later) Set(text string) {
	l.get = func() *Node {
		return &Node{Text: text} // set
	}
}

func Go(text string) int {
	results := make(chan *Node)
	var work []func()
	work = append(work, func() {
		results <- &Node{Text: text} // sent
	})
	go work[0]()
	return len((<-results).Text)
}

func Give(text string, f func(func() *Node)) {
	f(func() *Node {
		return &Node{Text: text} // given
	})
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	for range 40 {
		all := Parse("text")
		if len(all) != 3 {
			t.Fatal(all)
		}
		for i, want := range []string{"rule text", "text", "text"} {
			if all[i].Text != want {
				t.Error(all[i].Text)
			}
		}
		Keep("kept")
		if hooks[0]().Text != "kept" || Return("r").get().Text != "r" || Go("four") != 4 {
			t.Error("other texts")
		}
		var l Later
		l.Set("set")
		var kept func() *Node
		Give("given", func(f func() *Node) { kept = f })
		if l.get().Text != "set" || kept().Text != "given" {
			t.Error("other texts")
		}
	}
}
`

// TestEnding: there is an arena in a function literal that is kept, but which nobody can call when
// the root has returned.
func TestEnding(t *testing.T) {
	roots := []string{"m.Parse", "m.Keep", "m.Return", "m.Later.Set", "m.Go", "m.Give"}
	r, src := rewritten(t, endingSource, Options{Roots: roots})
	lines := strings.Split(strings.SplitN(endingSource, "-- a.go --\n", 2)[1], "\n")
	for _, s := range r.Sites {
		_, comment, ok := strings.Cut(lines[s.Line-1], "// ")
		if !ok || s.Kind != kindValue {
			continue
		}
		moves := comment == "visited" || comment == "ruled" || comment == "sorted"
		if moves != (s.Why == "") {
			t.Errorf("%s: stays because it is %q\n%s", comment, s.Why, src)
		}
	}
	testedLong(t, endingSource, Options{Roots: roots})
}

// TestFormerMethods: what is called by an interface of another package has no arena. What it makes
// may be left, and the same functions move for others.
func TestFormerMethods(t *testing.T) {
	const source = `
-- a.go --
package m

import "io"

type Node struct{ Text string }

type sink struct{ nodes []*Node }

func (s *sink) Write(p []byte) (int, error) {
	s.nodes = append(s.nodes, build(string(p)))
	return len(p), nil
}

var log io.Writer = &sink{}

func build(text string) *Node { return leaf(text) }

func leaf(text string) *Node {
	return &Node{Text: text + "."}
}

func Parse(text string) *Node {
	log.Write([]byte(text))
	return build(text)
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	for i := range 40 {
		if n := Parse("text"); n.Text != "text." {
			t.Fatal(n.Text)
		}
		if kept := log.(*sink).nodes; len(kept) != i+1 || kept[0].Text != "text." {
			t.Fatal(len(kept))
		}
	}
}
`
	o := Options{Roots: []string{"m.Parse"}}
	r, src := rewritten(t, source, o)
	for _, s := range r.Sites {
		if s.Function == "example.com/m.leaf" && s.Why != "" {
			t.Errorf("%s stays, because it is %s\n%s", s.Kind, s.Why, src)
		}
	}
	testedLong(t, source, o)
}

// TestStructOfRoot: a root has a parameter for the arena, though a struct leads to what it calls:
// the struct is the caller's, and may be nil.
func TestStructOfRoot(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Parser struct{ text string; list []*Node }

type Node struct{ Text string }

func (p *Parser) one() *Node   { p.list = append(p.list, nil); return &Node{p.text} }
func (p *Parser) two() *Node   { p.list = append(p.list, nil); return &Node{p.text + "2"} }
func (p *Parser) three() *Node { p.list = append(p.list, nil); return &Node{p.text + "3"} }

func Run(p *Parser) []*Node {
	if p == nil {
		p = &Parser{text: "none"}
	}
	return []*Node{p.one(), p.two(), p.three()}
}
`
	r, src := rewritten(t, source, Options{Roots: []string{"m.Run"}})
	if len(r.Carriers) > 0 || !slices.Contains(r.Roots, "example.com/m.RunIn") {
		t.Errorf("carriers %s, roots %s\n%s", r.Carriers, r.Roots, src)
	}
}
