//go:build go1.27

package arena

import "iter"

// With Go 1.27, in which methods may have type parameters, the functions that people call most are
// methods as well. Their costs are the same: those that the compiler inlines have the body of the
// function.

// New is the function [New] as a method: a.New[T]() is New[T](a).
func (a *Arena) New[T any]() *T {
	if a == nil {
		var v T // as in the function
		return &v
	}
	return newIn[T](a)
}

// Ptr is the function [Ptr] as a method: a.Ptr(v) is Ptr(a, v).
func (a *Arena) Ptr[T any](v T) *T {
	p := newIn[T](a)
	*p = v
	return p
}

// Box is the function [Box] as a method: a.Box(v) is Box(a, v).
func (a *Arena) Box[T any](v T) any {
	if a == nil {
		return v
	}
	return boxIn(a, v)
}

// SlabOf is the function [SlabOf] as a method: a.SlabOf[T]() is SlabOf[T](a).
func (a *Arena) SlabOf[T any]() *Slab[T] { return SlabOf[T](a) }

// NewMap is the function [NewMap] as a method: a.NewMap[K, V](hint) is NewMap[K, V](a, hint).
func (a *Arena) NewMap[K comparable, V any](hint int) *Map[K, V] { return NewMap[K, V](a, hint) }

// MakeSlice is the function [MakeSlice] as a method: a.MakeSlice[T](len, cap) is MakeSlice[T](a,
// len, cap).
func (a *Arena) MakeSlice[T any](len, cap int) []T {
	if a == nil && uint(cap) < manyElements {
		return make([]T, len, cap)
	}
	return makeSliceIn[T](a, len, cap)
}

// SliceOf is the function [SliceOf] as a method: a.SliceOf(v...) is SliceOf(a, v...).
func (a *Arena) SliceOf[T any](v ...T) []T { return SliceOf(a, v...) }

// Append is the function [Append] as a method: a.Append(s, v...) is Append(a, s, v...).
func (a *Arena) Append[E any, S ~[]E](s S, v ...E) S {
	if cap(s)-len(s) < len(v) {
		return appendGrow(a, s, v)
	}
	return append(s, v...)
}

// Push is the function [Push] as a method: a.Push(s, e) is Push(a, s, e).
func (a *Arena) Push[E any, S ~[]E](s S, e E) S {
	if len(s) == cap(s) {
		s = growSlice(a, s, 1)
	}
	return append(s, e)
}

// Grow is the function [Grow] as a method: a.Grow(s, n) is Grow(a, s, n).
func (a *Arena) Grow[S ~[]E, E any](s S, n int) S { return Grow(a, s, n) }

// Collect is the function [Collect] as a method: a.Collect(seq) is Collect(a, seq).
func (a *Arena) Collect[E any](seq iter.Seq[E]) []E { return Collect(a, seq) }

// String is the function [String] as a method: a.String(s) is String(a, s).
func (a *Arena) String[S ~string | ~[]byte](s S) string {
	if a == nil && !looking {
		return string([]byte(s)) // as in the function
	}
	return stringIn(a, s)
}

// Bytes is the function [Bytes] as a method: a.Bytes(s) is Bytes(a, s).
func (a *Arena) Bytes[S ~string | ~[]byte](s S) []byte { return Bytes(a, s) }
