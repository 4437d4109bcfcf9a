package arenapb

import (
	"encoding/binary"
	"math"
	"reflect"
	"unicode/utf8"

	"github.com/arena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/runtime/protoiface"
)

// A decoder decodes one message, and those in it.
type decoder struct {
	a       *arena.Arena
	opts    UnmarshalOptions
	size    int      // of the input
	words   []uint64 // for slices, see words64
	partial bool     // a required field may be missing
	err     error    // of what protobuf was given to decode

	slabs   slabs
	left    []span      // what is left for the end of each message that is being decoded, if it has any
	counts  []int       // of repeated fields that are still to come, for each message that has been looked through
	scratch []variables // by the numbers of entries

	undo  *undo             // if the message has had something, with Merge
	free  map[int][]pointer // values that were overwritten, zero, by the numbers of their slabs
	again bool              // an entry of a map with messages has had a key that was there
}

// variables are a key and a value to be put into a map.
type variables struct{ key, val reflect.Value }

// decoderOf returns the decoder that belongs to a, for one message. It is fresh if nothing is known of how much memory the slabs will
// need: there has been no message in a, nor in an arena that was freed and whose slabs these are.
func decoderOf(a *arena.Arena) (d *decoder, fresh bool) {
	d, first := arena.Local[decoder](a)
	if d.a != nil { // a Resolver decodes, too
		d = new(decoder)
	} else if first {
		fresh = d.slabs == nil
		d.slabs.clear() // of another arena
	}
	d.a = a
	return d, fresh
}

// ArenaIdle tells package arena that d may go to the next arena: nobody has it but for the time of a call of Unmarshal, which is over.
func (d *decoder) ArenaIdle() bool { return d.a == nil }

// release makes d ready for the next message. It must not keep anything alive that is in the arena.
func (d *decoder) release() {
	d.a, d.opts, d.words, d.partial, d.err = nil, UnmarshalOptions{}, nil, false, nil
	d.undo, d.free, d.again = nil, nil, false
	clear(d.left) // which is empty but after an error
	d.counts, d.left = d.counts[:0], d.left[:0]
	if cap(d.counts) > maxScratch || cap(d.left) > maxScratch {
		d.counts, d.left = nil, nil // deep nesting has used them, and the arena's limits do not count them
	}
}

const maxScratch = 256

// message decodes b into the message at p: all of it, or up to the end of the group, if it is one. It returns how many bytes that
// were, or -1 where proto.Unmarshal finds an error.
func (d *decoder) message(p pointer, m *plan, b []byte, group uint64, depth int) int {
	if depth--; depth < 0 {
		return -1
	}
	var seen uint64
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
		if wire != f.wire {
			if f.packable && wire == uint8(protowire.BytesType) {
				s, n := bytesOf(b, i)
				if i = n; i < 0 || !d.packed(at(p, f.offset), f, s) {
					return -1
				}
				continue
			}
			if i, left = d.leave(p, m, f, b, start, i, left, depth); i < 0 {
				return -1
			}
			continue
		}

		seen |= f.required
		q := at(p, f.offset)

		// Most fields are of these kinds.
		switch f.op {
		case opVarint64:
			if i < len(b) && b[i] < 0x80 {
				store64(q, uint64(b[i]))
				i++
				continue
			}
			v, n := varint(b, i)
			if i = n; i < 0 {
				return -1
			}
			store64(q, v)
			continue
		case opString, opStrings:
			s, n := bytesOf(b, i)
			if i = n; i < 0 || f.validate && !utf8.Valid(s) {
				return -1
			}
			if f.op == opString {
				storeString(q, s)
				continue
			}
			list := sliceAt[string](q)
			if len(*list) == cap(*list) {
				grow(d, list, f, d.expected(&counts, m, f, b[i:]))
			}
			*list = append(*list, text(s))
			continue
		case opMessage, opMessages:
			s, n := bytesOf(b, i)
			if i = n; i < 0 {
				return -1
			}
			var sub pointer
			if f.op == opMessage {
				if sub = loadPointer(q); sub == nil {
					sub = d.value(f.sub.slab)
					storePointer(q, sub)
				} else if d.undo != nil {
					d.undo.message(sub, f.sub)
				}
			} else {
				list := sliceAt[pointer](q)
				if len(*list) == cap(*list) {
					grow(d, list, f, d.expected(&counts, m, f, b[i:]))
				}
				sub = d.value(f.sub.slab)
				*list = append(*list, sub)
			}
			if d.message(sub, f.sub, s, 0, depth) < 0 {
				return -1
			}
			continue
		}

		// What is there.
		var v uint64
		var s []byte
		switch wire {
		case uint8(protowire.VarintType):
			if i < len(b) && b[i] < 0x80 {
				v = uint64(b[i])
				i++
			} else if v, i = varint(b, i); i < 0 {
				return -1
			}
		case uint8(protowire.BytesType):
			if s, i = bytesOf(b, i); i < 0 {
				return -1
			}
		case uint8(protowire.Fixed64Type):
			if i += 8; i > len(b) {
				return -1
			}
			v = binary.LittleEndian.Uint64(b[i-8:])
		case uint8(protowire.Fixed32Type):
			if i += 4; i > len(b) {
				return -1
			}
			v = uint64(binary.LittleEndian.Uint32(b[i-4:]))
		}

		// Where it goes.
		switch f.form {
		case formDirect:
		case formOptional:
			if loadPointer(q) == nil {
				storePointer(q, d.slab(f.slab).New())
			}
			q = loadPointer(q)
		case formOneof:
			x := faceAt(q)
			if x.word != f.wrapper || x.data == nil {
				if x.data != nil {
					d.overwrite(p, m, f, x)
				}
				*x = face{f.wrapper, d.value(f.slab)}
			}
			q = x.data
		case formRepeated, formMap:
			n := d.expected(&counts, m, f, b[i:])
			if f.form == formMap {
				// Entries that are smaller than any with a key and a value have equal keys.
				if counts >= 0 {
					n = min(n, 1+d.counts[counts+f.counter+1]/minEntry)
				}
				if !d.put(q, f, s, n, depth) {
					return -1
				}
				continue
			}
			q = d.next(q, f, n)
		}

		switch f.kind {
		case kindVarint32:
			store32(q, uint32(v))
		case kindVarint64, kindFixed64:
			store64(q, v)
		case kindFixed32:
			store32(q, uint32(v))
		case kindSint32:
			store32(q, uint32(protowire.DecodeZigZag(v&math.MaxUint32)))
		case kindSint64:
			store64(q, uint64(protowire.DecodeZigZag(v)))
		case kindBool:
			storeBool(q, v != 0)
		case kindString:
			if f.validate && !utf8.Valid(s) {
				return -1
			}
			storeString(q, s)
		case kindBytes:
			storeBytes(q, f.bytes(s))
		case kindMessage, kindGroup:
			sub := loadPointer(q)
			if sub == nil {
				sub = d.value(f.sub.slab)
				storePointer(q, sub)
			} else if d.undo != nil {
				d.undo.message(sub, f.sub)
			}
			partial := d.partial
			if f.kind == kindMessage {
				if d.message(sub, f.sub, s, 0, depth) < 0 {
					return -1
				}
			} else {
				n := d.message(sub, f.sub, b[i:], num, depth)
				if n < 0 {
					return -1
				}
				i += n
			}
			if f.unchecked {
				d.partial = partial
			}
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

// varint returns the varint at b[i:] and where it ends, which is -1 if there is none.
func varint(b []byte, i int) (uint64, int) {
	if i+1 < len(b) && b[i+1] < 0x80 && b[i] >= 0x80 {
		return uint64(b[i]&0x7f) | uint64(b[i+1])<<7, i + 2
	}
	v, n := protowire.ConsumeVarint(b[i:])
	if n < 0 {
		return 0, -1
	}
	return v, i + n
}

// bytesOf returns the bytes at b[i:], which begin with their length, and where they end, which is -1 if there are fewer.
func bytesOf(b []byte, i int) ([]byte, int) {
	var n uint64
	if i < len(b) && b[i] < 0x80 {
		n = uint64(b[i])
		i++
	} else if n, i = varint(b, i); i < 0 {
		return nil, -1
	}
	if n > uint64(len(b)-i) {
		return nil, -1
	}
	end := i + int(n)
	return b[i:end:end], end
}

// bytes returns the value of a field of bytes.
func (f *field) bytes(s []byte) []byte {
	if len(s) > 0 {
		return s
	}
	if f.nilEmpty {
		return nil
	}
	return []byte{}
}

// expected returns how many elements there will be of a repeated field of m, of which the first has been read. What follows it is
// counted for all fields of m at once, the first time.
func (d *decoder) expected(counts *int, m *plan, f *field, b []byte) int {
	if *counts < 0 {
		if len(b) == 0 {
			return 1 // it was the last thing in the message
		}
		if len(d.counts)+m.repeated > maxCounts {
			return 1 // messages with many lists that are nested deeply; slices grow by doubling then
		}
		*counts = d.count(m, b, f)
	}
	return d.counts[*counts+f.counter]
}

// maxCounts is the most counters that there are at a time: they lie on the heap, and are many more than bytes of the input where messages
// with many lists are nested.
const maxCounts = 1 << 12

// minEntry is the size of the smallest entry with a key and a value in bytes, its own tag and length included.
const minEntry = 6

// count counts what is in b of each repeated field of m, and of maps the bytes, too, and adds one to those of f, which has just been read. It
// stops at a group: what is in those is looked through once, and not for each of those around it.
func (d *decoder) count(m *plan, b []byte, f *field) int {
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

// next makes the slice at p one longer and returns where its new element is. The field is about to have n elements. It is not for
// text and messages, which have ops, but it is for groups.
func (d *decoder) next(p pointer, f *field, n int) pointer {
	switch f.slab {
	case slab32:
		return nextOf[uint32](d, p, f, n)
	case slab64:
		return nextOf[uint64](d, p, f, n)
	case slabBool:
		return nextOf[bool](d, p, f, n)
	case slabBytes:
		return nextOf[[]byte](d, p, f, n)
	}
	q := nextOf[pointer](d, p, f, n)
	storePointer(q, nil) // there may be something, where a slice was made shorter
	return q
}

func nextOf[T any](d *decoder, p pointer, f *field, n int) pointer {
	s := sliceAt[T](p)
	if len(*s) == cap(*s) {
		grow(d, s, f, n)
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
	case slab32:
		t = arena.MakeSlice[T](d.a, 0, n)
	case slab64:
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

// packed decodes the elements of a repeated field that lie side by side.
func (d *decoder) packed(p pointer, f *field, b []byte) bool {
	if faulty {
		step()
	}
	n := elements(f.kind, b)
	switch f.slab {
	case slab32:
		return unpack32(more[uint32](d, p, f, n), f.kind, b)
	case slab64:
		return unpack64(more[uint64](d, p, f, n), f.kind, b)
	}
	return unpackBool(more[bool](d, p, f, n), b)
}

// elements returns how many there are in b.
func elements(k kind, b []byte) (n int) {
	switch k {
	case kindFixed32:
		return len(b) / 4
	case kindFixed64:
		return len(b) / 8
	}
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
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

// The following decode b into to, which has as many elements as b has. They report false if b does not end with one.

func unpack64(to []uint64, k kind, b []byte) bool {
	if k == kindFixed64 {
		for i := range to {
			to[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		return len(b)%8 == 0
	}
	at := 0
	for i := range to {
		v := uint64(b[at])
		if at++; v >= 0x80 {
			if v, at = varint(b, at-1); at < 0 {
				return false
			}
		}
		if k == kindSint64 {
			v = uint64(protowire.DecodeZigZag(v))
		}
		to[i] = v
	}
	return at == len(b)
}

func unpack32(to []uint32, k kind, b []byte) bool {
	if k == kindFixed32 {
		for i := range to {
			to[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return len(b)%4 == 0
	}
	at := 0
	for i := range to {
		var v uint64
		if v, at = varint(b, at); at < 0 {
			return false
		}
		if k == kindSint32 {
			v = uint64(protowire.DecodeZigZag(v & math.MaxUint32))
		}
		to[i] = uint32(v)
	}
	return at == len(b)
}

func unpackBool(to []bool, b []byte) bool {
	at := 0
	for i := range to {
		var v uint64
		if v, at = varint(b, at); at < 0 {
			return false
		}
		to[i] = v != 0
	}
	return at == len(b)
}

// leave leaves a field that is not decoded here for the end of its message, to d.left[left:], or to a new element of that. The field has its tag at
// b[start:], and its value at b[value:]. leave returns where it ends, -1 for an error, and the element.
func (d *decoder) leave(p pointer, m *plan, f *field, b []byte, start, value, left, depth int) (end, _ int) {
	if faulty {
		step()
	}
	if f.form == formMap && !d.makeMap(at(p, f.offset), f.entry, 0, depth) {
		return -1, left
	}
	tag, _ := varint(b, start)
	num, wire := protowire.Number(tag>>3), protowire.Type(tag&7)
	n := protowire.ConsumeFieldValue(num, wire, b[value:])
	if n < 0 {
		return -1, left
	}
	end = value + n
	if d.opts.DiscardUnknown && !m.collect {
		return end, left
	}
	if left < 0 {
		left = len(d.left)
		d.left = append(d.left, span{})
	}
	s := &d.left[left]
	if m.collect || value-start == protowire.SizeTag(num) {
		s.add(d.a, b, start, end)
	} else { // protobuf writes the tag anew
		s.cut(d.a, b)
		s.mem = arena.Append(d.a, s.mem, protowire.AppendTag(nil, num, wire)...)
		s.mem = arena.Append(d.a, s.mem, b[value:end]...)
	}
	return end, left
}

// settle sees to what has been left of the message at p.
func (d *decoder) settle(p pointer, m *plan, b []byte, left, depth int) bool {
	if faulty {
		step()
	}
	rest := d.left[left].bytes(b)
	d.left[left] = span{}
	d.left = d.left[:left]
	if m.collect {
		return d.rest(p, m, rest, depth)
	}
	q := bytesAt(at(p, m.unknown))
	if len(*q) > 0 {
		rest = arena.Append(d.a, *q, rest...)
	}
	storeBytes(pointer(q), rest)
	return true
}

// rest gives protobuf what it is to decode of the message at p.
func (d *decoder) rest(p pointer, m *plan, b []byte, depth int) bool {
	if faulty {
		step()
	}
	msg := messageAt(m.typ, p).ProtoReflect()
	if d.undo != nil {
		d.undo.foreign(p, m, msg)
	}
	in := protoiface.UnmarshalInput{Message: msg, Buf: b, Resolver: d.opts.Resolver, Depth: depth}
	if d.opts.DiscardUnknown {
		in.Flags |= protoiface.UnmarshalDiscardUnknown
	}
	if !d.opts.AllowPartial {
		in.Flags |= protoiface.UnmarshalCheckRequired
	}
	out, err := msg.ProtoMethods().Unmarshal(in)
	if out.Flags&protoiface.UnmarshalInitialized == 0 {
		d.partial = true
	}
	d.err = err
	if faulty {
		step()
	}
	return err == nil
}

// A span is what was cut out of the input: b[from:to], as long as it is in one piece, or mem.
type span struct {
	from, to int
	mem      []byte
}

// add adds b[from:to]. What is in pieces is put together in a.
func (s *span) add(a *arena.Arena, b []byte, from, to int) {
	if s.mem == nil && (s.to == from || s.to == 0) {
		if s.to == 0 {
			s.from = from
		}
		s.to = to
		return
	}
	s.cut(a, b)
	s.mem = arena.Append(a, s.mem, b[from:to]...)
}

// cut copies the piece.
func (s *span) cut(a *arena.Arena, b []byte) {
	if s.mem == nil {
		s.mem = arena.Append(a, make([]byte, 0), b[s.from:s.to]...)
	}
}

func (s *span) bytes(b []byte) []byte {
	if s.mem != nil {
		return s.mem
	}
	return b[s.from:s.to:s.to]
}
