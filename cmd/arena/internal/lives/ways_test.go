package lives

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestSteps: in a function that is four times as long, four times as many instructions are looked
// at to find out what an end may end.
func TestSteps(t *testing.T) {
	stub, err := filepath.Abs("../../arenavet/testdata/stub")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/steps\n\ngo 1.26.0\n\nrequire github.com/arena-go/arena v0.0.0\n\nreplace github.com/arena-go/arena => " + stub + "\n",
		"a/x.go": program(100),
		"b/x.go": program(400),
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var looked []int
	for _, p := range loaded(t, dir, "GOWORK=off") {
		v := NewProver([]*packages.Package{p})
		n := 0
		for _, e := range v.Ends() {
			if proof := v.Prove(e); !proof.Proved {
				t.Errorf("%s: %s", e.Kind, text(proof))
			}
			for _, a := range v.answers {
				n += a.looked
			}
			clear(v.answers)
		}
		looked = append(looked, n)
	}
	t.Logf("%d steps", looked)
	if len(looked) != 2 || looked[0] == 0 || looked[1] > 5*looked[0] {
		t.Errorf("%d steps, want at most five times as many in the second one", looked)
	}
}

// program returns a program with a Reset, and a Mark and Rewind around n allocations.
func program(n int) string {
	return `package main

import "github.com/arena-go/arena"

func main() {
	a, n := arena.NewArena(), 0
	for range 10 {
		m := a.Mark()
` + strings.Repeat("\t\tn += *arena.New[int](a)\n", n) + `
		a.Rewind(m)
		a.Reset()
	}
	println(n)
}
`
}
