package arena

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/mem"
)

// NewValue returns a pointer, of type reflect.PointerTo(t), to a new zero value of type t in a. It
// is [New] for a type known only at run time, and the counterpart of reflect.ArenaNew. It panics
// when t is nil, and as New does. NewValue(nil, t) is reflect.New(t).
func NewValue(a *Arena, t reflect.Type) reflect.Value {
	if t == nil {
		panic("arena: NewValue: the type is nil")
	}
	if a == nil {
		return reflect.New(t)
	}
	return a.open().slabOfType(t).newValue()
}

// MakeSliceValue returns a slice of the slice type t in a. It is [MakeSlice] for a type known only
// at run time, and reflect.MakeSlice in an arena. It panics when t is not a slice type, and as
// MakeSlice does. MakeSliceValue(nil, t, len, cap) is reflect.MakeSlice(t, len, cap).
func MakeSliceValue(a *Arena, t reflect.Type, len, cap int) reflect.Value {
	if t == nil || t.Kind() != reflect.Slice {
		panic(fmt.Sprintf("arena: MakeSliceValue: %v is not a slice type", t))
	}
	elem := t.Elem()
	checkLen(len, cap, int(elem.Size()))
	if a == nil {
		return reflect.MakeSlice(t, len, cap)
	}
	s := a.open().slabOfType(elem)
	if cap == 0 {
		return reflect.MakeSlice(t, 0, 0)
	}
	v := sliceValueAt(elem, s.make(cap, elem.Align()).at, cap)
	return v.Slice(0, len).Convert(t)
}

// Box returns v in an interface, as any(v) does, with the value in a. The compiler puts such a
// value on the heap, each time. Box(a, v) == any(v), and type switches, reflect and package fmt see
// no difference.
//
// The value is valid until a is Reset, as a value of [New] is. From then on the interface shows an
// old or a newer value of type T. So it must not be a key of a map that lives longer. What v refers
// to stays where it is: Box(a, s) of a string s does not copy its text.
//
// Where any(v) needs no memory, Box is any(v): of pointers, maps, channels and funcs, of what is no
// longer than a byte, of integers below 256, and of interfaces. Box(nil, v) is any(v). Otherwise
// Box panics as New does.
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
	return boxOf(Ptr(a, v))
}

// isInterface tells whether T is an interface type. Of most types their size tells it, without a
// look at the type.
func isInterface[T any]() bool {
	return mem.SizeOf[T]() == mem.SizeOf[any]() && reflect.TypeFor[T]().Kind() == reflect.Interface
}
