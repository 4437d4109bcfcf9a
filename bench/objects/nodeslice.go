package objects

// newNodeSlice returns what programs write by hand: slices of 10,000 values, from which one after
// the other is taken, and which are used again from the beginning, or are new ones for each round.
func newNodeSlice(fresh bool) func() *space {
	return func() *space {
		c := new(nodeSlices)
		end := c.reset
		if fresh {
			end = func() { *c = nodeSlices{} }
		}
		return &space{
			small:  func(n int) []*small { return c.smalls.values(n) },
			people: func(n int) []*person { return c.people.values(n) },
			crowd:  func(keep []*person) { c.people.fill(keep) },
			holders: func(n int) []*holder {
				s := c.holders.values(n)
				for i, h := range s {
					h.elements = []int{i}
				}
				return s
			},
			tree:  func(depth int) int { return chunkTree(&c.nodes, depth).count() },
			nodes: func(keep []*node) { c.nodes.fill(keep) },
			end:   end,
			free:  end,
		}
	}
}

type nodeSlices struct {
	smalls  chunks[small]
	people  chunks[person]
	holders chunks[holder]
	nodes   chunks[node]
}

func (c *nodeSlices) reset() {
	c.smalls.reset()
	c.people.reset()
	c.holders.reset()
	c.nodes.reset()
}

// chunks are slices of values. Of the slices in use, all but the last one are full.
type chunks[T any] struct {
	all  [][]T
	used int // Of all, with the last one.
	left []T // Of the last one.
	keep []*T
}

func (c *chunks[T]) new() *T {
	if len(c.left) == 0 {
		if c.used == len(c.all) {
			c.all = append(c.all, make([]T, 10_000))
		}
		c.left = c.all[c.used]
		c.used++
	}
	v := &c.left[0]
	c.left = c.left[1:]
	return v
}

func (c *chunks[T]) reset() {
	for i, chunk := range c.all[:c.used] {
		if i == c.used-1 {
			chunk = chunk[:len(chunk)-len(c.left)]
		}
		clear(chunk)
	}
	c.used, c.left = 0, nil
}

func (c *chunks[T]) values(n int) []*T {
	if cap(c.keep) < n {
		c.keep = make([]*T, n)
	}
	s := c.keep[:n]
	c.fill(s)
	return s
}

func (c *chunks[T]) fill(keep []*T) {
	for i := range keep {
		keep[i] = c.new()
	}
}

func chunkTree(c *chunks[node], depth int) *node {
	n := c.new()
	if depth > 0 {
		n.left, n.right = chunkTree(c, depth-1), chunkTree(c, depth-1)
	}
	return n
}
