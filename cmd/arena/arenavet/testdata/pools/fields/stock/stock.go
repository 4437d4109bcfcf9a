// Package stock has pools of any type.
package stock

import "sync"

// A Pool has values of type T, which Reset prepares for another use.
type Pool[T any] struct {
	Reset func(*T)

	free sync.Pool
}

func (p *Pool[T]) Get() *T {
	if v, ok := p.free.Get().(*T); ok {
		return v
	}
	return new(T)
}

func (p *Pool[T]) Put(v *T) {
	if p.Reset != nil {
		p.Reset(v)
	}
	p.free.Put(v)
}

// With calls f with a value that is f's until it returns.
func (p *Pool[T]) With(f func(*T) error) error {
	v := p.Get()
	defer p.Put(v)
	return f(v)
}
