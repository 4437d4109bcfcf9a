package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// The implementations of generated runs: how many nanoseconds for an object, and whether they are
// sound.
var implementations = []struct {
	name    string
	cost    float64
	unsound bool
}{
	{"heap", 45, false}, {"arenas2023", 66, false}, {"sync.Pool", 30, false},
	{"arena-free", 9, false}, {"arena-reset", 4.5, false}, {"slab", 2.9, false}, {"ref-mmap", 2.4, false}, {"group", 3.1, false},
	{"go-arena", 15, true}, {"nuke", 14, true}, {"z.Allocator", 18, true}, {"mi-arena", 2.3, true}, {"memory", 38, true},
	{"bumpalo", 2.2, false}, {"proto.Unmarshal-gogc400", 40, false}, {"WMWMWM-MWMWMWMW-MWMWMWMWM", 39, true}, {"<b>&\"'", 50, false},
}

// generate makes a run with all that a report may have to show.
func generate(seed uint64) *suite.Run {
	r := rand.New(rand.NewPCG(seed, 0))
	run := &suite.Run{
		Machine: "AMD EPYC 7B13, 2 processors, 23 GB, linux/amd64", Go: "go1.26.8", Date: "2026-11-21", Command: "go run ./bench -count 8", Count: 8,
		Versions: map[string]string{"github.com/ortuman/nuke": "v1.3.0", "github.com/wundergraph/go-arena": "v1.3.0", "modernc.org/memory": "v1.12.1"},
		Skipped:  []string{"bumpalo: there is no cargo", "c: no <cc>"},
	}
	for _, test := range []string{"strings", "pointers to the heap", "maps", "interfaces", "use after Free", "over an hour"} {
		for _, i := range implementations[:12] {
			v := suite.Verdict{Implementation: i.name, Test: test, Outcome: "kept 50,000 of 50,000", Sound: true}
			if i.unsound && r.IntN(4) > 0 {
				v.Outcome, v.Sound = "lost 50,000 of 50,000", false
				if r.IntN(4) == 0 {
					v.Outcome = "crashed: unexpected fault address 0xdeadbeef"
				}
			}
			run.Soundness = append(run.Soundness, v)
		}
	}
	for k, title := range []string{"Small structs", "Strings of 1 to 256 bytes"} {
		for _, n := range []int{10, 1_000, 100_000, 1_000_000} {
			m := measured(r, fmt.Sprintf("objects-%d", k), title, "objects", n)
			if n == 1_000_000 {
				m.Cells[7].Results, m.Cells[7].Failed = nil, "fatal error: found <bad> pointer in Go heap\nruntime stack: …"
				m.Cells[12].Results = nil
			}
			run.Workloads = append(run.Workloads, m)
		}
	}
	trees := measured(r, "trees", "Binary trees", "trees", 18)
	run.Workloads = append(run.Workloads, trees)

	entries := measured(r, "entries", "Maps and caches with millions of entries", "entries", 10_000_000)
	entries.Values = []suite.Value{{Name: "kept", Unit: "%", More: true}, {Name: "hit", Unit: "s"}, {Name: "memory", Unit: "B"}, {Name: "calls", Unit: "calls"}}
	for i := range entries.Cells {
		for k := range entries.Cells[i].Results {
			entries.Cells[i].Results[k].Values = map[string]float64{"kept": min(100, 90+20*r.Float64()), "hit": 30e-9 * (1 + 4*r.Float64()), "memory": 20 + 50*r.Float64(), "calls": float64(r.IntN(1e6))}
		}
	}
	run.Workloads = append(run.Workloads, entries)

	service := measured(r, "service", "A service that answers requests", "requests", 100_000)
	for i := range service.Cells {
		for k := range service.Cells[i].Results {
			service.Cells[i].Results[k].Times = map[string]*suite.Times{"request": pauses(r, 3_000, 200e3*(1+r.Float64())), "collection": pauses(r, 40, 5e6), "none": nil}
		}
	}
	run.Workloads = append(run.Workloads, service)

	broken := measured(r, "broken", "Nothing to compare with", "rounds", 3)
	broken.Cells[0].Results, broken.Cells[0].Failed = nil, "exit status 2"
	run.Workloads = append(run.Workloads, broken)

	odd := measured(r, "odd", "Zeros <i>and</i> infinities", "rounds", 0)
	for i, v := range []float64{0, math.Inf(1), math.NaN(), math.Inf(-1), -1} {
		c := &odd.Cells[2+i]
		for k := range c.Results {
			c.Results[k] = suite.Result{CPU: v, Wall: v, Collector: v, Allocs: v}
		}
	}
	run.Workloads = append(run.Workloads, odd, suite.Measured{Name: "empty", Title: "Without cells"})
	return run
}

// measured has a cell for each implementation, with plausible figures.
func measured(r *rand.Rand, name, title, unit string, n int) suite.Measured {
	m := suite.Measured{Name: name, Title: title, About: "Each " + unit + " is made, written to and dropped; <all> of it once a round.", Unit: unit, N: n}
	for _, i := range implementations {
		c := suite.Cell{Implementation: i.name, Unsound: i.unsound}
		cost := i.cost * (0.7 + 0.6*r.Float64()) * (1 + 3/math.Sqrt(float64(n+1)))
		for range 8 {
			cpu := cost * float64(n+1) * 1e-9 * (0.95 + 0.15*r.Float64()*r.Float64())
			before := 6e6 + 1e5*r.Float64()
			c.Results = append(c.Results, suite.Result{
				Rounds: 100, CPU: cpu, Wall: cpu * (0.8 + 0.2*r.Float64()), Before: int(before), Peak: int(before + 20*i.cost*float64(n)/10*(1+0.1*r.Float64())),
				Collections: r.IntN(50), Collector: cpu * 0.2, Allocs: float64(n), Allocated: float64(48 * n), Check: 7,
			})
		}
		m.Cells = append(m.Cells, c)
	}
	return m
}

// pauses returns n times around the given number of nanoseconds, and some that are far longer.
func pauses(r *rand.Rand, n int, around float64) *suite.Times {
	all := make([]time.Duration, n)
	for i := range all {
		t := around * math.Exp(0.3*r.NormFloat64())
		if r.IntN(200) == 0 {
			t += around * 30 * r.Float64() * r.Float64()
		}
		all[i] = time.Duration(t)
	}
	return suite.NewTimes(all)
}
