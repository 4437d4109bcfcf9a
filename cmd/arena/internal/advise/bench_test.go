package advise

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// TestBenchOutput: the lines of the runtime are counted, however they come, and others are passed
// on. One stands behind the name of a benchmark.
func TestBenchOutput(t *testing.T) {
	// The result of a sub-benchmark counts for its function.
	want := []Unit{{"BenchmarkX", 2, 1}, {"BenchmarkLong", 1.5e3, 40}}
	const text = "goos: linux\ngc 1 @0.015s 2%: 0.01+0.2+0.1 ms clock, 0.25+0.5/1/2+0.25 ms cpu, 3->3->0 MB, 4 MB goal\nBenchmarkX \tgc 2 @0.020s 2%: x\n   1\t 2 ns/op\nBenchmarkLong/size=4-2  40\t1500 ns/op\t 3 B/op\ngc nonsense\nexit"
	for size := 1; size <= len(text); size++ {
		var log strings.Builder
		c := &benchOutput{log: &log}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := io.WriteString(c, rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		c.flush()
		c.cpu = 16 * time.Millisecond
		if c.cycles != 2 || c.share() != 0.25 || !slices.Equal(c.units, want) || !c.ran || log.String() != "goos: linux\nBenchmarkX    1\t 2 ns/op\nBenchmarkLong/size=4-2  40\t1500 ns/op\t 3 B/op\ngc nonsense\nexit\n" {
			t.Fatalf("pieces of %d: %d cycles, %v of the time, ran %v, log %q", size, c.cycles, c.share(), c.ran, log.String())
		}
	}
}

// writeModule makes a module of these files, and makes it the directory.
func writeModule(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
}

// TestBenchmarkKeeps: what a benchmark keeps in a variable of its own is dead when package testing
// writes the profile of memory, and lives long nevertheless. The same holds for a package whose
// tests have names such as the watcher's imports, and belong to another package.
func TestBenchmarkKeeps(t *testing.T) {
	benchmarked(t, "store", map[string]string{
		"go.mod": "module example.com/store\n\ngo 1.26\n",
		"store.go": `package store

type Entry struct {
	Next *Entry
	Data [6]int
}

type Log struct{ last *Entry }

// Add takes some time, so that many samples do not mean much memory.
func (l *Log) Add(i int) {
	for range 500 {
		i = i*31 + 7
	}
	l.last = &Entry{Next: l.last, Data: [6]int{i}}
}

var time, os, pprof int
`,
		"store_test.go": `package store_test

import (
	"testing"

	"example.com/store"
)

func BenchmarkLog(b *testing.B) {
	var l store.Log
	for i := 0; b.Loop(); i++ {
		l.Add(i)
	}
}
`,
	}, "-gogc", "100", "-benchtime", "6000000x", "-bench", "Log", "./...")
}

// TestBenchmarkMistakes: what is wrong with a benchmark is said.
func TestBenchmarkMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	writeModule(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go":   "package m\n",
		"m_test.go": `package m

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("NEEDS") == "" {
		fmt.Print("needs NEEDS")
		os.Exit(3)
	}
	m.Run()
}
`,
	})
	if status, _, err := run("-bench", "X", "."); status != troubled || !strings.HasPrefix(err, "needs NEEDS\narena advise: the benchmarks of .: exit status 3") {
		t.Errorf("status %d, %s", status, err)
	}
	t.Setenv("NEEDS", "1")
	if status, _, err := run("-bench", "X", "."); status != troubled || !strings.Contains(err, `no benchmark that matches "X"`) {
		t.Errorf("status %d, %s", status, err)
	}
	// Too few samples: it goes on a few times, and not without profiles.
	// Nor does a stack end the program that is deeper than any the runtime can note.
	if err := os.WriteFile("few_test.go", []byte(`package m

import "testing"

var kept = deep(2000)

func deep(n int) []byte {
	if n == 0 {
		return make([]byte, 1<<25)
	}
	return deep(n - 1)
}

func BenchmarkFew(b *testing.B) {
	for b.Loop() {
	}
}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, log := run("-bench", "Few", "-benchtime", "1x", ".")
	if status != troubled || !strings.Contains(log, "fewer than 300") || strings.Contains(log, "without profiles") || strings.Count(log, "; on with -benchtime") != maxRounds-1 {
		t.Errorf("status %d, %s", status, log)
	}
	if err := errors.Join(os.Remove("few_test.go"), os.Remove("m_test.go")); err != nil {
		t.Fatal(err)
	}
	if status, _, err := run("-bench", "X", "."); status != troubled || !strings.Contains(err, "no benchmark that matches") && !strings.Contains(err, "no tests") {
		t.Errorf("status %d, %s", status, err)
	}
}

// TestImported: a package that has only benchmarks is none of those that arena fix is asked about.
func TestImported(t *testing.T) {
	writeModule(t, map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.26\n",
		"m.go":            "package m\n",
		"x/x.go":          "package x\n",
		"bench/b_test.go": "package bench\n\nimport _ \"example.com/m\"\n",
	})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]string{"./bench": ".", ".": ".", "./x": "./x"} {
		if got, err := imported(t.Context(), "example.com/m", dir, pkg); err != nil || strings.Join(got, " ") != want {
			t.Errorf("of %s: %v, %v; want %s", pkg, got, err, want)
		}
	}
}

// TestScaled: a time and a number of loops become longer.
func TestScaled(t *testing.T) {
	for _, c := range []struct{ before, after string }{{"5s", "7.5s"}, {"100x", "151x"}, {"1m", "1m30s"}} {
		if got := scaled(c.before, 1.5); got != c.after {
			t.Errorf("%s becomes %s, want %s", c.before, got, c.after)
		}
	}
	for _, c := range []struct {
		have int
		want float64
	}{{0, maxLonger}, {299, 1}, {100, 2.4}} {
		if got := (&TooFewError{"cpu", c.have, minCPU}).longer(); got != c.want {
			t.Errorf("%d samples: %v times as long, want %v", c.have, got, c.want)
		}
	}
}

// TestTurns: where the units of work of a benchmark are short, their ends count.
func TestTurns(t *testing.T) {
	p := parser()
	for i, s := range p.calls[:2] {
		p.calls[i].stack = strings.Replace(s.stack, "main.main:9", "example.com/p.BenchmarkX.func1@_test:7 example.com/p.BenchmarkX@_test:9", 1)
	}
	before := analyze(t, p, moved).Total()
	for _, nanos := range []float64{1000, 1e6} {
		got := analyze(t, p, func(in *Input) {
			moved(in)
			in.Units = []Unit{{"BenchmarkX", nanos, 1}, {"BenchmarkX", 2 * nanos, 1}, {"BenchmarkY", 1, 1}}
		}).Total()
		turns := 0.8 / nanos // the collector is outside
		want := Range{before.Low - turns*(perReset.Low+perStore), before.High - turns*perReset.High}
		if math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("loops of %v ns: saves %v, want %v, of %v without", nanos, got, want, before)
		}
	}
}

// TestLeastInUse: of profiles during a run, the least of the second half of those counts in which a
// site was at work.
func TestLeastInUse(t *testing.T) {
	var live []*profile.Profile
	for i := range 10 {
		n := int64(i + 1)
		b := &builder{p: &profile.Profile{SampleType: memoryTypes(), Period: 512 << 10}}
		b.add([]string{"example.com/p.keep:1", "main.main:1"}, n, n*mb, n, n*mb)               // all that it makes
		b.add([]string{"example.com/p.work:2", "main.main:1"}, n, n*mb, 0, int64(i%3)*mb)      // some of it, now and then
		b.add([]string{"example.com/p.early:3", "main.main:1"}, 1, min(n, 4)*mb, 0, (10-n)*mb) // it stops after the fourth
		live = append(live, b.p)
	}
	got, err := view{}.leastInUse(live)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[siteKey]int64{
		{"example.com/p.keep", 1}: 6 * mb, {"example.com/p.work", 2}: 0, {"example.com/p.early", 3}: 6 * mb,
	} {
		if got[key] != want {
			t.Errorf("%v: %d bytes, want %d", key, got[key], want)
		}
	}
}
