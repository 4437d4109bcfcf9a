package advise

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// FromBenchmark runs the benchmarks of one package that match pattern, and returns what they leave.
// Their output goes to log. They run again, and longer, until there are samples enough.
//
// The profile of memory that package testing writes is of the end, when what a benchmark has kept
// is dead. So a file is added to the package's tests, for this build only, which takes heap
// profiles while the benchmarks run.
//
// A CPU profile takes 1.1 MB of the heap itself, of the 4 MB at which a small heap is collected. So
// there are more cycles, and they come where more is alive. The benchmarks run once more without
// profiles, and the lines that the runtime writes of both runs say how much less the collector
// takes.
func FromBenchmark(ctx context.Context, log io.Writer, pattern, benchtime, pkg string) (in Input, err error) {
	dir, err := os.MkdirTemp("", "arena-advise-")
	if err != nil {
		return in, fmt.Errorf("arena advise: %w", err)
	}
	defer os.RemoveAll(dir)
	list, err := output(exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}\t{{.Name}}\t{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", pkg))
	if err != nil {
		return in, err
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	if len(lines) != 1 {
		return in, fmt.Errorf("arena advise: -bench needs one package, and %s is %d", pkg, len(lines))
	}
	fields := append(strings.Split(lines[0], "\t"), "", "")
	where, name, module := fields[0], fields[1], fields[2]
	binary := filepath.Join(dir, "bench.test")
	overlay, err := watcher(dir, where, name)
	if err != nil {
		return in, fmt.Errorf("arena advise: %w", err)
	}
	build := func(flags ...string) error {
		args := append([]string{"test", "-vet=off", "-c", "-o", binary}, flags...)
		_, err := output(exec.CommandContext(ctx, "go", append(args, pkg)...))
		return err
	}
	if build("-overlay", overlay) != nil { // the go command may have an overlay already, or the package no place for another file
		if err := build(); err != nil {
			return in, err
		}
	}
	if _, err := os.Stat(binary); err != nil {
		return in, fmt.Errorf("arena advise: %s has no tests, and so no benchmarks", pkg)
	}
	if module != "" {
		in.Mine = []string{module}
		if in.Sources, err = imported(ctx, module, fields[3], pkg); err != nil {
			return in, err
		}
		if in.Benchmark, err = benchmarkIn(where, pattern); err != nil {
			return in, err
		}
	}
	in.Whole = true
	bench := benchRun{binary, where, pkg, pattern, benchtime}
	with := &benchOutput{}
	for round := 1; ; round++ {
		out, err := bench.profiled(ctx, log, dir, &in)
		if err != nil {
			return in, err
		}
		with.add(out)
		few := in.few()
		if few == nil {
			break
		}
		if round == maxRounds {
			return in, few
		}
		bench.benchtime = scaled(bench.benchtime, few.longer())
		fmt.Fprintf(log, "arena advise: %d of %d samples of the %s profile; on with -benchtime %s\n", few.Have, few.Min, few.Profile, bench.benchtime)
	}
	fmt.Fprintln(log, "arena advise: once more without profiles, for the time of the collector")
	bench.benchtime = benchtime
	without, err := bench.run(ctx, io.Discard, "", nil)
	if err != nil {
		return in, err
	}
	in.Cycles, in.Units = float64(with.cycles), without.units
	if a, b := with.share(), without.share(); a > 0 && b > 0 {
		in.Collector = b / a
	}
	return in, nil
}

// profiled runs the benchmarks with profiles, and adds these to in.
func (b benchRun) profiled(ctx context.Context, log io.Writer, dir string, in *Input) (*benchOutput, error) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	cpu, mem := filepath.Join(dir, "cpu"), filepath.Join(dir, "mem")
	// The stacks of a profile of memory end after 128 functions otherwise.
	out, err := b.run(ctx, log, deepest, []string{watchEnv + "=" + dir}, "-test.cpuprofile="+cpu, "-test.memprofile="+mem)
	if err != nil {
		return nil, err
	}
	round, err := FromFiles([]string{cpu, mem})
	if err != nil {
		return nil, err
	}
	if round.Live, err = snapshots(dir); err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	for _, p := range append([]*profile.Profile{round.CPU, round.Allocs}, round.Live...) {
		dropWatcher(p)
	}
	in.Live = append(in.Live, round.Live...)
	if in.CPU, err = merged(in.CPU, round.CPU); err != nil {
		return nil, err
	}
	in.Allocs, err = merged(in.Allocs, round.Allocs)
	return out, err
}

// merged returns the sum of two profiles, of which the first may be nil.
func merged(a, b *profile.Profile) (*profile.Profile, error) {
	if a == nil {
		return b, nil
	}
	p, err := profile.Merge([]*profile.Profile{a, b})
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	return p, nil
}

// scaled returns a time for -benchtime, or a number of loops, that is factor times as long.
func scaled(benchtime string, factor float64) string {
	if n, err := strconv.Atoi(strings.TrimSuffix(benchtime, "x")); err == nil && strings.HasSuffix(benchtime, "x") {
		return fmt.Sprintf("%dx", int(float64(n)*factor)+1)
	}
	d, err := time.ParseDuration(benchtime)
	if err != nil {
		return benchtime // the benchmarks have run with it
	}
	return time.Duration(float64(d) * factor).Round(time.Millisecond).String()
}

// imported returns patterns of a package and of the packages of its module that it and its tests
// import, or of the whole module if these are many: of those with more than tests. In the directory
// of the module they are short.
func imported(ctx context.Context, module, dir, pkg string) ([]string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	out, err := output(exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-f", "{{if and (not .ForTest) (or .GoFiles .CgoFiles)}}{{with .Module}}{{.Path}}\t{{$.ImportPath}}{{end}}{{end}}", pkg))
	if err != nil {
		return nil, err
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		if of, path, _ := strings.Cut(strings.TrimSpace(line), "\t"); of == module && !strings.HasSuffix(path, ".test") {
			if rest, ok := strings.CutPrefix(path, module); ok && wd == dir {
				path = "." + rest
			}
			paths = append(paths, path)
		}
	}
	const many = 8
	if len(paths) > many {
		return []string{"./..."}, nil
	}
	return paths, nil
}

// A benchRun is what all runs of some benchmarks have in common.
type benchRun struct{ binary, where, pkg, pattern, benchtime string }

// run runs the benchmarks, with something for GODEBUG, more variables of the environment and more
// flags, and returns what they print. The output goes to log.
func (b benchRun) run(ctx context.Context, log io.Writer, debug string, env []string, flags ...string) (*benchOutput, error) {
	cmd := exec.CommandContext(ctx, b.binary, append([]string{"-test.run=^$", "-test.bench=" + b.pattern, "-test.benchtime=" + b.benchtime}, flags...)...)
	cmd.Dir = b.where
	// What is set in GODEBUG counts, but for gctrace.
	debug = strings.Join(slices.DeleteFunc([]string{debug, os.Getenv("GODEBUG"), "gctrace=1"}, func(s string) bool { return s == "" }), ",")
	cmd.Env = slices.Concat(os.Environ(), []string{"GODEBUG=" + debug}, env)
	out := &benchOutput{log: log}
	cmd.Stdout, cmd.Stderr = out, out // one writer: exec then calls it from one goroutine
	err := cmd.Run()
	out.flush()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("arena advise: the benchmarks of %s: %w", b.pkg, context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("arena advise: the benchmarks of %s: %w", b.pkg, err)
	case !out.ran:
		return nil, fmt.Errorf("arena advise: %s has no benchmark that matches %q, or none that has printed its result", b.pkg, b.pattern)
	}
	out.cpu = cpuTime(cmd.ProcessState)
	if len(out.units) == 1 { // another program may take a part of the time
		u := &out.units[0]
		u.Nanos = min(u.Nanos, float64(out.cpu)/u.loops)
	}
	return out, nil
}

// cpuTime returns what a process has taken that has ended. It is a variable for tests.
var cpuTime = func(p *os.ProcessState) time.Duration { return p.UserTime() + p.SystemTime() }

// What a heap profile during a benchmark is taken with: a file that is added to the package, and
// the environment variable that says where profiles go.
const (
	watchFile = "zz_arena_advise_watch_test.go"
	watchEnv  = "ARENA_ADVISE_DIR"
	watchText = `package %s

import (
	arenaAdviseOS "os"
	arenaAdvisePprof "runtime/pprof"
	arenaAdviseStrconv "strconv"
	arenaAdviseTime "time"
)

func init() {
	dir := arenaAdviseOS.Getenv("` + watchEnv + `")
	if dir == "" {
		return
	}
	// Tests may look for goroutines that are left, so none waits.
	var next func(i int)
	next = func(i int) {
		arenaAdviseTime.AfterFunc(250*arenaAdviseTime.Millisecond, func() {
			name := dir + "/live" + arenaAdviseStrconv.Itoa(i)
			f, err := arenaAdviseOS.Create(name + ".part")
			if err == nil && arenaAdvisePprof.WriteHeapProfile(f) == nil && f.Close() == nil && arenaAdviseOS.Rename(name+".part", name) == nil {
				next(i + 1)
			}
		})
	}
	next(0)
}
`
)

// watcher writes an overlay for the go command, and returns its name.
func watcher(dir, pkgDir, pkg string) (string, error) {
	text := filepath.Join(dir, "watch.go.txt")
	if err := os.WriteFile(text, fmt.Appendf(nil, watchText, strings.TrimSuffix(pkg, "_test")), 0o666); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(pkgDir, watchFile): text}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, overlay, 0o666)
}

// snapshots returns the heap profiles that were taken during the run, the first first.
func snapshots(dir string) (all []*profile.Profile, err error) {
	for i := 0; ; i++ {
		p, err := readFile(filepath.Join(dir, fmt.Sprintf("live%d", i)))
		if os.IsNotExist(err) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// dropWatcher takes out of p what the watcher itself has cost.
func dropWatcher(p *profile.Profile) {
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		for _, l := range s.Location {
			for _, line := range l.Line {
				if line.Function != nil && filepath.Base(line.Function.Filename) == watchFile {
					return true
				}
			}
		}
		return false
	})
}

// output runs a command, and returns what it writes. The error has what it says.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("arena advise: %s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// A benchOutput is what benchmarks print. It reads the lines that the runtime writes for each cycle
// of the collector, and passes on the others.
type benchOutput struct {
	log       io.Writer
	line      []byte
	cycles    int
	collector float64       // its CPU time in ms
	cpu       time.Duration // of the process, when it has ended
	ran       bool          // there was a result
	units     []Unit
	begun     []byte // of a line, before what the runtime writes
}

// A Unit is what one loop of a benchmark takes.
type Unit struct {
	Benchmark string // the name of the function
	Nanos     float64
	loops     float64
}

// add counts another run.
func (c *benchOutput) add(other *benchOutput) {
	c.cycles += other.cycles
	c.collector += other.collector
	c.cpu += other.cpu
}

var (
	cycleLine  = regexp.MustCompile(`(?:^|\t)gc \d+ @[0-9.]+s `) // package testing has printed the name of the benchmark, perhaps, and a tab
	cycleTimes = regexp.MustCompile(` ms clock, ([0-9.+/]+) ms cpu,`)
	resultLine = regexp.MustCompile(`^(Benchmark[^\s/]*?)(?:/\S*)?(?:-\d+)?\s+(\d+)\s+([0-9.]+)\sns/op\b`)
)

// share returns the collector's part of the CPU time.
func (c *benchOutput) share() float64 { return c.collector / 1e3 / c.cpu.Seconds() }

func (c *benchOutput) Write(b []byte) (int, error) {
	c.line = append(c.line, b...)
	for {
		end := bytes.IndexByte(c.line, '\n')
		if end < 0 {
			return len(b), nil
		}
		line := c.line[:end+1]
		if at := cycleLine.FindIndex(line); at != nil {
			c.cycles++
			if m := cycleTimes.FindSubmatch(line); m != nil {
				for ms := range strings.FieldsFuncSeq(string(m[1]), func(r rune) bool { return r == '+' || r == '/' }) {
					x, _ := strconv.ParseFloat(ms, 64) // digits and points
					c.collector += x
				}
			}
			line = line[:at[0]]
		}
		if c.begun = append(c.begun, line...); bytes.HasSuffix(c.begun, []byte("\n")) {
			if m := resultLine.FindSubmatch(c.begun); m != nil {
				loops, _ := strconv.ParseFloat(string(m[2]), 64)
				ns, _ := strconv.ParseFloat(string(m[3]), 64)
				c.ran, c.units = true, append(c.units, Unit{string(m[1]), ns, loops})
			}
			c.begun = c.begun[:0]
		}
		if _, err := c.log.Write(line); err != nil {
			return 0, err
		}
		c.line = c.line[end+1:]
	}
}

// flush passes on a last line that does not end.
func (c *benchOutput) flush() {
	if len(c.line) > 0 {
		fmt.Fprintf(c.log, "%s\n", c.line)
		c.line = nil
	}
}
