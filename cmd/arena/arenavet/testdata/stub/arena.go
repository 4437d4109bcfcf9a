// Package arena has the names of the package that it stands for, and does nothing.
package arena

import (
	"cmp"
	"context"
	"io"
	"iter"
	"reflect"
)

type Arena struct{ _ [8]byte }

type Memory interface {
	Alloc(size int) ([]byte, error)
	Free(b []byte)
}

type Options struct {
	Name   string
	Limit  int64
	Memory Memory
	Guard  bool
}

func NewArena() *Arena                      { return nil }
func NewWith(o Options) *Arena              { return nil }
func (a *Arena) Free()                      {}
func (a *Arena) Reset()                     {}
func (a *Arena) Mark() (m Mark)             { return }
func (a *Arena) Rewind(m Mark)              {}
func (a *Arena) Stats() (s struct{ N int }) { return }

type Mark struct{ arena *Arena }

func New[T any](a *Arena) *T                                    { return nil }
func Ptr[T any](a *Arena, v T) *T                               { return nil }
func Box[T any](a *Arena, v T) any                              { return nil }
func MakeSlice[T any](a *Arena, len, cap int) []T               { return nil }
func SliceOf[T any](a *Arena, v ...T) []T                       { return nil }
func Append[E any, S ~[]E](a *Arena, s S, v ...E) S             { return s }
func Push[E any, S ~[]E](a *Arena, s S, e E) S                  { return s }
func AppendSeq[S ~[]E, E any](a *Arena, s S, seq iter.Seq[E]) S { return s }
func Grow[S ~[]E, E any](a *Arena, s S, n int) S                { return s }
func Collect[E any](a *Arena, seq iter.Seq[E]) []E              { return nil }
func SortedKeys[K cmp.Ordered, V any](a *Arena, m *Map[K, V]) []K {
	return nil
}
func CollectMap[K comparable, V any](a *Arena, seq iter.Seq2[K, V]) *Map[K, V] { return nil }
func NewValue(a *Arena, t reflect.Type) reflect.Value                          { return reflect.Value{} }

func String[S ~string | ~[]byte](a *Arena, s S) string { return "" }
func Bytes[S ~string | ~[]byte](a *Arena, s S) []byte  { return nil }
func Concat(a *Arena, s ...string) string              { return "" }
func Join(a *Arena, s []string, sep string) string     { return "" }
func Sprintf(a *Arena, f string, v ...any) string      { return "" }
func ReadAll(a *Arena, r io.Reader) ([]byte, error)    { return nil, nil }

func Clone[T any](v T) T     { return v }
func DeepClone[T any](v T) T { return v }

type Builder struct{ _ [8]byte }

func NewBuilder(a *Arena) *Builder                   { return nil }
func (t *Builder) String() string                    { return "" }
func (t *Builder) Bytes() []byte                     { return nil }
func (t *Builder) Write(b []byte) (int, error)       { return 0, nil }
func (t *Builder) WriteString(s string) (int, error) { return 0, nil }
func (t *Builder) WriteByte(b byte) error            { return nil }
func (t *Builder) Printf(f string, v ...any)         {}
func (t *Builder) Reset()                            {}
func (t *Builder) Truncate(n int)                    {}

type Slab[T any] struct{ _ [8]byte }

func SlabOf[T any](a *Arena) *Slab[T] { return nil }
func (s *Slab[T]) New() *T            { return nil }

type Map[K comparable, V any] struct{ _ [8]byte }

func NewMap[K comparable, V any](a *Arena, hint int) *Map[K, V] { return nil }
func (m *Map[K, V]) Get(k K) (v V, ok bool)                     { return }
func (m *Map[K, V]) Set(k K, v V)                               {}
func (m *Map[K, V]) Entry(k K) *V                               { return nil }
func (m *Map[K, V]) Lookup(k K) *V                              { return nil }
func (m *Map[K, V]) Has(k K) bool                               { return false }
func (m *Map[K, V]) Len() int                                   { return 0 }
func (m *Map[K, V]) Clear()                                     {}
func (m *Map[K, V]) Delete(k K) bool                            { return false }
func (m *Map[K, V]) All() iter.Seq2[K, V]                       { return nil }
func (m *Map[K, V]) Keys() iter.Seq[K]                          { return nil }
func (m *Map[K, V]) Values() iter.Seq[V]                        { return nil }
func (m *Map[K, V]) Insert(seq iter.Seq2[K, V])                 {}

func LookupText[K ~string, V any, S ~string | ~[]byte](m *Map[K, V], s S) *V { return nil }

type Pool struct{ Options Options }

func (p *Pool) Get() *Arena       { return nil }
func (p *Pool) Put(a *Arena)      {}
func (p *Pool) Drop(a *Arena)     {}
func (p *Pool) Do(f func(*Arena)) {}

func Do(f func(*Arena))  {}
func Try(f func()) error { return nil }

type Group struct{ _ [8]byte }

func NewGroup() *Group                                          { return nil }
func (g *Group) Arena() *Arena                                  { return nil }
func (g *Group) Go(f func(*Arena))                              {}
func (g *Group) Do(f func(*Arena))                              {}
func (g *Group) Wait()                                          {}
func (g *Group) Reset()                                         {}
func (g *Group) Free()                                          {}
func (g *Group) NewContext(ctx context.Context) context.Context { return ctx }

func NewContext(ctx context.Context, a *Arena) context.Context { return ctx }
func FromContext(ctx context.Context) *Arena                   { return nil }
func Fork(ctx context.Context) context.Context                 { return ctx }
