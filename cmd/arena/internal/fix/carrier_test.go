package fix

import (
	"runtime"
	"strings"
	"testing"
)

// reader is a struct that becomes a carrier where one more field cannot be seen.
const reader = `
type Node struct {
	Text string
	Kids []*Node
}

type Reader struct {
	S string
	I int
}

func (p *Reader) One() *Node {
	n := &Node{Text: string([]byte(p.S[p.I : p.I+1]))}
	p.I++
	return n
}

func (p *Reader) Two() *Node {
	n := &Node{Text: p.S[p.I:] + "2"}
	n.Kids = append(n.Kids, p.One(), p.One())
	return n
}

func (p *Reader) All() *Node {
	n := &Node{}
	for p.I+2 < len(p.S) {
		n.Kids = append(n.Kids, p.Two())
	}
	return n
}
`

// carriers are programs with the root Root that has the reader, and whether that becomes a carrier.
var carriers = []struct {
	name, source string
	is           bool
}{
	{"plain", `
-- a.go --
package m
` + reader + `
func Root(s string) *Node { p := &Reader{S: s}; return p.All() }
`, true},
	{"compared", `
-- a.go --
package m

import "slices"
` + reader + `
type set[T comparable] map[T]bool

func (s set[T]) add(x T) { s[x] = true }

func Root(s string) (*Node, int, bool) {
	p := &Reader{S: s}
	all := set[Reader]{}
	all.add(Reader{S: s})
	all.add(Reader{S: s})
	return p.All(), len(all), slices.Contains([]Reader{{S: s}}, Reader{S: s})
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	if _, n, same := Root("abc"); n != 1 || !same {
		t.Error(n, same)
	}
}
`, false},
	{"boxed", `
-- a.go --
package m
` + reader + `
func same(a, b any) bool { return a == b }

func Root(s string) (*Node, bool) {
	p := &Reader{S: s}
	q := *p
	return p.All(), same(q, Reader{S: s})
}
`, false},
	{"a variable of the package", `
-- a.go --
package m
` + reader + `
var empty = Reader{"abc", 1}

func Root(s string) *Node { p := &Reader{S: s}; return p.All() }
`, false},
	{"a literal of a test", `
-- a.go --
package m
` + reader + `
func Root(s string) *Node { p := &Reader{S: s}; return p.All() }
-- a_test.go --
package m_test

import (
	"testing"

	"example.com/m"
)

func Test(t *testing.T) {
	for _, p := range []*m.Reader{{"abcdef", 0}} {
		p.All()
	}
}
`, false},
	{"a conversion", `
-- a.go --
package m
` + reader + `
type state struct {
	S string
	I int
}

func Root(s string) (*Node, state) {
	p := &Reader{S: s}
	n := p.All()
	return n, state(*p)
}
`, false},
	{"of a system", `
-- a_linux.go --
package m
` + reader + `
func Root(s string) *Node { p := &Reader{S: s}; return p.All() }
-- a_windows.go --
package m

type Reader struct{}
`, false},
	{"encoded", `
-- a.go --
package m

import (
	"bytes"
	"encoding/gob"
	"encoding/json"

	"example.com/m/go-other"
)

func Root(s string) (*other.Node, string, error) {
	p := &other.Reader{S: s}
	n := p.All()
	text, _ := json.Marshal(p)
	return n, string(text), gob.NewEncoder(new(bytes.Buffer)).Encode(p)
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	if _, text, err := Root("abcd"); err != nil || text != ` + "`" + `{"S":"abcd","I":2}` + "`" + ` {
		t.Error(text, err)
	}
}
-- go-other/b.go --
package other
` + reader, false},
	{"made in another package, in all ways", `
-- a.go --
package m

import "example.com/m/other"

type pair struct {
	r other.Reader
	n int
}

func made(r other.Reader) *other.Reader { return &r }

func Root(s string) (all []*other.Node) {
	add := func(n *other.Node) { all = append(all, n) }
	p := (&other.Reader{S: s})
	add(p.All())
	add((&(other.Reader{S: s})).All())
	add(made(other.Reader{S: s}).All())
	for _, r := range []*other.Reader{{S: s}, {}, {I: 1}} {
		add(r.All())
	}
	for _, r := range []other.Reader{{S: s}, other.Reader{S: s, I: 1}} {
		add(r.All())
	}
	for _, r := range map[int]*other.Reader{1: {S: s}} {
		add(r.All())
	}
	q := new(other.Reader)
	q.S = s
	add(q.All())
	var v other.Reader
	v.S = s
	add(v.All())
	add(other.Reader{S: s}.Copy().All())
	pr := pair{r: other.Reader{S: s}}
	add(pr.r.All())
	o := other.Outer{}
	o.R.S = s
	add(o.All())
	o2 := &other.Outer{N: 1, R: other.Reader{S: s}}
	add(o2.All())
	return all
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	n := 0
	for _, x := range Root("abcdef") {
		n += len(x.Kids)
	}
	if n != 26 {
		t.Error(n)
	}
}
-- other/b.go --
package other

func (p Reader) Copy() *Reader { return &p }

type Outer struct {
	R Reader
	N int
}

func (o *Outer) All() *Node { o.N++; n := o.R.All(); n.Text += string([]byte(n.Text + "x")); return n }
func (o *Outer) Two() *Node { o.N++; n := o.R.Two(); n.Text += string([]byte(n.Text + "x")); return n }
func (o *Outer) One() *Node { o.N++; n := o.R.One(); n.Text += string([]byte(n.Text + "x")); return n }
` + reader, true},
}

// TestCarriers: no field is added that something would see.
func TestCarriers(t *testing.T) {
	t.Parallel()
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "of a system" && runtime.GOOS != "linux" {
				t.Skip("builds for Linux")
			}
			r, src := rewritten(t, c.source, Options{Roots: []string{"m.Root"}})
			if (len(r.Carriers) > 0) != c.is {
				t.Errorf("carriers %v\n%s", r.Carriers, src)
			}
			if c.name != "encoded" {
				return
			}
			// Who asks for it, by the package's name, gets it: encoders do not see the field.
			if r, src := rewritten(t, c.source, Options{Roots: []string{"m.Root"}, Carriers: []string{"other.Reader"}}); len(r.Carriers) != 1 {
				t.Errorf("carriers %v\n%s", r.Carriers, src)
			}
		})
	}
}

// TestResultData: a struct with exported fields that a root returns gets no field, because others
// may compare it. A call that forwards several results has no place for an arena.
func TestResultData(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Document struct{ Items []*Item }

type Item struct {
	Name, Value string
	Parts       []*int
}

func (i *Item) part(n int) { i.Parts = append(i.Parts, &n) }

func (i *Item) more(n int) { i.Parts = append(i.Parts, &n) }

func (i *Item) rest(n int) { i.Parts = append(i.Parts, &n) }

func (i *Item) name(s string) { i.Name = s + "!" }

// Read is a root, as Document.Read is, which makes more of them.
func (i *Item) Read(s string) { i.part(len(s)) }

func (d *Document) Read(s string) {
	i := &Item{}
	i.Read(s)
	i.part(2)
	i.more(3)
	i.rest(4)
	i.name(s)
	d.Items = append(d.Items, i)
}

func (d *Document) first(s string) { d.Items = append(d.Items, &Item{Name: s}) }

func (d *Document) second(s string) { d.Items = append(d.Items, &Item{Name: s + "."}) }

func (d *Document) third(a, b *Item) { d.Items = append(d.Items, a, b, &Item{}) }

func pair(s string) (*Item, *Item) { return &Item{Name: s}, &Item{Value: s} }

func Parse(s string) *Document {
	d := &Document{}
	d.first(s)
	d.second(s)
	d.third(pair(s))
	return d
}
-- a_test.go --
package m_test

import (
	"reflect"
	"testing"

	"example.com/m"
)

func Test(t *testing.T) {
	want := &m.Document{Items: []*m.Item{{Name: "a"}, {Name: "a."}, {Name: "a"}, {Value: "a"}, {}}}
	if got := m.Parse("a"); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	one, two, three, four, got := 1, 2, 3, 4, &m.Document{}
	got.Read("a")
	want = &m.Document{Items: []*m.Item{{Name: "a!", Parts: []*int{&one, &two, &three, &four}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
`
	o := Options{Roots: []string{"m.Parse", "m.Document.Read", "m.Item.Read"}}
	for _, o.Twice = range []bool{false, true} {
		r, src := rewritten(t, source, o)
		if len(r.Carriers) > 0 || !strings.Contains(src, "d.firstIn(ar, s)") || !strings.Contains(src, "d.third(pair") {
			t.Errorf("carriers %v\n%s", r.Carriers, src)
		}
	}
}
