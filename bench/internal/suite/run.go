package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// A Run is what a run of the benchmark has found.
type Run struct {
	Machine   string // Processor, how many, memory, system.
	Go        string
	Date      string            // YYYY-MM-DD
	Command   string            // That has made it; see Again.
	Count     int               // Rounds, but for workloads that take long.
	Versions  map[string]string // Of the modules that are compared.
	Skipped   []string          // What was not measured, and why.
	Workloads []Measured
	Soundness []Verdict
}

// A Measured is what was found for a workload and one n.
type Measured struct {
	Name, Title, About, Unit string
	Date                     string `json:",omitempty"` // If it was measured later than the rest: see Run.Merge.
	N                        int
	Values                   []Value `json:",omitempty"`
	Cells                    []Cell  // The first one is what others are compared with.
}

// A Cell is what was found for an implementation, a Result for each round. Those with the same
// index in other cells of the Measured are of the same time.
type Cell struct {
	Implementation string
	Unsound        bool     `json:",omitempty"`
	Results        []Result `json:",omitempty"`
	Failed         string   `json:",omitempty"` // What it said when it ended before its time.
}

// A Verdict says what came of a mistake, or of what is none and goes wrong all the same.
type Verdict struct {
	Implementation, Test string
	Outcome              string // "kept 50,000 of 50,000", "lost 50,000 of 50,000", "crashed: …", "refused"
	Sound                bool
}

// Again returns the command that makes the same run again, with the same version of Go, which the
// go command fetches if it is another one: figures of the heap differ between versions.
func (r *Run) Again() string {
	if release.MatchString(r.Go) {
		return "GOTOOLCHAIN=" + r.Go + " " + r.Command
	}
	return r.Command
}

// release matches versions that the go command can fetch.
var release = regexp.MustCompile(`^go1\.\d+(\.\d+|rc\d+)?$`)

// Load reads what Save has written.
func Load(file string) (*Run, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Run)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Save writes the run to a file, each Cell and each Result in a line of its own.
func (r *Run) Save(file string) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for _, first := range []string{`{"Name":`, `{"Implementation":`, `{"Rounds":`} { // No string has these: its quotes are escaped.
		b = bytes.ReplaceAll(b, []byte(first), []byte("\n"+first))
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// Merge replaces workloads of r with the same workloads of later, a second run with the same
// machine and the same Go. It adds the workloads that r lacks.
func (r *Run) Merge(later *Run) error {
	if r.Machine != later.Machine || r.Go != later.Go {
		return fmt.Errorf("the run is of %s on %s, and not of %s on %s", r.Go, r.Machine, later.Go, later.Machine)
	}
	for _, m := range later.Workloads {
		m.Date = later.Date
		if old := r.Find(m.Name, m.N); old != nil {
			*old = m
		} else {
			r.Workloads = append(r.Workloads, m)
		}
	}
	return nil
}

// Find returns what was found for a workload and n, or nil.
func (r *Run) Find(workload string, n int) *Measured {
	for i := range r.Workloads {
		if m := &r.Workloads[i]; m.Name == workload && m.N == n {
			return m
		}
	}
	return nil
}

// Cell returns the cell of an implementation that has results, or nil.
func (m *Measured) Cell(implementation string) *Cell {
	if m == nil {
		return nil
	}
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Implementation == implementation && len(c.Results) > 0 {
			return c
		}
	}
	return nil
}

// A Metric is something about a Result.
type Metric func(r *Result) float64

// What all workloads measure: seconds and bytes.
var (
	CPU  Metric = func(r *Result) float64 { return r.CPU }
	Wall Metric = func(r *Result) float64 { return r.Wall }
	Peak Metric = func(r *Result) float64 { return float64(r.Peak) }
	// Memory is what was resident at the worst time, beyond what the process had when all was
	// ready.
	Memory Metric = func(r *Result) float64 { return float64(r.Peak - r.Before) }
)

// ValueOf returns the metric of a Value.
func ValueOf(name string) Metric { return func(r *Result) float64 { return r.Values[name] } }

// A Spread is the median of some numbers, and what they lie between.
type Spread struct{ Median, Min, Max float64 }

// SpreadOf sorts all.
func SpreadOf(all []float64) Spread {
	if len(all) == 0 {
		return Spread{}
	}
	slices.Sort(all)
	n := len(all)
	return Spread{(all[(n-1)/2] + all[n/2]) / 2, all[0], all[n-1]}
}

// Spread returns the spread of a metric.
func (c *Cell) Spread(m Metric) Spread {
	var all []float64
	for i := range c.Results {
		all = append(all, m(&c.Results[i]))
	}
	return SpreadOf(all)
}

// Ratio returns how many times as much it is for base as for c, in the same rounds.
func (c *Cell) Ratio(base *Cell, m Metric) Spread {
	var all []float64
	for i := range min(len(c.Results), len(base.Results)) {
		if v := m(&c.Results[i]); v != 0 {
			all = append(all, m(&base.Results[i])/v)
		}
	}
	return SpreadOf(all)
}
