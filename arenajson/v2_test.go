//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arenajson_test

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
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
	conflict   struct {
		A int `json:"x"`
		B int `json:"x"`
	}
	formats2 struct {
		B []byte `json:",format:hex"`
	}
	malformed struct {
		A int `json:",omitEmpty"`
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

// typesV2 are types of all kinds.
func typesV2() []reflect.Type {
	return append(writtenTypes(), reflect.TypeFor[fieldRules](), reflect.TypeFor[embedded](), reflect.TypeFor[empties](), reflect.TypeFor[zeroes](),
		reflect.TypeFor[strings2](), reflect.TypeFor[badStrings](), reflect.TypeFor[bytes2](), reflect.TypeFor[arrays2](), reflect.TypeFor[methods2](),
		reflect.TypeFor[values2](), reflect.TypeFor[durations](), reflect.TypeFor[unexported](), reflect.TypeFor[conflict](), reflect.TypeFor[formats2](),
		reflect.TypeFor[malformed](), reflect.TypeFor[arenas2](), reflect.TypeFor[loop2](), reflect.TypeFor[[]fieldRules](), reflect.TypeFor[map[string]empties](),
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

// errPanic says that encoding/json/v2 has panicked, as that of Go 1.27.4 does where null is for an unexported struct that is embedded with a name.
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

// TestV2 compares values and errors with encoding/json/v2, as TestDifferential does with encoding/json.
func TestV2(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 3))
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

// TestMarshalV2 compares the text of random values with that of encoding/json/v2.
func TestMarshalV2(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 3))
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

// seed returns a seed, another one each time, that is in the output of a test that fails.
func seed(t testing.TB) uint64 {
	s := rand.Uint64()
	t.Logf("seed %d", s)
	return s
}

func rounds(n int) int {
	if !testrun.Long() {
		return max(n/20, 1)
	}
	return n
}
