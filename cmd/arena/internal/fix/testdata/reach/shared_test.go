package reach

import (
	"sync"
	"testing"
)

// TestShared: what a cache has when an arena ends is not of that arena, and goroutines do not see
// each other's arenas. The goroutines call so few roots that no arena has its turn again.
func TestShared(t *testing.T) {
	s := NewShared()
	for range 40 {
		if n := s.Decode("xy"); n.Text != "xy!" || n.Kids[0].Text != "x:x;" || n.Kids[1].Text != "y:y;" {
			t.Fatalf("%+v", n)
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				if n := s.Decode("z"); n.Text != "z!" || n.Kids[0].Text != "z:z;" {
					t.Errorf("%+v", n)
				}
			}
		})
	}
	all.Wait()
}
