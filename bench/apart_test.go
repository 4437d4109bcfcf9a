package main

import (
	"strings"
	"testing"

	"github.com/arena-go/arena/bench/internal/suite"
)

// TestApart makes the tables of each run that is measured apart from a run with all that its
// command measures, with made-up figures: so no table asks for a workload, an implementation or a
// value that is not measured, nor leaves out a value.
func TestApart(t *testing.T) {
	names := map[string]bool{}
	for name := range tables {
		names[name] = true
	}
	for i := range apart {
		a := &apart[i]
		if !a.measured() {
			t.Logf("%s is missing, so its tables are in no document; to measure it: %s", a.file, a.command())
		}
		r := madeUp(t, a)
		for name, table := range a.tables {
			if names[name] {
				t.Errorf("there are two tables %s", name)
			}
			names[name] = true
			text := table(r)
			if strings.HasSuffix(name, "-run") {
				continue
			}
			checkTable(t, name, text)
			if !strings.Contains(text, "| 2.0 |") && name != "json-checks" && !strings.HasPrefix(name, "json-kept") && name != "middleware" {
				t.Errorf("%s has no ratio of what takes half:\n%s", name, text)
			}
		}
	}
}

// madeUp returns a run of what is measured. What others take is half of what the first
// implementation takes.
func madeUp(t *testing.T, a *apartRun) *suite.Run {
	t.Helper()
	all, err := chosen(workloads(), a.pattern)
	if err != nil {
		t.Fatal(err)
	}
	if a.builds {
		all = across(all)
	}
	r := &suite.Run{Count: 1}
	for _, w := range all {
		for _, n := range w.Sizes {
			m := suite.Measured{Name: w.Name, N: n, Values: w.Values}
			for k, i := range w.Implementations {
				cpu := 2.0
				if k > 0 {
					cpu = 1
				}
				result := suite.Result{CPU: cpu, Wall: cpu, Values: map[string]float64{}}
				for _, v := range w.Values {
					result.Values[v.Name] = cpu
				}
				m.Cells = append(m.Cells, suite.Cell{Implementation: i.Name, Results: []suite.Result{result}})
			}
			r.Workloads = append(r.Workloads, m)
		}
	}
	return r
}
