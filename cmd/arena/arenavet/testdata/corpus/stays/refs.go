package stays

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

type leaf struct {
	next ref.Of[leaf]
	key  int
}

// A chain has a Space of its arena.
type chain struct {
	a    *arena.Arena
	s    ref.Space
	head ref.Of[leaf]
}

func newChain() *chain {
	a := arena.NewArena()
	return &chain{a: a, s: ref.In(a)}
}

func (c *chain) push(key int) {
	r, l := ref.New[leaf](c.s)
	l.key, l.next = key, c.head
	c.head = r
}

func (c *chain) restart() int {
	old := c.head
	c.a.Reset()
	c.head = ref.Of[leaf]{}
	return old.Get(c.s).key // want `stale: `
}

func (c *chain) restarted() (n int) {
	for r := c.head; !r.IsNil(); r = r.Get(c.s).next {
		n++
	}
	c.a.Reset()
	c.head = ref.Of[leaf]{}
	return n
}

func pairs(keys []int) (n int) {
	a := arena.NewArena()
	s := ref.In(a)
	var last ref.Of[leaf]
	for _, k := range keys {
		r, l := ref.New[leaf](s)
		l.key = k
		if !last.IsNil() {
			n += last.Get(s).key // want `stale: `
		}
		last = r
		a.Reset()
	}
	return n
}
