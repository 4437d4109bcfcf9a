package objects

import (
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

// live returns the workloads in which much is alive.
func live() (both []suite.Workload) {
	for _, list := range []bool{true, false} {
		w := suite.Workload{
			Name: "live-tree", Title: "Collections beside a tree that stays", Unit: "nodes",
			About: "What runtime.GC() takes, fifteen times, while a balanced binary tree of n nodes is alive, which nobody changes. Time and CPU are those " +
				"of making it.",
			Sizes: []int{10_000_000}, Quick: []int{100_000}, Rounds: 2,
			Values: []suite.Value{{Name: "collection", Unit: "s"}, {Name: "longest collection", Unit: "s"}, {Name: "longest pause", Unit: "s"}},
		}
		if list {
			w.Name, w.Title = "live-list", "Collections beside a list that stays"
			w.About = "As live-tree, with a linked list, which the collector can only follow from node to node."
		}
		w.Implementations = implementations(w.Name, func(s *space) bool { return s.nodes != nil || s.live != nil }, func(o *origin, i *suite.Implementation) {
			i.Measure = func(n int, _ time.Duration) suite.Result { return collect(o.open(), n, list) }
		})
		w.Implementations = slices.DeleteFunc(w.Implementations, renews)
		both = append(both, w)
	}
	return both
}

// collect measures collections while n nodes are alive.
func collect(s *space, n int, list bool) suite.Result {
	m := suite.NewMeter()
	m.Rounds = 1
	m.Start()
	count := keep(s, n, list)
	m.Stop()
	for range 2 {
		runtime.GC()
	}
	before := pauses()
	var all []time.Duration
	for range 15 {
		begin := time.Now()
		runtime.GC()
		all = append(all, time.Since(begin))
	}
	longest := longestSince(before)
	if m.Check = uint64(count()); m.Check != uint64(n) {
		panic("nodes are missing")
	}
	t := suite.NewTimes(all)
	m.Times = map[string]*suite.Times{"collection": t}
	m.Values = map[string]float64{"collection": t.P50, "longest collection": t.Max, "longest pause": longest}
	s.free()
	return m.Result
}

// keep makes nodes that stay, and returns what counts them.
func keep(s *space, n int, list bool) (count func() int) {
	if s.live != nil {
		return s.live(n, list)
	}
	var some []*node
	take := func() *node {
		if len(some) == 0 {
			some = make([]*node, min(n, 1000))
			s.nodes(some)
		}
		v := some[0]
		some = some[1:]
		return v
	}
	var first *node
	if list {
		for range n {
			v := take()
			v.left, first = first, v
		}
	} else {
		first = balanced(n, take)
	}
	return func() int { return first.all() }
}

// balanced makes a tree of n nodes.
func balanced(n int, take func() *node) *node {
	if n == 0 {
		return nil
	}
	v := take()
	v.left, v.right = balanced((n-1)/2, take), balanced(n/2, take)
	return v
}

// all counts the nodes of a list, or of a tree, that may have a node with one child.
func (n *node) all() (count int) {
	for n != nil {
		count += 1 + n.right.all()
		n = n.left
	}
	return count
}

// pauses returns how many times the collector has stopped the program for how long.
func pauses() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}

// longestSince returns the longest pause since before, in seconds, rounded up as the runtime does.
func longestSince(before *metrics.Float64Histogram) float64 {
	now := pauses()
	for i := len(now.Counts) - 1; i >= 0; i-- {
		if now.Counts[i] > before.Counts[i] && !math.IsInf(now.Buckets[i+1], 1) {
			return now.Buckets[i+1]
		}
	}
	return 0
}
