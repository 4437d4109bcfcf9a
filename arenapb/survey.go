package arenapb

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/slabs"
)

// expect has the slabs of a new arena make just the room that the message in b needs, so that one
// that is kept takes little more memory than it would on the heap. An arena that is used again has
// that room.
func (d *decoder) expect(m *plan, b []byte, depth int) {
	words, ok := d.survey(m, b, depth)
	d.slabs.Expect(ok)
	if ok && words > 0 {
		d.words = arena.MakeSlice[uint64](d.a, words, words)
	}
}

// survey counts what the message in b needs of each slab, and returns how many numbers of 64 bits
// are in lists. It leaves out what is rare, and each repetition of a message that is there once: no
// input makes it expect memory that is not needed. It stops where proto.Unmarshal finds an error.
// It is not ok where one value of a oneof overwrites another: the second takes the memory of the
// first, so the counts are too large.
func (d *decoder) survey(m *plan, b []byte, depth int) (words int, ok bool) {
	if depth--; depth < 0 {
		return 0, true
	}
	var seen, chosen uint64
	for i := 0; i < len(b); {
		if faulty {
			step()
		}
		tag := uint64(b[i])
		if i++; tag >= 0x80 {
			if tag, i = varint(b, i-1); i < 0 {
				return words, true
			}
		}
		f, wire := m.field(tag>>3), uint8(tag&7)
		var s []byte
		if s, i = skip(b, i, wire); i < 0 {
			return words, true
		}
		if f.once != 0 {
			if seen&f.once != 0 {
				continue // it is merged with the first, or takes its memory
			}
			seen |= f.once
		}
		if chosen&f.choice != 0 {
			return 0, false
		}
		chosen |= f.choice
		switch f.form {
		case formRaw, formMap:
			continue
		case formRepeated:
			if f.header != 0 && seen&f.listed == 0 {
				seen |= f.listed
				d.slab(f.header).Need++
			}
			switch {
			case f.slab == slabs.Of64 && f.wire != wire:
				words += elements(f.kind, s)
			case f.slab == slabs.Of64:
				words++
			case f.slab != slabs.Of32 && f.wire == wire:
				d.slab(f.slab).Need++
			}
		case formOptional, formOneof:
			d.slab(f.slab).Need++
		}
		if f.kind == kindMessage && f.wire == wire {
			d.slab(f.sub.slab).Need++
			more, ok := d.survey(f.sub, s, depth)
			if !ok {
				return 0, false
			}
			words += more
		}
	}
	return words, true
}
