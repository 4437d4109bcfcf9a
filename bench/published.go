package main

import (
	"fmt"

	"github.com/arena-go/arena/bench/internal/suite"
)

// beside returns a table of the wall time and the memory of some implementations, as in the
// published figures. It says how many times less that is than for the first one.
func beside(m *suite.Measured, implementations []named, more ...column) string {
	g := grid{{"this run", "time", "times less"}}
	for _, c := range more {
		g[0] = append(g[0], c.title)
	}
	for _, i := range implementations {
		if m.Cell(i.name) == nil {
			continue
		}
		row := []string{i.title, median(m, i.name, suite.Wall, "s"), faster(m, i.name, suite.Wall)}
		for _, c := range more {
			row = append(row, c.of(m, i.name))
		}
		g = append(g, row)
	}
	return g.String()
}

// A column is one more of such a table.
type column struct {
	title string
	of    func(m *suite.Measured, implementation string) string
}

func columnOf(title string, metric suite.Metric, unit string) column {
	return column{title, func(m *suite.Measured, i string) string { return median(m, i, metric, unit) }}
}

var (
	cpuColumn    = columnOf("CPU", suite.CPU, "s")
	memoryColumn = columnOf("memory", suite.Memory, "B")
	bytesColumn  = columnOf("B/op", func(r *suite.Result) float64 { return r.Allocated }, "B")
	allocsColumn = column{"allocs/op", func(m *suite.Measured, i string) string {
		if c := m.Cell(i); c != nil {
			return suite.Thousands(int(c.Spread(func(r *suite.Result) float64 { return r.Allocs }).Median + 0.5))
		}
		return ""
	}}
)

func publishedTrees(r *suite.Run) string {
	return beside(r.Find("trees", 20), []named{
		{"heap, node by node", "heap"}, {"heap, GOGC=400", "heap-gogc400"}, {"slices of 10,000 nodes", "node-slice"},
		{"arena, `New`, Reset", "arena-reset"}, {"arena, `Slab.New`, Reset", "slab-reset"}, {"arena, `Ref`, Reset", "ref"}, {"Rust, bumpalo", "bumpalo"}, {"C", "c"},
	}, cpuColumn, memoryColumn)
}

func publishedPerson(r *suite.Run) string {
	return beside(r.Find("person", 1_000_000), persons, cpuColumn, bytesColumn, allocsColumn)
}

var persons = []named{
	{"heap", "heap"}, {"heap, and `runtime.GC()` each iteration, as published", "heap-collected"}, {"GOEXPERIMENT=arenas", "std"}, {"sync.Pool", "sync.Pool"},
	{"arena, `New`, a new one each iteration", "arena-free"}, {"arena, `Slab.New`, a new one each iteration", "slab-free"},
	{"arena, `New`, Reset", "arena-reset"}, {"arena, `Slab.New`, Reset", "slab-reset"}, {"arenas of a `Group`, Reset", "group"},
	{"ortuman/nuke (unsound), used again", "nuke"}, {"wundergraph/go-arena (unsound), used again", "wundergraph"}, {"ristretto (unsound), used again", "ristretto"},
}

func publishedParallel(r *suite.Run) string {
	return beside(r.Find("person-parallel", 2_000_000), persons, cpuColumn)
}

func publishedStruct(r *suite.Run) string {
	sizes := []int{10_000, 256_000, 1_000_000}
	g := grid{{"this run: time, and times less than the heap"}}
	for _, n := range sizes {
		g[0] = append(g[0], "N = "+suite.Thousands(n), "")
	}
	for _, i := range []named{
		{"heap", "heap"}, {"GOEXPERIMENT=arenas", "std"}, {"sync.Pool", "sync.Pool"}, {"ristretto (unsound), Release each iteration", "ristretto-fresh"}, {"ristretto (unsound), Reset", "ristretto"},
		{"arena, `New`, a new one each iteration", "arena-free"}, {"arena, `New`, Reset", "arena-reset"}, {"arena, `Slab.New`, Reset", "slab-reset"},
	} {
		row, any := []string{i.title}, false
		for _, n := range sizes {
			m := r.Find("struct16", n)
			any = any || m.Cell(i.name) != nil
			row = append(row, median(m, i.name, suite.Wall, "s"), faster(m, i.name, suite.Wall))
		}
		if any {
			g = append(g, row)
		}
	}
	return g.String()
}

func publishedHolder(r *suite.Run) string {
	return beside(r.Find("holders", 1_000_000), []named{
		{"heap", "heap"}, {"GOEXPERIMENT=arenas", "std"}, {"sync.Pool", "sync.Pool"}, {"arena, `New`, a new one each iteration", "arena-free"}, {"arena, `New`, Reset", "arena-reset"},
		{"arena, `Slab.New`, Reset", "slab-reset"},
	}, bytesColumn, allocsColumn)
}

func publishedArrow(r *suite.Run) string {
	return beside(only(r, "arrow-fixed-size-list"), []named{
		{"GoAllocator", "GoAllocator"}, {"the allocator of 2023", "arenas2023"}, {"`arenaarrow`", "arenaarrow"}, {"`arenaarrow/build`, in an arena", "arenaarrow-build"},
	}, cpuColumn, memoryColumn, columnOf("allocated", func(r *suite.Result) float64 { return r.Allocated * float64(r.Rounds) }, "B"),
		column{"rounds", func(m *suite.Measured, i string) string {
			return fmt.Sprint(int(m.Cell(i).Spread(func(r *suite.Result) float64 { return float64(r.Rounds) }).Median))
		}})
}
