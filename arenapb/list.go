package arenapb

import (
	"bytes"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/slabs"
	"google.golang.org/protobuf/encoding/protowire"
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

// entries is expected for a map: how many entries it is to have room for.
func (d *decoder) entries(counts *int, m *plan, f *field, b []byte) int {
	n := d.expected(counts, m, f, b)
	if *counts < 0 {
		return n
	}
	// Entries that are smaller than any with a key and a value have equal keys.
	return min(n, 1+d.counts[*counts+f.counter+1]/minEntry)
}

// maxCounts is the most counters that there are at a time: they lie on the heap, and are many more
// than bytes of the input where messages with many lists are nested.
const maxCounts = 1 << 12

// minEntry is the size of the smallest entry with a key and a value in bytes, its own tag and
// length included.
const minEntry = 6

// count counts the elements of each repeated field of m in b, and for maps also the bytes. It adds
// one for f, an element of which has just been read. It stops at a group: the contents of groups
// are scanned once, and not once for each group around them.
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
		if wire == uint8(protowire.BytesType) && i < len(b) && b[i] < 0x80 {
			i += 1 + int(b[i])
		} else if _, i = skip(b, i, wire); i < 0 {
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

// next makes the slice at p one longer and returns where its new element is, whose value is at
// b[i:], and whose tag is at b[start:]. It is not for text and messages, which have ops, but it is
// for groups.
func (d *decoder) next(p pointer, m *plan, f *field, b []byte, start, i int, counts *int) pointer {
	switch f.slab {
	case slabs.Of32:
		return nextOf[uint32](d, p, m, f, b, start, i, counts)
	case slabs.Of64:
		return nextOf[uint64](d, p, m, f, b, start, i, counts)
	case slabs.OfBool:
		return nextOf[bool](d, p, m, f, b, start, i, counts)
	case slabs.OfBytes:
		return nextOf[[]byte](d, p, m, f, b, start, i, counts)
	}
	if f.header != 0 {
		p = d.header(p, f)
	}
	q := nextOf[pointer](d, p, m, f, b, start, i, counts)
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

func nextOf[T any](d *decoder, p pointer, m *plan, f *field, b []byte, start, i int, counts *int) pointer {
	s := sliceAt[T](p)
	if len(*s) == cap(*s) {
		*s = lengthen(d, *s, m, f, b, i, run(b, start, i, f.wire), counts)
	}
	return last(s)
}

// last makes s one longer, in its room, and returns where the new element is.
func last[T any](s *[]T) pointer {
	*s = (*s)[:len(*s)+1]
	return pointer(&(*s)[len(*s)-1])
}

// messages decodes the message at b[i:] into a new element of the repeated field at p, and those
// that lie next to each other with it. The first has its tag at b[start:]. It returns where they
// end, -1 for an error.
func (d *decoder) messages(p pointer, m *plan, f *field, b []byte, start, i, depth int, counts *int) int {
	if f.header != 0 {
		p = d.header(p, f)
	}
	list := sliceAt[pointer](p)
	n, tag := run(b, start, i, f.wire), i-start
	slab := d.slab(f.sub.slab)
	if cap(*list) == 0 && !faulty {
		*list = slice[pointer](d.slab(f.slab).Slice(n), n)
	} else if n > cap(*list)-len(*list) {
		*list = lengthen(d, *list, m, f, b, i, n, counts)
	}
	have := len(*list)
	to := (*list)[have : have+n]
	var sub pointer
	left := 0 // behind sub
	for k := range to {
		if left--; left >= 0 {
			sub = at(sub, f.sub.size)
		} else {
			sub, left = d.values(slab, f.sub.slab, min(n-k, batch))
		}
		to[k] = sub
		if k > 0 {
			i += tag
		}
		var s []byte
		if end := shortEnd(b, i); end <= len(b) {
			s, i = b[i+1:end:end], end
		} else if s, i = bytesOf(b, i); i < 0 {
			return -1
		}
		if f.sub.plain && depth > 0 && numbers(sub, f.sub.fields, s, 0) == len(s) {
			continue
		}
		if d.message(sub, f.sub, s, 0, depth) < 0 {
			return -1
		}
	}
	*list = (*list)[:have+n]
	return i
}

// batch is the maximum number of messages of a list that are allocated at once. If a slab has no
// room for a batch, they are allocated one by one.
const batch = 16

// texts is messages for text.
func (d *decoder) texts(p pointer, m *plan, f *field, b []byte, start, i int, counts *int) int {
	list := sliceAt[string](p)
	n, tag := run(b, start, i, f.wire), i-start
	if cap(*list) == 0 && !faulty {
		*list = slice[string](d.slab(f.slab).Slice(n), n)
	} else if n > cap(*list)-len(*list) {
		*list = lengthen(d, *list, m, f, b, i, n, counts)
	}
	have := len(*list)
	to := (*list)[have : have+n]
	for k := range to {
		if k > 0 {
			i += tag
		}
		var s []byte
		if end := shortEnd(b, i); end <= len(b) {
			s, i = b[i+1:end:end], end
		} else if s, i = bytesOf(b, i); i < 0 {
			return -1
		}
		if f.validate && !valid(s) {
			return -1
		}
		to[k] = text(s)
	}
	*list = (*list)[:have+n]
	return i
}

// numbers decodes the number of 64 bits at b[i:] into a new element of the repeated field at p, and
// those that lie next to each other with it. It is otherwise as messages.
func (d *decoder) numbers(p pointer, m *plan, f *field, b []byte, start, i int, counts *int) int {
	if faulty {
		step()
	}
	list, tag := sliceAt[uint64](p), i-start
	if cap(*list) == 0 && tag == 1 && (len(d.words) > 0 || d.refill(1)) {
		if n, end := unpackApart(d.words, b, start); n > 0 { // there is room, and so nobody needs to count them before
			*list = d.words[:n:n]
			d.words = d.words[n:]
			return end
		}
		clear(d.words)
	}
	n := run(b, start, i, f.wire)
	if n > cap(*list)-len(*list) {
		*list = lengthen(d, *list, m, f, b, i, n, counts)
	}
	have := len(*list)
	to := (*list)[have : have+n]
	for k := range to {
		if k > 0 {
			i += tag
		}
		if to[k], i = varint(b, i); i < 0 {
			return -1
		}
	}
	*list = (*list)[:have+n]
	return i
}

// run returns how many fields with one tag lie next to each other: the one at b[start:], whose
// value is at b[i:], and those that follow it.
func run(b []byte, start, i int, wire uint8) int {
	tag := b[start:i]
	for n := 1; ; n++ {
		if wire == uint8(protowire.BytesType) && i < len(b) && b[i] < 0x80 {
			i += 1 + int(b[i])
		} else if _, i = skip(b, i, wire); i < 0 {
			return n
		}
		if i >= len(b) || b[i] != tag[0] {
			return n
		}
		if len(tag) > 1 && !bytes.HasPrefix(b[i:], tag) {
			return n
		}
		i += len(tag)
	}
}

// lengthen returns s with room for the n elements of f that lie next to each other, of which the
// first has its value at b[i:], and if there were others before, for all that there are: a writer
// may have put other fields in between.
func lengthen[T any](d *decoder, s []T, m *plan, f *field, b []byte, i, n int, counts *int) []T {
	if len(s) > 0 {
		_, end := skip(b, i, f.wire)
		if end < 0 {
			end = len(b) // it is a group, which skip does not look into
		}
		n = max(n, d.expected(counts, m, f, b[min(end, len(b)):]))
	}
	return grow(d, s, f, n)
}

// grow returns s with room for more, n at least: just that at first, and then for as many as there
// are, since a writer may have put other fields in between.
func grow[T any](d *decoder, s []T, f *field, n int) []T {
	if faulty {
		step()
	}
	if n = max(n, 1); len(s) > 0 {
		n = len(s) + max(n, len(s))
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
	return append(t, s...)
}

// words64 returns n words in plain memory. Short slices are cut from one: most are of some numbers,
// in each of many messages.
func (d *decoder) words64(n int) pointer {
	if n > len(d.words) && !d.refill(n) {
		return pointer(&arena.MakeSlice[uint64](d.a, n, n)[0])
	}
	w := d.words
	d.words = w[n:]
	return pointer(&w[0])
}

// refill makes a new block of words, unless n words are too many for one.
func (d *decoder) refill(n int) bool {
	size := min(maxWords, max(d.size/32, minWords))
	if n > size/2 {
		return false
	}
	d.words = arena.MakeSlice[uint64](d.a, size, size)
	return true
}

// The most and the least words that are cut into short slices, of which each message leaves half
// unused.
const (
	maxWords = 512
	minWords = 16
)

// packed decodes the elements at b[i:], next to each other, of the repeated field at p. It returns
// where they end, -1 for an error.
func (d *decoder) packed(p pointer, f *field, b []byte, i int) int {
	if faulty {
		step()
	}
	s, i := bytesOf(b, i)
	if f.kind == kindVarint64 && 0 < len(s) && (len(s) <= len(d.words) || len(d.words) == 0 && d.refill(len(s))) {
		if list := sliceAt[uint64](p); cap(*list) == 0 { // there is room, and so nobody needs to count them before
			n := unpack(d.words, s)
			if n < 0 {
				return -1
			}
			*list = d.words[:n:n]
			d.words = d.words[n:]
			return i
		}
	}
	n := elements(f.kind, s)
	var ok bool
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
		*s = grow(d, *s, f, n)
	}
	*s = (*s)[:have+n]
	return (*s)[have:]
}
