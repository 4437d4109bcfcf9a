package fix

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var said = regexp.MustCompile(`// (moves|stays): (.*)$`)

// TestSites compares what becomes of each site with the comments in the sources, line by line.
func TestSites(t *testing.T) {
	t.Parallel()
	for _, m := range []struct{ name, root, carrier string }{{"keeps", "keeps.Run", "keeps.maker"}, {"order", "order.Run", "order.Result"}, {"later", "later.Run", "later.table"}, {"vars", "vars.Run", "vars.keeper"}} {
		dir := original(t, m.name)
		r, err := Run(Options{Dir: dir, Roots: []string{m.root, m.name + ".Others"}, Known: true, Carriers: []string{m.carrier}, NoFind: true})
		if err != nil {
			t.Fatal(err)
		}
		asCommented(t, dir, r)
	}
}

// parseAsCommented rewrites what m.Parse calls in packages of a directory, and compares what
// becomes of each site with the comments there.
func parseAsCommented(t *testing.T, dir string, patterns ...string) *Result {
	t.Helper()
	r, err := Run(Options{Dir: dir, Patterns: patterns, Roots: []string{"m.Parse"}})
	if err != nil {
		t.Fatal(err)
	}
	asCommented(t, dir, r)
	return r
}

// asCommented compares what becomes of each site with the comments in the sources of a directory.
func asCommented(t *testing.T, dir string, r *Result) {
	t.Helper()
	got := map[string][]string{}
	for _, s := range r.Sites {
		verdict := "stays: "
		if s.Why == "" {
			verdict = "moves: "
		}
		line := s.File + ":" + strconv.Itoa(s.Line)
		if text := verdict + s.Kind; !slices.Contains(got[line], text) {
			got[line] = append(got[line], text)
		}
	}
	want := comments(t, dir)
	for _, line := range slices.Sorted(maps.Keys(want)) {
		for _, text := range want[line] {
			if !slices.Contains(got[line], text) {
				t.Errorf("%s: %v, want %s", line, got[line], text)
			}
		}
	}
}

// comments returns what the comments say, by file and line.
func comments(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, more...) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			if m := said.FindStringSubmatch(lines.Text()); m != nil {
				for kind := range strings.SplitSeq(m[2], ", ") {
					line := fmt.Sprintf("%s:%d", name, n)
					all[line] = append(all[line], m[1]+": "+kind)
				}
			}
		}
	}
	return all
}
