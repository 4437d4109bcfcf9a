package fix

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

var orderSeed = flag.Uint64("order", 1, "the seed of TestOrder's random program")

// TestOrder: what statements are made of is computed in the same order with an arena. The program
// has random statements, beside those in testdata/order, and what it does before it is rewritten is
// what it has to do.
func TestOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module in many ways")
	}
	arena := sources(t)
	t.Chdir(module(t, "order"))
	t.Logf("seed %d", *orderSeed)
	n := 30
	if testrun.Long() {
		n = 150
	}
	g := &statements{rand: rand.New(rand.NewPCG(*orderSeed, 0))}
	if err := os.WriteFile("random.go", []byte(g.program(n)), 0o666); err != nil {
		t.Fatal(err)
	}
	races := []string{"-race=false"}
	if testrun.Long() {
		needRace(t)
		races = append(races, "-race")
	}
	for _, race := range races { // it writes what it does
		if out, err := exec.Command("go", "test", "-vet=off", race, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	out := tested(t, arena, Options{Roots: []string{"order.Run"}})
	if !strings.Contains(out, whyOrder.String()) {
		t.Errorf("nothing stays\n%s", out)
	}
}

// statements makes random statements of testdata/order.
type statements struct {
	rand *rand.Rand
	out  strings.Builder
}

func (g *statements) program(n int) string {
	g.out.WriteString("package order\n\nimport (\n\"fmt\"\n\"strings\"\n)\n\nvar _ = fmt.Sprint(strings.ToUpper(\"\"))\n\n")
	for i := range n {
		fmt.Fprintf(&g.out, "func random%d(r *Result, s *State, p string) {\n", i)
		g.out.WriteString("q, k, o := p, s.n, p\nof, u := &o, &Node{A: p}\nchange := func() string { q += \"q\"; k++; *of += \"o\"; u.A += \"u\"; return s.next() }\n")
		g.out.WriteString("m := map[string]string{}\nc := map[string]int{}\nm[p] = s.text\nc[p] = 1\n")
		for range 1 + g.rand.IntN(3) {
			g.statement()
		}
		g.out.WriteString("r.texts(p, q, *of, fmt.Sprint(k, m[p], c[p], len(m), u), change())\n}\n\n")
	}
	g.out.WriteString("func random(r *Result) {\n")
	for i := range n {
		fmt.Fprintf(&g.out, "random%d(r, start(), \"p\")\n", i)
	}
	g.out.WriteString("}\n")
	return strings.ReplaceAll(g.out.String(), "@", "%")
}

// pick takes one of the texts, whose verbs it fills: %s with text, %d with an integer, %n with a
// node, %v with any value, %l with a list, %b with a condition. An @ becomes a %.
func (g *statements) pick(depth int, all ...string) string {
	text := all[g.rand.IntN(len(all))]
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i])
		f := map[byte]func(int) string{'s': g.text, 'd': g.integer, 'n': g.node, 'v': g.value, 'l': g.list, 'b': g.condition}[text[i+1]]
		out.WriteString(f(depth - 1))
		text = text[i+2:]
	}
}

func (g *statements) statement() {
	g.out.WriteString(g.pick(4,
		"r.texts(%s, %s, %s)", "r.texts(%s, %s)", "r.nodes(%n, %n)", "r.pair(%v, %s)", "r.list(%l, %s)", "r.Anys = append(r.Anys, %v, %v, %v)",
		"{ x, y := %s, %s; r.texts(x, y) }", "{ x, y := %n, %s; r.nodes(x, nil); r.texts(y) }", "{ x := %n; r.nodes(x, x) }",
		"s.text, s.n = %s, %d", "s.text += %s", "q += %s", "s.list[0], q = %s, %s", "s.list = append(s.list, %s, %s)",
		"m[%s] = %s", "m[%s] += %s", "c[%s] += %d", "c[%s]++", "r.Maps[%s] = %s", "r.Lines[%s] = append(r.Lines[p], %d)", "r.Lines[string(s.bytes)] = append(r.Lines[string(s.bytes)], %d)", "m[p], r.Maps[%s] = %s, %s",
		"if (%b) { r.texts(%s) }", "switch (%s) { case %s + q, %s + p: r.texts(q); default: r.texts(%s, %s) }", "for i, x := range (%l) { r.texts(x, %s); if i > 3 { break } }",
		"func() { r.texts(%s, %s) }()", "defer r.texts(%s, %s)", "r.nodes(func() (*Node, *Node) { return %n, %n }())",
		"{ var x, y any = %v, %v; r.Anys = append(r.Anys, x, y) }", "r.Lists = append(r.Lists, %l, %l)", "u.Words, u.B = %l, %s",
	) + "\n")
}

func (g *statements) text(depth int) string {
	if depth <= 0 {
		return g.pick(0, "s.text", "p", "q", `"x"`, "*of", "o", "s.list[0]", "s.next()", "change()", "s.now()", "u.A")
	}
	return g.pick(depth, "s.text", "q", "*of", "u.A", "s.next()", "change()", "string(s.bytes)", "m[p]", "m[%s]", "%s + %s", "%s + %s + %s", "both(%s, %s)", "kept(r, %s)",
		"strings.Repeat(%s, 2)", "fmt.Sprint(%v, %v)", "string(rune('a' + (%d) @ 26))", "(%s + \"-\")[1:]", "(%n).A", "func() string { return %s }()", "strings.Join(%l, %s)", "string([]byte(%s))",
		"func() string { m[p] += p; change(); return m[p] }()", `fmt.Sprintf("<@v>", %v)`, "max(%s, %s)")
}

func (g *statements) integer(depth int) string {
	if depth <= 0 {
		return g.pick(0, "s.n", "k", "3", "s.count()", "len(s.text)", "c[p]")
	}
	return g.pick(depth, "s.n", "k", "s.count()", "%d + %d", "len(%s)", "len(%l)", "c[%s]", "cap(make([]int, (%d) @ 9))", "(%n).N", "len(m)", "func() int { return %d }()", "max(%d, %d)")
}

func (g *statements) node(depth int) string {
	if depth <= 0 {
		return g.pick(0, "u", "&Node{A: s.text}", "&Node{N: s.count()}", "&Node{}", "new(Node)", "&Node{V: q}", "new(*u)")
	}
	return g.pick(depth, "u", "&Node{A: %s, B: %s}", "&Node{A: %s, N: %d, V: %v}", "&Node{Next: %n, B: %s}", "&Node{Words: %l, B: %s, N: %d}", "&Node{%s, %s, %d, %v, %n, %l}",
		"[]*Node{{A: %s, B: %s}, %n}[0]", "[]*Node{%n, {B: %s, V: %v}}[1]", "func() *Node { return %n }()", "new(Node{A: %s, V: %v})")
}

func (g *statements) value(depth int) string {
	if depth <= 0 {
		return g.pick(0, "any(s.n)", "any(q)", "any(s.count())", "any(s.list)", "any(k)", "any(*u)", "any(Node{A: s.text})")
	}
	return g.pick(depth, "any(%s)", "any(%d)", "any(%n)", "any(%l)", "any(Node{A: %s, B: %s})", "any([2]string{%s, %s})", "any([]byte(%s))", "any(struct{ A int }{%d})", "any((%n).V)", "any([]any{%s, %d, %v})")
}

func (g *statements) list(depth int) string {
	if depth <= 0 {
		return g.pick(0, "s.list", "[]string{s.text}", "[]string{p, s.next()}")
	}
	return g.pick(depth, "s.list", "[]string{%s, %s}", "append(s.list, %s)", "append(s.list[:1:1], %s, %s)", "append(%l, %l...)", "make([]string, (%d) @ 5)", "strings.Fields(%s)", "[]string{%s, %s, %s}[:(%d) @ 3]")
}

func (g *statements) condition(depth int) string {
	return g.pick(depth, "%s == %s", "%s + \"?\" != %s", "%d < %d", "%b && %b", "%b || %b", "(%n).A == %s", "len(%s) > %d")
}
