package advise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// memoryTypes are the values of a profile of memory.
func memoryTypes() []*profile.ValueType {
	return []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}
}

// TestWindows: profiles of memory are of the life of a process, of some seconds, or before and
// after. What an arena saves is the same, or less certain.
func TestWindows(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC).UnixNano()
	stamped := func(p *profile.Profile, times, seconds int64, duration time.Duration) *profile.Profile {
		p = p.Copy()
		for _, s := range p.Sample {
			for i := range s.Value[:min(2, len(s.Value))] { // what was allocated; what is in use stays
				if duration == 0 || len(s.Value) == 4 {
					s.Value[i] *= times
				}
			}
		}
		p.TimeNanos, p.DurationNanos = at+seconds*1e9, int64(duration)
		return p
	}
	in := parser().profiles(t)
	in.Whole = true
	whole, err := Analyze(in)
	if err != nil {
		t.Fatal(err)
	}
	kept := program{append(parser().calls, call{newOf + "example.com/p.cache:40 main.main:9", 1, 1e6, 60 * mb, 60 * mb})}.profiles(t)
	cpu := stamped(in.CPU, 1, 0, 10*time.Second)
	name := func(p *profile.Profile) string {
		name := filepath.Join(t.TempDir(), "p")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		return name
	}
	analyzed := func(all ...*profile.Profile) *Advice {
		t.Helper()
		var names []string
		for _, p := range all {
			names = append(names, name(p))
		}
		in, err := FromFiles(names)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(in)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if got < 0.98*want || got > 1.02*want {
			t.Errorf("%s: %v bytes in a nanosecond, want %v", what, got, want)
		}
	}

	near("the same time", whole.perNano, 2000*mb/10e9)
	near("of the same ten seconds", analyzed(cpu, stamped(in.Allocs, 1, 10, 10*time.Second)).perNano, whole.perNano)
	near("of twenty seconds", analyzed(stamped(in.Allocs, 2, 20, 20*time.Second), cpu).perNano, whole.perNano)
	near("before and after", analyzed(stamped(in.Allocs, 37, 10, 0), cpu, stamped(in.Allocs, 36, 0, 0)).perNano, whole.perNano)
	if a := analyzed(cpu, stamped(in.Allocs, 36, 10, 0)); a.Total().High > a.Memory()+0.3 || a.perNano > 2*(a.share[malloc]+a.share[zeroing]) {
		t.Errorf("since the process began: saves %v, where malloc and the collector take %v", a.Total(), a.Memory())
	}

	// A difference does not say what is in use. Another profile does, whichever has more bytes.
	for _, long := range []int64{1, 100} {
		a := analyzed(cpu, stamped(kept.Allocs, 1, 10, 10*time.Second), stamped(kept.Allocs, long, 10, 0))
		if len(a.Left) != 1 || !strings.HasPrefix(a.Left[0].Why, "lives long") {
			t.Errorf("allocated %d times as much before: %+v", long, a.Left)
		}
	}
	if a := analyzed(cpu, stamped(kept.Allocs, 1, 10, 10*time.Second)); a.Verdict == Yes || a.Total().Low > 0 {
		t.Errorf("nothing says what is in use: %s", a.Why)
	}
	delta := stamped(in.Allocs, 1, 10, 10*time.Second)
	if _, err := FromFiles([]string{name(cpu), name(delta), name(delta)}); err == nil || !strings.Contains(err.Error(), "neither says what was in use") {
		t.Errorf("two differences: %v", err)
	}
}

// TestGOGC: what GOGC=400 saves depends on what GOGC is, and is not said where it would save
// nothing.
func TestGOGC(t *testing.T) {
	for _, c := range []struct {
		edit func(*Input)
		high float64
		heap string
	}{
		{func(in *Input) {}, 0.2 * keepGOGC.High, "2.5 times"},
		{func(in *Input) { in.GOGC = 200 }, 0.2 * keepGOGC.High * 2 / 3, "1.7 times"},
		{func(in *Input) { in.GOGC = 400 }, 0, ""},
		{func(in *Input) { in.Limited = true }, 0, ""},
	} {
		a := analyze(t, parser(), c.edit)
		var out strings.Builder
		if err := a.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		if d := a.GOGC.High - c.high; d > 1e-9 || d < -1e-9 || strings.Contains(out.String(), "GOGC=400") != (c.high > 0) || !strings.Contains(out.String(), c.heap) {
			t.Errorf("saves %v, want %v\n%s", a.GOGC, c.high, out.String())
		}
	}
}
