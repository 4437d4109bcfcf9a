package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestParts checks that each package is in one part, with its tests, and that parts are not much
// larger than they may be.
func TestParts(t *testing.T) {
	files := slices.Repeat([]string{"x.go"}, 300)
	pkg := func(id, path string) *packages.Package {
		return &packages.Package{ID: id, PkgPath: path, GoFiles: files}
	}
	l := listing{patterns: []string{"./..."}, roots: []*packages.Package{
		pkg("m/a", "m/a"), pkg("m/a [m/a.test]", "m/a"), pkg("m/a_test [m/a.test]", "m/a_test"), pkg("m/a.test", "m/a.test"),
		pkg("m/b", "m/b"), pkg("m/c", "m/c"), pkg("m/c [m/c.test]", "m/c"), pkg("m/d", "m/d"),
	}}
	var names [][]string
	var sizes []int
	for part, roots := range l.parts() {
		names, sizes = append(names, part), append(sizes, len(roots))
	}
	if !slices.EqualFunc(names, [][]string{{"m/a"}, {"m/b", "m/c"}, {"m/d"}}, slices.Equal) || !slices.Equal(sizes, []int{4, 3, 1}) {
		t.Errorf("parts %q of %d packages", names, sizes)
	}
	l.roots = l.roots[:1]
	for part := range l.parts() {
		if !slices.Equal(part, l.patterns) {
			t.Errorf("what fits into one part is loaded as %q", part)
		}
	}
}

// TestWorkspace: modules in the module cache may have a go.work file that names others, which are
// not there.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "go.work": "go 1.26\n\nuse (\n\t.\n\t./gone\n)\n", "a.go": "package m\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Packages(Config{Dir: dir, Env: append(os.Environ(), "GOWORK=")}, "./...")
	if err == nil || !strings.Contains(err.Error(), "with GOWORK=off") {
		t.Error(err)
	}
}
