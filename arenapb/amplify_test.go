package arenapb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// smallest appends a field with the smallest value that it can have, and again its smallest parts
// down to some depth.
func smallest(b []byte, f protoreflect.FieldDescriptor, depth int) []byte {
	var p []byte
	if f.Message() != nil && depth > 0 {
		for i := range min(f.Message().Fields().Len(), 3) {
			p = smallest(p, f.Message().Fields().Get(i), depth-1)
		}
	}
	typ := difftest.WireTypes[f.Kind()]
	b = protowire.AppendTag(b, f.Number(), typ)
	switch typ {
	case protowire.VarintType:
		return append(b, 0)
	case protowire.Fixed32Type:
		return append(b, 0, 0, 0, 0)
	case protowire.Fixed64Type:
		return append(b, 0, 0, 0, 0, 0, 0, 0, 0)
	case protowire.BytesType:
		return protowire.AppendBytes(b, p)
	}
	return protowire.AppendTag(append(b, p...), f.Number(), protowire.EndGroupType)
}

// hostile calls f with inputs for a message whose parts overwrite each other or come again and
// again: each field alone, each two neighbours of a oneof in turns, and some of those within a
// message that is there once, or in a oneof, or in a map. Each is about n bytes long.
func hostile(r *rand.Rand, md protoreflect.MessageDescriptor, n int, f func(name string, b []byte)) {
	units := func(md protoreflect.MessageDescriptor) (names []string, list [][]byte) {
		fields := extensionsOf(md)
		for i := range md.Fields().Len() {
			fields = append(fields, md.Fields().Get(i))
		}
		for _, fd := range fields {
			for depth := range 2 {
				b := smallest(nil, fd, depth)
				names, list = append(names, fmt.Sprintf("%s, depth %d", fd.Name(), depth)), append(list, b)
				if oneof := fd.ContainingOneof(); oneof != nil && oneof.Fields().Len() > 1 {
					next := fd
					for k := range oneof.Fields().Len() {
						if oneof.Fields().Get(k) == fd {
							next = oneof.Fields().Get((k + 1) % oneof.Fields().Len())
						}
					}
					names = append(names, fmt.Sprintf("%s, %s, depth %d", fd.Name(), next.Name(), depth))
					list = append(list, smallest(b[:len(b):len(b)], next, depth))
				}
			}
		}
		return names, list
	}
	repeat := func(unit []byte) []byte { return bytes.Repeat(unit, max(n/len(unit), 1)) }
	names, list := units(md)
	for i, name := range names {
		f(name, repeat(list[i]))
	}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		sub := fd.Message()
		if fd.IsMap() {
			sub = fd.MapValue().Message()
		}
		if sub == nil || fd.Kind() == protoreflect.GroupKind || sub.Fields().Len() == 0 {
			continue
		}
		names, list := units(sub)
		for range min(4, len(names)) {
			k := r.IntN(len(names))
			b := list[k]
			if fd.IsMap() {
				b = protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), b)
			}
			b = protowire.AppendBytes(protowire.AppendTag(nil, fd.Number(), protowire.BytesType), b)
			if oneof := fd.ContainingOneof(); oneof != nil && r.IntN(2) == 0 {
				b = smallest(b, oneof.Fields().Get(r.IntN(oneof.Fields().Len())), 0)
			}
			f(fmt.Sprintf("%s: %s", fd.Name(), names[k]), repeat(b))
		}
	}
}

// extensionsOf returns the extensions of a message, by number.
func extensionsOf(md protoreflect.MessageDescriptor) (list []protoreflect.FieldDescriptor) {
	protoregistry.GlobalTypes.RangeExtensionsByMessage(md.FullName(), func(xt protoreflect.ExtensionType) bool {
		list = append(list, xt.TypeDescriptor())
		return true
	})
	slices.SortFunc(list, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	return list
}

// some returns all of a list, or a few where the tests are to be short.
func some(r *rand.Rand, list []protoreflect.MessageType) []protoreflect.MessageType {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:rounds(len(list))]
}

// weight returns how many bytes of memory a value has in what it points at.
func weight(v reflect.Value) (n int64) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Invalid {
			if v.Type().Elem().Kind() == reflect.Struct && !v.Type().Implements(reflect.TypeFor[proto.Message]()) && v.Type().Elem().NumField() != 1 {
				return 0 // of protobuf
			}
			n = int64(v.Type().Elem().Size()) + weight(v.Elem())
		}
	case reflect.Interface:
		n = weight(v.Elem())
	case reflect.Struct:
		if reflect.PointerTo(v.Type()).Implements(reflect.TypeFor[proto.Message]()) {
			m := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface().(proto.Message)
			m.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, x protoreflect.Value) bool {
				switch {
				case !fd.IsExtension():
				case fd.IsList():
					n += weight(reflect.ValueOf(proto.GetExtension(m, fd.(protoreflect.ExtensionTypeDescriptor).Type())))
				case fd.Message() != nil:
					n += weight(reflect.ValueOf(x.Message().Interface()))
				}
				return true
			})
		}
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "state" && name != "extensionFields" {
				n += weight(v.Field(i))
			}
		}
	case reflect.Slice:
		n = int64(v.Cap()) * int64(v.Type().Elem().Size())
		if k := v.Type().Elem().Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.String {
			for i := range v.Len() {
				n += weight(v.Index(i))
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			n += weight(i.Value())
		}
	}
	return n
}

// bound is what the package comment promises: how many bytes an arena takes for a message of n
// bytes that weighs w.
func bound(n int, w int64) int64 { return 16*int64(n) + 2*w + 32<<10 }

// TestAmplification decodes hostile inputs for each type of message, and compares what they take
// from the arena with the promise.
func TestAmplification(t *testing.T) {
	if watched() {
		t.Log("such programs take more")
		return
	}
	const size = 4 << 10
	r := random(t)
	worst, which, inputs := 0.0, "", 0
	for _, mt := range some(r, types()) {
		hostile(r, mt.Descriptor(), size, func(name string, b []byte) {
			for _, merge := range []bool{false, true} {
				inputs++
				a := arena.NewArena()
				m := mt.New().Interface()
				o := arenapb.UnmarshalOptions{AllowPartial: true, Merge: merge}
				if merge { // into what the caller has
					if err := o.Unmarshal(nil, b[:len(b)/2], m); err != nil {
						proto.Reset(m)
					}
				}
				if err := o.Unmarshal(a, b, m); err == nil {
					used := a.Stats().Reserved
					w := weight(reflect.ValueOf(m))
					if r := float64(used-2*w) / float64(len(b)); r > worst {
						worst, which = r, fmt.Sprintf("%s: %s", mt.Descriptor().FullName(), name)
					}
					if used > bound(len(b), w) {
						t.Errorf("%s: %s, Merge %t: %d bytes of input take %d, and the message weighs %d", mt.Descriptor().FullName(), name, merge, len(b), used, w)
					}
				}
				a.Free()
			}
		})
	}
	t.Logf("%d inputs; at worst %.1f bytes for one of input, %s", inputs, worst, which)
}

// TestAmplificationOneof decodes messages in each of which a text takes the place of a message.
// Each message takes the memory of the one before, so the arena must not make room for all. This
// arena has not learnt from others how much it needs.
func TestAmplificationOneof(t *testing.T) {
	if watched() {
		t.Log("such programs take more")
		return
	}
	m := new(testpb.OpenMix)
	list := m.ProtoReflect().Descriptor().Fields().ByName("three_rep")
	leaf := list.Message().Fields()
	part := smallest(smallest(nil, leaf.ByName("tree"), 1), leaf.ByName("text"), 0)
	b := bytes.Repeat(protowire.AppendBytes(protowire.AppendTag(nil, list.Number(), protowire.BytesType), part), 4<<10/len(part))
	a := arena.NewWith(arena.Options{Limit: 1 << 30})
	defer a.Free()
	if err := (arenapb.UnmarshalOptions{}).Unmarshal(a, b, m); err != nil {
		t.Fatal(err)
	}
	if s := a.Stats(); s.Reserved > 2*s.InUse {
		t.Errorf("%d bytes of input take %d, of which %d are in use", len(b), s.Reserved, s.InUse)
	}
}

// TestAmplificationLimit decodes the same inputs into arenas with a limit: none takes more.
func TestAmplificationLimit(t *testing.T) {
	const size, most = 4 << 10, 64 << 10
	r := random(t)
	stopped := 0
	for _, mt := range some(r, testpb.Messages()) {
		a := arena.NewWith(arena.Options{Limit: most})
		hostile(r, mt.Descriptor(), size, func(name string, b []byte) {
			m := mt.New().Interface()
			err := arena.Try(func() { arenapb.UnmarshalOptions{AllowPartial: true}.Unmarshal(a, b, m) })
			var limit *arena.LimitError
			if err != nil && !errors.As(err, &limit) {
				t.Errorf("%s: %s: %v", mt.Descriptor().FullName(), name, err)
			}
			if err != nil {
				stopped++
			}
			if r := a.Stats().Reserved; r > most {
				t.Errorf("%s: %s: the arena holds %d", mt.Descriptor().FullName(), name, r)
			}
			a.Reset()
		})
		a.Free()
	}
	if stopped == 0 && testrun.Long() {
		t.Error("no input was stopped")
	}
}
