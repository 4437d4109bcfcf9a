package arenajson_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// cased returns a document for typ, and the same with names of no field where names are not exactly
// a field's.
func cased(r *rand.Rand, typ reflect.Type) (in, twin []byte) {
	w := writer{r: r, exact: true, wrong: []int{0, 0, 8, 40}[r.IntN(4)]}
	w.value(typ, 3)
	twin = append([]byte(nil), w.b...)
	for _, n := range w.inexact {
		copy(twin[n[0]:n[1]], strings.Repeat("'", n[1]-n[0]))
	}
	return w.b, twin
}

// hasText tells whether err is one of fmt.Errorf, and its text begins so. The method Error of
// others may panic.
func hasText(err error, prefix string) bool {
	return reflect.TypeOf(err) == reflect.TypeOf(fmt.Errorf("")) && strings.HasPrefix(err.Error(), prefix)
}

// TestCaseSensitiveRandom compares with what encoding/json makes of a document in which names in
// another case are names of no field.
func TestCaseSensitiveRandom(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 4))
	types := append(writtenTypes(), randomTypes(r, 200)...)
	rounds := 60
	if !testrun.Long() {
		rounds = 10
	}
	ordinary, again := arena.NewArena(), arena.NewArena()
	differ, refused := 0, 0
	for _, typ := range types {
		for range rounds {
			in, twin := cased(r, typ)
			o := arenajson.UnmarshalOptions{AliasInput: r.IntN(4) == 0, UseNumber: r.IntN(4) == 0, DisallowUnknownFields: r.IntN(4) == 0}
			got, want := reflect.New(typ), reflect.New(typ)
			if r.IntN(3) == 0 {
				_, before := cased(r, typ)
				stdUnmarshal(o, before, got.Interface())
				stdUnmarshal(o, before, want.Interface())
			}
			was := show(got)
			wantErr := stdUnmarshal(o, twin, want.Interface())
			o.CaseSensitiveNames = true
			gotErr := o.Unmarshal([]*arena.Arena{nil, ordinary, again, again}[r.IntN(4)], in, got.Interface())
			if arenajson.IsRefusal(gotErr) {
				if refused++; show(got) != was {
					t.Fatalf("%v: an error has changed the value from %s to %s", typ, was, show(got))
				}
				continue
			}
			const unknown = "json: unknown field "
			same := sameError(gotErr, wantErr)
			if hasText(wantErr, unknown+`"'`) {
				same = hasText(gotErr, unknown) && !hasText(gotErr, unknown+`"'`)
			}
			if !same || !reflect.DeepEqual(plain(got), plain(want)) {
				t.Fatalf("%v, %+v, before: %s\ninput: %s\n got %s (%v)\nwant %s (%v)", typ, o, was, in, show(got), gotErr, show(want), wantErr)
			}
			if string(in) != string(twin) {
				differ++
			}
			again.Reset()
		}
	}
	t.Logf("%d documents had other names, %d were refused", differ, refused)
	if differ < rounds*len(types)/10 || refused > rounds*len(types)/5 {
		t.Error("too few documents were compared")
	}
}

// A methodKey is a key that leaves its map to encoding/json.
type methodKey string

func (k *methodKey) UnmarshalJSON(b []byte) error {
	*k = methodKey(strings.Trim(string(b), `"`))
	return nil
}

// TestCaseSensitiveNames decodes documents where it matters who decodes them.
func TestCaseSensitiveNames(t *testing.T) {
	type Leaf struct {
		A    int
		Both int `json:"both"`
		BOTH int `json:"BOTH"`
	}
	type anyOf struct {
		A int
		I any
	}
	type names struct {
		Leaf
		P *Leaf
		L []Leaf
		M map[string]Leaf
		N map[methodKey]Leaf
		Q arena.Map[string, Leaf]
		I any
		C indirectType
		Z []struct{ S struct{} }
		Ä int
	}
	for _, c := range []struct{ in, want, unknown string }{
		{`{"A":1}`, `{"A":1}`, ""},
		{`{"a":1}`, `{}`, "a"},
		{`{"\u0061":1,"\u0041":2}`, `{"A":2}`, "a"},
		{`{"Both":1,"both":2,"BOTH":3,"boTH":4}`, `{"both":2,"BOTH":3}`, "Both"},
		{`{"P":{"a":1},"p":{"A":1}}`, `{"P":{}}`, "a"},
		{`{"L":[{"A":1},{"a":1}],"l":[]}`, `{"L":[{"A":1},{}]}`, "a"},
		{`{"M":{"a":{"A":1,"a":2},"A":{"a":1}}}`, `{"M":{"a":{"A":1},"A":{}}}`, "a"},
		{`{"Q":{"a":{"A":1},"A":{"BoTh":1}}}`, `{"Q":{"a":{"A":1},"A":{}}}`, ""}, // see below
		{`{"N":{"a":{"A":1,"a":2}}}`, `{"N":{"a":{"A":1}}}`, "a"},
		{`{"Z":[{"s":1}]}`, `{"Z":[{}]}`, "s"},
		{`{"I":{"a":1,"A":2}}`, `{"I":{"a":1,"A":2}}`, ""},
		{`{"C":{"n":1,"S":["x"]}}`, `{"C":{"N":1,"S":["x"]}}`, ""}, // the method does not see the option
		{`{"ä":1}`, `{}`, "ä"},
		{`{"Ä":1}`, `{"Ä":1}`, ""},
	} {
		// The second document has an error at its end, so that encoding/json decodes it.
		for _, in := range []string{c.in, strings.TrimSuffix(c.in, "}") + `,"Ä":"x"}`} {
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				var got, want names
				stdUnmarshal(arenajson.UnmarshalOptions{}, []byte(c.want), &want)
				err := arenajson.UnmarshalOptions{CaseSensitiveNames: true, RejectDuplicateNames: in == c.in}.Unmarshal(a, []byte(in), &got)
				if (err != nil) != (in != c.in) || !reflect.DeepEqual(plain(reflect.ValueOf(&got)), plain(reflect.ValueOf(&want))) {
					t.Errorf("%s: %+v (%v), want %+v", in, &got, err, &want)
				}
				if strings.Contains(c.in, `"Q"`) {
					continue // versions of encoding/json differ
				}
				err = arenajson.UnmarshalOptions{CaseSensitiveNames: true, DisallowUnknownFields: true}.Unmarshal(a, []byte(c.in), new(names))
				if text := fmt.Sprintf("json: unknown field %q", c.unknown); (err != nil) != (c.unknown != "") || err != nil && err.Error() != text {
					t.Errorf("%s: %v, want that %q is unknown", c.in, err, c.unknown)
				}
			}
		}
	}
	// The first version of encoding/json does not tell names in an arena.Map that mean no field.
	unknown := "a"
	if arenajson.OnV2 {
		unknown = "BoTh"
	}
	err := arenajson.UnmarshalOptions{CaseSensitiveNames: true, DisallowUnknownFields: true}.Unmarshal(nil, []byte(`{"Q":{"a":{"BoTh":1}},"P":{"a":1}}`), new(names))
	if err == nil || err.Error() != fmt.Sprintf("json: unknown field %q", unknown) {
		t.Errorf("names in a map and behind it: %v, want that %q is unknown", err, unknown)
	}
	option := arenajson.UnmarshalOptions{CaseSensitiveNames: true}

	// encoding/json decodes into what an interface points at.
	for _, c := range []struct {
		v       any
		in      string
		refused bool
	}{
		{&anyOf{I: &Leaf{A: 1}}, `{"I":{"a":2}}`, true},
		{&anyOf{I: &Leaf{A: 1}}, `{"i":{"a":2},"I":3}`, false},
		{&anyOf{I: Leaf{A: 1}}, `{"I":{"a":2}}`, false},
		{&anyOf{I: map[string]any{"x": 1}}, `{"I":{"a":2}}`, false},
		{&struct{ I fmt.Stringer }{new(big.Int)}, `{"I":{"a":2}}`, true},
		{&[]any{&Leaf{A: 1}}, `[{"a":2}]`, true},
		{&[]any{[]any{&Leaf{A: 1}}}, `[[{"a":2}]]`, false}, // it makes a new slice
		{ptr([]any{&Leaf{A: 1}, 0}[:0]), `[{"a":2}]`, true},
		{&map[string]*anyOf{"x": {I: &Leaf{}}}, `{"x":{"I":[]}}`, false},
	} {
		was := fmt.Sprintf("%+v", reflect.ValueOf(c.v).Elem())
		if err := option.Unmarshal(nil, []byte(c.in), c.v); arenajson.IsRefusal(err) != c.refused || c.refused && fmt.Sprintf("%+v", reflect.ValueOf(c.v).Elem()) != was {
			t.Errorf("%s into %s: %v, refused should be %v", c.in, was, err, c.refused)
		}
	}
	for _, v := range []any{new(struct{ Leaf }), new(Leaf)} {
		if err := option.Unmarshal(nil, []byte(`{"a":1`), v); err == nil || err.Error() != "unexpected end of JSON input" {
			t.Errorf("a document that ends too early: %v", err)
		}
	}

	// A method of an embedded field, which some versions of encoding/json call, and others do not.
	if err := option.Unmarshal(nil, []byte(`[{"a":1}]`), new([]struct{ indirectType })); !arenajson.IsRefusal(err) {
		t.Errorf("a struct type with a method that is promoted: %v", err)
	}

	d := arenajson.NewDecoder(strings.NewReader(`{"a":1} {"A":2} {"a":3,"P":1}`))
	d.CaseSensitiveNames()
	for i, want := range []int{0, 2, 0} {
		var v names
		if err := d.Decode(arena.NewArena(), &v); v.A != want || (err != nil) != (i == 2) {
			t.Errorf("value %d of a stream: %d (%v), want %d", i, v.A, err, want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
