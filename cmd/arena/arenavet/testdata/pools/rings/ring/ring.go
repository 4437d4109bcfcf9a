// Package ring has containers, which know nothing of a sync.Pool.
package ring

type Last[T any] struct {
	all  []T
	next int
}

func New[T any](n int) *Last[T] { return &Last[T]{all: make([]T, n)} }

func (l *Last[T]) Add(v T) {
	l.all[l.next] = v
	l.next = (l.next + 1) % len(l.all)
}

// Each calls a function with the numbers from 0.
func (l *Last[T]) Each(f func(T)) {
	for _, v := range l.all {
		f(v)
	}
}

// A Stack returns first what it got last.
type Stack[T any] struct{ all []T }

func (s *Stack[T]) Push(v T) { s.all = append(s.all, v) }

func (s *Stack[T]) Pop() T {
	n := len(s.all) - 1
	v := s.all[n]
	s.all = s.all[:n]
	return v
}

// A Table has values by name.
type Table[V any] struct{ m map[string]V }

func (t *Table[V]) Set(name string, v V) { t.m[name] = v }
