//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arenajson_test

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math/big"
	"math/rand/v2"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	stdjson "encoding/json"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// These types have rules of encoding/json/v2.

// A streamed decodes and encodes itself by the methods of the second version.
type streamed struct{ Seen string }

func (s *streamed) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	s.Seen += string(v)
	return err
}

func (s streamed) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(s.Seen))
}

// A pointed has methods of its pointer only.
type pointed struct{ n int }

func (p *pointed) UnmarshalText(b []byte) error { p.n = len(b); return nil }
func (p *pointed) MarshalText() ([]byte, error) { return make([]byte, p.n%3), nil }

// A zeroer is zero where it says so.
type zeroer struct{ N int }

func (z *zeroer) IsZero() bool { return z.N == 1 }

// An emptied is encoded as an empty string.
type emptied []int

func (emptied) MarshalJSON() ([]byte, error) { return []byte(` "" `), nil }

type (
	Common struct {
		ID   int `json:"id"`
		Name string
	}
	fieldRules struct {
		Plain  string
		Loose  int    `json:"loose_name,case:ignore"`
		Strict string `json:",case:strict"`
		Common
		Part struct{ X, Y int }        `json:",embed"`
		More map[string]stdjson.Number `json:",embed"`
	}
	embedded struct {
		Part  struct{ X, Y int } `json:",embed"`
		Other *Common            `json:",embed"`
		Last  string
	}
	empties struct {
		S  string          `json:",omitempty"`
		P  *string         `json:",omitempty"`
		PP **string        `json:",omitempty"`
		B  bool            `json:",omitempty"`
		I  int             `json:",omitempty"`
		F  float64         `json:",omitempty"`
		L  []int           `json:",omitempty"`
		PL *[]int          `json:",omitempty"`
		M  map[string]int  `json:",omitempty"`
		PM *map[string]int `json:",omitempty"`
		A  any             `json:",omitempty"`
		St struct {
			X []int `json:",omitempty"`
		} `json:",omitempty"`
		E  emptied            `json:",omitempty"`
		By []byte             `json:",omitempty"`
		A0 [0]int             `json:",omitempty"`
		A2 [2]byte            `json:",omitempty"`
		PT *pointed           `json:",omitempty"`
		T  pointed            `json:",omitempty"`
		R  stdjson.RawMessage `json:",omitempty"`
	}
	zeroes struct {
		S  string         `json:",omitzero"`
		I  int            `json:",omitzero"`
		F  float32        `json:",omitzero"`
		L  []int          `json:",omitzero"`
		M  map[string]int `json:",omitzero"`
		T  time.Time      `json:",omitzero"`
		Z  zeroer         `json:",omitzero"`
		PZ *zeroer        `json:",omitzero"`
		St Common         `json:",omitzero"`
		B  []byte         `json:",omitzero,omitempty"`
		LL [][]int        `json:",omitzero,omitempty"`
		SE struct {
			L []int `json:",omitempty"`
		} `json:",omitzero,omitempty"`
	}
	strings2 struct {
		I  int64    `json:",string"`
		U  uint8    `json:"u,string"`
		F  float64  `json:",string"`
		F3 float32  `json:",string,omitempty"`
		P  *int     `json:",string"`
		PF *float64 `json:",string,omitempty"`
	}
	badStrings struct {
		X int
		B bool `json:",string"`
	}
	bytes2 struct {
		S  []byte
		A  [3]byte
		A0 [0]byte
		N  []byteType
		NA [2]byteType
		NB namedBytes
		L  [][]byte
		LA [][2]byte
		M  map[string][16]byte
	}
	arrays2 struct {
		A [2]int
		B [3]string
		C [0]int
		D [2][2]bool
	}
	methods2 struct {
		A streamed
		B *streamed
		C []streamed
		D map[string]streamed
		E pointed
		F map[string]pointed
		G any
		H *pointed
		I [2]pointed
		J indirectType
		K map[pointed2]int
		L map[streamed]int
		M emptied
	}
	pointed2 struct{ S string }
	values2  struct {
		T  time.Time
		PT *time.Time
		BI *big.Int
		N  netip.Addr
		R  stdjson.RawMessage
		V  jsontext.Value
		Nu stdjson.Number
		MT map[netip.Addr]time.Time
		MI map[int]string
		MU map[uint8]int
		MF map[float64]int
		MB map[bool]int
		MN map[stdjson.Number]int
		D  map[string]time.Duration
		Z  []struct{}
	}
	durations  struct{ D time.Duration }
	unexported struct{ x int }
	formats2   struct {
		B []byte `json:",format:hex"`
	}
	arenas2 struct {
		A arena.Map[string, int]
		B *arena.Map[int8, *Common]
		C map[string]arena.Map[string, any]
	}
	loop2 struct {
		N    int              `json:",omitempty"`
		Next *loop2           `json:",omitempty"`
		Kids []loop2          `json:",omitempty"`
		Map  map[string]loop2 `json:",omitempty"`
		Any  any              `json:",omitempty"`
	}
)

func (p pointed2) MarshalText() ([]byte, error) { return []byte(p.S + "."), nil }
func (p *pointed2) UnmarshalText(b []byte) error {
	p.S = string(b)
	return nil
}

// withTags returns a struct type with fields of such tags, some of which package go vet would not
// have.
func withTags(tags ...reflect.StructTag) reflect.Type {
	var fields []reflect.StructField
	for i, tag := range tags {
		fields = append(fields, reflect.StructField{Name: "F" + string(rune('0'+i)), Type: reflect.TypeFor[int](), Tag: tag})
	}
	return reflect.StructOf(fields)
}

// typesV2 are types of all kinds.
func typesV2() []reflect.Type {
	return append(writtenTypes(), reflect.TypeFor[fieldRules](), reflect.TypeFor[embedded](), reflect.TypeFor[empties](), reflect.TypeFor[zeroes](),
		reflect.TypeFor[strings2](), reflect.TypeFor[badStrings](), reflect.TypeFor[bytes2](), reflect.TypeFor[arrays2](), reflect.TypeFor[methods2](),
		reflect.TypeFor[values2](), reflect.TypeFor[durations](), reflect.TypeFor[unexported](), withTags(`json:"x"`, `json:"x"`), reflect.TypeFor[formats2](),
		withTags(`json:",omitEmpty"`), withTags(`json:",case:ignore,omitzero"`, `json:"f_0"`, `json:",unknown"`), reflect.TypeFor[arenas2](), reflect.TypeFor[loop2](), reflect.TypeFor[[]fieldRules](), reflect.TypeFor[map[string]empties](),
		reflect.TypeFor[[4]byte](), reflect.TypeFor[[]byteType](), reflect.TypeFor[map[int8]int](), reflect.TypeFor[streamed](), reflect.TypeFor[time.Duration](),
		reflect.TypeFor[jsontext.Value](), reflect.TypeFor[*embedded](), reflect.TypeFor[any]())
}

// compareV2 decodes in into new values, and before that, if it is not nil, before.
func compareV2(t testing.TB, a *arena.Arena, o arenajson.UnmarshalOptions, typ reflect.Type, before, in []byte) (failed bool) {
	t.Helper()
	got, want := reflect.New(typ), reflect.New(typ)
	if before != nil {
		_, _ = unmarshalStdV2(o, before, got.Interface()), unmarshalStdV2(o, before, want.Interface())
	}
	input := bytes.Clone(in)
	wantErr := unmarshalStdV2(o, in, want.Interface())
	if wantErr == errPanic {
		return false
	}
	gotErr := o.Unmarshal(a, input, got.Interface())
	if !reflect.DeepEqual(gotErr, wantErr) && !sameError(gotErr, wantErr) || !reflect.DeepEqual(plain(got), plain(want)) {
		t.Errorf("%v, before: %s\ninput: %s\n got %#v (%v)\nwant %#v (%v)", typ, before, in, show(got), gotErr, show(want), wantErr)
		return true
	}
	if !bytes.Equal(input, in) {
		t.Errorf("the input %s has become %s", in, input)
	}
	return false
}

// errPanic says that encoding/json/v2 has panicked, as Go 1.27.4's does if null is for an
// unexported struct that is embedded with a name.
var errPanic = errors.New("panic")

// unmarshalStdV2 is Unmarshal of encoding/json/v2.
func unmarshalStdV2(o arenajson.UnmarshalOptions, in []byte, v any) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return json.Unmarshal(in, v, json.RejectUnknownMembers(o.DisallowUnknownFields))
}

// asksPlace tells whether t has a method that asks the decoder for the place in the document.
func asksPlace(t reflect.Type) bool { return t == reflect.TypeFor[fromPtr]() }

// TestV2 compares values and errors with encoding/json/v2, as TestDifferential does with
// encoding/json.
func TestV2(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(t), 3))
	written := typesV2()
	types := append(written, randomTypes(r, 250)...)
	types = slices.DeleteFunc(types, func(t reflect.Type) bool { return leadsTo(t, asksPlace, map[reflect.Type]bool{}) })
	ordinary, again := arena.NewArena(), arena.NewArena()
	right := 0
	for i, typ := range types {
		n := rounds(20)
		if i < len(written) {
			n = rounds(300)
		}
		for range n {
			in := document(r, typ)
			if r.IntN(3) == 0 { // as it is for this version
				v := reflect.New(typ)
				arenajson.Fill(r, v.Elem())
				if b, err := json.Marshal(v.Interface()); err == nil {
					in = b
				}
				if len(in) > 0 && r.IntN(4) == 0 {
					const bytes = " {}[]\",:0-1eEnulltrue\\/\n\xff_"
					in[r.IntN(len(in))] = bytes[r.IntN(len(bytes))]
				}
			}
			var before []byte
			if r.IntN(6) == 0 {
				before = document(r, typ)
			}
			o := arenajson.UnmarshalOptions{V2: true, AliasInput: r.IntN(4) == 0, DisallowUnknownFields: r.IntN(4) == 0}
			a := []*arena.Arena{nil, ordinary, again, again}[r.IntN(4)]
			if compareV2(t, a, o, typ, before, in) {
				return
			}
			if unmarshalStdV2(o, in, reflect.New(typ).Interface()) == nil {
				right++
			}
			again.Reset()
		}
	}
	t.Logf("%d documents were right", right)
}

// checkMarshalV2 compares what is made of v with what encoding/json/v2 makes of it.
func checkMarshalV2(t testing.TB, a *arena.Arena, v any) {
	t.Helper()
	want, wantErr := json.Marshal(v, json.Deterministic(true))
	got, err := arenajson.MarshalOptions{V2: true}.Marshal(a, v)
	if err == nil && wantErr == nil && bytes.Equal(got, want) || wantErr != nil && (reflect.DeepEqual(err, wantErr) || sameError(err, wantErr)) {
		return
	}
	t.Errorf("%T:\n got %.1000s (%v)\nwant %.1000s (%v)", v, got, err, want, wantErr)
}

// TestMarshalV2 compares the text of random values with encoding/json/v2's text.
func TestMarshalV2(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(t), 3))
	a := arena.NewArena()
	written := append(typesV2(), arenajson.EncodeTypes()...)
	for range 50 {
		written = append(written, arenajson.RandomStruct(r))
	}
	for i, typ := range append(written, randomTypes(r, 250)...) {
		n := rounds(20)
		if i < len(written) {
			n = rounds(300)
		}
		for range n {
			v := reflect.New(typ)
			if r.IntN(10) > 0 {
				arenajson.Fill(r, v.Elem())
			}
			checkMarshalV2(t, a, v.Interface())
			checkMarshalV2(t, nil, v.Elem().Interface())
			checkMarshalV2(t, a, []any{v.Elem().Interface()})
			if t.Failed() {
				return
			}
			a.Reset()
		}
	}
}

func rounds(n int) int {
	if !testrun.Long() {
		return max(n/20, 1)
	}
	return n
}

// FuzzV2 compares decoding with encoding/json/v2, and encoding what was decoded, for the types of
// this file.
func FuzzV2(f *testing.F) {
	types := typesV2()
	for i, in := range []string{`{"id":1,"Id":2}`, `[1,2.5e3,"x\u00e9",null,{"k":[true]}]`, `{"I":"-0","u":"7","F":"1e5"}`, `{"A":"AAAA","L":["",null]}`, `{"MI":{"0":"x","-0":"y"}}`, `{"T":"2026-01-02T03:04:05+24:00"}`, `{"A":{"x":1,"x":2}}`} {
		for typ := range types {
			f.Add(uint(typ), []byte(in), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, typ uint, in []byte, options uint8) {
		o := arenajson.UnmarshalOptions{V2: true, AliasInput: options&1 > 0, DisallowUnknownFields: options&2 > 0}
		to := types[typ%uint(len(types))]
		a := arena.NewArena()
		if !compareV2(t, a, o, to, nil, in) {
			v := reflect.New(to)
			if o.Unmarshal(nil, in, v.Interface()) == nil {
				checkMarshalV2(t, a, v.Interface())
			}
		}
	})
}

// TestV2Numbers decodes numbers into interfaces with UseNumber and PreserveInts, into values that
// are zero and that are not.
func TestV2Numbers(t *testing.T) {
	in := []byte(`{"A":[1,-2.5,{"x":9007199254740993}],"R":1e2}`)
	for _, c := range []struct {
		o    arenajson.UnmarshalOptions
		want any
	}{
		{arenajson.UnmarshalOptions{V2: true}, []any{1.0, -2.5, map[string]any{"x": 9007199254740992.0}}},
		{arenajson.UnmarshalOptions{V2: true, PreserveInts: true}, []any{int64(1), -2.5, map[string]any{"x": int64(9007199254740993)}}},
		{arenajson.UnmarshalOptions{V2: true, PreserveInts: true, UseNumber: true}, []any{stdjson.Number("1"), stdjson.Number("-2.5"), map[string]any{"x": stdjson.Number("9007199254740993")}}},
	} {
		for _, n := range []int{0, 1} {
			v := struct {
				A any
				R int `json:"-"`
				N int `json:"-"`
			}{N: n}
			if err := c.o.Unmarshal(arena.NewArena(), in, &v); err != nil || !reflect.DeepEqual(v.A, c.want) {
				t.Errorf("%+v: %v, %v, want %v", c.o, v.A, err, c.want)
			}
			var one any = n
			if n == 0 {
				one = nil
			}
			if err := c.o.Unmarshal(nil, []byte("1e999"), &one); err == nil && !c.o.UseNumber {
				t.Errorf("%+v: 1e999 is %v", c.o, one)
			}
		}
	}
}

// TestV2Alternates encodes and decodes the same types with the option and without it in turn.
func TestV2Alternates(t *testing.T) {
	type part struct {
		L []int
		M map[string]int
		S string `json:"<s>"`
	}
	for range 3 {
		for _, v := range []any{part{}, &part{S: "<"}, []any{part{}, map[string]part{"&": {}}}} {
			checkMarshalV2(t, nil, v)
			want, wantErr := stdjson.Marshal(v)
			got, err := arenajson.Marshal(nil, v)
			if err != nil || wantErr != nil || !bytes.Equal(got, want) {
				t.Errorf("%s (%v), want %s (%v)", got, err, want, wantErr)
			}
		}
		for _, in := range []string{`{"l":[1]}`, `{"L":[1],"<s>":"x"}`, `{"S":1,"S":2}`} {
			compareV2(t, nil, arenajson.UnmarshalOptions{V2: true}, reflect.TypeFor[part](), nil, []byte(in))
			compare(t, nil, arenajson.UnmarshalOptions{}, reflect.TypeFor[part](), nil, []byte(in))
		}
	}
}

// TestV2Options encodes with the other options of encoders.
func TestV2Options(t *testing.T) {
	v := map[string]any{"b": []any{}, "a": []int{1, 2}, "c": map[string]int{}}
	want, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndentPrefix("\t"), jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := (arenajson.MarshalOptions{V2: true, Prefix: "\t", Indent: "  "}).Marshal(nil, v); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	got, err := arenajson.MarshalOptions{V2: true, UnsortedMaps: true}.Append(nil, []byte("x"), v)
	var back map[string]any
	if err != nil || json.Unmarshal(got[1:], &back) != nil || len(back) != 3 {
		t.Errorf("%s (%v)", got, err)
	}
}

// TestV2Place checks that what FallbacksV2 does not name lies in the arena.
func TestV2Place(t *testing.T) {
	type order struct {
		Names []string
		At    *time.Time
		ID    [16]byte
		Next  *struct {
			Text string `json:",case:strict"`
			N    int    `json:",string"`
		} `json:",embed"`
	}
	if got := arenajson.FallbacksV2[order](); len(got) > 0 {
		t.Error(got)
	}
	a := arena.NewArena()
	in := []byte(`{"Names": ["one", "two and more"], "At": "2026-01-02T03:04:05Z", "ID": "AAECAwQFBgcICQoLDA0ODw==", "Text": "text", "N": "12"}`)
	objects := testing.AllocsPerRun(100, func() {
		var o order
		if err := (arenajson.UnmarshalOptions{V2: true}).Unmarshal(a, in, &o); err != nil || o.Next.N != 12 || o.ID[15] != 15 {
			t.Fatal(err)
		}
		a.Reset()
	})
	if objects > 1 && !watched { // o
		t.Errorf("%v objects on the heap", objects)
	}
	got := arenajson.FallbacksV2[methods2]()
	if want := "methods2.A: arenajson_test.streamed: encoding/json/v2 decodes it"; len(got) == 0 || got[0] != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestV2Strict names what no field has. Names that an object has twice are errors of
// encoding/json/v2.
func TestV2Strict(t *testing.T) {
	var v embedded
	strict, err := arenajson.UnmarshalOptions{V2: true}.UnmarshalStrict(nil, []byte(`{"X":1,"x":2,"Last":"l"}`), &v)
	if err != nil || len(strict) != 1 || strict[0].Error() != `unknown field "x"` {
		t.Error(strict, err)
	}
}

// TestV2Read checks the statuses of requests.
func TestV2Read(t *testing.T) {
	for body, want := range map[string]int{`{"Last":"l"}`: 0, `{"Last":1}`: 422, `{"Last":"l","Last":"l"}`: 400, `{`: 400, `{"Last":"` + "\xff" + `"}`: 400} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		err := arenajson.ReadOptions{Unmarshal: arenajson.UnmarshalOptions{V2: true}}.Read(r, new(embedded))
		status := 0
		if e, ok := errors.AsType[*arenajson.RequestError](err); ok {
			status = e.Status
		}
		if status != want || want == 0 && err != nil {
			t.Errorf("%s: %d (%v), want %d", body, status, err, want)
		}
	}
}
