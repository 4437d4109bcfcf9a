package advise

import (
	"cmp"
	"fmt"
	"math"
)

// gogc400 returns what GOGC=400 saves without a change of the code, in a run in which the collector
// and write barriers take parts of the CPU time: nothing where GOGC is that much already, or does
// not decide when the collector starts.
func gogc400(in Input, collector, barriers float64) Range {
	now := cmp.Or(in.GOGC, 100)
	if now >= 400 || in.Limited {
		return Range{}
	}
	part := (1 - now/400) / (1 - 100./400)
	return Range{min(part*keepGOGC.Low, 1) * collector, min(part*keepGOGC.High, 1) * (collector + barriers)}
}

// A Limit is a memory limit that starts the collector instead of GOGC.
type Limit struct {
	Bytes int64 `json:"bytes"` // GOMEMLIMIT
	Saves Range `json:"saves"`
}

// What GOMEMLIMIT saves of the time of the cycles that it leaves out. A larger heap is further away
// from the caches.
var keepLimit = Range{0.65, 1}

// limit sets the least round limit with a tenth of the cycles. What starts a cycle with GOGC=off is
// the limit, less what lives.
func (a *Advice) limit(in Input) {
	if in.Limited || math.IsInf(in.GOGC, 1) || a.share[gc] == 0 {
		return
	}
	bytes := 64. * (1 << 20)
	for bytes < 1.5*a.live+10*a.PerCycle {
		bytes *= 2
	}
	part := a.share[gc] * (1 - a.PerCycle/(bytes-a.live))
	a.Limit = &Limit{int64(bytes), Range{part * keepLimit.Low, part * keepLimit.High}}
}

// String returns the settings.
func (l *Limit) String() string {
	if l.Bytes >= 1<<30 {
		return fmt.Sprintf("GOGC=off GOMEMLIMIT=%dGiB", l.Bytes>>30)
	}
	return fmt.Sprintf("GOGC=off GOMEMLIMIT=%dMiB", l.Bytes>>20)
}
