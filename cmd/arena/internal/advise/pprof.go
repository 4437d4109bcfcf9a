package advise

import (
	"io"

	"github.com/google/pprof/profile"
)

// WriteProfile writes a profile whose value is the CPU time that the scopes of a would save with
// Reset, in the middle of the range, at the stacks that allocate. `go tool pprof` shows it as any
// other.
func (a *Advice) WriteProfile(w io.Writer) error {
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "saving", Unit: "nanoseconds"}},
		TimeNanos:     a.source.TimeNanos,
		DurationNanos: a.source.DurationNanos,
		Mapping:       a.source.Mapping,
		Location:      a.source.Location,
		Function:      a.source.Function,
	}
	for _, s := range a.Scopes {
		// Each stack's part of what the scope saves is its part of the scope's bytes.
		var sum float64
		for _, x := range s.samples {
			sum += float64(x.moving())
		}
		for _, x := range s.samples {
			value := s.Reset.mid() * float64(a.total) * float64(x.moving()) / sum
			p.Sample = append(p.Sample, &profile.Sample{Location: x.raw.Location, Value: []int64{int64(value)}})
		}
	}
	return p.Compact().Write(w)
}
