package advise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
)

// A Benchmark names the benchmarks that an Input comes from.
type Benchmark struct {
	Pattern string
	Package string // its directory, from the current one
}

// benchmarkIn returns the benchmarks of the package in a directory.
func benchmarkIn(dir, pattern string) (*Benchmark, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	pkg, err := filepath.Rel(wd, dir)
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	return &Benchmark{pattern, pkg}, nil
}

// A Trial is what the rewriting saves in the benchmarks, measured in a copy of the module. Both
// ranges hold the median of all turns with a probability of 93 %.
type Trial struct {
	Saves      Range            `json:"saves"`   // with arenas that are reset
	GOGC       Range            `json:"gogc400"` // the former code with GOGC=400; zero if that was not measured
	Benchmarks []TrialBenchmark `json:"benchmarks"`
	Of         int              `json:"of"`             // so many match the pattern
	Left       []string         `json:"left,omitempty"` // those that use results when the arenas are reset
}

// A TrialBenchmark is one benchmark of a Trial.
type TrialBenchmark struct {
	Name  string  `json:"name"`
	Saves float64 `json:"saves"` // the median
}

// trialTurns is how often each side of a benchmark runs. The second least of eight values and the
// second greatest hold their median with a probability of 93 %: 1 - 18/2^8.
const trialTurns = 8

// trialMost is how many benchmarks run, with subbenchmarks. They are spread over those that match.
const trialMost = 10

// tooWide is a range that says nothing, as where a process needs much longer to begin than for a
// turn.
const tooWide = 0.4

// trial makes a Trial. It is a variable for tests.
var trial = (*Advice).measure

// tries measures the rewriting if the prediction says that it may pay. If that fails, the answer is
// never "yes".
func (a *Advice) tries(ctx context.Context, log io.Writer) error {
	if a.in.Benchmark == nil || a.Fix == "" || a.Unknown != "" || a.Total().High < worthIt {
		return nil
	}
	fmt.Fprintln(log, "arena advise: the rewriting is measured in a copy of the module")
	t, err := trial(a, ctx, log, trialTurns)
	if ctx.Err() != nil {
		return err
	}
	if err == nil && t.Saves.High-t.Saves.Low > tooWide {
		t, err = nil, fmt.Errorf("its runs differ too much, from %s", t.Saves)
	}
	if err != nil {
		a.Untried = brief(err)
		fmt.Fprintln(log, err)
	}
	if a.Trial = t; t != nil && a.GOGC.High > 0 {
		a.GOGC = t.GOGC
	}
	a.judge()
	return nil
}

// brief returns the beginning of an error, and the line that says what went wrong in a process.
func brief(err error) string {
	text := err.Error()
	first, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		for _, begin := range []string{"panic: ", "fatal error: ", "unexpected fault address", "--- FAIL: "} {
			if strings.HasPrefix(line, begin) {
				name, _, _ := strings.Cut(first, ": arena fix: ") // without the command
				return name + ": " + strings.TrimSpace(line)
			}
		}
	}
	return first
}

// measure runs the benchmarks by turns in a copy of the module: unchanged, rewritten with arenas
// that are reset, and unchanged with GOGC=400. Before that they run in guard mode.
func (a *Advice) measure(ctx context.Context, log io.Writer, turns int) (t *Trial, err error) {
	temp, err := os.MkdirTemp("", "arena-advise-")
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	defer os.RemoveAll(temp)
	o := fix.TestOptions{Options: fix.Options{Patterns: a.in.Sources, Known: true, Roots: a.Roots, Twice: true, Generated: a.in.Generated}, Arena: a.in.Arena}
	_, dir, binaries, err := fix.Build(ctx, o, temp, "./"+filepath.ToSlash(a.in.Benchmark.Package))
	if err != nil {
		return nil, err
	}
	loops, err := fix.Calibrate(ctx, dir, binaries[0], a.in.Benchmark.Pattern)
	if err != nil {
		return nil, err
	}
	if len(loops) == 0 {
		return nil, errors.New("arena advise: the benchmarks print no times")
	}
	sum := make([][]float64, 2, 3) // the CPU times of all benchmarks, by side and turn
	if a.GOGC.High > 0 {
		sum = sum[:3]
	}
	for i := range sum {
		sum[i] = make([]float64, turns)
	}
	t = &Trial{Of: len(loops)}
	names := slices.Sorted(maps.Keys(loops))
	n := min(len(names), trialMost)
	for i := range n {
		name := names[i*len(names)/n]
		fmt.Fprintf(log, "arena advise: %s, %d of %d\n", name, i+1, n)
		mode, err := fix.Resets(ctx, dir, binaries[1], name)
		if err != nil {
			if ctx.Err() != nil || len(t.Left) == n-1 { // none is measured
				return nil, err
			}
			fmt.Fprintln(log, brief(err))
			t.Left = append(t.Left, name)
			continue
		}
		sides := []fix.Side{
			{Binary: binaries[0], Name: name},
			{Binary: binaries[1], Name: name, Env: mode},
			{Binary: binaries[0], Name: name, GOGC: "400"},
		}
		times, err := fix.Turns(ctx, dir, sides[:len(sum)], loops[name], turns)
		if err != nil {
			return nil, err
		}
		for side := range times {
			for turn, seconds := range times[side] {
				sum[side][turn] += seconds
			}
		}
		t.Benchmarks = append(t.Benchmarks, TrialBenchmark{name, 1 - 1/fix.Median(fix.Ratios(times, 1))})
	}
	t.Saves = saved(fix.Ratios(sum, 1))
	if len(sum) == 3 {
		t.GOGC = saved(fix.Ratios(sum, 2))
	}
	return t, nil
}

// saved returns the range of what is saved, by how many times as fast each turn was. The extremes
// of eight turns do not count.
func saved(ratios []float64) Range {
	slices.Sort(ratios)
	extremes := len(ratios) / 8
	return Range{Low: 1 - 1/ratios[extremes], High: 1 - 1/ratios[len(ratios)-1-extremes]}
}
