// Package rounds has mistakes with what outlives a round: a turn of a loop, or a call that fills
// something anew.
package rounds

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

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
