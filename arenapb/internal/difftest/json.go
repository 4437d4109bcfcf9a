package difftest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A Text makes random JSON for messages: names in both ways, values in all ways that decoders must
// accept, fields in any order.
type Text struct {
	R *rand.Rand
	// Odd is how often, in a thousand, something is written as no encoder would but a decoder must
	// accept: numbers with exponents, letters that are escaped without need, white space, null.
	Odd int
	// Bad is how often, in a thousand, there is what may have to be refused: duplicates, unknown
	// names, values of other types.
	Bad int
	// Budget is about how many fields are still to come.
	Budget int
}

// JSON returns random JSON for a message, good, odd or bad.
func JSON(r *rand.Rand, md protoreflect.MessageDescriptor) []byte {
	t := &Text{R: r, Budget: 1 + r.IntN(1<<r.IntN(8))}
	switch r.IntN(6) {
	case 0, 1:
	case 2, 3:
		t.Odd = 20 + r.IntN(200)
	case 4:
		t.Odd, t.Bad = r.IntN(100), 1+r.IntN(10)
	case 5:
		t.Bad = 1 + r.IntN(30)
	}
	b := t.Message(nil, md, 0)
	if t.rarely(t.Odd) {
		b = append(t.space(nil), t.space(b)...)
	}
	if t.rarely(t.Bad) {
		b = append(b, []string{",", "}", "0", "null", "\x00", "\""}[r.IntN(6)]...)
	}
	if r.IntN(10) == 0 {
		b = (&Wire{R: r}).Damage(b)
	}
	if r.IntN(12) == 0 {
		b = t.swap(b)
	}
	return b
}

func (t *Text) rarely(n int) bool { return t.R.IntN(1000) < n }

func (t *Text) space(b []byte) []byte {
	for t.rarely(t.Odd) {
		b = append(b, " \n\t\r"[t.R.IntN(4)])
	}
	return b
}

// swap has two tokens change their places.
func (t *Text) swap(b []byte) []byte {
	var at []int
	for i, c := range b {
		if strings.IndexByte(`{}[]:,"`, c) >= 0 {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return b
	}
	b = bytes.Clone(b)
	i, j := at[t.R.IntN(len(at))], at[t.R.IntN(len(at))]
	b[i], b[j] = b[j], b[i]
	return b
}

// Message appends a message.
func (t *Text) Message(b []byte, md protoreflect.MessageDescriptor, depth int) []byte {
	if md.ParentFile().Package() == "google.protobuf" {
		if k := t.known(b, md, depth); k != nil {
			return k
		}
	}
	fields := md.Fields()
	var list []protoreflect.FieldDescriptor
	n := 0
	switch t.R.IntN(4) {
	case 0:
	case 1, 2:
		n = 1 + t.R.IntN(8)
	case 3:
		n = 1 + t.R.IntN(2*fields.Len()+2)
	}
	extensions := extensionsOf(md)
	oneofs := map[protoreflect.OneofDescriptor]bool{}
	for range n {
		if t.Budget <= 0 {
			break
		}
		t.Budget--
		var f protoreflect.FieldDescriptor
		if i := t.R.IntN(fields.Len() + min(len(extensions), fields.Len()+2) + 1); i < fields.Len() {
			f = fields.Get(i)
		} else if len(extensions) > 0 {
			f = extensions[t.R.IntN(len(extensions))]
		} else {
			continue
		}
		oneof := f.ContainingOneof()
		if f.Message() != nil && t.R.IntN(depth+1) > 3 || (slices.Contains(list, f) || oneof != nil && oneofs[oneof]) && !t.rarely(20*t.Bad) {
			continue
		}
		oneofs[oneof] = oneof != nil
		list = append(list, f)
	}
	for i := range fields.Len() {
		if f := fields.Get(i); f.Cardinality() == protoreflect.Required && !slices.Contains(list, f) && t.R.IntN(50) > 0 && (f.Message() == nil || depth < 50) {
			list = append(list, f)
		}
	}
	if t.R.IntN(3) > 0 {
		slices.SortStableFunc(list, func(f, g protoreflect.FieldDescriptor) int { return f.Index() - g.Index() })
	}
	return t.object(b, len(list), func(b []byte, i int) []byte {
		f := list[i]
		name := f.JSONName()
		switch {
		case f.IsExtension():
			name = "[" + string(f.FullName()) + "]"
		case t.R.IntN(8) == 0:
			name = f.TextName()
		}
		return t.field(t.space(append(t.space(t.string(b, name)), ':')), f, depth)
	})
}

// object appends an object with n members, and perhaps some that nobody knows.
func (t *Text) object(b []byte, n int, member func(b []byte, i int) []byte) []byte {
	b = append(b, '{')
	first := true
	more := func() {
		if !first && !t.rarely(t.Bad) {
			b = append(b, ',')
		}
		first = false
		b = t.space(b)
	}
	for i := range n {
		if t.rarely(t.Bad) {
			more()
			b = append(t.string(b, []string{"unknown", "", "@type", "[]", "[arena.testpb.no_such_extension]", "[", "\u00e9"}[t.R.IntN(7)]), ':')
			b = t.anything(b, 0)
		}
		more()
		b = t.space(member(b, i))
	}
	b = t.space(b)
	if t.rarely(t.Bad) {
		b = append(b, ',')
	}
	return append(b, '}')
}

// array appends an array with n elements.
func (t *Text) array(b []byte, n int, element func(b []byte) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.space(element(t.space(b)))
	}
	return append(t.space(b), ']')
}

// anything appends a value of any type.
func (t *Text) anything(b []byte, depth int) []byte {
	switch n := t.R.IntN(9); {
	case n == 0:
		return append(b, "null"...)
	case n == 1:
		return append(b, "true"...)
	case n == 2:
		return append(b, "false"...)
	case n < 5:
		return t.number(b)
	case n < 7 || depth > 4:
		return t.string(b, t.word())
	case n == 7:
		return t.array(b, t.R.IntN(4), func(b []byte) []byte { return t.anything(b, depth+1) })
	}
	return t.object(b, t.R.IntN(4), func(b []byte, i int) []byte {
		return t.anything(append(t.string(b, t.word()+strconv.Itoa(i)), ':'), depth+1)
	})
}

func (t *Text) word() string { return (&Wire{R: t.R}).text() }

// field appends the value of a field.
func (t *Text) field(b []byte, f protoreflect.FieldDescriptor, depth int) []byte {
	if t.rarely(t.Odd/4) || t.rarely(t.Bad) {
		return append(b, "null"...)
	}
	times := 1
	if t.R.IntN(3) == 0 {
		times = t.R.IntN(6)
	}
	switch {
	case f.IsMap():
		return t.object(b, times, func(b []byte, i int) []byte {
			return t.value(append(t.space(t.key(b, f.MapKey(), i)), ':'), f.MapValue(), depth)
		})
	case f.IsList():
		return t.array(b, times, func(b []byte) []byte { return t.value(b, f, depth) })
	}
	return t.value(b, f, depth)
}

func (t *Text) key(b []byte, f protoreflect.FieldDescriptor, i int) []byte {
	switch f.Kind() {
	case protoreflect.StringKind:
		s := t.word()
		if !t.rarely(20 * t.Bad) {
			s += strconv.Itoa(i)
		}
		return t.string(b, s)
	case protoreflect.BoolKind:
		return t.string(b, []string{"true", "false"}[i%2])
	}
	n := strconv.FormatInt(int64((&Wire{R: t.R}).number()>>t.R.IntN(64)), 10)
	if t.rarely(t.Odd) {
		n = []string{"+1", "-0", "007", "-1", "+", "0x1", "1_0", "1e1", " 1"}[t.R.IntN(9)]
	}
	return t.string(b, n)
}

// value appends a value, or an element.
func (t *Text) value(b []byte, f protoreflect.FieldDescriptor, depth int) []byte {
	if t.rarely(t.Bad) {
		return t.anything(b, 0)
	}
	switch f.Kind() {
	case protoreflect.BoolKind:
		return strconv.AppendBool(b, t.R.IntN(2) == 0)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		value := values.Get(t.R.IntN(values.Len()))
		switch {
		case t.R.IntN(4) == 0:
			return strconv.AppendInt(b, int64(value.Number()), 10)
		case t.rarely(t.Odd):
			return t.quoted(b, strconv.Itoa(int(int32((&Wire{R: t.R}).number()))), true)
		case t.rarely(4 * t.Bad):
			return t.string(b, t.word())
		}
		return t.string(b, string(value.Name()))
	case protoreflect.StringKind:
		return t.string(b, t.word())
	case protoreflect.BytesKind:
		p := []byte(t.word())
		for i := range p {
			p[i] ^= byte(t.R.IntN(2) * t.R.IntN(256))
		}
		encoding := []*base64.Encoding{base64.StdEncoding, base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}[t.R.IntN(5)]
		s := encoding.EncodeToString(p)
		if t.rarely(4 * t.Odd) {
			s = []string{"\n", "=", s + "\n", s + "=", "-/", "a", "ab", "abc", "ab=", "ab==", "YQ\r\n=="}[t.R.IntN(11)]
		}
		return t.string(b, s)
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return t.Message(b, f.Message(), depth+1)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		switch t.R.IntN(8) {
		case 0:
			return t.string(b, []string{"NaN", "Infinity", "-Infinity", "1.5", "-0", "1e400", "1e39", ""}[t.R.IntN(8)])
		case 1:
			return t.quoted(b, strconv.FormatFloat(t.R.NormFloat64(), 'g', -1, 64), true)
		}
		return t.number(b)
	}
	n := (&Wire{R: t.R}).number()
	s := strconv.FormatUint(n, 10)
	switch f.Kind() {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		s = strconv.Itoa(int(int32(n)))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		s = strconv.Itoa(int(uint32(n)))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		s = strconv.FormatInt(int64(n), 10)
	}
	if t.rarely(4 * t.Bad) {
		s = []string{"18446744073709551616", "9223372036854775808", "-9223372036854775809", "4294967296", "2147483648", "-2147483649", "1.5", "-1", " 1", "1 ", "", "+1", "01", ".5", "1.", "0x1"}[t.R.IntN(16)]
	}
	return t.quoted(b, t.odd(s), t.R.IntN(2) == 0)
}

// odd writes an integer in another way.
func (t *Text) odd(s string) string {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || !t.rarely(2*t.Odd) {
		return s
	}
	switch t.R.IntN(8) {
	case 0:
		return s + ".000"
	case 1:
		return s + "e0"
	case 2:
		return s + "00E-2"
	case 3:
		return s + "e"
	case 4:
		return s[:len(s)-len(digits)] + digits[:1] + "." + digits[1:] + "0e" + strconv.Itoa(len(digits)-1)
	case 5:
		return s + "e+" + strconv.Itoa(t.R.IntN(25))
	case 6:
		return s[:len(s)-len(digits)] + "0." + digits + "E" + strconv.Itoa(len(digits)+t.R.IntN(3)-1)
	}
	return []string{"-0", "0e", "0e+", "0e-9", "0.0e99999999999", "1e-0", "1E1", "10e-1", "1e99999999999", "5e-1", "0.5e1", "-1.0"}[t.R.IntN(12)]
}

// quoted appends a number, in quotes if that is asked for.
func (t *Text) quoted(b []byte, s string, quotes bool) []byte {
	if quotes {
		return t.string(b, s)
	}
	return append(b, s...)
}

// number appends a number of any kind.
func (t *Text) number(b []byte) []byte {
	switch t.R.IntN(6) {
	case 0:
		return strconv.AppendInt(b, int64(t.R.IntN(1000)-100), 10)
	case 1:
		return strconv.AppendFloat(b, t.R.NormFloat64(), 'g', -1, 64)
	case 2:
		return strconv.AppendFloat(b, t.R.Float64()*1000, 'f', t.R.IntN(20), 64)
	case 3:
		return strconv.AppendUint(b, (&Wire{R: t.R}).number(), 10)
	case 4:
		return strconv.AppendFloat(b, (t.R.Float64()-0.5)*float64(uint64(1)<<t.R.IntN(64)), 'e', t.R.IntN(18), 32)
	}
	return append(b, t.odd(strconv.Itoa(t.R.IntN(100)))...)
}

// string appends a string.
func (t *Text) string(b []byte, s string) []byte {
	if t.rarely(t.Bad) {
		s += []string{"\xff", "\xed\xa0\x80", "\x01", "\\", "\\x", "\\u12", "\\ud800", "\\udc00\\ud800", "\\ud800x", "\\u+123", "\""}[t.R.IntN(11)]
		return append(append(append(b, '"'), s...), '"')
	}
	b = append(b, '"')
	for _, r := range s {
		switch {
		case t.rarely(t.Odd / 2):
			if r > 0xffff {
				r -= 0x10000
				b = fmt.Appendf(b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			} else {
				b = fmt.Appendf(b, `\u%04x`, r)
			}
		case r == '/' && t.rarely(100):
			b = append(b, `\/`...)
		default:
			q, _ := json.Marshal(string(r))
			b = append(b, q[1:len(q)-1]...)
		}
	}
	return append(b, '"')
}

// known appends a message that has a form of its own, or returns nil.
func (t *Text) known(b []byte, md protoreflect.MessageDescriptor, depth int) []byte {
	digits := func(n int) (s string) {
		for range n {
			s += strconv.Itoa(t.R.IntN(10))
		}
		return s
	}
	switch md.Name() {
	case "Any":
		if t.R.IntN(6) == 0 {
			return append(b, "{}"...)
		}
		types := []string{"google.protobuf.Duration", "google.protobuf.Empty", "google.protobuf.Struct", "google.protobuf.Any", "google.protobuf.Int64Value", "arena.testpb.All3", "arena.testpb.Tree3", "arena.testpb.Required2", "no.such.Type"}
		name := types[t.R.IntN(len(types)-1)]
		if t.rarely(4 * t.Bad) {
			name = types[len(types)-1]
		}
		url := t.string(nil, []string{"type.googleapis.com/", "", "/"}[t.R.IntN(3)]+name)
		mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
		if err != nil {
			return append(append(append(b, `{"@type":`...), url...), '}')
		}
		value := t.Message(nil, mt.Descriptor(), depth+2)
		if strings.HasPrefix(name, "google.") {
			value = append(append([]byte(`{"value":`), value...), '}')
		}
		if len(value) < 2 || value[0] != '{' {
			return append(b, value...)
		}
		b = append(append(b, `{"@type":`...), url...)
		if rest := bytes.TrimSpace(value[1:]); len(rest) == 0 || rest[0] != '}' {
			b = append(b, ',')
		}
		return append(b, value[1:]...)
	case "Timestamp":
		s := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", t.R.IntN(10000), 1+t.R.IntN(12), 1+t.R.IntN(31), t.R.IntN(24), t.R.IntN(60), t.R.IntN(60))
		if t.R.IntN(2) == 0 {
			s += "." + digits(t.R.IntN(10))
		}
		if t.rarely(t.Odd) {
			s += []string{"+01:00", "-23:59", "+24:00", "z", ".1", ",5", digits(12), ""}[t.R.IntN(8)]
		}
		return t.string(b, s+"Z"[t.R.IntN(1+min(t.Bad, 1)):])
	case "Duration":
		s := []string{"", "-", "+", "", ""}[t.R.IntN(5)] + strconv.FormatInt(t.R.Int64N(1<<t.R.IntN(40)), 10)
		if t.R.IntN(2) == 0 {
			s += "." + digits(t.R.IntN(11))
		}
		if t.rarely(t.Odd) {
			s = []string{".", "-.5", "1.", "", "-", "00", "01.5", "315576000000", "315576000001", "1e3", " 1", "99999999999999999999"}[t.R.IntN(12)]
		}
		return t.string(b, s+"s")
	case "FieldMask":
		var paths []string
		for range t.R.IntN(4) {
			paths = append(paths, []string{"a", "fooBar", "foo.barBaz", "f1", "aB.cD"}[t.R.IntN(5)])
		}
		if t.rarely(4 * t.Odd) {
			paths = append(paths, []string{"foo_bar", "", " a", "a..b", "1a", "\u00e9", "a."}[t.R.IntN(7)])
		}
		s := strings.Join(paths, ",")
		if t.rarely(t.Odd) {
			s = " " + s + "\n"
		}
		return t.string(b, s)
	case "Struct":
		return t.object(b, t.R.IntN(5), func(b []byte, i int) []byte {
			return t.anything(append(t.string(b, t.word()+strconv.Itoa(i)), ':'), depth)
		})
	case "ListValue":
		return t.array(b, t.R.IntN(5), func(b []byte) []byte { return t.anything(b, depth) })
	case "Value":
		return t.anything(b, depth)
	case "Empty":
		return t.object(b, 0, nil)
	}
	if strings.HasSuffix(string(md.Name()), "Value") && md.Fields().Len() == 1 {
		return t.value(b, md.Fields().Get(0), depth)
	}
	return nil
}

// A JSONPair is a message that was decoded from JSON into an arena, and the same decoded by package
// protojson.
type JSONPair struct {
	Type      protoreflect.MessageType
	Got, Want proto.Message
	Options   arenapb.UnmarshalJSONOptions
	Input     []byte
	Err       error // the error of the last Try
}

func (p *JSONPair) String() string {
	o := p.Options
	return fmt.Sprintf("%s, AllowPartial %t, DiscardUnknown %t, RecursionLimit %d, Resolver %T, AliasInput %t, input %q",
		p.Type.Descriptor().FullName(), o.AllowPartial, o.DiscardUnknown, o.RecursionLimit, o.Resolver, o.AliasInput, p.Input)
}

// JSONOnHeap returns the options for package protojson.
func JSONOnHeap(o arenapb.UnmarshalJSONOptions) protojson.UnmarshalOptions {
	return protojson.UnmarshalOptions{AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: o.RecursionLimit, Resolver: o.Resolver}
}

// RandomJSONOptions returns options of which most are the default.
func RandomJSONOptions(r *rand.Rand) (o arenapb.UnmarshalJSONOptions) {
	o.AllowPartial = r.IntN(2) == 0
	o.DiscardUnknown = r.IntN(4) == 0
	o.AliasInput = r.IntN(3) == 0
	if r.IntN(6) == 0 {
		o.RecursionLimit = r.IntN(8) - 1
	}
	if r.IntN(10) == 0 {
		o.Resolver = new(protoregistry.Types)
	}
	return o
}

// Try decodes Input into both messages, into Got with memory of a. It reports whether both accepted
// it, and how they differ, also after an error. A panic of arenapb is a difference, too, and so is
// input that it refuses and protojson accepts, unless Options.OnPanic expects it. What is left of
// the input is overwritten unless it belongs to the message.
func (p *JSONPair) Try(a *arena.Arena) (ok bool, wrong string) {
	want := JSONOnHeap(p.Options).Unmarshal(bytes.Clone(p.Input), p.Want)
	in := bytes.Clone(p.Input)
	var panicked *arenapb.Panic
	o := p.Options
	if o.OnPanic == nil {
		o.OnPanic = func(p *arenapb.Panic) { panicked = p }
	}
	p.Err = o.Unmarshal(a, in, p.Got)
	switch {
	case panicked != nil:
		return false, panicked.Error()
	case !bytes.Equal(in, p.Input):
		return false, "the input was changed"
	}
	if s := SameError(p.Err, want); s != "" {
		return false, s
	}
	if !p.Options.AliasInput {
		for i := range in {
			in[i] = ^in[i]
		}
	}
	if s := SameMessage(p.Got, p.Want); s != "" {
		return false, "decoded: " + s
	}
	return want == nil, ""
}

// Shrink takes away as much of the input as it can without making right what is wrong with it.
func (p *JSONPair) Shrink() string {
	return shrink(p.Input, func(b []byte) (s string) {
		a := arena.NewArena()
		defer a.Free()
		q := JSONPair{Type: p.Type, Got: p.Type.New().Interface(), Want: p.Type.New().Interface(), Options: p.Options, Input: b}
		if !Catch(func() { _, s = q.Try(a) }) {
			s = "panics"
		}
		return s
	})
}
