package links

import (
	"strings"

	"github.com/arena-go/arena"
)

func fillCopies(l *list, p *arena.Pool, keys []string) {
	a := p.Get()
	defer p.Put(a)
	for _, k := range keys {
		n := arena.Ptr(a, node{key: k})
		l.insert(&node{key: strings.Clone(n.key)})
	}
}

func growOnHeap(t *tree, keys []string) {
	a := arena.NewArena()
	defer a.Reset()
	for _, k := range keys {
		s := arena.String(a, k)
		*t.slot(s) = &leaf{key: strings.Clone(s)}
	}
}

func growHere(keys []string) int {
	a := arena.NewArena()
	defer a.Reset()
	t := &tree{}
	for _, k := range keys {
		*t.slot(k) = arena.Ptr(a, leaf{key: k})
	}
	return len(t.root.key)
}

// The key that was added goes away.
func (s *sessions) during(p *arena.Pool, id string, f func(*node)) {
	a := p.Get()
	defer p.Put(a)
	n := arena.Ptr(a, node{key: id})
	s.all[id] = n
	f(n)
	delete(s.all, id)
}

func (s *sessions) cloned(p *arena.Pool, id string, f func(*node)) {
	a := p.Get()
	defer p.Put(a)
	n := arena.Ptr(a, node{key: id})
	s.all[strings.Clone(id)] = n
	f(n)
	delete(s.all, id)
}

func (s *sessions) forAll(p *arena.Pool, ids []string, f func(*node)) {
	a := p.Get()
	defer p.Put(a)
	for _, id := range ids {
		s.all[id] = arena.Ptr(a, node{key: id})
	}
	for _, n := range s.all {
		f(n)
	}
	for _, id := range ids {
		delete(s.all, id)
	}
}

func localBoth(names []string) int {
	a := arena.NewArena()
	m := map[string]*node{}
	m["a"] = &node{}
	m["b"] = arena.Ptr(a, node{})
	delete(m, "b")
	a.Reset()
	return find(m["a"].key)
}
