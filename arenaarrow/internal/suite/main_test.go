package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// stream is what test2json makes of a binary with tests that pass, fail and are
// skipped, one that prints, and one during which the process ends.
const stream = `{"Action":"start"}
{"Action":"run","Test":"TestGood"}
{"Action":"output","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"run","Test":"TestGood/part=1"}
{"Action":"output","Test":"TestGood/part=1","Output":"one\n"}
{"Action":"output","Test":"TestGood/part=1","Output":"two\n"}
{"Action":"pass","Test":"TestGood/part=1","Elapsed":0.5}
{"Action":"pass","Test":"TestGood"}
{"Action":"run","Test":"TestBad"}
{"Action":"pause","Test":"TestBad"}
{"Action":"cont","Test":"TestBad"}
{"Action":"fail","Test":"TestBad"}
{"Action":"run","Test":"TestAway"}
{"Action":"skip","Test":"TestAway"}
{"Action":"run","Test":"BenchmarkParts"}
{"Action":"run","Test":"BenchmarkParts/n=1"}
{"Action":"output","Test":"BenchmarkParts/n=1","Output":"BenchmarkParts/n=1-2  \t       1\t      1441 ns/op\n"}
{"Action":"run","Test":"BenchmarkBroken"}
{"Action":"output","Test":"BenchmarkBroken","Output":"--- FAIL: BenchmarkBroken\n"}
{"Action":"fail","Test":"BenchmarkBroken"}
{"Action":"run","Test":"BenchmarkNever"}
{"Action":"run","Test":"TestLast"}
{"Action":"output","Output":"fatal error: invented\n"}
{"Action":"fail"}
`

func TestParse(t *testing.T) {
	res, err := parse(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"TestGood": "pass", "TestGood/part=1": "pass", "TestBad": "fail", "TestAway": "skip", "TestLast": "run",
		"BenchmarkParts/n=1": "pass", "BenchmarkBroken": "fail", "BenchmarkNever": "run"}
	if !maps.Equal(res.tests, want) {
		t.Errorf("tests are %v, want %v", res.tests, want)
	}
	if got := res.head("TestGood/part=1", 1); got != "one" {
		t.Errorf("the first line of a test is %q, want one", got)
	}
	if got := res.head("", 5); got != "fatal error: invented" {
		t.Errorf("what belongs to no test is %q", got)
	}
	if got := res.with("fail", "run"); !slices.Equal(got, []string{"BenchmarkBroken", "BenchmarkNever", "TestBad", "TestLast"}) {
		t.Errorf("with returns %v", got)
	}
	if res.last != "BenchmarkBroken" {
		t.Errorf("the last to print is %q", res.last)
	}
	if _, err := parse(strings.NewReader(stream + "PASS\n")); err == nil {
		t.Error("parse takes what is not JSON")
	}
}

// TestCompareRandom compares runs of random tests. Each name says what becomes of the
// test on the heap and then, and so what compare has to say.
func TestCompareRandom(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	states := []string{"pass", "fail", "skip", "run", ""}
	for range 1000 {
		base, other := result{tests: map[string]string{}}, result{tests: map[string]string{}}
		var want comparison
		for i := range r.IntN(12) {
			before, after := states[r.IntN(len(states))], states[r.IntN(len(states))]
			left := r.IntN(5) == 0
			name := fmt.Sprintf("Test%02d/%s/%s/%v", i, before, after, left)
			if before != "" {
				base.tests[name] = before
			}
			if after != "" {
				other.tests[name] = after
			}
			well := before == "pass" || before == "skip"
			switch {
			case left || before == "":
			case well && after != before:
				want.differ = append(want.differ, name)
			case !well && after != "pass":
				want.failed = append(want.failed, name)
			case before == "pass":
				want.passed++
			}
		}
		got := compare(base, other, func(name string) bool { return strings.HasSuffix(name, "/true") })
		if got.passed != want.passed || !slices.Equal(got.failed, want.failed) || !slices.Equal(got.differ, want.differ) {
			t.Fatalf("compare says %+v, want %+v", got, want)
		}
	}
}

func TestNames(t *testing.T) {
	names := []string{"TestA", "TestA/x", "TestA/x/y", "TestAB", "TestB/z"}
	if got := leaves(names); !slices.Equal(got, []string{"TestA/x/y", "TestAB", "TestB/z"}) {
		t.Errorf("leaves returns %v", got)
	}
	if got := tops(names); !slices.Equal(got, []string{"TestA", "TestAB", "TestB"}) {
		t.Errorf("tops returns %v", got)
	}
	if got := pattern("TestA/x+y", "TestB"); got != `^TestA$/^x\+y$|^TestB$` {
		t.Errorf("pattern returns %s", got)
	}
}

// TestJudge is for known cases: they may pass or fail, but with debug they may not pass.
func TestJudge(t *testing.T) {
	passes := result{tests: map[string]string{"TestK": "pass", "TestK/a": "pass"}}
	fails := result{tests: map[string]string{"TestK": "fail", "TestK/a": "fail"}}
	dies := result{tests: map[string]string{"TestK": "run"}, ended: "exit status 2"}
	missing := result{tests: map[string]string{}}
	for _, c := range []struct {
		setting   string
		base, res result
		ok        bool
		says      string
	}{
		{"arena", passes, passes, true, ": passes$"},
		{"arena", passes, fails, true, "fails in 1 of 1$"},
		{"arena", passes, dies, true, "exit status 2$"},
		{"arena", passes, missing, false, "FAIL"},
		{"arena", missing, passes, false, "FAIL"},
		{"arena", fails, fails, false, "FAIL"},
		{"debug", passes, passes, false, "FAIL"},
		{"debug", passes, fails, true, "fails in 1 of 1$"},
		{"debug", passes, dies, true, "exit status 2$"},
	} {
		s := suite{setting: c.setting}
		s.judge("arrow/p", "TestK", "does it", c.base, c.res)
		if ok := len(s.bad) == 0; ok != c.ok || !regexp.MustCompile(c.says).MatchString(s.known[0]) {
			t.Errorf("%s: bad %v, says %q; want ok %v, %s", c.setting, s.bad, s.known, c.ok, c.says)
		}
	}
}

// TestLists checks that cases.go names no package twice, and no case that cannot be run.
func TestLists(t *testing.T) {
	if sorted := slices.Sorted(slices.Values(packages)); len(slices.Compact(sorted)) != len(packages) {
		t.Error("a package is there twice")
	}
	for _, k := range known {
		if !slices.Contains(packages, k.pkg) || !strings.HasPrefix(k.test, "Test") || k.why == "" {
			t.Errorf("%+v: not in packages, not a test, or without a reason", k)
		}
		if !isKnown(k.pkg, k.test) || !isKnown(k.pkg, k.test+"/part") || isKnown(k.pkg, k.test+"Other") || isKnown("arrow/none", k.test) {
			t.Errorf("%+v: isKnown does not know it, or takes others for it", k)
		}
	}
}

// TestRows has measurements of four benchmarks, one of which takes blocks and is slower with the
// allocator.
func TestRows(t *testing.T) {
	output := "goos: linux\nBenchmarkA/n=1-2  \t 12\t  1441 ns/op\t 2 MB/s \t 5 B/op\t 1 allocs/op\nBenchmarkB \t1\t2.5 ns/op\nBenchmarkC-2 --- FAIL: BenchmarkC\nBenchmarkD-2 7 0 ns/op\n"
	if got := samples(output); !maps.Equal(got, map[string]sample{"BenchmarkA/n=1-2": {1441, 5}, "BenchmarkB": {2.5, 0}}) {
		t.Error(got)
	}
	rows := []*row{
		{"B0", []sample{{4, 100}, {400, 100}, {8, 90}}, []sample{{2, 30}, {4, 20}, {6, 30}}},
		{"B1", []sample{{1, 64}, {3, 64}}, []sample{{5, 0}, {3, 0}}},
		{"B2", []sample{{9, 63}}, []sample{{9, 0}}},
		{"B3", []sample{{8, 5}}, []sample{{16, 5}}},
	}
	want := "0.50 B1: 4 ns, on the heap 2\n2 benchmarks with blocks, times as fast as on the heap: geometric mean 1.00, median 1.25, 1 below 0.97\n" +
		"2 benchmarks without blocks, times as fast as on the heap: geometric mean 0.71, median 0.75, 1 below 0.97\n"
	if got := explainRows(rows); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
