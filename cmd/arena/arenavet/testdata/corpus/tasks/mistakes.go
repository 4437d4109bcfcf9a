// Package tasks has mistakes with functions that are made for goroutines.
package tasks

import (
	"sync"

	"github.com/arena-go/arena"
)

type loader struct {
	a   *arena.Arena
	dir string
}

func (l *loader) names() []string { return arena.SliceOf(l.a, l.dir) }
func (l *loader) sizes() []int    { return arena.SliceOf(l.a, len(l.dir)) }

func into[T any](to *[]T, load func() []T) func() { return func() { *to = load() } }

func both(a *arena.Arena, dir string) ([]string, []int) {
	l := &loader{a, dir}
	var names []string
	var sizes []int
	var wg sync.WaitGroup
	wg.Go(into(&names, l.names))
	wg.Go(into(&sizes, l.sizes)) // want `shared: `
	wg.Wait()
	return names, sizes
}

func logged(f func()) func() {
	return func() {
		println("begin")
		f()
	}
}

func twice(a *arena.Arena, names []string) {
	var wg sync.WaitGroup
	out := make([]string, len(names))
	for i, n := range names {
		wg.Go(logged(func() { out[i] = arena.String(a, n) })) // want `shared: `
	}
	wg.Wait()
}
