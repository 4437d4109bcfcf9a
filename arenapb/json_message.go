package arenapb

import (
	"reflect"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/arenapb/internal/slabs"
	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A jsonDecoder decodes one message in JSON, and those in it.
type jsonDecoder struct {
	decoder // for its slabs
	options UnmarshalJSONOptions
	text    []byte
	letters letters
	dropped bool // the value that was read last is an unknown name of an enum, and counts as none
	escaped bool // the string that was read last has escapes, and lies in scratch until the next one
	scratch []byte
	open    []byte // what skip is in

	// Elements of lists and maps that are being decoded, the innermost last: their number is known
	// at the end.
	pointers []pointer
	strings  []string
	bytes    [][]byte
	numbers  []uint64
	elements []element
}

// onHeap has decoders for those who have no arena.
var onHeap = sync.Pool{New: func() any { return new(jsonDecoder) }}

// jsonDecoderOf returns the decoder that belongs to a, for one message.
func jsonDecoderOf(a *arena.Arena) *jsonDecoder {
	if a == nil {
		return onHeap.Get().(*jsonDecoder)
	}
	d, _ := arenakit.Local[jsonDecoder](a)
	if d.a != nil { // a Resolver decodes, too
		d = new(jsonDecoder)
	}
	d.a = a
	return d
}

// done is deferred while d decodes, like done of a decoder.
func (d *jsonDecoder) done(a *arena.Arena, returned *bool, failure **Panic) {
	if *returned {
		d.release()
		if a == nil {
			onHeap.Put(d)
		}
		return
	}
	v := recover()
	*d = jsonDecoder{} // nothing in it can be relied upon
	*failure = failureOf(v)
}

// release makes d ready for the next message. It must not keep anything alive that is in the arena,
// or is the caller's. What lists have needed is cleared when they end, but not after an error.
func (d *jsonDecoder) release() {
	d.a, d.words, d.options, d.text, d.letters, d.dropped = nil, nil, UnmarshalJSONOptions{}, nil, letters{}, false
	release(&d.pointers, maxJSONScratch)
	release(&d.strings, maxJSONScratch)
	release(&d.bytes, maxJSONScratch)
	release(&d.numbers, maxJSONScratch)
	release(&d.elements, maxJSONScratch/8)
	release(&d.open, maxJSONScratch)
	release(&d.scratch, maxJSONScratch)
}

// release empties s, and leaves it to the collector if it has become large: an arena's limits do
// not count it.
func release[T any](s *[]T, most int) {
	clear(*s)
	if *s = (*s)[:0]; cap(*s) > most {
		*s = nil
	}
}

const maxJSONScratch = 4096

// message decodes the message whose text begins at i into the one at p, which is empty. It returns
// where the text ends, or -1 where protojson finds an error.
func (d *jsonDecoder) message(p pointer, m *plan, i, depth int) int {
	if depth--; depth < 0 {
		return -1
	}
	j := m.json()
	if j.reason != "" {
		return d.whole(p, m, i, depth)
	}
	if j.known != knownNot {
		return d.known(p, j, i, depth)
	}
	b := d.text
	if jsonwire.Char(b, i) != '{' {
		return -1
	}
	if i = jsonwire.Space(b, i+1); jsonwire.Char(b, i) == '}' {
		return i + 1
	}
	var seen, chosen uint64 // bits of fields, and of oneofs
	var more map[int]bool   // what has no bit
	var left []byte         // an object of what is left to protojson
	next := 0               // the field that comes next if all come in their order
	for {
		if faulty {
			step()
		}
		start := i
		var name []byte
		f := j.expected(b, i, next)
		if f != nil {
			i = jsonwire.Space(b, i+len(f.quoted))
		} else {
			if name, i = d.name(i); i < 0 {
				return -1
			}
			f = j.find(m, name)
		}
		switch {
		case f == nil && len(name) > 1 && name[0] == '[' && name[len(name)-1] == ']', f != nil && f.left:
			list := f != nil && jsonwire.Char(b, i) == '['
			if i = d.skip(i, -1); i < 0 {
				return -1
			}
			left = append(append(left, ','), b[start:i]...)
			if list {
				makeList(messageAt(m.typ, p), m.descriptor.Fields().Get(f.index))
			}
		case f == nil:
			if !d.options.DiscardUnknown {
				return -1
			}
			if i = d.skip(i, depth); i < 0 {
				return -1
			}
		default:
			next = f.index + 1
			if !mark(&seen, &more, f.index) {
				return -1
			}
			if !f.nulls && jsonwire.Char(b, i) == 'n' {
				if !jsonwire.Has(b, i, "null") {
					return -1
				}
				i += 4
				break
			}
			q := at(p, f.offset)
			switch f.form {
			case formDirect:
				i = d.set(q, &f.val, i, depth)
				if !d.drop() && f.marked {
					f.mark(p)
				}
			case formRepeated:
				i = d.list(q, f, i, depth)
			case formMap:
				i = d.mapping(q, f, i, depth)
			case formOptional:
				i = d.optional(q, f, i, depth)
				if f.marked {
					f.mark(p)
				}
			case formOneof:
				if !mark(&chosen, &more, -1-f.oneof) {
					return -1
				}
				i = d.choice(q, f, i, depth)
			}
			if i < 0 {
				return -1
			}
		}
		var again bool
		if i, again = jsonwire.Comma(b, i, '}'); i < 0 {
			return -1
		}
		if !again {
			break
		}
	}
	if left != nil && !d.rest(p, m, left, depth) {
		return -1
	}
	return i
}

// mark notes the number n, in bits or else in more. It reports false if that was noted already. The
// numbers of oneofs are negative.
func mark(bits *uint64, more *map[int]bool, n int) bool {
	at := n
	if n < 0 {
		at = -1 - n
	}
	if at < 64 {
		was := *bits
		*bits |= 1 << at
		return was != *bits
	}
	if *more == nil {
		*more = map[int]bool{}
	}
	was := (*more)[n]
	(*more)[n] = true
	return !was
}

// expected returns the field whose JSON name is at i, if it is the one at next or one of some that
// follow; after the last one comes the first.
func (j *jsonPlan) expected(b []byte, i, next int) *jsonField {
	for range min(len(j.fields), 6) {
		if next == len(j.fields) {
			next = 0
		}
		if f := &j.fields[next]; jsonwire.Has(b, i, f.quoted) && f.quoted != "" {
			return f
		}
		next++
	}
	return nil
}

// find returns the field with a name as protojson finds it, or nil. Names in brackets are of
// extensions.
func (j *jsonPlan) find(m *plan, name []byte) *jsonField {
	if len(name) > 1 && name[0] == '[' && name[len(name)-1] == ']' {
		return nil
	}
	fds := m.descriptor.Fields()
	s := text(name) // not kept
	fd := fds.ByJSONName(s)
	if fd == nil {
		fd = fds.ByTextName(s)
	}
	if fd == nil {
		return nil
	}
	return &j.fields[fd.Index()]
}

// set decodes the value at i into what is at q: a field, or what a wrapper has. It returns where
// the value ends, -1 for an error.
func (d *jsonDecoder) set(q pointer, v *jsonValue, i, depth int) int {
	switch v.read {
	case readString:
		s, end := d.string(i)
		storeString(q, s)
		return end
	case readBytes:
		s, end := d.base64(i)
		storeBytes(q, v.field.bytes(s))
		return end
	case readMessage:
		sub := d.value(v.sub.slab)
		storePointer(q, sub)
		return d.message(sub, v.sub, i, depth)
	}
	bits, end := d.bits(v, i)
	if end >= 0 && !d.dropped {
		v.store(q, bits)
	}
	return end
}

// store stores a number.
func (v *jsonValue) store(q pointer, bits uint64) {
	switch v.read {
	case readInt64, readUint64, readDouble:
		store64(q, bits)
	case readBool:
		storeBool(q, bits != 0)
	default:
		store32(q, uint32(bits))
	}
}

// optional decodes the value at i into a new one, to which the pointer at q leads then.
func (d *jsonDecoder) optional(q pointer, f *jsonField, i, depth int) int {
	if !f.number {
		x := d.value(f.slab)
		storePointer(q, x)
		return d.set(x, &f.val, i, depth)
	}
	bits, end := d.bits(&f.val, i)
	if end < 0 || d.drop() {
		return end
	}
	x := d.value(f.slab)
	f.val.store(x, bits)
	storePointer(q, x)
	return end
}

// choice decodes the value at i into a new wrapper, for the oneof at q.
func (d *jsonDecoder) choice(q pointer, f *jsonField, i, depth int) int {
	if !f.number {
		x := d.value(f.slab)
		*faceAt(q) = face{f.wrapper, x}
		return d.set(x, &f.val, i, depth)
	}
	bits, end := d.bits(&f.val, i)
	if end < 0 || d.drop() {
		return end
	}
	x := d.value(f.slab)
	f.val.store(x, bits)
	*faceAt(q) = face{f.wrapper, x}
	return end
}

// drop reports whether the value that was just read counts as none.
func (d *jsonDecoder) drop() bool {
	dropped := d.dropped
	d.dropped = false
	return dropped
}

// list decodes the array at i into the slice at q, which is nil.
func (d *jsonDecoder) list(q pointer, f *jsonField, i, depth int) int {
	if faulty {
		step()
	}
	b := d.text
	if jsonwire.Char(b, i) != '[' {
		return -1
	}
	if f.header != 0 {
		header := d.value(f.header)
		storePointer(q, header)
		q = header
	}
	if i = jsonwire.Space(b, i+1); jsonwire.Char(b, i) == ']' {
		return i + 1
	}
	switch again := true; f.val.read {
	case readMessage:
		base := len(d.pointers)
		for again {
			sub := d.value(f.sub.slab)
			d.pointers = append(d.pointers, sub)
			if i = d.message(sub, f.sub, i, depth); i < 0 {
				return -1
			}
			if i, again = jsonwire.Comma(b, i, ']'); i < 0 {
				return -1
			}
		}
		settle(d, sliceAt[pointer](q), f, &d.pointers, base)
	case readString:
		base := len(d.strings)
		for again {
			var s []byte
			if s, i = d.string(i); i < 0 {
				return -1
			}
			d.strings = append(d.strings, text(s))
			if i, again = jsonwire.Comma(b, i, ']'); i < 0 {
				return -1
			}
		}
		settle(d, sliceAt[string](q), f, &d.strings, base)
	case readBytes:
		base := len(d.bytes)
		for again {
			var s []byte
			if s, i = d.base64(i); i < 0 {
				return -1
			}
			d.bytes = append(d.bytes, f.field.bytes(s))
			if i, again = jsonwire.Comma(b, i, ']'); i < 0 {
				return -1
			}
		}
		settle(d, sliceAt[[]byte](q), f, &d.bytes, base)
	default:
		base := len(d.numbers)
		for again {
			var bits uint64
			if bits, i = d.bits(&f.val, i); i < 0 {
				return -1
			}
			if !d.drop() {
				d.numbers = append(d.numbers, bits)
			}
			if i, again = jsonwire.Comma(b, i, ']'); i < 0 {
				return -1
			}
		}
		d.settleNumbers(q, f, d.numbers[base:])
		d.numbers = d.numbers[:base]
	}
	return i
}

// value returns a new zero value of the slab of a number, or of its type if there is no arena.
func (d *jsonDecoder) value(i int) pointer {
	if d.a == nil {
		return reflect.New(slabs.Type(i)).UnsafePointer()
	}
	return d.decoder.value(i)
}

// makeMap is makeMap of a decoder. Without an arena, nobody will say that the map is no longer in
// use.
func (d *jsonDecoder) makeMap(p pointer, e *entry, n int) {
	switch {
	case d.a != nil:
		d.decoder.makeMap(p, e, n)
	case loadPointer(p) == nil:
		storePointer(p, reflect.MakeMapWithSize(e.typ, n).UnsafePointer())
	}
}

// settle moves what from has from base on to a new slice in to.
func settle[T any](d *jsonDecoder, to *[]T, f *jsonField, from *[]T, base int) {
	s := (*from)[base:]
	if d.a == nil {
		*to = append(make([]T, 0, len(s)), s...) // a slice of pointers to messages is in memory what one of pointers to anything is
	} else {
		*to = append(slice[T](d.slab(f.slab).Slice(len(s)), len(s)), s...)
	}
	clear(s)
	*from = (*from)[:base]
}

// settleNumbers makes a slice of numbers at q.
func (d *jsonDecoder) settleNumbers(q pointer, f *jsonField, numbers []uint64) {
	n := len(numbers)
	switch {
	case n == 0:
	case f.slab == slabs.Of64 && d.a != nil:
		*sliceAt[uint64](q) = append(slice[uint64](d.words64(n), n), numbers...)
	case f.slab == slabs.Of64:
		*sliceAt[uint64](q) = append(make([]uint64, 0, n), numbers...)
	case f.slab == slabs.OfBool:
		s := slice[bool](d.slab(f.slab).Slice(n), n)[:n]
		for i, bits := range numbers {
			s[i] = bits != 0
		}
		*sliceAt[bool](q) = s
	default:
		s := arena.MakeSlice[uint32](d.a, n, n)
		for i, bits := range numbers {
			s[i] = uint32(bits)
		}
		*sliceAt[uint32](q) = s
	}
}

// mapping decodes the object at i into a new map at q. The map is made when the number of entries
// is known.
func (d *jsonDecoder) mapping(q pointer, f *jsonField, i, depth int) int {
	if faulty {
		step()
	}
	b := d.text
	if jsonwire.Char(b, i) != '{' {
		return -1
	}
	again := true
	if i = jsonwire.Space(b, i+1); jsonwire.Char(b, i) == '}' {
		again = false
		i++
	}
	base := len(d.elements)
	for again {
		var key, val element
		var name []byte
		if name, i = d.name(i); i < 0 || !d.key(&key, &f.key, name) {
			return -1
		}
		switch f.val.read {
		case readMessage:
			val.message = d.value(f.sub.slab)
			i = d.message(val.message, f.sub, i, depth)
		case readString:
			val.bytes, i = d.string(i)
		case readBytes:
			val.bytes, i = d.base64(i)
			val.bytes = f.val.field.bytes(val.bytes)
		default:
			val.bits, i = d.bits(&f.val, i)
		}
		switch {
		case i < 0:
			return -1
		case !d.drop():
			d.elements = append(d.elements, key, val)
		case !d.fill(q, f, base) || d.has(q, f, key): // a key must be new even if its value counts as none
			return -1
		}
		if i, again = jsonwire.Comma(b, i, '}'); i < 0 {
			return -1
		}
	}
	if !d.fill(q, f, base) {
		return -1 // a key is there twice
	}
	return i
}

// fill puts d.elements[base:], pairs of keys and values, into the map at q, which it makes if there
// is none. It reports false if a key is there twice.
func (d *jsonDecoder) fill(q pointer, f *jsonField, base int) bool {
	pairs := d.elements[base:]
	d.makeMap(q, f.entry, len(pairs)/2)
	if !d.put(q, f, pairs) {
		return false
	}
	clear(pairs)
	d.elements = d.elements[:base]
	return true
}

// put is fill without what is around it.
func (d *jsonDecoder) put(q pointer, f *jsonField, pairs []element) bool {
	if put := f.entry.put; put != nil && f.key.kind == f.entry.key.kind && f.val.kind == f.entry.val.kind {
		for k := 0; k < len(pairs); k += 2 {
			if !put(q, f.entry, pairs[k], pairs[k+1]) {
				return false
			}
		}
		return true
	}
	all, v := valueAt(f.entry.typ, q), d.variables(f.entry)
	had := all.Len()
	for k := 0; k < len(pairs); k += 2 {
		pairs[k].set(v.key, &f.key.field)
		pairs[k+1].set(v.val, &f.val.field)
		all.SetMapIndex(v.key, v.val)
	}
	v.key.SetZero()
	v.val.SetZero()
	return all.Len() == had+len(pairs)/2
}

// has reports whether the map at q has a key.
func (d *jsonDecoder) has(q pointer, f *jsonField, key element) bool {
	v := d.variables(f.entry)
	key.set(v.key, &f.key.field)
	found := valueAt(f.entry.typ, q).MapIndex(v.key).IsValid()
	v.key.SetZero()
	return found
}

// whole has protojson decode the message at i into the one at p.
func (d *jsonDecoder) whole(p pointer, m *plan, i, depth int) int {
	end := d.skip(i, -1)
	if end < 0 {
		return -1
	}
	o := d.options.theirs(depth + 1)
	o.AllowPartial = true
	if o.Unmarshal(d.text[i:end], messageAt(m.typ, p)) != nil {
		return -1
	}
	return end
}

// rest lets protojson decode left, fields of the message at p after commas, and moves the results
// into the message.
func (d *jsonDecoder) rest(p pointer, m *plan, left []byte, depth int) bool {
	if faulty {
		step()
	}
	left[0] = '{'
	msg := messageAt(m.typ, p).ProtoReflect()
	part := msg.New()
	o := d.options.theirs(depth + 1)
	o.AllowPartial = true
	if o.Unmarshal(append(left, '}'), part.Interface()) != nil {
		return false
	}
	part.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		msg.Set(fd, v)
		return true
	})
	return true
}

// makeList makes fd, if it is a list, one that was written to. In the opaque API that is more than
// nothing, also when it is empty.
func makeList(m proto.Message, fd protoreflect.FieldDescriptor) {
	if fd.IsList() {
		m.ProtoReflect().Mutable(fd)
	}
}

// key makes name a key of a map. protojson reads numbers there as package strconv does, and not as
// numbers of JSON.
func (d *jsonDecoder) key(x *element, v *jsonValue, name []byte) bool {
	if v.read == readString {
		x.bytes = d.keep(name)
		return true
	}
	var ok bool
	x.bits, ok = v.parseKey(text(name))
	return ok
}
