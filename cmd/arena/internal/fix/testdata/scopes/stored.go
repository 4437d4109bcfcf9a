package scopes

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// What is kept by something older.

var last *Node

func Global(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		last = n
	}
}

var names = map[string]bool{}

func GlobalMap(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		names[n.Children[0].Name] = true
	}
}

type cache struct {
	mu    sync.Mutex
	nodes []*Node
	by    map[string]*Node
	first string
	at    atomic.Pointer[Node]
}

func (c *cache) Add(text string) { // unknown: older
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, err := Parse(text); err == nil {
		c.nodes = append(c.nodes, n)
	}
}

func (c *cache) Put(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		c.keep(n.Children)
	}
}

func (c *cache) keep(list []*Node) {
	for _, n := range list {
		c.by[n.Name] = n
	}
}

func (c *cache) Text(text string) { // unknown: older
	if n, err := Parse(text); err == nil {
		c.first = n.Children[0].Name[1:]
	}
}

func (c *cache) Atomic(text string) { // unknown
	if n, err := Parse(text); err == nil {
		c.at.Store(n)
	}
}

func Into(text string, out *string) { // unknown: older
	if n, err := Parse(text); err == nil {
		*out = n.Children[0].Name
	}
}

func Fill(text string, out []*Node) int { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	return copy(out, n.Children)
}

func Indirect(text string, to *cache) { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return
	}
	box := &struct{ list []*Node }{}
	to.by = map[string]*Node{}
	alias := to.by
	box.list = n.Children
	alias["first"] = box.list[0]
}

func Late(text string, to **Stats) { // unknown: older
	s := &Stats{}
	*to = s // it has nothing of the arena yet
	n, err := Parse(text)
	if err != nil {
		return
	}
	s.Names = append(s.Names, n.Children[0].Name)
}

func Linked(text string, l *list.List) { // unknown: older
	if n, err := Parse(text); err == nil {
		l.PushBack(n)
	}
}

func Send(text string, c chan<- *Node) { // unknown: older
	if n, err := Parse(text); err == nil {
		c <- n
	}
}

func Select(text string, c chan<- string) { // unknown: older
	if n, err := Parse(text); err == nil {
		select {
		case c <- n.Children[0].Name:
		default:
		}
	}
}

var pool sync.Pool

func Pooled(text string) { // unknown
	if n, err := Parse(text); err == nil {
		pool.Put(n)
	}
}

var once sync.Once

func Once(text string) { // unknown: older
	n, err := Parse(text)
	if err != nil {
		return
	}
	once.Do(func() { last = n })
}
