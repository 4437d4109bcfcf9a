package arenapb

import (
	"github.com/arena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/runtime/protoiface"
)

// leave is for a field that the plan m does not decode. It has its tag at b[start:], and its value
// at b[value:]. leave decodes an extension. All else it leaves for the end of the message, in
// d.left[left], or in a new element if left is negative. It returns where the field ends, -1 for an
// error, and the number of the element.
func (d *decoder) leave(p pointer, m *plan, f *field, b []byte, start, value, left, depth int) (end, _ int) {
	if faulty {
		step()
	}
	if f.form == formMap { // there is a map, even if what it was to hold is not an entry
		if depth == 0 {
			return -1, left
		}
		d.makeMap(at(p, f.offset), f.entry, 0)
	}
	tag, _ := varint(b, start)
	num, wire := protowire.Number(tag>>3), protowire.Type(tag&7)
	foreign := f.reason != ""
	if f == &other && m.extensions != 0 {
		var does bool
		if end, does, foreign = d.extend(p, m, num, uint8(wire), b, value); does {
			return end, left
		}
	}
	n := protowire.ConsumeFieldValue(num, wire, b[value:])
	if n < 0 {
		return -1, left
	}
	end = value + n
	if d.opts.DiscardUnknown && !foreign {
		return end, left
	}
	if left < 0 {
		left = len(d.left)
		d.left = append(d.left, span{})
	}
	s := &d.left[left]
	s.foreign = s.foreign || foreign
	if value-start == protowire.SizeTag(num) {
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
	rest, foreign := d.left[left].bytes(b), d.left[left].foreign
	d.left[left] = span{}
	d.left = d.left[:left]
	if foreign {
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
	if d.opts.NoLazyDecoding {
		in.Flags |= protoiface.UnmarshalNoLazyDecoding
	}
	out, err := msg.ProtoMethods().Unmarshal(in)
	if out.Flags&protoiface.UnmarshalInitialized == 0 {
		d.partial = true
	}
	if faulty {
		step()
	}
	return err == nil
}

// A span is the part that was cut out of the input: b[from:to] while it is in one piece, or mem.
type span struct {
	from, to int
	mem      []byte
	foreign  bool // some of it is protobuf's to decode; the rest is unknown
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
