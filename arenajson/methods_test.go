package arenajson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// A nest encodes and decodes itself by methods that call what within is, for the value inside.
type nest struct {
	V     any              `json:",omitempty"`
	Kid   *nest            `json:",omitempty"`
	List  []nest           `json:",omitempty"`
	Map   map[string]*nest `json:",omitempty"`
	Face  json.Marshaler   `json:",omitempty"`
	Text  *nestText        `json:",omitempty"`
	Arena *nestArena       `json:",omitempty"`
	After *after           `json:",omitempty"`
}

type nestArena struct {
	Kid *nest  `json:",omitempty"`
	T   string `json:",omitempty"`
}

type nestText struct{ Kid *nest }

// An after is encoded behind what may have an error.
type after struct{}

var (
	methodCalls int
	within      func(v any) ([]byte, error)
	withinArena func(a *arena.Arena, v any) ([]byte, error)
)

func (n *nest) MarshalJSON() ([]byte, error) {
	methodCalls++
	type plain nest
	return within((*plain)(n))
}

func (n *nestArena) MarshalJSON() ([]byte, error) {
	methodCalls++
	type plain nestArena
	return within((*plain)(n))
}

func (n *nestArena) MarshalJSONArena(a *arena.Arena) ([]byte, error) {
	methodCalls++
	type plain nestArena
	return withinArena(a, (*plain)(n))
}

func (n *nestText) MarshalText() ([]byte, error) {
	methodCalls++
	b, err := within(n.Kid)
	return bytes.ReplaceAll(b, []byte(`"`), []byte("'")), err
}

func (*after) MarshalJSON() ([]byte, error) {
	methodCalls++
	return []byte("0"), nil
}

type brokenText struct{}

func (brokenText) MarshalJSON() ([]byte, error) { methodCalls++; return []byte(`[1, 2`), nil }

// nests are ways to have a value in another one.
var nests = map[string]func(*nest) *nest{
	"a pointer":           func(n *nest) *nest { return &nest{Kid: n, After: new(after)} },
	"a list":              func(n *nest) *nest { return &nest{List: []nest{*n, {}}} },
	"a map":               func(n *nest) *nest { return &nest{Map: map[string]*nest{"a": n, "b": {}}} },
	"an interface":        func(n *nest) *nest { return &nest{Face: n} },
	"an empty interface":  func(n *nest) *nest { return &nest{V: map[string]any{"x": []any{n, n.After}}} },
	"text":                func(n *nest) *nest { return &nest{Text: &nestText{n}} },
	"a MarshalJSONArena":  func(n *nest) *nest { return &nest{Arena: &nestArena{Kid: n}} },
	"all but one of them": func(n *nest) *nest { return &nest{Kid: &nest{List: []nest{{V: []any{n}}}}, After: new(after)} },
}

// encoders are ways in which a method, or a program, encodes with this package.
var encoders = map[string]func(a *arena.Arena, v any) ([]byte, error){
	"Marshal": arenajson.Marshal,
	"Append":  func(a *arena.Arena, v any) ([]byte, error) { return arenajson.Append(a, nil, v) },
	"Encoder": func(a *arena.Arena, v any) ([]byte, error) {
		var w bytes.Buffer
		err := arenajson.NewEncoder(&w).Encode(a, v)
		return bytes.TrimSuffix(w.Bytes(), []byte("\n")), err
	},
	"Write": func(a *arena.Arena, v any) ([]byte, error) {
		w := httptest.NewRecorder()
		err := arenajson.MarshalOptions{}.Write(a, w, 200, v)
		return w.Body.Bytes(), err
	},
	"json.Marshal": func(_ *arena.Arena, v any) ([]byte, error) { return json.Marshal(v) },
}

// TestMarshalCalls counts calls of methods that encode what is inside with this package. There are
// as many as with encoding/json, wherever there is an error, and the result and the error are the
// same.
func TestMarshalCalls(t *testing.T) {
	values := map[string]any{
		"no error": 1, "NaN": math.NaN(), "a channel": make(chan int), "broken text": brokenText{}, "a broken RawMessage": json.RawMessage("{"), "a broken Number": json.Number("x"),
		"keys that are no names": map[bool]int{true: 1},
	}
	a := arena.NewArena()
	for how, encode := range encoders {
		for what, v := range values {
			for where, around := range nests {
				for _, depth := range []int{3, 6, 12} {
					n := &nest{V: v}
					for range depth {
						n = around(n)
					}
					count := func(f func(a *arena.Arena, v any) ([]byte, error)) (int, []byte, error) {
						withinArena = f
						within = func(v any) ([]byte, error) { return f(nil, v) }
						methodCalls = 0
						b, err := f(a, n)
						return methodCalls, b, err
					}
					want, wantText, wantErr := count(encoders["json.Marshal"])
					// The outermost call is this package's, and the methods' calls are what
					// encode is.
					got, text, err := count(encode)
					if got != want || string(text) != string(wantText) || !sameError(err, wantErr) {
						t.Fatalf("%s, %s, %s, %d deep: %d calls, %.200s, %v, want %d, %.200s, %v", how, what, where, depth, got, text, err, want, wantText, wantErr)
					}
				}
				a.Reset()
			}
		}
	}
}

// TestMarshalDeep encodes values with methods that are nested deeper than encoding/json looks for
// cycles, and deeper than it allows.
func TestMarshalDeep(t *testing.T) {
	within, withinArena = func(v any) ([]byte, error) { return arenajson.Marshal(nil, v) }, arenajson.Marshal
	type chain struct {
		A     *after
		Kid   *chain
		Other any `json:",omitempty"`
	}
	deep := func(depth int, end any) *chain {
		c := &chain{A: new(after), Other: end}
		for range depth {
			c = &chain{A: new(after), Kid: c}
		}
		return c
	}
	loop := func(around int) *chain {
		c := deep(around, nil)
		last := c
		for last.Kid != nil {
			last = last.Kid
		}
		last.Kid = c
		return c
	}
	anys := []any{new(after), nil}
	anys[1] = anys
	maps := map[string]any{"a": new(after)}
	maps["b"] = maps
	type list []list
	lists := list{nil}
	lists[0] = lists
	for what, v := range map[string]any{
		"deep": deep(3000, nil), "NaN": deep(1500, math.NaN()), "a loop": loop(3), "a long loop": deep(700, loop(600)), "a list": anys, "a map": maps, "lists": struct {
			A *after
			L list
		}{new(after), lists}, "a map in a list": []any{new(after), map[string][]any{"x": anys}},
		"raw": []any{new(after), json.RawMessage(strings.Repeat("[", 9_998) + strings.Repeat("]", 9_998))}, "raw and too deep": []any{new(after), json.RawMessage(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))},
		"much too deep": []any{new(after), json.RawMessage(strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001))}, "deeper than allowed": deep(10_050, nil),
	} {
		methodCalls = 0
		want, wantErr := json.Marshal(v)
		calls := methodCalls
		methodCalls = 0
		got, err := arenajson.Marshal(nil, v)
		if methodCalls != calls || string(got) != string(want) || !sameError(err, wantErr) {
			t.Errorf("%s: %d calls, %.100s %v, want %d, %.100s %v", what, methodCalls, got, err, calls, want, wantErr)
		}
		want, wantErr = json.MarshalIndent(v, ">", "")
		if got, err = (arenajson.MarshalOptions{Prefix: ">"}).Marshal(nil, v); string(got) != string(want) || !sameError(err, wantErr) {
			t.Errorf("%s: %.100s %v, want %.100s %v", what, got, err, want, wantErr)
		}
	}
}

// live is what is on the heap.
func live() uint64 {
	runtime.GC()
	runtime.GC() // pools keep what they have for one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// An inside decodes itself with what insideBy is. What is live in the innermost call is insideLive.
type (
	inside      struct{ insideFields[*inside] }
	insideArena struct{ insideFields[*insideArena] }

	insideFields[T any] struct {
		K T            `json:"k"`
		L []T          `json:"l"`
		M map[string]T `json:"m"`
		S string       `json:"s"`
		T string       `json:"t"`
	}
)

var (
	insideBy   func(a *arena.Arena, b []byte, v any) error
	insideLive uint64
)

func probe(b []byte) {
	if strings.HasPrefix(string(b[:min(len(b), 5)]), `{"t":`) {
		insideLive = live()
	}
}

func (x *inside) UnmarshalJSON(b []byte) error {
	probe(b)
	return insideBy(nil, b, &x.insideFields)
}

func (x *insideArena) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &x.insideFields) }
func (x *insideArena) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	probe(b)
	return insideBy(a, b, &x.insideFields)
}

// TestUnmarshalMethodMemory has methods decode what is inside with this package. The memory that is
// live then grows with the document as with encoding/json, and not with the document times the
// depth.
func TestUnmarshalMethodMemory(t *testing.T) {
	std := func(_ *arena.Arena, b []byte, v any) error { return json.Unmarshal(b, v) }
	read := func(_ *arena.Arena, b []byte, v any) error {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(b))
		r.Header.Set("Content-Type", "application/json")
		return arenajson.ReadOptions{MaxBytes: -1}.Read(r, v)
	}
	ways := map[string]struct {
		of    func() any
		by    func(a *arena.Arena, b []byte, v any) error
		arena bool
	}{
		"on the heap":     {func() any { return new(inside) }, arenajson.Unmarshal, false},
		"beside an arena": {func() any { return new(inside) }, arenajson.Unmarshal, true},
		"in an arena":     {func() any { return new(insideArena) }, arenajson.Unmarshal, true},
		"in an alias":     {func() any { return new(insideArena) }, arenajson.UnmarshalOptions{AliasInput: true}.Unmarshal, true},
		"with options":    {func() any { return new(insideArena) }, arenajson.UnmarshalOptions{UseNumber: true, DisallowUnknownFields: true}.Unmarshal, true},
		"in requests":     {func() any { return new(inside) }, read, false},
	}
	for _, shape := range [][2]string{{`{"k":`, `}`}, {`{"l":[`, `]}`}, {`{"s":"x","m":{"k":`, `}}`}} {
		for _, size := range []int{0, 50_000} {
			for _, depth := range []int{100, 400} {
				doc := []byte(strings.Repeat(shape[0], depth) + `{"t":"` + strings.Repeat("x", size) + `"}` + strings.Repeat(shape[1], depth))
				measure := func(by func(a *arena.Arena, b []byte, v any) error, a *arena.Arena, v any) uint64 {
					insideBy = by
					before := live()
					if err := by(a, doc, v); err != nil {
						t.Fatal(err)
					}
					return insideLive - min(insideLive, before)
				}
				most := 2*measure(std, nil, new(inside)) + 16*uint64(len(doc)) + uint64(depth)<<13 + 256<<10
				for how, c := range ways {
					if how == "in requests" && size > 0 {
						continue // the body is another one at each level
					}
					var a *arena.Arena
					times := 1
					if c.arena {
						a, times = arena.NewArena(), 2 // what is learnt of the first document changes nothing
					}
					for range times {
						if took := measure(c.by, a, c.of()); took > most {
							t.Errorf("%s, %s, %d deep: a document of %d kB takes %d kB, where %d kB are allowed", how, shape[0], depth, len(doc)>>10, took>>10, most>>10)
						}
						if a == nil {
							break
						}
						if reserved := a.Stats().Reserved; reserved > int64(16*len(doc)+depth<<10+64<<10) {
							t.Errorf("%s, %s, %d deep: an arena of %d kB for a document of %d kB", how, shape[0], depth, reserved>>10, len(doc)>>10)
						}
						a.Reset()
					}
				}
			}
		}
	}
}

// keeper has methods that keep what they are given, and key, which is one for maps.
type (
	keeper  struct{ B []byte }
	keepTxt struct{ B []byte }
	keepKey string
	keepAll struct {
		J keeper
		T keepTxt
		E keepTxt
		L []keeper
		M map[keepKey]keepTxt
		P *keepArena
	}
	keepArena struct{ B []byte }
)

var keptKeys [][]byte

func (k *keeper) UnmarshalJSON(b []byte) error  { k.B = b; return nil }
func (k *keepTxt) UnmarshalText(b []byte) error { k.B = b; return nil }
func (k *keepKey) UnmarshalText(b []byte) error {
	keptKeys = append(keptKeys, b)
	*k = keepKey(b)
	return nil
}
func (k *keepArena) UnmarshalJSON(b []byte) error                      { k.B = b; return nil }
func (k *keepArena) UnmarshalJSONArena(a *arena.Arena, b []byte) error { k.B = b; return nil }

// TestMethodsKeepBytes has methods keep what they were given. Nothing of a later document is in it,
// with an arena until Reset, and without it or for methods that know no arena for ever.
func TestMethodsKeepBytes(t *testing.T) {
	doc := func(i int) []byte {
		x := fmt.Sprint(i, strings.Repeat("y", i*100))
		return fmt.Appendf(nil, `{"J":{"secret":"%s"},"T":"%[1]s","E":"%[1]s\u0041\n","L":[1,"%[1]s"],"M":{"%[1]s":"a","\u0042%[1]s":"b"},"P":["%[1]s"]}`, x)
	}
	ways := map[string]func(a *arena.Arena, doc []byte, v any) error{
		"Unmarshal": arenajson.Unmarshal,
		"Read": func(a *arena.Arena, doc []byte, v any) error {
			r := httptest.NewRequest("POST", "/", bytes.NewReader(doc))
			r.Header.Set("Content-Type", "application/json")
			return arenajson.Read(r.WithContext(arena.NewContext(r.Context(), a)), v)
		},
		"into an interface": func(a *arena.Arena, doc []byte, v any) error { return arenajson.Unmarshal(a, doc, &v) },
		"with options": func(a *arena.Arena, doc []byte, v any) error {
			return arenajson.UnmarshalOptions{UseNumber: true, RejectDuplicateNames: true, CaseSensitiveNames: true}.Unmarshal(a, doc, v)
		},
	}
	d := map[*arena.Arena]*arenajson.Decoder{}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		var stream bytes.Buffer
		for i := range 8 {
			stream.Write(doc(i))
		}
		d[a] = arenajson.NewDecoder(io.MultiReader(&stream, strings.NewReader(strings.Repeat(" ", 10_000)+"1")))
	}
	ways["Decoder"] = func(a *arena.Arena, _ []byte, v any) error { return d[a].Decode(a, v) }
	for how, decode := range ways {
		for a := range d {
			keptKeys = nil
			var got, want [8]keepAll
			for i := range got {
				if err := decode(a, doc(i), &got[i]); err != nil {
					t.Fatal(how, err)
				}
			}
			keys := keptKeys
			if how == "Decoder" {
				if err := d[a].Decode(a, new(int)); err != nil {
					t.Fatal(err)
				}
			}
			keptKeys = nil
			for i := range want {
				if err := json.Unmarshal(doc(i), &want[i]); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(keys, keptKeys) {
				t.Errorf("%s, arena %v: %.300q %q, want %.300q %q", how, a != nil, fmt.Sprint(got), keys, fmt.Sprint(want), keptKeys)
			}
		}
	}
}

// TestAppendKept has AppendText keep what it was given.
func TestAppendKept(t *testing.T) {
	var kept keepsAppend
	for i := range 10 {
		kept.text = fmt.Sprint("text of ", i)
		if _, err := arenajson.Marshal(nil, &kept); err != nil {
			t.Fatal(err)
		}
		if len(kept.given) > 0 && string(kept.given) != kept.text {
			t.Fatalf("%q", kept.given)
		}
	}
	for i, b := range kept.all {
		if want := fmt.Sprint("text of ", i); string(b) != want {
			t.Errorf("%q, want %q", b, want)
		}
	}
}

type keepsAppend struct {
	text  string
	given []byte
	all   [][]byte
}

func (k *keepsAppend) AppendText(b []byte) ([]byte, error) {
	b = append(b, k.text...)
	k.all = append(k.all, b)
	return b, nil
}
func (k *keepsAppend) MarshalText() ([]byte, error) { return k.AppendText(nil) }

// refuses has methods that return what refusalOf is.
type (
	refuses     struct{}
	refusesText struct{}
	errorTree   struct {
		Left *errorTree            `json:"l"`
		List []errorTree           `json:"list"`
		Map  map[string]*errorTree `json:"m"`
		In   errorInner            `json:"in"`
		*errorEmbedded
		ID refuses `json:"id"`
	}
	errorInner    struct{ Left *errorTree }
	errorEmbedded struct {
		E *errorTree  `json:"e"`
		T refusesText `json:"t"`
	}
)

var refusalOf func() error

func (refuses) UnmarshalJSON([]byte) error      { return refusalOf() }
func (*refusesText) UnmarshalText([]byte) error { return refusalOf() }

// TestMethodErrors has methods return errors at any depth: they equal encoding/json's, all
// fields of them, and take no more memory in order.
func TestMethodErrors(t *testing.T) {
	returned := []func() error{
		func() error { return errors.New("no") }, func() error { return io.EOF }, func() error { return io.ErrUnexpectedEOF }, func() error { return fmt.Errorf("x: %w", io.EOF) },
		func() error { return json.Unmarshal([]byte(`{"A":`), new(any)) }, func() error { return json.Unmarshal([]byte(`{"Left":[1]}`), new(errorInner)) },
		func() error { return &json.UnmarshalTypeError{Value: "v", Type: reflect.TypeFor[int](), Offset: 7} }, func() error {
			return &json.UnmarshalTypeError{Value: "v", Type: reflect.TypeFor[int](), Field: "f", Struct: "s"}
		},
		func() error { return &json.SyntaxError{Offset: 2} }, func() error { return http.ErrBodyNotAllowed },
	}
	for i, refusal := range returned {
		refusalOf = refusal
		for _, around := range [][2]string{{`{"l":`, `}`}, {`{"list":[{}, `, ` ] }`}, {`{"m":{"k":`, `}}`}, {`{"in":{"Left":`, `}}`}, {`{"e":`, ` , "id":0}`}} {
			for _, end := range []string{`{"id":1}`, `{"t":"x"}`, `{"id":1,"t":"x"}`} {
				var before, after, took [3]uint64
				for k := range took {
					depth := []int{0, 1, 3}[k]
					for _, a := range []*arena.Arena{nil, arena.NewArena()} {
						doc := []byte(strings.Repeat(around[0], depth) + end + strings.Repeat(around[1], depth) + " ")
						got, want := arenajson.Unmarshal(a, doc, new(errorTree)), json.Unmarshal(doc, new(errorTree))
						if !sameError(got, want) {
							t.Errorf("%d, %s: %#v, want %#v", i, doc, got, want)
						}
					}
				}
				for k := range took {
					depth := 500 << k
					doc := []byte(strings.Repeat(around[0], depth) + end + strings.Repeat(around[1], depth) + " ")
					before[k] = allocated(func() { json.Unmarshal(doc, new(errorTree)) })
					var err error
					after[k] = allocated(func() { err = arenajson.Unmarshal(nil, doc, new(errorTree)) })
					if want := json.Unmarshal(doc, new(errorTree)); !sameError(err, want) {
						t.Errorf("%d, %s, %d deep: %.200v, want %.200v", i, around[0], depth, err, want)
					}
					if took[k] = after[k]; took[k] > 4*before[k]+1<<20 {
						t.Errorf("%d, %s, %d deep: %d kB, with encoding/json %d kB", i, around[0], depth, after[k]>>10, before[k]>>10)
					}
				}
			}
		}
	}
}
