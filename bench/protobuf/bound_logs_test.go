package protobuf

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/arena-go/arena/bench/protobuf/messages"
	"google.golang.org/protobuf/encoding/protowire"
)

// leastLogs are what a leastDecoder has for logs and for trees.
type leastLogs struct {
	logs       room[messages.Logs]
	sources    messagesOf[messages.Source]
	scopes     messagesOf[messages.Scope]
	records    messagesOf[messages.Record]
	attributes messagesOf[messages.Attribute]
	values     messagesOf[messages.Value]
	lists      room[messages.Values]
	objects    room[messages.Attributes]
	durations  room[float64]

	// The members of Value's oneof.
	text   room[messages.Value_Text]
	flag   room[messages.Value_Flag]
	number room[messages.Value_Number]
	real   room[messages.Value_Real]
	list   room[messages.Value_List]
	object room[messages.Value_Object]
	blob   room[messages.Value_Blob]

	maps []map[string]string // of which the first used are in use, and the others empty
	used int

	nodes messagesOf[messages.Node]
}

func (d *leastLogs) reset() {
	d.logs.reset()
	d.sources.reset()
	d.scopes.reset()
	d.records.reset()
	d.attributes.reset()
	d.values.reset()
	d.lists.reset()
	d.objects.reset()
	d.durations.n = 0
	d.text.reset()
	d.flag.reset()
	d.number.reset()
	d.real.reset()
	d.list.reset()
	d.object.reset()
	d.blob.reset()
	for _, m := range d.maps[:d.used] {
		clear(m)
	}
	d.used = 0
	d.nodes.reset()
}

func (d *leastDecoder) topLogs(p *messages.Logs, b []byte) bool {
	for i := 0; i < len(b); {
		if b[i] != 1<<3|2 {
			return false
		}
		if p.Sources, i = list(d, &d.sources, p.Sources, b, i+1, (*leastDecoder).source); i < 0 {
			return false
		}
	}
	return true
}

func (d *leastDecoder) source(p *messages.Source, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 2:
			i = d.pair(&p.Labels, b, i)
		case 2<<3 | 2:
			p.Attributes, i = list(d, &d.attributes, p.Attributes, b, i, (*leastDecoder).attribute)
		case 3<<3 | 2:
			p.Scopes, i = list(d, &d.scopes, p.Scopes, b, i, (*leastDecoder).scope)
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

func (d *leastDecoder) scope(p *messages.Scope, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 2:
			p.Name, i = valid(b, i)
		case 2<<3 | 2:
			p.Version, i = valid(b, i)
		case 3<<3 | 2:
			p.Records, i = list(d, &d.records, p.Records, b, i, (*leastDecoder).record)
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

func (d *leastDecoder) record(p *messages.Record, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 1:
			p.Time, i = eight(b, i)
		case 2<<3 | 1:
			p.Observed, i = eight(b, i)
		case 3 << 3:
			var v uint64
			v, i = number(b, i)
			p.Severity = messages.Severity(v)
		case 4<<3 | 2:
			var s []byte
			if s, i = piece(b, i); i < 0 {
				return false
			}
			if p.Body == nil {
				p.Body = d.values.one()
			}
			if !d.value(p.Body, s) {
				return false
			}
		case 5<<3 | 2:
			p.Attributes, i = list(d, &d.attributes, p.Attributes, b, i, (*leastDecoder).attribute)
		case 6<<3 | 2:
			i = d.pair(&p.Tags, b, i)
		case 7 << 3:
			var v uint64
			v, i = number(b, i)
			p.Dropped = uint32(v)
		case 8<<3 | 2:
			p.Trace, i = piece(b, i)
		case 9<<3 | 2:
			p.Span, i = piece(b, i)
		case 10<<3 | 1:
			var v uint64
			v, i = eight(b, i)
			p.Duration = &d.durations.take(1)[0]
			*p.Duration = math.Float64frombits(v)
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

func (d *leastDecoder) attribute(p *messages.Attribute, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 2:
			p.Key, i = valid(b, i)
		case 2<<3 | 2:
			var s []byte
			if s, i = piece(b, i); i < 0 {
				return false
			}
			if p.Value == nil {
				p.Value = d.values.one()
			}
			if !d.value(p.Value, s) {
				return false
			}
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

// value decodes a Value. Two members of its oneof on the wire are no more than the last one here,
// which is right for all but two lists or two objects.
func (d *leastDecoder) value(p *messages.Value, b []byte) bool {
	for i := 0; i < len(b); {
		var v uint64
		var s []byte
		tag := b[i]
		switch i++; tag & 7 {
		case 0:
			v, i = number(b, i)
		case 1:
			v, i = eight(b, i)
		case 2:
			s, i = piece(b, i)
		default:
			return false
		}
		if i < 0 {
			return false
		}
		switch tag {
		case 1<<3 | 2:
			if !utf8.Valid(s) {
				return false
			}
			w := d.text.one()
			w.Text = textOf(s)
			p.Value = w
		case 2 << 3:
			w := d.flag.one()
			w.Flag = v != 0
			p.Value = w
		case 3 << 3:
			w := d.number.one()
			w.Number = int64(v)
			p.Value = w
		case 4<<3 | 1:
			w := d.real.one()
			w.Real = math.Float64frombits(v)
			p.Value = w
		case 5<<3 | 2:
			w, l := d.list.one(), d.lists.one()
			w.List, p.Value = l, w
			for i := 0; i < len(s); {
				if s[i] != 1<<3|2 {
					return false
				}
				if l.Values, i = list(d, &d.values, l.Values, s, i+1, (*leastDecoder).value); i < 0 {
					return false
				}
			}
		case 6<<3 | 2:
			w, l := d.object.one(), d.objects.one()
			w.Object, p.Value = l, w
			for i := 0; i < len(s); {
				if s[i] != 1<<3|2 {
					return false
				}
				if l.Attributes, i = list(d, &d.attributes, l.Attributes, s, i+1, (*leastDecoder).attribute); i < 0 {
					return false
				}
			}
		case 7<<3 | 2:
			w := d.blob.one()
			w.Blob = s
			p.Value = w
		default:
			return false
		}
	}
	return true
}

// pair adds the entry at b[i:] to a map, and returns where it ends, or -1.
func (d *leastDecoder) pair(to *map[string]string, b []byte, i int) int {
	s, end := piece(b, i)
	if end < 0 {
		return -1
	}
	var key, value string
	for i := 0; i < len(s); {
		tag := s[i]
		switch i++; tag {
		case 1<<3 | 2:
			key, i = valid(s, i)
		case 2<<3 | 2:
			value, i = valid(s, i)
		default:
			return -1
		}
		if i < 0 {
			return -1
		}
	}
	if *to == nil {
		if d.used == len(d.maps) {
			d.maps = append(d.maps, map[string]string{})
		}
		*to = d.maps[d.used]
		d.used++
	}
	(*to)[key] = value
	return end
}

func (d *leastDecoder) node(p *messages.Node, b []byte) bool {
	for i := 0; i < len(b); {
		tag := b[i]
		switch i++; tag {
		case 1<<3 | 2:
			p.Name, i = valid(b, i)
		case 2 << 3:
			var v uint64
			v, i = number(b, i)
			p.Line = int32(v)
		case 3 << 3:
			var v uint64
			v, i = number(b, i)
			p.Column = int32(protowire.DecodeZigZag(v & math.MaxUint32))
		case 4<<3 | 2:
			var s []byte
			if s, i = piece(b, i); i < 0 {
				return false
			}
			if p.Type == nil {
				p.Type = d.nodes.one()
			}
			if !d.node(p.Type, s) {
				return false
			}
		case 5<<3 | 2:
			p.Children, i = list(d, &d.nodes, p.Children, b, i, (*leastDecoder).node)
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

// valid returns the text at b[i:], which begins with its length, and where it ends, or -1.
func valid(b []byte, i int) (string, int) {
	s, i := piece(b, i)
	if i < 0 || !utf8.Valid(s) {
		return "", -1
	}
	return textOf(s), i
}

// eight returns the eight bytes at b[i:], and where they end, or -1.
func eight(b []byte, i int) (uint64, int) {
	if len(b)-i < 8 {
		return 0, -1
	}
	return binary.LittleEndian.Uint64(b[i:]), i + 8
}
