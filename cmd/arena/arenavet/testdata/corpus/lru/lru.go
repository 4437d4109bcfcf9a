// Package lru has generic containers which know nothing of arenas.
package lru

import (
	"container/heap"
	"container/list"
	"sync"
)

// A Cache keeps the entries that were used last.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	max     int
	order   *list.List
	entries map[K]*list.Element
	onEvict func(K, V)
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func New[K comparable, V any](max int) *Cache[K, V] {
	return &Cache[K, V]{max: max, order: list.New(), entries: make(map[K]*list.Element)}
}

func (c *Cache[K, V]) Add(key K, value V) (evicted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.order.MoveToFront(e)
		e.Value.(*entry[K, V]).value = value
		return false
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key, value})
	if c.order.Len() > c.max {
		c.evict()
		return true
	}
	return false
}

func (c *Cache[K, V]) evict() {
	e := c.order.Back()
	if e == nil {
		return
	}
	c.order.Remove(e)
	old := e.Value.(*entry[K, V])
	delete(c.entries, old.key)
	if c.onEvict != nil {
		c.onEvict(old.key, old.value)
	}
}

func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, found := c.entries[key]; found {
		c.order.MoveToFront(e)
		return e.Value.(*entry[K, V]).value, true
	}
	return value, false
}

func (c *Cache[K, V]) Contains(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.entries[key]
	return ok
}

func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

func (c *Cache[K, V]) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	c.order.Init()
}

// A Set has each value once.
type Set[T comparable] struct{ m map[T]struct{} }

func NewSet[T comparable](values ...T) *Set[T] {
	s := &Set[T]{m: make(map[T]struct{}, len(values))}
	for _, v := range values {
		s.m[v] = struct{}{}
	}
	return s
}

func (s *Set[T]) Add(v T)      { s.m[v] = struct{}{} }
func (s *Set[T]) Has(v T) bool { _, ok := s.m[v]; return ok }
func (s *Set[T]) Len() int     { return len(s.m) }
func (s *Set[T]) Each(f func(v T)) {
	for v := range s.m {
		f(v)
	}
}

// A Queue hands out the least value first.
type Queue[T any] struct{ h inner[T] }

type inner[T any] struct {
	items []T
	less  func(a, b T) bool
}

func (h *inner[T]) Len() int           { return len(h.items) }
func (h *inner[T]) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }
func (h *inner[T]) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *inner[T]) Push(x any)         { h.items = append(h.items, x.(T)) }
func (h *inner[T]) Pop() any {
	n := len(h.items) - 1
	x := h.items[n]
	h.items = h.items[:n]
	return x
}

func NewQueue[T any](less func(a, b T) bool) *Queue[T] {
	return &Queue[T]{h: inner[T]{less: less}}
}

func (q *Queue[T]) Push(v T) { heap.Push(&q.h, v) }
func (q *Queue[T]) Pop() T   { return heap.Pop(&q.h).(T) }
func (q *Queue[T]) Len() int { return q.h.Len() }

// A Ring keeps the last values.
type Ring[T any] struct {
	buf  []T
	next int
}

func NewRing[T any](n int) *Ring[T] { return &Ring[T]{buf: make([]T, n)} }

func (r *Ring[T]) Put(v T) {
	r.buf[r.next%len(r.buf)] = v
	r.next++
}

func (r *Ring[T]) Last() T { return r.buf[(r.next-1)%len(r.buf)] }

// Map returns what f makes of each value.
func Map[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

// Filter returns the values that f wants.
func Filter[T any](in []T, f func(T) bool) []T {
	var out []T
	for _, v := range in {
		if f(v) {
			out = append(out, v)
		}
	}
	return out
}

// Count returns how many values f wants.
func Count[T any](in []T, f func(T) bool) (n int) {
	for _, v := range in {
		if f(v) {
			n++
		}
	}
	return n
}
