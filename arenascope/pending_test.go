package arenascope

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/arena-go/arena/internal/testrun"
)

// A message is what tickets are of in tests.
type message struct {
	_ *message
	_ [4]int
}

// A pass is a ticket that knows its message by a number.
type pass struct {
	id, bytes int64
	book      *book
}

// A book has what becomes of tickets.
type book struct {
	gone    func(p pass) // unless nil, is called with those that are lost
	weighed atomic.Int64
}

func (p pass) weigh() int64 {
	p.book.weighed.Add(1)
	return p.bytes
}

func (p pass) lost() {
	if p.book.gone != nil {
		p.book.gone(p)
	}
}

// eventually collects garbage until ok.
func eventually(ok func() bool) {
	for !ok() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// TestTable runs random programs of put, claim and collections against a map.
func TestTable(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		lost := map[int64]bool{}
		var mu sync.Mutex
		var tab table[pass]
		b := &book{gone: func(p pass) {
			mu.Lock()
			defer mu.Unlock()
			if lost[p.id] {
				panic("a ticket is lost twice")
			}
			lost[p.id] = true
		}}
		model := map[*message]int64{}
		messages := make([]*message, 100)
		for i := range messages {
			messages[i] = new(message)
		}
		ids, want := int64(0), map[int64]bool{}
		for range 2000 {
			i := rnd.IntN(len(messages))
			m := messages[i]
			switch rnd.IntN(4) {
			case 0:
				got, ok := tab.claim(m)
				if id, has := model[m]; ok != has || got.id != id {
					t.Fatalf("claim: %v %v, want %v %v", got, ok, id, has)
				}
				delete(model, m)
			case 1:
				if id, has := model[m]; has {
					want[id] = true
				}
				delete(model, m)
				messages[i] = new(message) // nobody has the former one
			default:
				if id, has := model[m]; has {
					want[id] = true
				}
				ids++
				if !tab.put(m, pass{ids, int64(rnd.IntN(1000)), b}, rnd.IntN(2) == 0) {
					t.Fatal("put refuses a ticket")
				}
				model[m] = ids
			}
		}
		eventually(func() bool { // all tickets of messages that are gone are lost
			mu.Lock()
			defer mu.Unlock()
			return len(lost) == len(want) && tab.len() == len(model)
		})
		for id := range want {
			if !lost[id] {
				t.Fatalf("ticket %d is not lost, and others are", id)
			}
		}
		for m, id := range model {
			if got, ok := tab.claim(m); !ok || got.id != id {
				t.Fatalf("claim at the end: %v %v, want %d", got, ok, id)
			}
		}
		if tab.len() != 0 || tab.held.Load() != 0 {
			t.Fatalf("%d tickets and %d bytes are left", tab.len(), tab.held.Load())
		}
		runtime.KeepAlive(messages)
	}
}

// TestMost has tickets wait that hold much: MostPending bytes together, or one.
func TestMost(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var lost atomic.Int64
	var tab table[pass]
	b := &book{gone: func(pass) { lost.Add(1) }}
	m := make([]*message, 20)
	for i := range m {
		m[i] = new(message)
	}
	if !tab.put(m[0], pass{bytes: 2 * MostPending, book: b}, false) {
		t.Error("the only one does not wait")
	}
	if tab.put(m[1], pass{bytes: 1, book: b}, false) {
		t.Error("another one waits with it")
	}
	if !tab.put(m[2], pass{bytes: 0, book: b}, false) {
		t.Error("one that holds nothing does not wait")
	}
	tab.claim(m[0])
	tab.claim(m[2])
	waits := 0
	for i := range m {
		if tab.put(m[i], pass{bytes: MostPending / 8, book: b}, false) {
			waits++
		}
	}
	if waits != 8 {
		t.Errorf("%d tickets wait, want 8", waits)
	}
	clear(m)
	eventually(func() bool { return tab.len() == 0 && lost.Load() == 8 })
	if held := tab.held.Load(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
	// Those that are not weighed are few.
	before := b.weighed.Load()
	for i := range 1000 {
		m = append(m, new(message))
		tab.put(m[i+20], pass{bytes: 1, book: b}, true)
	}
	if n := 1000 - (b.weighed.Load() - before); n == 0 || n > shards {
		t.Errorf("%d tickets are not weighed, want %d at most", n, shards)
	}
	runtime.KeepAlive(m)
}

// TestNext has a message at the address of one that is gone: it does not get that one's ticket.
func TestNext(t *testing.T) {
	var tab table[pass]
	lost := 0
	b := &book{gone: func(pass) { lost++ }}
	m := new(message)
	tab.put(m, pass{id: 1, book: b}, true)
	address, n := addressOf(m)
	// The entry belongs to another message, which is gone, as long as it has not been swept.
	tab.shards[n].all[address].message = weak.Pointer[byte]{}
	if got, ok := tab.claim(m); ok || lost != 1 {
		t.Errorf("claim: %v %v, and %d tickets are lost", got, ok, lost)
	}
}

// TestConcurrent has goroutines put and claim tickets while the collector runs: each is claimed or
// lost, once.
func TestConcurrent(t *testing.T) {
	const each = 3000
	var ends [8 * each]atomic.Int32
	var tab table[pass]
	b := &book{gone: func(p pass) { ends[p.id].Add(1) }}
	var wg sync.WaitGroup
	for g := range int64(8) {
		wg.Go(func() {
			var mine []*message
			for i := range int64(each) {
				m := new(message)
				tab.put(m, pass{id: g*each + i, bytes: 1, book: b}, i%2 == 0)
				if i%3 > 0 {
					mine = append(mine, m)
				}
				if i%100 > 0 {
					continue
				}
				if i%500 == 0 {
					runtime.GC()
				}
				for _, m := range mine {
					if t, ok := tab.claim(m); ok {
						ends[t.id].Add(1)
					}
				}
				mine = mine[:0]
			}
		})
	}
	wg.Wait()
	eventually(func() bool { return tab.len() == 0 })
	eventually(func() bool { // each ticket has an end
		for i := range ends {
			if ends[i].Load() == 0 {
				return false
			}
		}
		return true
	})
	for i := range ends {
		if n := ends[i].Load(); n != 1 {
			t.Fatalf("ticket %d was claimed or lost %d times", i, n)
		}
	}
	if held := tab.held.Load(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// TestAwaiting checks Find.
func TestAwaiting(t *testing.T) {
	var w Awaiting
	m, n := new(message), new(Message)
	if w.Find(m) != nil {
		t.Error("a message is found that was not put")
	}
	w.put(m, n)
	if w.Find(m) != n || w.Find(new(message)) != nil || w.Len() != 1 {
		t.Error("a message is not found")
	}
	w.remove(m)
	if w.Find(m) != nil || w.Len() != 0 {
		t.Error("a message is found that was removed")
	}
}
