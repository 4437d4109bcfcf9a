package fix

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes functions that call Parse of testdata/random, put what it makes here and
// there, and return something.
type generator struct {
	*rand.Rand
	out    strings.Builder
	vars   map[string][]string // by their type
	count  int
	inside bool // there is an n, which Parse has made
	leaks  int  // one store in this many goes to something older
}

// The types of the variables. Each has a field in Box.
var kinds = []string{"*Node", "[]*Node", "string", "any", "error", "Fn", "*Box"}

var fields = map[string]string{"*Node": "N", "[]*Node": "L", "string": "S", "any": "A", "error": "E", "Fn": "F", "*Box": "B"}

// function writes one. In some of them the root is called in a loop.
func (g *generator) function(name string) {
	g.vars, g.inside = map[string][]string{}, false
	g.leaks = 4 + g.IntN(30)
	fmt.Fprintf(&g.out, "\nfunc %s(text string, to *Box) (result string, value any) {\n", name)
	g.declare("*Box", "&Box{}")
	if g.IntN(3) == 0 {
		for _, k := range kinds {
			if g.IntN(2) == 0 {
				v := g.name()
				fmt.Fprintf(&g.out, "var %s %s\n_ = %s\n", v, k, v)
				g.vars[k] = append(g.vars[k], v)
			}
		}
		g.out.WriteString("for range 3 {\n")
		end := "}\n"
		if g.IntN(2) == 0 { // it uses what the last turn has left, and calls the root in a case
			g.body("", "", 1+g.IntN(2), 1)
			g.out.WriteString("switch {\ncase len(text) > 0:\n")
			end += "}\n"
		}
		g.out.WriteString("n, err := Parse(text)\nif err != nil {\ncontinue\n}\n_ = n\ntext += \" q\"\n")
		g.inside = true
		g.body("*Node", "n", 1+g.IntN(5), 3)
		g.inside = false
		g.out.WriteString(end)
	} else {
		g.out.WriteString("n, err := Parse(text)\nif err != nil {\nreturn\n}\n_ = n\n")
		g.vars["*Node"] = append(g.vars["*Node"], "n")
		g.declare("string", "name(at(n.Children, 1))")
		g.inside = true
		g.statements(1+g.IntN(6), 3)
	}
	result, value := "strings.Clone("+g.expr("string", 2)+")", "nil"
	switch g.IntN(6) {
	case 0, 1:
		result = g.expr("string", 2)
	case 2:
		value = g.expr(kinds[g.IntN(len(kinds))], 1)
	}
	fmt.Fprintf(&g.out, "return %s, %s\n}\n", result, value)
}

func (g *generator) name() string {
	g.count++
	return fmt.Sprintf("v%d", g.count)
}

func (g *generator) declare(kind, value string) {
	v := g.name()
	fmt.Fprintf(&g.out, "var %s %s = %s\n_ = %s\n", v, kind, value, v)
	g.vars[kind] = append(g.vars[kind], v)
}

// body writes statements that may know one more variable. What they declare is unknown after them.
func (g *generator) body(kind, v string, n, depth int) {
	vars := map[string][]string{}
	for k, list := range g.vars {
		vars[k] = list[:len(list):len(list)]
	}
	if v != "" {
		g.vars[kind] = append(g.vars[kind], v)
	}
	g.statements(n, depth)
	g.vars = vars
}

func (g *generator) statements(n, depth int) {
	for range n {
		g.statement(depth)
	}
}

func (g *generator) statement(depth int) {
	kind := kinds[g.IntN(len(kinds))]
	value := g.expr(kind, 2)
	p := func(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }
	if g.IntN(g.leaks) == 0 {
		switch old := []string{"G", "to"}[g.IntN(2)]; g.IntN(5) {
		case 0:
			p("put(%s, %s)", old, g.expr("*Node", 2))
		case 1:
			p("setter(theirs{}).set(%s)", g.expr("*Node", 2))
		case 2:
			p("%s.M = map[string]*Node{%s: nil}", old, g.expr("string", 2))
		default:
			p("%s.%s = %s", old, fields[kind], value)
		}
		return
	}
	n := 20
	if depth == 0 {
		n = 9
	}
	b := "box(" + g.variable("*Box") + ")"
	switch g.IntN(n) {
	case 0, 1, 2:
		g.declare(kind, value)
	case 3, 4:
		if len(g.vars[kind]) > 0 {
			p("%s = %s", g.variable(kind), value)
		}
	case 5, 6:
		p("%s.%s = %s", b, fields[kind], value)
	case 7:
		p("%s.M = map[string]*Node{%s: %s}", b, g.expr("string", 1), g.expr("*Node", 1))
	case 8:
		p("link(%s, %s)", b, g.expr("*Box", 1))
	case 9:
		p("if len(%s)%%2 == 0 {", g.expr("string", 1))
		g.body("", "", 1+g.IntN(2), depth-1)
		p("}")
	case 10:
		p("for range 2 {")
		g.body("", "", 1+g.IntN(2), depth-1)
		p("}")
	case 11, 12:
		c := g.name()
		p([]string{"for _, %s := range %s {", "for %s := range all(%s) {"}[g.IntN(2)], c, g.expr("[]*Node", 1))
		p("_ = %s", c)
		g.body("*Node", c, 1+g.IntN(2), depth-1)
		p("}")
	case 13:
		c := g.name()
		p("each(%s, func(%s *Node) {", g.expr("[]*Node", 1), c)
		g.body("*Node", c, 1+g.IntN(2), depth-1)
		p("})")
	case 14:
		p("defer func() {")
		g.body("", "", 1+g.IntN(2), depth-1)
		p("}()")
	case 15:
		c := g.name()
		p("switch %s := any(%s).(type) {\ncase *Node:\n_ = %s", c, g.expr("any", 1), c)
		g.body("*Node", c, 1, depth-1)
		p("case string:\n_ = %s", c)
		g.body("string", c, 1, depth-1)
		p("case *Box:\n_ = %s", c)
		p("put(%s, %s)\n}", c, g.expr("*Node", 1))
	case 16:
		c, s := g.name(), g.name()
		p("%s := make(chan *Node, 1)\n%s <- %s\n%s := setter(&mine{<-%s})", c, c, g.expr("*Node", 1), s, c)
		p("%s.set(%s)", s, g.expr("*Node", 1))
		g.declare("*Node", s+".get()")
	case 17:
		p("%s.A = try(func() {", b)
		g.body("", "", 1, depth-1)
		p("panic(%s)\n})", g.expr("any", 1))
	case 18:
		p("put(%s, %s)", b, g.expr("*Node", 1))
	case 19:
		c := g.name()
		p("for %s := range %s.M {\n_ = %s", c, b, c)
		g.body("string", c, 1, depth-1)
		p("break\n}")
	}
}

// variable returns one of a type, or a new value.
func (g *generator) variable(kind string) string {
	list := g.vars[kind]
	if len(list) == 0 && g.inside {
		return map[string]string{"*Node": "n", "[]*Node": "n.Children", "string": "n.Children[0].Name", "any": "any(n)", "error": "error(nodeError{n})", "Fn": "Fn(n.Text)", "*Box": "&Box{N: n}"}[kind]
	}
	if len(list) == 0 {
		return map[string]string{"*Node": "none", "[]*Node": "none.Children", "string": `"a"`, "any": "any(1)", "error": "errNone", "Fn": `Fn(func() string { return "f" })`, "*Box": "(&Box{})"}[kind]
	}
	return list[g.IntN(len(list))]
}

// forms are the expressions of each type, with the types of expressions in them.
var forms = map[string][]string{
	"*Node": {
		"at({[]*Node}, 0)", "at({[]*Node}, 1)", "box({*Box}).N", "asNode({any})", "same({*Node})", "pick({string}, {*Node}, {*Node})", "G.N", "box({*Box}).M[{string}]",
		"pair[*Node]{{*Node}, {*Node}}.first()", "&Node{Name: {string}, Children: {[]*Node}}", "func() *Node { return {*Node} }()", "setter(&mine{{*Node}}).get()",
		"at(kids({*Node}), 1)", "at(kids({*Node}), 0)", "[1]*Node{{*Node}}[0]",
	},
	"[]*Node": {
		"kids({*Node})", "kids({*Node})", "[]*Node{{*Node}}", "append(slices.Clone({[]*Node}), {*Node})", "box({*Box}).L", "slices.Clone({[]*Node})", "slices.Collect(all({[]*Node}))",
	},
	"string": {
		`"x"`, "name({*Node})", "name({*Node})", "strings.TrimSuffix({string}, \".\")", "short({string}) + short({string})", "strings.Clone({string})", "short(fmt.Sprint({any}))", "call({Fn})", "message({error})",
		"string([]byte({string}))", "strings.ToLower({string})", "strings.Join([]string{{string}}, \",\")", "box({*Box}).S", "pick({string}, {string}, {string})", "strconv.Quote(short({string}))",
		"pattern.FindString({string})", "short(fmt.Sprintf(\"%v|%s\", {any}, {string}))", "encode({*Node})", "replace.Replace({string})", "bytes.NewBufferString({string}).String()",
		"fmt.Sprint(map[string]any{{string}: {any}})", "fmt.Sprint(map[string]keeper{\"k\": {{*Node}}})", "pattern.FindAllStringSubmatch({string}, 1)[0][0]", "min({string}, {string})",
	},
	"any": {
		"any({*Node})", "any({string})", "any({*Box})", "any({Fn})", "any({error})", "box({*Box}).A", "G.A", "any(keeper{{*Node}})", "any([1]*Node{{*Node}})", "any(&mine{{*Node}})",
		"try(func() { panic({any}) })", "any({[]*Node})",
	},
	"error": {
		"errors.New({string})", "fmt.Errorf(\"e %w\", {error})", "error(nodeError{{*Node}})", "errors.Join(errNone, {error})", "errors.Unwrap(fmt.Errorf(\"%w\", {error}))", "box({*Box}).E", "errors.Unwrap(fmt.Errorf(\"%w\", nodeError{{*Node}}))",
		"&fs.PathError{Path: {string}, Err: some({error})}", "errNone", "func() error { _, err := strconv.Atoi({string}); return err }()",
	},
	"Fn":   {"Fn(func() string { return {string} })", "Fn(func() string { return {string} })", "({*Node}).Text", "box({*Box}).F", "G.F"},
	"*Box": {"&Box{N: {*Node}}", "&Box{S: {string}, A: {any}}", "box({*Box}).B", "&Box{L: {[]*Node}, B: {*Box}}", "same({*Box})", "&Box{F: {Fn}, E: {error}}"},
}

// expr returns an expression of a type.
func (g *generator) expr(kind string, depth int) string {
	if depth == 0 || g.IntN(5) == 0 {
		return g.variable(kind)
	}
	list := forms[kind]
	form := list[g.IntN(len(list))]
	if g.IntN(3) > 0 && (strings.HasPrefix(form, "G.") || strings.Contains(form, "keeper")) {
		return g.variable(kind)
	}
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(form, "{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		in, rest, _ := strings.Cut(after, "}")
		if _, known := forms[in]; !known {
			out.WriteString("{")
			form = after
			continue
		}
		out.WriteString(g.expr(in, depth-1))
		form = rest
	}
}

// generate returns a file with functions.
func generate(seed uint64, n int) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	var list strings.Builder
	for i := range n {
		name := fmt.Sprintf("F%d", i)
		g.function(name)
		fmt.Fprintf(&list, "\t{%q, %s},\n", name, name)
	}
	var imports strings.Builder
	for _, path := range []string{"bytes", "errors", "fmt", "io/fs", "slices", "strconv", "strings"} {
		fmt.Fprintf(&imports, "\t%q\n", path)
	}
	return "package random\n\nimport (\n" + imports.String() + ")\n\n" +
		"// Functions has all of them.\nvar Functions = []struct {\n\tName string\n\tF    func(string, *Box) (string, any)\n}{\n" + list.String() + "}\n\n" +
		"var _, _, _, _, _, _ = bytes.NewBuffer, errors.New, fmt.Sprint, fs.ErrExist, strconv.Quote, strings.Clone\n\nvar _ = slices.Contains[[]int]\n" + g.out.String()
}
