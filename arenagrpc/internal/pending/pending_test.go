package pending

import (
	"math/rand/v2"
	"sync"
	"testing"
)

type ticket struct{ Place }

type table = Table[ticket, *ticket]

func newTicket(message any) *ticket { return &ticket{Place{Message: message}} }

// TestTable runs random programs of Put and Claim against a map.
func TestTable(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	early, full := 0, 0
	for range 50 {
		tab, model := new(table), map[*int]*ticket{}
		var messages []*int
		for range []int{Places / 2, 2 * Places}[rnd.IntN(2)] {
			messages = append(messages, new(int))
		}
		for range 4000 {
			m := messages[rnd.IntN(len(messages))]
			if rnd.IntN(3) == 0 {
				if got := tab.Claim(m); got != model[m] {
					t.Fatalf("Claim: %p, want %p", got, model[m])
				}
				delete(model, m)
				continue
			}
			if model[m] != nil {
				continue // each message is decoded once
			}
			next := newTicket(m)
			if lost := tab.Put(next); lost != nil {
				if model[lost.Message.(*int)] != lost {
					t.Fatalf("Put: %p was not there", lost)
				}
				delete(model, lost.Message.(*int))
				if lost.passed.Load() < stale {
					full++
				} else {
					early++
				}
			}
			model[m] = next
		}
		left := 0
		for got := range tab.All {
			if left++; model[got.Message.(*int)] != got {
				t.Fatalf("All: %p is not there", got)
			}
		}
		if left != len(model) || left > Places {
			t.Fatalf("All: %d tickets, want %d", left, len(model))
		}
	}
	t.Logf("%d tickets gave way early, and %d to others without a place", early, full)
	if early == 0 || full == 0 {
		t.Error("nothing was tested")
	}
}

// TestStale has tickets that nobody claims, and others that come and go: those give way, and none of these.
func TestStale(t *testing.T) {
	tab := new(table)
	for range Places / 2 {
		tab.Put(newTicket(new(int)))
	}
	for range 64 * Places {
		m := new(int)
		tab.Put(newTicket(m))
		if tab.Claim(m) == nil {
			t.Fatal("a ticket is not there")
		}
	}
	left := 0
	for range tab.All {
		left++
	}
	if left > Places/16 {
		t.Errorf("%d stale tickets are left", left)
	}
}

// TestConcurrent has goroutines put and claim tickets: each is claimed, or lost to one other.
func TestConcurrent(t *testing.T) {
	tab := new(table)
	var mu sync.Mutex
	ends := map[*ticket]int{}
	end := func(t *ticket) {
		if t != nil {
			mu.Lock()
			ends[t]++
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var mine []*ticket
			for i := range 3000 {
				t := newTicket(new(int))
				mine = append(mine, t)
				end(tab.Put(t))
				if i%100 > 0 {
					continue
				}
				for _, t := range mine {
					end(tab.Claim(t.Message))
				}
				mine = mine[:0]
			}
			for _, t := range mine {
				end(tab.Claim(t.Message))
			}
		})
	}
	wg.Wait()
	if len(ends) != 8*3000 {
		t.Errorf("%d tickets were claimed or lost, want all of %d", len(ends), 8*3000)
	}
	for _, n := range ends {
		if n != 1 {
			t.Fatalf("a ticket was claimed or lost %d times", n)
		}
	}
}
