// Package links has mistakes with lists by pointers to pointers, and with maps of which one key
// goes away.
package links

import (
	"github.com/arena-go/arena"
)

type node struct {
	key  string
	next *node
}

type list struct{ head *node }

func (l *list) insert(n *node) {
	p := &l.head
	for *p != nil && (*p).key < n.key {
		p = &(*p).next
	}
	n.next = *p
	*p = n
}

func (l *list) first() string { return l.head.key }

func fill(l *list, p *arena.Pool, keys []string) {
	a := p.Get()
	defer p.Put(a)
	for _, k := range keys {
		l.insert(arena.Ptr(a, node{key: k})) // want `outlives: `
	}
}

type tree struct{ root *leaf }

type leaf struct {
	key         string
	left, right *leaf
}

func (t *tree) slot(key string) **leaf {
	p := &t.root
	for *p != nil {
		if key < (*p).key {
			p = &(*p).left
		} else {
			p = &(*p).right
		}
	}
	return p
}

func grow(t *tree, keys []string) {
	a := arena.NewArena()
	defer a.Reset()
	for _, k := range keys {
		*t.slot(k) = arena.Ptr(a, leaf{key: k}) // want `outlives: `
	}
}

type sessions struct{ all map[string]*node }

func (s *sessions) swap(p *arena.Pool, old, id string) {
	a := p.Get()
	defer p.Put(a)
	s.all[id] = arena.Ptr(a, node{key: id}) // want `outlives: `
	delete(s.all, old)
}

func local(names []string) int {
	a := arena.NewArena()
	m := map[string]*node{}
	m["a"] = arena.Ptr(a, node{})
	m["b"] = arena.Ptr(a, node{})
	delete(m, "a")
	a.Reset()
	return find(m["b"].key) // want `stale: `
}

func find(s string) int {
	for i := range len(s) {
		if s[i] == '@' {
			return i
		}
	}
	return -1
}
