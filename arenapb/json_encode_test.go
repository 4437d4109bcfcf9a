package arenapb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// encodeJSON encodes m with arenapb and with protojson, and reports whether that succeeded.
func encodeJSON(t *testing.T, a *arena.Arena, m proto.Message, o arenapb.MarshalJSONOptions) bool {
	t.Helper()
	ok, s := difftest.SameJSON(a, m, o)
	if s != "" {
		o.OnPanic = nil
		t.Fatalf("%T, %+v: %s", m, o, s)
	}
	return ok
}

// randomMessage returns a message of a type with fields at random.
func randomMessage(t *testing.T, r *rand.Rand, mt protoreflect.MessageType) proto.Message {
	t.Helper()
	m := mt.New().Interface()
	w := difftest.Wire{R: r, Budget: 1 + r.IntN(1<<r.IntN(9))}
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(w.Message(nil, mt.Descriptor(), 0), m); err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 {
		difftest.Mutate(r, m.ProtoReflect(), 0)
	}
	if r.IntN(2) == 0 {
		difftest.Poke(r, m, 1+r.IntN(1<<r.IntN(10)))
	}
	return m
}

// TestEncodeJSON encodes random messages of all types, with all options: as protojson decodes them,
// as programs change them, and with what only Go's structs can have.
func TestEncodeJSON(t *testing.T) {
	r := random(t)
	list := types()
	a := arena.NewArena()
	defer a.Free()
	good, bad := 0, 0
	for range rounds(20000) {
		to := a
		if r.IntN(2) == 0 {
			to = nil
		}
		m := randomMessage(t, r, list[r.IntN(len(list))])
		if encodeJSON(t, to, m, difftest.RandomMarshalJSONOptions(r)) {
			good++
		} else {
			bad++
		}
		a.Reset()
	}
	t.Logf("%d encoded, %d with errors", good, bad)
	if good < rounds(5000) || bad < rounds(200) {
		t.Error("nothing was compared")
	}
}

// TestEncodeJSONFields sets each field of each type alone, to several values, and to nothing.
func TestEncodeJSONFields(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	r := random(t)
	for _, mt := range types() {
		fds := mt.Descriptor().Fields()
		for range 3 {
			w := difftest.Wire{R: r, Budget: 3}
			all := mt.New()
			b := w.Filled(nil, mt.Descriptor(), map[protoreflect.FullName]bool{})
			if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, all.Interface()); err != nil {
				t.Fatal(err)
			}
			for i := range fds.Len() {
				one := mt.New()
				if fd := fds.Get(i); all.Has(fd) {
					one.Set(fd, all.Get(fd))
				}
				for _, o := range []arenapb.MarshalJSONOptions{
					{}, {UseProtoNames: true, UseEnumNumbers: true}, {EmitUnpopulated: true, Multiline: true}, {EmitDefaultValues: true, Indent: "\t"},
				} {
					o.AllowPartial = true
					encodeJSON(t, a, one.Interface(), o)
				}
				a.Reset()
			}
		}
	}
}

// TestEncodeJSONNil encodes nil: no message, and pointers to messages that are nil, alone, in
// lists, maps, oneofs and extensions.
func TestEncodeJSONNil(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	list := []proto.Message{
		nil, (*testpb.All3)(nil), (*testpb.All2)(nil), (*testpb.AllOp)(nil), (*timestamppb.Timestamp)(nil), (*structpb.Value)(nil), (*structpb.Struct)(nil), (*anypb.Any)(nil),
		(*wrapperspb.StringValue)(nil), (*fieldmaskpb.FieldMask)(nil), (*dynamicpb.Message)(nil),
		&structpb.ListValue{Values: []*structpb.Value{nil}}, &structpb.Struct{Fields: map[string]*structpb.Value{"a": nil}},
		&structpb.Value{Kind: (*structpb.Value_StringValue)(nil)}, &structpb.Value{Kind: &structpb.Value_StructValue{}}, &structpb.Value{Kind: &structpb.Value_ListValue{}},
		&testpb.Tree3{Children: []*testpb.Tree3{nil, {}, nil}}, &testpb.Known3{},
	}
	for _, m := range list {
		for _, o := range []arenapb.MarshalJSONOptions{{}, {EmitUnpopulated: true}, {EmitDefaultValues: true}, {Multiline: true}} {
			if d, ok := m.(*dynamicpb.Message); ok && d == nil {
				continue // which has no descriptor
			}
			encodeJSON(t, a, m, o)
		}
	}
}

// TestEncodeJSONKnown encodes the edges of the messages that have a form of their own.
func TestEncodeJSONKnown(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	inAny := func(m proto.Message) *anypb.Any {
		x, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	deep := &anypb.Any{}
	for range 100 {
		deep = inAny(deep)
	}
	list := []proto.Message{
		&anypb.Any{}, &anypb.Any{Value: []byte{1}}, &anypb.Any{TypeUrl: "no.such.Type"}, &anypb.Any{TypeUrl: "\xff"}, &anypb.Any{TypeUrl: "arena.testpb.Tree3", Value: []byte{0xff}},
		&anypb.Any{TypeUrl: "a/arena.testpb.Tree3"}, &anypb.Any{TypeUrl: "a\xff/arena.testpb.Tree3"}, &anypb.Any{TypeUrl: "a\xff/google.protobuf.Duration"}, deep,
		inAny(&emptypb.Empty{}), inAny(durationpb.New(1)), inAny(&testpb.Tree3{Label: "label"}), inAny(&testpb.All3{}), inAny(structpb.NewNullValue()), inAny(&structpb.Value{}),
		inAny(inAny(wrapperspb.Int64(7))), inAny(&testpb.All2{}), inAny(&testpb.AllOp{}),
		&structpb.Value{}, structpb.NewNumberValue(math.NaN()), structpb.NewNumberValue(math.Inf(-1)), structpb.NewNumberValue(0), structpb.NewStringValue("\xff"), structpb.NewBoolValue(false),
		&structpb.Struct{}, &structpb.ListValue{}, wrapperspb.Double(math.NaN()), wrapperspb.Float(float32(math.Inf(1))), wrapperspb.Bytes(nil), wrapperspb.Bytes([]byte("bytes")), wrapperspb.String("\xff"),
		wrapperspb.UInt64(math.MaxUint64), wrapperspb.Int64(math.MinInt64), wrapperspb.Bool(false), wrapperspb.UInt32(0),
	}
	for _, seconds := range []int64{0, 1, -1, 1764297600, 951782400, -62135596800, -62135596801, 253402300799, 253402300800, 315576000000, 315576000001, -315576000000, -315576000001, math.MinInt64, math.MaxInt64} {
		for _, nanos := range []int32{0, 1, -1, 999_999_999, 1_000_000_000, -999_999_999, -1_000_000_000, 120_000_000, 123_456_000, 500, 10_000, math.MinInt32} {
			list = append(list, &timestamppb.Timestamp{Seconds: seconds, Nanos: nanos}, &durationpb.Duration{Seconds: seconds, Nanos: nanos})
		}
	}
	for _, path := range []string{"", "a", "a.b_c", "a__b", "a_", "_a", "aB", "a_1", "1a", "é", "a-b", "a.", "foo_bar_baz.qux", "a_B"} {
		list = append(list, &fieldmaskpb.FieldMask{Paths: []string{path}}, &fieldmaskpb.FieldMask{Paths: []string{"first", path}})
	}
	accepted := 0
	for _, m := range list {
		for _, o := range []arenapb.MarshalJSONOptions{{}, {EmitUnpopulated: true, Multiline: true}} {
			if encodeJSON(t, a, m, o) {
				accepted++
			}
			b, err := proto.Marshal(m)
			if err != nil {
				continue
			}
			d := dynamicpb.NewMessage(m.ProtoReflect().Descriptor())
			if err := proto.Unmarshal(b, d); err != nil {
				t.Fatal(err)
			}
			encodeJSON(t, a, d, o)
		}
		a.Reset()
	}
	if accepted < len(list)/2 || accepted == 2*len(list) {
		t.Errorf("%d of %d were encoded", accepted, 2*len(list))
	}
}

// TestEncodeJSONErrors has errors that only name what they are about if protojson makes them, and
// results that are what the caller gave.
func TestEncodeJSONErrors(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	before := []byte("before")
	for _, test := range []struct {
		m    proto.Message
		o    arenapb.MarshalJSONOptions
		want string
	}{
		{&testpb.All3{OneString: "\xff"}, arenapb.MarshalJSONOptions{}, "All3.one_string contains invalid UTF-8"},
		{&testpb.All3{}, arenapb.MarshalJSONOptions{Indent: "-"}, "indent may only be composed of space or tab"},
		{&anypb.Any{TypeUrl: "no.such.Type"}, arenapb.MarshalJSONOptions{}, "unable to resolve"},
	} {
		got, err := test.o.MarshalAppend(a, before, test.m)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\u00a0", " "), test.want) || string(got) != "before" {
			t.Errorf("%T: %q, %v", test.m, got, err)
		}
		if got, err := test.o.Marshal(a, test.m); err == nil || got != nil {
			t.Errorf("%T: %q, %v", test.m, got, err)
		}
	}
}

// TestEncodeJSONPlace looks where the result lies, and what it takes: nothing of the heap with an
// arena, nothing of the arena with room, and once its size on the heap.
func TestEncodeJSONPlace(t *testing.T) {
	m := &testpb.Tree3{Label: strings.Repeat("label ", 100), Children: []*testpb.Tree3{{Label: "a"}, {}, {Label: "\"b\""}}}
	want, err := arenapb.MarshalJSON(nil, m)
	if err != nil || !strings.HasPrefix(string(want), `{"children":[{"label":"a"},{},{"label":"\"b\""}],"label":"label `) {
		t.Fatalf("%s, %v", want, err)
	}
	a := arena.NewArena()
	defer a.Free()
	room := make([]byte, 0, 2*len(want))
	encode := func(a *arena.Arena, b []byte) func() {
		return func() {
			if got, err := (arenapb.MarshalJSONOptions{}).MarshalAppend(a, b, m); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %v", got, err)
			}
		}
	}
	if got, _ := arenapb.MarshalJSON(a, m); a.Stats().InUse == 0 || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of the arena", a.Stats().InUse)
	}
	a.Reset()
	if got, _ := (arenapb.MarshalJSONOptions{}).MarshalAppend(a, room, m); a.Stats().InUse != 0 || &got[0] != &room[:1][0] {
		t.Errorf("with room, %d bytes of the arena", a.Stats().InUse)
	}
	small := arena.NewWith(arena.Options{Limit: 512})
	defer small.Free()
	if err := arena.Try(func() { arenapb.MarshalJSON(small, m) }); !errors.As(err, new(*arena.LimitError)) {
		t.Errorf("a limit: %v", err)
	}
	if watched() {
		return // which allocates more
	}
	inArena := encode(a, nil)
	for _, test := range []struct {
		name string
		do   func()
		most float64
	}{
		{"arena", func() { inArena(); a.Reset() }, 0},
		{"room", encode(nil, room), 0},
		{"heap", encode(nil, nil), 1},
	} {
		if n := testing.AllocsPerRun(100, test.do); n > test.most+0.5 { // a collection may empty the pool of encoders
			t.Errorf("%s: %v allocations, want %v", test.name, n, test.most)
		}
	}
}

// TestEncodeJSONResolver has a Resolver that uses the same arena, one that panics, and one that
// fails once.
func TestEncodeJSONResolver(t *testing.T) {
	panics := arenapb.Panics()
	a := arena.NewArena()
	defer a.Free()
	inner, _ := anypb.New(&testpb.Tree3{Label: "in it"})
	m := &testpb.Known3{Any: inner, Bool: wrapperspb.Bool(true)}
	const want = `{"any":{"@type":"type.googleapis.com/arena.testpb.Tree3","label":"in it"},"bool":true}`
	call := func() error { return nil }
	o := arenapb.MarshalJSONOptions{Resolver: jsonResolver{Types: protoregistry.GlobalTypes, call: func() error { return call() }}}
	call = func() error {
		b, err := arenapb.MarshalJSON(a, &testpb.Tree3{Children: []*testpb.Tree3{{}, {}}})
		if string(b) != `{"children":[{},{}]}` {
			t.Errorf("in a Resolver: %s", b)
		}
		return err
	}
	if b, err := o.Marshal(a, m); err != nil || string(b) != want {
		t.Errorf("a Resolver that encodes: %s, %v", b, err)
	}
	failed := false
	call = func() error {
		if !failed {
			failed = true
			return errors.New("no types today")
		}
		return nil
	}
	if b, err := o.Marshal(a, m); err != nil || string(b) != want {
		t.Errorf("a Resolver that fails once: %s, %v", b, err)
	}
	call = func() error { panic("no types at all") }
	if difftest.Catch(func() { o.Marshal(a, m) }) {
		t.Error("a Resolver panics, and nobody hears of it")
	}
	if arenapb.Panics() != panics {
		t.Error("what a Resolver does counts as a mistake of arenapb")
	}
}

// TestEncodeJSONPanic encodes messages with plans in which a field panics, or whose values are
// refused: the result is protojson's, and protojson encodes and decodes what follows.
func TestEncodeJSONPanic(t *testing.T) {
	told := events(t)
	a := arena.NewArena()
	defer a.Free()
	value := structpb.NewStringValue("text")
	for _, m := range []proto.Message{value, &testpb.Known3{Value: value, Bool: wrapperspb.Bool(true)}} {
		for _, refuse := range []bool{false, true} {
			mend, whole := arenapb.BreakJSONEncoder(value, refuse), arenapb.MendJSON(m)
			before := len(*told)
			var own *arenapb.Panic
			encodeJSON(t, a, m, arenapb.MarshalJSONOptions{OnPanic: func(p *arenapb.Panic) { own = p }})
			if len(*told) != before+1 || own != (*told)[before] || !strings.HasPrefix(own.Error(), fmt.Sprintf("arenapb: encoding a %T panicked; protojson.Marshal has encoded it: ", m)) {
				t.Fatalf("events are %v", *told)
			}
			if f := arenapb.JSONFallbacks(m); len(f) != 1 || !strings.Contains(f[0], "arenapb has panicked: ") {
				t.Errorf("JSONFallbacks is %q", f)
			}
			for _, o := range []arenapb.MarshalJSONOptions{{}, {EmitUnpopulated: true}, {Multiline: true}} {
				encodeJSON(t, a, m, o)
			}
			if len(*told) != before+1 {
				t.Errorf("%T has panicked twice", m)
			}
			whole()
			mend()
			encodeJSON(t, a, m, arenapb.MarshalJSONOptions{})
			if len(*told) != before+1 {
				t.Errorf("%T has panicked again", m)
			}
		}
	}
}

// FuzzEncodeJSON encodes what fuzzed bytes of any type mean.
func FuzzEncodeJSON(f *testing.F) {
	list := testpb.Messages()
	r := rand.New(rand.NewPCG(1, 2))
	for i, mt := range list {
		w := difftest.Wire{R: r, Budget: 30}
		f.Add(w.Message(nil, mt.Descriptor(), 0), uint16(i), r.Uint64())
	}
	f.Fuzz(func(t *testing.T, b []byte, which uint16, seed uint64) {
		m := list[int(which)%len(list)].New().Interface()
		if (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m) != nil {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		if seed&1 != 0 {
			difftest.Poke(r, m, 1+r.IntN(1<<r.IntN(10)))
		}
		encodeJSON(t, nil, m, difftest.RandomMarshalJSONOptions(r))
	})
}
