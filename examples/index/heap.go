package main

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// A heapIndex is an index on the Go heap, of maps, slices and strings.
type heapIndex struct {
	entries map[string]*heapEntry
	order   []string
	docs    []document
}

type heapEntry struct {
	count int
	at    []place
}

func newHeapIndex() *heapIndex {
	return &heapIndex{entries: map[string]*heapEntry{}}
}

func (x *heapIndex) add(word string, at place) {
	e := x.entries[word]
	if e == nil {
		e = &heapEntry{}
		x.entries[strings.Clone(word)] = e
	}
	e.count++
	if n := len(e.at); n == 0 || e.at[n-1] != at {
		e.at = append(e.at, at)
	}
}

func (x *heapIndex) finish(files []document) {
	x.docs = files
	x.order = slices.Sorted(maps.Keys(x.entries))
}

func (x *heapIndex) files() int          { return len(x.docs) }
func (x *heapIndex) file(i int) document { return x.docs[i] }
func (x *heapIndex) words() int          { return len(x.order) }

func (x *heapIndex) beginning(prefix string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		i, _ := slices.BinarySearch(x.order, prefix)
		for _, word := range x.order[i:] {
			if !strings.HasPrefix(word, prefix) || !yield(word, x.entries[word].count) {
				return
			}
		}
	}
}

func (x *heapIndex) count(word string) int {
	if e := x.entries[word]; e != nil {
		return e.count
	}
	return 0
}

func (x *heapIndex) places(word string) []place {
	if e := x.entries[word]; e != nil {
		return e.at
	}
	return nil
}

func (x *heapIndex) size() int64  { return 0 }
func (x *heapIndex) close() error { return nil }
