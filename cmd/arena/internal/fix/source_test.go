package fix

import (
	"os"
	"os/exec"
	"path/filepath"
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
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, src := range r.Files {
		all.Write(src)
	}
	cmd := exec.Command("go", "test", "-vet=off", "./...")
	cmd.Dir = o.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, &all)
	}
	return r, all.String()
}
