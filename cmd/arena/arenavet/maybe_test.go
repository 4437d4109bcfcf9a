package arenavet

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// TestMaybe looks for what is reported with the flag maybe only, in files of the corpus that have
// comments for it, with the syntax of TestCorpus.
func TestMaybe(t *testing.T) {
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	all, err := load.Packages(load.Config{Dir: "testdata/corpus", Env: env}, "./buses", "./kinds")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile("// maybe `(.*)`")
	for _, p := range all {
		c := checkerOf(p, nil)
		c.analyze()
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
	}
}
