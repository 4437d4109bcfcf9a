package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A goBuild is this program as another version of Go compiles it, or with an experiment of Go.
type goBuild struct {
	program     suite.Program
	title       string // In the head of a column; empty if it is in no column.
	environment []string
}

// The versions that are compared.
const goFormer, goNewest = "go1.26.8", "go1.27.4"

var builds = []goBuild{
	{suite.Experiment, "", []string{"GOEXPERIMENT=arenas"}},
	{goFormer, "Go 1.26", []string{"GOTOOLCHAIN=" + goFormer}},
	{goNewest, "Go 1.27", []string{"GOTOOLCHAIN=" + goNewest}},
	newest("nosizespecializedmalloc"),
	newest("nogreenteagc"),
	newest("runtimefreegc"),
	newest("simd"),
	newest("mapsplitgroup"),
}

// newest is the newest Go with an experiment, or without one if its name begins with "no".
func newest(experiment string) goBuild {
	return goBuild{suite.Program(experiment), "1.27, " + experiment, []string{"GOTOOLCHAIN=" + goNewest, "GOEXPERIMENT=" + experiment}}
}

// make builds it in dir, and returns its path.
func (b *goBuild) make(dir string) (path string, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("the program does not say how it was built")
	}
	path = filepath.Join(dir, string(b.program)+".exe")
	cmd := exec.Command("go", "build", "-o", path, info.Path)
	cmd.Env = append(os.Environ(), b.environment...)
	_, err = suite.Output(cmd)
	return path, err
}

// in is how a run calls an implementation in a build.
func (b *goBuild) in(implementation string) string { return implementation + "@" + string(b.program) }

// columns are the builds that have one.
func columns() (all []*goBuild) {
	for i := range builds {
		if b := &builds[i]; b.title != "" {
			all = append(all, b)
		}
	}
	return all
}

// across returns the workloads of the front page among all, each with the heap and with an arena in
// each of the columns.
func across(all []suite.Workload) (some []suite.Workload) {
	for _, row := range front {
		for _, w := range all {
			if w.Name != row.workload {
				continue
			}
			heap := w.Implementations[0].Name
			w.Sizes, w.Quick, w.Implementations = []int{row.n}, nil, nil
			for _, b := range columns() {
				for _, name := range []string{heap, row.ours} {
					w.Implementations = append(w.Implementations, suite.Implementation{Name: b.in(name), Program: b.program})
				}
			}
			some = append(some, w)
		}
	}
	return some
}

// base is the name of an implementation without its build.
func base(implementation string) string {
	name, _, _ := strings.Cut(implementation, "@")
	return name
}

// buildsTable says how many times less CPU time than on the heap of the same build an arena takes.
func buildsTable(r *suite.Run) string {
	g := grid{{"times less CPU time than the heap of the same build"}}
	for _, b := range columns() {
		g[0] = append(g[0], b.title)
	}
	for _, row := range front {
		m, cells := r.Find(row.workload, row.n), []string{row.title}
		for _, b := range columns() {
			text := ""
			if m != nil {
				if ours, heap := m.Cell(b.in(row.ours)), m.Cell(b.in(base(m.Cells[0].Implementation))); ours != nil && heap != nil {
					text = ratio(ours.Ratio(heap, suite.CPU).Median)
				}
			}
			cells = append(cells, text)
		}
		g = append(g, cells)
	}
	return g.String()
}
