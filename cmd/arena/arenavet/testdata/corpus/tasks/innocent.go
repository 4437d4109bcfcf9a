package tasks

import (
	"sync"

	"github.com/arena-go/arena"
)

func inTurn(a *arena.Arena, dir string) ([]string, []int) {
	l := &loader{a, dir}
	var names []string
	var sizes []int
	load := into(&sizes, l.sizes)
	var wg sync.WaitGroup
	wg.Go(into(&names, l.names))
	wg.Wait()
	load()
	return names, sizes
}

func ofTheirOwn(dir string) ([]string, []int) {
	g := arena.NewGroup()
	x, y := &loader{g.Arena(), dir}, &loader{g.Arena(), dir}
	var names []string
	var sizes []int
	var wg sync.WaitGroup
	wg.Go(into(&names, x.names))
	wg.Go(into(&sizes, y.sizes))
	wg.Wait()
	return names, sizes
}

type locked struct {
	mu sync.Mutex
	l  *loader
}

func (l *locked) names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.l.names()
}

func oneByOne(a *arena.Arena, dir string) (x, y []string) {
	l := &locked{l: &loader{a, dir}}
	var wg sync.WaitGroup
	wg.Go(into(&x, l.names))
	wg.Go(into(&y, l.names))
	wg.Wait()
	return x, y
}
