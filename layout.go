package arena

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// A layout describes one object of the Go heap in which the first chunks of a new arena lie side by
// side. Such an arena takes one allocation, where a chunk for each type takes as many as there are
// types.
//
// The type of the object is a struct with an array for each of the types. Package reflect makes it,
// so the collector knows what is in the object (fact 1), and the chunks are chunks like others. One
// value keeps the whole object. Where there is one chunk only, the object is that chunk.
//
// An object without pointers is words, and package reflect makes no type for it. Small ones are
// pieces of a larger object, which stores share out among the arenas that they serve, one after the
// other: no two arenas have the same piece. So most of these arenas make no object at all.
//
// Stores learn their layout from the arenas that they have served: see learn. A layout is for
// arenas without options only: what fits into a limit must not depend on what other arenas needed.
//
// Invariants: active[:len(parts)] of the stores are those with a part, in this order; bytes is the
// sum of the bytes of all parts. That is so until a Reset, after which the layout ends with the
// arena. While no arena has the stores, each of these has one chunk, without memory, and is active.
type layout struct {
	object slotType // makes the object,
	count  int      // as this many slots
	parts  []part
	plain  place // of the plain memory
	bytes  int64
	shares bool // the object is a piece, see stores.piece

	uses int // arenas that began with it in this trial,
	poor int // and how many of them it did not suit
}

// A place is where a chunk lies in the object.
type place struct{ offset, slots int }

// A part is the first chunk of a slab.
type part struct {
	place
	size int // of a slot
	slab *slab
}

// replace gives the part of s, if l has one, to t, which takes the place of s.
func (l *layout) replace(s, t *slab) {
	if l == nil {
		return
	}
	for i := range l.parts {
		if p := &l.parts[i]; p.slab == s {
			p.slab = t
		}
	}
}

const (
	maxLayout  = 8 << 10 // bytes of an object
	maxLayouts = 256     // in the program: Go never frees a type
	trial      = 32      // arenas after which a layout is judged
	maxWait    = 511     // arenas without a layout before the next, less one

	sharedWords = 2 << 10 / wordBytes // of an object that is shared out
	maxPiece    = sharedWords / 8     // so at most an eighth of it is left over
)

// wordSlots is the slotType of objects without pointers.
var wordSlots = slotTypeFor[uint64]()

// wordBytes is the size of a word, and no plain type is aligned to more.
const wordBytes = 8

// begin gives the stores with a part their chunk in a new object.
func (st *stores) begin() {
	l := st.layout
	var object block
	if to := st.pieces + l.count; l.shares && to <= st.shared.n {
		object = st.shared.part(st.pieces, to, wordBytes)
		st.pieces = to
	} else {
		object = l.make(st)
	}
	parts := l.parts
	for i := range parts {
		p := &parts[i]
		s, mem := p.slab, object.in(p.place)
		s.chunks.first[0].at, s.buf, s.n = mem.at, header{mem, mem.n}, mem.n // use, with one look at the write barrier
	}
	if l.plain.slots > 0 {
		mem := object.in(l.plain)
		st.plain.chunks.first[0].at = mem.at
		st.plain.use(slotsOf[byte](mem), 0)
	}
	st.reserved = l.bytes
}

// make returns a new object, or the first piece of new words that st share out, which nobody else
// has.
func (l *layout) make(st *stores) block {
	if !l.shares {
		return l.object.make(l.count)
	}
	st.shared, st.pieces = wordSlots.make(sharedWords), l.count
	return st.shared.part(0, l.count, wordBytes)
}

// releaseParts is releaseAll for stores that began with a layout, which it keeps if it suits the
// arenas: if most of them needed no more, and half of it.
func (st *stores) releaseParts() int64 {
	l := st.layout
	used := st.plain.bytes
	if len(st.active) > len(l.parts) {
		used += st.releaseActive(len(l.parts))
	}
	suits := st.reserved == l.bytes // then there is no other chunk
	if suits {
		parts := l.parts
		for i := range parts {
			p := &parts[i]
			s := p.slab
			used += int64((p.slots - s.n) * p.size)
			s.chunks.first[0].at, s.buf, s.n = pointer{}, header{}, 0
			s.chunks.hint, s.most, s.plainItems = 0, 0, 0
		}
		if p := &st.plain; p.buf != nil {
			p.chunks.first[0].at = pointer{}
			p.use(nil, 0)
			p.bytes, p.text = 0, counter{}
		}
	} else {
		for i, s := range st.active {
			used += s.releaseAll()
			s.prepare(l.parts[i].slots)
		}
		st.plain.releaseAll()
		if n := l.plain.slots; n > 0 {
			st.plain.chunks.prepare(n)
		}
	}
	st.reserved = 0 // and nobody else counts it: the arena has no options, and is not tracked any more
	l.uses++
	if !suits || 2*(used+plainSlack) < l.bytes {
		l.poor++
	}
	if l.uses >= trial {
		st.judge()
	}
	return used
}

// judge decides at the end of a trial whether the layout goes on.
func (st *stores) judge() {
	l := st.layout
	if l.poor > trial/4 {
		st.releaseLayout()
	}
	l.uses, l.poor = 0, 0
}

// releaseActive releases all of the stores active[from:], and takes them off the list.
func (st *stores) releaseActive(from int) (used int64) {
	for _, s := range st.active[from:] {
		used += s.releaseAll()
	}
	clear(st.active[from:])
	st.active = st.active[:from]
	return used
}

// prepare makes s active, with a chunk of n slots, whose memory is still to come.
func (s *slab) prepare(slots int) {
	s.isActive, s.full = true, slots
	s.chunks.prepare(slots)
}

// prepare gives c, which is empty, one chunk of n slots, whose memory is still to come.
func (c *chunks) prepare(slots int) {
	c.hint = 0
	c.first[0] = block{n: slots}
	c.list = c.first[:]
	c.bytes = int64(slots) * int64(c.size)
}

// releaseLayout makes the stores, which no arena has used yet, do without their layout.
func (st *stores) releaseLayout() {
	st.layout = nil
	for _, s := range st.active {
		s.full = 0
	}
	st.releaseActive(0)
	st.plain.releaseAll()
}

// learn notes that an arena without a layout was freed, with n bytes in use. It makes a layout when
// as many arenas as it waits for were alike: the fewest bytes at least half of the most. It waits
// longer each time.
func (st *stores) learn(used int64) {
	if st.unused != &unused.simple || st.watched() {
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

// newLayout makes the layout for arenas like the last one, unless there are too many layouts. The
// stores are empty. The hints of their chunks tell what the last arena needed.
func (st *stores) newLayout() {
	l := &layout{}
	for _, s := range st.all {
		if c := &s.chunks; c.hint > 0 && c.size > 0 {
			l.parts = append(l.parts, part{place{slots: roundUp(int(c.hint))}, c.size, s})
		}
	}
	// The smallest come first, which gain most. The order does not depend on the order of the
	// stores.
	slices.SortFunc(l.parts, func(v, w part) int {
		return cmp.Or(cmp.Compare(v.slots*v.size, w.slots*w.size), cmp.Compare(v.slab.id, w.slab.id))
	})
	l.plain.slots = (roundUp(int(st.plain.chunks.hint)) + 7) &^ 7
	l.bytes = int64(l.plain.slots)
	for i, p := range l.parts {
		if l.bytes += int64(p.slots * p.size); l.bytes > maxLayout {
			l.bytes -= int64(p.slots * p.size)
			l.parts = slices.Clone(l.parts[:i])
			break
		}
	}
	if !l.place() {
		return
	}
	for _, p := range l.parts {
		p.slab.prepare(p.slots)
		st.active = append(st.active, p.slab)
	}
	if n := l.plain.slots; n > 0 {
		st.plain.chunks.prepare(n)
	}
	st.layout = l
	if n := len(l.parts); n > 0 && st.slabs.find(l.parts[n-1].slab.id) != nil {
		st.last = l.parts[n-1].slab // what New asks for most is perhaps in the largest chunk
	}
}

// place finds out what the object is, and where the parts are in it. It reports false where there
// is no such object.
func (l *layout) place() bool {
	if l.isPlain() {
		return l.pack()
	}
	switch n := l.plain.slots; {
	case len(l.parts) > 1 || n > 0:
		t := l.typ()
		if t == nil {
			return false
		}
		l.object, l.count = slotTypeOf(t), 1
		for i := range l.parts {
			l.parts[i].offset = int(t.Field(i).Offset)
		}
		if n > 0 {
			l.plain.offset = int(t.Field(len(l.parts)).Offset)
		}
		return true
	}
	l.object, l.count = l.parts[0].slab.slots, l.parts[0].slots
	return true
}

// isPlain tells whether there are only values of plain types in the object.
func (l *layout) isPlain() bool {
	return !slices.ContainsFunc(l.parts, func(p part) bool { return kindOf(p.slab.typ()) != kindPlain })
}

// pack is place where the object is words.
func (l *layout) pack() bool {
	at := 0
	for i := range l.parts {
		p := &l.parts[i]
		p.offset = at * wordBytes
		at += (p.slots*p.size + wordBytes - 1) / wordBytes
	}
	l.plain.offset = at * wordBytes
	at += l.plain.slots / wordBytes
	l.object, l.count, l.shares = wordSlots, at, at <= maxPiece
	return at > 0
}

// typ returns the type of an object with several chunks, or nil when there are too many types.
func (l *layout) typ() reflect.Type {
	key := binary.LittleEndian.AppendUint64(nil, uint64(l.plain.slots))
	for _, p := range l.parts {
		key = binary.LittleEndian.AppendUint64(key, uint64(p.slab.id))
		key = binary.LittleEndian.AppendUint64(key, uint64(p.slots))
	}
	return layoutType(string(key), func() (fields []reflect.StructField) {
		add := func(n int, t reflect.Type) {
			fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(len(fields)), Type: reflect.ArrayOf(n, t)})
		}
		for _, p := range l.parts {
			add(p.slots, p.slab.typ())
		}
		if n := l.plain.slots; n > 0 { // A last field without bytes would get some, so that its address is in the object.
			add(n/8, reflect.TypeFor[uint64]())
		}
		return fields
	})
}

// layoutTypes are the types of the objects of all layouts, by what is in them.
var layoutTypes struct {
	sync.Mutex
	byKey map[string]reflect.Type
}

// layoutType returns the struct type for a key, with the given fields if it is new, or nil when
// there are too many.
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

// roundUp returns n or a little more, so that there are few layouts: a number with three
// significant bits.
func roundUp(n int) int {
	step := 1
	for n/step > 8 {
		step *= 2
	}
	return (n + step - 1) &^ (step - 1)
}
