// Package rounds has mistakes with what outlives a round: a turn of a loop, or a call that fills
// something anew.
package rounds

import (
	"container/heap"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

var pool arena.Pool

type rule struct {
	prefix string
	allow  bool
}

type rules struct {
	mu    sync.Mutex
	all   []rule
	arena *arena.Arena
}

// The loop uses the arena, and what is behind the store uses the lock only.
func (r *rules) reload(text string) {
	defer r.arena.Reset()
	var all []rule
	for line := range strings.Lines(text) {
		all = append(all, rule{prefix: arena.Concat(r.arena, "/", line)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.Clone(all) // want `outlives: .* is stored in the elements of r.all`
}

// Either the next turn uses what has grown in the scope of this one, or the caller does.
func expand(a *arena.Arena, words []string) ([]string, error) {
	all := arena.MakeSlice[string](a, 0, 2)
	for _, w := range words {
		m := a.Mark()
		if strings.HasPrefix(w, "$") {
			all = arena.Push(a, all, w) // want `stale: .* after Rewind`
			a.Rewind(m)
			continue
		}
		fmt.Println(arena.Concat(a, "_", w))
		a.Rewind(m)
		if w == "" {
			return nil, fmt.Errorf("no word")
		}
		all = arena.Push(a, all, w)
	}
	return all, nil // want `outlives: .* is returned after Rewind`
}

type device struct {
	name string
	heat float64
}

func hottest(lines [][]byte) {
	a := arena.NewArena()
	var best device
	for _, l := range lines {
		var d device
		if err := arenajson.Unmarshal(a, l, &d); err != nil {
			a.Reset()
			continue
		}
		if d.heat > best.heat {
			best = d
		}
		a.Reset()
	}
	fmt.Println(best.name) // want `stale: what arenajson.Unmarshal filled`
}

type slowest []*device

func (s slowest) Len() int           { return len(s) }
func (s slowest) Less(i, j int) bool { return s[i].heat < s[j].heat }
func (s slowest) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *slowest) Push(x any)        { *s = append(*s, x.(*device)) }
func (s *slowest) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// Push compares what it is given with what has ended.
func top(a *arena.Arena, lines []string) {
	var all slowest
	for n, l := range lines {
		if l == "" {
			continue
		}
		heap.Push(&all, arena.Ptr(a, device{name: arena.String(a, l)})) // want `stale: .* after Reset`
		if all.Len() > 10 {
			heap.Pop(&all)
		}
		if n%1000 == 0 {
			a.Reset()
		}
	}
	for all.Len() > 0 {
		fmt.Println(heap.Pop(&all).(*device).name)
	}
}

// The last ten are never less than ten.
func recent(a *arena.Arena, lines []string) {
	var last []*device
	for n, l := range lines {
		last = append(last, arena.Ptr(a, device{name: l}))
		if len(last) > 10 {
			last = last[1:]
		}
		if n%1000 == 0 {
			a.Reset()
		}
	}
	for _, d := range last {
		fmt.Println(d.heat) // want `stale: .* after Reset`
	}
}

// The closure of a batch sends it, and ends its arena at once.
func batches(ctx context.Context, lines []string, out chan<- []*device) {
	a := arena.NewArena()
	var batch []*device
	send := func() {
		if len(batch) == 0 {
			return
		}
		select {
		case out <- batch: // want `outlives: a value of the arena is sent`
		case <-ctx.Done():
		}
		batch = nil
		a.Reset()
	}
	for _, l := range lines {
		batch = append(batch, arena.Ptr(a, device{name: l}))
		if len(batch) > 5 {
			send()
		}
	}
	send()
}

func printed(a *arena.Arena, s string) {
	go fmt.Println(s) // want `outlives: a goroutine .* when it ends, by`
	a.Reset()
}

func started(a *arena.Arena, lines []string) {
	for _, l := range lines {
		printed(a, arena.String(a, l))
	}
}

func namesOf(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		a := pool.Get()
		defer pool.Put(a)
		for _, l := range lines {
			if !yield(arena.String(a, l)) {
				return
			}
		}
	}
}

func firstName(lines []string) string {
	next, stop := iter.Pull(namesOf(lines))
	defer stop()
	s, _ := next()
	return s // want `outlives: .* is returned after`
}

type sink interface {
	emit(d *device) error
	flush() error
}

type counter struct{ n int }

func (c *counter) emit(*device) error { c.n++; return nil }
func (c *counter) flush() error       { return nil }

type memory struct {
	all  []*device
	heat float64
}

func (m *memory) emit(d *device) error {
	m.all = append(m.all, d)
	return nil
}

func (m *memory) flush() error {
	for _, d := range m.all {
		m.heat += d.heat
	}
	m.all = m.all[:0]
	return nil
}

// A memory keeps what it gets, and a counter does not.
func convert(lines []string, to sink) error {
	a := arena.NewArena()
	for _, l := range lines {
		if err := to.emit(arena.Ptr(a, device{name: l})); err != nil {
			return err
		}
		a.Reset()
	}
	return to.flush() // want `stale: .* after Reset`
}

func converted(lines []string, atOnce bool) error {
	var to sink = new(memory)
	if atOnce {
		to = new(counter)
	}
	return convert(lines, to)
}

type table struct {
	arena *arena.Arena
	cells []float64
}

func newTable(n int) *table {
	a := arena.NewArena()
	return &table{arena: a, cells: arena.MakeSlice[float64](a, n, n)}
}

func (t *table) first() float64 { return t.cells[0] }

func (t *table) sum() (sum float64) {
	for _, c := range t.cells {
		sum += c
	}
	return sum
}

// A method looks at what the caller has ended.
func ended(n int) float64 {
	t := newTable(n)
	t.arena.Reset()
	return t.first() + // want `stale: `
		t.sum()
}
