package arenapb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestJSONValues tries each text as the value of each kind, alone, in lists, in maps and as a key,
// with and without DiscardUnknown.
func TestJSONValues(t *testing.T) {
	values := []string{
		"null", "true", "false", "nul", "nullx", "truE", "tru", "",
		"0", "-0", "1", "-1", "00", "01", "-01", "-", "+1", ".5", "1.", "1.0", "-1.0", "1.5", "0.1e1", "0.1e2", "1e2", "1E2", "1e+2", "1e-2", "100e-2", "100e-3",
		"1e", "1E", "0e", "1e ", "1e+", "0e+", "1.5e", "1.0e", "1e1.0", "1e999999999999", "0e999999999999", "0.0e999999999999", "1e2147483648", "1e-999", "1e999",
		"2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "18446744073709551615", "18446744073709551616", "9999999999999999999", "10000000000000000000", "100000000000000000000", "1e18", "1e19", "1e20", "1e21",
		"0.00000000000000000001e20", "0.000000000000000000001e21", "92233720368547758070e-1", "9007199254740993", "0.1", "0.30000000000000004", "123456789012345.6", "1234567890123456.7",
		"3.4028235e38", "3.4028236e38", "3.5e38", "1e-46", "4.9e-324", "2e-324", "1.7976931348623157e308", "1.7976931348623159e308", "NaN", "Infinity", "1_0", "0x10",
		`""`, `"0"`, `"-0"`, `"1"`, `"-1"`, `" 1"`, `"1 "`, `"1\n"`, `"\u0031"`, `"\u0031e1"`, `"1e2"`, `"1e"`, `"1e+"`, `"1.0"`, `"01"`, `"1x"`, `"1,"`, `"true"`, `"null"`, `"[]"`, `"NaN"`, `"nan"`, `"Infinity"`, `"-Infinity"`,
		`"+Infinity"`, `"In\u0066inity"`, `"9223372036854775807"`, `"18446744073709551615"`, `"1e400"`, `"3.5e38"`, `"+1"`, `"007"`, `"\u00a01"`,
		`"YQ=="`, `"YQ"`, `"YQ="`, `"YWI="`, `"YWI"`, `"YWJj"`, `"-_-_"`, `"+/+/"`, `"-/+_"`, `"-_8="`, `"-_8"`, `"YQ\n=="`, `"\r\n"`, `"YR=="`, `"Y"`, `"===="`, `"Y Q"`, `"\u0059Q"`,
		`"plain"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude00"`, "\"\u00e9\U0001F600\ufffd\"", `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\uD83D\uDE0"`, `"\u12"`, `"\x"`, `"\`, `"`, `"\u"`, `"\u123g"`, `"\u+123"`, `"\u0000"`,
		"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"12345678\xff\"", "\"123456789\xe2\x82\"", "\"1234567\t\"", `"12345678\`, `"a long text without any escape in it"`, `"a long text \u0077ith an escape in it"`,
		`"ONE"`, `"FOO"`, `"ZERO"`, `"\u005aERO"`, `"zero"`, `"NULL_VALUE"`,
		"[]", "[ ]", "[,]", "[1]", "[1,]", "[1 2]", "[null]", "[[]]", "[", "]", "{}", "{ }", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"":null}`, "{", "}", `{"a":{"b":[{"c":null}]}}`, `{1:2}`, `{"fields":{}}`,
		`"2026-11-23T17:18:00Z"`, `"2026-11-23T17:18:00.123456789Z"`, `"2026-11-23T17:18:00.1234567891Z"`, `"2026-11-23T17:18:00.Z"`, `"2026-11-23T17:18:00,5Z"`, `"2026-11-23T17:18:00+01:00"`, `"2026-11-23t17:18:00z"`, `"2026-02-29T00:00:00Z"`,
		`"2024-02-29T00:00:00Z"`, `"2026-13-01T00:00:00Z"`, `"2026-00-01T00:00:00Z"`, `"2026-01-00T00:00:00Z"`, `"2026-01-32T00:00:00Z"`, `"2026-04-31T00:00:00Z"`, `"2026-11-23T24:00:00Z"`, `"2026-11-23T23:60:00Z"`, `"2026-11-23T23:59:60Z"`,
		`"0000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"9999-12-31T23:59:59.999999999Z"`, `"10000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00+01:00"`, `"9999-12-31T23:59:59-01:00"`, `"2026-11-23T7:18:00Z"`, `"2026-11-23 17:18:00Z"`, `"2026-11-23T17:18:00"`,
		`"\u0032026-11-23T17:18:00Z"`, `"2026-11-23T17:18:00.000000000000Z"`, `"2026-11-23T17:18:0:Z"`,
		`"1s"`, `"-1.5s"`, `"+1s"`, `".5s"`, `"-.5s"`, `"1.s"`, `".s"`, `"-.s"`, `"s"`, `"-s"`, `"1"`, `"00s"`, `"01s"`, `"1.2.3s"`, `"1.1234567891s"`, `"1.123456789s"`, `"315576000000s"`, `"315576000000.9s"`, `"315576000001s"`, `"-315576000001s"`, `"99999999999999999999s"`, `"1e3s"`, `"1 s"`, `" 1s"`, `"--1s"`, `"0.5s"`, `"-0.5s"`, `"0s"`,
		`"a,b.c"`, `"fooBar,bazQux.aB"`, `"foo_bar"`, `"a,"`, `",a"`, `" a "`, `"a, b"`, `"a..b"`, `"1a"`, `"\u00e9"`, `"\u00a0a"`,
		`{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}`, `{"value":"1s","@type":"type.googleapis.com/google.protobuf.Duration"}`, `{"@type":"google.protobuf.Duration"}`, `{"@type":"type.googleapis.com/google.protobuf.Empty"}`,
		`{"@type":"type.googleapis.com/no.such.Type"}`, `{"@type":""}`, `{"@type":1}`, `{"@type":"a","@type":"b"}`, `{"value":1}`, `{"@type":"type.googleapis.com/arena.testpb.Tree3","children":[{}]}`, `{"@type":"type.googleapis.com/arena.testpb.Required2"}`,
		`{"@type":"type.googleapis.com/google.protobuf.Any","value":{"@type":"type.googleapis.com/google.protobuf.Value","value":null}}`, `{"@type":"type.googleapis.com/arena.testpb.Tree3","unknown":1}`,
	}
	a := arena.NewArena()
	defer a.Free()
	r := rand.New(rand.NewPCG(1, 2))
	accepted, tried := 0, 0
	try := func(mt protoreflect.MessageType, text string, o arenapb.UnmarshalJSONOptions) {
		to := a
		if r.IntN(8) == 0 {
			to = nil
		}
		tried++
		if tryJSON(t, jsonPair(mt), to, []byte(text), o) {
			accepted++
		}
		a.Reset()
	}
	for _, m := range []proto.Message{
		&testpb.All2{}, &testpb.All3{}, &testpb.AllEd{}, &testpb.Maps3{}, &testpb.Known3{}, &testpb.OpenMix{}, &testpb.Empty3{}, &testpb.Extendable2{},
	} {
		mt := m.ProtoReflect().Type()
		fds := mt.Descriptor().Fields()
		for i := range fds.Len() {
			fd := fds.Get(i)
			for k, v := range values {
				if !testrun.Long() && (i+k)%32 > 0 {
					continue
				}
				o := arenapb.UnmarshalJSONOptions{AllowPartial: true, DiscardUnknown: k%3 == 0}
				switch {
				case fd.IsMap():
					key := `"1"`
					if fd.MapKey().Kind() == protoreflect.BoolKind {
						key = `"true"`
					}
					try(mt, fmt.Sprintf(`{"%s":{%s:%s}}`, fd.JSONName(), key, v), o)
					try(mt, fmt.Sprintf(`{"%s":{%s:%s,%s:%[3]s}}`, fd.JSONName(), key, v, key), o)
					if fd.MapValue().Kind() == protoreflect.Int32Kind {
						try(mt, fmt.Sprintf(`{"%s":{%s:1}}`, fd.JSONName(), v), o)
					}
				case fd.IsList():
					try(mt, fmt.Sprintf(`{"%s":[%s]}`, fd.JSONName(), v), o)
					try(mt, fmt.Sprintf(`{"%s": [ %s , %[2]s ] }`, fd.JSONName(), v), o)
				}
				try(mt, fmt.Sprintf(`{"%s":%s}`, fd.JSONName(), v), o)
				try(mt, fmt.Sprintf("\n{\t\"%s\" :\r %s }\n", fd.TextName(), v), o)
			}
		}
		for k, v := range values {
			if !testrun.Long() && k%8 > 0 {
				continue
			}
			try(mt, v, arenapb.UnmarshalJSONOptions{})
			for _, discard := range []bool{false, true} {
				try(mt, fmt.Sprintf(`{"no such field":%s}`, v), arenapb.UnmarshalJSONOptions{DiscardUnknown: discard})
				try(mt, fmt.Sprintf(`{%s:1}`, v), arenapb.UnmarshalJSONOptions{DiscardUnknown: discard})
				try(mt, fmt.Sprintf(`{"[arena.testpb.none]":%s}`, v), arenapb.UnmarshalJSONOptions{DiscardUnknown: discard})
			}
		}
	}
	// Messages that have a form of their own, as the whole of a text.
	for _, m := range []proto.Message{
		&anypb.Any{}, &timestamppb.Timestamp{}, &durationpb.Duration{}, &fieldmaskpb.FieldMask{}, &structpb.Struct{}, &structpb.Value{}, &structpb.ListValue{}, &wrapperspb.BoolValue{}, &wrapperspb.BytesValue{},
		&wrapperspb.DoubleValue{}, &wrapperspb.FloatValue{}, &wrapperspb.Int32Value{}, &wrapperspb.Int64Value{}, &wrapperspb.StringValue{}, &wrapperspb.UInt32Value{}, &wrapperspb.UInt64Value{},
	} {
		for _, mt := range []protoreflect.MessageType{m.ProtoReflect().Type(), dynamicpb.NewMessageType(m.ProtoReflect().Descriptor())} {
			for k, v := range values {
				for n, text := range []string{v, v + " ", "\n" + v + "x", v + "," + v} {
					if !testrun.Long() && (k+n)%4 > 0 {
						continue
					}
					try(mt, text, arenapb.UnmarshalJSONOptions{})
				}
			}
		}
	}
	t.Logf("%d of %d accepted", accepted, tried)
	if accepted == 0 || accepted == tried {
		t.Error("nothing was compared")
	}
}

// TestJSONNames decodes fields by both of their names, by names with escapes, twice, and with
// others of their oneof.
func TestJSONNames(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, mt := range types() {
		fds := mt.Descriptor().Fields()
		for i := range fds.Len() {
			fd := fds.Get(i)
			value := func() string {
				switch {
				case fd.IsMap():
					return "{}"
				case fd.IsList():
					return "[]"
				case fd.Message() != nil:
					return "{}"
				case fd.Kind() == protoreflect.StringKind || fd.Kind() == protoreflect.BytesKind:
					return `"abcd"`
				case fd.Kind() == protoreflect.BoolKind:
					return "true"
				}
				return "1"
			}
			name := func(s string) string { return `"` + s + `":` + value() }
			other := fds.Get((i + 1) % fds.Len()).JSONName()
			for _, text := range []string{
				name(fd.JSONName()), name(fd.TextName()), name(string(fd.Name())), name(strings.ToLower(fd.JSONName())), name(strings.ToUpper(fd.JSONName())),
				name(fmt.Sprintf(`\u%04x%s`, fd.JSONName()[0], fd.JSONName()[1:])), name(fd.JSONName()) + "," + name(fd.JSONName()), name(fd.JSONName()) + "," + name(fd.TextName()),
				name(fd.JSONName()) + `,"` + other + `":null,` + name("no"), `"` + other + `":1,` + name(fd.JSONName()), `"` + fd.JSONName() + `":null,` + name(fd.JSONName()),
				name("[" + string(fd.FullName()) + "]"), name("[" + fd.JSONName() + "]"),
			} {
				tryJSON(t, jsonPair(mt), a, []byte("{"+text+"}"), arenapb.UnmarshalJSONOptions{AllowPartial: true, DiscardUnknown: i%2 == 0})
			}
			a.Reset()
		}
	}
}

// TestJSONKeys decodes keys of maps again after values that count as none. Keys of those do not
// count, but must be new.
func TestJSONKeys(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, mt := range types() {
		fds := mt.Descriptor().Fields()
		for i := range fds.Len() {
			fd := fds.Get(i)
			if !fd.IsMap() || fd.MapValue().Enum() == nil {
				continue
			}
			one, two := "1", "2"
			if fd.MapKey().Kind() == protoreflect.BoolKind {
				one, two = "true", "false"
			}
			for _, text := range []string{
				`"one":0,"one":"no"`, `"one":"no","one":0`, `"one":"no","one":"no"`, `"one":0,"two":"no","one":0`, `"one":"no","two":0,"two":"no"`, `"one":0,"two":"no"`,
				`"one":"no","two":"no","one":0,"two":0`, `"one":0,"two":"no","two":0,"one":"no"`,
			} {
				text = strings.NewReplacer("one", one, "two", two).Replace(text)
				tryJSON(t, jsonPair(mt), a, fmt.Appendf(nil, `{"%s":{%s}}`, fd.JSONName(), text), arenapb.UnmarshalJSONOptions{DiscardUnknown: true})
			}
			a.Reset()
		}
	}
}

// TestJSONRoundTrip decodes what protojson writes of random messages, in all the ways that it can,
// whole and damaged.
func TestJSONRoundTrip(t *testing.T) {
	r := random(t)
	list := types()
	a := arena.NewArena()
	defer a.Free()
	good := 0
	for range rounds(4000) {
		mt := list[r.IntN(len(list))]
		w := difftest.Wire{R: r, Budget: 1 + r.IntN(1<<r.IntN(9))}
		m := mt.New().Interface()
		if err := (proto.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true}).Unmarshal(w.Message(nil, mt.Descriptor(), 0), m); err != nil {
			t.Fatal(err)
		}
		o := protojson.MarshalOptions{AllowPartial: true, UseProtoNames: r.IntN(2) == 0, UseEnumNumbers: r.IntN(2) == 0, EmitUnpopulated: r.IntN(4) == 0, Multiline: r.IntN(4) == 0}
		b, err := o.Marshal(m)
		if err != nil {
			continue // a message of a known type that has no form in JSON
		}
		p := jsonPair(mt)
		if tryJSON(t, p, a, b, arenapb.UnmarshalJSONOptions{AllowPartial: true}) && proto.Equal(p.Got, m) {
			good++ // others have what is lost in JSON, such as the bits of a NaN
		}
		tryJSON(t, jsonPair(mt), a, w.Damage(bytes.Clone(b)), difftest.RandomJSONOptions(r))
		a.Reset()
	}
	if good < rounds(4000)/4 {
		t.Errorf("%d messages were compared", good)
	}
}

// TestJSONRecursion decodes what is nested just as deeply as is allowed, and a little more.
func TestJSONRecursion(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	nest := func(open, inner, end string) func(n int) string {
		return func(n int) string { return strings.Repeat(open, n) + inner + strings.Repeat(end, n) }
	}
	for name, test := range map[string]struct {
		m    proto.Message
		text func(n int) string
	}{
		"messages":   {&testpb.Tree3{}, nest(`{"children":[`, "{}", "]}")},
		"Value":      {&structpb.Value{}, nest("[", "", "]")},
		"Struct":     {&structpb.Struct{}, nest(`{"a":`, "null", "}")},
		"both":       {&structpb.Value{}, nest(`{"a":[`, "1", "]}")},
		"unknown":    {&testpb.Tree3{}, func(n int) string { return `{"u":` + nest("[", "", "]")(n) + "}" }},
		"in unknown": {&testpb.Tree3{}, func(n int) string { return `{"children":[{"u":` + nest(`{"a":`, "[]", "}")(n) + "}]}" }},
		"Empty":      {&testpb.Known3{}, func(n int) string { return `{"empty":{"u":` + nest("[", "", "]")(n) + "}}" }},
		"extension":  {&testpb.Extendable2{}, func(n int) string { return `{"[no.such]":` + nest("[", "", "]")(n) + "}" }},
		"Any": {&anypb.Any{}, func(n int) string {
			return nest(`{"@type":"google.protobuf.Any","value":`, `{"@type":"google.protobuf.Empty","value":{}}`, "}")(n)
		}},
		"field of Any": {&testpb.Known3{}, func(n int) string {
			return `{"any":` + nest(`{"@type":"google.protobuf.Any","value":`, `{}`, "}")(n) + "}"
		}},
		"tree in Any": {&testpb.Known3{}, func(n int) string {
			return `{"any":{"@type":"arena.testpb.Tree3","children":[` + nest(`{"children":[`, "{}", "]}")(n) + "]}}"
		}},
	} {
		mt := test.m.ProtoReflect().Type()
		accepted, last := 0, error(nil)
		for _, limit := range []int{-1, 1, 2, 3, 10, 0} {
			n := limit
			if limit == 0 {
				n = 10000
				if strings.Contains(name, "Any") {
					continue // protojson's time grows with the square
				}
			}
			for add := -9; add <= 2; add++ {
				if n+add >= 0 && (limit != 0 || add%4 == 0 || add == 1) {
					p := jsonPair(mt)
					p.Input, p.Options = nil, arenapb.UnmarshalJSONOptions{RecursionLimit: limit, DiscardUnknown: true}
					text := []byte(test.text(n + add))
					want := difftest.JSONOnHeap(p.Options).Unmarshal(text, p.Want)
					if s := difftest.SameError(p.Options.Unmarshal(a, text, p.Got), want); s != "" {
						t.Errorf("%s: limit %d, depth %d: %s", name, limit, n+add, s)
					} else if want == nil {
						accepted++
					}
					last = want
					a.Reset()
				}
			}
		}
		if accepted == 0 {
			t.Errorf("%s: nothing was accepted: %v", name, last)
		}
	}
	// Text that nests more deeply than anything else is no reason to use a stack without end.
	deep := []byte(`{"u":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + "}")
	if err := (arenapb.UnmarshalJSONOptions{DiscardUnknown: true, RecursionLimit: 1 << 30}).Unmarshal(a, deep, &testpb.Tree3{}); err != nil {
		t.Error(err)
	}
}

// TestJSONNil decodes into messages that are nil: what protojson does, returning or panicking,
// arenapb does too.
func TestJSONNil(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	messages := []proto.Message{nil}
	for _, mt := range testpb.Messages() {
		messages = append(messages, mt.Zero().Interface())
	}
	for _, m := range messages {
		for _, b := range []string{"", "{}", "null", `{"u":1}`, "{"} {
			var got, want error
			gotReturned := difftest.Catch(func() { got = arenapb.UnmarshalJSON(a, []byte(b), m) })
			wantReturned := difftest.Catch(func() { want = protojson.Unmarshal([]byte(b), m) })
			if gotReturned != wantReturned {
				t.Errorf("%T from %s: returned %t, want %t", m, b, gotReturned, wantReturned)
			}
			if s := difftest.SameError(got, want); s != "" {
				t.Errorf("%T from %s: %s", m, b, s)
			}
		}
	}
}

// TestJSONError says what an error leaves: what protojson leaves, on the heap, without a part of
// the message that was there. If only a required field is missing, the message is whole.
func TestJSONError(t *testing.T) {
	panics := arenapb.Panics()
	a := arena.NewArena()
	defer a.Free()
	m := &testpb.All3{}
	if err := arenapb.UnmarshalJSON(a, []byte(`{"oneString":"before"}`), m); err != nil || m.GetOneString() != "before" {
		t.Fatal(err, m)
	}
	want := &testpb.All3{}
	text := []byte(`{"oneInt32":5,"oneString":"after","oneBool":7}`)
	theirs := protojson.Unmarshal(text, want)
	err := arenapb.UnmarshalJSON(a, text, m)
	if s := difftest.SameError(err, theirs) + difftest.SameMessage(m, want); err == nil || s != "" {
		t.Error(s)
	}
	a.Reset()
	if m.GetOneString() != "after" {
		t.Errorf("what an error has left is %q after Reset", m.GetOneString())
	}

	partial := arenapb.New[testpb.Required2](a)
	if err := arenapb.UnmarshalJSON(a, []byte(`{}`), partial); err == nil || !strings.Contains(err.Error(), "required field") || !errors.Is(err, proto.Error) {
		t.Errorf("without a required field the error is %v", err)
	}
	if err := (arenapb.UnmarshalJSONOptions{AllowPartial: true}).Unmarshal(a, []byte(`{}`), partial); err != nil {
		t.Error(err)
	}
	if n := arenapb.Panics() - panics; n != 0 {
		t.Errorf("%d panics", n)
	}
}

// TestJSONMistake makes mistakes in the plans of fields: panics, and refusals. The result equals
// protojson's, and every mistake is reported and counted.
func TestJSONMistake(t *testing.T) {
	r := random(t)
	list := types()
	told := events(t)
	var arenas []*arena.Arena
	arenas = append(arenas, nil, arena.NewArena())
	contained, refused := 0, 0
	for range rounds(1000) {
		mt := list[r.IntN(len(list))]
		fds := mt.Descriptor().Fields()
		if fds.Len() == 0 {
			continue
		}
		p := jsonPair(mt)
		whole := arenapb.MendJSON(p.Got)
		panics := r.IntN(2) == 0
		fd := fds.Get(r.IntN(fds.Len()))
		mend, ok := arenapb.BreakJSON(mt.New().Interface(), fd.Number(), panics)
		if !ok || !panics && fd.Kind() == protoreflect.BoolKind {
			whole()
			continue
		}
		before, count := len(*told), arenapb.Panics()
		var own *arenapb.Panic
		b := difftest.JSON(r, mt.Descriptor())
		if !panics && (bytes.Contains(b, []byte("true")) || bytes.Contains(b, []byte("false"))) {
			mend()
			continue // which the mistake would accept in the wrong place
		}
		o := difftest.RandomJSONOptions(r)
		o.OnPanic = func(p *arenapb.Panic) { own = p }
		a := arenas[r.IntN(2)]
		tryJSON(t, p, a, b, o)
		if n := len(*told) - before; n > 1 || arenapb.Panics() != count+int64(n) || (own != nil) != (n == 1) {
			t.Fatalf("%d events, %d counted, the call's own is %v", n, arenapb.Panics()-count, own)
		}
		if own != nil {
			if panics {
				contained++
			} else {
				refused++
			}
			if own != (*told)[before] || own.Type != reflect.TypeOf(p.Got) || own.Value == nil || !strings.Contains(own.Error(), "protojson.Unmarshal has decoded it") {
				t.Fatalf("the event is %+v", own)
			}
			if f := arenapb.JSONFallbacks(p.Got); len(f) != 1 || !strings.Contains(f[0], "arenapb has panicked: ") {
				t.Fatalf("JSONFallbacks is %q", f)
			}
			if f := arenapb.Fallbacks(p.Got); len(f) == 1 && strings.Contains(f[0], "panicked") {
				t.Fatalf("Fallbacks is %q: the wire format has no mistake", f)
			}
			// protojson decodes all that follow.
			n := len(*told)
			tryJSON(t, jsonPair(mt), a, b, o)
			if len(*told) != n {
				t.Fatal("it is told again")
			}
		}
		mend()
		whole()
		jsonEpisode(t, r, a, list[:1+r.IntN(len(list))])
		arenas[1].Reset()
	}
	t.Logf("%d panics, %d refusals", contained, refused)
	if contained == 0 || refused == 0 {
		t.Error("nothing was tested")
	}
}

// TestJSONLimit decodes into arenas that have too little memory.
func TestJSONLimit(t *testing.T) {
	r := random(t)
	list := types()
	failed := 0
	for range rounds(600) {
		a := arena.NewWith(arena.Options{Limit: 1 + r.Int64N(1<<r.IntN(14))})
		for range 10 {
			p := jsonPair(list[r.IntN(len(list))])
			b := difftest.JSON(r, p.Type.Descriptor())
			var limit *arena.LimitError
			switch err := arena.Try(func() { tryJSON(t, p, a, b, difftest.RandomJSONOptions(r)) }); {
			case errors.As(err, &limit):
				failed++
				if r.IntN(2) == 0 {
					a.Reset()
				}
			case err != nil:
				t.Fatalf("%v\n%v", err, p)
			}
		}
		a.Free()
	}
	if failed == 0 {
		t.Error("no limit was exceeded")
	}
	freed := arena.NewArena()
	freed.Free()
	if difftest.Catch(func() { arenapb.UnmarshalJSON(freed, []byte(`{"children":[{}]}`), &testpb.Tree3{}) }) {
		t.Error("a freed arena is used")
	}
}

// TestJSONScratch decodes large messages, and some with errors: what the decoder keeps is small,
// and has nothing of them.
func TestJSONScratch(t *testing.T) {
	r := random(t)
	a := arena.NewArena()
	defer a.Free()
	list := types()
	for range rounds(300) {
		p := jsonPair(list[r.IntN(len(list))])
		tryJSON(t, p, a, difftest.JSON(r, p.Type.Descriptor()), difftest.RandomJSONOptions(r))
		if size, clean := arenapb.JSONScratch(a); !clean || size > 1<<20 {
			t.Fatalf("the decoder keeps %d bytes, all zero: %t", size, clean)
		}
		a.Reset()
	}
	for _, text := range []string{
		`{"children":[` + strings.Repeat("{},", 1<<16) + "{}]}", `{"children":[` + strings.Repeat("{},", 1<<16), strings.Repeat(`{"children":[`, 9000),
	} {
		_ = arenapb.UnmarshalJSON(a, []byte(text), &testpb.Tree3{})
		if size, clean := arenapb.JSONScratch(a); !clean || size > 1<<20 {
			t.Fatalf("the decoder keeps %d bytes, all zero: %t", size, clean)
		}
	}
}

// TestJSONHeap decodes messages with maps if there is no arena: the decoder, which others use after
// that, keeps none of them alive.
func TestJSONHeap(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that one decoder does it all
	values := make([]weak.Pointer[structpb.Value], 200)
	for i := range values {
		m := new(structpb.Struct)
		if err := arenapb.UnmarshalJSON(nil, []byte(`{"a":{"b":"c"}}`), m); err != nil {
			t.Fatal(err)
		}
		values[i] = weak.Make(m.Fields["a"])
	}
	for range 4 {
		runtime.GC()
		if err := arenapb.UnmarshalJSON(nil, []byte("{}"), new(structpb.Struct)); err != nil { // or else the pool forgets the decoder
			t.Fatal(err)
		}
	}
	alive := 0
	for _, v := range values {
		if v.Value() != nil {
			alive++
		}
	}
	if alive > len(values)/10 {
		t.Errorf("of %d messages that nobody has, %d are alive", len(values), alive)
	}
}

// TestJSONMemory decodes what has as many values as can be in a text: the arena takes little more
// than the message is large.
func TestJSONMemory(t *testing.T) {
	const n = 1 << 14
	for _, mt := range types() {
		fds := mt.Descriptor().Fields()
		if whole, _ := arenapb.Reasons(mt.New().Interface()); whole != "" {
			continue
		}
		for i := range fds.Len() {
			fd := fds.Get(i)
			if !testrun.Long() && i%8 > 0 || !fd.IsList() && !fd.IsMap() {
				continue
			}
			var elements []string
			unit := map[bool]string{true: "{}", false: "1"}[fd.Message() != nil]
			switch fd.Kind() {
			case protoreflect.StringKind, protoreflect.BytesKind:
				unit = `"abcd"`
			case protoreflect.BoolKind:
				unit = "true"
			}
			text := `{"` + fd.JSONName() + `":[` + strings.Repeat(unit+",", n/(len(unit)+1)) + unit + "]}"
			if fd.IsMap() {
				for k := range n / 8 {
					elements = append(elements, fmt.Sprintf(`"%d":1`, k))
				}
				text = `{"` + fd.JSONName() + `":{` + strings.Join(elements, ",") + "}}"
			}
			a := arena.NewArena()
			m := mt.New().Interface()
			err := arenapb.UnmarshalJSON(a, []byte(text), m)
			want := mt.New().Interface()
			if (protojson.Unmarshal([]byte(text), want) == nil) != (err == nil) {
				t.Fatalf("%s: %v", fd.FullName(), err)
			}
			if most := 2*weight(reflect.ValueOf(want)) + 2*int64(len(text)) + 32<<10; a.Stats().Peak > most {
				t.Errorf("%s: %d bytes of the arena, want %d at most", fd.FullName(), a.Stats().Peak, most)
			}
			a.Free()
		}
	}
}

// TestJSONFallbacks names what is on the heap.
func TestJSONFallbacks(t *testing.T) {
	for _, test := range []struct {
		m    proto.Message
		want []string
	}{
		{&timestamppb.Timestamp{}, nil},
		{&structpb.Struct{}, []string{"google.protobuf.Struct.fields: it is a map, which is Go's"}},
		{&anypb.Any{}, []string{"google.protobuf.Any: messages of this type are left to package protojson"}},
		{&testpb.Extendable2{}, []string{"arena.testpb.Extendable2: its extensions are left to package protojson"}},
		{&testpb.AllOp{}, []string{"arena.testpb.AllOp.map_needs: it is a map, which is Go's"}},
		{dynamicpb.NewMessage((&testpb.Tree3{}).ProtoReflect().Descriptor()), []string{"arena.testpb.Tree3: it is not a message that protoc-gen-go has generated"}},
		{nil, nil},
	} {
		got := arenapb.JSONFallbacks(test.m)
		if len(test.want) == 1 && len(got) > 1 {
			got = got[:1] // there are more of the kind
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%T: %q, want %q", test.m, got, test.want)
		}
	}
	found := false
	for _, s := range arenapb.JSONFallbacks(&testpb.Known3{}) {
		found = found || strings.HasPrefix(s, "arena.testpb.Known3.any: google.protobuf.Any: ")
	}
	if !found {
		t.Errorf("Known3: %q", arenapb.JSONFallbacks(&testpb.Known3{}))
	}
}

// TestJSONAlias looks where strings lie: in the input with AliasInput if they have no escapes, in
// the arena, and without one in blocks that they share.
func TestJSONAlias(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, to := range []*arena.Arena{a, nil} {
		for _, alias := range []bool{false, true} {
			text := []byte(`{"oneString":"plain text","oneBytes":"YWJj","optString":"with \u0061n escape"}`)
			m := &testpb.All3{}
			if err := (arenapb.UnmarshalJSONOptions{AliasInput: alias, DiscardUnknown: true}).Unmarshal(to, text, m); err != nil {
				t.Fatal(err)
			}
			copy(text[len(`{"oneString":"`):], "other")
			if got := m.GetOneString() == "other text"; got != alias || string(m.GetOneBytes()) != "abc" {
				t.Errorf("AliasInput %t: %v", alias, m)
			}
		}
	}
}

// TestJSONResolver has a Resolver that uses the same arena, one that panics, and one that fails.
func TestJSONResolver(t *testing.T) {
	panics := arenapb.Panics()
	a := arena.NewArena()
	defer a.Free()
	text := []byte(`{"u":"before","any":{"@type":"google.protobuf.Duration","value":"1s"}}`)
	r := jsonResolver{Types: protoregistry.GlobalTypes, call: func() error {
		return arenapb.UnmarshalJSON(a, []byte(`{"children":[{},{"children":[{}]}]}`), arenapb.New[testpb.Tree3](a))
	}}
	o := arenapb.UnmarshalJSONOptions{Resolver: r, DiscardUnknown: true}
	m := &testpb.Known3{}
	if err := o.Unmarshal(a, text, m); err != nil || len(m.GetAny().GetValue()) == 0 {
		t.Errorf("a Resolver that decodes: %v, %v", m, err)
	}
	failed := errors.New("no types today")
	o.Resolver = jsonResolver{Types: protoregistry.GlobalTypes, call: func() error { return failed }}
	if err := o.Unmarshal(a, text, m); err == nil || !strings.Contains(err.Error(), "no types today") {
		t.Errorf("a Resolver that fails: %v", err)
	}
	o.Resolver = jsonResolver{Types: protoregistry.GlobalTypes, call: func() error { panic("no types at all") }}
	if difftest.Catch(func() { o.Unmarshal(a, text, m) }) {
		t.Error("a Resolver panics, and nobody hears of it")
	}
	if arenapb.Panics() != panics {
		t.Error("the panic of a Resolver counts as a mistake of arenapb")
	}
}

type jsonResolver struct {
	*protoregistry.Types
	call func() error
}

func (r jsonResolver) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	if err := r.call(); err != nil {
		return nil, err
	}
	return r.Types.FindMessageByURL(url)
}

// TestJSONFloats compares random numbers with protojson's, bit by bit.
func TestJSONFloats(t *testing.T) {
	r := random(t)
	m, want := &testpb.All3{}, &testpb.All3{}
	for range rounds(200000) {
		digits := r.Uint64() >> r.IntN(64)
		s := fmt.Sprint(digits)
		if point := r.IntN(len(s) + 4); point < len(s) && point > 0 {
			s = s[:point] + "." + s[point:]
		}
		if r.IntN(4) == 0 {
			s += fmt.Sprintf("e%d", r.IntN(80)-40)
		}
		if r.IntN(2) == 0 {
			s = "-" + s
		}
		text := []byte(`{"oneDouble":` + s + `,"oneFloat":` + s + "}")
		got, theirs := arenapb.UnmarshalJSON(nil, text, m), protojson.Unmarshal(text, want)
		if (got == nil) != (theirs == nil) || got == nil && (math.Float64bits(m.GetOneDouble()) != math.Float64bits(want.GetOneDouble()) || math.Float32bits(m.GetOneFloat()) != math.Float32bits(want.GetOneFloat())) {
			t.Fatalf("%s: %v, %v, want %v, %v", text, m, got, want, theirs)
		}
	}
}

// FuzzJSON decodes any text as a message of any type.
func FuzzJSON(f *testing.F) {
	list := testpb.Messages()
	r := rand.New(rand.NewPCG(1, 2))
	for i, mt := range list {
		f.Add(difftest.JSON(r, mt.Descriptor()), uint16(i), uint16(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, b []byte, which, bits uint16) {
		var a *arena.Arena
		if bits&8 == 0 {
			a = arena.NewArena()
			defer a.Free()
		}
		o := arenapb.UnmarshalJSONOptions{AllowPartial: bits&1 != 0, DiscardUnknown: bits&2 != 0, AliasInput: bits&4 != 0, RecursionLimit: int(bits >> 12)}
		tryJSON(t, jsonPair(list[int(which)%len(list)]), a, b, o)
	})
}
