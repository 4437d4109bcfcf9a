// Package objects has the workloads that make many small values with one lifetime, and what makes
// them: the Go heap, arenas, and peers, each in a file of its own.
package objects

import (
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena/bench/internal/suite"
)

// The types of what is made.
type (
	small  struct{ a, b int }
	person struct {
		Name    string
		Age     int
		Address string
		number  int
		uuid    string
	}
	holder struct {
		id       int
		elements []int
	}
	record struct {
		key, value string
		number     int
	}
	node struct{ left, right *node }
)

// A space is where an implementation makes values, zeroed. What it cannot do is nil. The slices
// that are returned are in it too, where that is possible. All is valid until end or free.
type space struct {
	small   func(n int) []*small
	people  func(n int) []*person
	crowd   func(keep []*person)                      // One for each element.
	holders func(n int) []*holder                     // With a slice of one element in each, which is its index.
	texts   func(of []string) []string                // Copies.
	records func(batch string, n int) []*record       // See next.
	appends func(n int) [8][]int                      // The numbers up to n, in turns, by append.
	ints    func(n int) (length int)                  // A map of n numbers.
	words   func(keys []string) (length int)          // A map of these.
	tree    func(depth int) (count int)               // Makes a binary tree, bottom up, and counts its nodes.
	nodes   func(keep []*node)                        // One for each element.
	live    func(n int, list bool) (count func() int) // Nodes that stay, where they are none of those above.
	cache   func() cache                              // See cache.go.
	end     func()                                    // Nothing of what was made is used any more. Others follow.
	free    func()                                    // As end, but nothing follows.
}

// An origin is where spaces come from.
type origin struct {
	suite.Implementation                                           // Without Open and Measure.
	open                 func() *space                             // nil if it is not in this program.
	workers              func(n int) (spaces []*space, end func()) // For goroutines, if that is not an open for each.
	only                 []string                                  // Workloads that it is for, or all.
}

// origins has the Go heap first.
var origins = []origin{
	{Implementation: suite.Implementation{Name: "heap"}, open: newHeap},
	{Implementation: suite.Implementation{Name: "heap-again"}, open: newHeap, only: []string{"cache", "game"}}, // how far two equal processes are apart
	{Implementation: suite.Implementation{Name: "heap-gogc400", Environment: []string{"GOGC=400"}}, open: newHeap},
	{Implementation: suite.Implementation{Name: "heap-1GiB", Environment: []string{"GOGC=off", "GOMEMLIMIT=1GiB"}}, open: newHeap, only: []string{"struct16", "person", "batch", "cache", "game"}},
	{Implementation: suite.Implementation{Name: "heap-collected"}, open: newCollectedHeap, only: []string{"person-parallel"}},
	{Implementation: suite.Implementation{Name: "sync.Pool"}, open: newPool},
	{Implementation: suite.Implementation{Name: "node-slice"}, open: newNodeSlice(false)},
	{Implementation: suite.Implementation{Name: "node-slice-fresh"}, open: newNodeSlice(true), only: renewedWorkloads},
	{Implementation: suite.Implementation{Name: "bump"}, open: newBump},
	{Implementation: suite.Implementation{Name: "arena-nil"}, open: newNilArena, only: []string{"struct16", "person"}},
	{Implementation: suite.Implementation{Name: "arena-reset"}, open: newArena(false)},
	{Implementation: suite.Implementation{Name: "arena-free"}, open: newArena(true)},
	{Implementation: suite.Implementation{Name: "slab-reset"}, open: newSlabs(false)},
	{Implementation: suite.Implementation{Name: "slab-free"}, open: newSlabs(true)},
	{Implementation: suite.Implementation{Name: "group"}, open: newArena(false), workers: newGroup, only: []string{"person-parallel"}},
	{Implementation: suite.Implementation{Name: "ref"}, open: newRefs},
	{Implementation: suite.Implementation{Name: "ref-mmap"}, open: newMappedRefs},
	standard,
	{Implementation: suite.Implementation{Name: "nuke", Unsound: true}, open: newNuke(false)},
	{Implementation: suite.Implementation{Name: "nuke-fresh", Unsound: true}, open: newNuke(true), only: renewedWorkloads},
	{Implementation: suite.Implementation{Name: "wundergraph", Unsound: true}, open: newWundergraph(false)},
	{Implementation: suite.Implementation{Name: "wundergraph-fresh", Unsound: true}, open: newWundergraph(true), only: renewedWorkloads},
	{Implementation: suite.Implementation{Name: "ristretto", Unsound: true}, open: newRistretto(false)},
	{Implementation: suite.Implementation{Name: "ristretto-fresh", Unsound: true}, open: newRistretto(true), only: renewedWorkloads},
	{Implementation: suite.Implementation{Name: "modernc", Unsound: true}, open: newModernc(false)},
	{Implementation: suite.Implementation{Name: "modernc-fresh", Unsound: true}, open: newModernc(true), only: renewedWorkloads},
}

// The workloads of origins that other builds have, and of peers that are made anew for each round.
var (
	renewedWorkloads  = []string{"struct16", "person", "person-parallel", "holders", "batch"}
	standardWorkloads = []string{"struct16", "person", "person-parallel", "texts", "holders", "batch", "trees", "live-list", "live-tree", "cache", "game"}
)

// renews says whether each round has a space of its own, which makes no difference where there is
// only one.
func renews(i suite.Implementation) bool {
	return strings.HasSuffix(i.Name, "-free") || strings.HasSuffix(i.Name, "-fresh")
}

// can says whether an origin is for a workload.
func (o *origin) can(workload string, has func(s *space) bool) bool {
	if o.only != nil && !slices.Contains(o.only, workload) {
		return false
	}
	if o.open == nil {
		return true
	}
	return has(probes()[o.Name])
}

// probes has a space of each origin that is in this program, for what it can do. They are freed,
// and not to be used.
var probes = sync.OnceValue(func() map[string]*space {
	all := map[string]*space{}
	for _, o := range origins {
		if o.open != nil {
			s := o.open()
			s.free()
			all[o.Name] = s
		}
	}
	return all
})

// implementations returns the implementations of a workload, which needs what has looks for. with
// says how an implementation in this program does it.
func implementations(workload string, has func(s *space) bool, with func(o *origin, i *suite.Implementation)) (all []suite.Implementation) {
	for k := range origins {
		o := &origins[k]
		if !o.can(workload, has) {
			continue
		}
		i := o.Implementation
		if o.open != nil {
			with(o, &i)
		}
		all = append(all, i)
	}
	return all
}

// inOne is for a workload that is done again and again in one space.
func inOne(work func(s *space, n int) func() uint64) func(o *origin, i *suite.Implementation) {
	return func(o *origin, i *suite.Implementation) {
		i.Open = func(n int) func() uint64 { return work(o.open(), n) }
	}
}
