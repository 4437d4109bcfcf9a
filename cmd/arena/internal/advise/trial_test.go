package advise

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// trials has each Trial be t, or fail with err.
func trials(t *testing.T, result *Trial, err error) {
	t.Helper()
	was := trial
	t.Cleanup(func() { trial = was })
	trial = func(*Advice, context.Context, io.Writer, int) (*Trial, error) { return result, err }
}

// TestTried: what is measured gives the answer, whatever was predicted.
func TestTried(t *testing.T) {
	for _, c := range []struct {
		name    string
		trial   *Trial
		err     error
		verdict Verdict
		reason  Reason
		why     string
	}{
		{"it saves", &Trial{Saves: Range{0.31, 0.38}}, nil, Yes, ItPays, "saves 31 to 38 % of the CPU time, as measured"},
		{"not certain", &Trial{Saves: Range{-0.02, 0.2}}, nil, Perhaps, Uncertain, "saves -2 to 20 % of the CPU time, as measured"},
		{"nothing", &Trial{Saves: Range{-0.2, 0.03}}, nil, Perhaps, ByHandOnly, "saves -20 to 3 % of the CPU time, as measured"},
		{"the setting saves more", &Trial{Saves: Range{0.1, 0.14}, GOGC: Range{0.2, 0.24}}, nil, No, SettingsFirst, "GOGC=400 saves 20 to 24 %"},
		{"the runs differ", &Trial{Saves: Range{-1.6, 0.41}}, nil, Perhaps, NotMeasured, "could not be measured: its runs differ too much, from -160 to 41 %"},
		{"it fails", nil, errors.New("some test failed"), Perhaps, NotMeasured, "could not be measured: some test failed"},
		{"it panics", nil, errors.New("arena fix: BenchmarkX uses what is gone: arena fix: /tmp/x.test: exit status 2\ngoos: linux\npanic: index\n\ngoroutine 6"), Perhaps, NotMeasured, "measured: arena fix: BenchmarkX uses what is gone: panic: index"},
	} {
		a := analyze(t, parser(), moved)
		if a.Verdict != Yes {
			t.Fatalf("%v: %s", a.Verdict, a.Why)
		}
		a.Limit = nil
		a.in.Benchmark, a.Fix = &Benchmark{}, "arena fix"
		trials(t, c.trial, c.err)
		if err := a.tries(t.Context(), io.Discard); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if a.Verdict != c.verdict || a.Reason != c.reason || !strings.Contains(a.Why, c.why) {
			t.Errorf("%s: %v, %d: %s", c.name, a.Verdict, a.Reason, a.Why)
		}
	}
}

// TestMeasure: the benchmarks run in a copy, before and after. One that keeps a result for longer
// than its arena fails, and the failure is the error.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	writeModule(t, map[string]string{
		"go.mod": "module example.com/tree\n\ngo 1.26\n",
		"tree.go": `package tree

type Node struct {
	Next *Node
	ID   int
}

func Make(n, id int) (list *Node) {
	for range n {
		list = &Node{list, id}
	}
	return list
}

func Copy(list *Node) (all *Node) {
	for ; list != nil; list = list.Next {
		all = &Node{all, list.ID}
	}
	return all
}
`,
		"in/tree_test.go": `package in

import (
	"testing"

	"example.com/tree"
)

func BenchmarkUse(b *testing.B) {
	for _, name := range []string{"some", "more"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				tree.Make(100, 1)
			}
		})
	}
}

func BenchmarkTwo(b *testing.B) {
	for b.Loop() {
		list := tree.Make(100, 1)
		if tree.Copy(list); list.Next.ID == 0 {
			b.Fatal("there is no value")
		}
	}
}

func BenchmarkLast(b *testing.B) {
	last := tree.Make(100, 1)
	for b.Loop() {
		list := tree.Make(100, 2)
		if last.Next.ID == 0 {
			b.Fatal("there is no value")
		}
		last = list
	}
}

func BenchmarkKeeps(b *testing.B) {
	kept := tree.Make(100, 1)
	for b.Loop() {
		tree.Make(100, 2)
		if kept.Next.ID == 0 {
			b.Fatal("there is no value")
		}
	}
}
`,
	})
	a := &Advice{Roots: []string{"example.com/tree.Make", "example.com/tree.Copy"}, GOGC: Range{0, 0.1}, in: Input{Sources: []string{"."}}}
	a.in.Benchmark = &Benchmark{"Use", "in"}
	got, err := a.measure(t.Context(), io.Discard, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Benchmarks) != 2 || got.Of != 2 || got.Benchmarks[0].Name != "BenchmarkUse/more" || got.Benchmarks[1].Name != "BenchmarkUse/some" {
		t.Errorf("benchmarks %v of %d", got.Benchmarks, got.Of)
	}
	for _, r := range []Range{got.Saves, got.GOGC} {
		if r.Low > r.High || r.High >= 1 {
			t.Errorf("saves %v", r)
		}
	}
	for _, name := range []string{"Two", "Last"} {
		a.in.Benchmark = &Benchmark{name, "in"}
		if _, err := a.measure(t.Context(), io.Discard, 2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.in.Benchmark = &Benchmark{"Keeps", "in"}
	if _, err := a.measure(t.Context(), io.Discard, 2); err == nil || !strings.Contains(err.Error(), "fault") {
		t.Errorf("a value that is kept: %v", err)
	}
	a.in.Benchmark = &Benchmark{"Keeps|Two", "in"}
	if got, err := a.measure(t.Context(), io.Discard, 2); err != nil || len(got.Left) != 1 || got.Left[0] != "BenchmarkKeeps" || len(got.Benchmarks) != 1 {
		t.Errorf("one that keeps a value: %v, %v", got, err)
	}
	a.in.Benchmark = &Benchmark{"None", "in"}
	if _, err := a.measure(t.Context(), io.Discard, 2); err == nil || !strings.Contains(err.Error(), "print no times") {
		t.Errorf("no benchmarks: %v", err)
	}
}

// TestSaved: the extremes of eight turns do not count.
func TestSaved(t *testing.T) {
	got := saved([]float64{2, 4, 1, 2, 2, 2, 0.1, 100})
	if (got != Range{0, 0.75}) {
		t.Errorf("saves %v", got)
	}
}
