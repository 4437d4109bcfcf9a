package advise

import (
	"fmt"
	"os"
	"time"

	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// FromFiles reads the profiles of one run of a program, in any order: one of CPU time, and one or
// two of memory.
//
// A profile of memory counts from the start of the process, or, if it was taken with seconds=n, for
// n seconds only. At most one profile may be of n seconds: it is the profile of allocations, and
// the other one says what was in use. Two profiles from the start of the process, taken before and
// after the CPU profile, are subtracted. Otherwise the profile with fewer allocated bytes is the
// earlier one, and says what was in use.
func FromFiles(names []string) (in Input, err error) {
	var mem []*profile.Profile
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
		case len(mem) == 2:
			return in, fmt.Errorf("arena advise: %s: a third profile of memory; give two at most", name)
		default:
			mem = append(mem, p)
		}
	}
	if in.CPU == nil || len(mem) == 0 {
		return in, fmt.Errorf("arena advise: needs a CPU profile and one of allocations: -cpuprofile and -memprofile of go test, or of a server " +
			"/debug/pprof/heap?gc=1, /debug/pprof/profile?seconds=30, and /debug/pprof/heap?gc=1 again")
	}
	in.Allocs = mem[0]
	if len(mem) == 2 {
		first, last := mem[0], mem[1]
		if allocated(first) > allocated(last) {
			first, last = last, first
		}
		switch {
		case isDelta(first) && isDelta(last):
			return in, fmt.Errorf("arena advise: both profiles of memory are of some seconds only (seconds=n), so neither says what was in use; take one without")
		case isDelta(first):
			in.Allocs, in.Heap = first, last
		case isDelta(last):
			in.Allocs, in.Heap = last, first
		case within(in.CPU, first, last):
			in.Heap = last
			if in.Allocs, err = difference(first, last); err != nil {
				return in, err
			}
			in.Span = time.Duration(last.TimeNanos - first.TimeNanos)
		default:
			in.Allocs, in.Heap = last, first
		}
	}
	if isDelta(in.Allocs) {
		in.Span = time.Duration(in.Allocs.DurationNanos)
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

// isDelta tells whether a profile of memory is the difference of two. What it says of memory in use
// is a difference, too, and no amount.
func isDelta(p *profile.Profile) bool { return p.DurationNanos > 0 }

// within tells whether the CPU profile was taken between two profiles of memory, but for a second.
func within(cpu, first, last *profile.Profile) bool {
	const slack = int64(time.Second)
	return cpu.DurationNanos > 0 && first.TimeNanos > 0 &&
		first.TimeNanos <= cpu.TimeNanos+slack && cpu.TimeNanos+cpu.DurationNanos <= last.TimeNanos+slack
}

// difference returns what was allocated between two profiles of memory.
func difference(first, last *profile.Profile) (*profile.Profile, error) {
	first = first.Copy()
	first.Scale(-1)
	p, err := profile.Merge([]*profile.Profile{first, last})
	if err != nil {
		return nil, fmt.Errorf("arena advise: %w", err)
	}
	return p, nil
}
