package protobuf

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"github.com/arena-go/arena/bench/protobuf/messages"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// A leastDecoder decodes profiles, logs and trees, and nothing else, into memory that it has from
// the message before. It is written by hand for these types of messages and does the least that
// Unmarshal must do: it copies the input, checks what that checks, writes the values, in lists that
// are as long as they need to be, and makes the memory zero again afterwards. It knows no unknown
// fields, no limits and no arena.
type leastDecoder struct {
	leastProfile
	leastLogs
	input room[byte]
}

// A leastProfile is what it has for profiles.
type leastProfile struct {
	ids     room[uint64]
	numbers room[int64]
	texts   room[string]
	profile room[messages.Profile]

	types     messagesOf[messages.ValueType]
	samples   messagesOf[messages.Sample]
	mappings  messagesOf[messages.Mapping]
	locations messagesOf[messages.Location]
	functions messagesOf[messages.Function]
	labels    messagesOf[messages.Label]
	lines     messagesOf[messages.Line]
}

// A room has values, of which the first n are in use and the others are zero.
type room[T any] struct {
	all []T
	n   int
}

func (r *room[T]) take(n int) []T {
	if len(r.all)-r.n < n {
		r.all, r.n = make([]T, 2*len(r.all)+n), 0
	}
	r.n += n
	return r.all[r.n-n : r.n : r.n]
}

func (r *room[T]) one() *T { return &r.take(1)[0] }

func (r *room[T]) reset() {
	clear(r.all[:r.n])
	r.n = 0
}

// messagesOf are the messages of a type, and lists of them.
type messagesOf[T any] struct {
	values room[T]
	lists  room[*T]
}

func (m *messagesOf[T]) one() *T { return m.values.one() }

func (m *messagesOf[T]) reset() {
	m.values.reset()
	m.lists.reset()
}

func (d *leastDecoder) reset() {
	d.input.n = 0
	d.leastProfile.reset()
	d.leastLogs.reset()
}

func (d *leastProfile) reset() {
	d.ids.n, d.numbers.n = 0, 0 // what is handed out of these is written
	d.texts.reset()
	d.profile.reset()
	d.types.reset()
	d.samples.reset()
	d.mappings.reset()
	d.locations.reset()
	d.functions.reset()
	d.labels.reset()
	d.lines.reset()
}

// A leastObject is memory for a profile of some hundred bytes, in one object.
type leastObject struct {
	input         [320]byte
	ids           [8]uint64
	numbers       [4]int64
	texts         [10]string
	profile       [1]messages.Profile
	types         [1]messages.ValueType
	samples       [2]messages.Sample
	locations     [3]messages.Location
	functions     [3]messages.Function
	lines         [3]messages.Line
	typeLists     [1]*messages.ValueType
	sampleLists   [2]*messages.Sample
	locationLists [3]*messages.Location
	functionLists [3]*messages.Function
	lineLists     [3]*messages.Line
}

// renew gives d new memory, which it need not make zero again: that is the bound of an arena for
// each message.
func (d *leastDecoder) renew() {
	o := new(leastObject)
	d.input, d.ids, d.numbers, d.texts, d.profile = roomIn(o.input[:]), roomIn(o.ids[:]), roomIn(o.numbers[:]), roomIn(o.texts[:]), roomIn(o.profile[:])
	d.types = messagesOf[messages.ValueType]{roomIn(o.types[:]), roomIn(o.typeLists[:])}
	d.samples = messagesOf[messages.Sample]{roomIn(o.samples[:]), roomIn(o.sampleLists[:])}
	d.locations = messagesOf[messages.Location]{roomIn(o.locations[:]), roomIn(o.locationLists[:])}
	d.functions = messagesOf[messages.Function]{roomIn(o.functions[:]), roomIn(o.functionLists[:])}
	d.lines = messagesOf[messages.Line]{roomIn(o.lines[:]), roomIn(o.lineLists[:])}
}

func roomIn[T any](all []T) room[T] { return room[T]{all: all} }

// A leastKind is what decodes a type of messages.
type leastKind func(d *leastDecoder, b []byte) (proto.Message, bool)

var leastKinds = map[*kind]leastKind{
	profiles: func(d *leastDecoder, b []byte) (proto.Message, bool) {
		p := d.profile.one()
		return p, d.top(p, b)
	},
	logs: func(d *leastDecoder, b []byte) (proto.Message, bool) {
		p := d.logs.one()
		return p, d.topLogs(p, b)
	},
	trees: func(d *leastDecoder, b []byte) (proto.Message, bool) {
		p := d.nodes.one()
		return p, d.node(p, b)
	},
}

// decode returns the message in b, or nil.
func (d *leastDecoder) decode(k leastKind, b []byte) proto.Message {
	in := d.input.take(len(b))
	copy(in, b)
	if m, ok := k(d, in); ok {
		return m
	}
	return nil
}

func (d *leastDecoder) top(p *messages.Profile, b []byte) bool {
	for i := 0; i >= 0 && i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 2:
			p.SampleType, i = list(d, &d.types, p.SampleType, b, i, (*leastDecoder).valueType)
		case 2<<3 | 2:
			p.Sample, i = list(d, &d.samples, p.Sample, b, i, (*leastDecoder).sample)
		case 3<<3 | 2:
			p.Mapping, i = list(d, &d.mappings, p.Mapping, b, i, (*leastDecoder).mapping)
		case 4<<3 | 2:
			p.Location, i = list(d, &d.locations, p.Location, b, i, (*leastDecoder).location)
		case 5<<3 | 2:
			p.Function, i = list(d, &d.functions, p.Function, b, i, (*leastDecoder).function)
		case 6<<3 | 2:
			n, have := side(b, i), len(p.StringTable)
			if n > cap(p.StringTable)-have {
				p.StringTable = append(d.texts.take(have + max(n, have))[:0], p.StringTable...)
			}
			for range n {
				var s []byte
				if s, i = piece(b, i); i < 0 || !utf8.Valid(s) {
					return false
				}
				p.StringTable = append(p.StringTable, textOf(s))
				i++
			}
			i--
		case 11<<3 | 2:
			var s []byte
			if s, i = piece(b, i); i < 0 {
				return false
			}
			if p.PeriodType == nil {
				p.PeriodType = d.types.one()
			}
			if !d.valueType(p.PeriodType, s) {
				return false
			}
		case 13<<3 | 2:
			p.Comment, i = packed(&d.numbers, p.Comment, b, i)
		default:
			var v uint64
			v, i = number(b, i)
			switch tag {
			case 7 << 3:
				p.DropFrames = int64(v)
			case 8 << 3:
				p.KeepFrames = int64(v)
			case 9 << 3:
				p.TimeNanos = int64(v)
			case 10 << 3:
				p.DurationNanos = int64(v)
			case 12 << 3:
				p.Period = int64(v)
			case 14 << 3:
				p.DefaultSampleType = int64(v)
			case 15 << 3:
				p.DocUrl = int64(v)
			default:
				return false
			}
		}
		if i < 0 {
			return false
		}
	}
	return true
}

func (d *leastDecoder) sample(p *messages.Sample, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 2:
			p.LocationId, i = packed(&d.ids, p.LocationId, b, i)
		case 2<<3 | 2:
			p.Value, i = packed(&d.numbers, p.Value, b, i)
		case 1 << 3:
			p.LocationId, i = apart(&d.ids, p.LocationId, b, i)
		case 2 << 3:
			p.Value, i = apart(&d.numbers, p.Value, b, i)
		case 3<<3 | 2:
			p.Label, i = list(d, &d.labels, p.Label, b, i, (*leastDecoder).label)
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

func (d *leastDecoder) location(p *messages.Location, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		if i++; tag == 4<<3|2 {
			if p.Line, i = list(d, &d.lines, p.Line, b, i, (*leastDecoder).line); i < 0 {
				return false
			}
			continue
		}
		var v uint64
		if v, i = number(b, i); i < 0 {
			return false
		}
		switch tag {
		case 1 << 3:
			p.Id = v
		case 2 << 3:
			p.MappingId = v
		case 3 << 3:
			p.Address = v
		case 5 << 3:
			p.IsFolded = v != 0
		default:
			return false
		}
	}
	return true
}

func (d *leastDecoder) mapping(p *messages.Mapping, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		var v uint64
		if v, i = number(b, i+1); i < 0 {
			return false
		}
		switch tag {
		case 1 << 3:
			p.Id = v
		case 2 << 3:
			p.MemoryStart = v
		case 3 << 3:
			p.MemoryLimit = v
		case 4 << 3:
			p.FileOffset = v
		case 5 << 3:
			p.Filename = int64(v)
		case 6 << 3:
			p.BuildId = int64(v)
		case 7 << 3:
			p.HasFunctions = v != 0
		case 8 << 3:
			p.HasFilenames = v != 0
		case 9 << 3:
			p.HasLineNumbers = v != 0
		case 10 << 3:
			p.HasInlineFrames = v != 0
		default:
			return false
		}
	}
	return true
}

func (d *leastDecoder) function(p *messages.Function, b []byte) bool {
	return all(b, func(tag byte, v uint64) bool {
		switch tag {
		case 1 << 3:
			p.Id = v
		case 2 << 3:
			p.Name = int64(v)
		case 3 << 3:
			p.SystemName = int64(v)
		case 4 << 3:
			p.Filename = int64(v)
		case 5 << 3:
			p.StartLine = int64(v)
		default:
			return false
		}
		return true
	})
}

func (d *leastDecoder) label(p *messages.Label, b []byte) bool {
	return all(b, func(tag byte, v uint64) bool {
		switch tag {
		case 1 << 3:
			p.Key = int64(v)
		case 2 << 3:
			p.Str = int64(v)
		case 3 << 3:
			p.Num = int64(v)
		case 4 << 3:
			p.NumUnit = int64(v)
		default:
			return false
		}
		return true
	})
}

func (d *leastDecoder) line(p *messages.Line, b []byte) bool {
	return all(b, func(tag byte, v uint64) bool {
		switch tag {
		case 1 << 3:
			p.FunctionId = v
		case 2 << 3:
			p.Line = int64(v)
		case 3 << 3:
			p.Column = int64(v)
		default:
			return false
		}
		return true
	})
}

func (d *leastDecoder) valueType(p *messages.ValueType, b []byte) bool {
	return all(b, func(tag byte, v uint64) bool {
		switch tag {
		case 1 << 3:
			p.Type = int64(v)
		case 2 << 3:
			p.Unit = int64(v)
		default:
			return false
		}
		return true
	})
}

// all calls set with each of the numbers that b is made of. The compiler puts it, and set, into its
// callers.
func all(b []byte, set func(tag byte, v uint64) bool) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		var v uint64
		if v, i = number(b, i+1); i < 0 || !set(tag, v) {
			return false
		}
	}
	return true
}

// list appends the messages that lie side by side, of which the first is at b[i:].
func list[T any](d *leastDecoder, from *messagesOf[T], to []*T, b []byte, i int, decode func(*leastDecoder, *T, []byte) bool) ([]*T, int) {
	n, have := side(b, i), len(to)
	if n > cap(to)-have {
		to = append(from.lists.take(have + max(n, have))[:0], to...)
	}
	values := from.values.take(n)
	for k := range values {
		var s []byte
		if s, i = piece(b, i); i < 0 || !decode(d, &values[k], s) {
			return to, -1
		}
		to = append(to, &values[k])
		i++ // the next tag
	}
	return to, i - 1
}

// side returns how many fields of up to 2^63 bytes lie side by side that have the tag at b[i-1].
func side(b []byte, i int) (n int) {
	for tag := b[i-1]; ; i++ {
		n++
		if _, i = piece(b, i); i < 0 || i >= len(b) || b[i] != tag {
			return n
		}
	}
}

// packed appends numbers that lie side by side.
func packed[T uint64 | int64](from *room[T], to []T, b []byte, i int) ([]T, int) {
	s, end := piece(b, i)
	if end < 0 {
		return to, -1
	}
	words := from.take(len(s)) // there are as many if each has one byte
	n := 0
	for i := 0; i < len(s); n++ {
		var v uint64
		if v, i = number(s, i); i < 0 {
			return to, -1
		}
		words[n] = T(v)
	}
	from.n -= len(words) - n
	if len(to) == 0 {
		return words[:n:n], end
	}
	return append(to, words[:n]...), end
}

// apart appends numbers that have a tag each, of which the first is at b[i:].
func apart[T uint64 | int64](from *room[T], to []T, b []byte, i int) ([]T, int) {
	tag, n := b[i-1], 0
	for j := i - 1; j >= 0 && j < len(b) && b[j] == tag; n++ {
		_, j = number(b, j+1)
	}
	if n > cap(to)-len(to) {
		to = append(from.take(len(to) + max(n, len(to)))[:0], to...)
	}
	for range n {
		var v uint64
		if v, i = number(b, i); i < 0 {
			return to, -1
		}
		to = append(to, T(v))
		i++ // the next tag
	}
	return to, i - 1
}

// piece returns the bytes at b[i:], which begin with their length, and where they end, or -1.
func piece(b []byte, i int) ([]byte, int) {
	n, i := number(b, i)
	if i < 0 || n > uint64(len(b)-i) {
		return nil, -1
	}
	end := i + int(n)
	return b[i:end:end], end
}

// number returns the varint at b[i:], and where it ends, or -1.
func number(b []byte, i int) (uint64, int) {
	if i+1 < len(b) {
		w := binary.LittleEndian.Uint16(b[i:])
		if w&0x80 == 0 {
			return uint64(w & 0x7f), i + 1
		}
		if w < 0x8000 {
			return uint64(w&0x7f | w>>8<<7), i + 2
		}
	}
	v, n := protowire.ConsumeVarint(b[max(i, 0):])
	if n < 0 {
		return 0, -1
	}
	return v, i + n
}

func textOf(b []byte) string {
	// SAFETY: b is a part of the input's copy, which nobody changes before the reset.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
