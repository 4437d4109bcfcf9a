package arena

import (
	"reflect"

	"github.com/arena-go/arena/internal/mem"
)

// Box returns v in an interface, as any(v) does, with the value in a. The compiler puts such a value on the heap, each
// time. Box(a, v) == any(v), and type switches, reflect and package fmt see no difference.
//
// The value is valid until a is Reset, as a value of [New] is. From then on the interface shows an old or a newer
// value of type T. So it must not be a key of a map that lives longer. What v refers to stays where it is: Box(a, s)
// of a string s does not copy its text.
//
// Where any(v) needs no memory, Box is any(v): of pointers, maps, channels and funcs, of what is no longer than a
// byte, of integers below 256, and of interfaces. Box(nil, v) is any(v). Otherwise Box panics as New does.
func Box[T any](a *Arena, v T) any {
	if a == nil {
		return v
	}
	return boxIn(a, v)
}

// boxIn is not inlined, so that Box is.
//
//go:noinline
func boxIn[T any](a *Arena, v T) any {
	if mem.SizeOf[T]() <= 1 || isSmallWord(v) || isInterface[T]() {
		return v
	}
	return boxOf(Put(a, v))
}

// isInterface tells whether T is an interface type. Of most types their size tells it, without a look at the type.
func isInterface[T any]() bool {
	return mem.SizeOf[T]() == mem.SizeOf[any]() && reflect.TypeFor[T]().Kind() == reflect.Interface
}
