package gogo

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/slabs"
)

// expect has the slabs of a new arena make just the room that the message in b needs, so that one
// that is kept takes little more memory than it would on the heap. An arena that is used again has
// that room.
func (d *decoder) expect(m *plan, b []byte) {
	words, ok := d.survey(m, b, maxDepth)
	d.slabs.Expect(ok)
	if ok && words > 0 {
		d.words = arena.MakeSlice[uint64](d.a, words, words)
	}
}

// survey counts the message's needs of each slab, and returns the number of 64-bit numbers in
// lists. It leaves out maps, which are rare. It is not ok if it finds that this package does not
// decode the message: the needs are then not the needs of any message.
func (d *decoder) survey(m *plan, b []byte, depth int) (words int, ok bool) {
	if depth--; depth < 0 {
		return 0, false
	}
	for m.held != nil {
		m = m.held
		d.slab(m.slab).Need++
	}
	var seen [4]uint64 // numbers of fields, of which only the first value needs memory
	for i := 0; i < len(b); {
		tag, value := varint(b, i)
		if value < 0 {
			return 0, false
		}
		num, wire := tag>>3, uint8(tag&7)
		if i = skip(b, value, wire); i < 0 {
			return 0, false
		}
		f := m.field(num)
		if f == &other || f.form == formMap {
			continue
		}
		if wire != f.wire {
			if f.slab == slabs.Of64 && f.packable && wire == wireBytes {
				s, _ := bytesOf(b, value)
				words += elements(f.kind, s)
			}
			continue
		}
		first := f.form == formList
		if !first && num < 256 {
			bit := uint64(1) << (num % 64)
			first = seen[num/64]&bit == 0
			seen[num/64] |= bit
		}
		if !first {
			continue
		}
		switch {
		case f.form == formList && f.slab == slabs.Of64:
			words++
		case f.form != formDirect && f.slab != slabs.Of32:
			d.slab(f.slab).Need++
		}
		if f.behind {
			d.slab(f.target).Need++
		}
		if f.kind == kindMessage {
			s, _ := bytesOf(b, value)
			more, ok := d.survey(f.sub, s, depth)
			if !ok {
				return 0, false
			}
			words += more
		}
	}
	return words, true
}
