//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arenajson_test

import (
	"bytes"
	jsonv1 "encoding/json"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// These types have methods of the second version of encoding/json. None of those that decode reads
// more than one value: behind a value that is the last of an array, encoding/json of Go 1.27.4
// itself panics then, or never ends.

type (
	fromPtr   struct{ Log []string }
	fromMap   map[string]int
	fromValue struct{ P *string }
	fromParts struct {
		N int
		S []string
	}
	fromFirst  struct{ S string } // reads too little
	fromNone   struct{ S string } // reads nothing
	fromError  struct{ S string } // fails behind its value, before it, or in it
	fromSyntax struct{ S string }

	// These return errors.ErrUnsupported, and have another way to be decoded.
	passStruct struct{ A, B int }
	passJSON   struct{ Log []string }
	passText   struct{ S string }
	passString string
	passLate   struct{ A int } // when it has read
	passArena  struct{ S string }

	fromBoth   struct{ S string } // has UnmarshalJSON, UnmarshalJSONArena and UnmarshalText
	fromKey    string
	fromKeyInt int
	faceFrom   interface{ UnmarshalJSONFrom(*jsontext.Decoder) error }

	// These have no method of the second version, but return its errors.
	noJSON   struct{ S string }
	noText   struct{ S string }
	noKey    string
	brokenIO struct{ S string }
)

func (x *fromPtr) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if x == nil { // embedded
		return d.SkipValue()
	}
	at, depth := d.StackPointer(), d.StackDepth()
	v, err := d.ReadValue()
	x.Log = append(x.Log, fmt.Sprint(at, depth, d.InputOffset(), " ", v))
	return err
}

func (x fromMap) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if x != nil {
		x[string(v)]++
	}
	return err
}

func (x fromValue) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	return cmpError(err, storeAt(x.P, v))
}

func (x *fromParts) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case '[':
		return json.UnmarshalDecode(d, &x.S)
	case '{':
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			x.S = append(x.S, name.String())
			if err := d.SkipValue(); err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}
	return json.UnmarshalDecode(d, &x.N)
}

func (x *fromFirst) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	x.S = t.String()
	return err
}

func (x *fromNone) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	x.S = d.PeekKind().String()
	return nil
}

func (x *fromError) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case '"':
		v, err := d.ReadValue()
		x.S = string(v)
		return cmpError(err, errors.New("no text"))
	case '0':
		return fmt.Errorf("no number at %s", d.StackPointer())
	case '{', '[':
		_, err := d.ReadToken()
		return cmpError(err, &json.SemanticError{Err: errors.New("neither")})
	case 'n':
		return d.SkipValue()
	}
	return &json.SemanticError{JSONPointer: d.StackPointer(), Err: errors.New("nor that")}
}

func (x *fromSyntax) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	if strings.Contains(string(v), "7") {
		return &jsontext.SyntacticError{ByteOffset: d.InputOffset(), Err: errors.New("seven")}
	}
	x.S = string(v)
	return nil
}

func (*passStruct) UnmarshalJSONFrom(*jsontext.Decoder) error { return errors.ErrUnsupported }
func (*passJSON) UnmarshalJSONFrom(*jsontext.Decoder) error {
	return fmt.Errorf("wrapped: %w", errors.ErrUnsupported)
}
func (x *passJSON) UnmarshalJSON(b []byte) error {
	x.Log = append(x.Log, string(b))
	return nil
}
func (*passText) UnmarshalJSONFrom(*jsontext.Decoder) error { return errors.ErrUnsupported }
func (x *passText) UnmarshalText(b []byte) error {
	x.S = string(b)
	if strings.Contains(x.S, "7") {
		return errors.ErrUnsupported
	}
	return nil
}
func (passString) UnmarshalJSONFrom(*jsontext.Decoder) error { return errors.ErrUnsupported }
func (*passLate) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return cmpError(d.SkipValue(), errors.ErrUnsupported)
}
func (*passArena) UnmarshalJSONFrom(*jsontext.Decoder) error { return errors.ErrUnsupported }
func (x *passArena) UnmarshalJSON(b []byte) error {
	x.S += string(b)
	return nil
}
func (x *passArena) UnmarshalJSONArena(_ *arena.Arena, b []byte) error { return x.UnmarshalJSON(b) }

func cmpError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func (x *fromBoth) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	x.S += "from " + string(v)
	return err
}
func (x *fromBoth) UnmarshalJSON([]byte) error { return errors.New("UnmarshalJSON") }
func (x *fromBoth) UnmarshalJSONArena(*arena.Arena, []byte) error {
	return errors.New("UnmarshalJSONArena")
}
func (x *fromBoth) UnmarshalText([]byte) error                    { return errors.New("UnmarshalText") }
func (x *fromKey) UnmarshalJSONFrom(d *jsontext.Decoder) error    { return errors.New("not for keys") }
func (x *fromKeyInt) UnmarshalJSONFrom(d *jsontext.Decoder) error { return errors.New("not for keys") }
func (x *noJSON) UnmarshalJSON(b []byte) error                    { x.S = string(b); return errors.ErrUnsupported }
func (x *noText) UnmarshalText(b []byte) error {
	x.S = string(b)
	return fmt.Errorf("%w: %s", errors.ErrUnsupported, b)
}
func (x *noKey) UnmarshalText(b []byte) error { *x = noKey(b); return errors.ErrUnsupported }
func (x *brokenIO) UnmarshalJSON(b []byte) error {
	x.S = string(b)
	if strings.Contains(x.S, "7") {
		_, err := jsontext.NewDecoder(iotest.ErrReader(errors.New("broken at " + x.S))).ReadToken()
		return err
	}
	return nil
}

type (
	EmbedFrom struct{ fromPtr }
	embedsPtr struct {
		*fromPtr
		A int
	}
	embedsNone struct { // none is promoted: there are two
		fromPtr
		fromNone
	}
	embedsTagged struct {
		fromPtr `json:"f"`
		A       int
	}
	allFrom struct {
		A fromPtr
		B *fromPtr
		C **fromPtr
		D []fromPtr
		E map[string]fromPtr
		F map[string]*fromPtr
		G [2]fromPtr
		H fromMap
		I fromValue
		J *fromValue
		K fromParts
		L []*fromParts
		Z int
	}
	allFailing struct {
		A fromFirst
		B fromNone
		C fromError
		D *fromError
		E []fromError
		F map[string]fromError
		G fromSyntax
		H []fromSyntax
		I map[string]fromNone
		J [1]fromFirst
		K int
	}
	allPassing struct {
		A passStruct
		B *passStruct
		C passJSON
		D []passJSON
		E passText
		F map[string]passText
		G passString `json:",string"`
		H passLate
		I passArena
		J []passArena
		K fromBoth
		L *fromBoth
	}
	allKeys struct {
		A map[fromKey]int
		B map[fromKeyInt]int
		C map[passString]string
		D map[passText]int
		E map[noKey]int
	}
	besideFrom struct { // with types that have methods of the first version, whose calls are counted
		A callLog
		B fromPtr
		C textLog
		D map[textKey]int
		E any
		F noText
	}
	facesFrom struct {
		A any
		B faceFrom
		C jsonv1.Unmarshaler
		D []any
		E map[string]faceFrom
	}
	oldErrors struct {
		A noJSON
		B noText
		C map[noKey]int
		D []noText
		E brokenIO
		F []brokenIO
		G map[string]brokenIO
		H int
	}
	mapsFrom struct {
		A arena.Map[string, fromPtr]
		B *arena.Map[string, *fromError]
		C int
	}
	formats struct {
		A []byte         `json:"a,format:base32"`
		B map[string]int `json:",format:emitnull"`
		C int
	}
	cases struct {
		Abc int `json:"abc,case:ignore"`
		ABC int `json:"ABC,case:strict"`
		D   int `json:"'d,e'"`
		F   int `json:"'-',omitzero"`
	}
	inlines struct {
		A int
		B map[string]any `json:",inline"`
	}
	embedsMap struct {
		A int
		B map[string]int `json:",embed"`
	}
	embedsValue struct {
		A int
		B jsontext.Value `json:",embed"`
	}
	unknowns struct {
		A int
		B jsontext.Value `json:",unknown"`
	}
	tokensV2 struct {
		K jsontext.Kind
		V jsontext.Value
		P *jsontext.Value
		L []jsontext.Value
		M map[string]jsontext.Value
		S jsontext.Value `json:",string"`
		T jsontext.Pointer
		O jsontext.Value `json:",omitempty"`
		Z jsontext.Value `json:",omitzero"`
	}
)

// These encode themselves. A method's encoder takes its value for the only one: what differs by
// position is not tried.
type (
	toValue   struct{ S string }
	toPtr     struct{ S string }
	toMap     map[string]int
	toParts   struct{ L []int }
	toOptions struct{ S string }
	toNone    struct{ S string } // writes nothing
	toTwo     struct{ S string } // writes two values, or half of one
	toError   struct{ S string } // fails before it has written, or behind that
	toPass    struct{ A int }    // returns errors.ErrUnsupported
	toPassPtr struct{ S string } // and has MarshalJSON
	toPassTxt struct{ S string } // and has MarshalText
	toLate    struct{ S string } // when it has written
	toBoth    struct{ S string } // has MarshalJSON, MarshalJSONArena and MarshalText
	toKey     string
	toKeyInt  int
	faceTo    interface{ MarshalJSONTo(*jsontext.Encoder) error }

	noMarshalJSON struct{ S string } // returns errors of the second version
	noMarshalText struct{ S string }
	noAppendText  struct{ S string }
)

func (x toValue) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteToken(jsontext.String(x.S)) }
func (x *toPtr) MarshalJSONTo(e *jsontext.Encoder) error {
	if x == nil {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteValue(fmt.Appendf(nil, " { %q : [ 1 , \"<&>\" ] } ", strings.ToValidUTF8(x.S, "")))
}
func (x toMap) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.Int(int64(len(x))))
}
func (x *toParts) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, map[string]any{"l": x.L, "m": x.Len()})
}
func (x toParts) Len() int { return len(x.L) }
func (x toOptions) MarshalJSONTo(e *jsontext.Encoder) error {
	html, _ := json.GetOption(e.Options(), jsontext.EscapeForHTML)
	sorted, _ := json.GetOption(e.Options(), json.Deterministic)
	return e.WriteToken(jsontext.String(fmt.Sprint(html, sorted, "<", x.S)))
}
func (toNone) MarshalJSONTo(*jsontext.Encoder) error { return nil }
func (x toTwo) MarshalJSONTo(e *jsontext.Encoder) error {
	if x.S == "old" {
		return e.WriteToken(jsontext.BeginArray)
	}
	return cmpError(e.WriteToken(jsontext.Null), e.WriteToken(jsontext.True))
}
func (x *toError) MarshalJSONTo(e *jsontext.Encoder) error {
	switch x.S {
	case "old":
		return cmpError(e.WriteToken(jsontext.Null), errors.New("behind"))
	case "A":
		return &json.SemanticError{Err: errors.New("semantic")}
	case "12":
		return e.WriteValue(jsontext.Value(`{"a":1,"a":[}`))
	case "":
		return e.WriteToken(jsontext.String("\xff"))
	}
	return errors.New("before")
}
func (toPass) MarshalJSONTo(*jsontext.Encoder) error     { return errors.ErrUnsupported }
func (*toPassPtr) MarshalJSONTo(*jsontext.Encoder) error { return errors.ErrUnsupported }
func (x toPassPtr) MarshalJSON() ([]byte, error)         { return []byte(` [ "<JSON>" ] `), nil }
func (toPassTxt) MarshalJSONTo(*jsontext.Encoder) error  { return errors.ErrUnsupported }
func (x *toPassTxt) MarshalText() ([]byte, error)        { return []byte("<text>" + x.S), nil }
func (toLate) MarshalJSONTo(e *jsontext.Encoder) error {
	return cmpError(e.WriteToken(jsontext.Null), errors.ErrUnsupported)
}
func (toBoth) MarshalJSONTo(e *jsontext.Encoder) error       { return e.WriteToken(jsontext.String("to")) }
func (toBoth) MarshalJSON() ([]byte, error)                  { return []byte(`"json"`), nil }
func (toBoth) MarshalJSONArena(*arena.Arena) ([]byte, error) { return []byte(`"arena"`), nil }
func (toBoth) MarshalText() ([]byte, error)                  { return []byte("text"), nil }
func (toKey) MarshalJSONTo(*jsontext.Encoder) error          { return errors.New("not for keys") }
func (toKeyInt) MarshalJSONTo(*jsontext.Encoder) error       { return errors.New("not for keys") }
func (x noMarshalJSON) MarshalJSON() ([]byte, error) {
	switch x.S {
	case "old":
		return nil, errors.ErrUnsupported
	case "A":
		return nil, &json.SemanticError{Err: errors.New("semantic")}
	case "12":
		return nil, &jsontext.SyntacticError{ByteOffset: 3, Err: errors.New("syntactic")}
	}
	return json.Marshal(x.S)
}
func (x *noMarshalText) MarshalText() ([]byte, error) {
	if x.S == "old" {
		return nil, errors.ErrUnsupported
	}
	return []byte(x.S), nil
}
func (x noAppendText) AppendText(b []byte) ([]byte, error) {
	if x.S == "old" {
		return nil, errors.ErrUnsupported
	}
	return append(b, x.S...), nil
}

type (
	allTo struct {
		A toValue
		B *toValue
		C toPtr
		D *toPtr
		E []toPtr
		F map[string]toPtr
		G map[string]*toPtr
		H [2]toPtr
		I toMap
		J toMap `json:",omitempty"`
		K toOptions
		L []toOptions `json:",omitzero"`
		M toBoth
		N toPass
		O toPassPtr
		P *toPassTxt
		Q map[string]toPassTxt
		R toValue `json:",string"`
		S *toBoth `json:",omitempty,string"`
		T any
	}
	someTo struct { // most of them fail
		A []toNone
		B []toTwo
		C []toError
		D map[string]*toError
		E []toLate
		F *toParts
		G []noMarshalJSON
		H []noMarshalText
		I []noAppendText
		J []jsontext.Value
		K any
	}
	keysTo struct {
		A map[toKey]int
		B map[toKeyInt]toValue
		C map[noMarshalText]int
		D map[noAppendText]int
	}
	facesTo struct {
		A faceTo
		B []faceTo
		C map[string]faceTo
		D any
	}
	embedsTo struct {
		*toPtr
		A int
	}
	embedsTwoTo struct {
		toValue
		toPtr
		A int
	}
	mapsTo struct {
		A arena.Map[string, toPtr]
		B arena.Map[toKeyInt, *toValue]
	}
)

var oddV2Types = []reflect.Type{
	reflect.TypeFor[fromPtr](), reflect.TypeFor[*fromPtr](), reflect.TypeFor[[]fromPtr](), reflect.TypeFor[map[string]fromPtr](), reflect.TypeFor[fromMap](), reflect.TypeFor[fromValue](), reflect.TypeFor[fromParts](),
	reflect.TypeFor[fromFirst](), reflect.TypeFor[fromNone](), reflect.TypeFor[fromError](), reflect.TypeFor[fromSyntax](), reflect.TypeFor[[]fromError](), reflect.TypeFor[[]fromFirst](), reflect.TypeFor[map[string]fromSyntax](),
	reflect.TypeFor[passStruct](), reflect.TypeFor[passJSON](), reflect.TypeFor[passText](), reflect.TypeFor[passString](), reflect.TypeFor[passLate](), reflect.TypeFor[passArena](), reflect.TypeFor[fromBoth](),
	reflect.TypeFor[noJSON](), reflect.TypeFor[noText](), reflect.TypeFor[map[noKey]int](), reflect.TypeFor[brokenIO](), reflect.TypeFor[[]brokenIO](), reflect.TypeFor[EmbedFrom](), reflect.TypeFor[embedsPtr](), reflect.TypeFor[embedsNone](), reflect.TypeFor[embedsTagged](),
	reflect.TypeFor[allFrom](), reflect.TypeFor[allFailing](), reflect.TypeFor[allPassing](), reflect.TypeFor[allKeys](), reflect.TypeFor[besideFrom](), reflect.TypeFor[facesFrom](), reflect.TypeFor[oldErrors](), reflect.TypeFor[mapsFrom](),
	reflect.TypeFor[formats](), reflect.TypeFor[cases](), reflect.TypeFor[inlines](), reflect.TypeFor[embedsMap](), reflect.TypeFor[embedsValue](), reflect.TypeFor[unknowns](), reflect.TypeFor[tokensV2](), reflect.TypeFor[[]besideFrom](), reflect.TypeFor[faceFrom](),
	reflect.TypeFor[toValue](), reflect.TypeFor[*toPtr](), reflect.TypeFor[toPtr](), reflect.TypeFor[allTo](), reflect.TypeFor[[]allTo](), reflect.TypeFor[someTo](), reflect.TypeFor[keysTo](), reflect.TypeFor[facesTo](), reflect.TypeFor[embedsTo](), reflect.TypeFor[embedsTwoTo](), reflect.TypeFor[mapsTo](),
	reflect.TypeFor[toNone](), reflect.TypeFor[toTwo](), reflect.TypeFor[toError](), reflect.TypeFor[toPass](), reflect.TypeFor[toPassPtr](), reflect.TypeFor[toPassTxt](), reflect.TypeFor[toLate](), reflect.TypeFor[map[string]toPtr](), reflect.TypeFor[[]toPtr](), reflect.TypeFor[noMarshalJSON](), reflect.TypeFor[noMarshalText](), reflect.TypeFor[noAppendText](),
	reflect.TypeFor[struct{ fromPtr }](), reflect.TypeFor[struct{ *allFrom }](), reflect.TypeFor[map[string]allFailing](), reflect.TypeFor[[][]allPassing](), reflect.TypeFor[jsontext.Value](), reflect.TypeFor[jsontext.Kind](),
}

func init() { leavesV2 = oddV2Types }

func init() { hasTestsV2 = true }

// TestOddTypesV2 is TestOddTypes for types that only the second version has rules for.
func TestOddTypesV2(t *testing.T) { testOddTypes(t, oddV2Types) }

// TestFacesV2 decodes into interfaces that hold what has methods of the second version, and encodes
// such interfaces. A nil pointer in an interface that has MarshalJSONTo is left out: encoding/json
// of Go 1.27.4 panics.
func TestFacesV2(t *testing.T) {
	docs := []string{`{"A":{"x":[1]},"B":{"y":2},"C":7,"D":[1,{"a":2},3,4],"E":{"k":5,"l":[6]}}`, `{"A":null,"B":null,"D":[null,"s"],"E":{"k":null}}`, `{"A":"s","B":"s","D":[],"E":{}}`, `{"B":1`, `[]`}
	for name, make := range map[string]func() any{
		"pointers": func() any {
			return &facesFrom{&fromPtr{}, &fromPtr{}, &fromBoth{}, []any{&fromPtr{}, &fromParts{}}, map[string]faceFrom{"k": &fromPtr{}}}
		},
		"nil pointers": func() any {
			return &facesFrom{(*fromPtr)(nil), (*fromPtr)(nil), (*fromBoth)(nil), []any{(*fromPtr)(nil)}, nil}
		},
		"values": func() any {
			return &facesFrom{fromMap{}, fromMap{}, nil, []any{fromMap{}, 1}, map[string]faceFrom{"k": fromMap{}}}
		},
		"errors": func() any {
			return &facesFrom{&fromError{}, &fromNone{}, &noJSON{}, []any{&fromFirst{}, &passLate{}}, map[string]faceFrom{"k": &fromError{}}}
		},
		"passing": func() any {
			return &facesFrom{&passStruct{}, &passJSON{}, &passArena{}, []any{&passText{}, &passArena{}}, nil}
		},
		"empty": func() any { return &facesFrom{} },
		"any":   func() any { var x any = &fromPtr{}; return &x },
		"face":  func() any { var x faceFrom = &fromParts{}; return &x },
		"slice": func() any { return &[]faceFrom{&fromPtr{}, nil, &fromBoth{}} },
	} {
		for _, in := range docs {
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				got, want := make(), make()
				gotErr, wantErr := arenajson.Unmarshal(a, []byte(in), got), jsonv1.Unmarshal([]byte(in), want)
				if !sameError(gotErr, wantErr) || !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s: %+v (%v), want %+v (%v)", name, in, got, gotErr, want, wantErr)
				}
			}
		}
	}

	s := "s"
	for i, v := range []any{
		facesTo{}, &facesTo{toValue{s}, []faceTo{&toPtr{s}, nil, toMap{}, toMap(nil)}, map[string]faceTo{"a": &toParts{}, "b": nil}, toPtr{s}}, facesTo{D: &toPtr{s}}, facesTo{D: (*toPtr)(nil)}, facesTo{A: toPass{1}, D: toPass{2}},
		[]any{toPass{1}, &toPassPtr{s}, toPassPtr{s}, toPassTxt{s}, &toPassTxt{s}, toBoth{s}, &toBoth{s}, toOptions{s}}, toParts{[]int{1}}, &toParts{[]int{1}}, []any{toLate{s}}, []any{toNone{s}}, []any{toTwo{s}}, []any{toTwo{"old"}}, []any{&toError{"old"}}, []any{&toError{"12"}}, []any{&toError{}},
		map[toKey]int{"b": 1, "a": 2}, map[toKeyInt]toPass{2: {}, 10: {}}, map[*toKey]int{}, map[faceTo]int{}, struct{ toValue }{toValue{s}}, struct{ *toValue }{&toValue{s}}, struct{ toPtr }{toPtr{s}}, &struct{ toPtr }{toPtr{s}}, [1]toPtr{{s}}, &[1]toPtr{{s}}, map[string][1]toPtr{"x": {{s}}},
		jsontext.Value(` {"b" : "<", "a":1, "a" : [ ] } `), jsontext.Value("\"\xff\""), jsontext.Value(`"\ud800"`), jsontext.Value(`[`), jsontext.Value(""), jsontext.Value(nil), []jsontext.Value{nil, []byte("1")}, jsontext.Kind('{'), jsontext.String("x"), jsontext.Pointer("/a"),
		&formats{A: []byte("x")}, cases{1, 2, 3, 4}, inlines{1, map[string]any{"x": 1}}, embedsMap{1, map[string]int{"x": 1, "A": 2}}, embedsValue{1, jsontext.Value(`{"x":1}`)}, embedsValue{1, jsontext.Value(`[1]`)}, unknowns{1, jsontext.Value(`{"x":1}`)}, tokensV2{V: jsontext.Value("1"), S: jsontext.Value("2")},
	} {
		for _, o := range []arenajson.MarshalOptions{{}, {NoEscapeHTML: true}, {Indent: " "}} {
			want, wantErr := stdMarshal(o, v)
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				got, gotErr := o.Marshal(a, v)
				if string(got) != string(want) || !sameError(gotErr, wantErr) {
					t.Errorf("%d, %T: %s (%v), want %s (%v)", i, v, got, gotErr, want, wantErr)
				}
			}
		}
	}
}

// stdMarshal is encoding/json's Marshal with the options.
func stdMarshal(o arenajson.MarshalOptions, v any) ([]byte, error) {
	var b bytes.Buffer
	e := jsonv1.NewEncoder(&b)
	e.SetEscapeHTML(!o.NoEscapeHTML)
	e.SetIndent(o.Prefix, o.Indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
