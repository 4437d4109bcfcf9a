package model_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// A jsonKey has a text of its own.
type jsonKey struct{ n int }

func (k jsonKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "<%d>", k.n), nil }

func (k *jsonKey) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(b), "<>"))
	k.n = n
	return err
}

type jsonWord string

type jsonValue struct {
	Text  string `json:",omitempty"`
	List  []int
	Any   any
	Table *arena.Map[int8, string] `json:",omitempty"`
}

// TestMapJSON compares what encoding/json, and fmt, make of a Map with what they make of a map of
// Go's with the same entries, and what they put into each.
func TestMapJSON(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	likeGoMap(t, r, text, func(i int) int { return i })
	likeGoMap(t, r, func(i int) jsonWord { return jsonWord(text(i)) + "<&>\xff\"" }, text)
	likeGoMap(t, r, func(i int) int8 { return int8(i) }, func(i int) *int { return []*int{nil, &i}[i&1] })
	likeGoMap(t, r, func(i int) uint64 { return uint64(i) << 50 }, func(i int) []byte { return []byte(text(i)) })
	likeGoMap(t, r, func(i int) jsonKey { return jsonKey{i} }, func(i int) any { return []any{nil, text(i), float64(i)}[i%3] })
	likeGoMap(t, r, text, func(i int) jsonValue {
		v := jsonValue{Text: "<" + text(i) + ">", List: make([]int, i%3), Any: true}
		if i%2 == 0 {
			v.Table = arena.NewMap[int8, string](nil, 0)
			v.Table.Set(int8(i), "<b>")
		}
		return v
	})
	likeGoMap(t, r, func(i int) bool { return i&1 == 0 }, text) // no key for JSON
	likeGoMap(t, r, text, func(i int) func() { return nil })    // no value
}

func likeGoMap[K comparable, V any](t *testing.T, r *rand.Rand, key func(int) K, val func(int) V) {
	t.Helper()
	for _, n := range []int{0, 1, 5, 100} {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			fill := func() (*arena.Map[K, V], map[K]V) {
				m, want := arena.NewMap[K, V](a, r.IntN(2*n+1)), map[K]V{}
				for range n {
					i := r.IntN(200)
					want[key(i)] = val(i)
					m.Set(key(i), want[key(i)])
				}
				return m, want
			}
			m, want := fill()
			what := fmt.Sprintf("%T with %d entries", m, n)

			type in struct{ A, B any }
			value := reflect.ValueOf(m).Elem().Interface() // vet would complain of *m
			for _, pair := range [][2]any{{m, want}, {value, want}, {in{m, value}, in{want, want}}, {[]any{m}, []any{want}}} {
				for _, escape := range []bool{false, true} {
					var texts [2]bytes.Buffer
					var errs [2]error
					for i, v := range pair {
						e := json.NewEncoder(&texts[i])
						e.SetEscapeHTML(escape)
						e.SetIndent(">", "\t")
						errs[i] = e.Encode(v)
					}
					if (errs[0] == nil) != (errs[1] == nil) || texts[0].String() != texts[1].String() {
						t.Errorf("%s:\n%s%v\n, Go's map:\n%s%v", what, &texts[0], errs[0], &texts[1], errs[1])
					}
				}
			}
			for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%20q", "%s"} {
				if got, want := fmt.Sprintf(verb, m), fmt.Sprintf(verb, want); got != want && !strings.Contains(want, "0x") {
					t.Errorf("%s is printed as %s, Go's map as %s", what, got, want)
				}
			}

			// Decoding adds to what is there, or fails for both.
			_, other := fill()
			text, err := json.Marshal(other)
			if err != nil {
				text = []byte(`{"a": 1}`)
			}
			for _, text := range []string{string(text), "null", "{}", `{"1": null}`, `{"a": [{}]}`, `7`, `[]`, `"a"`, `{"a":`} {
				m, want := fill()
				before := maps.Clone(want)
				got, err := json.Unmarshal([]byte(text), m), json.Unmarshal([]byte(text), &want)
				if (got == nil) != (err == nil) {
					t.Fatalf("%s, %s: %v, Go's map: %v", what, text, got, err)
				}
				if err != nil {
					want = before // Go's has what came before the error
				}
				if want == nil {
					want = map[K]V{}
				}
				if got := maps.Collect(m.All()); !equalJSON(got, want) {
					t.Fatalf("%s, %s: %v, Go's map: %v", what, text, got, want)
				}
			}
		}
	}
}

// equalJSON compares maps whose values may be, or have in them, a Map, or be functions, which are
// nil.
func equalJSON[K comparable, V any](x, y map[K]V) bool {
	if reflect.DeepEqual(x, y) {
		return true
	}
	a, err1 := json.Marshal(x)
	b, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && bytes.Equal(a, b) && len(x) == len(y)
}

// TestMapMethodsV2 asks encoding/json whether it is built on encoding/json/v2. Then a Map has the
// methods of that, whatever the build tags are called.
func TestMapMethodsV2(t *testing.T) {
	v2 := reflect.TypeFor[json.Marshaler]().PkgPath() != "encoding/json"
	want := v2 && slices.Contains(build.Default.ReleaseTags, "go1.27")
	typ := reflect.TypeFor[*arena.Map[string, int]]()
	for _, name := range []string{"MarshalJSONTo", "UnmarshalJSONFrom"} {
		if _, got := typ.MethodByName(name); got != want {
			t.Errorf("%v has %s: %v, want %v; mend the build constraint of encoding_v2.go", typ, name, got, want)
		}
	}
}

// TestMapJSONStates has where decoding into a Map cannot go well.
func TestMapJSONStates(t *testing.T) {
	var field struct{ M *arena.Map[string, int] }
	if err := json.Unmarshal([]byte(`{"M": {"a": 1}}`), &field); err != nil || field.M.Len() != 1 {
		t.Errorf("a nil Map: %v, %v", field.M, err)
	}
	if err := json.Unmarshal([]byte(`{"M": null}`), &field); err != nil || field.M != nil {
		t.Errorf("null: %v, %v", field.M, err)
	}
	field.M = arena.NewMap[string, int](nil, 0)
	if err := json.Unmarshal([]byte(`{"M": {"a": 1}}`), &field); err != nil || field.M.Len() != 1 {
		t.Errorf("a Map on the heap: %v, %v", field.M, err)
	}

	a := arena.NewWith(arena.Options{Limit: 4000})
	m := arena.NewMap[string, int](a, 0)
	m.Set("a", 1)
	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, `%q: 7,`, text(i))
	}
	err := json.Unmarshal([]byte("{"+long.String()+`"a": 2}`), m)
	if !errors.Is(err, arena.ErrLimit) || m.Len() != 1 || *m.Lookup("a") != 1 {
		t.Errorf("beyond the limit: %d entries, %v", m.Len(), err)
	}
	a.Free()
	if got := result(func() any { return json.Unmarshal([]byte("{"+long.String()+`"a": 2}`), m) }); !sameResult(got, usedAfterFree) {
		t.Errorf("after Free: %v", got)
	}
	if text, err := json.Marshal(m); string(text) != `{"a":1}` || err != nil {
		t.Errorf("after Free: %s, %v", text, err)
	}
	if got := fmt.Sprint((*arena.Map[string, int])(nil)); got != "<nil>" {
		t.Errorf("a nil Map is printed as %s", got)
	}
}

// notText are values of all types that are nothing without their arena.
func notText() []any {
	a := arena.NewArena()
	return []any{
		arena.NewMap[string, int](a, 0), // but for JSON
	}
}

// TestNotText proves that nobody who encodes or decodes a Map, a reference or the like by the
// packages of the standard library is left with nothing without an error.
func TestNotText(t *testing.T) {
	names := map[string]bool{}
	for _, p := range notText() {
		typ := reflect.TypeOf(p).Elem()
		name, _, _ := strings.Cut(typ.Name(), "[")
		names[name] = true
		v := reflect.ValueOf(p).Elem().Interface()
		field := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "N", Type: reflect.TypeFor[int]()}, {Name: "F", Type: typ}}))
		field.Elem().Field(1).Set(reflect.ValueOf(v))
		for _, v := range []any{p, v, field.Interface(), field.Elem().Interface(), []any{p}, map[string]any{"a": v}} {
			if text, err := json.Marshal(v); name != "Map" && (err == nil || !strings.Contains(err.Error(), "arena: an arena, a slab or a reference")) {
				t.Errorf("JSON of a %T: %s, %v", v, text, err)
			}
			if _, ok := v.(map[string]any); !ok {
				if text, err := xml.Marshal(v); err == nil {
					t.Errorf("XML of a %T: %s", v, text)
				}
			}
			if err := gob.NewEncoder(new(bytes.Buffer)).Encode(v); err == nil {
				t.Errorf("gob of a %T", v)
			}
		}
		for _, text := range []string{"{}", `"abc"`, "7", "[]"} {
			if err := json.Unmarshal([]byte(text), reflect.New(typ).Interface()); (err == nil) != (name == "Map" && text == "{}") {
				t.Errorf("a %v from JSON, %s: %v", typ, text, err)
			}
		}
		if err := xml.Unmarshal([]byte("<a>abc</a>"), reflect.New(typ).Interface()); err == nil {
			t.Errorf("a %v from XML", typ)
		}
	}

	// Others that have arenas have settings, which can be encoded, or are text. An arena, its slabs
	// and its Marks have no values that an encoder could leave out.
	for _, name := range []string{"Arena", "Mark", "Slab", "Pool", "Group", "Builder"} {
		names[name] = true
	}
	files := coreFiles(t)
	has := havingArenas(files)
	eachType(files, func(name string, s *ast.TypeSpec) {
		if st, ok := s.Type.(*ast.StructType); ok && token.IsExported(name) && !names[name] &&
			(has[name] || mentions(st, map[string]bool{"notText": true})) {
			t.Errorf("%s is not tried", name)
		}
	})
}

// TestBuilderText proves that a Builder is its text to those who encode it.
func TestBuilderText(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		b := arena.NewBuilder(a)
		b.WriteString("a <text>")
		type in struct{ B *arena.Builder }
		text, err := json.Marshal(in{b})
		if want, _ := json.Marshal(struct{ B string }{"a <text>"}); err != nil || !bytes.Equal(text, want) {
			t.Errorf("JSON: %s, %v", text, err)
		}
		kept := b.String()
		if err := json.Unmarshal([]byte(`{"B": "other"}`), &in{b}); err != nil || b.String() != "other" || kept != "a <text>" {
			t.Errorf("from JSON: %q, %v; what was built before is %q", b, err, kept)
		}
		if text, err := xml.Marshal(in{b}); err != nil || string(text) != "<in><B>other</B></in>" {
			t.Errorf("XML: %s, %v", text, err)
		}
	}
}
