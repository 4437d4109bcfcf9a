package arenavet

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// written loads a package with one file.
func written(t *testing.T, source string) *checker {
	t.Helper()
	dir := t.TempDir()
	stub, err := filepath.Abs("testdata/stub")
	if err != nil {
		t.Fatal(err)
	}
	module := "module example.com/p\n\ngo 1.26.0\n\nrequire github.com/arena-go/arena v0.0.0\n\nreplace github.com/arena-go/arena => " + filepath.ToSlash(stub) + "\n"
	for name, text := range map[string]string{"go.mod": module, "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := load.Packages(load.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(all[0].Errors) > 0 {
		t.Fatal(all[0].Errors)
	}
	return checkerOf(all[0], nil)
}

// TestTriesTogether checks that fixes are tried together: the package is analyzed again once for
// all that are right, and a few times more for one that is not.
func TestTriesTogether(t *testing.T) {
	const n = 100
	right := "package p\n\nimport \"github.com/arena-go/arena\"\n"
	for i := range n {
		right += fmt.Sprintf("\nfunc f%d(a *arena.Arena, b []byte) string { return arena.String(a, string(b)) }\n", i)
	}
	const wrong = `
var pool arena.Pool

func give(a *arena.Arena, ok bool) {
	if ok {
		pool.Put(a)
	}
}

func lost(b []byte, ok bool) int {
	a := pool.Get()
	if arena.String(a, b) == "" {
		return 0
	}
	give(a, ok)
	return 1
}
`
	for _, test := range []struct {
		source       string
		fixes, tries int
	}{{right, n, 1}, {right + wrong, n, 15}} {
		c := written(t, test.source)
		c.analyze()
		c.useless()
		if got := len(c.suggested(c.sorted())); got != test.fixes || c.checks > test.tries {
			t.Errorf("%d fixes, and %d tries, want %d and %d", got, c.checks, test.fixes, test.tries)
		}
	}
}
