package arenajson

import (
	"cmp"
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A pair is an entry of a map that waits to be sorted: its value, or the position of that.
type pair[V any] struct {
	key   string
	value V
}

func sortPairs[V any](s []pair[V]) {
	slices.SortFunc(s, func(x, y pair[V]) int { return cmp.Compare(x.key, y.key) })
}

// collect appends the entries of m to s, sorted by their keys. release is its counterpart.
func collect[V any](s []pair[V], m map[string]V) []pair[V] {
	n := len(s)
	s = slices.Grow(s, len(m))
	for k, v := range m {
		s = append(s, pair[V]{k, v})
	}
	sortPairs(s[n:])
	return s
}

// release returns s without its last n entries, which it clears, so that they refer to nothing.
func release[V any](s []pair[V], n int) []pair[V] {
	clear(s[len(s)-n:])
	return s[:len(s)-n]
}

// textMap appends m.
func (e *encoder) textMap(b []byte, m map[string]string) []byte {
	if len(m) == 0 {
		return emptyMap(b, m == nil)
	}
	start := len(b)
	if e.unsorted {
		for k, v := range m {
			b = appendText(append(e.mapKey(b, k), ':'), v, e.escape)
		}
	} else {
		n := len(e.strings)
		e.strings = collect(e.strings, m)
		for _, p := range e.strings[n:] {
			b = appendText(append(e.mapKey(b, p.key), ':'), p.value, e.escape)
		}
		e.strings = release(e.strings, len(m))
	}
	b[start] = '{'
	return append(b, '}')
}

// anyMap appends m.
func (e *encoder) anyMap(b []byte, m map[string]any) []byte {
	if len(m) == 0 {
		return emptyMap(b, m == nil)
	}
	start := len(b)
	if e.enter() {
		if e.unsorted {
			for k, v := range m {
				b = e.any(append(e.mapKey(b, k), ':'), &v)
			}
		} else {
			n := len(e.anys)
			e.anys = collect(e.anys, m)
			pairs := e.anys[n:]
			for i := range pairs {
				b = e.any(append(e.mapKey(b, pairs[i].key), ':'), &pairs[i].value)
			}
			e.anys = release(e.anys, len(pairs))
		}
		b[start] = '{'
		b = append(b, '}')
	}
	e.depth--
	return b
}

func emptyMap(b []byte, isNil bool) []byte {
	if isNil {
		return append(b, "null"...)
	}
	return append(b, "{}"...)
}

// mapKey appends a comma and the key.
func (e *encoder) mapKey(b []byte, k string) []byte {
	return appendText(append(b, ','), k, e.escape)
}

// A mapValues has the values of the maps of one type that are being encoded, each inside the one before.
type mapValues struct {
	slice reflect.Value // of the values, as long as it can be
	used  int
	key   reflect.Value // to read keys into
}

// take returns where n values begin in m.slice.
func (m *mapValues) take(n int) int {
	if c := m.slice.Len(); c < m.used+n {
		c = max(m.used+n, 2*c, 8)
		m.slice = reflect.MakeSlice(m.slice.Type(), c, c) // maps that are being encoded have their values in the old one
	}
	m.used += n
	return m.used - n
}

// valuesOf returns the place for the values of maps that pl is the plan of.
func (e *encoder) valuesOf(pl *encodePlan) *mapValues {
	s := e.values[pl]
	if s == nil {
		s = &mapValues{
			slice: reflect.Zero(reflect.SliceOf(pl.typ.Elem())),
			key:   reflect.New(pl.typ.Key()).Elem(),
		}
		if e.values == nil {
			e.values = map[*encodePlan]*mapValues{}
		}
		e.values[pl] = s
	}
	return s
}

// anyKindOfMap appends the map at p.
func (e *encoder) anyKindOfMap(b []byte, pl *encodePlan, p pointer) []byte {
	m := reflected(pl.typ, p)
	n := m.Len()
	if n == 0 {
		return emptyMap(b, m.IsNil())
	}
	if !e.enter() {
		e.depth--
		return b
	}
	s := e.valuesOf(pl)
	from, places, texts := s.take(n), len(e.places), len(e.texts)
	values := s.slice
	for it := m.MapRange(); len(e.places) < places+n && it.Next(); {
		s.key.SetIterKey(it)
		name, ok := e.keyText(pl.key, s.key)
		if !ok {
			e.failed = true
		}
		i := from + len(e.places) - places
		e.places = append(e.places, pair[int]{name, i})
		values.Index(i).SetIterValue(it)
	}
	s.key.SetZero()
	pairs := e.places[places:]
	if !e.unsorted {
		sortPairs(pairs)
	}
	start := len(b)
	for _, p := range pairs {
		if b = append(e.mapKey(b, p.key), ':'); e.failed {
			break
		}
		b = e.value(b, pl.elem, placeOf(values.Index(p.value)))
	}
	b[start] = '{'
	e.places = release(e.places, len(pairs))
	e.texts = e.texts[:texts]
	for i := range n {
		values.Index(from + i).SetZero()
	}
	s.used -= n
	e.depth--
	return append(b, '}')
}

// keyText returns the text of a key. It reports false if encoding/json has an error for it, or sorts by something else.
func (e *encoder) keyText(op keyOp, k reflect.Value) (string, bool) {
	start := len(e.texts)
	switch op {
	case keyString:
		return k.String(), true
	case keyInt:
		e.texts = strconv.AppendInt(e.texts, k.Int(), 10)
	case keyUint:
		e.texts = strconv.AppendUint(e.texts, k.Uint(), 10)
	case keyText:
		text, err := k.Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err == nil && utf8.Valid(text)
	}
	return textOf(e.texts[start:]), true // the bytes stay, even if texts moves
}
