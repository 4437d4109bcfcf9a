package objects

import (
	"testing"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// TestSame does the work of all workloads with every implementation that is in this program: what
// is made is the same.
func TestSame(t *testing.T) {
	sizes := map[string]int{"trees": 8, "live-list": 12_345, "live-tree": 12_345, "cache": 1000, "game": 1000, "batch": 777}
	for _, w := range Workloads() {
		n := sizes[w.Name]
		if n == 0 {
			n = 1234
		}
		var want suite.Result
		for i, m := range w.Implementations {
			if !m.Here() {
				continue
			}
			t.Run(w.Name+"/"+m.Name, func(t *testing.T) {
				got := m.Run(n, 2*time.Millisecond)
				if i == 0 {
					want = got
				}
				if got.Check != want.Check || got.Units != want.Units {
					t.Errorf("it made %d of %v, and %s %d of %v", got.Check, got.Units, w.Implementations[0].Name, want.Check, want.Units)
				}
				if got.Rounds < 1 || got.CPU < 0 || got.Wall < 0 {
					t.Errorf("%+v", got)
				}
				for _, v := range w.Values {
					if _, ok := got.Values[v.Name]; !ok {
						t.Errorf("it does not say %s", v.Name)
					}
				}
			})
		}
	}
}
