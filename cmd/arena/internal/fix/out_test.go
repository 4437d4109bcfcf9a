package fix

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOut: packages that do not compile are left out, with those that import them, and the report
// names them. A root in one of them is an error that says what does not compile.
func TestOut(t *testing.T) {
	t.Parallel()
	const broken = words + `
-- bad/bad.go --
package bad

import "example.com/m"

func Twice(s string) []*m.Node { return append(m.Parse(s), m.None(s)) }
-- bad/user/user.go --
package user

import "example.com/m/bad"

func User(s string) int { return len(bad.Twice(s)) }
`
	dir := written(t, broken)
	r, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.com/m/bad", "example.com/m/bad/user"}; r.Moved() == 0 || !slices.Equal(r.Out, want) {
		t.Errorf("%d sites move, without %v", r.Moved(), r.Out)
	}
	var out bytes.Buffer
	if err := r.WriteReport(&out, false); err != nil || !strings.Contains(out.String(), "does not compile: example.com/m/bad, example.com/m/bad/user\n") {
		t.Error(out.String(), err)
	}
	for _, root := range []string{"bad.Twice", "user.User"} {
		if _, err := Run(Options{Dir: dir, Roots: []string{root}}); err == nil || !strings.Contains(err.Error(), "m.None") {
			t.Errorf("-root %s: %v", root, err)
		}
	}
	if _, err := Run(Options{Dir: dir, Patterns: []string{"./bad/..."}, Roots: []string{"bad.Twice"}}); err == nil || !strings.Contains(err.Error(), "do not compile") {
		t.Errorf("nothing compiles: %v", err)
	}
}

// TestGodebug: when the version of Go in go.mod becomes newer, the settings of GODEBUG stay.
func TestGodebug(t *testing.T) {
	t.Parallel()
	arena := sources(t)
	for mod, want := range map[string]string{
		"go 1.20\n":                           "godebug default=go1.20",
		"":                                    "godebug default=go1.16",
		"go 1.26\n":                           "",
		"go 1.21\n\ngodebug default=go1.21\n": "godebug default=go1.21",
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "go.mod")
		if err := os.WriteFile(name, []byte("module example.com/m\n\n"+mod), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := require(t.Context(), dir, "", arena); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "godebug"); !strings.Contains(string(b), want) || want == "" && n > 0 || n > 1 {
			t.Errorf("%q becomes\n%s", mod, b)
		}
	}
}
