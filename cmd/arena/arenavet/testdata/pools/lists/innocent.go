package lists

import "slices"

func (l *list) clearInTurn() {
	for n := l.head; n != nil; {
		next := n.next
		nodes.Put(n)
		n = next
	}
	l.head = nil
}

func (l *list) pop() int {
	n := l.head
	l.head = n.next
	v := n.n
	n.release()
	return v
}

func (c *chunks) some() []*node {
	var all []*node
	for _, n := range c.all {
		if n.n > 3 {
			all = append(all, n)
		} else {
			nodes.Put(n)
		}
	}
	c.all = nil
	return all
}

func (c *chunks) copied() []byte {
	defer c.free()
	return slices.Clone(c.all[0].text[:c.size])
}

func (c *chunks) behindFirst() *node {
	n := c.all[0]
	c.all = c.all[1:]
	c.free()
	return n
}

func (c *chunks) anew() *node {
	c.free()
	c.all = append(c.all, nodes.Get().(*node))
	return c.all[0]
}
