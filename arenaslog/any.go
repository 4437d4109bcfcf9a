package arenaslog

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/arena-go/arena"
)

// maxValues is how many values of an attribute are looked at before it is written instead.
const maxValues = 4096

// anyOf returns a copy of x, or something that is written as x is.
func anyOf(x any) any {
	if x == nil {
		return nil
	}
	if err, ok := x.(error); ok {
		if v := reflect.ValueOf(x); v.Kind() != reflect.Pointer || !v.IsNil() {
			return errorOf(err)
		}
	}
	w := walk{seen: map[place]bool{}}
	if w.isData(reflect.ValueOf(x)) {
		return arena.DeepClone(x)
	}
	return write(x)
}

// A failure is the text of an error.
type failure string

func (f failure) Error() string { return string(f) }

// A broken is the value with which a method Error has panicked. It panics again when the inner
// handler asks for the text: the handlers of package slog write what happened.
type broken string

func (b broken) Error() string { panic(string(b)) }

// errorOf returns an error with the text of err.
func errorOf(err error) (e error) {
	defer func() {
		if p := recover(); p != nil {
			e = broken(fmt.Sprint(p))
		}
	}()
	return failure(strings.Clone(err.Error()))
}

// A written is what was written of a value.
type written struct{ text, json result }

func (w *written) String() string               { return string(w.text.bytes) }
func (w *written) MarshalText() ([]byte, error) { return w.text.again() }
func (w *written) MarshalJSON() ([]byte, error) { return w.json.again() }

// A result is what a call returned, or what it panicked with.
type result struct {
	bytes []byte
	err   error
	panic any
}

// resultOf calls f.
func resultOf(f func() ([]byte, error)) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r.panic = fmt.Sprint(p)
		}
	}()
	b, err := f()
	if r.bytes = bytes.Clone(b); err != nil {
		r.err = errorOf(err)
	}
	return r
}

// again does what the call did.
func (r *result) again() ([]byte, error) {
	if r.panic != nil {
		panic(r.panic)
	}
	return r.bytes, r.err
}

// write writes x as the handlers of slog do.
func write(x any) *written {
	return &written{
		text: resultOf(func() ([]byte, error) {
			if m, ok := x.(encoding.TextMarshaler); ok {
				return m.MarshalText()
			}
			return fmt.Appendf(nil, "%+v", x), nil
		}),
		json: resultOf(func() ([]byte, error) {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			err := e.Encode(x)
			if err != nil { // what the handler writes then; package json would add the name of written to an error
				b.Reset()
				err = e.Encode(fmt.Sprintf("!ERROR:%v", err))
			}
			return b.Bytes(), err
		}),
	}
}

// A walk looks at what is reachable from a value.
type walk struct {
	seen map[place]bool // pointers that were followed
	n    int            // values
}

type place struct {
	at  uintptr
	len int
	typ reflect.Type
}

var errorType = reflect.TypeFor[error]()

// isData reports whether a copy of v by DeepClone is as good as v, and is of the heap alone.
func (w *walk) isData(v reflect.Value) bool {
	if w.n++; w.n > maxValues {
		return false
	}
	switch v.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	case reflect.Interface:
		return v.IsNil() || w.isData(v.Elem())
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return true
		}
		p := place{at: v.Pointer(), typ: v.Type()}
		if v.Kind() == reflect.Slice {
			p.len = v.Len()
		}
		if w.seen[p] {
			return true
		}
		w.seen[p] = true
	}
	t := v.Type()
	if t.PkgPath() != "" {
		switch t.PkgPath() {
		case "time", "unique", "net/netip":
			return true // made of numbers, and of what is forever
		case "context", "reflect", "sync", "sync/atomic":
			return false
		}
		if t.Implements(errorType) || reflect.PointerTo(t).Implements(errorType) || isLocker(t) {
			return false
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return w.isData(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !w.isData(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if !hasParts(t.Elem()) {
			return true
		}
		for i := range v.Len() {
			if !w.isData(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if !w.isData(i.Key()) || !w.isData(i.Value()) {
				return false
			}
		}
	}
	return true
}

// hasParts reports whether a value of type t is more than a number or text.
func hasParts(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.Struct, reflect.UnsafePointer:
		return true
	}
	return false
}

// isLocker reports whether t is a lock, or must not be copied.
func isLocker(t reflect.Type) bool {
	m, ok := reflect.PointerTo(t).MethodByName("Lock")
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 0
}
