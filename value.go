package arena

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/tools"
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
		zone := min(tools.Zone(c.size), s.slots-s.off)
		s.off += zone
		s.zones.Add(zone)
	}
	return v.at
}

// use makes chunk, which is all zero, the current one.
func (s *valueSlab) use(chunk block) { s.at, s.off, s.slots = chunk.at, 0, chunk.n }

// rest is use of no chunk: the next value is asked of the arena.
func (s *valueSlab) rest() { s.at, s.off, s.slots = pointer{}, 0, 0 }

func (s *valueSlab) used() (count int, bytes int64) {
	count = s.done + s.off - s.zones.Slots()
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

func (s *valueSlab) release(which spare, excess int64) {
	if s.done+s.off == 0 && which == spareUnused {
		which = spareAll
	}
	defer func() { // also when a Memory panics
		if len(s.chunks.list) == 0 {
			s.rest()
		}
	}()
	s.chunks.release(s.stores, which, excess)
}

func (s *valueSlab) releaseAll() int64 {
	count, bytes := s.used()
	s.chunks.releaseAll(max(count, s.most))
	s.rest()
	s.done, s.most = 0, 0
	s.isActive, s.plainItems, s.zones = false, 0, tools.Zones{}
	return bytes
}

func (s *valueSlab) typ() reflect.Type { return s.elem }

// Box returns v in an interface, as any(v) does, with the value in a. The compiler puts such a value on the heap, each
// time. Box(a, v) == any(v), and type switches, reflect and package fmt see no difference.
//
// The value is valid until a is Reset, as a value of [New] is. From then on the interface shows an old or a newer
// value of type T. So it must not be a key of a map that lives longer. What v refers to stays where it is: Box(a, s)
// of a string s does not copy its text.
//
// Where any(v) needs no memory, Box is any(v): of pointers, maps, channels and funcs, of what is no longer than a
// byte, of integers below 256, and of interfaces. Box(nil, v) is any(v). Otherwise Box panics as New does.
func Box[T any](a *Arena, v T) any {
	if a == nil {
		return v
	}
	return boxIn(a, v)
}

// boxIn is not inlined, so that Box is.
//
//go:noinline
func boxIn[T any](a *Arena, v T) any {
	if mem.SizeOf[T]() <= 1 || isSmallWord(v) || isInterface[T]() {
		return v
	}
	return boxOf(Ptr(a, v))
}

// isInterface tells whether T is an interface type. Of most types their size tells it, without a look at the type.
func isInterface[T any]() bool {
	return mem.SizeOf[T]() == mem.SizeOf[any]() && reflect.TypeFor[T]().Kind() == reflect.Interface
}
