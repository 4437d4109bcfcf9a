package fix

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/lives"
	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

var expected = regexp.MustCompile(`(?m)^func (?:\(\w+ \*?(\w+)\) )?(\w+)[^/\n]*// (proved|returned|unknown)(?:[:,] (.*))?$`)

// TestScopes compares what is proved of each caller of a root with the comment at it.
func TestScopes(t *testing.T) {
	t.Parallel()
	if count := compareScopes(t, original(t, "scopes"), "example.com/scopes."); count["proved"] < 20 || count["returned"] < 20 || count["unknown"] < 20 {
		t.Errorf("comments of each kind: %v", count)
	}
}

// callers returns a copy of the module scopes. The short form is without the file that calls most
// of the standard library, all of which is analyzed.
func callers(t *testing.T) string {
	t.Helper()
	if testrun.Long() {
		return module(t, "scopes")
	}
	return module(t, "scopes", "library.go")
}

// TestScopesPath: the path of a module need not have a dot, as paths of the standard library have
// none.
func TestScopesPath(t *testing.T) {
	t.Parallel()
	dir := callers(t)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module scopes\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	compareScopes(t, dir, "scopes.")
}

// compareScopes returns how many comments of each kind there are.
func compareScopes(t *testing.T, dir, prefix string) (count map[string]int) {
	t.Helper()
	r, err := Run(Options{Dir: dir, Roots: []string{"scopes.Parse", "scopes.maker.Make"}, AllScope: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Scope{}
	for _, s := range r.Scopes {
		got[strings.TrimPrefix(s.Function, prefix)] = s
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	count = map[string]int{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range expected.FindAllStringSubmatch(string(src), -1) {
			name, verdict, more := m[2], m[3], m[4]
			count[verdict]++
			if m[1] != "" {
				name = m[1] + "." + name
			}
			s, ok := got[name]
			delete(got, name)
			turns := ""
			if s.Loops > 0 {
				turns = "turns"
			} else if s.Kept > 0 {
				turns = "all turns"
			}
			switch {
			case !ok || s.Verdict.String() != verdict:
				t.Errorf("%s is %v (%s, at %v), want %s", name, s.Verdict, s.Why, s.At, verdict)
			case s.Verdict == lives.Proved && turns != more:
				t.Errorf("%s: the arena is reset at %q, want %q", name, turns, more)
			case s.Verdict == lives.Unknown && !strings.Contains(s.Why, more):
				t.Errorf("%s: %s, want %s", name, s.Why, more)
			case s.Verdict != lives.Proved && !s.At.IsValid():
				t.Errorf("%s: %s, nowhere", name, s.Why)
			}
		}
	}
	for name := range got {
		t.Errorf("%s has no comment", name)
	}
	return count
}

// TestScopesClosed: a function of the library calls a function that is not known, in a program that
// is all there is.
func TestScopesClosed(t *testing.T) {
	t.Parallel()
	source := strings.Replace(words, "package m\n", `package m

import "sort"

func SortBy(text string, less func(i, j int) bool) int {
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	sort.Slice(n.Kids, less)
	return n.Len()
}
`, 1)
	r, err := Run(Options{Dir: written(t, source), Roots: []string{"m.Parse"}, Scopes: []string{"m.SortBy"}, Closed: true})
	if err != nil || len(r.Scopes) != 1 {
		t.Errorf("%v, %v", r, err)
	}
}

// TestScopeNamed names one that is proved, and others.
func TestScopeNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, words)
	for scope, want := range map[string]string{
		"m.Count": "", "m.Tree": "not proved: it is returned", "m.Global": "not proved: it is stored in something older",
		"m.nothing": "no such function", "m.Node.Len": "calls no root",
	} {
		r, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}, Scopes: []string{scope}})
		if want == "" && err == nil && len(r.Scopes) == 1 {
			src := string(r.Files[filepath.Join(dir, "a.go")])
			for _, text := range []string{"var countArenas arena.Pool\n", "ar := countArenas.Get()\n\tr0 := countIn(ar, text)\n\tcountArenas.Put(ar)", "n, err := ParseIn(ar, text)"} {
				if strings.Count(src, text) != 1 {
					t.Errorf("no %s in\n%s", text, src)
				}
			}
			continue
		}
		if want == "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", scope, err, want)
		}
	}
}

// TestScopesRun runs the tests of the module, with arenas from the Pools of all callers that are
// proved.
func TestScopesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module in many ways")
	}
	arena := sources(t)
	t.Chdir(callers(t))
	tested(t, arena, Options{Roots: []string{"scopes.Parse", "scopes.maker.Make"}, AllScope: true})
}
