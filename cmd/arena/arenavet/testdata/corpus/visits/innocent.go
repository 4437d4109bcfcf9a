package visits

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

type longestName struct{ name string }

func (l *longestName) Visit(n *node) {
	if len(n.label) > len(l.name) {
		l.name = strings.Clone(n.label)
	}
}

func copied(names []string) string {
	a := arena.NewArena()
	defer a.Reset()
	l := &longestName{}
	for _, name := range names {
		for _, v := range []visitor{printer{}, l, &counter{}} {
			v.Visit(arena.Ptr(a, node{name}))
		}
	}
	return l.name
}

type step interface {
	see(n *node)
	done()
}

type pending struct{ nodes []*node }

func (p *pending) see(n *node) { p.nodes = append(p.nodes, n) }
func (p *pending) done()       { p.nodes = nil }

type silent struct{}

func (silent) see(*node) {}
func (silent) done()     {}

type pipeline struct {
	a     *arena.Arena
	steps []step
}

func newPipeline() *pipeline {
	return &pipeline{a: arena.NewArena(), steps: []step{&pending{}, silent{}}}
}

func (p *pipeline) run(names []string) {
	for _, name := range names {
		for _, s := range p.steps {
			s.see(arena.Ptr(p.a, node{name}))
		}
	}
	for _, s := range p.steps {
		s.done()
	}
	p.a.Reset()
}

var allSteps = []step{silent{}, &pending{}}

func runAll(p *arena.Pool, name string) {
	a := p.Get()
	defer p.Put(a)
	for _, s := range allSteps {
		s.see(arena.Ptr(a, node{name}))
	}
	for _, s := range allSteps {
		s.done()
	}
}

type walker struct {
	a     *arena.Arena
	enter func(*node)
	leave func()
}

func (w *walker) walk(names []string) {
	for _, name := range names {
		w.enter(arena.Ptr(w.a, node{name}))
	}
	if w.leave != nil {
		w.leave()
	}
}

func labels(names []string) int {
	a := arena.NewArena()
	defer a.Reset()
	var all []*node
	w := &walker{a: a, enter: func(n *node) { all = append(all, n) }}
	w.walk(names)
	return len(all[0].label)
}

type printing struct{ now *node }

func newPrinting() (*walkerOnce, *printing) {
	p := &printing{}
	return &walkerOnce{
		enter: func(n *node) { p.now = n },
		leave: func() { fmt.Println(p.now.label); p.now = nil },
	}, p
}

type walkerOnce struct {
	pool  arena.Pool
	enter func(*node)
	leave func()
}

func (w *walkerOnce) walk(name string) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.enter(arena.Ptr(a, node{name}))
	w.leave()
}

func (p *pipeline) finish() {
	for _, s := range p.steps {
		s.done()
	}
}

func (p *pipeline) runOne(name string) {
	for _, s := range p.steps {
		s.see(arena.Ptr(p.a, node{name}))
	}
	p.finish()
	p.a.Reset()
}
