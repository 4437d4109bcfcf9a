package arenapb

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/arenapb/internal/slabs"
	"github.com/arena-go/arena/arenapb/internal/spares"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A decoder decodes one message, and those in it.
type decoder struct {
	a       *arena.Arena
	opts    UnmarshalOptions
	size    int      // of the input
	words   []uint64 // for slices, see words64; what is left goes to the next message, until Reset
	partial bool     // a required field may be missing

	slabs   slabs.Set
	left    []span      // what is left for the end of each message that is being decoded, if it has any
	counts  []int       // of repeated fields that are still to come, for each message that has been looked through
	scratch []variables // by the numbers of the types of maps

	undo     *undo             // if the message has had something, with Merge
	free     map[int][]pointer // values that were overwritten, zero, by the numbers of their slabs
	extended int               // how many extensions there are around the message that is being decoded
	trial    *extension        // one that is not published yet

	again bool // an entry of a map with messages has had a key that was there

	maps  spares.Maps
	lists spares.Set[protoreflect.Value] // of extensions
}

// variables are a key and a value to be put into a map.
type variables struct{ key, val reflect.Value }

// decoderOf returns the decoder that belongs to a, for one message. It is fresh if nothing is known
// of how much memory the slabs will need: there has been no message in a, nor in an arena that was
// freed and whose slabs these are.
func decoderOf(a *arena.Arena) (d *decoder, fresh bool) {
	d, first := arenakit.Local[decoder](a)
	if d.a != nil { // a Resolver decodes, too
		d = new(decoder)
	} else if first {
		fresh = d.slabs == nil
	}
	d.a = a
	return d, fresh
}

// ArenaIdle tells package arena that d may move to the next arena: only a call of Unmarshal uses d,
// and it is over.
func (d *decoder) ArenaIdle() bool {
	d.words = nil
	d.maps.Leave()
	d.lists.Leave()
	return d.a == nil
}

// ArenaReset tells d that all messages are stale. Their memory on the heap is reused, or dropped if
// again is false.
func (d *decoder) ArenaReset(again bool) {
	d.words = nil
	again = again && d.a == nil
	d.maps.Reset(again)
	d.lists.Reset(again)
}

// release makes d ready for the next message in the arena.
func (d *decoder) release() {
	d.a, d.opts, d.partial = nil, UnmarshalOptions{}, false
	d.undo, d.free, d.again, d.extended = nil, nil, false, 0
	clear(d.left) // which is empty but after an error
	d.counts, d.left = d.counts[:0], d.left[:0]
	if cap(d.counts) > maxScratch || cap(d.left) > maxScratch {
		d.counts, d.left = nil, nil // deep nesting has used them, and the arena's limits do not count them
	}
}

const maxScratch = 256

// message decodes b into the message at p: all of it, or up to the end of the group with that
// number, if it is not 0. It returns how many bytes that were, or -1 where proto.Unmarshal finds an
// error.
func (d *decoder) message(p pointer, m *plan, b []byte, group uint64, depth int) int {
	if depth--; depth < 0 {
		return -1
	}
	var seen uint64        // bits of the required fields that there were
	counts, left := -1, -1 // indices in d.counts and d.left, if there is anything
	i := 0
	for i < len(b) {
		if faulty {
			step()
		}
		start := i
		tag := uint64(b[i])
		if i++; tag >= 0x80 {
			if tag, i = varint(b, start); i < 0 {
				return -1
			}
		}
		num, wire := tag>>3, uint8(tag&7)
		if num-1 >= uint64(protowire.MaxValidNumber) {
			return -1
		}
		if wire == uint8(protowire.EndGroupType) {
			if num != group {
				return -1
			}
			group = 0
			break
		}
		f := m.field(num)
		op := f.op
		if wire == f.wire {
			seen |= f.required
		} else {
			op = f.otherwise(wire)
		}

		// The value is at b[i:] and goes to q. Each case sets i to where the value ends, or to -1
		// for an error. The cases are tried one after another, frequent ones first: that is faster
		// here than the jump table of a switch over op.
		q := at(p, f.offset)
		switch {
		case op == opVarint64:
			var v uint64
			if v, i = varint(b, i); i < 0 {
				return -1
			}
			store64(q, v)
			if i < len(b) {
				i = numbers(p, m.fields, b, i)
			}
			continue
		case op == opMessages:
			i = d.messages(q, m, f, b, start, i, depth, &counts)
		case op == opPacked:
			i = d.packed(q, f, b, i)
		case op == opString:
			var s []byte
			if s, i = bytesOf(b, i); f.validate && !valid(s) {
				return -1
			}
			storeString(q, s)
		case op == opNumbers:
			i = d.numbers(q, m, f, b, start, i, &counts)
		case op == opStrings:
			i = d.texts(q, m, f, b, start, i, &counts)
		case op == opOptional || op == opMarked:
			if f.form == formOptional {
				if loadPointer(q) == nil {
					storePointer(q, d.slab(f.slab).New())
				}
				q = loadPointer(q)
			}
			i = d.set(q, f, b, i, depth)
			if op == opMarked {
				f.mark(p)
			}
		case op == opDirect:
			i = d.set(q, f, b, i, depth)
		case op == opRepeated:
			i = d.set(d.next(q, m, f, b, start, i, &counts), f, b, i, depth)
		case op == opMessage:
			i = d.nested(q, f, b, i, depth)
		case op == opOneof:
			i = d.set(d.wrapper(p, m, f), f, b, i, depth)
		case op == opMap:
			var s []byte
			if s, i = bytesOf(b, i); i < 0 || depth == 0 {
				return -1
			}
			if loadPointer(q) == nil {
				d.makeMap(q, f.entry, d.entries(&counts, m, f, b[i:]))
			}
			if !d.put(q, f, s, depth-1) {
				return -1
			}
		case op == opLeave:
			i, left = d.leave(p, m, f, b, start, i, left, depth)
		}
		if i < 0 {
			return -1
		}
	}
	if group != 0 {
		return -1
	}
	if counts >= 0 {
		d.counts = d.counts[:counts]
	}
	if left >= 0 && !d.settle(p, m, b, left, depth+1) {
		return -1
	}
	if seen&m.required != m.required {
		d.partial = true
	}
	return i
}

// numbers decodes the fields at b[i:], as long as they are numbers of 64 bits that are in the
// struct at p, and returns where they end. It leaves errors to message. These loops take less time
// where they do little else: what they work with stays in registers.
func numbers(p pointer, fields []*field, b []byte, i int) int {
	for i+1 < len(b) {
		if faulty {
			step()
		}
		tag, v := b[i], uint64(b[i+1])
		if int(tag>>3) >= len(fields) {
			return i
		}
		f := fields[tag>>3]
		if f.tag != uint16(tag) {
			return i
		}
		end := i + 2
		if v >= 0x80 {
			if end < len(b) && b[end] < 0x80 {
				v = v&0x7f | uint64(b[end])<<7
				end++
			} else if v, end = longVarint(b, i+1); end < 0 {
				return i
			}
		}
		store64(at(p, f.offset), v)
		i = end
	}
	return i
}

// wrapper returns the value in the wrapper of f, which is in a oneof of the message at p. If the
// oneof has something else, that is overwritten.
func (d *decoder) wrapper(p pointer, m *plan, f *field) pointer {
	x := faceAt(at(p, f.offset))
	if x.word != f.wrapper || x.data == nil {
		if x.data != nil {
			d.overwrite(p, m, f, x)
		}
		*x = face{f.wrapper, d.value(f.slab)}
	}
	return x.data
}

// set decodes the value at b[i:] into what is at q: a field, or an element of one. It returns where
// the value ends, -1 for an error.
func (d *decoder) set(q pointer, f *field, b []byte, i, depth int) int {
	var v uint64
	if f.wire == uint8(protowire.VarintType) {
		if i < len(b) && b[i] < 0x80 {
			v = uint64(b[i])
			i++
		} else {
			v, i = varint(b, i)
		}
	}
	switch f.kind {
	case kindVarint32:
		store32(q, uint32(v))
	case kindVarint64:
		store64(q, v)
	case kindSint32:
		store32(q, uint32(protowire.DecodeZigZag(v&math.MaxUint32)))
	case kindSint64:
		store64(q, uint64(protowire.DecodeZigZag(v)))
	case kindBool:
		storeBool(q, v != 0)
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
		var s []byte
		if s, i = bytesOf(b, i); f.validate && !valid(s) {
			return -1
		}
		storeString(q, s)
	case kindBytes:
		var s []byte
		s, i = bytesOf(b, i)
		storeBytes(q, f.bytes(s))
	case kindMessage, kindGroup:
		i = d.nested(q, f, b, i, depth)
	}
	return i
}

// nested decodes the message or group at b[i:] into the message that the pointer at q refers to. If
// the pointer is nil, nested makes the message. It returns the end of the value, or -1 for an
// error.
func (d *decoder) nested(q pointer, f *field, b []byte, i, depth int) int {
	sub := loadPointer(q)
	if sub == nil {
		sub = d.value(f.sub.slab)
		storePointer(q, sub)
	} else if d.undo != nil {
		d.undo.message(sub, f.sub)
	}
	partial := d.partial
	if f.kind == kindGroup {
		n := d.message(sub, f.sub, b[i:], f.number, depth)
		if n < 0 {
			return -1
		}
		i += n
	} else {
		var s []byte
		if s, i = bytesOf(b, i); i < 0 || d.message(sub, f.sub, s, 0, depth) < 0 {
			return -1
		}
	}
	if f.unchecked {
		d.partial = partial
	}
	return i
}
