package arenapb_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestValid compares with utf8.Valid: texts of all short lengths, with a rune or a part of one at
// each place.
func TestValid(t *testing.T) {
	for n := range 40 {
		ascii := bytes.Repeat([]byte{'a'}, n)
		if !arenapb.Valid(ascii) {
			t.Errorf("%d bytes of ASCII are not valid", n)
		}
		for at := range n {
			for _, piece := range []string{"\x7f", "\x80", "\xff", "é", "€", "😀", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f\x98", "\xc0\x80"} {
				s := append(bytes.Clone(ascii[:at]), piece...)
				if s = append(s, ascii[at:]...); arenapb.Valid(s) != utf8.Valid(s) {
					t.Errorf("%q: %t", s, arenapb.Valid(s))
				}
				if s = s[:min(len(s), n)]; arenapb.Valid(s) != utf8.Valid(s) {
					t.Errorf("%q: %t", s, arenapb.Valid(s))
				}
			}
		}
	}
}

// TestPlans decodes messages of several types in turn, into arenas of which some are new: each has
// its own plan and its own slabs.
func TestPlans(t *testing.T) {
	kinds := []struct{ want, got proto.Message }{
		{&profilepb.Profile{StringTable: []string{"a", "b"}, Location: []*profilepb.Location{{Id: 3, Line: []*profilepb.Line{{Line: 4}}}}}, new(profilepb.Profile)},
		{&profilepb.Line{Line: 7}, new(profilepb.Line)},
		{wrapperspb.String("text"), new(wrapperspb.StringValue)},
		{wrapperspb.Int64(-3), new(wrapperspb.Int64Value)},
		{&descriptorpb.DescriptorProto{Name: proto.String("name"), Field: []*descriptorpb.FieldDescriptorProto{{Number: proto.Int32(4)}}}, new(descriptorpb.DescriptorProto)},
	}
	r := random(t)
	a := arena.NewArena()
	var p arena.Pool
	for range rounds(2000) {
		k := kinds[r.IntN(len(kinds))]
		b, err := proto.Marshal(k.want)
		if err != nil {
			t.Fatal(err)
		}
		if err := arenapb.Unmarshal(a, b, k.got); err != nil || !proto.Equal(k.got, k.want) {
			t.Fatalf("%v becomes %v, %v", k.want, k.got, err)
		}
		switch r.IntN(6) {
		case 0:
			a.Free()
			a = arena.NewArena()
		case 1:
			a.Free()
			a = p.Get()
		case 2:
			arena.New[int](a)
		case 3:
			a.Reset()
		}
	}
}

// TestPlansOfAll asks for the plans of all types of the program in a random order, which are more
// than the look-up of recent ones has places for.
func TestPlansOfAll(t *testing.T) {
	var all []proto.Message
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		all = append(all, mt.New().Interface())
		return true
	})
	if len(all) < 100 {
		t.Fatalf("%d types: too few to share places", len(all))
	}
	r := random(t)
	for range 5 {
		for _, i := range r.Perm(len(all)) {
			if m := all[i]; !arenapb.PlanIsOf(m) {
				t.Fatalf("%T has the plan of another type", m)
			}
		}
	}
}
