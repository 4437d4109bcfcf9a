package arenapb

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/slabs"
	"github.com/arena-go/arena/arenapb/internal/spares"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// Extensions are in a map of protobuf's, which each message has that has any. The map is on the
// heap, and so is what protobuf puts around a list (internal/spares). Text, messages and the
// elements of short lists are in the arena.

// An extension says how one is decoded.
type extension struct {
	field  // at no offset
	info   *protoimpl.ExtensionInfo
	scalar protoreflect.Kind
	list   bool
	id     int          // of the lists that a decoder has made
	word   pointer      // the first word of the interface that a list of protobuf's is in
	slice  uintptr      // where in that list the pointer to the slice is
	typ    reflect.Type // of messages, a pointer
}

// extensions has those that have been met: of *protoimpl.ExtensionInfo, to *extension.
var extensions sync.Map

// lists counts the extensions that are lists.
var lists atomic.Int32

// extensionMaps is the kind of maps of extensions.
var extensionMaps = spares.MapOf(reflect.TypeFor[protoimpl.ExtensionFields]())

// extensionOf returns what is to be done with values of a type that m has for extensions.
func extensionOf(m *plan, xt protoreflect.ExtensionType) *extension {
	info, ok := xt.(*protoimpl.ExtensionInfo)
	if !ok {
		return &extension{field: field{reason: "its type is not one that protoc-gen-go has generated"}}
	}
	if e, ok := extensions.Load(info); ok {
		return e.(*extension)
	}
	e := newExtension(info)
	if e.reason == "" {
		e.reason = e.verify(m)
	}
	got, _ := extensions.LoadOrStore(info, e)
	return got.(*extension)
}

func newExtension(info *protoimpl.ExtensionInfo) *extension {
	xd := info.TypeDescriptor()
	k := goKinds[xd.Kind()]
	e := &extension{info: info, scalar: xd.Kind(), list: xd.IsList()}
	e.number, e.kind, e.wire = uint64(xd.Number()), k.kind, uint8(k.wire)
	e.packable = e.list && e.kind < kindString
	e.validate = e.kind == kindString && enforcesUTF8(xd.Descriptor())
	if xd.Message() != nil {
		e.planMessage()
	}
	if e.list && e.reason == "" {
		e.planList()
	}
	return e
}

// planMessage is for extensions that are messages.
func (e *extension) planMessage() {
	xd, info := e.info.TypeDescriptor(), e.info
	v := info.New()
	if e.list {
		v = v.List().NewElement()
	}
	m := v.Message().Interface()
	e.typ, e.sub = reflect.TypeOf(m), planOf(m)
	if e.sub.reason != "" {
		e.reason = fmt.Sprintf("%s: %s", xd.Message().FullName(), e.sub.reason)
	}
}

// planList is for extensions that are lists.
func (e *extension) planList() {
	e.id, e.form = int(lists.Add(1)-1), formRepeated
	t := reflect.TypeOf(e.info.InterfaceOf(e.info.Zero()))
	want := goKinds[e.scalar].go_
	if t.Kind() != reflect.Slice || t.Elem().Kind() != want || e.kind == kindBytes && t.Elem() != reflect.TypeFor[[]byte]() || e.sub != nil && t.Elem() != e.typ {
		e.reason = fmt.Sprintf("its Go type is %v", t)
		return
	}
	e.slab = e.scalarSlab()
	if e.sub != nil {
		e.slab = slabs.Number(t.Elem())
	}
	var ok bool
	if e.word, e.slice, ok = sliceOf(e.info.New().List(), t); !ok {
		e.reason = "the list that protobuf has for it is not known"
	}
}

// A single is a resolver that knows one extension.
type single struct {
	*protoregistry.Types
	info *protoimpl.ExtensionInfo
}

func (s single) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return s.info, nil
}

// verify tries e in messages with the plan m. It returns why e is left to protobuf.
func (e *extension) verify(m *plan) (reason string) {
	defer func() {
		if v := recover(); v != nil {
			reason = fmt.Sprintf("a panic while it was tried: %v", v)
		}
	}()
	a := arena.NewArena()
	defer a.Free()
	xd := e.info.TypeDescriptor()
	for n := range 3 {
		one := m.new()
		fill(one, xd, n)
		if reason := m.try(a, one, xd, e); reason != "" {
			return fmt.Sprintf("%s: %s", xd.FullName(), reason)
		}
		if e.late(m, one) {
			return fmt.Sprintf("%s: protobuf decodes it when it is first read", xd.FullName())
		}
	}
	return ""
}

// late reports whether protobuf leaves the extension of sample, a message with the plan m,
// undecoded until somebody reads it. In programs that are built with the tag protolegacy it does so
// with messages, unless they lack required fields, as the sample may.
func (e *extension) late(m *plan, sample protoreflect.Message) bool {
	if protoLegacy && e.sub != nil {
		return true
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(sample.Interface())
	if err != nil {
		return false
	}
	one := m.new()
	if proto.Unmarshal(b, one.Interface()) != nil {
		return false
	}
	x := reflect.ValueOf((*extensionsAt(at(pointerTo(one.Interface()), m.extensions)))[int32(e.number)])
	lazy := x.FieldByName("lazy")
	return lazy.IsValid() && !lazy.IsZero()
}

// A foundExtension is what a registry has for a number. It has that for good.
type foundExtension struct {
	number   protowire.Number
	registry *protoregistry.Types
	*extension
}

// maxFound is how many are noted of a message type, where they are looked for one after another.
const maxFound = 16

// find finds the extension of a number.
func (d *decoder) find(m *plan, num protowire.Number) (*extension, protoreflect.ExtensionType, error) {
	registry, _ := d.opts.Resolver.(*protoregistry.Types)
	found := m.found.Load()
	if found != nil && registry != nil && d.trial == nil {
		for i := range *found {
			if x := &(*found)[i]; x.number == num && x.registry == registry {
				return x.extension, x.info, nil
			}
		}
	}
	xt, err := d.opts.Resolver.FindExtensionByNumber(m.descriptor.FullName(), num)
	if err != nil {
		return nil, nil, err
	}
	if d.trial != nil && d.trial.info == xt {
		return d.trial, xt, nil
	}
	e := extensionOf(m, xt)
	if registry != nil && e.info != nil {
		var all []foundExtension
		if found != nil {
			all = *found
		}
		if len(all) < maxFound {
			all = append(slices.Clip(all), foundExtension{num, registry, e})
			m.found.CompareAndSwap(found, &all)
		}
	}
	return e, xt, nil
}

// extend decodes the value at b[i:] if it belongs to an extension of the message at p. It returns
// the end of the value, or -1 for an error. If it does not decode the value, protobuf decodes a
// foreign value, and any other value is unknown.
func (d *decoder) extend(p pointer, m *plan, num protowire.Number, wire uint8, b []byte, i int) (end int, does, foreign bool) {
	all := extensionsAt(at(p, m.extensions))
	x := (*all)[int32(num)]
	xt := x.Type()
	var e *extension
	if xt == nil {
		var err error
		if e, xt, err = d.find(m, num); err != nil {
			return 0, false, err != protoregistry.NotFound
		}
	} else if e = d.trial; e == nil || e.info != xt {
		e = extensionOf(m, xt)
	}
	packed := e.packable && wire == uint8(protowire.BytesType)
	if e.reason != "" || e.sub != nil && d.extended == maxExtended {
		return 0, false, true
	}
	if wire != e.wire && !packed {
		return 0, false, false
	}
	v := x.Value()
	var q pointer // the slice of a list
	if e.list {
		if !v.IsValid() {
			v = d.lists.Take(e.id, e)
		}
		list := v.List()
		f := faceAt(pointer(&list))
		if f.word != e.word || f.data == nil {
			return 0, false, true
		}
		q = loadPointer(at(f.data, e.slice))
	}
	if d.undo != nil {
		d.undo.foreign(p, m, messageAt(m.typ, p).ProtoReflect())
	}
	switch {
	case packed:
		i = d.packed(q, &e.field, b, i)
	case e.list && e.sub != nil:
		sub := d.value(e.sub.slab)
		if i = d.extension(sub, e, b, i); i < 0 {
			break
		}
		messageAt(e.sub.typ, sub).ProtoReflect() // as protobuf does, so that the message knows its type
		storePointer(longer[pointer](d, q, &e.field), sub)
	case e.list:
		switch e.slab {
		case slabs.Of32:
			q = longer[uint32](d, q, &e.field)
		case slabs.Of64:
			q = longer[uint64](d, q, &e.field)
		case slabs.OfBool:
			q = longer[bool](d, q, &e.field)
		case slabs.OfString:
			q = longer[string](d, q, &e.field)
		case slabs.OfBytes:
			q = longer[[]byte](d, q, &e.field)
		}
		i = d.set(q, &e.field, b, i, 0)
	case e.sub != nil:
		var sub pointer
		if v.IsValid() {
			m := v.Message().Interface()
			if reflect.TypeOf(m) != e.typ {
				return 0, false, true
			}
			if sub = pointerTo(m); d.undo != nil {
				d.undo.message(sub, e.sub)
			}
		} else {
			sub = d.value(e.sub.slab)
		}
		i = d.extension(sub, e, b, i)
		v = protoreflect.ValueOfMessage(messageAt(e.sub.typ, sub).ProtoReflect())
	default:
		var x element
		var ok bool
		if i, ok = d.element(&x, &e.field, b, i, 0); !ok {
			return -1, true, false
		}
		v = x.value(e.scalar)
	}
	if i < 0 {
		return -1, true, false
	}
	if *all == nil {
		storePointer(at(p, m.extensions), d.maps.Make(extensionMaps, 0).UnsafePointer())
	}
	x.Set(xt, v)
	(*all)[int32(num)] = x
	return i, true, false
}

// New makes an empty list for e.
func (e *extension) New() protoreflect.Value { return e.info.New() }

// Empty empties a list.
func (e *extension) Empty(v protoreflect.Value) bool {
	list := v.List()
	*sliceAt[struct{}](loadPointer(at(faceAt(pointer(&list)).data, e.slice))) = nil
	return true
}

// longer makes the list of an extension at p one longer, and returns where its new element is.
// Nobody has counted what is to come: a list that is not short grows on the heap, where its former
// memory does not stay until Reset.
func longer[T any](d *decoder, p pointer, f *field) pointer {
	const short = 16
	s := sliceAt[T](p)
	switch {
	case len(*s) < cap(*s):
	case len(*s) < short:
		*s = grow(d, *s, f, 1)
	default:
		*s = slices.Grow(*s, 1)
	}
	return last(s)
}

// maxExtended is how deeply messages in extensions are nested that are decoded here. Protobuf
// counts the depth anew in each of them, and so does not bound the stack.
const maxExtended = 32

// extension decodes the message or group at b[i:] into the one at p, and returns where it ends, -1
// for an error.
func (d *decoder) extension(p pointer, e *extension, b []byte, i int) int {
	var s []byte
	if e.kind == kindGroup {
		var n int
		if s, n = protowire.ConsumeGroup(protowire.Number(e.number), b[i:]); n < 0 {
			return -1
		}
		i += n
	} else if s, i = bytesOf(b, i); i < 0 {
		return -1
	}
	d.extended++
	n := d.message(p, e.sub, s, 0, protowire.DefaultRecursionLimit)
	d.extended--
	if n < 0 {
		return -1
	}
	return i
}

// value returns x as a value of a kind, which is no message.
func (x *element) value(k protoreflect.Kind) protoreflect.Value {
	switch k {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(x.bits != 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(x.bits))
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(x.bits))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(x.bits))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(x.bits))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(x.bits)
	case protoreflect.Sint32Kind:
		return protoreflect.ValueOfInt32(int32(protowire.DecodeZigZag(x.bits & math.MaxUint32)))
	case protoreflect.Sint64Kind:
		return protoreflect.ValueOfInt64(protowire.DecodeZigZag(x.bits))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(x.bits)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(x.bits))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text(x.bytes))
	}
	return protoreflect.ValueOfBytes(x.bytes)
}

// recycleExtensions recycles the messages in extensions of the message at p.
func (d *decoder) recycleExtensions(p pointer, m *plan) {
	for _, x := range *extensionsAt(at(p, m.extensions)) {
		info, _ := x.Type().(*protoimpl.ExtensionInfo)
		found, ok := extensions.Load(info)
		if !ok || found.(*extension).sub == nil || found.(*extension).reason != "" {
			continue
		}
		e := found.(*extension)
		if !e.list {
			d.recycle(pointerTo(x.Value().Message().Interface()), e.sub)
			continue
		}
		for list, i := x.Value().List(), 0; i < list.Len(); i++ {
			d.recycle(pointerTo(list.Get(i).Message().Interface()), e.sub)
		}
	}
}
