package testrun

import (
	"runtime"
	"sync"
	"testing"
)

// TestGate proves that Close waits for what has begun, also where Goexit ends it, and that nothing
// begins after Close. Calls begin at any moment: the race detector sees the order of them.
func TestGate(t *testing.T) {
	for range 100 {
		var g Gate
		var callers sync.WaitGroup
		over, inside, calls := false, make(chan bool), 0
		var mu sync.Mutex
		for range 4 {
			callers.Go(func() {
				g.Do(func() {
					mu.Lock()
					calls++
					mu.Unlock()
					runtime.Goexit()
				})
			})
		}
		callers.Go(func() {
			g.Do(func() {
				close(inside)
				runtime.Gosched()
				over = true
			})
		})
		<-inside
		g.Close()
		if !over {
			t.Fatal("Close does not wait")
		}
		before := calls // without mu: nothing runs any more
		callers.Wait()
		g.Do(func() { t.Error("a function is called after Close") })
		g.Close()
		if calls != before {
			t.Fatal("a function has begun after Close")
		}
	}
}
