package arenajson

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// withInts is std with the option PreserveInts, which encoding/json does not have: it makes each
// number a json.Number, and these become what they should be. A number that is too large for a
// float64 is an error then, as it is of encoding/json.
func (o UnmarshalOptions) withInts(data []byte, v any) error {
	o.PreserveInts, o.UseNumber = false, true
	err := o.std(data, v)
	n := numbers{seen: map[visit]bool{}}
	n.in(reflect.ValueOf(v))
	if err == nil {
		err = n.err
	}
	return err
}

// numbers replaces each json.Number that lies in an interface.
type numbers struct {
	seen map[visit]bool
	err  error // of the first that is too large
}

// in looks at all that v leads to.
func (n *numbers) in(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		at := visit{at: addressOf(v), typ: v.Type()}
		if v.Kind() == reflect.Slice {
			at.len = v.Len()
		}
		if v.IsNil() || n.seen[at] {
			return
		}
		n.seen[at] = true
	}
	switch v.Kind() {
	case reflect.Interface:
		switch e := v.Elem(); {
		case v.IsNil():
		case e.Type() == numberType && v.CanSet() && v.NumMethod() == 0:
			v.Set(n.value(e.String(), v.Type()))
		default:
			n.in(e)
		}
	case reflect.Pointer:
		n.in(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := 0; leads(v.Type().Elem()) && i < v.Len(); i++ {
			n.in(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				n.in(v.Field(i))
			}
		}
	case reflect.Map:
		if !leads(v.Type().Elem()) {
			return
		}
		for key, e := range v.Seq2() {
			c := reflect.New(v.Type().Elem()).Elem()
			c.Set(e)
			n.in(c)
			v.SetMapIndex(key, c)
		}
	}
}

// leads tells whether a value of type t may lead to an interface.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Array, reflect.Struct, reflect.Map:
		return true
	}
	return false
}

// value returns what replaces the number s in an interface of type t: nothing if no float64 holds
// it.
func (n *numbers) value(s string, t reflect.Type) reflect.Value {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return reflect.ValueOf(i)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err == nil {
		return reflect.ValueOf(f)
	}
	if n.err == nil {
		n.err = &json.UnmarshalTypeError{Value: "number " + s, Type: reflect.TypeFor[float64]()}
	}
	return reflect.Zero(t)
}
