package gogotest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/testpb"
)

// outcome is what an Unmarshal does: its error or its panic, as text. An arena's limit is a panic
// that goes on.
func outcome(f func() error) (text string) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *arena.LimitError:
			panic(v)
		default:
			text = fmt.Sprint("panic: ", v)
		}
	}()
	if err := f(); err != nil {
		return fmt.Sprintf("%T: %v", err, err)
	}
	return "no error"
}

// A Pair is what package gogo has made of some input, and what it should be.
type Pair struct{ Got, Want gogo.Message }

// Compare decodes b in both ways, as a message of the type of like. It reports whether there was no
// error, and says what differs.
func Compare(a *arena.Arena, b []byte, like gogo.Message, o gogo.UnmarshalOptions) (p Pair, ok bool, difference string) {
	typ := reflect.TypeOf(like).Elem()
	p = Pair{arena.NewValue(a, typ).Interface().(gogo.Message), reflect.New(typ).Interface().(gogo.Message)}
	there := outcome(func() error { return p.Want.Unmarshal(slices.Clone(b)) })
	input := slices.Clone(b)
	here := outcome(func() error { return o.Unmarshal(a, input, p.Got) })
	if !o.AliasInput && !keepsInput(typ, map[reflect.Type]bool{}) {
		clear(input)
	}
	if here != there {
		return p, false, fmt.Sprintf("%v: %s, want %s\ninput %x", typ, here, there, b)
	}
	return p, here == "no error", p.Check(b)
}

// Check says whether the messages differ, which were made of b.
func (p Pair) Check(b []byte) string {
	if Same(p.Got, p.Want) {
		return ""
	}
	return fmt.Sprintf("%T:\n got %#v\nwant %#v\ninput %x", p.Got, p.Got, p.Want, b)
}

// keepsInput reports whether messages of type t may contain values whose Unmarshal keeps the input.
// Only the Unmarshal of package testpb does.
func keepsInput(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return keepsInput(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if keepsInput(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return t == reflect.TypeFor[testpb.Own]()
}

// Same is reflect.DeepEqual, for which NaN is NaN.
func Same(got, want any) bool {
	return reflect.DeepEqual(got, want) || sameValue(reflect.ValueOf(got), reflect.ValueOf(want))
}

// sameValue compares what DeepEqual says is not equal, since it has found a NaN.
func sameValue(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float() || a.Float() != a.Float() && b.Float() != b.Float()
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.IsNil() != b.IsNil() {
			return false
		}
		fallthrough
	case reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := a.MapRange(); i.Next(); {
			if !sameValue(i.Value(), b.MapIndex(i.Key())) {
				return false
			}
		}
		return true
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.String:
		return a.String() == b.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return a.Uint() == b.Uint()
	}
	return false
}
