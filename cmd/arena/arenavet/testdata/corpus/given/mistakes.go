// Package given has slices and maps that functions get of which nothing is known, and goroutines
// that loops start in loops.
package given

import (
	"sync"

	"github.com/arena-go/arena"
)

type row struct{ cols []string }

var rows = sync.Pool{New: func() any { return new(row) }}

type loader interface{ Load(batch []*row) error }

func read(s string) *row {
	r := rows.Get().(*row)
	r.cols = append(r.cols[:0], s)
	return r
}

func once(l loader, s string) error {
	batch := []*row{read(s)}
	rows.Put(batch[0])
	return l.Load(batch) // want `syncpool: `
}

func each(l loader, in []string) error {
	var batch []*row
	for _, s := range in {
		r := read(s)
		batch = append(batch, r)
		rows.Put(r)
	}
	return l.Load(batch) // want `syncpool: `
}

func inBatches(load func([]*row), in []string, size int) {
	batch := make([]*row, 0, size)
	for _, s := range in {
		r := read(s)
		batch = append(batch, r)
		if len(batch) == size {
			load(batch)
			batch = batch[:0]
		}
		rows.Put(r)
	}
	load(batch) // want `syncpool: `
}

func byName(show func(map[string]*row), in []string) {
	all := map[string]*row{}
	for _, s := range in {
		r := read(s)
		all[s] = r
		rows.Put(r)
	}
	show(all) // want `syncpool: `
}

func texts(in [][]byte, show func([]string)) {
	a := arena.NewArena()
	var all []string
	for _, b := range in {
		all = append(all, arena.String(a, b))
	}
	a.Reset()
	show(all) // want `stale: `
}

func count(a *arena.Arena, b []byte) *int { return arena.Ptr(a, len(b)) }

func rounds(all [][][]byte) {
	a := arena.NewArena()
	for _, round := range all {
		var wg sync.WaitGroup
		for _, b := range round {
			wg.Go(func() { count(a, b) }) // want `shared: `
		}
		wg.Wait()
		a.Reset()
	}
}

func generations(next func() [][]byte) {
	a := arena.NewArena()
	for g := next(); g != nil; g = next() {
		done := make(chan bool)
		for i := range g {
			go func() { // want `shared: `
				count(a, g[i])
				done <- true
			}()
		}
		for range g {
			<-done
		}
		a.Reset()
	}
}

// Findings name what is stale.

func (r *row) free() {
	clear(r.cols)
	rows.Put(r)
}

func freed(s string) {
	r := read(s)
	r.free()
	r.free() // want `syncpool: the result of given\.read .* is put twice: the first time is row\.free`
}

func parse(a *arena.Arena, b []byte, to *[]string) error {
	*to = append(*to, arena.String(a, b))
	return nil
}

func parsed(b []byte, show func(string)) error {
	a := arena.NewArena()
	var all []string
	if err := parse(a, b, &all); err != nil {
		return err
	}
	a.Reset()
	for _, s := range all {
		show(s) // want `stale: what given\.parse has made`
	}
	return nil
}

type node struct{ next *node }

var nodes = sync.Pool{New: func() any { return new(node) }}

func (n *node) unlink() *node {
	last := n.next
	nodes.Put(n.next)
	return last.next // want `syncpool: (n\.next|last) is used after`
}
