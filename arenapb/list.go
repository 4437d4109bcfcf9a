package arenapb

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/slabs"
)

// expected returns how many more elements of the repeated field f of m there will be with the one that has just been read; b is what follows
// it. The first call counts b for all fields of m.
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

// entries is expected for a map: how many entries it is to have room for.
func (d *decoder) entries(counts *int, m *plan, f *field, b []byte) int {
	n := d.expected(counts, m, f, b)
	if *counts < 0 {
		return n
	}
	// Entries that are smaller than any with a key and a value have equal keys.
	return min(n, 1+d.counts[*counts+f.counter+1]/minEntry)
}

// maxCounts is the most counters that there are at a time: they lie on the heap, and are many more than bytes of the input where messages
// with many lists are nested.
const maxCounts = 1 << 12

// minEntry is the size of the smallest entry with a key and a value in bytes, its own tag and length included.
const minEntry = 6

// count counts what is in b of each repeated field of m, and of maps the bytes, too, and adds one to those of f, which has just been read. It
// stops at a group: what is in those is looked through once, and not for each of those around it.
func (d *decoder) count(m *plan, f *field, b []byte) int {
	base := len(d.counts)
	d.counts = append(d.counts, make([]int, m.repeated)...)
	counts := d.counts[base:]
	counts[f.counter] = 1
	for i := 0; i < len(b); {
		tag := uint64(b[i])
		if i++; tag >= 0x80 {
			if tag, i = varint(b, i-1); i < 0 {
				return base
			}
		}
		start, wire := i, uint8(tag&7)
		if _, i = skip(b, i, wire); i < 0 {
			return base
		}
		if f := m.field(tag >> 3); (f.form == formRepeated || f.form == formMap) && f.wire == wire {
			counts[f.counter]++
			if f.form == formMap {
				counts[f.counter+1] += 1 + i - start
			}
		}
	}
	return base
}

// next makes the slice at p one longer and returns where its new element is, whose value b begins with. It is not for text and messages,
// which have ops, but it is for groups.
func (d *decoder) next(p pointer, m *plan, f *field, b []byte, counts *int) pointer {
	switch f.slab {
	case slabs.Of32:
		return nextOf[uint32](d, p, m, f, b, counts)
	case slabs.Of64:
		return nextOf[uint64](d, p, m, f, b, counts)
	case slabs.OfBool:
		return nextOf[bool](d, p, m, f, b, counts)
	case slabs.OfBytes:
		return nextOf[[]byte](d, p, m, f, b, counts)
	}
	if f.header != 0 {
		p = d.header(p, f)
	}
	q := nextOf[pointer](d, p, m, f, b, counts)
	storePointer(q, nil) // there may be something, where a slice was made shorter
	return q
}

// header returns the slice that the pointer at p leads to, which it makes if there is none.
func (d *decoder) header(p pointer, f *field) pointer {
	if loadPointer(p) == nil {
		storePointer(p, d.value(f.header))
	}
	return loadPointer(p)
}

func nextOf[T any](d *decoder, p pointer, m *plan, f *field, b []byte, counts *int) pointer {
	s := sliceAt[T](p)
	if len(*s) == cap(*s) {
		_, end := skip(b, 0, f.wire)
		if end < 0 {
			end = len(b) // it is a group, which skip does not look into
		}
		grow(d, s, f, d.expected(counts, m, f, b[min(end, len(b)):]))
	}
	*s = (*s)[:len(*s)+1]
	return pointer(&(*s)[len(*s)-1])
}

// grow makes room for more in s, n at least: just that at first, and then for as many as there are, since a
// writer may have put other fields in between.
func grow[T any](d *decoder, s *[]T, f *field, n int) {
	if faulty {
		step()
	}
	if n = max(n, 1); len(*s) > 0 {
		n = len(*s) + max(n, len(*s))
	}
	var t []T
	switch f.slab {
	case slabs.Of32:
		t = arena.MakeSlice[T](d.a, 0, n)
	case slabs.Of64:
		t = slice[T](d.words64(n), n)
	default:
		t = slice[T](d.slab(f.slab).Slice(n), n)
	}
	*s = append(t, *s...)
}

// words64 returns n words in plain memory. Short slices are cut from one: most are of some numbers, in each of many messages.
func (d *decoder) words64(n int) pointer {
	if n > len(d.words) {
		size := min(maxWords, max(d.size/32, minWords))
		if n > size/2 {
			return pointer(&arena.MakeSlice[uint64](d.a, n, n)[0])
		}
		d.words = arena.MakeSlice[uint64](d.a, size, size)
	}
	w := d.words
	d.words = w[n:]
	return pointer(&w[0])
}

// The most and the least words that are cut into short slices, of which each message leaves half unused.
const (
	maxWords = 512
	minWords = 16
)

// packed decodes the elements at b[i:], side by side, of the repeated field at p. It returns where they end, -1 for an error.
func (d *decoder) packed(p pointer, f *field, b []byte, i int) int {
	if faulty {
		step()
	}
	s, i := bytesOf(b, i)
	n, ok := elements(f.kind, s), false
	switch f.slab {
	case slabs.Of32:
		ok = unpack32(more[uint32](d, p, f, n), f.kind, s)
	case slabs.Of64:
		ok = unpack64(more[uint64](d, p, f, n), f.kind, s)
	default:
		ok = unpackBool(more[bool](d, p, f, n), s)
	}
	if !ok {
		return -1
	}
	return i
}

// more makes the slice at p n elements longer, and returns those.
func more[T any](d *decoder, p pointer, f *field, n int) []T {
	s := sliceAt[T](p)
	have := len(*s)
	if n > cap(*s)-have {
		grow(d, s, f, n)
	}
	*s = (*s)[:have+n]
	return (*s)[have:]
}
