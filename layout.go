package arena

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// A layout describes one object of the Go heap in which the first chunks of a new arena lie side by side. Such an
// arena takes one allocation, where a chunk for each type takes as many as there are types.
//
// The type of the object is a struct with an array for each of the types. Package reflect makes it, so the collector
// knows what is in the object (fact 1), and the chunks are chunks like others. One value keeps the whole object.
//
// Stores learn their layout from the arenas that they have served: see finish. A layout is for arenas without options
// only: what fits into a limit must not depend on what other arenas needed.
//
// Invariants: active[:len(parts)] of the stores are those with a part, in this order; bytes is the sum of the bytes of
// all parts. While no arena has the stores, each of these has one chunk, without memory, and is active.
type layout struct {
	object *view // the type of the object
	parts  []part
	plain  part // of the plain memory
	bytes  int64

	uses int // arenas that began with it in this trial,
	poor int // and those of them that it did not suit
}

// A part is where the first chunk of a store lies in the object.
type part struct{ offset, slots int }

const (
	maxLayout  = 8 << 10 // bytes of an object
	maxLayouts = 256     // in the program: Go never frees a type
	trial      = 32      // arenas after which a layout is judged
	maxWait    = 511     // arenas without a layout before the next, less one
)

// begin gives the stores with a part their chunk in a new object.
func (st *stores) begin() {
	if st.watched() {
		st.endLayout()
		return
	}
	l := st.layout
	object := l.object.make(1)
	for i, p := range l.parts {
		st.active[i].begin(object.in(p.offset, p.slots))
	}
	if p := l.plain; p.slots > 0 {
		mem := object.in(p.offset, p.slots)
		st.plain.chunks.first[0] = mem
		st.plain.use(slotsOf[byte](mem), 0)
	}
	st.reserved = l.bytes
}

func (s *slab) begin(part block) {
	s.chunks.first[0] = part
	s.use(part)
}

func (s *valueSlab) begin(part block) {
	s.chunks.first[0] = part
	s.use(part)
}

// finish is drop for stores that began with a layout, which it keeps if it suits the arenas: if most of them needed no
// more, and half of it.
func (st *stores) finish() (used int64) {
	l := st.layout
	suits := true
	for i, s := range st.active {
		if i >= len(l.parts) { // one whose slices lie in the plain memory needs no part
			suits = suits && s.common().chunks.bytes == 0
			used += s.free()
			st.active[i] = nil
			continue
		}
		bytes, ok := s.finish(l.parts[i].slots)
		used += bytes
		suits = suits && ok
	}
	st.active = st.active[:len(l.parts)]
	used += st.plain.bytes
	if p := &st.plain; l.plain.slots > 0 && p.chunks.isOne() {
		p.chunks.first[0] = block{}
		p.use(nil, 0)
		p.bytes, p.text = 0, counter{}
	} else if p.chunks.bytes > 0 {
		suits = false
		p.free()
		if n := l.plain.slots; n > 0 {
			p.chunks.prepare(n)
		}
	}
	st.release(st.reserved)
	l.uses++
	if !suits || used < l.bytes/2 {
		l.poor++
	}
	if l.uses >= trial {
		if l.poor > trial/4 {
			st.endLayout()
		}
		l.uses, l.poor = 0, 0
	}
	return used
}

func (s *slab) finish(slots int) (used int64, suited bool) {
	if !s.chunks.isOne() {
		used = s.free()
		s.prepare(slots)
		return used, false
	}
	used = int64(slots-s.n) * int64(s.chunks.size)
	s.chunks.first[0] = block{}
	s.use(block{})
	s.plainItems = 0
	return used, true
}

func (s *valueSlab) finish(slots int) (used int64, suited bool) {
	if !s.chunks.isOne() {
		used = s.free()
		s.prepare(slots)
		return used, false
	}
	used = int64(s.off) * int64(s.chunks.size)
	s.chunks.first[0] = block{}
	s.rest()
	s.most, s.plainItems = 0, 0
	return used, true
}

func (b *base) prepare(slots int) { b.isActive = true; b.chunks.prepare(slots) }

// isOne tells whether there is only the chunk that was there at the begin.
func (c *chunks) isOne() bool { return len(c.list) == 1 && c.large == nil }

// prepare makes c, which is empty, have one chunk of so many slots, whose memory is still to come.
func (c *chunks) prepare(slots int) {
	c.hint = 0
	c.list = c.first[:]
	c.bytes = int64(slots) * int64(c.size)
}

// endLayout makes the stores, which no arena has used yet, do without their layout.
func (st *stores) endLayout() {
	st.layout = nil
	for _, s := range st.active {
		s.free()
	}
	clear(st.active)
	st.active = st.active[:0]
	st.plain.free()
}

// learn is told that an arena without a layout was freed, with so many bytes in use. It makes a layout when as many
// arenas as it waits for were alike: the fewest bytes at least half of the most. It waits longer each time.
func (st *stores) learn(used int64) {
	if !st.simple || st.watched() {
		return
	}
	l := &st.lessons
	if l.count == 0 {
		l.least = used
	}
	l.count++
	l.least, l.most = min(l.least, used), max(l.most, used)
	if l.count <= l.wait {
		return
	}
	if l.least >= l.most/2 {
		st.newLayout()
	}
	*l = lessons{wait: min(2*l.wait+1, maxWait)}
}

// lessons are what stores have learnt since they had a layout.
type lessons struct {
	wait, count int   // arenas to wait for, less one, and arenas that there were
	least, most int64 // bytes in use
}

// newLayout makes the layout for arenas like the last one, unless that had only text, or there are too many layouts.
// The stores are empty. The hints of their chunks tell what the last arena needed.
func (st *stores) newLayout() {
	type wish struct {
		store
		slots, bytes int
	}
	wishes := make([]wish, 0, len(st.all))
	for _, s := range st.all {
		if c := &s.common().chunks; c.hint > 0 && c.size > 0 {
			n := roundUp(int(c.hint))
			wishes = append(wishes, wish{s, n, n * c.size})
		}
	}
	// The smallest come first, which gain most. The order does not depend on that of the stores.
	slices.SortFunc(wishes, func(v, w wish) int {
		return cmp.Or(cmp.Compare(v.bytes, w.bytes), cmp.Compare(v.common().id, w.common().id))
	})
	plain := (roundUp(int(st.plain.chunks.hint)) + 7) &^ 7
	sum := plain
	for i, w := range wishes {
		if sum += w.bytes; sum > maxLayout {
			sum -= w.bytes
			wishes = wishes[:i]
			break
		}
	}
	if len(wishes) == 0 {
		return
	}
	key := binary.LittleEndian.AppendUint64(nil, uint64(plain))
	for _, w := range wishes {
		key = binary.LittleEndian.AppendUint64(key, uint64(w.common().id))
		key = binary.LittleEndian.AppendUint64(key, uint64(w.slots))
	}
	t := layoutType(string(key), func() (fields []reflect.StructField) {
		add := func(n int, t reflect.Type) {
			fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(len(fields)), Type: reflect.ArrayOf(n, t)})
		}
		for _, w := range wishes {
			add(w.slots, w.typ())
		}
		if plain > 0 { // A last field without bytes would get some, so that its address is in the object.
			add(plain/8, reflect.TypeFor[uint64]())
		}
		return fields
	})
	if t == nil {
		return
	}
	l := &layout{object: newView(t), bytes: int64(sum)}
	for i, w := range wishes {
		l.parts = append(l.parts, part{int(t.Field(i).Offset), w.slots})
		w.common().prepare(w.slots)
		st.active = append(st.active, w.store)
	}
	if plain > 0 {
		l.plain = part{int(t.Field(len(wishes)).Offset), plain}
		st.plain.chunks.prepare(plain)
	}
	st.layout = l
}

// layoutTypes are the types of the objects of all layouts, by what is in them.
var layoutTypes struct {
	sync.Mutex
	byKey map[string]reflect.Type
}

// layoutType returns the struct type for a key, with the given fields if it is new, or nil when there are too many.
func layoutType(key string, fields func() []reflect.StructField) reflect.Type {
	layoutTypes.Lock()
	defer layoutTypes.Unlock()
	t := layoutTypes.byKey[key]
	if t != nil || len(layoutTypes.byKey) >= maxLayouts {
		return t
	}
	if layoutTypes.byKey == nil {
		layoutTypes.byKey = map[string]reflect.Type{}
	}
	t = reflect.StructOf(fields())
	layoutTypes.byKey[key] = t
	return t
}

// roundUp returns n or a little more, so that there are few layouts: a number with three significant bits.
func roundUp(n int) int {
	step := 1
	for n/step > 8 {
		step *= 2
	}
	return (n + step - 1) &^ (step - 1)
}
