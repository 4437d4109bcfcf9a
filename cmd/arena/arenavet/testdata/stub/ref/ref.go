// Package ref has the names of the package that it stands for, and does nothing.
package ref

import "github.com/arena-go/arena"

type Space struct{ a *arena.Arena }

func In(a *arena.Arena) Space { return Space{a} }

type Of[T any] struct{ n uint32 }

func New[T any](s Space) (Of[T], *T) { return Of[T]{}, nil }
func (r Of[T]) Get(s Space) *T       { return nil }
func (r Of[T]) IsNil() bool          { return true }
func (r Of[T]) Free(s Space)         {}

type Slab[T any] struct{ s Space }

func SlabOf[T any](s Space) *Slab[T] { return nil }
func (s *Slab[T]) New() Of[T]        { return Of[T]{} }

type List[T any] struct{ n uint64 }

func (l *List[T]) Append(s Space, v ...T) {}
func (l List[T]) Get(s Space) []T         { return nil }
func (l List[T]) Len() int                { return 0 }

type Map[K comparable, V any] struct{ n uint64 }

func (m *Map[K, V]) Set(s Space, k K, v V)           {}
func (m *Map[K, V]) Lookup(s Space, k K) *V          { return nil }
func (m *Map[K, V]) Get(s Space, k K) (v V, ok bool) { return }
