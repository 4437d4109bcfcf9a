package advise

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestAge: whether a value lives long does not depend on how much is allocated in a cycle of the
// collector.
func TestAge(t *testing.T) {
	for _, c := range []struct {
		name        string
		inuse, rest int64   // of the site, and of others, which live long
		perCycle    float64 // bytes
		gogc        float64
		heap        bool // there is a heap profile of the middle of the run
		why         string
	}{
		{"a cache with GOGC=100", 40, 0, 40, 100, true, "lives long"},
		{"with GOGC=400", 40, 0, 160, 400, true, "lives long"},
		{"which is not known", 40, 0, 160, 100, true, "lives long"},
		{"with GOGC=400, at the end of the run", 40, 0, 160, 400, false, "lives long"},
		{"with a memory limit", 40, 0, 4, math.Inf(1), true, "lives long"},
		{"work in a large heap", 2, 38, 40, 100, true, ""},
		{"with GOGC=400 ", 2, 38, 160, 400, true, ""},
		{"with a memory limit ", 2, 38, 4, math.Inf(1), true, ""},
		{"work in a small heap", 1, 0, 4, 100, true, ""},
		{"whose cycles begin early", 1, 0, 3, 100, true, ""},
		{"which is smaller at the end of the run", 1, 0, 40, 100, false, ""},
	} {
		p := parser()
		p.calls[1].inuse = c.inuse * mb
		p.calls = append(p.calls, call{"example.com/p.Table:4 main.main:5", 0, 1, 1, c.rest * mb})
		a := analyze(t, p, func(in *Input) {
			in.GOGC, in.Cycles = c.gogc, 2000/c.perCycle
			if c.heap {
				in.Heap = in.Allocs
			}
		})
		left := ""
		if len(a.Left) > 0 && a.Left[0].Bytes > 0.5 {
			left = a.Left[0].Why
		}
		if (left != "") != (c.why != "") || !strings.Contains(left, c.why) || (c.why == "") != (a.Total().Low > 0.1) {
			t.Errorf("%s: left %v, saves %v", c.name, fmt.Sprint(a.Left), a.Total())
		}
	}
}
