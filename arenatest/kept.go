package arenatest

import (
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/kept"
)

// maxKept is how many kept values fail a test one by one.
const maxKept = 20

// reportKept reports the values that are reachable although their arenas have ended. What only a sync.Pool, a finalizer or a cleanup
// has had is none.
func (s *test) reportKept() {
	guard.LetGo(s.name)
	n := 0
	for _, v := range kept.Check(func(name string) bool { return name == s.name }) {
		if v.Passing {
			continue
		}
		if n++; n <= maxKept {
			s.report(v.Error().(*arena.Report))
		}
	}
	if n > maxKept {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.t.Error(fmt.Sprintf("arenatest: %d more values are kept after the end of their arenas", n-maxKept))
	}
}
