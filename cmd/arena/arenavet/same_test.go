package arenavet

import (
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// TestSame analyzes the corpus several times. Findings, and what depends on a path, must be the
// same each time.
func TestSame(t *testing.T) {
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	all, err := load.Packages(load.Config{Dir: "testdata/corpus", Env: env}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var order []*packages.Package
	packages.Visit(all, nil, func(p *packages.Package) { order = append(order, p) })
	var first []string
	for n := range 3 {
		summaries := map[*types.Func]*summary{}
		facts := func(fn *types.Func, s *summary) bool {
			sum := summaries[fn]
			if sum != nil {
				*s = *sum
			}
			return sum != nil
		}
		var lines []string
		for _, p := range order {
			c := checkerOf(p, facts)
			c.analyze()
			for fn, sum := range c.summaries {
				if obj, ok := fn.Object().(*types.Func); ok {
					summaries[obj] = sum
				}
			}
			for _, d := range c.sorted() {
				lines = append(lines, fmt.Sprint(c.position(d.pos), d.code, d.maybe, d.message))
			}
		}
		if n == 0 {
			first = lines
			continue
		}
		for _, l := range lines {
			if !slices.Contains(first, l) {
				t.Errorf("only in run %d: %s", n, l[strings.Index(l, "corpus/"):])
			}
		}
		for _, l := range first {
			if !slices.Contains(lines, l) {
				t.Errorf("not in run %d: %s", n, l[strings.Index(l, "corpus/"):])
			}
		}
	}
}
