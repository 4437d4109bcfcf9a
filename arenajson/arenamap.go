package arenajson

import (
	"reflect"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

// An arena.Map is decoded and encoded by way of a map of Go, as by its own methods for
// encoding/json. So it has the same entries and the same errors. Here that map is used again, and
// what the entries need lies in the arena.

// An arenaMap is a *arena.Map of any types.
type arenaMap interface {
	Len() int
	CopyFrom(a *arena.Arena, entries any)
	CopyTo(entries any)
}

// goMapOf returns the type of the map of Go with the keys and values of t, if t is an arena.Map.
func goMapOf(t reflect.Type) (reflect.Type, bool) {
	if t.PkgPath() != reflect.TypeFor[arena.Arena]().PkgPath() || !strings.HasPrefix(t.Name(), "Map[") {
		return nil, false
	}
	get, _ := reflect.PointerTo(t).MethodByName("Get") // func (m *Map[K, V]) Get(k K) (v V, ok bool)
	return reflect.MapOf(get.Type.In(1), get.Type.Out(0)), true
}

// spareMaps are maps of Go of one type, which are empty. Any goroutine may use them.
type spareMaps struct {
	typ  reflect.Type
	pool sync.Pool
}

// take returns a pointer to a map.
func (s *spareMaps) take() any {
	if m := s.pool.Get(); m != nil {
		return m
	}
	m := reflect.New(s.typ)
	m.Elem().Set(reflect.MakeMap(s.typ))
	return m.Interface()
}

// give takes a map back. A large one is left to the collector: to clear it would take its time each
// time.
func (s *spareMaps) give(m any) {
	if v := reflect.ValueOf(m).Elem(); v.Len() <= maxScratch {
		v.Clear()
		s.pool.Put(m)
	}
}

// arenaMap decodes an object into an arena.Map that has no entries yet.
func (d *decoder) arenaMap(p *plan, to pointer, i int) int {
	m := pointerAt(p.typ, to).Interface().(arenaMap)
	if m.Len() > 0 || p.elem.op != intoMap {
		return -1
	}
	if d.text.IsNull(i) {
		return i + 4
	}
	entries := p.spare.take()
	numbers, strict, ints := d.opt.UseNumber, d.opt.DisallowUnknownFields, d.opt.PreserveInts
	d.opt.PreserveInts = ints && d.opt.V2 // nobody tells UnmarshalJSON
	if !onV2 {
		d.opt.UseNumber, d.opt.DisallowUnknownFields = false, false // the first version of encoding/json does not tell UnmarshalJSON
	}
	end := d.entries(p.elem, addressOf(reflect.ValueOf(entries)), i)
	d.opt.UseNumber, d.opt.DisallowUnknownFields, d.opt.PreserveInts = numbers, strict, ints
	if end >= 0 && d.err == nil {
		m.CopyFrom(d.a, entries)
		p.spare.give(entries)
	}
	return end
}

// arenaMap appends the arena.Map at p.
func (e *encoder) arenaMap(b []byte, pl *encodePlan, p pointer) []byte {
	entries := pl.spare.take()
	pointerAt(pl.typ, p).Interface().(arenaMap).CopyTo(entries)
	start, calls := len(b), e.calls
	if b = e.value(b, pl.elem, addressOf(reflect.ValueOf(entries))); e.err != nil {
		return e.arenaMapError(b[:start], pl, p, e.calls > calls)
	}
	pl.spare.give(entries)
	return b
}
