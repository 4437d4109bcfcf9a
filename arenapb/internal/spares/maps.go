package spares

import (
	"reflect"
	"sync"
)

// Maps has maps of Go.
type Maps struct{ set Set[reflect.Value] }

// A Map is the kind of maps of one Go type.
type Map struct {
	Number int // it depends on nothing but the type
	typ    reflect.Type
}

// Small is the maximum number of entries of a map that is reused. Go stores this number of entries
// in one group.
const Small = 8

var (
	mu    sync.Mutex
	kinds = map[reflect.Type]*Map{} // guarded by mu
)

// MapOf returns the kind of maps of type t. Goroutines may call it at the same time.
func MapOf(t reflect.Type) *Map {
	mu.Lock()
	defer mu.Unlock()
	m := kinds[t]
	if m == nil {
		m = &Map{len(kinds), t}
		kinds[t] = m
	}
	return m
}

// Make returns an empty map with room for n entries, which is in use until Reset or Leave.
func (s *Maps) Make(m *Map, n int) reflect.Value {
	if n > Small {
		return reflect.MakeMapWithSize(m.typ, n)
	}
	return s.set.Take(m.Number, m)
}

// Reset is Reset of a Set.
func (s *Maps) Reset(again bool) { s.set.Reset(again) }

// Leave is Leave of a Set.
func (s *Maps) Leave() { s.set.Leave() }

// New returns a map for a few entries.
func (m *Map) New() reflect.Value { return reflect.MakeMap(m.typ) }

// Empty empties v, unless that has more than a few entries.
func (m *Map) Empty(v reflect.Value) bool {
	if v.Len() > Small {
		return false
	}
	v.Clear()
	return true
}
