package gogo

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/slabs"
)

// expected returns the number of elements of the repeated field f of m, from the element that has
// just been read on; b is the input after it. The first call counts b for all fields of m.
func (d *decoder) expected(counts *int, m *plan, f *field, b []byte) int {
	if *counts < 0 {
		if len(b) == 0 {
			return 1 // it was the last thing in the message
		}
		if len(d.counts)+m.repeated > maxCounts {
			return 1 // messages with many lists that are nested deeply; slices grow by doubling then
		}
		*counts = d.count(m, f, b)
	}
	return d.counts[*counts+f.counter]
}

// maxCounts is the most counters that there are at a time: they lie on the heap, and are many more
// than bytes of the input where messages with many lists are nested.
const maxCounts = 1 << 12

// count counts the elements of each repeated field of m in b, and adds one for f, an element of
// which has just been read.
func (d *decoder) count(m *plan, f *field, b []byte) int {
	base := len(d.counts)
	for range m.repeated {
		d.counts = append(d.counts, 0)
	}
	counts := d.counts[base:]
	counts[f.counter] = 1
	for i := 0; i < len(b); {
		tag := uint64(b[i])
		if i++; tag >= 0x80 {
			if tag, i = varint(b, i-1); i < 0 {
				return base
			}
		}
		wire := uint8(tag & 7)
		if wire == wireBytes && i < len(b) && b[i] < 0x80 {
			i += 1 + int(b[i])
		} else if i = skip(b, i, wire); i < 0 {
			return base
		}
		if f := m.field(tag >> 3); (f.form == formList || f.form == formMap) && f.wire == wire {
			counts[f.counter]++
		}
	}
	return base
}

// next makes the slice at q one longer and returns where its new element is, whose value b begins
// with.
func (d *decoder) next(q pointer, m *plan, f *field, b []byte, counts *int) pointer {
	h := headerAt(q)
	if h.len == h.cap {
		end := skip(b, 0, f.wire)
		if end < 0 {
			end = len(b)
		}
		d.grow(h, f, d.expected(counts, m, f, b[end:]))
	}
	h.len++
	return at(h.data, uintptr(h.len-1)*f.size)
}

// grow makes room for more in the slice at h, n at least: just that at first, and then for as many
// as there are, since a writer may have put other fields in between.
func (d *decoder) grow(h *header, f *field, n int) {
	if n = max(n, 1); h.len > 0 {
		n = h.len + max(n, h.len)
	}
	var data pointer
	switch f.slab {
	case slabs.Of32:
		data = dataOf(arena.MakeSlice[uint32](d.a, n, n))
	case slabs.Of64:
		data = d.words64(n)
	default:
		data = d.slab(f.slab).Slice(n)
	}
	if h.len > 0 {
		copyValues(f.elem, data, h.data, h.len)
	}
	h.data, h.cap = data, n
}

// words64 returns n words in plain memory. Short slices are cut from one: most are of some numbers,
// in each of many messages.
func (d *decoder) words64(n int) pointer {
	if n > len(d.words) {
		size := min(maxWords, max(len(d.in)/32, minWords))
		if n > size/2 {
			return dataOf(arena.MakeSlice[uint64](d.a, n, n))
		}
		d.words = arena.MakeSlice[uint64](d.a, size, size)
	}
	w := d.words
	d.words = w[n:]
	return dataOf(w)
}

// The most and the least words that are cut into short slices, of which each message leaves half
// unused.
const (
	maxWords = 512
	minWords = 16
)

// packed decodes the elements at b[i:], next to each other, of the repeated field at q. It returns
// where they end, -1 for an error. The generated Unmarshal lets the last one end behind its field:
// that is left to it.
func (d *decoder) packed(q pointer, f *field, b []byte, i int) int {
	s, i := bytesOf(b, i)
	if i < 0 {
		return -1
	}
	h := headerAt(q)
	n, have := elements(f.kind, s), h.len
	if n > h.cap-have {
		d.grow(h, f, n)
	}
	h.len += n
	var ok bool
	switch f.slab {
	case slabs.Of32:
		ok = unpack32(sliceAt[uint32](h, have), f.kind, s)
	case slabs.Of64:
		ok = unpack64(sliceAt[uint64](h, have), f.kind, s)
	default:
		ok = unpackBool(sliceAt[bool](h, have), s)
	}
	if !ok {
		return -1
	}
	return i
}
