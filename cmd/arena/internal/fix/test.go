package fix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// TestOptions are those of Test.
type TestOptions struct {
	Options
	Bench string // pattern of benchmarks; empty runs none
	Count int    // of each benchmark
	Arena string // the sources of package arena; empty is what go get finds
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
}{
	{"on the heap", "nil", false},
	{"a new arena, dropped", "fresh", false},
	{"a new arena, freed", "free", false},
	{"arenas that are reset", "reset", false},
	{"the same with -race", "reset", true},
	{"the same in guard mode", "guard", false},
}

// Test rewrites a copy of the module, and runs its tests there with arenas of all kinds. The results go to stdout.
func Test(ctx context.Context, o TestOptions, stdout, stderr io.Writer) error {
	dir := cmp.Or(o.Dir, ".")
	out, err := command(ctx, dir, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	module := strings.TrimSpace(string(out))
	temp, err := os.MkdirTemp("", "arena-fix-")
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	defer os.RemoveAll(temp)
	before, after := filepath.Join(temp, "before"), filepath.Join(temp, "after")
	for _, to := range []string{before, after} {
		if err := os.CopyFS(to, os.DirFS(module)); err != nil {
			return fmt.Errorf("arena fix: %w", err)
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	inside, err := filepath.Rel(module, abs)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	o.Options.Dir, o.Hook = filepath.Join(after, inside), true
	r, err := Run(o.Options)
	if err != nil {
		return err
	}
	if err := require(ctx, o.Options.Dir, o.Arena); err != nil {
		return err
	}
	if err := r.Write(); err != nil {
		return err
	}
	if err := r.WriteReport(stdout, false); err != nil {
		return err
	}
	patterns := o.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if _, err := command(ctx, o.Options.Dir, "go", append([]string{"vet"}, patterns...)...); err != nil {
		return err
	}

	t := newTable(stdout, "tests of the module", "")
	var failed []string
	_, was := command(ctx, filepath.Join(before, inside), "go", append([]string{"test"}, patterns...)...)
	t.AppendRow(table.Row{"before", verdict(was)})
	for _, m := range modes {
		args := []string{"test", "-count=1"}
		if m.race {
			args = append(args, "-race")
		}
		_, err := command(ctx, o.Options.Dir, "env", append(append([]string{"ARENA_FIX=" + m.env, "go"}, args...), patterns...)...)
		t.AppendRow(table.Row{m.name, verdict(err)})
		if err != nil && was == nil {
			failed = append(failed, m.name)
			fmt.Fprintln(stderr, err)
		}
	}
	fmt.Fprintln(stdout)
	t.Render()
	if o.Bench != "" {
		if err := benchmarks(ctx, o, filepath.Join(before, inside), patterns, stdout); err != nil {
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

// benchmarks runs the benchmarks before and after by turns, and writes the ratios of their times.
func benchmarks(ctx context.Context, o TestOptions, before string, patterns []string, w io.Writer) error {
	runs := []string{"before", "nil", "free", "reset"}
	times := map[string]map[string][]float64{}
	for range max(o.Count, 1) {
		for _, run := range runs {
			dir := o.Options.Dir
			if run == "before" {
				dir = before
			}
			out, err := command(ctx, dir, "env", append([]string{"ARENA_FIX=" + run, "go", "test", "-run=^$", "-bench=" + o.Bench}, patterns...)...)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(out)) {
				f := strings.Fields(line)
				if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || f[3] != "ns/op" {
					continue
				}
				ns, err := strconv.ParseFloat(f[2], 64)
				if err != nil {
					continue
				}
				if times[f[0]] == nil {
					times[f[0]] = map[string][]float64{}
				}
				times[f[0]][run] = append(times[f[0]][run], ns)
			}
		}
	}
	fmt.Fprintf(w, "\nTimes of %d runs by turns: that before, divided by this; more is faster\n\n", max(o.Count, 1))
	t := newTable(w, "benchmark", "nil arena", "new and Free", "Reset")
	for _, name := range slices.Sorted(maps.Keys(times)) {
		row := table.Row{name}
		for _, run := range runs[1:] {
			row = append(row, fmt.Sprintf("%.2f", median(times[name]["before"])/median(times[name][run])))
		}
		t.AppendRow(row)
	}
	t.Render()
	return nil
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
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
