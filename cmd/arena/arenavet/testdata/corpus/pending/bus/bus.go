// Package bus keeps functions and names.
package bus

import "sync"

type Bus struct {
	mu    sync.Mutex
	fns   []func()
	names map[string]int
}

func (b *Bus) OnFlush(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fns = append(b.fns, f)
}

func (b *Bus) Add(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names[name]++
}

// Clear forgets all.
func (b *Bus) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fns = nil
	clear(b.names)
}
