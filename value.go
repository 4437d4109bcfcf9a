package arena

import (
	"fmt"
	"reflect"
)

// NewValue returns a pointer, of type reflect.PointerTo(t), to a new zero value
// of type t in a: [New] for a type known at run time only, and the counterpart of
// reflect.ArenaNew. NewValue(nil, t) is reflect.New(t).
func NewValue(a *Arena, t reflect.Type) reflect.Value {
	if t == nil {
		panic("arena: NewValue: the type is nil")
	}
	if a == nil {
		return reflect.New(t)
	}
	return storeOf(a, t).newValue()
}

// MakeSliceValue returns a slice of type t, which must be a slice type, in a:
// [MakeSlice] for a type known at run time only, and reflect.MakeSlice in an arena.
// MakeSliceValue(nil, t, len, cap) is reflect.MakeSlice(t, len, cap).
func MakeSliceValue(a *Arena, t reflect.Type, len, cap int) reflect.Value {
	if t == nil || t.Kind() != reflect.Slice {
		panic(fmt.Sprintf("arena: MakeSliceValue: %v is not a slice type", t))
	}
	elem := t.Elem()
	checkLen(len, cap, int(elem.Size()))
	if a == nil {
		return reflect.MakeSlice(t, len, cap)
	}
	var v reflect.Value
	switch s := storeOf(a, elem); {
	case cap == 0:
		return reflect.MakeSlice(t, 0, 0)
	case kindOf(elem) == kindTyped:
		v = s.sliceValue(cap)
	default:
		if elem.Size() == 0 {
			v = reflect.MakeSlice(t, cap, cap)
		} else {
			v = valuesOf(elem, a.stores.plain.alloc(s.common(), cap*int(elem.Size()), elem.Align()), cap)
		}
		s.common().activate(s)
		s.common().plainItems += cap
	}
	return v.Slice(0, len).Convert(t)
}

// reflected is the block of a type known at run time only: a slice.
type reflected struct{ reflect.Value }

func (r reflected) make(n int) reflected  { return reflected{reflect.MakeSlice(r.Type(), n, n)} }
func (r reflected) slots() int            { return r.Len() }
func (r reflected) elem() reflect.Type    { return r.Type().Elem() }
func (r reflected) clear(from, to int)    { r.Slice(from, to).Clear() }
func (r reflected) first(n int) reflected { return reflected{r.Slice3(0, n, n)} }

func newValueSlab(t reflect.Type) *valueSlab {
	s := &valueSlab{elem: t, proto: reflected{reflect.Zero(reflect.SliceOf(t))}}
	s.chunks.size = int(t.Size())
	return s
}

// A valueSlab is what Slab[T] is, for a T known at run time only. It has no fast
// path, and hands out all values from the start of its chunks.
type valueSlab struct {
	base
	elem   reflect.Type
	proto  reflected
	off    int // slots of the current chunk handed out
	chunks chunks[reflected]
	done   int // values handed out since the last Reset in other chunks
}

func (s *valueSlab) newValue() reflect.Value { return s.sliceValue(1).Index(0).Addr() }

func (s *valueSlab) sliceValue(n int) reflect.Value {
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	s.stores.arena.check()
	s.activate(s)
	c := &s.chunks
	if len(c.list) == 0 || n > c.list[c.cur].slots()-s.off {
		if c.isLarge(n) {
			v := c.slice(s.stores, s.proto, n, false)
			s.done += n
			s.stores.grown(nil, 0)
			handOut(v, c.size)
			return v.Value
		}
		c.next(s.stores, s.proto, n, false)
		s.done += s.off
		s.off = 0
		s.stores.grown(nil, 0)
	}
	v := reflected{c.list[c.cur].Slice3(s.off, s.off+n, s.off+n)}
	s.off += n
	if sanitizing {
		handOut(v, c.size)
		zone := min(zone(c.size), c.list[c.cur].slots()-s.off)
		s.off += zone
		s.zones.add(zone)
	}
	return v.Value
}

func (s *valueSlab) used() (count int, bytes int64) {
	count = s.done + s.off - s.zones.slots()
	return count, int64(count) * int64(s.chunks.size)
}

func (s *valueSlab) reset() (bytes int64, active bool) {
	count, bytes := s.used()
	s.isActive = count > 0 || s.plainItems > 0
	if count > 0 {
		to := 0
		if len(s.chunks.list) > 0 {
			to = s.chunks.list[s.chunks.cur].slots()
		}
		s.chunks.reset(false, s.off, to)
	}
	s.off, s.done, s.plainItems = 0, 0, 0
	return bytes, s.isActive
}

func (s *valueSlab) trim(how trimming, excess int64) {
	if s.done+s.off == 0 && how == trimUnused {
		how = trimAll
	}
	s.chunks.trim(s.stores, how, excess)
}

func (s *valueSlab) free() int64 {
	count, bytes := s.used()
	s.off, s.done = 0, 0
	s.chunks.free(count)
	return bytes
}

func (s *valueSlab) held() (bytes int64, count int) { return s.chunks.bytes, s.chunks.count() }
func (s *valueSlab) typ() reflect.Type              { return s.elem }
