package arenajson

import "reflect"

// A temp is memory for values of a type, all of them zero. It holds keys and values of a map, and
// elements of a slice on the heap, until it is known how many there are.
type temp struct {
	typ   slabType
	slab  int
	data  pointer
	room  int
	dirty int // values that may not be zero
	head  *sliceHead
	view  reflect.Value // the slice that head is
	next  int           // the next one of the slab that is free, plus 1
	stays bool          // somebody may have pointers to the values
}

// A variable is a slice, seen by package reflect, and as it is in memory. It is nil but for a
// moment.
type variable struct {
	view reflect.Value
	head *sliceHead
}

// temps are the temporary values of a decoder.
type temps struct {
	all    []temp
	slices []*variable // by slab
	unused []int       // by slab, the first one that is free, plus 1
	inUse  int
	bytes  int // of all
	before int // bytes when the document began
}

// arenaTemps and heapTemps are how many bytes the temps of a decoder have at most between
// documents: of one that belongs to an arena, and of those for the heap, which take turns. Lists
// whose elements are large need that much on the heap.
const arenaTemps, heapTemps = 256 << 10, 4 << 20

// begin is for the beginning of a document.
func (d *temps) begin() { d.before = d.bytes }

// fits tells whether n values more, of size bytes each, are no more than what may wait at position
// i.
func (d *temps) fits(n int, size uintptr, i int) bool {
	return d.bytes-d.before+n*int(size) <= mayWait(i)
}

// full tells whether temp i has no room for more than n values, and is not to get any at a
// position.
func (d *temps) full(i, n int, size uintptr, pos int) bool {
	return n == d.all[i].room && !d.fits(n, size, pos)
}

// temp returns the number of one that is free. A pointer to it is good until the next call. stays
// tells that the memory is not to be used again.
func (d *temps) temp(slab int, stays bool) int {
	d.inUse++
	if slab < len(d.unused) {
		if i := d.unused[slab] - 1; i >= 0 {
			d.unused[slab] = d.all[i].next
			d.all[i].stays = stays
			return i
		}
	}
	typ := typeOfSlab(slab)
	v := reflect.New(typ.slice)
	d.all = append(d.all, temp{slab: slab, typ: typ, head: sliceAt(addressOf(v)), view: v.Elem(), stays: stays})
	return len(d.all) - 1
}

// free makes temp i zero, or leaves its values to those who may have pointers to them.
func (d *temps) free(i int) {
	d.inUse--
	m := &d.all[i]
	if m.stays {
		d.bytes -= m.room * int(m.typ.elem.Size())
		m.data, m.room, m.dirty, *m.head = nil, 0, 0, sliceHead{}
	}
	m.clear()
	for m.slab >= len(d.unused) {
		d.unused = append(d.unused, 0)
	}
	m.next = d.unused[m.slab]
	d.unused[m.slab] = i + 1
}

// place returns where value n is, which is the first that is not in use. pos is a position in the
// document.
func (d *temps) place(i, n int, size uintptr, pos int) pointer {
	m := &d.all[i]
	if n >= m.room {
		d.grow(i, pos)
	}
	m.dirty = n + 1
	return at(m.data, uintptr(n)*size)
}

// grow makes room for more values than temp i has: for few of them at first if they are large, or
// at pos there are very many of other temps already.
func (d *temps) grow(i, pos int) {
	m := &d.all[i]
	n := 2 * m.room
	switch {
	case n > 0:
	case m.stays || !d.fits(fewTogether, m.typ.elem.Size(), pos):
		n = 1
	default:
		n = fewTogether
	}
	d.bytes += (n - m.room) * int(m.typ.elem.Size())
	s := reflect.MakeSlice(m.typ.slice, n, n)
	if m.room > 0 {
		reflect.Copy(s, m.values(m.room))
	}
	m.data, m.room = addressOf(s), n
}

// onHeap returns n > 0 new zero values on the heap, side by side.
func (d *temps) onHeap(slab, n int) pointer {
	// Instead of reflect.MakeSlice, which also allocates the slice header on the heap.
	v := d.variable(slab)
	v.view.Grow(n)
	data := v.head.data
	*v.head = sliceHead{}
	return data
}

// variable returns the one for slices of a slab's type.
func (d *temps) variable(slab int) *variable {
	if n := slab + 1 - len(d.slices); n > 0 {
		d.slices = append(d.slices, make([]*variable, n)...)
	}
	if d.slices[slab] == nil {
		s := reflect.New(typeOfSlab(slab).slice)
		d.slices[slab] = &variable{s.Elem(), sliceAt(addressOf(s))}
	}
	return d.slices[slab]
}

// copy returns where a copy of the first n > 0 values of m is, on the heap.
func (d *temps) copy(m *temp, n int) pointer {
	if m.slab == slabString {
		s := make([]string, n)
		copy(s, stringsAt(m.data, n))
		return startOfStrings(s)
	}
	data := d.onHeap(m.slab, n)
	v := d.variable(m.slab)
	*v.head = sliceHead{data, n, n}
	reflect.Copy(v.view, m.values(n))
	*v.head = sliceHead{}
	return data
}

// values returns the first n as a slice. It is good until the next call.
func (m *temp) values(n int) reflect.Value {
	*m.head = sliceHead{m.data, n, n}
	return m.view
}

// clear makes the values zero.
func (m *temp) clear() {
	switch {
	case m.dirty == 0:
	case m.slab == slabString:
		clear(stringsAt(m.data, m.dirty))
	default:
		m.values(m.dirty).Clear()
	}
	m.dirty = 0
}

// end frees those that are in use still, after an error, and leaves all to the collector if there
// are very many, or if they have more than most bytes.
func (d *temps) end(most int) {
	if len(d.all) > 200 || d.bytes > most {
		*d = temps{}
	}
	if d.inUse == 0 {
		return
	}
	clear(d.unused)
	for i := range d.all {
		d.free(i)
	}
	d.inUse = 0
}
