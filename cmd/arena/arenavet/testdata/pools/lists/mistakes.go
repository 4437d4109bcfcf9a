// Package lists has mistakes with lists of values of a sync.Pool.
package lists

import (
	"slices"
	"sync"
)

type node struct {
	next *node
	n    int
	text [64]byte
}

var nodes = sync.Pool{New: func() any { return new(node) }}

func (n *node) release() {
	n.n = 0
	nodes.Put(n)
}

type list struct{ head *node }

func (l *list) clear() {
	for n := l.head; n != nil; n = n.next { // want `syncpool: `
		nodes.Put(n)
	}
	l.head = nil
}

func (l *list) unwind() {
	for l.head != nil {
		n := l.head
		n.release()
		l.head = n.next // want `syncpool: `
	}
}

type chunks struct {
	all  []*node
	size int
}

func (c *chunks) free() {
	for i, n := range c.all {
		nodes.Put(n)
		c.all[i] = nil
	}
	c.all, c.size = c.all[:0], 0
}

func (c *chunks) first() *node {
	n := c.all[0]
	c.free()
	return n // want `syncpool: `
}

func (c *chunks) bytes() []byte {
	defer c.free()
	if len(c.all) == 1 {
		return c.all[0].text[:c.size] // want `syncpool: `
	}
	var all []byte
	for _, n := range c.all {
		all = append(all, n.text[:]...)
	}
	return all
}

func (c *chunks) drain() []*node {
	all := slices.Clone(c.all)
	for _, n := range c.all {
		n.release()
	}
	c.all = c.all[:0]
	return all // want `syncpool: `
}

func numbers(in []int) (all []*node) {
	for _, i := range in {
		n := nodes.Get().(*node)
		if n.n = i; i > 3 {
			all = append(all, n)
		}
		nodes.Put(n)
	}
	return append(all, nil) // want `syncpool: `
}
