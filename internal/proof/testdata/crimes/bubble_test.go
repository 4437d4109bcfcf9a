package main

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-go/arena"
)

// TestBubble resets arenas in a bubble of testing/synctest, and checks that its time goes on as if it
// did not, and that the bubble ends.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		a := arena.NewArena()
		defer a.Free()
		for i := range 100 {
			arena.New[point](a)
			a.Reset()
			time.Sleep(time.Millisecond)
			if d := time.Since(begin); d != time.Duration(i+1)*time.Millisecond {
				t.Fatalf("after %d sleeps of a millisecond it is %v later", i+1, d)
			}
		}
		ch := make(chan *point)
		go func() {
			a := arena.NewArena()
			p := arena.New[point](a)
			time.Sleep(time.Hour)
			ch <- p
			<-ch
			a.Reset()
			close(ch)
		}()
		p := <-ch
		if d := time.Since(begin); d != time.Hour+100*time.Millisecond {
			t.Fatalf("after an hour it is %v later", d)
		}
		p.x = 1
		ch <- nil
		<-ch
		synctest.Wait()
		if d := time.Since(begin); d != time.Hour+100*time.Millisecond {
			t.Fatalf("after a Wait it is %v later", d)
		}
		arena.New[point](a)
		a.Reset() // with which the bubble ends
	})
}

// TestGoroutines checks that arenas leave no goroutines behind for long.
func TestGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	a := arena.NewArena()
	for range 1000 {
		arena.New[point](a)
		a.Reset()
	}
	a.Free()
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("there are %d goroutines, and were %d", runtime.NumGoroutine(), before)
		}
	}
}
