package arena

import (
	"fmt"
	"reflect"
)

// NewValue returns a pointer, of type reflect.PointerTo(t), to a new zero value of type t in a. It is [New] for a
// type known only at run time, and the counterpart of reflect.ArenaNew. It panics when t is nil, and as New does.
// NewValue(nil, t) is reflect.New(t).
func NewValue(a *Arena, t reflect.Type) reflect.Value {
	if t == nil {
		panic("arena: NewValue: the type is nil")
	}
	if a == nil {
		return reflect.New(t)
	}
	return storeOf(a, t).newValue()
}

// MakeSliceValue returns a slice of the slice type t in a. It is [MakeSlice] for a type known only at run time,
// and reflect.MakeSlice in an arena. It panics when t is not a slice type, and as MakeSlice does.
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
			s.common().plainItems += cap
		} else {
			v = sliceValueAt(elem, a.stores.plain.alloc(s.common(), cap, int(elem.Size()), elem.Align()), cap)
		}
		s.common().activate(s)
	}
	return v.Slice(0, len).Convert(t)
}

func newValueSlab(t reflect.Type) *valueSlab {
	s := &valueSlab{elem: t}
	s.view = newView(t)
	s.chunks.size, s.chunks.tight = int(t.Size()), true
	return s
}

// A valueSlab is what Slab[T] is, for a T known at run time only. It hands out all values from the start of its chunks.
type valueSlab struct {
	// at is where the current chunk begins, of slots slots, of which off have been handed out; the others are zero.
	at         pointer
	off, slots int

	base
	elem reflect.Type
	view *view
	done int // values handed out since the last Reset in other chunks
	most int // values handed out at one time, if Shrink took some back
}

func (s *valueSlab) newValue() reflect.Value        { return valueAt(s.elem, s.slice(1)) }
func (s *valueSlab) sliceValue(n int) reflect.Value { return sliceValueAt(s.elem, s.slice(n), n) }

// slice returns where n > 0 zero values lie side by side in the slab.
func (s *valueSlab) slice(n int) pointer {
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	s.stores.check()
	s.activate(s)
	c := &s.chunks
	if s.at.isNil() && len(c.list) > 0 {
		s.use(c.list[c.cur])
	}
	if n > s.slots-s.off {
		if c.isLarge(n) {
			v := c.slice(s.stores, s.view, n, false)
			s.done += n
			s.stores.grown(nil, 0)
			handOut(v, c.size)
			return v.at
		}
		chunk := c.next(s.stores, s.view, n, false)
		s.done += s.off
		s.use(chunk)
		s.stores.grown(nil, 0)
	}
	v := c.list[c.cur].part(s.off, s.off+n, c.size)
	s.off += n
	if sanitizing {
		handOut(v, c.size)
		zone := min(zone(c.size), s.slots-s.off)
		s.off += zone
		s.zones.add(zone)
	}
	return v.at
}

// use makes chunk, which is all zero, the current one.
func (s *valueSlab) use(chunk block) { s.at, s.off, s.slots = chunk.at, 0, chunk.n }

// rest is use of no chunk: the next value is asked of the arena.
func (s *valueSlab) rest() { s.at, s.off, s.slots = pointer{}, 0, 0 }

func (s *valueSlab) used() (count int, bytes int64) {
	count = s.done + s.off - s.zones.slots()
	return count, int64(count) * int64(s.chunks.size)
}

func (s *valueSlab) reset() (bytes int64, active bool) {
	count, bytes := s.used()
	from, to := s.off, s.slots
	if from > 0 && s.done == 0 && s.chunks.resetOne() {
		// The usual small arena: only one chunk was used.
		s.off, s.most, s.plainItems = 0, 0, 0
		s.view.zero(block{s.at, from})
		return bytes, true
	}
	s.isActive = count > 0 || s.plainItems > 0
	s.rest()
	if count > 0 {
		if chunk, ok := s.chunks.reset(s.view, false, from, to); ok {
			s.use(chunk)
		}
	}
	s.done, s.most, s.plainItems = 0, 0, 0
	return bytes, s.isActive
}

func (s *valueSlab) trim(how trimming, excess int64) {
	if s.done+s.off == 0 && how == trimUnused {
		how = trimAll
	}
	defer func() { // also when a Memory panics
		if len(s.chunks.list) == 0 {
			s.rest()
		}
	}()
	s.chunks.trim(s.stores, how, excess)
}

func (s *valueSlab) free() int64 {
	count, bytes := s.used()
	s.chunks.free(max(count, s.most))
	s.rest()
	s.done, s.most = 0, 0
	s.isActive, s.plainItems, s.zones = false, 0, zones{}
	return bytes
}

func (s *valueSlab) typ() reflect.Type { return s.elem }
