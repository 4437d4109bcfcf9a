//go:build go1.27

package arena

import "iter"

func (a *Arena) New[T any]() *T                                           { return nil }
func (a *Arena) Ptr[T any](v T) *T                                        { return nil }
func (a *Arena) Box[T any](v T) any                                       { return nil }
func (a *Arena) SlabOf[T any]() *Slab[T]                                  { return nil }
func (a *Arena) NewMap[K comparable, V any](hint int) *Map[K, V]          { return nil }
func (a *Arena) MakeSlice[T any](len, cap int) []T                        { return nil }
func (a *Arena) SliceOf[T any](v ...T) []T                                { return nil }
func (a *Arena) Append[E any, S ~[]E](s S, v ...E) S                      { return s }
func (a *Arena) Push[E any, S ~[]E](s S, e E) S                           { return s }
func (a *Arena) Grow[S ~[]E, E any](s S, n int) S                         { return s }
func (a *Arena) Collect[E any](seq iter.Seq[E]) []E                       { return nil }
func (a *Arena) String[S ~string | ~[]byte](s S) string                   { return "" }
func (a *Arena) Bytes[S ~string | ~[]byte](s S) []byte                    { return nil }
