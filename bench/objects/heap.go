package objects

import (
	"runtime"
	"strings"
)

// newHeap returns the Go heap.
func newHeap() *space {
	return &space{
		small:  heapValues[small],
		people: heapValues[person],
		crowd:  heapFill[person],
		holders: func(n int) []*holder {
			s := make([]*holder, n)
			for i := range s {
				s[i] = &holder{elements: []int{i}}
			}
			return s
		},
		texts: func(of []string) []string {
			s := make([]string, len(of))
			for i, text := range of {
				s[i] = strings.Clone(text)
			}
			return s
		},
		records: func(batch string, n int) []*record {
			s := make([]*record, n)
			for i := range s {
				var key, value string
				r := new(record)
				key, value, r.number, batch = next(batch)
				r.key, r.value = strings.Clone(key), strings.Clone(value)
				s[i] = r
			}
			return s
		},
		appends: func(n int) (s [8][]int) {
			for i := range n {
				s[i%8] = append(s[i%8], i)
			}
			return s
		},
		ints:  func(n int) int { return len(heapInts(n)) },
		words: func(keys []string) int { return len(heapWords(keys)) },
		tree:  func(depth int) int { return heapTree(depth).count() },
		nodes: heapFill[node],
		cache: newHeapCache,
		end:   func() {},
		free:  func() {},
	}
}

// newCollectedHeap returns the Go heap, which is collected after each round.
func newCollectedHeap() *space {
	s := newHeap()
	s.end = runtime.GC
	return s
}

// heapInts returns its map, as heapWords does. One that a function keeps to itself begins on the
// stack, and nobody would place that in an arena.
//
//go:noinline
func heapInts(n int) map[int]int {
	m := map[int]int{}
	for i := range n {
		m[scattered(i)] = i
	}
	return m
}

//go:noinline
func heapWords(keys []string) map[string]int {
	m := map[string]int{}
	for i, k := range keys {
		m[k] = i
	}
	return m
}

func heapValues[T any](n int) []*T {
	s := make([]*T, n)
	heapFill(s)
	return s
}

func heapFill[T any](keep []*T) {
	for i := range keep {
		keep[i] = new(T)
	}
}

func heapTree(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{heapTree(depth - 1), heapTree(depth - 1)}
}
