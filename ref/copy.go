package ref

import (
	"fmt"
	"iter"
	"reflect"
	"sync"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/swiss"
)

// Copy copies the value at src, and all that its references lead to, from the Space from into the
// Space to, and sets *dst to the copy. It is how data that changed for a long time gets rid of what
// it left behind: an arena gives nothing back before its Reset, neither what was deleted nor the
// former memory of lists and maps that have grown.
//
//	fresh := arena.NewArena()
//	ref.Copy(ref.In(fresh), &compact, ref.In(old), &index)
//	old.Free()
//
// What several references lead to is copied once: the copy has the same shape, with cycles. Maps,
// trees and lists are built anew, with the room that they need. Lists that share their elements
// share them in the copy, but for the first one that is found, if others are longer. A reference in
// a key leads to the copy, too. Numbers from [Of.Offset] mean nothing in the new Space.
//
// Both values may lie anywhere, and be the same. Otherwise nothing of src and of from is changed. T
// is a plain type, as for [Of].
//
// Copy panics as [New] and [Of.Get] do. It also panics if T is not a plain type or has a type
// derived from a type of references. It panics if the references lead to more than there is in
// from: from is damaged then. After a panic *dst is as it was, and what was copied stays in to
// until the Reset of its arena. Copy needs some 50 bytes of the heap for each reference while it
// runs.
func Copy[T any](to Space, dst *T, from Space, src *T) {
	mustBePlain[T]("Copy")
	region.Open(to.at)
	region.Open(from.at)
	c := &copying{to: to, from: from, made: map[place]uint32{}, lists: map[place]listCopy{}, left: region.Limit(from.at)}
	v := *src
	copyIn(c, &v)
	for len(c.todo) > 0 {
		last := len(c.todo) - 1
		next := c.todo[last]
		c.todo = c.todo[:last]
		next()
	}
	*dst = v
}

// A copying is one call of Copy.
type copying struct {
	to, from Space
	made     map[place]uint32 // what was copied, and where to
	lists    map[place]listCopy
	todo     []func() // values that were copied, and have references to what was not
	left     int64    // bytes of from that may still be copied
	inKey    bool     // what is being copied is a part of a key, which must differ from other keys
}

// A place is where values of a type are.
type place struct {
	typ      reflect.Type
	off, len uint32
}

// copied is implemented by pointers to the types of references, and to what is built of them.
type copied interface {
	// is returns the type itself: a struct has the methods of what it embeds.
	is() reflect.Type
	// copyTo makes the value one of c.to with what it has in c.from.
	copyTo(c *copying)
}

// once copies what lies at a place, if that was not done yet, and returns the reference to it. It
// has size bytes.
func (c *copying) once(typ reflect.Type, off, n uint32, size int64, make func() uint32) uint32 {
	place := place{typ, off, n}
	to, ok := c.made[place]
	if !ok {
		c.take(size)
		to = make()
		c.made[place] = to
	}
	return to
}

// take counts size bytes that are about to be copied.
func (c *copying) take(size int64) {
	if c.left -= size; c.left < 0 {
		panic("ref: Copy: the references lead to more than there is in the arena that they are of: it is damaged, or they overlap")
	}
}

// copyIn makes the references in what p points at, which was copied from c.from, refer to c.to.
func copyIn[T any](c *copying, p *T) {
	if hasRefs(reflect.TypeFor[T]()) {
		c.walk(reflect.ValueOf(p).Elem())
	}
}

func (c *copying) walk(v reflect.Value) {
	if !hasRefs(v.Type()) {
		return
	}
	if r := copiedAt(v); r != nil {
		r.copyTo(c)
		return
	}
	if v.Kind() == reflect.Array {
		for i := range v.Len() {
			c.walk(v.Index(i))
		}
		return
	}
	for i := range v.NumField() {
		c.walk(v.Field(i))
	}
}

// copiedAt returns v as what it is, or nil if it is no reference, and nothing that is built of
// references.
func copiedAt(v reflect.Value) copied {
	if r, ok := mem.Addressable(v).Interface().(copied); ok && r.is() == v.Type() {
		return r
	}
	return nil
}

var (
	typesWithRefs sync.Map // of reflect.Type to bool
	notTextType   = reflect.TypeFor[notText]()
)

// hasRefs tells whether there are references in a value of type t, which is plain.
func hasRefs(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasRefs(t.Elem())
	case reflect.Struct:
	default:
		return false
	}
	if has, ok := typesWithRefs.Load(t); ok {
		return has.(bool)
	}
	has := copiedAt(reflect.New(t).Elem()) != nil
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == notTextType && !has {
			panic(fmt.Sprintf("ref: Copy: %v is derived from a type of references, and so unknown: use that type itself, or embed it in a struct", t))
		}
		has = has || hasRefs(f.Type)
	}
	typesWithRefs.Store(t, has)
	return has
}

func (*Of[T]) is() reflect.Type       { return reflect.TypeFor[Of[T]]() }
func (*Slice[T]) is() reflect.Type    { return reflect.TypeFor[Slice[T]]() }
func (*String) is() reflect.Type      { return reflect.TypeFor[String]() }
func (*List[T]) is() reflect.Type     { return reflect.TypeFor[List[T]]() }
func (*Map[K, V]) is() reflect.Type   { return reflect.TypeFor[Map[K, V]]() }
func (*TextMap[V]) is() reflect.Type  { return reflect.TypeFor[TextMap[V]]() }
func (*Tree[K, V]) is() reflect.Type  { return reflect.TypeFor[Tree[K, V]]() }
func (*TextTree[V]) is() reflect.Type { return reflect.TypeFor[TextTree[V]]() }

// move moves the container at from, which is not used any more.
func move[T any](to, from *T) { *to = *from }

func (r *Of[T]) copyTo(c *copying) {
	if r.IsNil() {
		return
	}
	r.off = c.once(r.is(), r.off, 1, int64(mem.SizeOf[T]()), func() uint32 {
		old := r.Get(c.from)
		to, p := New[T](c.to)
		*p = *old
		if hasRefs(reflect.TypeFor[T]()) {
			c.todo = append(c.todo, func() { copyIn(c, p) })
		}
		return to.off
	})
}

func (s *Slice[T]) copyTo(c *copying) {
	if s.len == 0 {
		*s = Slice[T]{}
		return
	}
	s.off = c.once(s.is(), s.off, s.len, int64(s.len)*int64(mem.SizeOf[T]()), func() uint32 {
		old := s.Get(c.from)
		to, all := NewSlice[T](c.to, len(old))
		copy(all, old)
		if hasRefs(reflect.TypeFor[T]()) {
			c.todo = append(c.todo, func() {
				for i := range all {
					copyIn(c, &all[i])
				}
			})
		}
		return to.off
	})
}

func (s *String) copyTo(c *copying) {
	if s.len == 0 {
		*s = String{}
		return
	}
	s.off = c.once(s.is(), s.off, s.len, int64(s.len), func() uint32 { return NewString(c.to, s.Get(c.from)).off })
}

// A listCopy is the copy of the lists that share a room: where it is, how many elements it has, and
// how many it has room for.
type listCopy struct{ off, n, room uint32 }

// copyTo copies the elements that were not copied yet. Lists that share their room, as the copies
// of one that grows do, share the room of the longest list. If the first list that is found is
// shorter, it has a room of its own: most lists are alone, and get as much as they need. An empty
// list gets none, except in a key, where it differs from lists with another room.
func (l *List[T]) copyTo(c *copying) {
	n, place := uint32(l.Len()), place{l.is(), l.room.off, l.room.len}
	if n == 0 && (!c.inKey || l.room.len == 0) {
		*l = List[T]{}
		return
	}
	done := c.lists[place]
	if n > done.n || done.room == 0 {
		old, from := l.Get(c.from), done.n
		if n > done.room || done.room == 0 {
			room := max(n, 1)
			if done.n > 0 {
				room = place.len
			}
			c.take(int64(room-done.n) * int64(mem.SizeOf[T]()))
			to, _ := NewSlice[T](c.to, int(room))
			done.off, done.room, from = to.off, room, 0
		}
		all := Slice[T]{off: done.off, len: done.room}.Get(c.to)[from:n]
		copy(all, old[from:])
		if hasRefs(reflect.TypeFor[T]()) {
			c.todo = append(c.todo, func() {
				for i := range all {
					copyIn(c, &all[i])
				}
			})
		}
		done.n = n
		c.lists[place] = done
	}
	l.room, l.n = Slice[T]{off: done.off, len: done.room}, n
}

func (m *Map[K, V]) copyTo(c *copying) {
	var fresh Map[K, V]
	growFor(c, &m.tables, &fresh)
	copyEntries(c, m, &fresh, func(int, K) int { return 0 })
	move(m, &fresh)
}

func (m *TextMap[V]) copyTo(c *copying) {
	var fresh TextMap[V]
	growFor(c, &m.tables, &fresh)
	copyEntries(c, m, &fresh, func(_ int, k string) int { return len(k) })
	move(m, &fresh)
}

func (t *Tree[K, V]) copyTo(c *copying) {
	var fresh Tree[K, V]
	copyEntries(c, t, &fresh, func(i int, _ K) int { return leafFor[K, V](i) })
	move(t, &fresh)
}

func (t *TextTree[V]) copyTo(c *copying) {
	var fresh TextTree[V]
	copyEntries(c, t, &fresh, func(i int, k string) int { return leafFor[treeText, V](i) + len(k) })
	move(t, &fresh)
}

// growFor makes room in fresh for the entries of old. It counts the tables of old, which may have
// room for seven times the entries or more. The number of entries of a damaged map may be any, so
// survey comes first.
func growFor[K comparable, V any](c *copying, old *tables[K, V], fresh interface{ Grow(Space, int) }) {
	if old.n > 0 {
		c.take(int64(old.survey(c.from, 0)) * int64(mem.SizeOf[swiss.Group[K, V]]()))
		fresh.Grow(c.to, int(old.n))
	}
}

// leafFor returns the bytes of a leaf, if one is made for the entry i of a tree that is built in
// order, and otherwise 0.
func leafFor[K, V any](i int) int {
	if i%leafSize != 0 {
		return 0
	}
	return mem.SizeOf[treeLeaf[K, V]]()
}

// copyEntries sets in fresh, which is in c.to, what old has in c.from. The entry i takes size
// bytes, if there is no room for it already.
func copyEntries[K, V any](c *copying, old, fresh interface {
	All(Space) iter.Seq2[K, V]
	Set(Space, K, V)
}, size func(i int, k K) int) {
	i, inKey := 0, c.inKey
	for k, v := range old.All(c.from) {
		c.take(int64(size(i, k)))
		c.inKey = true
		copyIn(c, &k)
		c.inKey = false
		copyIn(c, &v)
		fresh.Set(c.to, k, v)
		i++
	}
	c.inKey = inKey
}
