package objects

import (
	"time"

	"github.com/arena-go/arena/bench/internal/suite"
)

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

// trees is the workload of the Benchmarks Game.
func trees() suite.Workload {
	return suite.Workload{
		Name: "trees", Title: "Binary trees", Unit: "levels",
		About: "The program of the Benchmarks Game with trees up to depth n: one that is made and forgotten, one that stays, and many of smaller depths, one after " +
			"the other, each of which ends when its nodes have been counted. All with one thread, in Go GOMAXPROCS=1, the collector included. Times for one are for a node.",
		Sizes: []int{10, 12, 14, 16, 18, 20}, Quick: []int{10},
		Environment: []string{"GOMAXPROCS=1"},
		Implementations: implementations("trees", func(s *space) bool { return s.tree != nil }, func(o *origin, i *suite.Implementation) {
			i.Measure = func(depth int, _ time.Duration) suite.Result {
				m := suite.NewMeter()
				m.Rounds = 1
				m.Start()
				made := game(o.open, depth)
				m.Stop()
				m.Check, m.Units = uint64(made), float64(made)
				return m.Result
			}
		}),
	}
}

// game returns how many nodes it has made.
func game(open func() *space, depth int) (nodes int) {
	stretch := open()
	nodes += stretch.tree(depth + 1)
	stretch.free()
	long := open()
	nodes += long.tree(depth)
	s := open()
	for d := 4; d <= depth; d += 2 {
		for range 1 << (depth - d + 4) {
			nodes += s.tree(d)
			s.end()
		}
	}
	s.free()
	long.free()
	return nodes
}
