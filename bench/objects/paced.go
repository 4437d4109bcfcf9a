package objects

import (
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// paced measures what do does for so long, each time when it is due, whether the time before has
// been in time or not. It returns how long it took each time, from then.
func paced(m *suite.Meter, every, d time.Duration, do func(i int)) []time.Duration {
	m.Start()
	all := make([]time.Duration, 0, d/every)
	begin := time.Now()
	for i := range cap(all) {
		due := begin.Add(time.Duration(i) * every)
		pauseUntil(due)
		do(i)
		all = append(all, time.Since(due))
	}
	m.Rounds = len(all)
	m.Stop()
	return all
}
