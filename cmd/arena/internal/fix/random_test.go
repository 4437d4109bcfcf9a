package fix

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/lives"
	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// TestScopesRandom generates functions, and compares what they leave on the heap with what they
// leave with arenas from Pools, whose memory is filled at Put. In those that are proved nothing
// differs. In the others much does, if they get arenas all the same: the comparison sees what a
// wrong proof does.
func TestScopesRandom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs in many ways")
	}
	closedBySeed, functions := map[uint64]bool{2: true}, 30
	if testrun.Long() {
		closedBySeed, functions = map[uint64]bool{1: false, 2: true}, 100
	}
	for seed, closed := range closedBySeed {
		dir := randomModule(t, seed, functions)
		heap := leaves(t, dir)
		r := changed(t, Options{Dir: dir, Roots: []string{"random.Parse"}, AllScope: true, Closed: closed, unproved: true})
		pools := leaves(t, dir)
		proved, wrong := 0, 0
		for _, s := range r.Scopes {
			name := s.Function[strings.LastIndex(s.Function, ".")+1:]
			differs := heap[name] != pools[name]
			switch {
			case s.Verdict == lives.Proved && differs:
				t.Errorf("seed %d: %s is proved, and leaves\n%s\nwant\n%s", seed, name, pools[name], heap[name])
				fallthrough
			case s.Verdict == lives.Proved:
				proved++
			case differs:
				wrong++
			}
		}
		t.Logf("seed %d: %d proved of %d, %d of the others differ", seed, proved, len(r.Scopes), wrong)
		if proved < len(r.Scopes)/8 || wrong < len(r.Scopes)/8 {
			t.Errorf("seed %d: %d proved of %d, %d of the others differ; want more", seed, proved, len(r.Scopes), wrong)
		}
	}
}

func randomModule(t *testing.T, seed uint64, functions int) string {
	t.Helper()
	return withFunctions(t, "random", generate(seed, functions))
}

// withFunctions returns the directory of a module of testdata with one more file.
func withFunctions(t *testing.T, name, source string) string {
	t.Helper()
	dir := module(t, name)
	if err := os.WriteFile(filepath.Join(dir, "functions.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// changed rewrites the files of a module, and has it require the package arena of the checkout.
func changed(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := require(context.Background(), o.Dir, "", sources(t)); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	return r
}

// leaves returns what each function leaves. The program is not optimized, as it runs for less time
// than that takes.
func leaves(t *testing.T, dir string) map[string]string {
	t.Helper()
	out, err := command(context.Background(), dir, "go", "run", "-gcflags=example.com/...=-N -l", "-tags", "arenadebug", "./main")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, left, _ := strings.Cut(line, " ")
		all[name] = left
	}
	return all
}
