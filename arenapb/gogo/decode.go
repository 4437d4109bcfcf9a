package gogo

import (
	"encoding/binary"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/arenapb/internal/slabs"
	"github.com/arena-go/arena/arenapb/internal/spares"
)

// A decoder decodes one message, and those in it.
type decoder struct {
	a      *arena.Arena
	busy   bool
	exact  bool     // the slabs have room for what the message needs, and no more
	in     []byte   // the caller's input
	copied []byte   // the copy of it that is decoded, or itself
	words  []uint64 // for lists, see words64

	slabs  slabs.Set
	counts []int          // of repeated fields that are still to come, for each message that has been looked through
	idle   [][]*variables // for keys and values of maps, by the numbers of their types
	maps   spares.Maps
}

// variables are a key and a value to be put into a map, and where they are.
type variables struct {
	key, val     reflect.Value
	keyAt, valAt pointer
}

// decoderOf returns the decoder that belongs to a, for one message. It is fresh if nothing is known
// of how much memory the slabs will need: there has been no message in a, nor in an arena that was
// freed and whose slabs these are.
func decoderOf(a *arena.Arena) (d *decoder, fresh bool) {
	d, first := arenakit.Local[decoder](a)
	if d.busy { // the Unmarshal of a field decodes, too
		d = new(decoder)
	} else if first {
		fresh = d.slabs == nil
	}
	d.a, d.busy, d.exact = a, true, fresh
	return d, fresh
}

// ArenaIdle tells package arena that d may go to the next arena: nobody has it but for the time of
// a call of Unmarshal, which is over.
func (d *decoder) ArenaIdle() bool {
	d.maps.Leave()
	return !d.busy
}

// ArenaReset tells d that all messages are stale. Their maps are used again, or dropped if again is
// false.
func (d *decoder) ArenaReset(again bool) { d.maps.Reset(again && !d.busy) }

// release makes d ready for the next message. It must not keep anything alive that is in the arena.
func (d *decoder) release() {
	d.a, d.busy, d.in, d.copied, d.words = nil, false, nil, nil, nil
	d.counts = d.counts[:0]
	if cap(d.counts) > maxScratch {
		d.counts = nil // deep nesting has used them, and the arena's limits do not count them
	}
}

const maxScratch = 256

// maxDepth is how deeply messages may be nested that are decoded here.
const maxDepth = 10_000

func (d *decoder) slab(i int) *slabs.Slab { return d.slabs.Of(d.a, i) }

// message decodes b into the message at p. It reports false where the generated Unmarshal has an
// error, and where the input is such that this is left to it: it then decodes all of the input
// again.
func (d *decoder) message(p pointer, m *plan, b []byte, depth int) bool {
	if depth--; depth < 0 {
		return false
	}
	for m.held != nil {
		q := at(p, m.holds)
		if loadPointer(q) != nil {
			return false
		}
		m = m.held
		p = d.slab(m.slab).New()
		storePointer(q, p)
	}
	var seen uint64 // bits of the required fields that there were
	counts := -1    // index in d.counts, if there is anything
	i := 0
	for i < len(b) {
		start := i
		tag := uint64(b[i])
		if i++; tag >= 0x80 {
			if tag, i = varint(b, start); i < 0 {
				return false
			}
		}
		f := m.field(tag >> 3)
		wire := uint8(tag & 7)
		if wire != f.wire {
			switch {
			case f == &other:
				i = d.leave(p, m, b, start, i, tag)
			case f.packable && wire == wireBytes:
				i = d.packed(at(p, f.offset), f, b, i)
			default:
				return false
			}
			if i < 0 {
				return false
			}
			continue
		}
		seen |= f.required

		// The value is at b[i:] and goes to q. Each case sets i to where the value ends, or to -1
		// for an error.
		q := at(p, f.offset)
		switch op := f.op; {
		case op == opVarint64:
			if i < len(b) && b[i] < 0x80 {
				store64(q, uint64(b[i]))
				i++
				continue
			}
			var v uint64
			if v, i = varint(b, i); i < 0 {
				return false
			}
			store64(q, v)
		case op == opString:
			var s []byte
			if s, i = bytesOf(b, i); i < 0 {
				return false
			}
			storeString(q, s)
		case op == opMessages:
			if i = d.run(headerAt(q), m, f, b, tag, i, &counts, depth); i < 0 {
				return false
			}
		case op == opFixed64:
			if i += 8; i > len(b) {
				return false
			}
			store64(q, binary.LittleEndian.Uint64(b[i-8:]))
		case f.form == formMap:
			if i = d.put(q, m, f, b, i, &counts, depth); i < 0 {
				return false
			}
		default:
			switch f.form {
			case formList:
				q = d.next(q, m, f, b[i:], &counts)
			case formOneof:
				x := faceAt(q)
				if x.data != nil {
					return false // it is overwritten; its memory in an arena is not freed
				}
				*x = face{f.wrapper, d.slab(f.slab).New()}
				q = x.data
			}
			if f.behind {
				if sub := loadPointer(q); sub == nil {
					storePointer(q, d.slab(f.target).New())
				} else if f.single {
					return false
				}
				q = loadPointer(q)
			}
			if i = d.set(q, f, b, i, depth); i < 0 {
				return false
			}
		}
	}
	if counts >= 0 {
		d.counts = d.counts[:counts]
	}
	return seen == m.required
}

// set decodes the value at b[i:] into what is at q. It returns where the value ends, -1 for an
// error.
func (d *decoder) set(q pointer, f *field, b []byte, i, depth int) int {
	var v uint64
	var s []byte
	switch f.wire {
	case wireVarint:
		if v, i = varint(b, i); i < 0 {
			return -1
		}
	case wireBytes:
		if s, i = bytesOf(b, i); i < 0 {
			return -1
		}
	}
	ok := true
	switch f.kind {
	case kindVarint32:
		store32(q, uint32(v))
	case kindVarint64:
		store64(q, v)
	case kindSint32:
		store32(q, zigzag32(v))
	case kindSint64:
		store64(q, zigzag64(v))
	case kindBool:
		storeBool(q, int(v) != 0) // generated code has it as an int
	case kindFixed32:
		if i += 4; i > len(b) {
			return -1
		}
		store32(q, binary.LittleEndian.Uint32(b[i-4:]))
	case kindFixed64:
		if i += 8; i > len(b) {
			return -1
		}
		store64(q, binary.LittleEndian.Uint64(b[i-8:]))
	case kindString:
		storeString(q, s)
	case kindBytes:
		if len(s) == 0 {
			s = []byte{} // and nothing to keep alive; bytes that are there are not nil
		}
		storeBytes(q, s)
	case kindTime:
		t, valid := timeOf(s)
		storeTime(q, t)
		ok = valid
	case kindDuration:
		t, valid := durationOf(s)
		store64(q, uint64(t))
		ok = valid
	case kindMessage:
		ok = d.message(q, f.sub, s, depth)
	case kindOwn:
		if f.blank != nil && loadPointer(q) == nil {
			valueAt(f.blank, q).Set(reflect.MakeSlice(f.blank, 0, 0))
		}
		ok = f.own != nil && messageAt(f.own, q).Unmarshal(original(d.in, d.copied, s)) == nil
	}
	if !ok {
		return -1
	}
	return i
}

// leave sees to a field that the message at p does not have: that has its tag at b[start:], and its
// value at b[value:]. It returns where it ends, -1 for an error, and for a group.
func (d *decoder) leave(p pointer, m *plan, b []byte, start, value int, tag uint64) (end int) {
	if tag>>3 == 0 || tag>>3 >= 1<<29 {
		return -1
	}
	end = skip(b, value, uint8(tag&7))
	if end < 0 || !m.keeps {
		return end
	}
	q := bytesAt(at(p, m.unknown))
	if len(*q) == 0 {
		storeBytes(pointer(q), b[start:end:end])
	} else {
		storeBytes(pointer(q), arena.Append(d.a, *q, b[start:end]...))
	}
	return end
}
