package advise

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
)

// TestRoots: the functions of scopes as arena fix has them.
func TestRoots(t *testing.T) {
	for _, c := range []struct{ fn, pkg, file, want string }{
		{"example.com/p.Parse", "example.com/p", "x.go", "example.com/p.Parse"},
		{"example.com/p.(*Tree).Parse", "example.com/p", "x.go", "example.com/p.Tree.Parse"},
		{"example.com/p.tree.parse", "example.com/p", "x.go", "example.com/p.tree.parse"},
		{"gopkg.in/yaml.v3.unmarshal", "gopkg.in/yaml.v3", "x.go", "gopkg.in/yaml.v3.unmarshal"},
		{"main.main", "main", "x.go", ""},
		{"main.serve", "main", "x.go", "main.serve"},
		{"example.com/p.Parse.func1", "example.com/p", "x.go", ""},
		{"example.com/p.(*Tree).Parse.func1.2", "example.com/p", "x.go", ""},
		{"example.com/p.glob..func1", "example.com/p", "x.go", ""},
		{"example.com/p.(*Tree).Parse-fm", "example.com/p", "x.go", ""},
		{"example.com/p.BenchmarkParse", "example.com/p", "x_test.go", ""},
	} {
		if got := (frame{fn: c.fn, pkg: c.pkg, file: c.file}).asRoot(); got != c.want {
			t.Errorf("%s in %s: root %q, want %q", c.fn, c.file, got, c.want)
		}
	}
}

// TestWays: nothing of a stack moves on which the arena is lost, unless a function on it has it in
// a struct.
func TestWays(t *testing.T) {
	const pkg = "example.com/p."
	sites := []fix.Site{{Package: "example.com/p", File: "x.go", Line: 12, Lines: lines(12)}}
	whole := analyze(t, parser(), nil).Total()
	for _, c := range []struct {
		name      string
		way       fix.Way
		always    bool
		carried   string
		low, high bool // it moves
	}{
		{"no other way", fix.Way{From: pkg + "Parse", To: pkg + "lex"}, true, "", true, true},
		{"another call has it", fix.Way{From: pkg + "Parse", To: pkg + "tree.expr"}, false, "", false, true},
		{"none has it", fix.Way{From: pkg + "Parse", To: pkg + "tree.expr"}, true, "", false, false},
		{"in a literal", fix.Way{From: pkg + "tree.expr", To: pkg + "node"}, true, "", false, false},
		{"in a struct", fix.Way{From: pkg + "Parse", To: pkg + "tree.expr"}, true, pkg + "node", false, true},
	} {
		p := parser()
		p.calls[1].stack = strings.Replace(p.calls[1].stack, "p.(*tree).expr:30", "p.(*tree).expr.func2:30", 1)
		a := analyze(t, p, func(in *Input) {
			in.Sites = sites
			in.Ways = fix.Ways{Bare: map[fix.Way]bool{c.way: c.always}, Carried: map[string]bool{c.carried: true}}
		})
		got := a.Total()
		if got.High > 0 != c.high || got.Low > 0 != c.low || c.high && got.High != whole.High || c.low && got.Low != whole.Low {
			t.Errorf("%s: saves %v, %v without", c.name, got, whole)
		}
		if !c.high && (len(a.Left) != 1 || a.Left[0].Why != "arena fix leaves it: no arena gets there on this way") {
			t.Errorf("%s: left %v", c.name, a.Left)
		}
	}
}

// TestTypeArguments: a function with type arguments is one function, whatever they are.
func TestTypeArguments(t *testing.T) {
	const list = "[go.shape.struct {;example.com/q.a/b.x[]int;}]" // as in a profile, with other spaces
	p := parser()
	for i, s := range p.calls {
		p.calls[i].stack = strings.NewReplacer("p.Parse", "p.(*Tree"+strings.ReplaceAll(list, "struct {", "struct{")+").Parse", "main.main", "main.main").Replace(s.stack)
	}
	p.calls[1].stack = strings.ReplaceAll(p.calls[1].stack, "p.node", "p.node"+strings.ReplaceAll(list, "struct {", "struct{"))
	a := analyze(t, p, nil)
	if len(a.Scopes) != 1 || a.Scopes[0].Function != "example.com/p.(*Tree).Parse" || a.roots(0)[0] != "example.com/p.Tree.Parse" {
		t.Errorf("scope %+v", a.Scopes[0])
	}
}

// TestCheckout: the sources come from the current directory, if the profiles have functions of it.
func TestCheckout(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "x.go": "package p\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	in := parser().profiles(t)
	if patterns, module := in.checkout(t.Context()); len(patterns) != 1 || patterns[0] != "./..." || module != "example.com/p" {
		t.Errorf("%v of %q", patterns, module)
	}
	for _, f := range in.Allocs.Function {
		f.Name = strings.Replace(f.Name, "example.com/p", "example.com/other", 1)
	}
	if patterns, module := in.checkout(t.Context()); patterns != nil || module != "" {
		t.Errorf("of another module: %v of %q", patterns, module)
	}
}

// TestSource: what arena fix says, and what the advice says where it cannot tell.
func TestSource(t *testing.T) {
	const found = `package p

type tree struct{ next *tree }

func node(t *tree) *tree {
	return &tree{t}
}

func Parse() *tree { return node(nil) }
`
	for _, c := range []struct {
		name, root, file, broken string
		unknown, fix             string
	}{
		{"found", "example.com/p.Parse", found, "", "", "arena fix -root example.com/p.Parse ./..."},
		{"one of two", "example.com/q.Other", found, "", "", "arena fix -root example.com/p.Parse ./..."},
		{"no such function", "example.com/p.Parse", strings.ReplaceAll(found, "Parse", "Other"), "", "no such function", ""},
		{"a program", "main.node", strings.ReplaceAll(found, "package p", "package main") + "\nfunc main() { Parse() }\n", "", "", "arena fix -root example.com/p.node ./..."},
		{"a literal", "example.com/p.Parse.func1", found, "", "no scope is a function", ""},
		{"another package does not compile", "example.com/p.Parse", found, "package q; var x = undefined", "", "arena fix -root example.com/p.Parse ./..."},
		{"it does not compile", "example.com/p.Parse", found + "var x = undefined", "", "do not compile", ""},
		{"only another one does", "example.com/p.Parse", found + "var x = undefined", "package q", "packages that compile", ""},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "x.go": c.file, "q/q.go": c.broken} {
			if text == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		p := program{[]call{{worker, 200, 0, 0, 0}, {"example.com/p.lex:3 example.com/p.Parse:9 main.main:2", 300, 0, 0, 0}}}
		alloc := call{newOf + "example.com/p.node:6 example.com/p.Parse:9 main.main:2", 300, 40e6, 2000 * mb, 0}
		switch c.root {
		case "example.com/q.Other":
			p.calls = append(p.calls, call{newOf + "example.com/q.make:6 example.com/q.Other:9", 50, 10e6, 500 * mb, 0})
		case "example.com/p.Parse.func1":
			alloc.stack = newOf + "example.com/p.Parse.func1:6 main.main:2"
		case "main.node":
			alloc.stack = newOf + "main.node:6 main.main:2"
		}
		p.calls = append(p.calls, alloc)
		in := p.profiles(t)
		in.Sources = []string{"./..."}
		a, err := Advise(t.Context(), io.Discard, in)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if (a.Verdict == Yes) != (c.fix != "") || a.Fix != c.fix || (a.Unknown != "") != (c.unknown != "") || !strings.Contains(a.Unknown, c.unknown) {
			t.Errorf("%s: pays %v, %q, unknown %q", c.name, a.Verdict, a.Fix, a.Unknown)
		}
		var text bytes.Buffer
		if err := a.WriteText(&text); err != nil || strings.Contains(text.String(), "The sources do not tell") != (c.unknown != "") {
			t.Errorf("%s: %v, %s", c.name, err, text.String())
		}
		if b, err := json.Marshal(a); err != nil || strings.Contains(string(b), `"unknown"`) != (c.unknown != "") {
			t.Errorf("%s: %v, %s", c.name, err, b)
		}
	}
}

// TestOuter: in a benchmark an outer function is the root if more moves so. Of other profiles it is
// the deepest function.
func TestOuter(t *testing.T) {
	writeModule(t, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "x.go": `package p

type node struct{ next *node }

func Build(more func(*node) *node) (list *node) {
	for range 100 {
		list = more(list)
	}
	return list
}

func Load() bool {
	return Build(func(list *node) *node {
		return &node{list}
	}).next != nil
}
`})
	p := program{[]call{
		{worker, 200, 0, 0, 0},
		{"example.com/p.Build:7 example.com/p.Load:13 main.main:2", 300, 0, 0, 0},
		{newOf + "example.com/p.Load.func1:14 example.com/p.Build:7 example.com/p.Load:13 main.main:2", 300, 40e6, 2000 * mb, 0},
	}}
	for _, c := range []struct {
		units []Unit
		want  string
	}{
		{[]Unit{{Benchmark: "BenchmarkLoad", Nanos: 1e6}}, "arena fix -root example.com/p.Load ./..."},
		{nil, ""},
	} {
		in := p.profiles(t)
		in.Sources, in.Units = []string{"./..."}, c.units
		a, err := Advise(t.Context(), io.Discard, in)
		if err != nil {
			t.Fatal(err)
		}
		if a.Fix != c.want {
			t.Errorf("%q: %s", a.Fix, a.Why)
		}
	}
}

// TestGenerated: files that a program has made change, too, if more moves so.
func TestGenerated(t *testing.T) {
	const source = `package p

type node struct{ next *node }

func grow(list *node) *node {
	return &node{list}
}
`
	writeModule(t, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "y.go": "// Code generated by y. DO NOT EDIT.\n\n" + source, "x.go": `package p

func Build() (list *node) {
	for range 100 {
		list = grow(list)
	}
	return list
}
`})
	p := program{[]call{
		{worker, 200, 0, 0, 0},
		{"example.com/p.Build:5 main.main:2", 300, 0, 0, 0},
		{newOf + "example.com/p.grow:8 example.com/p.Build:5 main.main:2", 300, 40e6, 2000 * mb, 0},
	}}
	in := p.profiles(t)
	for _, f := range slices.Concat(in.CPU.Function, in.Allocs.Function) {
		if f.Name == "example.com/p.grow" {
			f.Filename = "y.go"
		}
	}
	in.Sources = []string{"./..."}
	a, err := Advise(t.Context(), io.Discard, in)
	if err != nil {
		t.Fatal(err)
	}
	if want := "arena fix -generated -root example.com/p.Build ./..."; a.Fix != want {
		t.Errorf("%q, want %q: %s", a.Fix, want, a.Why)
	}
}
