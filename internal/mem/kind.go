// Package mem is what packages arena and ref know of types and of memory: which types are plain,
// and conversions of plain memory.
package mem

import (
	"reflect"
	"sync"
)

// A Kind says in which memory values of a type may lie.
type Kind uint8

const (
	Unknown Kind = iota
	// Plain: every bit pattern is a valid value. Such types may share memory, also with what a
	// stale pointer still writes to it.
	Plain
	// Typed: everything else. Memory of such a type is used for that type only, and allocated as
	// that type, so that the collector sees its pointers and a stale pointer sees a valid value.
	Typed
)

// KindOf returns the kind of t.
func KindOf(t reflect.Type) Kind {
	if k, ok := kinds.Load(t); ok {
		return k.(Kind)
	}
	k := Typed
	if isPlain(t, map[reflect.Type]bool{}) {
		k = Plain
	}
	kinds.Store(t, k)
	return k
}

var kinds sync.Map // of reflect.Type to Kind

// A Tag keeps a reference to one type from being converted to a reference to another, as a field of
// it. It tells KindOf the type that the reference leads to, also for types that a program has
// derived from one of references.
type Tag[T any] struct{}

func (Tag[T]) target() reflect.Type { return reflect.TypeFor[T]() }

// A targeted type is a Tag.
type targeted interface{ target() reflect.Type }

var targetedType = reflect.TypeFor[targeted]()

// isPlain reports whether every bit pattern of t's size is a valid t: numbers, and arrays and
// structs of such types. A bool is not: a byte of 200 read as a bool defeats the compiler's bounds
// checks. A uintptr is a number. A reference is one if what it refers to is plain, which it is
// where that is one of those that are being looked at already. Types of size zero have no bits.
func isPlain(t reflect.Type, already map[reflect.Type]bool) bool {
	if t.Implements(targetedType) {
		return isPlain(reflect.Zero(t).Interface().(targeted).target(), already)
	}
	if t.Size() == 0 && t.Kind() != reflect.Struct || already[t] {
		return true
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return isPlain(t.Elem(), already)
	case reflect.Struct:
		already[t] = true
		for i := range t.NumField() {
			if !isPlain(t.Field(i).Type, already) {
				return false
			}
		}
		return true
	}
	return false
}

// PointersIn returns the offsets of the words in a t that may be pointers to the collector: both of
// an interface, and the first of a string or a slice.
func PointersIn(t reflect.Type) []int { return appendPointers(nil, t, 0) }

func appendPointers(all []int, t reflect.Type, at uintptr) []int {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Func, reflect.Map, reflect.String, reflect.Slice:
		all = append(all, int(at))
	case reflect.Interface:
		all = append(all, int(at), int(at+t.Size()/2))
	case reflect.Array:
		if elem := t.Elem(); elem.Size() > 0 {
			for i := range t.Len() {
				all = appendPointers(all, elem, at+uintptr(i)*elem.Size())
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			all = appendPointers(all, f.Type, at+f.Offset)
		}
	}
	return all
}
