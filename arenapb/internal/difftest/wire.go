package difftest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A Wire makes random input for messages, field by field. Fields occur in any order and more than
// once, fields of a oneof one after another, and a message in several pieces.
type Wire struct {
	R *rand.Rand
	// Odd is how often, in a thousand, a field is written as no encoder would but a decoder must
	// accept: with a longer varint, packed or not against its declaration, with another type or
	// unknown, with an entry of a map that lacks parts.
	Odd int
	// Bad is how often, in a thousand, something must be refused.
	Bad int
	// Budget is about how many fields are still to come.
	Budget int
}

// NewWire returns a source of input that is good, odd or bad.
func NewWire(r *rand.Rand) *Wire {
	w := &Wire{R: r, Budget: 1 + r.IntN(1<<r.IntN(9))}
	switch r.IntN(6) {
	case 0, 1:
	case 2, 3:
		w.Odd = 20 + r.IntN(200)
	case 4:
		w.Odd, w.Bad = r.IntN(100), 1+r.IntN(10)
	case 5:
		w.Bad = 1 + r.IntN(30)
	}
	return w
}

// Input returns random input for a message.
func Input(r *rand.Rand, md protoreflect.MessageDescriptor) []byte {
	w := NewWire(r)
	var b []byte
	if r.IntN(30) == 0 {
		b = w.Nested(md, 1+r.IntN(10))
	}
	if r.IntN(6) == 0 {
		b = w.Runs(b, md)
	}
	b = w.Message(b, md, 0)
	if r.IntN(4) == 0 {
		b = w.Message(b, md, 0) // to be merged with the first
	}
	if r.IntN(10) == 0 {
		b = w.Damage(b)
	}
	return b
}

// Runs appends elements of some lists of a message. Many elements of a list are next to each other,
// or few, with elements of other lists in between.
func (w *Wire) Runs(b []byte, md protoreflect.MessageDescriptor) []byte {
	var lists []protoreflect.FieldDescriptor
	for i := range md.Fields().Len() {
		if f := md.Fields().Get(i); f.IsList() {
			lists = append(lists, f)
		}
	}
	if len(lists) == 0 {
		return b
	}
	w.R.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
	lists = lists[:min(len(lists), 1+w.R.IntN(3))]
	for range 1 + w.R.IntN(6) {
		f := lists[w.R.IntN(len(lists))]
		for range 1 + w.R.IntN(1<<w.R.IntN(7)) {
			b = w.field(b, f, 0)
		}
	}
	return b
}

func (w *Wire) rarely(n int) bool { return w.R.IntN(1000) < n }

// Message appends fields of a message.
func (w *Wire) Message(b []byte, md protoreflect.MessageDescriptor, depth int) []byte {
	fields := md.Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); f.Cardinality() == protoreflect.Required && w.R.IntN(50) > 0 && (f.Message() == nil || depth < 50) {
			b = w.field(b, f, depth)
		}
	}
	n := 0
	switch w.R.IntN(8) {
	case 0:
	case 1, 2, 3:
		n = 1 + w.R.IntN(3)
	case 4, 5, 6:
		n = 1 + w.R.IntN(12)
	case 7:
		n = 1 + w.R.IntN(2*fields.Len()+2)
	}
	extensions := extensionsOf(md)
	for range n {
		if w.Budget <= 0 {
			break
		}
		w.Budget--
		if w.rarely(w.Odd) {
			b = w.unknown(b, md)
			continue
		}
		if w.rarely(w.Bad) {
			b = w.illegal(b)
			continue
		}
		var f protoreflect.FieldDescriptor
		if i := w.R.IntN(fields.Len() + min(len(extensions), fields.Len()+2) + 1); i < fields.Len() {
			f = fields.Get(i)
		} else if len(extensions) > 0 {
			f = extensions[w.R.IntN(len(extensions))]
		} else {
			continue
		}
		if f.Message() != nil && w.R.IntN(depth+1) > 3 {
			continue
		}
		times := 1
		if w.R.IntN(6) == 0 {
			times += w.R.IntN(5)
			if f.Cardinality() == protoreflect.Repeated {
				times = 1 + w.R.IntN(20)
			}
		}
		for range times {
			b = w.field(b, f, depth)
		}
	}
	return b
}

// field appends one field, or one element of a repeated one, or several if they are packed.
func (w *Wire) field(b []byte, f protoreflect.FieldDescriptor, depth int) []byte {
	typ := WireTypes[f.Kind()]
	packable := f.IsList() && typ != protowire.BytesType && typ != protowire.StartGroupType
	if packable && f.IsPacked() != w.rarely(w.Odd) {
		var packed []byte
		for range w.R.IntN(20) {
			packed = w.value(packed, f, depth)
		}
		return w.length(w.tag(b, f.Number(), protowire.BytesType), packed)
	}
	return w.value(w.tag(b, f.Number(), typ), f, depth)
}

// WireTypes has how values of each kind are written.
var WireTypes = map[protoreflect.Kind]protowire.Type{
	protoreflect.BoolKind: protowire.VarintType, protoreflect.EnumKind: protowire.VarintType,
	protoreflect.Int32Kind: protowire.VarintType, protoreflect.Sint32Kind: protowire.VarintType, protoreflect.Uint32Kind: protowire.VarintType,
	protoreflect.Int64Kind: protowire.VarintType, protoreflect.Sint64Kind: protowire.VarintType, protoreflect.Uint64Kind: protowire.VarintType,
	protoreflect.Fixed32Kind: protowire.Fixed32Type, protoreflect.Sfixed32Kind: protowire.Fixed32Type, protoreflect.FloatKind: protowire.Fixed32Type,
	protoreflect.Fixed64Kind: protowire.Fixed64Type, protoreflect.Sfixed64Kind: protowire.Fixed64Type, protoreflect.DoubleKind: protowire.Fixed64Type,
	protoreflect.StringKind: protowire.BytesType, protoreflect.BytesKind: protowire.BytesType,
	protoreflect.MessageKind: protowire.BytesType, protoreflect.GroupKind: protowire.StartGroupType,
}

// value appends a value without its tag.
func (w *Wire) value(b []byte, f protoreflect.FieldDescriptor, depth int) []byte {
	switch f.Kind() {
	case protoreflect.BoolKind:
		if w.rarely(w.Odd) {
			return w.varint(b, w.number())
		}
		return w.varint(b, w.R.Uint64N(2))
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		if w.R.IntN(4) == 0 {
			return w.varint(b, w.number())
		}
		return w.varint(b, uint64(int64(values.Get(w.R.IntN(values.Len())).Number())))
	case protoreflect.StringKind:
		s := w.text()
		if w.rarely(8 * w.Bad) {
			s += invalid[w.R.IntN(len(invalid))] + w.text()
		}
		return w.length(b, []byte(s))
	case protoreflect.BytesKind:
		p := []byte(w.text())
		for i := range p {
			p[i] ^= byte(w.R.IntN(2) * w.R.IntN(256))
		}
		return w.length(b, p)
	case protoreflect.MessageKind:
		var p []byte
		if f.IsMap() && !w.rarely(4*w.Odd) {
			p = w.field(p, f.MapKey(), depth+1)
			p = w.field(p, f.MapValue(), depth+1)
		} else {
			p = w.Message(p, f.Message(), depth+1)
		}
		return w.length(b, p)
	case protoreflect.GroupKind:
		b = w.Message(b, f.Message(), depth+1)
		if w.rarely(4 * w.Bad) {
			return w.illegal(b)
		}
		return w.tag(b, f.Number(), protowire.EndGroupType)
	default:
		switch WireTypes[f.Kind()] {
		case protowire.Fixed32Type:
			return protowire.AppendFixed32(b, uint32(w.number()))
		case protowire.Fixed64Type:
			return protowire.AppendFixed64(b, w.number())
		}
		return w.varint(b, w.number())
	}
}

// invalid are texts that are no UTF-8.
var invalid = []string{"\xff", "\x80", "\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}

// text returns a text of a length that is most often small.
func (w *Wire) text() string {
	switch w.R.IntN(20) {
	case 0, 1:
		return ""
	case 2:
		return strings.Repeat("long ", w.R.IntN(1<<w.R.IntN(8)))
	case 3:
		return "\x00\u00e9\u20ac\U0001F600\uFFFD"
	}
	var s strings.Builder
	for range 1 + w.R.IntN(12) {
		s.WriteByte(byte('a' + w.R.IntN(26)))
	}
	return s.String()
}

// number returns a number of any size, and often one at an edge.
func (w *Wire) number() uint64 {
	switch w.R.IntN(4) {
	case 0:
		return uint64(w.R.IntN(300))
	case 1:
		return uint64(1)<<w.R.IntN(64) - uint64(w.R.IntN(2))
	case 2:
		return -uint64(w.R.IntN(300))
	}
	return w.R.Uint64() >> w.R.IntN(64)
}

func (w *Wire) tag(b []byte, num protowire.Number, typ protowire.Type) []byte {
	return w.varint(b, protowire.EncodeTag(num, typ))
}

func (w *Wire) length(b, p []byte) []byte {
	n := uint64(len(p))
	if w.rarely(w.Bad) {
		n = w.number()
	}
	return append(w.varint(b, n), p...)
}

// varint appends a varint, of more bytes than it takes if that is asked for.
func (w *Wire) varint(b []byte, v uint64) []byte {
	if w.rarely(w.Bad) {
		return append(append(b, strings.Repeat("\x80", 9+w.R.IntN(3))...), byte(w.R.IntN(4)))
	}
	if !w.rarely(w.Odd) {
		return protowire.AppendVarint(b, v)
	}
	n := len(b) + protowire.SizeVarint(v) + w.R.IntN(11-protowire.SizeVarint(v))
	b = protowire.AppendVarint(b, v)
	for len(b) < n {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

// unknown appends a field that the message does not have, or has with another type.
func (w *Wire) unknown(b []byte, md protoreflect.MessageDescriptor) []byte {
	num := protowire.Number(1 + w.R.IntN(200))
	switch fields := md.Fields(); w.R.IntN(4) {
	case 0:
		num = protowire.Number(min(1+w.R.IntN(1<<w.R.IntN(30)), int(protowire.MaxValidNumber)))
	case 1, 2:
		if fields.Len() > 0 {
			num = fields.Get(w.R.IntN(fields.Len())).Number()
		}
	}
	f := md.Fields().ByNumber(num)
	for _, x := range extensionsOf(md) {
		if x.Number() == num {
			f = x
		}
	}
	return w.any(b, num, f, 0)
}

var wireTypeList = []protowire.Type{protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type, protowire.BytesType, protowire.StartGroupType}

// any appends a field with a value of any type except the type of f, if f is not nil.
func (w *Wire) any(b []byte, num protowire.Number, f protoreflect.FieldDescriptor, depth int) []byte {
	typ := wireTypeList[w.R.IntN(len(wireTypeList))]
	for f != nil && (typ == WireTypes[f.Kind()] || typ == protowire.BytesType && f.IsList()) {
		typ = wireTypeList[w.R.IntN(len(wireTypeList))]
	}
	b = w.tag(b, num, typ)
	switch typ {
	case protowire.VarintType:
		return w.varint(b, w.number())
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, w.R.Uint32())
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, w.R.Uint64())
	case protowire.BytesType:
		return w.length(b, []byte(w.text()))
	}
	for depth < 5 && w.R.IntN(3) > 0 {
		b = w.any(b, protowire.Number(1+w.R.IntN(30)), nil, depth+1)
	}
	return w.tag(b, num, protowire.EndGroupType)
}

// illegal appends what no message may have.
func (w *Wire) illegal(b []byte) []byte {
	num := protowire.Number(1 + w.R.IntN(120))
	switch w.R.IntN(7) {
	case 0:
		return w.any(w.varint(b, w.R.Uint64N(8)), num, nil, 0) // the field with number 0
	case 1:
		return w.varint(w.varint(b, uint64(protowire.MaxValidNumber+1+protowire.Number(w.R.IntN(1000)))<<3), 1)
	case 2:
		return w.varint(w.varint(b, w.R.Uint64()|1<<32), 1)
	case 3:
		return w.tag(b, num, protowire.EndGroupType)
	case 4:
		return w.tag(b, num, protowire.StartGroupType)
	case 5:
		return w.varint(b, uint64(num)<<3|6+w.R.Uint64N(2))
	}
	return w.tag(w.tag(b, num, protowire.StartGroupType), num+1, protowire.EndGroupType)
}

// Damage changes bytes wherever they are.
func (w *Wire) Damage(b []byte) []byte {
	for range 1 + w.R.IntN(3) {
		if len(b) == 0 {
			break
		}
		i := w.R.IntN(len(b))
		switch w.R.IntN(6) {
		case 0:
			b = b[:i]
		case 1:
			b[i] ^= 1 << w.R.IntN(8)
		case 2:
			b[i] = byte(w.R.Uint32())
		case 3:
			b = append(b[:i:i], b[i+1:]...)
		case 4:
			b = append(b[:i:i], append([]byte{byte(w.R.Uint32())}, b[i:]...)...)
		case 5:
			j := i + w.R.IntN(len(b)-i)
			b = append(b[:j:j], b[i:]...) // some of it again
		}
	}
	return b
}

// Nested returns a message inside itself, depth times, by a field of its own type or of
// what that has; nil if there is no such field.
func (w *Wire) Nested(md protoreflect.MessageDescriptor, depth int) []byte {
	path := cycle(md)
	if path == nil {
		return nil
	}
	var front, back []byte // the front from its end
	for i := (depth/len(path) + 1) * len(path); i > 0; i-- {
		f := path[(i-1)%len(path)]
		var start []byte
		if f.Kind() == protoreflect.GroupKind {
			start = protowire.AppendTag(nil, f.Number(), protowire.StartGroupType)
			back = protowire.AppendTag(back, f.Number(), protowire.EndGroupType)
		} else {
			start = protowire.AppendVarint(protowire.AppendTag(nil, f.Number(), protowire.BytesType), uint64(len(front)+len(back)))
		}
		slices.Reverse(start)
		front = append(front, start...)
	}
	slices.Reverse(front)
	return append(front, back...)
}

// cycle returns the shortest way from a message through fields to a message of the same type.
func cycle(md protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	type way struct {
		md   protoreflect.MessageDescriptor
		path []protoreflect.FieldDescriptor
	}
	seen := map[protoreflect.FullName]bool{}
	for queue := []way{{md, nil}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		fields := make([]protoreflect.FieldDescriptor, 0, at.md.Fields().Len())
		for i := range at.md.Fields().Len() {
			fields = append(fields, at.md.Fields().Get(i))
		}
		for _, f := range append(fields, extensionsOf(at.md)...) {
			if f.Message() == nil {
				continue
			}
			path := append(at.path[:len(at.path):len(at.path)], f)
			if f.Message().FullName() == md.FullName() {
				return path
			}
			if !seen[f.Message().FullName()] {
				seen[f.Message().FullName()] = true
				queue = append(queue, way{f.Message(), path})
			}
		}
	}
	return nil
}

// extensionsOf returns the extensions of a message in the order of their numbers.
func extensionsOf(md protoreflect.MessageDescriptor) (list []protoreflect.FieldDescriptor) {
	if md.ExtensionRanges().Len() == 0 {
		return nil
	}
	protoregistry.GlobalTypes.RangeExtensionsByMessage(md.FullName(), func(xt protoreflect.ExtensionType) bool {
		list = append(list, xt.TypeDescriptor())
		return true
	})
	slices.SortFunc(list, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
	return list
}
