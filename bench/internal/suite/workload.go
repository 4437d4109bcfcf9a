// Package suite has what the workloads of the benchmark have in common: what they are, how one of
// them is measured in a process, and what a run of all of them leaves behind.
package suite

import "time"

// A Workload is work that several implementations do, each in its own way, with the same result.
type Workload struct {
	Name   string // Of letters, digits and dashes.
	Title  string // For the head of a plot.
	About  string // What is done, in a few sentences.
	Unit   string // What n counts, in the plural: "objects".
	Sizes  []int  // Of n.
	Quick  []int  // Those that a quick run measures; it leaves the workload out if there are none.
	Rounds int    // No more than that, if it is not 0: for work that takes long.
	Longer int    // How many times as long as others a process goes on, if it is not 0: for rounds that take long.

	Environment     []string         // Of the processes, in addition to the environment of their implementations.
	Implementations []Implementation // The first one is what others are compared with.
	Values          []Value          // What Measure writes into Result.Values, in the order of columns.
}

// A Value is something that a workload measures besides time and memory.
type Value struct {
	Name, Unit string // A Unit is "s", "B", "%" or what is counted.
	More       bool   // More is better.
}

// An Implementation does the work in its own way. It has Open or Measure, or neither and something
// else that says why.
type Implementation struct {
	Name        string // Of letters, digits, dots and dashes.
	Environment []string
	// Open prepares what a process does with n, and returns what does it once, and a number for
	// what was made.
	Open func(n int) (round func() (check uint64))
	// Measure does all by itself, in a process of its own. It should end after d, or when it has
	// done the work once.
	Measure func(n int, d time.Duration) Result
	Program Program // Where it is, if not in this one.
	Missing string  // What this program was built without, if that is why it has neither.
	Unsound bool    // It may lose what values refer to, see the soundness of a Run.
}

// A Program is one that is built in another way than this one.
type Program string

// Experiment is this one, with the standard library's experimental arenas.
const Experiment Program = "experiment"

// Here says whether the implementation is in this program.
func (i *Implementation) Here() bool { return i.Open != nil || i.Measure != nil }

// Run measures the implementation in this process. d is for how long it does the work again and
// again; but it does that twice at least, and the first time does not count.
func (i *Implementation) Run(n int, d time.Duration) Result {
	if i.Measure != nil {
		return i.Measure(n, d)
	}
	m := NewMeter()
	round := i.Open(n)
	check := round()
	m.Start()
	for again := true; again; again = time.Since(m.wall) < d {
		if m.Rounds++; round() != check {
			panic(i.Name + ": a round made something else than the first one")
		}
	}
	m.Stop()
	m.Check = check
	return m.Result
}
