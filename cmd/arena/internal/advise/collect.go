package advise

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// FromFiles reads the profiles of one run of a program, in any order: one of CPU time, one of allocations, and one of the heap while the
// program was at work, which may be missing. With two profiles of memory the one with fewer allocated bytes is the earlier one, and its heap counts.
func FromFiles(names []string) (in Input, err error) {
	for _, name := range names {
		p, err := readFile(name)
		if err != nil {
			return in, fmt.Errorf("arena advise: %s: %w", name, err)
		}
		switch {
		case profiles.Index(p, "cpu") >= 0:
			if in.CPU != nil {
				return in, fmt.Errorf("arena advise: %s: a second CPU profile; give one", name)
			}
			in.CPU = p
		case profiles.Index(p, "alloc_space") < 0:
			return in, fmt.Errorf("arena advise: %s: neither a CPU profile of Go nor one of memory", name)
		case in.Allocs == nil:
			in.Allocs = p
		case in.Heap == nil:
			in.Heap = p
			if allocated(in.Heap) > allocated(in.Allocs) {
				in.Heap, in.Allocs = in.Allocs, in.Heap
			}
		default:
			return in, fmt.Errorf("arena advise: %s: a third profile of memory; give two at most", name)
		}
	}
	if in.CPU == nil || in.Allocs == nil {
		return in, fmt.Errorf("arena advise: needs a CPU profile and one of allocations: -cpuprofile and -memprofile of go test, or /debug/pprof/profile and /debug/pprof/allocs of a server")
	}
	return in, nil
}

func readFile(name string) (*profile.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Parse(f)
}

// allocated returns the bytes that a profile of memory says were allocated.
func allocated(p *profile.Profile) (sum int64) {
	at := profiles.Index(p, "alloc_space")
	for _, s := range p.Sample {
		sum += s.Value[at]
	}
	return sum
}

// FromServer takes the profiles of a running program from its net/http/pprof, for so many seconds. The program should be
// under its usual load.
func FromServer(ctx context.Context, base string, d time.Duration) (in Input, err error) {
	base = strings.TrimSuffix(base, "/")
	if !strings.Contains(base, "/debug/pprof") {
		base += "/debug/pprof"
	}
	// The profile of memory is as of the last collection: without one before it is stale.
	before, cycles, err := serverHeap(ctx, base)
	if err != nil {
		return in, err
	}
	if in.CPU, err = serverProfile(ctx, fmt.Sprintf("%s/profile?seconds=%d", base, int(d.Seconds()))); err != nil {
		return in, err
	}
	after, end, err := serverHeap(ctx, base)
	if err != nil {
		return in, err
	}
	in.Heap = after
	in.Cycles = max(end-cycles-2, 0) // less those that the requests have caused
	before = before.Copy()
	before.Scale(-1)
	if in.Allocs, err = profile.Merge([]*profile.Profile{before, after}); err != nil {
		return in, fmt.Errorf("arena advise: %w", err)
	}
	return in, nil
}

// serverHeap returns the profile of memory of a server, and how many cycles its collector has done.
func serverHeap(ctx context.Context, base string) (*profile.Profile, float64, error) {
	p, err := serverProfile(ctx, base+"/heap?gc=1")
	if err != nil {
		return nil, 0, err
	}
	text, err := get(ctx, base+"/heap?debug=1")
	if err != nil {
		return nil, 0, err
	}
	m := regexp.MustCompile(`(?m)^# NumGC = (\d+)$`).FindSubmatch(text)
	if m == nil {
		return nil, 0, fmt.Errorf("arena advise: %s/heap?debug=1 has no line NumGC: is this a program in Go?", base)
	}
	n, err := strconv.ParseFloat(string(m[1]), 64)
	return p, n, err
}

func serverProfile(ctx context.Context, url string) (*profile.Profile, error) {
	b, err := get(ctx, url)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(b)
	if err != nil {
		return nil, fmt.Errorf("arena advise: %s: %w", url, err)
	}
	return p, nil
}

// maxProfile is more than any profile has.
const maxProfile = 1 << 30

func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxProfile))
	if err != nil {
		return nil, fmt.Errorf("arena advise: %s: %w", url, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("arena advise: %s: %s: %.200s", url, resp.Status, bytes.TrimSpace(b))
	}
	return b, nil
}

// FromBenchmark runs the benchmarks of one package that match pattern, and returns what they leave. Their output goes to log.
func FromBenchmark(ctx context.Context, log io.Writer, pattern, benchtime, pkg string) (in Input, err error) {
	dir, err := os.MkdirTemp("", "arena-advise-")
	if err != nil {
		return in, fmt.Errorf("arena advise: %w", err)
	}
	defer os.RemoveAll(dir)
	list, err := output(exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}\t{{if .Module}}{{.Module.Path}}{{end}}", pkg))
	if err != nil {
		return in, err
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	if len(lines) != 1 {
		return in, fmt.Errorf("arena advise: -bench needs one package, and %s is %d", pkg, len(lines))
	}
	where, module, _ := strings.Cut(lines[0], "\t")
	binary := filepath.Join(dir, "bench.test")
	if _, err := output(exec.CommandContext(ctx, "go", "test", "-vet=off", "-c", "-o", binary, pkg)); err != nil {
		return in, err
	}
	cpu, mem := filepath.Join(dir, "cpu"), filepath.Join(dir, "mem")
	run := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+benchtime, "-test.cpuprofile="+cpu, "-test.memprofile="+mem)
	run.Dir = where
	run.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	cycles := &cycleCounter{log: log}
	run.Stdout, run.Stderr = cycles, cycles // one writer: exec then calls it from one goroutine
	if err := run.Run(); err != nil {
		return in, fmt.Errorf("arena advise: the benchmarks of %s: %w", pkg, err)
	}
	if in, err = FromFiles([]string{cpu, mem}); err != nil {
		return in, err
	}
	in.Cycles = float64(cycles.n)
	if module != "" {
		in.Mine = []string{module}
	}
	return in, nil
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

// A cycleCounter counts the lines that the runtime writes for each cycle of the collector, and passes on the others.
type cycleCounter struct {
	log  io.Writer
	line []byte
	n    int
}

var cycleLine = regexp.MustCompile(`^gc \d+ @[0-9.]+s `)

func (c *cycleCounter) Write(b []byte) (int, error) {
	c.line = append(c.line, b...)
	for {
		end := bytes.IndexByte(c.line, '\n')
		if end < 0 {
			return len(b), nil
		}
		if cycleLine.Match(c.line) {
			c.n++
		} else if _, err := c.log.Write(c.line[:end+1]); err != nil {
			return 0, err
		}
		c.line = c.line[end+1:]
	}
}
