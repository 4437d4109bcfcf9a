package arenajson

import (
	"cmp"
	"encoding"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena/internal/jsonwire"
)

// A pair is an entry of a map that waits to be sorted.
type pair[V any] struct {
	key   string
	value V
}

// A place says where a pair is that comes next. Most of them are sorted without a look at the pair.
type place struct {
	prefix uint64 // the first eight bytes of the key, the first of them highest
	i      int
}

func prefixOf(key string) uint64 {
	n := len(key)
	switch {
	case n >= 8:
		return bits.ReverseBytes64(jsonwire.Load8(key, 0))
	case n >= 4: // the last four bytes, without those that are among the first four
		x, y := bits.ReverseBytes64(jsonwire.Load4(key, 0)), bits.ReverseBytes64(jsonwire.Load4(key, n-4))
		return x | y>>32<<(64-8*n)&0xFFFFFFFF
	}
	x := uint64(0)
	for i := range n {
		x |= uint64(key[i]) << (56 - 8*i)
	}
	return x
}

// sortPairs appends the places of s to order, in the order of the keys.
func sortPairs[V any](order []place, s []pair[V]) []place {
	start := len(order)
	order = slices.Grow(order, len(s))
	for i := range s {
		x := place{prefixOf(s[i].key), i}
		order = append(order, x)
		if len(s) > 16 {
			continue
		}
		j := len(order) - 1
		for ; j > start && comesFirst(x, order[j-1], s); j-- {
			order[j] = order[j-1]
		}
		order[j] = x
	}
	if len(s) > 16 {
		slices.SortFunc(order[start:], func(x, y place) int {
			if x.prefix != y.prefix {
				return cmp.Compare(x.prefix, y.prefix)
			}
			return strings.Compare(s[x.i].key, s[y.i].key)
		})
	}
	return order
}

func comesFirst[V any](x, y place, s []pair[V]) bool {
	return x.prefix < y.prefix || x.prefix == y.prefix && s[x.i].key < s[y.i].key
}

// collect appends the entries of m to s. release is its counterpart.
func collect[V any](s []pair[V], m map[string]V) []pair[V] {
	s = slices.Grow(s, len(m))
	for k, v := range m {
		s = append(s, pair[V]{k, v})
	}
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
		return emptyMap(b, m == nil && !e.v2)
	}
	if e.depth >= jsonwire.MaxNesting && e.tooDeep(b) {
		return b
	}
	start := len(b)
	if e.unsorted {
		for k, v := range m {
			b = jsonwire.AppendString(append(e.mapKey(b, k), ':'), v, e.style)
		}
	} else {
		e.strings = collect(e.strings[:0], m) // such maps are not inside each other
		e.order = sortPairs(e.order, e.strings)
		for _, x := range e.order[len(e.order)-len(e.strings):] {
			p := &e.strings[x.i]
			b = jsonwire.AppendString(append(e.mapKey(b, p.key), ':'), p.value, e.style)
		}
		e.order = e.order[:len(e.order)-len(e.strings)]
		e.strings = release(e.strings, len(e.strings))
	}
	b[start] = '{'
	return append(b, '}')
}

// anyMap appends m, the type of which is t.
func (e *encoder) anyMap(b []byte, t reflect.Type, m map[string]any) []byte {
	if len(m) == 0 {
		return emptyMap(b, m == nil && !e.v2)
	}
	of := loadPointer(pointer(&m))
	if !e.enter(b, t, of, 0) {
		return b
	}
	start := len(b)
	if e.unsorted {
		for k, v := range m {
			if b = e.any(append(e.mapKey(b, k), ':'), &v); e.err != nil {
				return b
			}
		}
	} else {
		n, places := len(e.anys), len(e.order)
		e.anys = collect(e.anys, m)
		pairs := e.anys[n:]
		e.order = sortPairs(e.order, pairs)
		for _, x := range e.order[places:] {
			p := &pairs[x.i]
			if b = e.any(append(e.mapKey(b, p.key), ':'), &p.value); e.err != nil {
				return b
			}
		}
		e.order = e.order[:places]
		e.anys = release(e.anys, len(pairs))
	}
	e.leave(t, of, 0)
	b[start] = '{'
	return append(b, '}')
}

func emptyMap(b []byte, isNil bool) []byte {
	if isNil {
		return append(b, "null"...)
	}
	return append(b, "{}"...)
}

// mapKey appends a comma and the key.
func (e *encoder) mapKey(b []byte, k string) []byte {
	return jsonwire.AppendString(append(b, ','), k, e.style)
}

// A mapValues has the values of the maps of one type that are being encoded, each inside the one
// before.
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
	m := valueAt(pl.typ, p)
	n := m.Len()
	if n == 0 {
		return emptyMap(b, m.IsNil() && !e.v2)
	}
	if !e.enter(b, pl.typ, loadPointer(p), 0) {
		return b
	}
	s := e.valuesOf(pl)
	from, names, places, texts := s.take(n), len(e.keys), len(e.order), len(e.texts)
	values := s.slice
	for it := m.MapRange(); len(e.keys) < names+n && it.Next(); {
		s.key.SetIterKey(it)
		name, err := e.keyText(pl.key, s.key)
		if err != nil {
			e.err = fmt.Errorf("json: encoding error for type %q: %q", pl.typ.String(), err.Error()) // as encoding/json has it
			return b
		}
		values.Index(from + len(e.keys) - names).SetIterValue(it)
		e.keys = append(e.keys, pair[struct{}]{key: name})
	}
	s.key.SetZero()
	keys := e.keys[names:]
	if e.unsorted {
		for i := range keys {
			e.order = append(e.order, place{i: i})
		}
	} else {
		e.order = sortPairs(e.order, keys)
	}
	start := len(b)
	for _, x := range e.order[places:] {
		b = append(e.mapKey(b, keys[x.i].key), ':')
		if b = e.value(b, pl.elem, placeOf(values.Index(from+x.i))); e.err != nil {
			return b
		}
	}
	b[start] = '{'
	e.order = e.order[:places]
	e.keys = release(e.keys, len(keys))
	e.texts = e.texts[:texts]
	for i := range n {
		values.Index(from + i).SetZero()
	}
	s.used -= n
	e.leave(pl.typ, loadPointer(p), 0)
	return append(b, '}')
}

// keyText returns the text of a key. Only the first version of encoding/json has keys with methods
// encoded here.
func (e *encoder) keyText(op keyOp, k reflect.Value) (string, error) {
	start := len(e.texts)
	switch op {
	case keyString:
		return k.String(), nil
	case keyInt:
		e.texts = strconv.AppendInt(e.texts, k.Int(), 10)
	case keyUint:
		e.texts = strconv.AppendUint(e.texts, k.Uint(), 10)
	case keyText:
		e.calls++
		text, err := k.Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err
	}
	return asString(e.texts[start:]), nil // the bytes stay, even if texts moves
}
