package fix

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// TestAliasesRandom generates functions that store things by several names, and keep some. What
// they keep is the same when the memory of the arena is filled at Reset.
func TestAliasesRandom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs in many ways")
	}
	first, seeds, functions := 4, 4, 60 // they fail if the aliases of what is kept do not count
	if testrun.Long() {
		first, seeds = 0, 40
	}
	for first, end := first, first+seeds; first < end; first += 4 {
		checkAliases(t, first, min(4, end-first), functions)
	}
}

// checkAliases is TestAliasesRandom for some seeds. The functions of each are a package of their
// own, and all packages are in one module.
func checkAliases(t *testing.T, first, seeds, functions int) {
	dir := module(t, "aliases")
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	common, show := read("aliases.go"), read("show/show.go")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var packages []string
	sources := map[string]string{}
	for seed := first; seed < first+seeds; seed++ {
		g := &aliaser{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
		p := fmt.Sprintf("seed%d", seed)
		packages, sources[p] = append(packages, p), g.file(functions)
		write(p+"/aliases.go", common)
		write(p+"/show/show.go", strings.Replace(show, `"example.com/aliases"`, `"example.com/aliases/`+p+`"`, 1))
		write(p+"/functions.go", sources[p])
	}
	writeMain := func(imported, declared, reset, parse string) {
		var imports, calls strings.Builder
		for _, p := range packages {
			fmt.Fprintf(&imports, "\t%s \"example.com/aliases/%[1]s\"\n\tshow%[1]s \"example.com/aliases/%[1]s/show\"\n", p)
			calls.WriteString(strings.NewReplacer("aliases.", p+".", "PACKAGE", p).Replace(strings.NewReplacer("RESET", reset, "PARSE", parse).Replace(aliasCalls)))
		}
		write("main/main.go", fmt.Sprintf(aliasMain, imports.String()+imported, declared, calls.String()))
	}
	writeMain("", "", "", "aliases.Parse(i, s)")
	heap := leaves(t, dir)
	if len(heap) != functions*seeds {
		t.Fatalf("%d functions, want %d", len(heap), functions*seeds)
	}
	for _, p := range packages { // each by itself: of larger programs less is proved
		r := changed(t, Options{Dir: dir, Patterns: []string{"./" + p}, Roots: []string{p + ".Parse"}})
		moved := 0
		for _, s := range r.Sites {
			if s.Why == "" {
				moved++
			}
		}
		t.Logf("%s: %d of %d sites move", p, moved, len(r.Sites))
		if moved < functions {
			t.Errorf("%s: %d of %d sites move, want more", p, moved, len(r.Sites))
		}
	}
	writeMain("\t\"github.com/arena-go/arena\"", "var a arena.Arena", "a.Reset()", "aliases.ParseIn(&a, i, s)")
	for name, left := range leaves(t, dir) {
		if left != heap[name] {
			p, f, _ := strings.Cut(name, ".")
			_, body, _ := strings.Cut(sources[p], "func "+f+"(")
			body, _, _ = strings.Cut(body, "\nfunc ")
			t.Errorf("%s leaves\n%swant\n%s%s", name, left, heap[name], body)
		}
	}
}

const aliasMain = `package main

import (
	"fmt"

%s
)

func main() {
	%s
%s}
`

// aliasCalls runs the functions of a package, whose name their names begin with.
const aliasCalls = `	{
		parse := func(i int, s string) {
			defer func() { recover() }()
			PARSE
		}
		for i := range aliases.Functions {
			aliases.G, aliases.Texts, aliases.Ints = &aliases.P{}, nil, nil
			parse(i, "a")
			kept, texts, ints := aliases.G, aliases.Texts, aliases.Ints
			aliases.G = &aliases.P{}
			RESET
			parse(i, "zzz")
			RESET
			aliases.Texts, aliases.Ints = texts, ints
			fmt.Printf("PACKAGE.f%d %s\n", i, showPACKAGE.Show(kept))
		}
	}
`

// An aliaser writes such functions.
type aliaser struct {
	*rand.Rand
	out   strings.Builder
	vars  map[string][]string // by their type
	count int
}

func (g *aliaser) p(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

// file returns the source of a file with n functions.
func (g *aliaser) file(n int) string {
	g.p("package aliases\n\nconst Functions = %d\n\nfunc Parse(i int, s string) *P {\nswitch i {", n)
	for i := range n {
		g.p("case %d:\nreturn f%d(s)", i, i)
	}
	g.p("}\nreturn nil\n}")
	for i := range n {
		g.p("\nfunc f%d(s string) *P {\np := made(s)", i)
		g.vars = map[string][]string{"*P": {"p"}, "string": {"s"}}
		g.statements(3+g.IntN(7), 2)
		g.keep()
		g.statements(g.IntN(3), 2)
		g.p("return p\n}")
	}
	return g.out.String()
}

func (g *aliaser) one(list ...string) string { return list[g.IntN(len(list))] }

// declare declares a variable, which need not be used.
func (g *aliaser) declare(kind, value string) {
	g.count++
	v := fmt.Sprintf("v%d", g.count)
	g.p("%s := %s\n_ = %s", v, value, v)
	g.vars[kind] = append(g.vars[kind], v)
}

// block writes statements in which c is known, between two others.
func (g *aliaser) block(depth int, begin, end string) {
	g.p("%s", begin)
	defer g.p("%s", end)
	was := map[string][]string{}
	for k, list := range g.vars {
		was[k] = list[:len(list):len(list)]
	}
	g.vars["*N"] = append(g.vars["*N"], "c")
	g.p("_ = c")
	g.statements(1+g.IntN(2), depth-1)
	g.vars = was
}

func (g *aliaser) place() string {
	if list := g.vars["*P"]; g.IntN(4) > 0 {
		return g.one(list...)
	} else {
		return "inner(" + g.one(list...) + ")"
	}
}

func (g *aliaser) text() string {
	switch g.IntN(5) {
	case 0:
		return g.node(1) + ".S"
	case 1:
		return g.node(1) + ".text()"
	case 2:
		return g.one(g.vars["string"]...)
	}
	return `s + "` + fmt.Sprint(g.IntN(1000)) + `"`
}

// node returns an expression for a node, which is not nil.
func (g *aliaser) node(depth int) string {
	n := 14
	if depth == 0 {
		n = 8
	}
	p := g.place()
	switch g.IntN(n) {
	case 0, 1, 2:
		if list := g.vars["*N"]; len(list) > 0 {
			return g.one(list...)
		}
		return p + ".A"
	case 3:
		return p + ".B"
	case 4:
		return p + ".L[0]"
	case 5:
		return "(&" + g.one(g.vars["*P"]...) + ".T)"
	case 6:
		return "(*" + p + ".Q)"
	case 7:
		return p + ".top()"
	case 8:
		return "ok(" + p + `.M["k"])`
	case 9:
		return "ok(" + g.node(depth-1) + ".Next)"
	case 10:
		return "pick(" + g.node(depth-1) + ", " + g.node(depth-1) + ")"
	case 11:
		return g.node(depth-1) + ".add(&N{})"
	default:
		return "(&N{S: " + g.text() + ", Next: " + g.node(depth-1) + "})"
	}
}

func (g *aliaser) statements(n, depth int) {
	for range n {
		g.statement(depth)
	}
}

func (g *aliaser) statement(depth int) {
	n := 22
	if depth == 0 {
		n = 16
	}
	switch g.IntN(n) {
	case 0, 1, 2:
		g.declare("*N", g.node(2))
	case 3:
		g.declare("*P", g.one("inner(p)", "made(s)", "p", "&P{A: "+g.node(1)+", B: &N{}, L: "+g.place()+".L, M: "+g.place()+".M, Q: &"+g.one(g.vars["*P"]...)+".A}"))
	case 4:
		g.declare("string", g.text())
	case 5:
		g.p("%s.Next = %s", g.node(1), g.node(2))
	case 6:
		g.p("%s.S = %s", g.node(2), g.text())
	case 7:
		g.p("%s.X = %s", g.node(2), g.one("new(int)", fmt.Sprintf("number(%d)", g.IntN(100))))
	case 8:
		g.p("%s.%s = %s", g.place(), g.one("A", "B", "Any"), g.node(2))
	case 9:
		g.p("%s.L = append(%s.L, %s)", g.one(g.vars["*P"]...), g.place(), g.node(2))
	case 10:
		g.p(`%s.M["k"] = %s`, g.place(), g.node(2))
	case 11:
		g.p("%s.%s", g.place(), g.one("swap()", `enter("k")`, "push("+g.node(1)+")", "set("+g.node(1)+").swap()"))
	case 12:
		g.p("%s.T = *%s", g.one(g.vars["*P"]...), g.node(1))
	case 13:
		g.p("*%s.Q = %s", g.place(), g.node(1))
	case 14:
		g.p("%s.Q = %s", g.place(), g.one("&"+g.one(g.vars["*P"]...)+".B", "&"+g.node(1)+".Next"))
		g.p("if *%s.Q == nil {\n*%[1]s.Q = %s\n}", g.one(g.vars["*P"]...), g.node(1))
	case 15:
		g.p("%s.name(%s)", g.node(1), g.text())
	case 16:
		g.block(depth, "for _, c := range "+g.place()+".L {", "}")
	case 17:
		g.block(depth, "if c, is := "+g.place()+".Any.(*N); is {", "}")
	case 18:
		g.block(depth, "each("+g.place()+".L, func(c *N) {", "})")
	case 19:
		g.count++
		g.block(depth, fmt.Sprintf("c%d := *%s\nfor c := &c%[1]d; c != nil; c = c.Next {", g.count, g.node(1)), "break\n}")
	case 20:
		g.block(depth, "switch c := "+g.place()+".Any.(type) {\ncase *N:", "}")
	default:
		g.block(depth, "func() {\nc := "+g.node(1), "}()")
	}
}

// keep writes a store in something older than the call.
func (g *aliaser) keep() {
	switch g.IntN(7) {
	case 0:
		g.p("Texts = append(Texts, %s)", g.text())
	case 1:
		g.p("Ints = append(Ints, %s.X)", g.node(1))
	case 2:
		g.p("G.L = %s.L", g.place())
	case 3:
		g.p("G.T = *%s", g.node(1))
	case 4:
		g.p("for _, c := range %s.L {\nTexts = append(Texts, c.S)\nG.A = c.Next\n}", g.place())
	default:
		g.p("G.%s = %s", g.one("A", "B", "Any"), g.node(2))
	}
}
