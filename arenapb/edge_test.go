package arenapb_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestNil decodes into messages that are nil: what package proto does, returning or panicking,
// arenapb does too.
func TestNil(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	messages := []proto.Message{nil}
	for _, mt := range testpb.Messages() {
		messages = append(messages, mt.Zero().Interface())
	}
	for _, m := range messages {
		for _, merge := range []bool{false, true} {
			for _, b := range [][]byte{nil, {}, {8, 1}, {10, 0}, {0xff}} {
				var got, want error
				gotReturned := difftest.Catch(func() { got = arenapb.UnmarshalOptions{Merge: merge}.Unmarshal(a, b, m) })
				wantReturned := difftest.Catch(func() { want = proto.UnmarshalOptions{Merge: merge}.Unmarshal(b, m) })
				if gotReturned != wantReturned {
					t.Errorf("%T from %x, Merge %t: returned %t, want %t", m, b, merge, gotReturned, wantReturned)
				}
				if s := difftest.SameError(got, want); s != "" {
					t.Errorf("%T from %x, Merge %t: %s", m, b, merge, s)
				}
			}
		}
	}
}

// TestManyRequired leaves out each of 66 required fields.
func TestManyRequired(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for without := range 67 {
		var b []byte
		for i := 1; i <= 66; i++ {
			if i != without {
				b = protowire.AppendVarint(protowire.AppendTag(b, protowire.Number(i), protowire.VarintType), 1)
			}
		}
		if s := difftest.SameError(arenapb.Unmarshal(a, b, &testpb.Many2{}), proto.Unmarshal(b, &testpb.Many2{})); s != "" {
			t.Errorf("without field %d: %s", without, s)
		}
	}
}

// TestEqualKeys proves that maps are made for the entries that they will have: not for empty ones,
// of which there may be millions in a small input, whose keys are all the same.
func TestEqualKeys(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	fd := (&testpb.Maps3{}).ProtoReflect().Descriptor().Fields().ByName("int32_bytes")
	b := protowire.AppendBytes(protowire.AppendTag(nil, fd.Number(), protowire.BytesType), nil)
	b = bytes.Repeat(b, 1<<20/len(b))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := arenapb.New[testpb.Maps3](a)
	if err := arenapb.Unmarshal(a, b, m); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 20*uint64(len(b)) && !watched() { // programs that look for mistakes take more
		t.Errorf("%d bytes of input took %d", len(b), n)
	}
}

// TestScratch proves that deep nesting leaves nothing behind outside the arena, which no limit
// would count.
func TestScratch(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	var b []byte
	for range 5000 {
		b = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b)
		b = append(b, 0x78, 1) // unknown
		b = protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), nil)
	}
	if err := arenapb.Unmarshal(a, b, arenapb.New[testpb.Ping2](a)); err != nil {
		t.Fatal(err)
	}
	if n := arenapb.Scratch(a); n > 1000 {
		t.Errorf("the decoder keeps room for %d", n)
	}
}

// TestErrors has an input for each error that decoding has.
func TestErrors(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, test := range []struct {
		m    proto.Message
		b    string
		want string
	}{
		{&testpb.Required2{}, "", "required field arena.testpb.Required2.id not set"},
		{&testpb.Required2{}, "\x08\x01", "required field arena.testpb.Required2.name not set"},
		{&testpb.Required2{}, "\x08\x01\x12\x00\x1a\x02\x08\x01", "required field arena.testpb.Required2.name not set"},
		{&testpb.Holds2{}, "\x0a\x05\x92\x0a\x02\x08\x01", "required field arena.testpb.Required2.name not set"}, // in an extension
		{&testpb.NeedsOp{}, "", "required field arena.testpb.NeedsOp.id not set"},
		{&testpb.Tree3{}, "\x2a\x02\xc3(", "invalid UTF-8"},
		{&testpb.Tree3{}, "\x2a\x05ab", "cannot parse invalid wire-format data"},
		{&testpb.Tree3{}, "\x00\x00", "cannot parse invalid wire-format data"},
		{&testpb.Tree3{}, "\x0c", "cannot parse invalid wire-format data"},
		{&testpb.Tree3{}, "\x0b\x08\x01", "cannot parse invalid wire-format data"},
		{&testpb.Tree3{}, "\x0e\x01", "cannot parse invalid wire-format data"},
		{&testpb.All2{}, "\x93\x01\x9c\x01", "cannot parse invalid wire-format data"}, // the end of another group
		{&testpb.All2{}, "\x93\x01", "cannot parse invalid wire-format data"},
		{&testpb.Tree3{}, strings.Repeat("\xff", 12), "cannot parse invalid wire-format data"},
	} {
		got := arenapb.Unmarshal(a, []byte(test.b), test.m)
		if got == nil || !strings.Contains(got.Error(), test.want) || !errors.Is(got, proto.Error) {
			t.Errorf("%T from %q: %v, want %s", test.m, test.b, got, test.want)
			continue
		}
		want := proto.Unmarshal([]byte(test.b), test.m)
		if g, w := strings.ReplaceAll(got.Error(), "\u00a0", " "), strings.ReplaceAll(want.Error(), "\u00a0", " "); g != w {
			t.Errorf("%T from %q: %s, want %s", test.m, test.b, g, w)
		}
	}
}

// TestMergeError merges input that has an error behind a field that is decoded late: package proto
// may panic when what is left of the message is used, so nothing may use it.
func TestMergeError(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	b, err := hex.DecodeString("ea010af9fdffffffffffffff01e2010b6568646c676b7a6d666d761a7aaa03057269657267faffffff0f00d006fe01fa080b08c5ffffffffffffffff01800200c804" +
		"808080808010c80401c80402c80402c80401c80401c804a102c8048004c80401c8043dc80402c80402c8040280808080808080808080800202c80401c8048001c804029004f9fdffffffffffffff012098f4e2da23")
	if err != nil {
		t.Fatal(err)
	}
	gotErr := arenapb.UnmarshalOptions{Merge: true}.Unmarshal(a, b, new(testpb.HybridMix))
	wantErr := proto.UnmarshalOptions{Merge: true}.Unmarshal(b, new(testpb.HybridMix))
	if s := difftest.SameError(gotErr, wantErr); s != "" || wantErr == nil {
		t.Errorf("%s, want %v", s, wantErr)
	}
}

// TestMergeExtension merges extensions that the message has and the resolver does not know. An
// empty list is one, too.
func TestMergeExtension(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, c := range []struct {
		xt    protoreflect.ExtensionType
		value any
		input string
	}{
		{testpb.E_ExtMessageEd, new(testpb.SmallEd), "\xa2\x06\x01\xff"},
		{testpb.E_ExtPackedEd, []int32{}, "\xc2\x06\x01\xff"},
		{testpb.E_ExtPackedEd, []int32{}, "\xc2\x06\x01\x02\xc2\x06\x01\xff"},
		{testpb.E_ExtStringsEd, []string{}, "\xaa\x06\x01s\xaa\x06\x01\xff"},
	} {
		p := newPair(new(testpb.ExtendableEd).ProtoReflect().Type())
		for _, m := range []proto.Message{p.Got, p.Want} {
			proto.SetExtension(m, c.xt, c.value)
		}
		p.decode(t, a, []byte(c.input), arenapb.UnmarshalOptions{Merge: true, Resolver: new(protoregistry.Types)})
	}
}

// TestExtensionCut decodes values of all extensions, and what is left of them when the input ends
// too early. Text is not UTF-8.
func TestExtensionCut(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	protoregistry.GlobalTypes.RangeExtensions(func(xt protoreflect.ExtensionType) bool {
		xd := xt.TypeDescriptor()
		mt, err := protoregistry.GlobalTypes.FindMessageByName(xd.ContainingMessage().FullName())
		if err != nil {
			return true
		}
		for wire := range protowire.Type(6) {
			b := append(protowire.AppendTag(nil, xd.Number(), wire), "\x07\xff\xff\xff\xff\xff\xff\xff"...)
			for n := range len(b) + 1 {
				for range 2 { // the first time, the extension is tried
					newPair(mt).decode(t, a, b[:n], arenapb.UnmarshalOptions{AllowPartial: true})
				}
			}
		}
		a.Reset()
		return true
	})
}

// TestNoLazyDecoding decodes lazy fields whose tags are longer than they have to be, in messages of
// protobuf's alone and in others: their size reports whether they are decoded.
func TestNoLazyDecoding(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	in := protowire.AppendBytes(protowire.AppendTag(nil, 140, protowire.BytesType), []byte{1<<3 | 0x80, 0, 5}) // lazy_message of LazyOp
	around := protowire.AppendBytes(protowire.AppendTag(nil, 30, protowire.BytesType), in)                     // lazy of OpaqueMix
	for _, test := range []struct {
		b []byte
		m proto.Message
	}{{in, new(testpb.LazyOp)}, {around, new(testpb.OpaqueMix)}} {
		sizes := [2]int{}
		for i := range sizes {
			got, want := test.m.ProtoReflect().New().Interface(), test.m.ProtoReflect().New().Interface()
			err := arenapb.UnmarshalOptions{NoLazyDecoding: i > 0}.Unmarshal(a, test.b, got)
			theirs := proto.UnmarshalOptions{NoLazyDecoding: i > 0}.Unmarshal(test.b, want)
			if err := errors.Join(err, theirs); err != nil {
				t.Fatal(err)
			}
			if sizes[i] = proto.Size(got); sizes[i] != proto.Size(want) {
				t.Errorf("%T, NoLazyDecoding %t: %d bytes, want %d", test.m, i > 0, sizes[i], proto.Size(want))
			}
		}
		if sizes[0] == sizes[1] {
			t.Errorf("%T: %d bytes with and without NoLazyDecoding", test.m, sizes[0])
		}
	}
}

// TestExtensionLate decodes an extension with required fields, and a varint that is longer than
// necessary: protobuf keeps it unchanged if it is built with the tag protolegacy.
func TestExtensionLate(t *testing.T) {
	b, err := hex.DecodeString("920a0b0801088080808000120178")
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range [][]byte{b, append(bytes.Clone(b), b...)} {
		got, want := new(testpb.Extendable2), new(testpb.Extendable2)
		if err := errors.Join(arenapb.Unmarshal(arena.NewArena(), input, got), proto.Unmarshal(input, want)); err != nil {
			t.Fatal(err)
		}
		if proto.Size(got) != proto.Size(want) || !proto.Equal(got, want) {
			t.Errorf("%v of %d bytes, want %v of %d", got, proto.Size(got), want, proto.Size(want))
		}
	}
}

// TestMergeLazy merges what is invalid in a lazy field. Protobuf says it in other words where the
// message has had a value of that field.
func TestMergeLazy(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	p := newPair(new(testpb.OpaqueMix).ProtoReflect().Type())
	p.decode(t, a, []byte("\x8a\x02\x03\xe2\x08\x00"), arenapb.UnmarshalOptions{})
	p.decode(t, a, []byte("\x8a\x02\x03\xe2\x08\x03"), arenapb.UnmarshalOptions{Merge: true})
}

// TestMergeLazyTwice merges a message that has lazy fields in a map, and comes again. Those are
// read then, and encoded as what was read.
func TestMergeLazyTwice(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	p := newPair(new(testpb.OpaqueMix).ProtoReflect().Type())
	p.decode(t, a, []byte("\x52\x12\x82\x02\x0f\x0a\x01k\x12\x0a\xfa\x08\x02\x08\x01\xfa\x08\x02\x08\x02\x52\x03\xf2\x01\x00"),
		arenapb.UnmarshalOptions{Merge: true, AllowPartial: true})
}

// TestEntryInPieces has the value of an entry of a map in two pieces, of which the first lacks a
// required field: package proto is content if one of them lacks none.
func TestEntryInPieces(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, b := range []string{
		"\xe2\x05\x08\x12\x02\x12\x00\x12\x02\x08\x01",
		"\xe2\x05\x08\x12\x02\x08\x01\x12\x02\x12\x00",
		"\xe2\x05\x04\x12\x02\x12\x00",
		"\xe2\x05\x00",
	} {
		got := arenapb.Unmarshal(a, []byte(b), new(testpb.AllEd))
		want := proto.Unmarshal([]byte(b), new(testpb.AllEd))
		if s := difftest.SameError(got, want); s != "" {
			t.Errorf("%x: %s", b, s)
		}
	}
}

// TestNeighbours appends to slices that lie next to each other in an arena: none may
// grow into the next.
func TestNeighbours(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	want := &testpb.All3{
		RepInt32: []int32{1, 2, 3}, RepInt64: []int64{4, 5}, RepString: []string{"six", "seven"}, RepBytes: [][]byte{[]byte("eight"), {}},
		RepBool: []bool{true, false, true}, RepNested: []*testpb.All3_Nested{{A: 9}, {S: "ten"}}, OptBytes: []byte("eleven"), OneBytes: []byte("twelve"),
	}
	b, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var list []*testpb.All3
	for i := range 50 {
		// Two in one input: their repeated fields come together from two pieces.
		m := new(testpb.All3)
		in := append(b[:len(b):len(b)], b[:len(b)*(i%2)]...)
		if err := arenapb.Unmarshal(a, in, m); err != nil {
			t.Fatal(err)
		}
		m.ProtoReflect().SetUnknown(append(m.ProtoReflect().GetUnknown(), 0xf8, 0x7f, 1))
		m.RepInt32 = append(m.RepInt32, -1)
		m.RepInt64 = append(m.RepInt64, -1)
		m.RepString = append(m.RepString, fmt.Sprint("more ", i))
		m.RepBytes = append(m.RepBytes, []byte("!!!!!!!!"))
		m.RepBytes[0] = append(m.RepBytes[0], "!!!!!!!!"...)
		m.RepBool = append(m.RepBool, false)
		m.RepNested = append(m.RepNested, &testpb.All3_Nested{S: "more"})
		m.OptBytes = append(m.OptBytes, "!!!!!!!!"...)
		m.OneBytes = append(m.OneBytes, "!!!!!!!!"...)
		list = append(list, m)
	}
	for i, m := range list {
		want := proto.CloneOf(want)
		if i%2 == 1 {
			proto.Merge(want, want)
			want.OptBytes, want.OneBytes = []byte("eleven"), []byte("twelve")
		}
		want.ProtoReflect().SetUnknown([]byte{0xf8, 0x7f, 1})
		want.RepInt32 = append(want.RepInt32, -1)
		want.RepInt64 = append(want.RepInt64, -1)
		want.RepString = append(want.RepString, fmt.Sprint("more ", i))
		want.RepBytes = append(want.RepBytes, []byte("!!!!!!!!"))
		want.RepBytes[0] = append(want.RepBytes[0], "!!!!!!!!"...)
		want.RepBool = append(want.RepBool, false)
		want.RepNested = append(want.RepNested, &testpb.All3_Nested{S: "more"})
		want.OptBytes = append(want.OptBytes, "!!!!!!!!"...)
		want.OneBytes = append(want.OneBytes, "!!!!!!!!"...)
		if !proto.Equal(m, want) {
			t.Fatalf("message %d is\n%v\nwant\n%v", i, m, want)
		}
	}
}

// TestShortened merges into a message whose slices were made shorter: what is behind their ends is
// not part of it.
func TestShortened(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	b, err := proto.Marshal(&testpb.All2{
		RepInt32: []int32{1, 2}, RepString: []string{"three", ""}, RepBytes: [][]byte{[]byte("four"), nil}, RepBool: []bool{true, false},
		RepMessage: []*testpb.All2{{OptString: proto.String("five")}, {OptInt32: proto.Int32(6)}},
		Repgroup:   []*testpb.All2_RepGroup{{S: []string{"seven"}}, {A: proto.Int64(8)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	merge := func(unmarshal func(m proto.Message) error) *testpb.All2 {
		m := new(testpb.All2)
		for n := range 3 {
			if err := unmarshal(m); err != nil {
				t.Fatal(err)
			}
			if n < 2 {
				m.RepInt32, m.RepString, m.RepBytes, m.RepBool = m.RepInt32[:n], m.RepString[:n], m.RepBytes[:n], m.RepBool[:n]
				m.RepMessage, m.Repgroup = m.RepMessage[:n], m.Repgroup[:n]
			}
		}
		return m
	}
	got := merge(func(m proto.Message) error { return arenapb.UnmarshalOptions{Merge: true}.Unmarshal(a, b, m) })
	want := merge(func(m proto.Message) error { return proto.UnmarshalOptions{Merge: true}.Unmarshal(b, m) })
	if s := difftest.SameMessage(got, want); s != "" {
		t.Error(s)
	}
}

// TestHolds keeps an arena's message in a message of the heap, and the reverse, until the arena is
// freed, and after it.
func TestHolds(t *testing.T) {
	a := arena.NewArena()
	inner, err := anypb.New(&testpb.Tree3{Label: "any"})
	if err != nil {
		t.Fatal(err)
	}
	want := &testpb.Known3{Any: inner, Anys: []*anypb.Any{inner, inner}}
	b, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	m := arenapb.New[testpb.Known3](a)
	if err := arenapb.Unmarshal(a, b, m); err != nil {
		t.Fatal(err)
	}
	holder := &testpb.Known3{Anys: m.Anys, Any: m.Any}
	m.Struct = &structpb.Struct{Fields: map[string]*structpb.Value{"s": structpb.NewStringValue("heap")}}
	if !watched() {
		a.Free()
	}
	if !proto.Equal(holder, want) {
		t.Errorf("after Free the message is %v, want %v", holder, want)
	}
	tree, err := holder.Any.UnmarshalNew()
	if err != nil || tree.(*testpb.Tree3).Label != "any" {
		t.Errorf("the message in Any is %v, %v", tree, err)
	}
}

// TestInputs reports whether the random input is worth its name: most of the good is accepted, all
// kinds of errors come up, and every field of every message is filled at times.
func TestInputs(t *testing.T) {
	r := random(t)
	list := testpb.Messages()
	good, accepted := 0, 0
	kinds := map[string]int{}
	filled := map[string]bool{}
	for range rounds(5000) {
		mt := list[r.IntN(len(list))]
		w := difftest.NewWire(r)
		m := mt.New()
		err := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(w.Message(nil, mt.Descriptor(), 0), m.Interface())
		if w.Bad == 0 {
			good++
			if err == nil {
				accepted++
			}
		}
		if err != nil {
			text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
			kinds[text[:min(len(text), 40)]]++
			continue // Has of a message with lazy fields may panic after an error
		}
		for i := range mt.Descriptor().Fields().Len() {
			if f := mt.Descriptor().Fields().Get(i); m.Has(f) {
				filled[string(f.FullName())] = true
			}
		}
	}
	fields := 0
	for _, mt := range list {
		fields += mt.Descriptor().Fields().Len()
	}
	t.Logf("%d of %d good inputs are accepted, %d of %d fields filled, errors %v", accepted, good, len(filled), fields, kinds)
	if accepted != good {
		t.Errorf("%d of %d good inputs are refused", good-accepted, good)
	}
	if testrun.Long() && (len(filled) < fields/2 || len(kinds) < 2) {
		t.Errorf("%d of %d fields are filled, with errors %v", len(filled), fields, kinds)
	}
}

// TestClone proves that a clone has nothing of the arena in it, unlike one that package proto
// makes.
func TestClone(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	w := difftest.NewWire(random(t))
	for range 50 {
		want := &testpb.Tree3{}
		b := w.Message(nil, want.ProtoReflect().Descriptor(), 4)
		if proto.Unmarshal(b, want) != nil {
			continue
		}
		m := arenapb.New[testpb.Tree3](a)
		if err := arenapb.Unmarshal(a, b, m); err != nil {
			t.Fatal(err)
		}
		c, err := arenapb.Clone(m)
		if err != nil {
			t.Fatal(err)
		}
		a.Reset()
		arena.Bytes(a, bytes.Repeat([]byte{0xff}, len(b))) // where m's text was
		if !proto.Equal(c, want) {
			t.Fatalf("the clone is\n%v\nand should be\n%v", c, want)
		}
		a.Reset()
	}
	if c, err := arenapb.Clone((*testpb.Tree3)(nil)); c != nil || err != nil {
		t.Errorf("a clone of nil is %v, %v", c, err)
	}
	if c, err := arenapb.Clone[proto.Message](nil); c != nil || err != nil {
		t.Errorf("a clone of no message is %v, %v", c, err)
	}
	if _, err := arenapb.Clone(wrapperspb.String("\xff")); err == nil || !strings.Contains(err.Error(), "arenapb: Clone: ") {
		t.Errorf("of text that is not UTF-8: %v", err)
	}
	if c, err := arenapb.Clone(&testpb.Required2{}); c == nil || err != nil {
		t.Errorf("of a message without its required fields: %v, %v", c, err)
	}
}

// TestCloneExtensions clones messages with an extension that no registry has, everywhere in them,
// and with one that was not known when they were decoded.
func TestCloneExtensions(t *testing.T) {
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("arenapb/clone.proto"), Dependency: []string{testpb.File_arenapb_internal_testpb_proto2_proto.Path()},
		Extension: []*descriptorpb.FieldDescriptorProto{{
			Name: proto.String("mine"), Number: proto.Int32(5000), Extendee: proto.String(".arena.testpb.Extendable2"),
			Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	mine := dynamicpb.NewExtensionType(file.Extensions().Get(0))
	one := func(text string) *testpb.Extendable2 {
		m := new(testpb.Extendable2)
		proto.SetExtension(m, mine, text)
		return m
	}
	outer := new(testpb.Extendable2)
	proto.SetExtension(outer, testpb.E_ExtExtendable, one("in another extension"))
	known := new(testpb.Extendable2)
	proto.SetExtension(known, testpb.E_ExtInt32, int32(5))
	b, err := proto.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	unknown := new(testpb.Extendable2)
	if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(b, unknown); err != nil {
		t.Fatal(err)
	}
	for _, m := range []proto.Message{
		one("alone"), outer, known, unknown,
		&testpb.Holds2{Extendable: []*testpb.Extendable2{known, one("in a list")}},
		&testpb.Holds2{MapExtendable: map[int32]*testpb.Extendable2{0: known, 1: one("in a map")}},
		&testpb.Holds2{One: &testpb.Holds2_OneExtendable{OneExtendable: one("in a oneof")}},
	} {
		c, err := arenapb.Clone(m)
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(c, m) {
			t.Errorf("the clone is\n%v\nand should be\n%v", c, m)
		}
	}
}

// TestFallbacks proves that what is on the heap is named, wherever it is in a message, and of which
// type.
func TestFallbacks(t *testing.T) {
	dynamic := func(m proto.Message) proto.Message { return dynamicpb.NewMessage(m.ProtoReflect().Descriptor()) }
	for _, test := range []struct {
		m    proto.Message
		want []string // parts of it, in their order
	}{
		{nil, nil},
		{&timestamppb.Timestamp{}, nil},
		{&testpb.Tree3{}, []string{"arena.testpb.Tree3.leaves: it is a map"}},
		{&testpb.Params{}, []string{"Params.bindings: it is a map", "Params.Offsets.offsets: it is a map", "Params.defaults: it is a map"}},
		{&testpb.Holds2{}, []string{"arena.testpb.Extendable2: its extensions"}},
		{&testpb.HybridMix{}, []string{"HybridMix.lazy: arena.testpb.LazyOp: it has lazy fields"}},
		{dynamic(&testpb.Tree3{}), []string{"arena.testpb.Tree3: it is not a message that protoc-gen-go has generated"}},
		{dynamic(&testpb.All3{}), []string{"arena.testpb.All3: it is not a message that protoc-gen-go has generated"}},
		{dynamic(&testpb.Tree3{}), []string{"arena.testpb.Tree3: it is not a message that protoc-gen-go has generated"}},
	} {
		got := arenapb.Fallbacks(test.m)
		if test.want == nil && got != nil {
			t.Errorf("of %T: %q", test.m, got)
		}
		i := 0
		for _, want := range test.want {
			for i < len(got) && !strings.Contains(got[i], want) {
				i++
			}
			if i == len(got) {
				t.Errorf("of %T: %q, want %q", test.m, got, test.want)
				break
			}
		}
	}
}

// TestFallbacksTrue decodes messages of all types of which Fallbacks names nothing: nothing of them
// is on the heap.
func TestFallbacksTrue(t *testing.T) {
	if watched() {
		t.Log("such programs take memory of the heap where others take none")
		return
	}
	r := random(t)
	tested := 0
	for _, mt := range types() {
		if arenapb.Fallbacks(mt.New().Interface()) != nil {
			continue
		}
		w := &difftest.Wire{R: r, Budget: 50}
		b := w.Filled(nil, mt.Descriptor(), map[protoreflect.FullName]bool{})
		b = append(w.Message(b, mt.Descriptor(), 0), 0xf8, 0xff, 0xff, 0x7f, 1) // unknown
		m := mt.New().Interface()
		o := arenapb.UnmarshalOptions{AllowPartial: true}
		a := arena.NewArena()
		n := testing.AllocsPerRun(20, func() {
			if err := o.Unmarshal(a, b, m); err != nil {
				t.Fatal(err)
			}
			proto.Reset(m)
			a.Reset()
		})
		if n > 0 {
			t.Errorf("%s takes %v allocations of the heap, input %x", mt.Descriptor().FullName(), n, b)
		}
		tested++
		a.Free()
	}
	if tested < 10 {
		t.Errorf("only %d types were tested", tested)
	}
}

// Text is a message with one string.
//
//lint:ignore U1000 protobuf uses the fields by reflection
type Text struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Text          string                 `protobuf:"bytes,1,opt,name=text" json:"text,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (m *Text) Reset()         { *m = Text{} }
func (m *Text) String() string { return m.Text }
func (*Text) ProtoMessage()    {}
func (m *Text) ProtoReflect() protoreflect.Message {
	return textType().MessageOf(m)
}

// textType has the option 13, enforce_utf8, say that it takes any text, in a file of proto3.
// Package proto listens to it only where it is built with the tag protolegacy.
var textType = sync.OnceValue(func() *protoimpl.MessageInfo {
	options := new(descriptorpb.FieldOptions)
	options.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 13, protowire.VarintType), 0))
	raw, err := proto.Marshal(&descriptorpb.FileDescriptorProto{
		Name: proto.String("arenapb/text.proto"), Package: proto.String("arenapb.text"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Text"), Field: []*descriptorpb.FieldDescriptorProto{{
			Name: proto.String("text"), JsonName: proto.String("text"), Number: proto.Int32(1), Options: options,
			Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}}}},
	})
	if err != nil {
		panic(err)
	}
	types := make([]protoimpl.MessageInfo, 1)
	protoimpl.TypeBuilder{
		File:              protoimpl.DescBuilder{GoPackagePath: "arenapb_test", RawDescriptor: raw, NumMessages: 1},
		GoTypes:           []any{(*Text)(nil)},
		DependencyIndexes: make([]int32, 5),
		MessageInfos:      types,
	}.Build()
	return &types[0]
})

// TestTextUTF8 decodes text that is not UTF-8 into messages whose descriptor says something else
// about it than package proto does.
func TestTextUTF8(t *testing.T) {
	b := []byte{1<<3 | 2, 1, 0xff}
	got, want := new(Text), new(Text)
	theirs := proto.Unmarshal(b, want)
	err := arenapb.Unmarshal(arena.NewArena(), b, got)
	if (err == nil) != (theirs == nil) || got.Text != want.Text {
		t.Errorf("%q, %v, want %q, %v", got.Text, err, want.Text, theirs)
	}
	if reason, _ := arenapb.Reasons(got); reason != "" {
		t.Error(reason)
	}
}
