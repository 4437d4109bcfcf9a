package fix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/arena-go/arena/cmd/arena/internal/tables"
)

// TestOptions are those of Test.
type TestOptions struct {
	Options
	Bench string // pattern of benchmarks; empty runs none
	Count int    // of each benchmark
	Arena string // the sources of package arena; empty is what go get finds
	Short bool   // only the modes that find most
	Skip  string // tests that do not run
}

// A FailedError says that tests of the rewritten module fail which did not fail before.
type FailedError struct{ Modes []string }

func (e *FailedError) Error() string {
	return "arena fix: tests fail with arenas that pass without: " + strings.Join(e.Modes, ", ")
}

// modes are the ways in which the tests run, and what the hook is told.
var modes = []struct {
	name, env string
	race      bool
	short     bool // runs also where time is short
}{
	{"on the heap", "nil", false, true},
	{"a new arena, dropped", "fresh", false, false},
	{"a new arena, freed", "free", false, false},
	{"arenas that are reset", "reset", false, true},
	{"the same with -race", "reset", true, false},
	{"the same in guard mode", "guard", false, false},
}

// copies makes two copies of the module, and rewrites one of them: the directory of o is in that then. The other directory is before.
func (o *TestOptions) copies(ctx context.Context, temp string, report io.Writer) (before string, err error) {
	dir := cmp.Or(o.Dir, ".")
	out, err := command(ctx, dir, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", err
	}
	module := strings.TrimSpace(string(out))
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("arena fix: %w", err)
	}
	inside, err := filepath.Rel(module, abs)
	if err != nil {
		return "", fmt.Errorf("arena fix: %w", err)
	}
	before, after := filepath.Join(temp, "before"), filepath.Join(temp, "after")
	for _, to := range []string{before, after} {
		if err := os.CopyFS(to, os.DirFS(module)); err != nil {
			return "", fmt.Errorf("arena fix: %w", err)
		}
	}
	o.Dir, o.Hook = filepath.Join(after, inside), true
	r, err := Run(o.Options)
	if err != nil {
		return "", err
	}
	if err := require(ctx, o.Dir, o.Arena); err != nil {
		return "", err
	}
	if err := r.Write(); err != nil {
		return "", err
	}
	if err := r.WriteReport(report, false); err != nil {
		return "", err
	}
	return filepath.Join(before, inside), r.check(ctx, o.Options)
}

// Test rewrites a copy of the module, and runs its tests there with arenas of all kinds. The results go to stdout.
func Test(ctx context.Context, o TestOptions, stdout, stderr io.Writer) error {
	temp, err := os.MkdirTemp("", "arena-fix-")
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	defer os.RemoveAll(temp)
	before, err := o.copies(ctx, temp, stdout)
	if err != nil {
		return err
	}
	patterns := o.patterns()

	t := tables.New(stdout, table.Row{"tests of the module", ""})
	var failed []string
	test := []string{"test", "-vet=off", "-skip", cmp.Or(o.Skip, "^$")}
	_, was := command(ctx, before, "go", slices.Concat(test, patterns)...)
	t.AppendRow(table.Row{"before", verdict(was)})
	for _, m := range modes {
		if o.Short && !m.short {
			continue
		}
		args := append(slices.Clone(test), "-count=1")
		if m.race {
			args = append(args, "-race")
		}
		_, err := command(ctx, o.Dir, "env", append(append([]string{"ARENA_FIX=" + m.env, "go"}, args...), patterns...)...)
		t.AppendRow(table.Row{m.name, verdict(err)})
		if err != nil && was == nil {
			failed = append(failed, m.name)
			fmt.Fprintln(stderr, err)
		}
	}
	fmt.Fprintln(stdout)
	t.Render()
	if o.Bench != "" {
		if err := benchmarks(ctx, o, before, stdout); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return &FailedError{failed}
	}
	return nil
}

func verdict(err error) string {
	if err != nil {
		return "fail"
	}
	return "pass"
}

// Measure rewrites a copy of the module, and returns by benchmark how many times the CPU time with arenas that are reset the former code takes.
func Measure(ctx context.Context, o TestOptions) (map[string]float64, error) {
	temp, err := os.MkdirTemp("", "arena-fix-")
	if err != nil {
		return nil, fmt.Errorf("arena fix: %w", err)
	}
	defer os.RemoveAll(temp)
	before, err := o.copies(ctx, temp, io.Discard)
	if err != nil {
		return nil, err
	}
	all := map[string]float64{}
	return all, o.compare(ctx, before, []string{"before", "reset"}, func(name string, ratios []float64) { all[name] = ratios[0] })
}

// benchmarks writes the ratios of the CPU time that the benchmarks take before and after.
func benchmarks(ctx context.Context, o TestOptions, before string, w io.Writer) error {
	t := tables.New(w, table.Row{"benchmark", "nil arena", "new and Free", "Reset"})
	err := o.compare(ctx, before, []string{"before", "nil", "free", "reset"}, func(name string, ratios []float64) {
		row := table.Row{name}
		for _, r := range ratios {
			row = append(row, fmt.Sprintf("%.2f", r))
		}
		t.AppendRow(row)
	})
	fmt.Fprintf(w, "\nCPU time, the collector's included, medians of %d runs by turns: that before, divided by this; more is faster\n\n", max(o.Count, 1))
	t.Render()
	return err
}

// compare runs each benchmark in all these ways, by turns and in processes of their own, and calls f with the ratios of the CPU time that the first way takes
// and the others take.
func (o *TestOptions) compare(ctx context.Context, before string, runs []string, f func(name string, ratios []float64)) error {
	out, err := command(ctx, before, "go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"}, o.patterns()...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if pkg == "" {
			continue
		}
		var binaries [2]string
		for i, from := range []string{before, o.Dir} {
			binaries[i] = filepath.Join(from, "arena-fix.test")
			if _, err := command(ctx, from, "go", "test", "-c", "-o", binaries[i], pkg); err != nil {
				return err
			}
		}
		loops, err := Calibrate(ctx, dir, binaries[0], o.Bench)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(loops)) {
			ratios := make([][]float64, len(runs))
			for range max(o.Count, 1) {
				var was float64
				for i, run := range runs {
					cpu, err := CPUTime(ctx, dir, binaries[min(i, 1)], run, name, loops[name])
					if err != nil {
						return err
					}
					if i == 0 {
						was = cpu
					}
					ratios[i] = append(ratios[i], was/cpu)
				}
			}
			var medians []float64
			for _, r := range ratios[1:] {
				medians = append(medians, Median(r))
			}
			f(name, medians)
		}
	}
	return nil
}

// Calibrate returns the benchmarks of a test binary, and how many loops of each take about a second.
func Calibrate(ctx context.Context, dir, binary, pattern string) (map[string]int, error) {
	out, err := command(ctx, dir, binary, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=0.2s", "-test.cpu=1")
	if err != nil {
		return nil, err
	}
	loops := map[string]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || f[3] != "ns/op" {
			continue
		}
		if ns, err := strconv.ParseFloat(f[2], 64); err == nil {
			loops[f[0]] = max(1, int(1e9/max(ns, 1)))
		}
	}
	return loops, nil
}

// CPUTime runs a benchmark for so many loops, and returns the CPU time of the process in seconds.
func CPUTime(ctx context.Context, dir, binary, env, name string, loops int) (float64, error) {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench="+strings.Join(parts, "/"), "-test.benchtime="+strconv.Itoa(loops)+"x")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ARENA_FIX="+env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("arena fix: %s: %w\n%s", strings.Join(cmd.Args, " "), err, tail(out))
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// Median returns the median, and sorts the values.
func Median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// require has the module in dir require package arena: that in sources, or what go get finds.
func require(ctx context.Context, dir, sources string) error {
	if sources == "" {
		_, err := command(ctx, dir, "go", "get", arenaPath)
		return err
	}
	abs, err := filepath.Abs(sources)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	if _, err := command(ctx, dir, "go", "mod", "edit", "-replace="+arenaPath+"="+abs); err != nil {
		return err
	}
	_, err = command(ctx, dir, "go", "get", arenaPath+"@v0.0.0") // which raises the version of Go, too
	return err
}

// command runs a command, and returns what it writes to its standard output. The error has what it says.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return out, fmt.Errorf("arena fix: %s: %w\n%s%s", strings.Join(cmd.Args, " "), err, tail(out), bytes.TrimSpace(stderr.Bytes()))
		}
		return out, fmt.Errorf("arena fix: %w", err)
	}
	return out, nil
}

// tail returns the last part of a long output.
func tail(b []byte) []byte {
	const most = 4000
	if len(b) > most {
		b = append([]byte("...\n"), b[len(b)-most:]...)
	}
	return b
}
