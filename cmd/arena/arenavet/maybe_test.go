package arenavet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// reported calls look for each package of a module in testdata, with the checker that has analyzed
// it.
func reported(t *testing.T, module string, patterns []string, look func(*packages.Package, *checker)) {
	t.Helper()
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	all, err := load.Packages(load.Config{Dir: filepath.Join("testdata", module), Env: env}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		c := checkerOf(p, nil)
		c.analyze()
		look(p, c)
	}
}

// TestMaybe looks for what is reported with the flag maybe only, in files of the corpus that have
// comments for it, with the syntax of TestCorpus.
func TestMaybe(t *testing.T) {
	comment := regexp.MustCompile("// maybe `(.*)`")
	reported(t, "corpus", []string{"./buses", "./kinds"}, func(p *packages.Package, c *checker) {
		got := map[string]string{}
		for _, d := range c.sorted() {
			if q := c.position(d.pos); d.maybe {
				got[fmt.Sprint(q.Filename, q.Line)] = d.code + ": " + d.message
			}
		}
		for _, name := range p.CompiledGoFiles {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for line := range strings.Lines(string(text)) {
				n++
				key, want := fmt.Sprint(name, n), comment.FindStringSubmatch(line)
				if want != nil && !regexp.MustCompile(want[1]).MatchString(got[key]) {
					t.Errorf("%s:%d: %q is not reported", name, n, want[1])
				}
				if want == nil && got[key] != "" {
					t.Errorf("%s:%d: is not expected: %s", name, n, got[key])
				}
			}
		}
	})
}

// TestPerhaps demands that innocent functions are not even suspected.
func TestPerhaps(t *testing.T) {
	reported(t, "pools", []string{"./detached"}, func(_ *packages.Package, c *checker) {
		for _, d := range c.sorted() {
			if q := c.position(d.pos); strings.HasSuffix(q.Filename, "innocent.go") {
				t.Errorf("%s:%d: %s: %s", filepath.Base(q.Filename), q.Line, d.code, d.message)
			}
		}
	})
}
