//lint:file-ignore SA5008 the option "string" is tested where it is ignored

package arenajson

import (
	"encoding"
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// The types that encoder tests fill with random values.

type (
	named     string
	namedInt  int16
	namedByte byte

	byValue   struct{ S string }          // MarshalJSON
	byPointer struct{ S string }          // MarshalJSON with a pointer receiver
	textValue struct{ S string }          // MarshalText
	textPtr   struct{ S string }          // MarshalText with a pointer receiver
	textInt   int                         // MarshalText
	textKey   struct{ A, B int8 }         // MarshalText
	textStr   string                      // MarshalText, not called for keys
	textByte  byte                        // MarshalText
	jsonMap   map[string]int              // MarshalJSON
	jsonFunc  func()                      // MarshalJSON
	both      struct{ S string }          // MarshalJSON and MarshalText
	appender  struct{ S string }          // AppendText and MarshalText, which differ
	moody     struct{ N int }             // MarshalJSON, which may fail
	moodyText struct{ N int8 }            // MarshalText, which may fail, and IsZero
	moodyBoth struct{ N int8 }            // MarshalJSON and MarshalText, which may fail, with different errors
	zeroValue struct{ N int }             // IsZero
	zeroPtr   struct{ N int }             // IsZero with a pointer receiver
	marshaler interface{ json.Marshaler } // another name
	stringer  interface{ String() string }
)

func (v byValue) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"v": v.S, "l": []int{1}})
}
func (v *byPointer) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("0"), nil
	}
	return []byte(" [ " + strconv.Quote(strings.ToValidUTF8(strings.Map(printable, v.S), "<&>\u2028")) + " , 1 ] "), nil
}
func printable(r rune) rune { return max(r, ' ') & 0x7f }

func (v textValue) MarshalText() ([]byte, error) { return []byte("<" + v.S), nil }
func (v *textPtr) MarshalText() ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	return []byte("p" + v.S), nil
}
func (v textInt) MarshalText() ([]byte, error) { return []byte("i" + strconv.Itoa(int(v))), nil }
func (v textKey) MarshalText() ([]byte, error) {
	return []byte(strconv.Itoa(int(v.A)) + ">" + strconv.Itoa(int(v.B))), nil
}
func (v textStr) MarshalText() ([]byte, error)  { return []byte("s" + v), nil }
func (v textByte) MarshalText() ([]byte, error) { return []byte{'b', byte(v)}, nil }
func (v jsonMap) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(len(v))), nil }
func (v jsonFunc) MarshalJSON() ([]byte, error) { return []byte(strconv.FormatBool(v == nil)), nil }
func (v both) MarshalJSON() ([]byte, error)     { return []byte(`{"both" : 1}`), nil }
func (v both) MarshalText() ([]byte, error)     { return []byte("text"), nil }
func (v appender) AppendText(b []byte) ([]byte, error) {
	return append(append(b, "app"...), v.S...), nil
}
func (v appender) MarshalText() ([]byte, error) { return []byte("mar" + v.S), nil }
func (v *moody) MarshalJSON() ([]byte, error) {
	switch v.N % 8 {
	case 1:
		return nil, errors.New("not today")
	case 2:
		return []byte("[1,]"), nil
	case 3:
		return nil, nil
	}
	return []byte(strconv.Itoa(v.N)), nil
}
func (v moodyText) MarshalText() ([]byte, error) {
	if v.N%4 == 1 {
		return nil, errors.New("no text")
	}
	return []byte("t" + strconv.Itoa(int(v.N))), nil
}
func (v moodyText) IsZero() bool { return v.N%3 == 0 }
func (v moodyBoth) MarshalJSON() ([]byte, error) {
	switch v.N % 4 {
	case 1, 2:
		return nil, errors.New("no JSON")
	}
	return []byte(strconv.Itoa(int(v.N))), nil
}
func (v moodyBoth) MarshalText() ([]byte, error) {
	if v.N%4 == 1 {
		return nil, errors.New("no text of both")
	}
	return []byte("b" + strconv.Itoa(int(v.N))), nil
}
func (v zeroValue) IsZero() bool   { return v.N == 1 }
func (v *zeroPtr) IsZero() bool    { return v.N == 1 }
func (v zeroValue) String() string { return "" }

type Inner struct {
	A int    `json:"a"`
	B string `json:",omitempty"`
	C *int
}

type inner struct {
	C string
	D []string `json:"d,omitempty"`
}

type Deep struct {
	*Inner
	X int
}

type embeds struct {
	Inner
	*inner
	Deep `json:"deep"`
	E    float64
}

type shadow struct {
	*Deep
	Inner
	X string `json:"a,omitempty"`
	time.Time
}

type encNumbers struct {
	A int8
	B uint8
	C int16
	D uint16
	E int32
	F uint32
	G int64
	H uint64
	I int
	J uint
	K uintptr
	L float32
	M float64
	N json.Number
}

type encOptions struct {
	A bool           `json:"a,omitempty"`
	B int8           `json:"b,omitempty"`
	C uint16         `json:"c,omitempty"`
	D float32        `json:"d,omitempty"`
	E float64        `json:"e,omitempty"`
	F string         `json:"f,omitempty"`
	G []int          `json:"g,omitempty"`
	H map[string]int `json:"h,omitempty"`
	I *int           `json:"i,omitempty"`
	J any            `json:"j,omitempty"`
	K [0]int         `json:"k,omitempty"`
	L [2]int         `json:"l,omitempty"`
	M Inner          `json:"m,omitempty"`
	N time.Time      `json:"n,omitempty"`
	O stringer       `json:"o,omitempty"`
}

type encZeros struct {
	A  bool                       `json:"a,omitzero"`
	B  int8                       `json:"b,omitzero"`
	D  float32                    `json:"d,omitzero"`
	E  float64                    `json:"e,omitzero,omitempty"`
	F  string                     `json:"f,omitzero"`
	G  []int                      `json:"g,omitzero"`
	G2 []int                      `json:"g2,omitzero,omitempty"`
	H  map[string]int             `json:"h,omitzero"`
	I  *int                       `json:"i,omitzero"`
	J  any                        `json:"j,omitzero"`
	L  [2]float64                 `json:"l,omitzero"`
	M  Inner                      `json:"m,omitzero"`
	N  time.Time                  `json:"n,omitzero"`
	O  zeroValue                  `json:"o,omitzero"`
	P  zeroPtr                    `json:"p,omitzero"`
	Q  *zeroValue                 `json:"q,omitzero"`
	R  *zeroPtr                   `json:"r,omitzero"`
	S  interface{ IsZero() bool } `json:"s,omitzero"`
}

type encQuotes struct {
	A bool           `json:",string"`
	B int8           `json:",string"`
	C uint64         `json:",string,omitempty"`
	D float32        `json:",string"`
	E float64        `json:",string"`
	F string         `json:",string"`
	G *string        `json:",string"`
	H *int           `json:",string"`
	I **int          `json:",string"`
	J json.Number    `json:",string"`
	K []int          `json:",string"`
	L named          `json:",string"`
	M any            `json:",string"`
	N textInt        `json:",string"`
	O uintptr        `json:",string"`
	P time.Duration  `json:",string"`
	Q map[string]int `json:",string"`
	R *textInt       `json:",string"`
}

// oddTags is a struct whose tags vet would not let pass.
var oddTags = func() reflect.Type {
	var fields []reflect.StructField
	for i, tag := range []string{"a b", "<&>", "é", "-,", "-", "日本", ",omit", "a\\\"b", "\u2028x", "x'y", "longer_than_a_word,omitempty", "sixteen_letters_", " , omitempty",
		"n,omitempty x", "😀", "\\x", "'q'", "tab\t", "x", "x", "n2,,omitempty", "n3,omitempty,omitempty", "n4,string:,omitempty"} {
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + tag + `"`)})
	}
	return reflect.StructOf(fields)
}()

// v2Tags has options that only the second version of encoding/json knows.
type v2Tags struct {
	A int            `json:"A,case:ignore"`
	B map[string]int `json:",inline"`
	C []byte         `json:",format:hex"`
	D int            `json:",unknown"`
	E map[string]int `json:",embed"`
}

type encMethods struct {
	A byValue
	B byPointer
	C textValue
	D textPtr
	E textInt
	F *byValue
	G *byPointer
	H *textPtr
	I []byPointer
	J [2]byPointer
	K map[string]byPointer
	L map[string]*byPointer
	M any
	N json.Marshaler
	O marshaler
	P interface{ MarshalText() ([]byte, error) }
	Q jsonMap
	R both
	S *both
	T appender
	U []appender
	V map[string]textPtr
	W jsonFunc
	X **byPointer
	Y *textStr
}

type encMaps struct {
	A map[string]string
	B map[string]any
	C map[string]int
	D map[named]string
	E map[int8]bool
	F map[uint64][]string
	G map[textInt]int
	H map[textKey]*Inner
	I map[textStr]map[string]int
	J map[string]encMaps
	K map[string][]map[string]string
	L url.Values
	M map[json.Number]int
	N map[*textValue]int
	O map[bool]int
	P map[namedInt]map[namedInt]map[namedInt]string
	Q map[string]struct{}
	R map[string][3]string
}

type bytesAndSuch struct {
	A []byte
	B []namedByte
	C [3]byte
	D []textByte
	E json.RawMessage
	F *json.RawMessage
	G []json.RawMessage
	H []json.Number
	I time.Time
	J *time.Time
	K time.Duration
	L big.Int
	M *big.Int
	N netip.Addr
	O []netip.Prefix
	P url.URL
	Q error
	R struct{}
	S [][]int
	T []struct{}
	U *[]*[]string
	V [2][2]named
	W map[string]json.RawMessage
}

type recursive struct {
	Name string
	Kids []recursive
	Next *recursive
	Map  map[string]recursive
	Any  any
	List recursiveList
}

type recursiveList []recursiveList

type encBad struct {
	A moody
	B *moody
	C func()   `json:",omitempty"`
	D chan int `json:"-"`
	E []complex64
	F map[string]chan int
	G any
}

// encFaces has interfaces with methods, by which the first version of encoding/json encodes what
// they hold.
type encFaces struct {
	A encoding.TextMarshaler
	B interface {
		encoding.TextMarshaler
		json.Marshaler
	}
	C []encoding.TextMarshaler
	D map[string]encoding.TextMarshaler
	E *encoding.TextMarshaler
	F encoding.TextMarshaler `json:",omitempty"`
	G interface {
		encoding.TextMarshaler
		IsZero() bool
	} `json:",omitzero"`
	H encoding.TextMarshaler `json:",string"`
	I interface {
		encoding.TextMarshaler
		encoding.TextAppender
	}
	J [2]any
	K map[string]json.Marshaler
}

// encErrors has values which may have errors of different kinds, all at once.
type encErrors struct {
	embeddedErrors
	*PtrErrors
	A moodyText  `json:",omitzero"`
	B *moodyText `json:",omitempty"`
	C map[string]moodyBoth
	D map[moodyText]int `json:",omitempty"`
	E map[string]any
	F []moodyBoth
	G map[int]moodyText `json:",omitempty"`
	H json.Number
	I json.RawMessage
	J *moodyBoth `json:",omitzero"`
	K [1]float64
}

type embeddedErrors struct {
	L moodyBoth
	M json.Number `json:",string"`
	N *float64
}

// PtrErrors is embedded by pointer.
type PtrErrors struct {
	O *moody
	P moodyText
	Q time.Time
}

type direct6 struct{ P *direct6 }
type direct1 struct{ P *Inner }
type direct2 [1]*int
type direct3 struct{ M map[string]int }
type direct4 struct{ D direct1 }
type direct5 struct {
	_ struct{}
	P *Inner
}

type taggedInner struct {
	inner `json:"in"`
	*Deep `json:",omitempty"`
}

type encAnys struct {
	A any
	B []any
	C map[string]any
	D [2]any
	E *any
	F map[string][]any
}

// PtrHolder is embedded by pointer: its fields can be addressed, whatever it is in.
type PtrHolder struct {
	B byPointer
	T textPtr
}

type viaPointer struct{ *PtrHolder }

type Untagged struct{ Same, Lone int }
type Tagged struct {
	Other int `json:"Same"`
}
type taggedLast struct {
	Untagged
	Tagged
}
type taggedFirst struct {
	Tagged
	Untagged
}

// encodeTypes are types for random values.
var encodeTypes = []reflect.Type{
	reflect.TypeFor[viaPointer](), reflect.TypeFor[taggedLast](), reflect.TypeFor[taggedFirst](),
	reflect.TypeFor[any](), reflect.TypeFor[Inner](), reflect.TypeFor[embeds](), reflect.TypeFor[shadow](),
	reflect.TypeFor[encNumbers](), reflect.TypeFor[encOptions](), reflect.TypeFor[encZeros](), reflect.TypeFor[encQuotes](),
	oddTags, reflect.TypeFor[v2Tags](), reflect.TypeFor[encMethods](), reflect.TypeFor[encMaps](), reflect.TypeFor[bytesAndSuch](),
	reflect.TypeFor[recursive](), reflect.TypeFor[recursiveList](), reflect.TypeFor[encBad](),
	reflect.TypeFor[direct1](), reflect.TypeFor[direct2](), reflect.TypeFor[direct3](), reflect.TypeFor[direct4](), reflect.TypeFor[direct5](), reflect.TypeFor[direct6](),
	reflect.TypeFor[taggedInner](), reflect.TypeFor[encAnys](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](),
	reflect.TypeFor[[]string](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[float32](),
	reflect.TypeFor[[]float64](), reflect.TypeFor[[]encMethods](), reflect.TypeFor[map[string]encMethods](), reflect.TypeFor[[2]encMethods](),
	reflect.TypeFor[byPointer](), reflect.TypeFor[textPtr](), reflect.TypeFor[byValue](), reflect.TypeFor[moody](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[jsonFunc](), reflect.TypeFor[bool](), reflect.TypeFor[uint8](),
	reflect.TypeFor[both](), reflect.TypeFor[appender](), reflect.TypeFor[encFaces](), reflect.TypeFor[encErrors](), reflect.TypeFor[moodyText](), reflect.TypeFor[moodyBoth](),
}
