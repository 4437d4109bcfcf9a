package arenapb

import (
	"bytes"
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/arena-go/arena"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Messages of the opaque API have fields that are not exported, and a bit for each scalar that may
// be set or not. Nothing says which bit belongs to which field. So protobuf sets the field of a
// message, and the bit that is then set belongs to the field. Then the plan is tried: it decodes
// samples that protobuf has encoded, and protobuf must read the same from the result as from its
// own message.

// findBit finds the bit of f in messages with the plan m. It returns why it cannot.
func (f *field) findBit(m *plan, fd protoreflect.FieldDescriptor, presence uintptr) (reason string) {
	one := m.new()
	one.Set(fd, one.NewField(fd))
	words := presenceOf(one)
	f.bits = uint32(32 * len(words))
	for i, w := range words {
		if w == 0 {
			continue
		}
		if f.marked || bits.OnesCount32(w) != 1 {
			return "several bits say that it is set"
		}
		f.marked, f.bit, f.presence = true, uint32(32*i+bits.TrailingZeros32(w)), presence+uintptr(4*i)
	}
	if !f.marked {
		return "no bit says that it is set"
	}
	return ""
}

// presenceOf returns the bits of m, which need not have any.
func presenceOf(m protoreflect.Message) (words []uint32) {
	if v := reflect.ValueOf(m.Interface()).Elem().FieldByName("XXX_presence"); v.IsValid() {
		for i := range v.Len() {
			words = append(words, uint32(v.Index(i).Uint()))
		}
	}
	return words
}

// new returns a new message on the heap.
func (m *plan) new() protoreflect.Message {
	return reflect.New(m.typ).Interface().(proto.Message).ProtoReflect()
}

// verify tries all plans of opaque messages. It reports false if some are wrong; those are noted as
// refused.
func (pl planner) verify() (ok bool) {
	ok = true
	for t, p := range pl.plans {
		if p.opaque && p.reason == "" {
			if reason := p.verify(); reason != "" {
				pl.refused[t] = reason
				ok = false
			}
		}
	}
	return ok
}

// verify decodes samples of each field alone and of all of them, and compares the results with
// protobuf's.
func (m *plan) verify() (reason string) {
	defer func() {
		if v := recover(); v != nil {
			reason = fmt.Sprintf("a panic while it was tried: %v", v)
		}
	}()
	a := arena.NewArena()
	defer a.Free()
	all := m.new()
	fds := m.descriptor.Fields()
	for i := range fds.Len() {
		fd := fds.Get(i)
		if m.field(uint64(fd.Number())).reason != "" {
			continue
		}
		for n := range 3 {
			one := m.new()
			fill(one, fd, n)
			fill(all, fd, n)
			if reason := m.try(a, one, fd, nil); reason != "" {
				return fmt.Sprintf("%s: %s", fd.Name(), reason)
			}
		}
	}
	return m.try(a, all, nil, nil)
}

// fill sets a field to a sample, of which there are several. Lists and maps have as many elements
// as the number says, and messages are empty.
func fill(m protoreflect.Message, fd protoreflect.FieldDescriptor, n int) {
	switch {
	case fd.IsMap():
		for i := range n {
			values := m.Mutable(fd).Map()
			v := values.NewValue()
			if fd.MapValue().Message() == nil {
				v = sample(fd.MapValue(), i)
			}
			values.Set(sample(fd.MapKey(), i).MapKey(), v)
		}
	case fd.IsList():
		for i := range n {
			list := m.Mutable(fd).List()
			if fd.Message() != nil {
				list.AppendMutable()
			} else {
				list.Append(sample(fd, i))
			}
		}
	case fd.Message() != nil:
		m.Mutable(fd)
	default:
		m.Set(fd, sample(fd, n))
	}
}

// sample returns one of several values for a scalar. The first is zero, or empty.
func sample(fd protoreflect.FieldDescriptor, n int) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n == 1)
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(n % values.Len()).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(-1000 * n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(-1000 * n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(1000 * n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(1000 * n))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(1.5 * float32(n))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1.5 * float64(n))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("text"[:n])
	}
	return protoreflect.ValueOfBytes([]byte("text")[:n])
}

// try decodes what sample is encoded to. It says how the result differs from the sample, and from
// what protobuf decodes. The sample has the field fd only, or many if fd is nil. If fd is an
// extension, e says how it is decoded.
func (m *plan) try(a *arena.Arena, sample protoreflect.Message, fd protoreflect.FieldDescriptor, e *extension) (reason string) {
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(sample.Interface())
	if err != nil {
		return err.Error()
	}
	got, want := m.new(), m.new()
	o := proto.UnmarshalOptions{AllowPartial: true, Resolver: protoregistry.GlobalTypes}
	if e != nil {
		o.Resolver = single{protoregistry.GlobalTypes, e.info}
	}
	d := &decoder{a: a, opts: UnmarshalOptions{AllowPartial: true, Resolver: o.Resolver}, size: len(b), trial: e}
	if d.message(pointerTo(got.Interface()), m, b, 0, protowire.DefaultRecursionLimit) != len(b) {
		return fmt.Sprintf("%x is refused", b)
	}
	if err := o.Unmarshal(b, want.Interface()); err != nil {
		return err.Error()
	}
	if s := differ(got, want); s != "" {
		return fmt.Sprintf("of %x becomes something else: %s", b, s)
	}
	if s := differ(got, sample); fd != nil && s != "" && sample.Has(fd) {
		return fmt.Sprintf("protobuf reads something else: %s", s)
	}
	if fd == nil {
		return ""
	}
	got.Clear(fd)
	if s := differ(got, m.new()); s != "" {
		return fmt.Sprintf("protobuf clears something else: %s", s)
	}
	return ""
}

// differ says how two messages of a type differ, or nothing.
func differ(got, want protoreflect.Message) string {
	if g, w := presenceOf(got), presenceOf(want); !slices.Equal(g, w) {
		return fmt.Sprintf("the bits are %x, not %x", g, w)
	}
	if !proto.Equal(got.Interface(), want.Interface()) || !proto.Equal(want.Interface(), got.Interface()) {
		return "another value"
	}
	o := proto.MarshalOptions{AllowPartial: true, Deterministic: true}
	g, err := o.Marshal(got.Interface())
	w, err2 := o.Marshal(want.Interface())
	if err != nil || err2 != nil || !bytes.Equal(g, w) {
		return fmt.Sprintf("it is encoded to %x, not to %x", g, w)
	}
	return ""
}
