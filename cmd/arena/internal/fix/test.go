package fix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/mod/modfile"

	"github.com/arena-go/arena/cmd/arena/internal/tables"
)

// TestOptions are the options of Test.
type TestOptions struct {
	Options
	Bench string // pattern of benchmarks; empty runs none
	Count int    // of each benchmark
	Arena string // the sources of package arena; empty is the checkout that this program was built in, or else what go get finds
	Short bool   // only the modes that find most
	Skip  string // tests that do not run

	skipped []string // and those that fail without a change
}

// A FailedError says that tests of the rewritten module fail which did not fail before.
type FailedError struct{ Modes []string }

func (e *FailedError) Error() string {
	return "arena fix: tests fail with arenas that pass without: " + strings.Join(e.Modes, ", ")
}

// modes are the ways in which the tests run, and the hook's settings.
var modes = []struct {
	name, env string
	turns     bool // arenas take turns
	race      bool
	short     bool // runs also where time is short
}{
	{name: "on the heap", env: "nil", short: true},
	{name: "a new arena, dropped", env: "fresh"},
	{name: "a new arena, freed", env: "free"},
	{name: "arenas that are reset", env: "reset", turns: true, short: true},
	{name: "the same with -race", env: "reset", turns: true, race: true},
	{name: "the same in guard mode", env: "guard", turns: true},
}

// fewTurns is how many arenas of a goroutine take turns. Tests that fail run again with manyTurns:
// perhaps they use values for longer.
const fewTurns, manyTurns = 16, 1024

// copies makes two copies of the module, and rewrites one of them: the directory of o is in that
// then. The other directory is before.
func (o *TestOptions) copies(ctx context.Context, temp string, report io.Writer) (before string, r *Result, err error) {
	dir := cmp.Or(o.Dir, ".")
	out, err := command(ctx, dir, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", nil, err
	}
	module := strings.TrimSpace(string(out))
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, fmt.Errorf("arena fix: %w", err)
	}
	inside, err := filepath.Rel(module, abs)
	if err != nil {
		return "", nil, fmt.Errorf("arena fix: %w", err)
	}
	before, after := filepath.Join(temp, "before"), filepath.Join(temp, "after")
	for _, to := range []string{before, after} {
		if err := os.CopyFS(to, os.DirFS(module)); err != nil {
			return "", nil, fmt.Errorf("arena fix: %w", err)
		}
	}
	o.Dir, o.Hook = filepath.Join(after, inside), true
	if r, err = Run(o.Options); err != nil {
		return "", nil, err
	}
	if len(r.Out) > 0 {
		o.Patterns = r.Packages
	}
	if r.Nothing() {
		return "", nil, errors.Join(r.WriteReport(report, false), ErrNothing)
	}
	if err := require(ctx, o.Dir, "", cmp.Or(o.Arena, checkout())); err != nil {
		return "", nil, err
	}
	if err := r.Write(); err != nil {
		return "", nil, err
	}
	if err := r.WriteReport(report, false); err != nil {
		return "", nil, err
	}
	return filepath.Join(before, inside), r, r.check(ctx, o.Options)
}

// Test rewrites a copy of the module, and runs its tests there with arenas of all kinds. The
// results go to stdout.
func Test(ctx context.Context, o TestOptions, stdout, stderr io.Writer) error {
	temp, err := os.MkdirTemp("", "arena-fix-")
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	defer os.RemoveAll(temp)
	before, _, err := o.copies(ctx, temp, stdout)
	if err != nil {
		return err
	}
	patterns := o.patterns()

	t := tables.New(stdout, table.Row{"tests of the module", ""})
	var failed []string
	test := func(dir, env string, turns int, flags ...string) ([]byte, error) {
		// One test at a time: others would take the turns of arenas whose values a test still uses.
		args := slices.Concat([]string{"ARENA_FIX=" + env, fmt.Sprint("ARENA_FIX_TURNS=", turns), "go", "test", "-vet=off", "-count=1", "-parallel=1", "-skip", strings.Join(append(o.skipped, cmp.Or(o.Skip, "^$")), "|")}, flags, patterns)
		return command(ctx, dir, "env", args...)
	}
	was := o.skip(func() ([]byte, error) { return test(before, "nil", fewTurns, "-json") })
	if was != nil {
		return fmt.Errorf("arena fix: -test: the tests of the module fail without a change, so they say nothing: %w", was)
	}
	t.AppendRow(table.Row{"before", o.passed()})
	for _, m := range modes {
		if o.Short && !m.short {
			continue
		}
		var flags []string
		if m.race {
			flags = []string{"-race"}
		}
		_, err := test(o.Dir, m.env, fewTurns, flags...)
		if ctx.Err() != nil {
			fmt.Fprintln(stdout)
			t.Render()
			return fmt.Errorf("arena fix: -test: stopped in the mode %q: %w", m.name, context.Cause(ctx))
		}
		row := verdict(err)
		if err != nil { // a test may do so without a change, at times or in a race
			skipped := o.skipped
			again := slices.Concat(flags, []string{"-json", "-count=3"})
			for n := -1; n < len(o.skipped) && err != nil && ctx.Err() == nil; { // each time some others may
				n = len(o.skipped)
				if o.skip(func() ([]byte, error) { return test(before, "nil", fewTurns, again...) }) == nil && len(o.skipped) > n {
					_, err = test(o.Dir, m.env, fewTurns, flags...)
				}
			}
			if err == nil {
				row = o.passed()
			}
			if err != nil && m.turns {
				if _, later := test(o.Dir, m.env, manyTurns, flags...); later == nil {
					row = fmt.Sprintf("fail with %d arenas, pass with %d", fewTurns, manyTurns)
				}
			}
			if m.race {
				o.skipped = skipped
			}
		}
		t.AppendRow(table.Row{m.name, row})
		if err != nil {
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

// skip runs the tests of the module as it was until they pass, and each time skips those that fail.
func (o *TestOptions) skip(run func() ([]byte, error)) error {
	for {
		out, err := run()
		if err == nil {
			return nil
		}
		n := len(o.skipped)
		for line := range bytes.Lines(out) {
			var event struct{ Action, Test string }
			if json.Unmarshal(line, &event) != nil || event.Action != "fail" || event.Test == "" {
				continue
			}
			name, _, _ := strings.Cut(event.Test, "/")
			if name = "^" + name + "$"; !slices.Contains(o.skipped, name) {
				o.skipped = append(o.skipped, name)
			}
		}
		if len(o.skipped) == n {
			return err
		}
	}
}

// passed is the verdict of tests that pass without a change. It says how many are left out.
func (o *TestOptions) passed() string {
	switch n := len(o.skipped); n {
	case 0:
		return verdict(nil)
	case 1:
		return "pass, without one that fails"
	default:
		return fmt.Sprintf("pass, without %d that fail", n)
	}
}

func verdict(err error) string {
	if err != nil {
		return "fail"
	}
	return "pass"
}

// Build rewrites a copy of the module, in temp, and returns the result, the directory of the
// package with the benchmarks, and their binaries: before, and after.
func Build(ctx context.Context, o TestOptions, temp, pkg string) (r *Result, dir string, binaries [2]string, err error) {
	before, r, err := o.copies(ctx, temp, io.Discard)
	if err != nil {
		return nil, "", binaries, err
	}
	binaries, err = o.binaries(ctx, before, pkg)
	return r, filepath.Join(before, pkg), binaries, err
}

// binaries builds the tests of a package: before, and after.
func (o *TestOptions) binaries(ctx context.Context, before, pkg string) (all [2]string, err error) {
	for i, from := range []string{before, o.Dir} {
		all[i] = filepath.Join(from, "arena-fix.test")
		if _, err := command(ctx, from, "go", "test", "-vet=off", "-c", "-o", all[i], pkg); err != nil {
			return all, err
		}
	}
	return all, nil
}

// benchmarks writes the ratios of the CPU time that the benchmarks take before and after.
func benchmarks(ctx context.Context, o TestOptions, before string, w io.Writer) error {
	slower := false // without an arena
	var fails []error
	t := tables.New(w, table.Row{"benchmark", "nil arena", "new and Free", "Reset"})
	out, err := command(ctx, before, "go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"}, o.patterns()...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if pkg == "" {
			continue
		}
		binaries, err := o.binaries(ctx, before, pkg)
		if err != nil {
			return err
		}
		loops, err := Calibrate(ctx, dir, binaries[0], o.Bench)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(loops)) {
			sides := []Side{{Binary: binaries[0], Name: name}}
			modes := []string{"nil", "free"}
			if mode, err := Resets(ctx, dir, binaries[1], name); err == nil {
				modes = append(modes, mode)
			} else {
				fails = append(fails, err)
			}
			for _, mode := range modes {
				sides = append(sides, Side{Binary: binaries[1], Name: name, Env: mode})
			}
			times, err := Turns(ctx, dir, sides, loops[name], max(o.Count, 1))
			if err != nil {
				return err
			}
			row := table.Row{name}
			for i := range sides[1:] {
				ratio := Median(Ratios(times, i+1))
				slower = slower || i == 0 && ratio < 0.97
				row = append(row, fmt.Sprintf("%.2f", ratio))
			}
			t.AppendRow(row)
		}
	}
	fmt.Fprintf(w, "\nCPU time, the collector's included, medians of %d runs by turns: that before, divided by this; more is faster\n\n", max(o.Count, 1))
	t.Render()
	if err := errors.Join(fails...); err != nil {
		fmt.Fprintf(w, "\nWith arenas that are reset these benchmarks use what is gone:\n%v\n", err)
	}
	if slower && !o.Twice {
		fmt.Fprintln(w, "Without -once the former functions stay, and without an arena nothing is slower.")
	}
	return nil
}

// Calibrate returns the benchmarks of a test binary, and how many loops of each take about
// turnTime.
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
			loops[f[0]] = max(2, int(turnTime*1e9/max(ns, 1)))
		}
	}
	return loops, nil
}

// guardLoops is how often a benchmark runs in guard mode, so that a value which is used after its
// end is found.
const guardLoops = 20

// Resets returns the setting of the hook with which the roots have arenas that are reset in a
// benchmark: when the root is called again, if no value is used after that, or else sixteen in
// turns. If values are used for longer, that is an error.
func Resets(ctx context.Context, dir, binary, name string) (mode string, err error) {
	for _, m := range []struct{ guarded, mode string }{{"guardpool", "pool"}, {"guard", "reset"}} {
		guarded := Side{Binary: binary, Name: name, Env: m.guarded}
		if _, err = guarded.CPUTime(ctx, dir, guardLoops); err == nil {
			return m.mode, nil
		}
	}
	return "", fmt.Errorf("arena fix: %s uses what is gone when its arenas are reset: %w", name, err)
}

// A Side is one way to run a benchmark: a test binary, its hook's settings, the benchmark's name,
// and GOGC, which is the environment's where it is empty.
type Side struct{ Binary, Env, Name, GOGC string }

// turnTime is the CPU time of the first side in a turn, in seconds: short turns, so that what else
// the machine does is the same for all sides.
const turnTime = 0.35

// warm is how many loops it takes until arenas have grown.
const warm = 4

// Turns runs a benchmark in all these ways, count times by turns, each in a process of its own. It
// returns by side the CPU times in seconds, the collector's and the system's included. Every other
// turn is backwards. What a process takes for a few loops is subtracted: it begins, makes what the
// benchmark reads, and its arenas grow.
func Turns(ctx context.Context, dir string, sides []Side, loops, count int) ([][]float64, error) {
	times, idle := make([][]float64, len(sides)), make([][]float64, len(sides))
	take := func(to [][]float64, turn, loops int) error {
		for i := range sides {
			if turn%2 == 1 {
				i = len(sides) - 1 - i
			}
			cpu, err := sides[i].CPUTime(ctx, dir, loops)
			if err != nil {
				return err
			}
			to[i] = append(to[i], cpu)
		}
		return nil
	}
	// The loops are by the time that a short run took, and the machine may have done something else
	// then.
	trial := make([]float64, 2)
	for i := range trial {
		var err error
		if trial[i], err = sides[0].CPUTime(ctx, dir, warm+i*loops); err != nil {
			return nil, err
		}
	}
	loops = max(2, int(float64(loops)*min(max(turnTime/max(trial[1]-trial[0], 1e-3), 0.2), 20)))
	for turn := range count {
		if err := take(times, turn, warm+loops); err != nil {
			return nil, err
		}
		if turn < 5 {
			if err := take(idle, turn, warm); err != nil {
				return nil, err
			}
		}
	}
	for i := range times {
		less := Median(idle[i])
		for j := range times[i] {
			times[i][j] = max(times[i][j]-less, 1e-6)
		}
	}
	return times, nil
}

// Ratios returns for each turn how many times the CPU time of side i the first side takes.
func Ratios(times [][]float64, i int) (all []float64) {
	for turn, was := range times[0] {
		all = append(all, was/times[i][turn])
	}
	return all
}

// CPUTime runs the benchmark for a number of loops, and returns the CPU time of the process in
// seconds. With stale values a loop may have no end, so there is a limit.
func (s Side) CPUTime(ctx context.Context, dir string, loops int) (float64, error) {
	parts := strings.Split(s.Name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	cmd := exec.CommandContext(ctx, s.Binary, "-test.run=^$", "-test.bench="+strings.Join(parts, "/"), "-test.benchtime="+strconv.Itoa(loops)+"x", "-test.timeout=10m")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ARENA_FIX="+s.Env)
	if s.GOGC != "" {
		cmd.Env = append(cmd.Env, "GOGC="+s.GOGC)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("arena fix: %s: %w\n%s", strings.Join(cmd.Args, " "), err, ends(out))
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// Median returns the median, and sorts the values.
func Median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// checkout returns the directory of package arena in the checkout that this program was built in,
// or "" if it was built elsewhere.
func checkout() string {
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(file), "..", "..", "..", "..") // of cmd/arena/internal/fix
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || modfile.ModulePath(mod) != arenaPath {
		return ""
	}
	return dir
}

// require has the module in dir require package arena: that in sources, or what go get finds. If
// that raises the version of Go, the settings of GODEBUG stay as before. What changes is
// modFile, or if it is "" the module's go.mod.
func require(ctx context.Context, dir, modFile, sources string) (err error) {
	get := []string{"get"}
	edit := []string{"mod", "edit"}
	file := modFile
	switch {
	case file == "":
		if file, err = goMod(ctx, dir); err != nil {
			return err
		}
	case !filepath.IsAbs(file):
		file = filepath.Join(dir, file)
	}
	if modFile != "" {
		get = append(get, "-modfile="+modFile)
	}
	was, err := goOf(file)
	if err != nil {
		return err
	}
	defer func() {
		if now, _ := goOf(file); err == nil && now != was {
			_, err = command(ctx, dir, "go", "mod", "edit", "-godebug=default=go"+was, file)
		}
	}()
	if sources == "" {
		_, err := command(ctx, dir, "go", append(get, arenaPath)...)
		return err
	}
	abs, err := filepath.Abs(sources)
	if err != nil {
		return fmt.Errorf("arena fix: %w", err)
	}
	edit = append(edit, "-replace="+arenaPath+"="+abs)
	if modFile != "" {
		edit = append(edit, modFile)
	}
	if _, err := command(ctx, dir, "go", edit...); err != nil {
		return err
	}
	_, err = command(ctx, dir, "go", append(get, arenaPath+"@v0.0.0")...) // which raises the version of Go, too
	return err
}

// goOf returns the version of Go in a go.mod, as in 1.20, or "" if that has settings of GODEBUG for
// another one already.
func goOf(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("arena fix: %w", err)
	}
	mod, err := modfile.Parse(file, b, nil)
	if err != nil {
		return "", fmt.Errorf("arena fix: %w", err)
	}
	for _, g := range mod.Godebug {
		if g.Key == "default" {
			return "", nil
		}
	}
	if mod.Go == nil {
		return "1.16", nil // what the go command takes it for
	}
	return strings.TrimPrefix(version.Lang("go"+mod.Go.Version), "go"), nil
}

// command runs a command, and returns what it writes to its standard output. The error has what it
// says.
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
			return out, fmt.Errorf("arena fix: %s: %w\n%s%s", strings.Join(cmd.Args, " "), err, ends(out), bytes.TrimSpace(stderr.Bytes()))
		}
		return out, fmt.Errorf("arena fix: %w", err)
	}
	return out, nil
}

// ends returns the first and the last part of a long output: a panic is at the beginning, and the
// names of failed tests are at the end.
func ends(b []byte) []byte {
	const most = 4000
	if len(b) > 2*most {
		b = slices.Concat(b[:most], []byte("\n...\n"), b[len(b)-most:])
	}
	return b
}
