package arenajson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// rounds returns n, or less of it in short tests.
func rounds(n int) int {
	if !testrun.Long() {
		return max(n/20, 1)
	}
	return n
}

// seeded returns a source of random numbers whose seed, another one each time, is in the output of
// a test that fails.
func seeded(t testing.TB) *rand.Rand {
	seed := testrun.Seed(t)
	return rand.New(rand.NewPCG(seed, 1))
}

// checkMarshal compares all that encodes v with encoding/json.
func checkMarshal(t testing.TB, a *arena.Arena, v any) {
	t.Helper()
	checkMarshalOptions(t, a, v, 3)
}

// checkMarshalOptions does so with some of the options of encoders. Indentation of deep values
// takes much memory.
func checkMarshalOptions(t testing.TB, a *arena.Arena, v any, options int) {
	t.Helper()
	want, wantErr := json.Marshal(v)
	got, err := Marshal(a, v)
	checkText(t, v, "Marshal", got, err, want, wantErr)
	if err == nil && len(got) != cap(got) && a != nil {
		t.Fatalf("%T: capacity %d for %d bytes", v, cap(got), len(got))
	}

	got, err = Append(a, []byte("x"), v)
	checkText(t, v, "Append", got, err, append([]byte("x"), want...), wantErr)

	for _, o := range []struct {
		escape         bool
		prefix, indent string
	}{{false, "", ""}, {true, "\t", ""}, {false, "", "  "}}[:options] {
		var w, g bytes.Buffer
		we, ge := json.NewEncoder(&w), NewEncoder(&g)
		we.SetEscapeHTML(o.escape)
		ge.SetEscapeHTML(o.escape)
		we.SetIndent(o.prefix, o.indent)
		ge.SetIndent(o.prefix, o.indent)
		wantErr, err := we.Encode(v), ge.Encode(a, v)
		checkText(t, v, fmt.Sprintf("Encoder %+v", o), g.Bytes(), err, w.Bytes(), wantErr)
	}
}

func checkText(t testing.TB, v any, name string, got []byte, err error, want []byte, wantErr error) {
	t.Helper()
	if wantErr != nil {
		if !SameError(err, wantErr) {
			t.Fatalf("%s of %T: error %v, want %v\n%.300s", name, v, err, wantErr, got)
		}
		return
	}
	if err != nil || !bytes.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Fatalf("%s of %T: %v, differs at byte %d:\n%.300q\nwant\n%.300q", name, v, err, i, got[max(0, i-20):], want[max(0, i-20):])
	}
}

// A filler makes random values.
type filler struct {
	*rand.Rand
	depth int
	fails bool // there may be values that cannot be encoded
}

func (f *filler) oneIn(n int) bool { return f.IntN(n) == 0 }

var someTexts = []string{"", "a", "abc", "1234567", "12345678", "123456789", "<", "a&b", "\"", "\\", "\n\t\x00\x1f", "é", "日本語", "\u2028", "\xff",
	"a\xe2\x80", "\xed\xa0\x80", "12345678\u2029", "abcdefgh\x7fijklmnop", "😀😀", strings.Repeat("long ", 30), "\ufffd", "\xc0\x80", "\xf4\x90\x80\x80"}

func (f *filler) text() string {
	if f.oneIn(2) {
		return someTexts[f.IntN(len(someTexts))]
	}
	b := make([]byte, f.IntN(30))
	for i := range b {
		b[i] = byte(' ' + f.IntN(95))
		if f.oneIn(20) {
			b[i] = byte(f.IntN(256))
		}
	}
	return string(b)
}

func (f *filler) float() float64 {
	switch f.IntN(7) {
	case 0:
		return float64(f.IntN(1000))
	case 1:
		return math.Float64frombits(f.Uint64())
	case 2:
		return float64(f.IntN(2e6)-1e6) / math.Pow10(f.IntN(10))
	case 3:
		return f.NormFloat64()
	case 4:
		return math.Ldexp(1, f.IntN(200)-100)
	case 5:
		return []float64{0, math.Copysign(0, -1), 1e21, 1e-6, 1e-7, 9.99e20, 123456789012345678, 1e15, 1e15 - 1, 0.1, 0.3, 2.5, -1.5, math.MaxFloat64, 5e-324}[f.IntN(15)]
	}
	return float64(f.Int64())
}

func (f *filler) number() json.Number {
	switch f.IntN(10) {
	case 0:
		return ""
	case 1:
		if f.fails {
			return json.Number(f.text())
		}
	}
	return json.Number(strconv.FormatFloat(f.NormFloat64()*1e4, "efg"[f.IntN(3)], f.IntN(5), 64))
}

var rawTexts = []string{"null", " 1 ", "{ }", "[ ]", `{"a" : [ 1 , "<>&\u2028" , { } ] , "b":-1.5e+3}`, `"\ud800\n\/é"`, "\"\xff\"", "\"\u2029\"", "true", "[[[[]]]]", `{"a":1,"a":2}`, "-0"}
var badTexts = []string{"", "{", "nul", "01", "1.", "\"", "\"\\x\"", "[1,]", "{,}", "1 2", "\"\n\"", "{\"a\"}", "-", "\"\\u12\"", "tru", "[1 2]", "{1:2}", "1e", strings.Repeat("[", 12000)}

func (f *filler) raw() json.RawMessage {
	if f.fails && f.oneIn(20) {
		return json.RawMessage(badTexts[f.IntN(len(badTexts))])
	}
	return json.RawMessage(rawTexts[f.IntN(len(rawTexts))])
}

// fill sets v to a random value.
func (f *filler) fill(v reflect.Value) {
	f.depth++
	defer func() { f.depth-- }()
	if f.oneIn(12) {
		return
	}
	switch v.Interface().(type) {
	case json.Number:
		v.SetString(string(f.number()))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(f.raw()))
		return
	case time.Time:
		u := time.Unix(f.Int64N(1e11), f.Int64N(1e9)*int64(f.IntN(2))).UTC()
		if f.oneIn(2) {
			u = u.In(time.FixedZone("", f.IntN(86400)-43200))
		}
		if f.fails && f.oneIn(10) {
			u = u.AddDate(20000, 0, 0)
		}
		v.Set(reflect.ValueOf(u))
		return
	case big.Int:
		v.Addr().Interface().(*big.Int).SetUint64(f.Uint64())
		return
	case netip.Addr:
		v.Set(reflect.ValueOf(netip.AddrFrom4([4]byte{byte(f.Uint32()), 1, 2, 3})))
		return
	case moodyText, moodyBoth:
		if f.fails {
			v.Field(0).SetInt(int64(f.IntN(8)))
		}
		return
	case netip.Prefix:
		v.Set(reflect.ValueOf(netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(f.Uint32()), 1, 2, 3}), 8)))
		return
	}
	switch t := v.Type(); v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64() >> f.IntN(64) * int64(1-2*f.IntN(2)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(f.Uint64() >> f.IntN(64))
	case reflect.Float32, reflect.Float64:
		x := f.float()
		if !f.fails || !f.oneIn(30) {
			for math.IsNaN(x) || math.IsInf(x, 0) || t.Kind() == reflect.Float32 && math.Abs(x) > math.MaxFloat32 {
				x = f.float()
			}
		} else if f.oneIn(3) {
			x = math.Inf(1)
		}
		v.SetFloat(x)
	case reflect.String:
		v.SetString(f.text())
	case reflect.Pointer:
		if f.depth < 12 {
			v.Set(reflect.New(t.Elem()))
			f.fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if w := v.Field(i); w.CanSet() {
				f.fill(w)
			} else if w.Kind() == reflect.Pointer && t.Field(i).Anonymous {
				continue
			}
		}
	case reflect.Slice:
		n := f.size()
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			f.fill(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		n := f.size()
		v.Set(reflect.MakeMap(t))
		for range n {
			k, x := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			f.fill(k)
			if f.depth > 3 && k.Kind() == reflect.String {
				k.SetString(strconv.Itoa(v.Len())) // invalid texts may become equal, and are in any order then
			}
			if k.Kind() == reflect.String {
				k.SetString(strings.ToValidUTF8(k.String(), "?"))
			}
			if k.Kind() == reflect.Pointer {
				if k.IsNil() || v.Len() > 0 {
					continue
				}
			}
			f.fill(x)
			v.SetMapIndex(k, x)
		}
	case reflect.Interface:
		f.face(v)
	}
}

func (f *filler) size() int {
	if f.depth > 6 {
		return 0
	}
	return f.IntN(4)
}

// mayFail has the types that are in interfaces only where values may have errors.
var mayFail = map[reflect.Type]bool{
	reflect.TypeFor[encBad](): true, reflect.TypeFor[encErrors](): true, reflect.TypeFor[*encErrors](): true,
	reflect.TypeFor[moodyText](): true, reflect.TypeFor[*moodyText](): true, reflect.TypeFor[moodyBoth](): true, reflect.TypeFor[*moodyBoth](): true, reflect.TypeFor[*moody](): true,
}

// face puts something into an interface.
func (f *filler) face(v reflect.Value) {
	if f.depth > 6 {
		return
	}
	for range 5 {
		t := encodeTypes[f.IntN(len(encodeTypes))]
		if f.oneIn(2) {
			t = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[[]any](),
				reflect.TypeFor[map[string]any](), reflect.TypeFor[*int](), reflect.TypeFor[*byPointer](), reflect.TypeFor[zeroValue](), reflect.TypeFor[*zeroPtr](), reflect.TypeFor[*textValue](),
				reflect.TypeFor[*both](), reflect.TypeFor[*moody](), reflect.TypeFor[*moodyText](), reflect.TypeFor[*moodyBoth](), reflect.TypeFor[*encErrors]()}[f.IntN(16)]
		}
		if !f.fails && mayFail[t] || t == reflect.TypeFor[moody]() || !t.AssignableTo(v.Type()) {
			continue
		}
		x := reflect.New(t).Elem()
		if t.Kind() == reflect.Pointer && f.oneIn(5) && (v.Type() == reflect.TypeFor[json.Marshaler]() && t == reflect.TypeFor[*byPointer]() || v.Type().NumMethod() == 0) {
			v.Set(x) // a nil pointer; encoding/json of Go 1.27 panics with others
			return
		}
		if f.fill(x); t.Kind() == reflect.Pointer && x.IsNil() {
			x.Set(reflect.New(t.Elem()))
		}
		v.Set(x)
		return
	}
}

func TestMarshal(t *testing.T) {
	f := &filler{Rand: seeded(t)}
	a := arena.NewArena()
	defer a.Free()
	for _, typ := range encodeTypes {
		for i := range rounds(150) {
			f.fails = i%4 == 0
			p := reflect.New(typ)
			if i > 0 {
				f.fill(p.Elem())
			}
			var in *arena.Arena
			if i%2 == 0 {
				in = a
			}
			checkMarshal(t, in, p.Interface())
			checkMarshal(t, in, p.Elem().Interface())
			a.Reset()
		}
	}
}

// TestMarshalStructOf has types that nobody has written.
func TestMarshalStructOf(t *testing.T) {
	f := &filler{Rand: seeded(t)}
	for range rounds(400) {
		typ := f.structType(0)
		for range 4 {
			p := reflect.New(typ)
			f.fill(p.Elem())
			checkMarshal(t, nil, p.Interface())
			checkMarshal(t, nil, p.Elem().Interface())
		}
	}
}

// TestMarshalFaces has interfaces with MarshalText whose values have MarshalJSON, too, which says
// something else or has another error.
func TestMarshalFaces(t *testing.T) {
	far := shadow{Time: time.Unix(0, 0).AddDate(20000, 0, 0)}
	number := json.Number("bad")
	for _, text := range []encoding.TextMarshaler{nil, both{"a"}, &both{"b"}, appender{"<c>"}, far, &far, moodyBoth{0}, moodyBoth{1}, moodyBoth{2}, &moodyBoth{1}, moodyText{1}} {
		for _, other := range []any{nil, "a", number, far, moodyBoth{1}, moodyText{1}, make(chan int)} {
			type face interface{ MarshalText() ([]byte, error) }
			for _, v := range []any{
				text,
				[]encoding.TextMarshaler{text, text},
				map[string]encoding.TextMarshaler{"a": text, "b": moodyText{1}},
				struct {
					A face
					B any
				}{text, other},
				struct {
					A any
					B *face
				}{other, new(face(text))},
				&struct {
					A map[string]any
					B face `json:",omitempty"`
				}{map[string]any{"b": other, "a": text}, text},
			} {
				checkMarshal(t, nil, v)
			}
		}
	}
}

var someNames = []string{"a", "A", "b", "B", "name", "NAME", "<", "x_y", "é", "É", "K", "\u212a", "ſ", "s", "-", "a.b", "1"}
var someOptions = []string{"omitempty", "omitzero", "string", "omitempty,string", "omitzero,omitempty", "", " omitempty", "other", "STRING"}

func (f *filler) structType(depth int) reflect.Type {
	var fields []reflect.StructField
	for i := range f.IntN(6) + 1 {
		sf := reflect.StructField{Name: string(rune('A'+i)) + someNames[f.IntN(6)], Type: encodeTypes[f.IntN(len(encodeTypes))]}
		switch {
		case f.oneIn(4) && depth < 3:
			sf.Type = f.structType(depth + 1)
			sf.Anonymous = f.oneIn(2)
			if f.oneIn(3) {
				sf.Type = reflect.PointerTo(sf.Type)
			}
		case f.oneIn(4):
			sf.Type = reflect.TypeOf([]any{0, "", 1.5, true, uint8(0), []byte(nil), map[string]string(nil), new(int)}[f.IntN(8)])
		case f.oneIn(6):
			sf.Type = reflect.SliceOf(sf.Type)
		case f.oneIn(6):
			sf.Type = reflect.MapOf(reflect.TypeFor[string](), sf.Type)
		case f.oneIn(6):
			sf.Type = reflect.ArrayOf(f.IntN(3), sf.Type)
		case f.oneIn(6):
			sf.Type = reflect.PointerTo(sf.Type)
		}
		if f.oneIn(2) {
			name := ""
			if f.oneIn(2) {
				name = someNames[f.IntN(len(someNames))]
			}
			sf.Tag = reflect.StructTag(`json:"` + name + `,` + someOptions[f.IntN(len(someOptions))] + `"`)
		}
		fields = append(fields, sf)
	}
	return reflect.StructOf(fields)
}

// TestMarshalDepth has values that are deep, and some that contain themselves.
func TestMarshalDepth(t *testing.T) {
	for _, n := range []int{10, maxDepth - 2, maxDepth - 1, maxDepth, maxDepth + 1, 11000} {
		var list *direct6
		var l recursiveList
		var x any
		m := map[string]any{}
		for range n {
			list = &direct6{list}
			l = recursiveList{l}
			x = []any{x}
			m = map[string]any{"a": m}
		}
		for _, v := range []any{list, l, x, m, json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))} {
			options := 3
			if n > 2*maxDepth {
				options = 1
			}
			checkMarshalOptions(t, nil, v, options)
		}
	}
	for _, open := range []string{"[", `{"":`} {
		v := json.RawMessage(strings.Repeat(open, 10001) + "0" + strings.Repeat(string(open[0]+2), 10001))
		checkMarshalOptions(t, nil, v, 1)
		checkMarshalOptions(t, nil, []any{v[len(open) : len(v)-1]}, 2)
	}
	r := &recursive{}
	r.Next = r
	s := []any{1, nil, 2}
	s[1] = s
	m := map[string]any{}
	m["m"], m["n"] = m, m
	l := recursiveList{nil, nil}
	l[0], l[1] = l, l
	for _, v := range []any{r, s, m, l} {
		checkMarshal(t, nil, v)
	}
}

// TestMarshalFirst has many goroutines that are the first to use types.
func TestMarshalFirst(t *testing.T) {
	f := &filler{Rand: seeded(t)}
	for range rounds(100) {
		typ := f.structType(0)
		p := reflect.New(reflect.SliceOf(typ))
		f.fill(p.Elem())
		want, wantErr := json.Marshal(p.Interface())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got, err := Marshal(nil, p.Interface())
				if (err != nil) != (wantErr != nil) || !bytes.Equal(got, want) {
					t.Errorf("%s %v, want %s %v", got, err, want, wantErr)
				}
			})
		}
		wg.Wait()
	}
}

// TestMapLen checks that the length of a map is where it is taken from.
func TestMapLen(t *testing.T) {
	for _, typ := range encodeTypes {
		m := reflect.New(reflect.MapOf(reflect.TypeFor[string](), typ))
		if n := loadMapLen(m.UnsafePointer()); n != 0 {
			t.Fatal("nil:", n)
		}
		m.Elem().Set(reflect.MakeMap(m.Type().Elem()))
		for i := range 40 {
			if n := loadMapLen(m.UnsafePointer()); n != i {
				t.Fatal(n, i)
			}
			m.Elem().SetMapIndex(reflect.ValueOf(strconv.Itoa(i)), reflect.Zero(typ))
		}
	}
}

// EncodeTypes returns the types of this file, and Fill sets v to a random value, for the tests of
// the option V2.
func EncodeTypes() []reflect.Type            { return encodeTypes }
func Fill(r *rand.Rand, v reflect.Value)     { (&filler{Rand: r}).fill(v) }
func RandomStruct(r *rand.Rand) reflect.Type { return (&filler{Rand: r}).structType(3) }
