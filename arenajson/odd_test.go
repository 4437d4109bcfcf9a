//lint:file-ignore SA5008 the option "string" is tested where it is ignored

package arenajson_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// The types of this file are those that have rules of their own in encoding/json, and that few
// programs have.

type (
	hidden      struct{ A, Both int }
	HiddenToo   struct{ B, Both int }
	hiddenDeep  struct{ *hidden }
	namedInt    int
	zeroByValue struct{ X int }
	zeroByPtr   struct{ X int }
	onValue     struct{ P *string }
	onValueMap  map[string]int
	textOnValue struct{ P *string }
	keyByText   struct{ S string }
	keyByPtr    int
	keyString   string
	keyBool     bool
	marshalNaN  float64
	failing     struct{ E string }
	anyMethods  interface{ Name() string }
	named1      struct{ S string }
	loops       struct {
		Me   *loops
		L    []loops
		M    map[string]*loops
		Any  any
		Self []*loops `json:",omitempty"`
	}
	loopSlice []loopSlice
	loopMap   map[string]loopMap
)

func (z zeroByValue) IsZero() bool             { return z.X == 7 }
func (z *zeroByPtr) IsZero() bool              { return z == nil || z.X == 7 }
func (o onValue) UnmarshalJSON(b []byte) error { return storeAt(o.P, b) }
func (o onValue) MarshalJSON() ([]byte, error) { return []byte(` { "on" :  "<value>" } `), nil }
func (o onValueMap) UnmarshalJSON(b []byte) error {
	if o != nil {
		o[string(b)]++
	}
	return nil
}
func (o textOnValue) UnmarshalText(b []byte) error { return storeAt(o.P, b) }
func (o textOnValue) MarshalText() ([]byte, error) { return []byte("<text>\xff"), nil }
func (k keyByText) MarshalText() ([]byte, error)   { return []byte("k" + k.S), nil }
func (k *keyByText) UnmarshalText(b []byte) error  { k.S += string(b); return nil }
func (k *keyByPtr) UnmarshalText(b []byte) error   { *k = keyByPtr(len(b)); return nil }
func (k keyString) MarshalText() ([]byte, error)   { return []byte("text of " + string(k)), nil }
func (k *keyString) UnmarshalText(b []byte) error  { *k = keyString("of " + string(b)); return nil }
func (k keyBool) MarshalText() ([]byte, error)     { return fmt.Append(nil, bool(k)), nil }
func (k *keyBool) UnmarshalText(b []byte) error    { *k = string(b) == "true"; return nil }
func (m marshalNaN) MarshalJSON() ([]byte, error)  { return []byte("NaN"), nil }
func (f failing) MarshalJSON() ([]byte, error)     { return nil, errors.New(f.E) }
func (f *failing) UnmarshalJSON([]byte) error      { return errors.New("it fails") }
func (n *named1) Name() string                     { return n.S }

func storeAt(p *string, b []byte) error {
	if p != nil {
		*p += string(b)
	}
	return nil
}

var _ encoding.TextUnmarshaler = textOnValue{}

type (
	oddEmbedded struct {
		*hidden
		*HiddenToo
		C int
	}
	oddEmbeddedValue struct {
		hidden
		HiddenToo
		namedInt //lint:ignore U1000 an embedded field that JSON does not see
		C        int
	}
	oddDeep struct {
		hiddenDeep
		*hiddenDeep2
		A string
	}
	hiddenDeep2 struct {
		*HiddenToo
		A int
	}
	oddShadows struct {
		hidden `json:"h"`
		HiddenToo
		Both string
		Y    struct {
			A int
			B int `json:"A"`
		}
	}
	oddString struct {
		S  string          `json:"s,string"`
		PS *string         `json:"ps,string"`
		B  bool            `json:"b,string"`
		N  json.Number     `json:"n,string"`
		T  time.Time       `json:"t,string"`
		L  []int           `json:"l,string"`
		A  any             `json:"a,string"`
		M  map[string]int  `json:"m,string"`
		U  uintptr         `json:"u,string"`
		F  float32         `json:"f,string"`
		PP **int           `json:"pp,string"`
		K  namedInt        `json:"k,string"`
		R  json.RawMessage `json:"r,string"`
		Z  [2]int          `json:"z,string"`
	}
	oddFaces struct {
		A any
		P *any
		I anyMethods
		E error
		L []any
		M map[string]any
	}
	oddArrays struct {
		A [3]int
		B [0]string
		C [2][2]*int
		D *[2]string
		E [4]byte
		F [2]hidden
		G []([2]any)
	}
	oddZero struct {
		A zeroByValue      `json:",omitzero"`
		B zeroByPtr        `json:",omitzero"`
		C *zeroByPtr       `json:",omitzero"`
		D *zeroByValue     `json:",omitempty,omitzero"`
		E time.Time        `json:",omitzero"`
		F [2]int           `json:",omitzero"`
		G any              `json:",omitzero"`
		H []int            `json:",omitzero"`
		I map[int]int      `json:",omitzero"`
		J struct{ X *int } `json:",omitzero"`
		K error            `json:",omitzero"`
	}
	oddMethods struct {
		V onValue
		P *onValue
		M onValueMap
		X map[string]onValue
		T textOnValue
		Y map[string]textOnValue
		F failing
		Q *failing
		L []onValueMap
	}
	oddKeys struct {
		A map[keyByText]int
		B map[keyByPtr]string
		C map[keyString]int
		D map[keyBool]int
		E map[uint8]int
		F map[int8]bool
		G map[namedInt]*int
		H map[uintptr]string
		I map[[2]int]int
		J map[any]int
		K map[time.Time]int
	}
	oddRaw struct {
		R json.RawMessage
		P *json.RawMessage
		L []json.RawMessage
		M map[string]json.RawMessage
		N json.Number
		Q *json.Number
		B []byte
		C *[]byte
	}
	oddMerge struct {
		M  map[string]map[string]int
		P  map[string]*hidden
		S  []struct{ A, B *int }
		V  map[string]struct{ A, B int }
		SS [][]int
		H  *HiddenToo
		A  any
	}
)

var oddTypes = []reflect.Type{
	reflect.TypeFor[oddEmbedded](), reflect.TypeFor[oddEmbeddedValue](), reflect.TypeFor[oddDeep](), reflect.TypeFor[oddShadows](), reflect.TypeFor[oddString](), reflect.TypeFor[oddFaces](), reflect.TypeFor[oddArrays](),
	reflect.TypeFor[oddZero](), reflect.TypeFor[oddMethods](), reflect.TypeFor[oddKeys](), reflect.TypeFor[oddRaw](), reflect.TypeFor[oddMerge](), reflect.TypeFor[loops](), reflect.TypeFor[loopSlice](), reflect.TypeFor[loopMap](),
	reflect.TypeFor[map[string]onValue](), reflect.TypeFor[[]oddString](), reflect.TypeFor[*oddMerge](), reflect.TypeFor[[]oddEmbedded](), reflect.TypeFor[map[keyByPtr]oddZero](), reflect.TypeFor[map[string]oddString](), reflect.TypeFor[anyMethods](), reflect.TypeFor[[2]oddRaw](),
}

// prefill makes a value that has something where a document of the type may have something.
func prefill(r *rand.Rand, v reflect.Value, depth int) {
	if depth < 0 || r.IntN(3) == 0 || !v.CanSet() {
		return
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte([]string{`{"old":1}`, `{}`, `{ "A":2, "B" : null }`}[r.IntN(3)])) // encoding/json of Go 1.27.4 panics where it adds to an embedded one that is no object
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		prefill(r, v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			prefill(r, v.Field(i), depth-1)
		}
	case reflect.Interface:
		x, s := r.IntN(100), "old"
		for _, c := range r.Perm(8) {
			if w := reflect.ValueOf([]any{&x, &s, hidden{1, 2}, &HiddenToo{1, 2}, map[string]any{"A": 1.5}, &[]int{1, 2, 3}, &named1{"n"}, errors.New("old")}[c]); w.Type().Implements(v.Type()) {
				v.Set(w)
				return
			}
		}
	case reflect.Slice:
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n+r.IntN(3)))
		for i := range v.Cap() {
			prefill(r, v.Slice(0, v.Cap()).Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			prefill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			prefill(r, k, 1)
			prefill(r, e, depth-1)
			if k.Comparable() && k.Kind() != reflect.Interface { // DeepEqual compares pointers that are keys by their addresses
				v.SetMapIndex(k, e)
			}
		}
	case reflect.String:
		v.SetString([]string{"A", "old", "", "12"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(9))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64N(9))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{1.5, 0, math.Inf(1), math.Copysign(0, -1), 1e21, 1e-7}[r.IntN(6)])
	}
}

// TestOddTypes decodes into odd types, into zero values and values that have something everywhere,
// and encodes the results, as encoding/json does.
func TestOddTypes(t *testing.T) { testOddTypes(t, oddTypes) }

func testOddTypes(t *testing.T, types []reflect.Type) {
	seed := testrun.Seed(t)
	n := 400
	if !testrun.Long() {
		n = 60
	}
	a := arena.NewArena()
	for i, typ := range types {
		for k := range n {
			r := rand.New(rand.NewPCG(seed, uint64(i*n+k)))
			in := document(r, typ)
			mine, theirs := reflect.New(typ), reflect.New(typ)
			if k%2 == 0 {
				s := r.Uint64()
				prefill(rand.New(rand.NewPCG(s, s)), mine.Elem(), 4)
				prefill(rand.New(rand.NewPCG(s, s)), theirs.Elem(), 4)
			}
			var o arenajson.UnmarshalOptions
			switch r.IntN(5) {
			case 0:
				o.UseNumber = true
			case 1:
				o.DisallowUnknownFields = true
			}
			to := a
			if k%3 == 0 {
				to = nil
			}
			before := show(theirs)
			gotErr, wantErr := o.Unmarshal(to, in, mine.Interface()), stdUnmarshal(o, in, theirs.Interface())
			if !sameError(gotErr, wantErr) || !reflect.DeepEqual(plain(mine), plain(theirs)) {
				t.Fatalf("%v, before: %s\ninput: %s\n got %s (%v)\nwant %s (%v)", typ, before, in, show(mine), gotErr, show(theirs), wantErr)
			}
			for _, o := range []arenajson.MarshalOptions{{}, {NoEscapeHTML: true}, {Prefix: ">", Indent: "\t"}} {
				var b bytes.Buffer
				e := json.NewEncoder(&b)
				e.SetEscapeHTML(!o.NoEscapeHTML)
				e.SetIndent(o.Prefix, o.Indent)
				wantErr := e.Encode(theirs.Interface())
				want := b.Bytes()
				b = bytes.Buffer{}
				ours := arenajson.NewEncoder(&b)
				ours.SetEscapeHTML(!o.NoEscapeHTML)
				ours.SetIndent(o.Prefix, o.Indent)
				gotErr := ours.Encode(to, mine.Interface())
				got := b.Bytes()
				if string(got) != string(want) || !sameError(gotErr, wantErr) {
					t.Fatalf("%v: %s (%v), want %s (%v)", typ, got, gotErr, want, wantErr)
				}
			}
			a.Reset()
		}
	}
}

// TestQuotedNulls decodes null in quotes into pointers whose fields have the option "string",
// though that is not for their types.
func TestQuotedNulls(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[struct {
			F *[]byte `json:",string"`
		}](),
		reflect.TypeFor[struct {
			F *callLog `json:",string"`
		}](),
		reflect.TypeFor[struct {
			F *textLog `json:",string"`
		}](),
		reflect.TypeFor[struct {
			F *json.RawMessage `json:",string"`
		}](),
		reflect.TypeFor[struct {
			F **any `json:",string"`
		}](),
	}
	for _, typ := range types {
		for _, before := range []string{"", `{"F":"AAAA"}`} {
			for _, in := range []string{`{"F":"null"}`, `{"F":"n\u0075ll"}`, `{"F":"nullnull"}`, `{"F":null}`, `{"F":"5"}`, `{"F":"null","F":"AAAA"}`} {
				compare(t, nil, arenajson.UnmarshalOptions{}, typ, []byte(before), []byte(in))
				compare(t, nil, arenajson.UnmarshalOptions{}, reflect.SliceOf(typ), []byte("["+before+"]"), []byte("["+in+"]"))
			}
		}
	}
}

// TestQuotedStrings decodes strings in quotes, whose text is a string, or nearly one.
func TestQuotedStrings(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[struct {
			F string `json:",string"`
		}](),
		reflect.TypeFor[struct {
			F *string `json:",string"`
		}](),
		reflect.TypeFor[struct { // a method has effects, so there is a pass that looks for errors first
			F string `json:",string"`
			M callLog
		}](),
	}
	escaper := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	for _, typ := range types {
		for _, in := range []string{`"abc"`, `"abc" `, "\"abc\"\n", ` "abc"`, `"abc" "`, `"a\"`, `"`, `""`, ``, `abc`, `"a'c"`, `"\u0061"`, `"\ud800"`, `"\ud83d\ude00"`, `"\udfff\u0061"`, "\"\xff\""} {
			compare(t, nil, arenajson.UnmarshalOptions{}, typ, nil, []byte(`{"F":"`+escaper.Replace(in)+`"}`))
		}
	}
}

// TestOddEncodings encodes values that encoding/json refuses, or has rules of their own for.
func TestOddEncodings(t *testing.T) {
	me := &loops{}
	me.Me = me
	list := loopSlice{nil}
	list[0] = list
	m := loopMap{}
	m["m"] = m
	s := "s"
	deep := &loops{}
	for range 2000 {
		deep = &loops{Me: deep}
	}
	for _, v := range []any{
		me, list, m, deep, math.NaN(), math.Inf(-1), float32(math.Inf(1)), []float64{1, math.NaN()}, map[string]any{"x": math.NaN()}, marshalNaN(1), failing{"e"}, &failing{"e"}, []failing{{"a"}},
		map[keyByText]int{{"b"}: 1, {"a"}: 2}, map[keyByPtr]int{1: 1}, map[keyString]int{"b": 1, "a": 2}, map[any]int{1: 1}, map[[2]int]int{}, map[float64]int{1: 1}, map[bool]int{true: 1}, map[keyBool]int{true: 1, false: 0},
		"<a href=\"x\">&\u2028\u2029\xff\x00\x7f\ud7ff😀", json.RawMessage(`{"a" : "<&>\u2028", "b":[ 1 , 2 ]}`), json.RawMessage(`{`), json.RawMessage(nil), json.Number(""), json.Number("1e"), json.Number("-01"), json.Number("1e5"),
		func() {}, make(chan int), complex(1, 2), struct{ F func() }{}, map[string]func(){"f": nil}, []any{nil, func() {}}, &s, [3]byte{1, 2, 3}, []byte{}, []byte(nil), onValue{}, &onValue{}, map[string]onValue{"x": {}}, textOnValue{},
		oddEmbedded{}, &oddEmbedded{hidden: &hidden{}}, oddZero{}, oddZero{A: zeroByValue{7}, B: zeroByPtr{7}, C: &zeroByPtr{7}}, &oddZero{B: zeroByPtr{7}, D: &zeroByValue{7}}, struct{ oddZero }{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{},
		0.0, math.Copysign(0, -1), 1e21, 1e20, 1e-6, 1e-7, float32(1e21), float32(3.4e38), uint64(math.MaxUint64), int64(math.MinInt64), struct {
			S string  `json:"<&>,string"`
			F float64 `json:",string"`
		}{"a\"<", 1.5},
	} {
		want, wantErr := json.Marshal(v)
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			got, gotErr := arenajson.Marshal(a, v)
			if string(got) != string(want) || !sameError(gotErr, wantErr) {
				t.Errorf("%T: %s (%v), want %s (%v)", v, got, gotErr, want, wantErr)
			}
		}
	}
}

// TestOddStreams reads streams of odd documents by readers that split them everywhere, with Token
// and More between.
func TestOddStreams(t *testing.T) {
	streams := []string{
		`{"a":[1,2,{"b":null}],"c":"x"} [1] "s" 1.5 true null`, `[{"A":1},{"A":2} , {"A":3}]`, "{}\n{}\r\n[]  \t", `[1,]`, `{"a" 1}`, `{"a":1 "b"}`, `[1 2]`, `{"a":1}}`, `]`, `[`, `{"a":`, `{"a`, `"\ud800`, `"abc`, "\"\x01\"", "\"\xff\"", "nul", "tru e", "1 2 3", "12", "-", "1e", `{"a":1}{"a":2}x`, "\ufeff{}", "", "  ", strings.Repeat("[", 10001),
		`{"a":[[[[[{"A":1}]]]]]}`, `[{"A":"wrong"},{"A":2}]`, `{"A":1,"unknown":2} {"A":2}`, `"` + strings.Repeat("long ", 3000) + `" {"A":"` + strings.Repeat("x", 5000) + `"}`,
	}
	type call struct {
		name string
		do   func(d any) string
	}
	decode := func(v func() any) func(d any) string {
		return func(d any) string {
			x := v()
			var err error
			switch d := d.(type) {
			case *arenajson.Decoder:
				err = d.Decode(nil, x)
			case *json.Decoder:
				err = d.Decode(x)
			}
			b, _ := json.Marshal(x)
			return fmt.Sprintf("%s %T %v", b, err, err)
		}
	}
	type tokens interface {
		Token() (json.Token, error)
		More() bool
		InputOffset() int64
		Buffered() io.Reader
		UseNumber()
		DisallowUnknownFields()
	}
	calls := []call{
		{"token", func(d any) string { x, err := d.(tokens).Token(); return fmt.Sprintf("%T %[1]v %T %[2]v", x, err) }},
		{"more", func(d any) string { return fmt.Sprint(d.(tokens).More()) }},
		{"any", decode(func() any { return new(any) })}, {"hidden", decode(func() any { return new(hidden) })}, {"raw", decode(func() any { return new(json.RawMessage) })}, {"ints", decode(func() any { return new([]int) })},
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, in := range streams {
		for range 300 {
			var plan []int
			for range 1 + r.IntN(12) {
				plan = append(plan, r.IntN(len(calls)))
			}
			numbers, strict := r.IntN(3) == 0, r.IntN(3) == 0
			wrap := []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader, func(r io.Reader) io.Reader { return r }}[r.IntN(4)]
			mine, theirs := any(arenajson.NewDecoder(wrap(strings.NewReader(in)))), any(json.NewDecoder(wrap(strings.NewReader(in))))
			for _, d := range []any{mine, theirs} {
				if numbers {
					d.(tokens).UseNumber()
				}
				if strict {
					d.(tokens).DisallowUnknownFields()
				}
			}
			var log []string
			for _, k := range plan {
				got, want := calls[k].do(mine), calls[k].do(theirs)
				log = append(log, calls[k].name)
				if got != want {
					t.Fatalf("%.60q, %s: %.300s, want %.300s", in, log, got, want)
				}
			}
		}
	}
}
