package arenajson

import (
	"reflect"

	"github.com/arena-go/arena/internal/jsonwire"
)

// slice decodes an array into a slice, which uses the memory again that it has, as in
// encoding/json.
func (d *decoder) slice(p *plan, to pointer, i int) int {
	text := d.text
	if text.Char(i) != '[' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	i = d.line(i+1, d.depth)
	s := sliceAt(to)
	if text.Char(i) == ']' {
		*s = sliceHead{data: pointer(&emptySlice)}
		d.depth--
		return i + 1
	}
	data, n, room := s.data, 0, s.cap
	ours := false // the memory is of the slab, and no other slice has it
	tmp, start := -1, i
	if d.a == nil && room == 0 && p.elem.op < intoCustom && !p.stays {
		tmp = d.temp(p.slab, false) // on the heap, what does not fit is garbage
		data, room = d.temps.all[tmp].data, d.temps.all[tmp].room
	}
	elem, size := p.elem, p.elem.size
	for {
		if n == room && tmp >= 0 {
			d.grow(tmp, i)
			data, room = d.temps.all[tmp].data, d.temps.all[tmp].room
		} else if n == room {
			was := room
			data, room, ours = d.growSlice(p, data, room, ours, start, i)
			if was == 0 || !ours {
				// The slice has its new memory before anything that is in it is decoded, which may
				// have an error.
				*s = sliceHead{data, n, room}
			}
		}
		q := at(data, uintptr(n)*size)
		n++
		switch elem.op {
		case intoStruct:
			if text.Char(i) == '{' {
				i = d.object(elem, q, i)
				text = d.text
				break
			}
			i = d.value(elem, q, i)
		case intoFloat64:
			if v, end := text.Float(i); end >= 0 {
				storeFloat64(q, v)
				i = end
				break
			}
			i = d.value(elem, q, i)
		default:
			i = d.value(elem, q, i)
			text = d.text
		}
		if i < 0 {
			if tmp >= 0 {
				d.finish(p, s, tmp, n)
			} else if d.err != nil {
				if !onV2 {
					n = max(n, s.len)
				}
				*s = sliceHead{data, n, room}
			}
			return -1
		}
		if text.Char(i) != ',' {
			switch i = d.line(i, d.depth-1); text.Char(i) {
			case ']':
				d.depth--
				if tmp >= 0 {
					d.finish(p, s, tmp, n)
					return i + 1
				}
				if ours && n < room {
					room = d.shrink(p.slab, data, room, n)
				}
				if n >= longSlice {
					p.learned.learn(n)
				}
				*s = sliceHead{data, n, room}
				return i + 1
			case ',':
			default:
				if tmp >= 0 {
					d.temps.all[tmp].dirty = n
				}
				return -1
			}
		}
		i = d.line(i+1, d.depth)
	}
}

// firstRoom is how many elements a slice has room for at first, of those that have size bytes. A
// small document in a new arena has memory for just what it needs.
func (d *decoder) firstRoom(size uintptr) int {
	if d.first && d.size < leastRepeats && size >= 32 {
		return 1
	}
	return int(max(min(64/size, 8), 2))
}

// longSlice is how many elements a slice has at least whose length is noted, for the next one.
const longSlice = 32

// growSlice returns more room than n elements for a slice that has n, which it copies unless it can
// grow in place. The text of the elements begins at start and ends at i.
func (d *decoder) growSlice(p *plan, data pointer, n int, ours bool, start, i int) (pointer, int, bool) {
	if n == 0 {
		n = d.firstRoom(p.elem.size)
		return d.newSlice(p.slab, n), n, d.a != nil
	}
	room := 2 * n
	if n >= longSlice/2 {
		room = d.foresee(p, n, start, i)
	}
	if ours {
		if s := d.slab(p.slab); s.Extend(data, n, room-n) {
			s.made += room - n
			return data, room, true
		}
	}
	grown := d.newSlice(p.slab, room)
	reflect.Copy(elementsAt(p.elem.typ, grown, room), elementsAt(p.elem.typ, data, n))
	return grown, room, d.a != nil
}

// foresee returns how many elements a slice is to have room for that has n by now. The rule is
// twice as many, or as many as the last long slice of its plan had if these are fewer. Where that
// one had more, it is as many as that had. The elements beyond n have at most twice the bytes of
// the document then, or they are at most three times n: the rest of the document may be something
// else. Where there is a limit, only the former counts. Only two slices of a document get that,
// each of which has at least 1/32 of the text. No slice gets much more room than the rest of the
// document seems to need. So what a document takes is bounded.
func (d *decoder) foresee(p *plan, n, start, i int) int {
	room, text := 2*n, max(i-start, 1)
	length := int(p.learned.length.Load())
	if d.limited {
		length = 0
	}
	switch {
	case length > room && d.foreseen < 2 && text >= d.size/32:
		d.foreseen++
		most := n + 2*d.size/max(int(p.elem.size), 1)
		if d.limit == 0 {
			most = max(most, 4*n)
		}
		room = min(length, most)
	case n < length && length < room:
		room = length
	}
	rest := int64(d.size-i) * int64(n) / int64(text) // if the others have as much text each
	return n + int(min(int64(room-n), rest+rest/2+8))
}

// shrink frees the room of a slice behind its n elements, and returns its capacity.
func (d *decoder) shrink(slab int, data pointer, room, n int) int {
	s := d.slab(slab)
	s.Shrink(data, room, n)
	s.most = s.peak()
	s.made -= room - n
	return n
}

// finish makes s a slice on the heap with the n values of a temp, which is free then.
func (d *decoder) finish(p *plan, s *sliceHead, tmp, n int) {
	m := &d.temps.all[tmp]
	m.dirty = n
	d.made += n * int(p.elem.size)
	*s = sliceHead{d.temps.copy(m, n), n, n}
	d.free(tmp)
}
