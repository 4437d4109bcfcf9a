package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena/bench/foreign"
	"github.com/arena-go/arena/bench/internal/suite"
)

// measure measures what the flags say. When ctx ends it returns what there is.
func measure(ctx context.Context) (*suite.Run, error) {
	all, err := chosen(workloads(), *pattern)
	if err != nil {
		return nil, err
	}
	if *inBuilds {
		all = across(all)
	}
	rounds := *count
	if rounds == 0 {
		rounds = 6
		if *quick {
			rounds = 2
		}
	}
	r := newRun()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	programs, err := build(r, dir, all)
	if err != nil {
		return nil, err
	}
	plans := newPlans(r, all, programs)
	if len(plans) == 0 {
		return nil, errors.New("nothing is left to be measured; without -quick there is more")
	}
	p := newProgress(plans, rounds)
	for round := range rounds {
		for _, plan := range plans {
			if round < plan.rounds(rounds) {
				plan.measure(ctx, round, p)
			}
		}
	}
	if measuresObjects(plans) {
		r.Soundness = soundness(ctx, programs, p)
	}
	p.end()
	for _, plan := range plans {
		r.Count = max(r.Count, len(plan.Cells[0].Results)) // It may have been interrupted.
		r.Workloads = append(r.Workloads, plan.Measured)
	}
	return r, nil
}

// measuresObjects says whether a plan is of the peers whose soundness is tested.
func measuresObjects(plans []*plan) bool {
	return slices.ContainsFunc(plans, func(p *plan) bool {
		return slices.ContainsFunc(p.Cells, func(c suite.Cell) bool { return c.Unsound })
	})
}

// newRun returns one that says where it was made.
func newRun() *suite.Run {
	r := &suite.Run{
		Machine: machine(), Go: runtime.Version(), Date: time.Now().Format(time.DateOnly),
		Command: command(), Versions: map[string]string{},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(peers, m.Path) {
				r.Versions[m.Path] = m.Version
			}
		}
	}
	return r
}

// command is what makes the same run again, with the same Go: see suite.Run.Again. Where its
// figures go makes no difference.
func command() string {
	text := "go run ./bench"
	flag.Visit(func(f *flag.Flag) {
		switch {
		case slices.Contains([]string{"json", "html", "into"}, f.Name):
		case f.Value.String() == "true":
			text += " -" + f.Name
		default:
			text += fmt.Sprintf(" -%s %q", f.Name, f.Value)
		}
	})
	return text
}

// peers are the modules whose versions matter.
var peers = []string{
	"buf.build/go/hyperpb", "github.com/allegro/bigcache/v3", "github.com/apache/arrow-go/v18", "github.com/bytedance/sonic", "github.com/coocood/freecache",
	"github.com/dgraph-io/ristretto/v2", "github.com/go-faster/jx", "github.com/go-json-experiment/json", "github.com/goccy/go-json", "github.com/mailru/easyjson", "github.com/minio/simdjson-go", "github.com/ortuman/nuke",
	"github.com/planetscale/vtprotobuf", "github.com/segmentio/encoding", "github.com/wundergraph/go-arena", "google.golang.org/protobuf", "modernc.org/memory",
}

// machine says what this one is.
func machine() string {
	field := func(file, name string) string {
		text, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(text), name)
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(strings.TrimLeft(line, " \t:"))
	}
	parts := []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprint(runtime.NumCPU(), " processors")}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		parts = append(parts, model)
	}
	var kilobytes int
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kilobytes); err == nil {
		parts = append(parts, fmt.Sprintf("%d GiB of memory", (kilobytes+1<<19)>>20))
	}
	return strings.Join(parts, ", ")
}

// build returns the paths of the programs that implementations of all need.
func build(r *suite.Run, dir string, all []suite.Workload) (map[suite.Program]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	paths := map[suite.Program]string{"": self}
	needs := func(p suite.Program) bool {
		return slices.ContainsFunc(all, func(w suite.Workload) bool {
			return slices.ContainsFunc(w.Implementations, func(i suite.Implementation) bool { return i.Program == p && !i.Here() })
		})
	}
	if *quick {
		r.Skipped = append(r.Skipped, "GOEXPERIMENT=arenas and programs in other languages, which would have to be built: not in a quick run")
		return paths, nil
	}
	for i := range builds {
		b := &builds[i]
		if !needs(b.program) {
			continue
		}
		fmt.Fprintln(os.Stderr, "building with", strings.Join(b.environment, " "))
		if path, err := b.make(dir); err != nil {
			r.Skipped = append(r.Skipped, fmt.Sprintf("%s: %v", strings.Join(b.environment, " "), err))
		} else {
			paths[b.program] = path
		}
	}
	if slices.ContainsFunc(foreign.Programs, needs) {
		fmt.Fprintln(os.Stderr, "building programs in other languages")
		built, missing := foreign.Build(dir, needs)
		maps.Copy(paths, built)
		r.Skipped = append(r.Skipped, missing...)
	}
	return paths, nil
}

// A plan is a workload and an n.
type plan struct {
	suite.Measured
	workload        *suite.Workload
	implementations []*suite.Implementation // Of the cells.
	paths           []string                // Of their programs.
}

// rounds returns how many rounds of all it takes part in.
func (p *plan) rounds(all int) int {
	if most := p.workload.Rounds; most > 0 {
		return min(all, most)
	}
	return all
}

// newPlans returns what can be measured, and says in r what cannot.
func newPlans(r *suite.Run, all []suite.Workload, programs map[suite.Program]string) (plans []*plan) {
	skipped := map[string]bool{}
	for wi := range all {
		w := &all[wi]
		sizes := w.Sizes
		if *quick {
			sizes = w.Quick
		}
		for _, n := range sizes {
			p := &plan{workload: w, Measured: suite.Measured{Name: w.Name, Title: w.Title, About: w.About, Unit: w.Unit, N: n, Values: w.Values}}
			for ii := range w.Implementations {
				i := &w.Implementations[ii]
				path := programs[""]
				if !i.Here() {
					path = programs[i.Program]
					if i.Missing != "" {
						path = ""
						if why := i.Name + ": this program was built without " + i.Missing; !skipped[why] {
							skipped[why] = true
							r.Skipped = append(r.Skipped, why)
						}
					}
				}
				if path == "" {
					continue
				}
				p.Cells = append(p.Cells, suite.Cell{Implementation: i.Name, Unsound: i.Unsound})
				p.implementations, p.paths = append(p.implementations, i), append(p.paths, path)
			}
			if len(p.Cells) > 0 {
				plans = append(plans, p)
			}
		}
	}
	return plans
}

// measure measures all cells once.
func (p *plan) measure(ctx context.Context, round int, progress *progress) {
	for k := range p.Cells {
		k = (k + round) % len(p.Cells)
		c := &p.Cells[k]
		if c.Failed != "" || ctx.Err() != nil {
			continue
		}
		progress.next(p, c, round)
		result, err := p.start(ctx, k)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			c.Failed = err.Error()
		default:
			c.Results = append(c.Results, result)
		}
	}
	p.compare()
}

// start measures a cell in a process.
func (p *plan) start(ctx context.Context, k int) (r suite.Result, err error) {
	i, d := p.implementations[k], *long*time.Duration(max(p.workload.Longer, 1))
	if *quick {
		d /= 10
	}
	cmd := exec.CommandContext(ctx, p.paths[k], "-cell", fmt.Sprint(p.Name, "/", base(i.Name), "/", p.N), "-for", d.String())
	if slices.Contains(foreign.Programs, i.Program) {
		cmd = exec.CommandContext(ctx, p.paths[k], i.Name, p.Name, fmt.Sprint(p.N), fmt.Sprint(d.Seconds()))
	}
	cmd.Env = slices.Concat(os.Environ(), p.workload.Environment, i.Environment)
	return r, suite.Reply(&r, cmd)
}

// compare fails the cells that made something else than the first one.
func (p *plan) compare() {
	if len(p.Cells[0].Results) == 0 {
		return
	}
	want := p.Cells[0].Results[0]
	for k := range p.Cells {
		c := &p.Cells[k]
		if slices.ContainsFunc(c.Results, func(r suite.Result) bool { return r.Check != want.Check || r.Units != want.Units }) {
			c.Failed = "it made something else than " + p.Cells[0].Implementation
			c.Results = nil
		}
	}
}
