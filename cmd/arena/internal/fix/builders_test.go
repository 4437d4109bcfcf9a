package fix

import (
	"strings"
	"testing"
)

const buildersSource = `
-- a.go --
package m

import (
	"bytes"
	"fmt"
	"strings"
)

type Node struct {
	Name string
	List []*Node
}

type printer struct{ depth int }

// Print has pointers to builders: parameters, variables, new ones and nil.
func Print(n *Node, wide bool) string {
	var out strings.Builder
	p := &printer{}
	p.print(&out, n, wide)
	return p.end(&out)
}

func (p *printer) print(out *strings.Builder, n *Node, wide bool) {
	var line *strings.Builder
	if wide {
		line = &strings.Builder{}
	} else {
		line = out
	}
	indent(line, p.depth)
	fmt.Fprintf(line, "%s\n", n.Name)
	if line != out && line != nil {
		text := line.String()
		out.WriteString("[" + text + "]")
	}
	p.depth++
	for _, n := range n.List {
		p.print(out, n, wide)
	}
	p.depth--
}

func indent(out *strings.Builder, n int) {
	for range n {
		out.WriteByte(' ')
	}
}

func (p *printer) end(out *strings.Builder) string {
	if out.Len() > 1000 {
		return ""
	}
	return out.String()
}

// Others calls indent without an arena when no root does.
func Others(n int) string {
	var one, two strings.Builder
	indent(&one, n)
	indent(&two, n+1)
	return one.String() + "|" + two.String()
}

// Again sets a builder to an empty one.
func Again(words []string) (all []string) {
	b := bytes.Buffer{}
	for _, word := range words {
		b = bytes.Buffer{}
		quote(&b, word)
		all = append(all, b.String())
	}
	return all
}

func quote(b *bytes.Buffer, word string) {
	b.WriteString("<" + word + ">")
}

var last string

// Kept stores what a function makes of its parameter.
func Kept(words []string) int {
	var b strings.Builder
	for _, word := range words {
		b.WriteString(word)
		keep(&b)
	}
	return len(b.String())
}

func keep(b *strings.Builder) { last = b.String() }

type holder struct{ b *strings.Builder }

// Held stores a pointer to a builder.
func Held(words []string) int {
	var b strings.Builder
	h := holder{hold(&b)}
	for _, word := range words {
		h.b.WriteString(word)
	}
	return len(b.String())
}

func hold(b *strings.Builder) *strings.Builder { return b }

// Outside gives a builder to a function that tests call, too.
func Outside(words []string) string {
	var b strings.Builder
	tested(&b, words)
	return b.String()
}

func tested(b *strings.Builder, words []string) {
	for _, word := range words {
		b.WriteString(word)
	}
}

// Exported gives a builder to a function that others call.
func Exported(words []string) string {
	var b strings.Builder
	Write(&b, words)
	return b.String()
}

func Write(b *strings.Builder, words []string) { tested(b, words) }

type writer interface{ write(b *strings.Builder) }

type word string

func (w word) write(b *strings.Builder) { b.WriteString(string(w)) }

// Through gives builders to methods of an interface.
func Through(words []string) string {
	var b strings.Builder
	for _, w := range words {
		writer(word(w)).write(&b)
		word(w).write(&b)
	}
	return b.String()
}

// Started gives a builder to a goroutine.
func Started(n int) string {
	var b strings.Builder
	done := make(chan bool)
	go begin(&b, n, done)
	<-done
	return b.String()
}

func begin(b *strings.Builder, n int, done chan bool) {
	for range n {
		b.WriteByte('-')
	}
	close(done)
}
var table = map[string]string{}

func intern(s string) string {
	if t, ok := table[s]; ok {
		return t
	}
	table[s] = s
	return s
}

// Interned makes text that stays, in a statement with another builder.
func Interned(words []string) string {
	var out strings.Builder
	line := &strings.Builder{}
	for _, w := range words {
		line.Reset()
		line.WriteString("<" + w + ">")
		out.WriteString(intern(line.String()))
	}
	return out.String()
}

// Nil has a pointer of which String returns a text.
func Nil(s string) string {
	var b bytes.Buffer
	b.WriteString(s)
	return show(nil) + show(&b)
}

func show(b *bytes.Buffer) string { return b.String() }

type pointer = *strings.Builder

// Named has pointers under other names.
func Named(s string, x any) string {
	var a, b strings.Builder
	alias(&a, s)
	paren(&b, s)
	var c, ok = x.(*strings.Builder)
	if ok {
		alias(c, s)
	}
	return a.String() + b.String()
}

func alias(b pointer, s string) {
	var c pointer = b
	c.WriteString(s)
}

func paren(b (*strings.Builder), s string) { b.WriteString(s) }
-- a_test.go --
package m

import (
	"fmt"
	"strings"
	"testing"
)

func Test(t *testing.T) {
	n := &Node{Name: "a", List: []*Node{{Name: "b", List: []*Node{{Name: "c"}}}, {Name: "d"}}}
	words := []string{"x", "y", "z"}
	var b strings.Builder
	tested(&b, words)
	for _, s := range []struct{ got, want string }{
		{Print(n, false), "a\n b\n  c\n d\n"},
		{Print(n, true), "[a\n][ b\n][  c\n][ d\n]"},
		{Others(2), "  |   "},
		{strings.Join(Again(words), ""), "<x><y><z>"},
		{Outside(words), b.String()},
		{Exported(words), "xyz"},
		{Through(words), "xxyyzz"},
		{Started(3), "---"},
		{Nil("x"), "<nil>x"},
		{Named("x", &strings.Builder{}), "xx"},
	} {
		if s.got != s.want {
			t.Errorf("%q, want %q", s.got, s.want)
		}
	}
	for i := range 50 {
		Interned([]string{fmt.Sprint(i)})
	}
	for k, v := range table {
		if k != v || k[0] != '<' || k[len(k)-1] != '>' {
			t.Errorf("%q is %q", k, v)
		}
	}
	if Kept(words) != 3 || last != "xyz" || Held(words) != 3 {
		t.Errorf("another result, %q", last)
	}
}
`

// TestBuilders: builders move together with the pointers to them, unless they go where others have
// them, or some text of them is kept.
func TestBuilders(t *testing.T) {
	roots := []string{"m.Print", "m.Again", "m.Kept", "m.Held", "m.Outside", "m.Exported", "m.Through", "m.Started", "m.Interned", "m.Nil", "m.Named"}
	for _, twice := range []bool{false, true} {
		o := Options{Roots: roots, Twice: twice}
		_, src := rewritten(t, buildersSource, o)
		for _, want := range []string{
			"out := arena.NewBuilder(ar)", "line *arena.Builder", "line = arena.NewBuilder(", "out *arena.Builder, n int)", "out *arena.Builder) string",
			"func keep(b *strings.Builder)", "var b strings.Builder\n\th := holder", "func tested(b *strings.Builder", "write(b *strings.Builder)", "func begin(b *strings.Builder",
		} {
			if !strings.Contains(src, want) {
				t.Errorf("twice is %t: no %s in\n%s", twice, want, src)
			}
		}
		if strings.Contains(src, "var one, two arena.Builder") || !strings.Contains(src, "func indent(out *strings.Builder") {
			t.Errorf("twice is %t: what no root calls has other builders in\n%s", twice, src)
		}
		if n := strings.Count(src, "arena.NewBuilder("); n != 3 { // the third one is out of Interned
			t.Errorf("%d builders move, want 3, in\n%s", n, src)
		}
		t.Run("", func(t *testing.T) { testedLong(t, buildersSource, o) })
	}
}
