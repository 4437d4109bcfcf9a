package arenaconnect

import (
	"math/rand/v2"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestPending runs random programs of put and claim against a map.
func TestPending(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		p, model := new(pending), map[proto.Message]*ticket{}
		var messages []proto.Message
		for range 2 * places {
			messages = append(messages, new(wrapperspb.StringValue))
		}
		for range 2000 {
			m := messages[rnd.IntN(len(messages))]
			if rnd.IntN(2) == 0 {
				if got := p.claim(m); got != model[m] {
					t.Fatalf("claim: %p, want %p", got, model[m])
				}
				delete(model, m)
				continue
			}
			if model[m] != nil {
				continue // connect decodes each message once
			}
			next := &ticket{message: m}
			if lost := p.put(next); lost != nil {
				if model[lost.message] != lost {
					t.Fatalf("put: %p was not there", lost)
				}
				delete(model, lost.message)
			}
			model[m] = next
			if len(model) > places {
				t.Fatalf("%d are pending", len(model))
			}
		}
		for m, want := range model {
			if got := p.claim(m); got != want {
				t.Fatalf("at the end: %p, want %p", got, want)
			}
		}
	}
}

// TestPendingConcurrent has goroutines put and claim tickets: each is claimed, or lost to one other.
func TestPendingConcurrent(t *testing.T) {
	p := new(pending)
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
				t := &ticket{message: new(wrapperspb.StringValue)}
				mine = append(mine, t)
				end(p.put(t))
				if i%100 > 0 {
					continue
				}
				for _, t := range mine {
					end(p.claim(t.message))
				}
				mine = mine[:0]
			}
			for _, t := range mine {
				end(p.claim(t.message))
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

// TestRefused checks that the mark of a refused message is not taken for a field that a client sends.
func TestRefused(t *testing.T) {
	m := new(wrapperspb.StringValue)
	if err := proto.Unmarshal(refused, m); err != nil {
		t.Fatal(err)
	}
	if len(m.ProtoReflect().GetUnknown()) != len(refused) || isRefused(m) {
		t.Errorf("a message that has such a field is refused")
	}
	m.ProtoReflect().SetUnknown(refused)
	if !isRefused(m) {
		t.Errorf("the mark is not found")
	}
}
