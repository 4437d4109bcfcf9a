package fix

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// written returns the directory of a module example.com/m that is one text: files behind lines "--
// name --".
func written(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	files := txtar.Parse([]byte(source)).Files
	mod := "module example.com/m\n\ngo 1.26.0\n\nrequire " + arenaPath + " v0.0.0\n\nreplace " + arenaPath + " => " + sources(t) + "\n"
	for _, f := range append(files, txtar.File{Name: "go.mod", Data: []byte(mod)}) {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// words is a small module, which needs nothing of the standard library: such a one is analyzed in
// no time.
const words = `
-- a.go --
package m

type Node struct {
	Name string
	Kids []*Node
}

func (n *Node) Len() int { return 1 + len(n.Kids) }

type problem struct{}

func (problem) Error() string { return "nothing" }

func Parse(text string) (*Node, error) {
	if text == "" {
		return nil, problem{}
	}
	n := &Node{Name: "all"}
	from := 0
	for i := range len(text) + 1 {
		if i == len(text) || text[i] == ' ' {
			n.Kids = append(n.Kids, &Node{Name: text[from:i] + "."})
			from = i + 1
		}
	}
	return n, nil
}

func Count(text string) int {
	n, err := Parse(text)
	if err != nil {
		return -1
	}
	return n.Len()
}

func Tree(text string) (*Node, error) { return Parse(text) }

var last *Node

func Global(text string) {
	if n, err := Parse(text); err == nil {
		last = n
	}
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	if n := Count("a b c"); n != 4 {
		t.Error(n)
	}
}
`

// rewritten rewrites such a module, and runs its tests. It returns the result, and the new sources
// in one text.
func rewritten(t *testing.T, source string, o Options) (*Result, string) {
	t.Helper()
	o.Dir = written(t, source)
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	return r, runs(t, o.Dir, r)
}

// runs writes a result, and runs the tests of the module. It returns the new sources in one text.
func runs(t *testing.T, dir string, r *Result) string {
	t.Helper()
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, src := range r.Files {
		all.Write(src)
	}
	cmd := exec.Command("go", "test", "-vet=off", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, &all)
	}
	return all.String()
}

// apart rewrites many modules of one package m at once: they become packages p0, p1, … of one
// module, each with the roots of o. It runs the tests, and returns by module what rewritten would,
// under the names of the module. Structs get the arena wherever they may: it is not tried whether
// more moves without them, since such a trial is of all modules at once. No test may make a struct
// without the names of fields: no struct of its name would get the arena.
func apart(t *testing.T, modules []string, o Options) (results []*Result, texts []string) {
	t.Helper()
	var source strings.Builder
	var roots []string
	for i, text := range modules {
		p := fmt.Sprintf("p%d", i)
		for _, f := range txtar.Parse([]byte(text)).Files {
			fmt.Fprintf(&source, "-- %s/%s --\n%s", p, f.Name, strings.Replace(string(f.Data), "package m\n", "package "+p+"\n", 1))
		}
		for _, root := range o.Roots {
			roots = append(roots, p+strings.TrimPrefix(root, "m"))
		}
	}
	o.Roots = roots
	o.Dir = written(t, source.String())
	l, err := read(o.Dir, o.patterns())
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := run(o, l)
	if err != nil {
		t.Fatal(err)
	}
	runs(t, o.Dir, r)
	for i := range modules {
		prefix := fmt.Sprintf("example.com/m/p%d", i)
		mine := func(name string) (string, bool) {
			rest, ok := strings.CutPrefix(name, prefix)
			return "example.com/m" + rest, ok && (rest == "" || rest[0] == '.')
		}
		one := &Result{}
		for _, s := range r.Sites {
			var ok bool
			if s.Package, ok = mine(s.Package); ok {
				s.Function, _ = mine(s.Function)
				one.Sites = append(one.Sites, s)
			}
		}
		for _, c := range r.Carriers {
			if c, ok := mine(c); ok {
				one.Carriers = append(one.Carriers, c)
			}
		}
		var src strings.Builder
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			if strings.Contains(filepath.ToSlash(name), fmt.Sprintf("/p%d/", i)) {
				src.Write(r.Files[name])
			}
		}
		results, texts = append(results, one), append(texts, src.String())
	}
	return results, texts
}
