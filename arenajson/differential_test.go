//lint:file-ignore SA5008 wrong tags are tested as well

package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// These types have methods that show how often they are called, and that fail.

// A callLog has all that its UnmarshalJSON was given.
type callLog []string

func (c *callLog) UnmarshalJSON(b []byte) error {
	*c = append(*c, string(b))
	if strings.Contains(string(b), "7") {
		return fmt.Errorf("seven in %s", b)
	}
	return nil
}

// A textLog has all that its UnmarshalText was given.
type textLog struct{ Texts []string }

func (c *textLog) UnmarshalText(b []byte) error {
	c.Texts = append(c.Texts, string(b))
	if strings.Contains(string(b), "7") {
		return fmt.Errorf("seven in %s", b)
	}
	return nil
}

// A textKey is a key with UnmarshalText.
type textKey struct{ Text string }

func (c *textKey) UnmarshalText(b []byte) error {
	c.Text += "<" + string(b) + ">"
	if strings.Contains(string(b), "7") {
		return fmt.Errorf("seven in %s", b)
	}
	return nil
}

// An indirectType decodes itself with encoding/json, whose errors it returns.
type indirectType struct {
	N int
	S []string
}

func (x *indirectType) UnmarshalJSON(b []byte) error {
	type plain indirectType
	return json.Unmarshal(b, (*plain)(x))
}

type valueMethod map[string]int

func (m valueMethod) UnmarshalJSON(b []byte) error {
	if m != nil {
		m[string(b)]++
	}
	return nil
}

type (
	base struct {
		ID   int
		Name string `json:"name"`
		Time time.Time
	}
	Exported struct {
		X, Y *int
		Name string
	}
	inner   struct{ Deep map[string]base }
	Deepest struct {
		*Exported
		Z []int
	}
	named      string
	namedBytes []byte
	byteType   uint8
	listNode   struct {
		Value int
		Next  *listNode
		Kids  []listNode
		Index map[string]*listNode
	}
	allKinds struct {
		B    bool
		I    int
		I8   int8
		I16  int16
		I32  int32
		I64  int64
		U    uint
		U8   uint8
		U16  uint16
		U32  uint32
		U64  uint64
		F32  float32
		F64  float64
		S    string
		A    any
		P    *string
		PP   **int
		L    []int
		LL   [][]string
		Arr  [3]int16
		Byt  []byte
		ArrB [4]byte
		M    map[string]int
		N    json.Number
		R    json.RawMessage
		St   struct{ X, Y float64 }
	}
	embeds struct {
		base
		*Exported
		inner `json:"inner"`
		Deepest
		Own string `json:"own,omitempty"`
	}
	tagged struct {
		A int     `json:"a,string"`
		B bool    `json:",string"`
		C float64 `json:"c,omitempty,string"`
		D string  `json:"d,string"`
		E *int    `json:"e,string"`
		F string  `json:"-"`
		G string  `json:"-,"`
		H uint8   `json:"Ünïcödé"`
		I int     `json:"KeyK"`
		J int     `json:"a-b_c.d"`
		K []int   `json:"k,string"`
	}
	folds struct {
		Name  int
		NAME  int
		Value string `json:"value"`
		Kelvin,
		Straße string
	}
	maps struct {
		A map[string]string
		B map[int]string
		C map[uint8]any
		D map[named]float64
		E map[string][]int
		F map[string]*base
		G map[string]map[string]bool
		H map[string]struct{ X int }
		I map[string]any
		J map[int64][]string
		K map[string]int64
		L map[string][2]int8
		M map[string]json.Number
		N map[string]json.RawMessage
	}
	methods struct {
		A callLog
		B *callLog
		C textLog
		D *textLog
		E map[textKey]int
		F []callLog
		G indirectType
		H map[string]indirectType
		I *indirectType
		J valueMethod
		K struct{ callLog }
		L []*textLog
		M int
	}
	arenaMaps struct {
		A arena.Map[string, string]
		B *arena.Map[int, string]
		C arena.Map[string, any]
		D *arena.Map[named, []*base]
		E []arena.Map[string, int]
		F map[string]*arena.Map[uint8, float64]
		G arena.Map[string, *arena.Map[string, bool]]
		H arena.Map[int64, [2]int8]
		I *arena.Map[string, time.Time]
		J *arena.Map[string, *arenaMaps]
		K arena.Map[netip.Addr, maps]
		L [2]struct {
			M arena.Map[string, json.Number]
		}
		N *arena.Map[string, tagged] `json:",omitempty"`
		Z string
	}
	arenaMapOfCalls struct {
		A arena.Map[textKey, callLog]
		B *arena.Map[string, *textLog]
		C callLog
	}
	arenaMapInside struct {
		arena.Map[string, int]
		X int
	}
	std struct {
		T  time.Time
		D  time.Duration
		B  *big.Int
		B2 big.Int
		A  netip.Addr
		P  *netip.Prefix
		R  *json.RawMessage
		N  []json.Number
		M  map[netip.Addr]time.Time
	}
	odd struct {
		C  chan int
		F  func()
		E  error
		S  fmt.Stringer
		Z  struct{}
		ZZ []struct{}
		N  namedBytes
		NB []byteType
		X  complex64 `json:"x"`
	}
	many struct {
		F00, F01, F02, F03, F04, F05, F06, F07, F08, F09, F10, F11, F12, F13, F14, F15, F16, F17, F18, F19 int
		AVeryLongNameThatDoesNotFitIntoSixteenBytes, AVeryLongNameThatDoesNotFitIntoSixteenBytez           string
		ExactlySeven_, Exactly8, SixteenCharacter, FifteenCharacte                                         []string
	}
)

// writtenTypes are types of all kinds.
func writtenTypes() []reflect.Type {
	all := []reflect.Type{
		reflect.TypeFor[allKinds](), reflect.TypeFor[embeds](), reflect.TypeFor[tagged](), reflect.TypeFor[folds](), reflect.TypeFor[maps](), reflect.TypeFor[methods](),
		reflect.TypeFor[std](), reflect.TypeFor[odd](), reflect.TypeFor[many](), reflect.TypeFor[listNode](), reflect.TypeFor[base](), reflect.TypeFor[any](),
		reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[*any](), reflect.TypeFor[**base](), reflect.TypeFor[[]*base](), reflect.TypeFor[[3]*string](),
		reflect.TypeFor[string](), reflect.TypeFor[named](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
		reflect.TypeFor[[]string](), reflect.TypeFor[[][][]int](), reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]byte](), reflect.TypeFor[namedBytes](), reflect.TypeFor[[]byteType](),
		reflect.TypeFor[callLog](), reflect.TypeFor[*callLog](), reflect.TypeFor[textLog](), reflect.TypeFor[indirectType](), reflect.TypeFor[map[textKey]callLog](), reflect.TypeFor[[]indirectType](), reflect.TypeFor[struct{ X indirectType }](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[[]time.Time](), reflect.TypeFor[*big.Int](), reflect.TypeFor[map[string]*base](), reflect.TypeFor[map[float64]int](), reflect.TypeFor[map[bool]int](),
		reflect.TypeFor[chan int](), reflect.TypeFor[func()](), reflect.TypeFor[error](),
		reflect.TypeFor[arenaMaps](), reflect.TypeFor[arenaMapOfCalls](), reflect.TypeFor[arenaMapInside](), reflect.TypeFor[[]*arena.Map[float64, int]](), reflect.TypeFor[arena.Map[bool, int]](), reflect.TypeFor[*arena.Map[string, arena.Map[string, string]]](), reflect.TypeFor[[]struct{}](), reflect.TypeFor[[0]int](), reflect.TypeFor[struct{}](), reflect.TypeFor[[][3]string](),
	}
	return all
}

// leavesV2 are types that only the second version of encoding/json has rules for, if there is that
// version.
var leavesV2 []reflect.Type

// randomTypes returns n types that reflect can make.
func randomTypes(r *rand.Rand, n int) (types []reflect.Type) {
	for range n {
		types = append(types, randomType(r, 4))
	}
	return types
}

// randomType returns a type that reflect can make.
func randomType(r *rand.Rand, depth int) reflect.Type {
	leaves := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](),
		reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[any](), reflect.TypeFor[named](), reflect.TypeFor[json.Number](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]byte](), reflect.TypeFor[time.Time](), reflect.TypeFor[base](), reflect.TypeFor[listNode](), reflect.TypeFor[uintptr](),
	}
	if r.IntN(40) == 0 {
		all := writtenTypes()
		return all[r.IntN(len(all))]
	}
	if depth <= 0 || r.IntN(4) == 0 {
		if len(leavesV2) > 0 && r.IntN(10) == 0 {
			return leavesV2[r.IntN(len(leavesV2))]
		}
		return leaves[r.IntN(len(leaves))]
	}
	switch r.IntN(8) {
	case 0:
		return reflect.PointerTo(randomType(r, depth-1))
	case 1, 2:
		return reflect.SliceOf(randomType(r, depth-1))
	case 3:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-2))
	case 4:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[named](), reflect.TypeFor[int](), reflect.TypeFor[uint16](), reflect.TypeFor[textKey](), reflect.TypeFor[float64]()}
		return reflect.MapOf(keys[r.IntN(len(keys))], randomType(r, depth-1))
	}
	fields := make([]reflect.StructField, r.IntN(9))
	for i := range fields {
		f := &fields[i]
		f.Name = "F" + strings.Repeat("x", r.IntN(20)) + strconv.Itoa(i)
		f.Type = randomType(r, depth-1)
		switch r.IntN(8) {
		case 0:
			f.Tag = reflect.StructTag(fmt.Sprintf(`json:"t%d,string"`, i))
		case 1:
			f.Tag = reflect.StructTag(fmt.Sprintf(`json:"%s,omitempty"`, []string{"same", "name", "Name", "ÄÖ", "a.b", "id", "-"}[r.IntN(7)]))
		case 2:
			f.Tag = reflect.StructTag(fmt.Sprintf(`json:"n_%d"`, i))
		}
	}
	return reflect.StructOf(fields)
}

func sameError(a, b error) bool { return arenajson.SameError(a, b) }

// compare decodes in into new values, and before that, if it is not nil, before.
func compare(t *testing.T, a *arena.Arena, o arenajson.UnmarshalOptions, typ reflect.Type, before, in []byte) (failed bool) {
	t.Helper()
	got, want := reflect.New(typ), reflect.New(typ)
	if before != nil {
		stdUnmarshal(o, before, got.Interface())
		stdUnmarshal(o, before, want.Interface())
	}
	input := append([]byte(nil), in...)
	wantErr := stdUnmarshal(o, in, want.Interface())
	gotErr := o.Unmarshal(a, input, got.Interface())
	if !sameError(gotErr, wantErr) || !reflect.DeepEqual(plain(got), plain(want)) {
		t.Errorf("%v, before: %s\ninput: %s\n got %#v (%v)\nwant %#v (%v)", typ, before, in, show(got), gotErr, show(want), wantErr)
		return true
	}
	if string(input) != string(in) {
		t.Errorf("the input %s has become %s", in, input)
	}
	return false
}

// stdUnmarshal is encoding/json's Unmarshal with the options.
func stdUnmarshal(o arenajson.UnmarshalOptions, in []byte, v any) error {
	if !o.UseNumber && !o.DisallowUnknownFields {
		return json.Unmarshal(in, v)
	}
	if err := json.Unmarshal(in, new(json.RawMessage)); err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(in)))
	if o.UseNumber {
		d.UseNumber()
	}
	if o.DisallowUnknownFields {
		d.DisallowUnknownFields()
	}
	return d.Decode(v)
}

// show is a value with what its pointers point at.
func show(v reflect.Value) string {
	b, err := json.Marshal(v.Interface())
	return fmt.Sprintf("%.1000s %v %.500s", b, err, fmt.Sprint(v.Elem()))
}

// TestDifferential compares values and errors with encoding/json, for types that are written here
// and random ones, with documents that are right, of wrong types, and damaged, into values that are
// zero and that are not.
func TestDifferential(t *testing.T) {
	if arenajson.OnV2 && strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("encoding/json of Go 1.26 with GOEXPERIMENT=jsonv2 panics on some documents, and loops on others; use Go 1.27")
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 2))
	types := append(writtenTypes(), randomTypes(r, 250)...)
	rounds := 100
	if !testrun.Long() {
		rounds = 10
	}
	ordinary, again := arena.NewArena(), arena.NewArena()
	right := 0
	for i, typ := range types {
		n := rounds / 5
		if i < len(types)-250 {
			n = rounds * 3
		}
		for range n {
			in := document(r, typ)
			var before []byte
			if r.IntN(3) == 0 {
				before = document(r, typ)
			}
			var o arenajson.UnmarshalOptions
			switch r.IntN(6) {
			case 0:
				o.AliasInput = true
			case 1:
				o.UseNumber = true
			case 2:
				o.DisallowUnknownFields = true
			}
			var a *arena.Arena
			switch r.IntN(4) {
			case 0:
				a = ordinary
			case 1, 2:
				a = again
			}
			if compare(t, a, o, typ, before, in) {
				return
			}
			if stdUnmarshal(o, in, reflect.New(typ).Interface()) == nil {
				right++
			}
			again.Reset()
		}
	}
	t.Logf("%d documents were right", right)
}
