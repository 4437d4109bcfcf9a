// Package topics has lists of functions.
package topics

import "sync"

// A List has functions by name.
type List[T any] struct {
	mu  sync.Mutex
	all map[string][]func(T)
}

// Add adds a function.
func (l *List[T]) Add(name string, f func(T)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string][]func(T){}
	}
	l.all[name] = append(l.all[name], f)
}
