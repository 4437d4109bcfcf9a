package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// TestMain is the command in the processes that measure starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "-cell" || os.Args[1] == "-sound") {
		main()
		return
	}
	os.Exit(m.Run())
}

// set sets a flag for a test.
func set[T any](t *testing.T, flag *T, v T) {
	former := *flag
	*flag = v
	t.Cleanup(func() { *flag = former })
}

// TestMeasure measures a few cells, in processes of their own.
func TestMeasure(t *testing.T) {
	set(t, quick, true)
	set(t, count, 3)
	set(t, long, 10*time.Millisecond)
	set(t, pattern, "^(struct16|texts)$/^(arena-reset|nuke)$")
	r, err := measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := failures(r); err != nil {
		t.Fatal(err)
	}
	if r.Count != 3 || r.Go == "" || r.Date == "" || r.Machine == "" || len(r.Skipped) == 0 || len(r.Workloads) != 3 {
		t.Errorf("%d rounds, %d workloads: %+v", r.Count, len(r.Workloads), r)
	}
	for _, m := range r.Workloads {
		var names []string
		for _, c := range m.Cells {
			names = append(names, c.Implementation)
			if len(c.Results) != 3 {
				t.Errorf("%s by %s has %d results", m.Name, c.Implementation, len(c.Results))
			}
			if c.Unsound != (c.Implementation == "nuke") {
				t.Errorf("%s is unsound: %v", c.Implementation, c.Unsound)
			}
		}
		if want := []string{"heap", "arena-reset", "nuke"}; !slices.Equal(names, want) {
			t.Errorf("%s was measured by %q, not %q", m.Name, names, want)
		}
		if one := m.Cells[0].Ratio(&m.Cells[0], suite.Wall); one != (suite.Spread{Median: 1, Min: 1, Max: 1}) {
			t.Errorf("what others are compared with is %v times as fast as itself", one)
		}
	}
	if !slices.ContainsFunc(r.Soundness, func(v suite.Verdict) bool { return v.Implementation == "nuke" && !v.Sound }) {
		t.Errorf("soundness is %v", r.Soundness)
	}
	var text strings.Builder
	printRun(&text, r)
	for _, want := range []string{"struct16, n = 10 ", "texts, n = 1000 ", "arena-reset", "soundness"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
}

// TestInterrupted checks that a run that is interrupted has what was measured before.
func TestInterrupted(t *testing.T) {
	set(t, pattern, "^struct16$")
	set(t, quick, true)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r, err := measure(ctx)
	if err != nil || r.Count != 0 || failures(r) != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCompare checks that a cell fails that made something else than the first one.
func TestCompare(t *testing.T) {
	made := func(all ...uint64) (c suite.Cell) {
		for _, check := range all {
			c.Results = append(c.Results, suite.Result{Check: check})
		}
		return c
	}
	p := &plan{Measured: suite.Measured{Cells: []suite.Cell{made(7, 7), made(7, 7), made(7, 8), made()}}}
	p.compare()
	for i, want := range []bool{false, false, true, false} {
		if c := p.Cells[i]; (c.Failed != "") != want || want && c.Results != nil {
			t.Errorf("cell %d: %+v", i, c)
		}
	}
	if err := failures(&suite.Run{Workloads: []suite.Measured{p.Measured}}); err == nil {
		t.Error("no error says so")
	}
}

// TestChosen checks what patterns are for.
func TestChosen(t *testing.T) {
	all := []suite.Workload{
		{Name: "trees", Sizes: []int{10, 16}, Implementations: []suite.Implementation{{Name: "heap"}, {Name: "slab"}, {Name: "pool"}}},
		{Name: "struct", Implementations: []suite.Implementation{{Name: "heap"}}},
	}
	for pattern, want := range map[string]string{
		"": "trees 10 16 heap slab pool struct heap", "tree": "trees 10 16 heap slab pool", "/sl": "trees 10 16 heap slab struct heap", "^t/^p": "trees 10 16 heap pool",
		"none": "", "(": "", "//16": "trees 16 heap slab pool", "//7": "", "//16/": "",
	} {
		some, err := chosen(all, pattern)
		var names []string
		for _, w := range some {
			names = append(names, w.Name)
			for _, n := range w.Sizes {
				names = append(names, fmt.Sprint(n))
			}
			for _, i := range w.Implementations {
				names = append(names, i.Name)
			}
		}
		if got := strings.Join(names, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is for %q and not %q: %v", pattern, got, want, err)
		}
	}
}

// TestRatio checks how tables write numbers.
func TestRatio(t *testing.T) {
	for v, want := range map[float64]string{0: "", 0.5: "**0.5**", 0.94: "**0.94**", 0.96: "1.0", 9.94: "9.9", 9.96: "10", 1234.5: "1,235"} {
		if got := ratio(v); got != want {
			t.Errorf("%v is %q, not %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0.456: "0.46", 1: "1.00", 9.94: "9.94", 9.96: "10", 94.77: "95"} {
		if got := times(v, 2); got != want {
			t.Errorf("%v is %q, not %q", v, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := suite.Thousands(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}
