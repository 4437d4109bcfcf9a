//go:build go1.27

package arena

func (a *Arena) New[T any]() *T                         { return nil }
func (a *Arena) Ptr[T any](v T) *T                      { return nil }
func (a *Arena) String[S ~string | ~[]byte](s S) string { return "" }
func (a *Arena) Append[E any, S ~[]E](s S, v ...E) S    { return s }
