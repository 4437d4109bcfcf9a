package arenajson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/ref"
)

// TestRejectDuplicateNames decodes documents with names that are twice in an object, and with
// others.
func TestRejectDuplicateNames(t *testing.T) {
	long := make([]string, 100)
	for i := range long {
		long[i] = fmt.Sprintf(`"n%d":[{"x":1},{"x":1}]`, i)
	}
	for in, want := range map[string]string{
		`{"a":1,"b":{"a":2,"b":3}}`:                            "",
		`[{"a":1},{"a":2}]`:                                    "",
		`{"a":1,"a":2}`:                                        `the name "a" at offset 7`,
		`[[{"x":{"b":1 , "\u0062":2}}]]`:                       `the name "b" at offset 16`,
		`{"é":1,"\u00e9":2}`:                                   `the name "é" at offset 8`,
		`{"\ud800":1,"\udfff":2}`:                              `the name "` + "\ufffd" + `" at offset 12`,
		"{" + strings.Join(long, ",") + "}":                    "",
		"{" + strings.Join(append(long, `"n7":1`), ",") + "}":  `the name "n7"`,
		"{" + strings.Join(append(long, `"n99":1`), ",") + "}": `the name "n99"`,
		`{"a":1,"A":2}`:                                        "",
	} {
		for _, v := range []any{new(any), new(small), &map[string]any{"kept": 1.5}} {
			before := fmt.Sprintf("%#v", reflect.ValueOf(v).Elem())
			err := arenajson.UnmarshalOptions{RejectDuplicateNames: true}.Unmarshal(arena.NewArena(), []byte(in), v)
			if _, ok := err.(*arenajson.DuplicateNameError); ok != (want != "") || ok && !strings.Contains(err.Error(), want) {
				t.Errorf("%.100s into %T: %v, want %s", in, v, err, want)
			}
			if after := fmt.Sprintf("%#v", reflect.ValueOf(v).Elem()); want != "" && after != before {
				t.Errorf("%.100s: %s has become %s", in, before, after)
			}
		}
	}
}

// TestRejectInvalidUTF8 decodes strings that are text and some that are not.
func TestRejectInvalidUTF8(t *testing.T) {
	for in, at := range map[string]int64{
		`"é\u00e9\ud83d\ude00\\ud800"`: -1, `{"a":"x\"y"}`: -1, `["\\", "\\\\u"]`: -1,
		"\"a\xff\"": 2, "{\"\xc3\":1}": 2, `"\ud800"`: 1, `"x\ude00\ud83d"`: 2, `"\ud800\u0041"`: 1, `"\ud83d\ude00\ud83d"`: 13, `"\ud800x"`: 1, `"\ud800`: -2, "[\xff]": -2,
	} {
		var v any
		err := arenajson.UnmarshalOptions{RejectInvalidUTF8: true}.Unmarshal(nil, []byte(in), &v)
		e, ok := err.(*arenajson.InvalidUTF8Error)
		if ok != (at >= 0) || ok && (e.Offset != at || v != nil) || (at == -1) != (err == nil) {
			t.Errorf("%q: %v, want the offset %d", in, err, at)
		}
	}
}

// TestRejectBehind proves that text behind a value is an error of encoding/json, whatever it is:
// options refuse text in documents that are valid.
func TestRejectBehind(t *testing.T) {
	for _, in := range []string{`"a"\`, `1\`, `{}\`, `{} \`, "{}\n\\u", `{}\ud800`, `[]x\`, `null\`, "1\xff", `1 {"a":1,"a":2}`, `{"a":1,"a":2} 1`} {
		var v any
		want := json.Unmarshal([]byte(in), &v)
		for _, o := range []arenajson.UnmarshalOptions{{RejectInvalidUTF8: true}, {RejectDuplicateNames: true}} {
			if err := o.Unmarshal(nil, []byte(in), &v); !sameError(err, want) {
				t.Errorf("%q, %+v: %v, want %v", in, o, err, want)
			}
		}
	}
}

// withArena notes how it is decoded.
type withArena struct {
	Text  string
	Arena *arena.Arena
}

func (x *withArena) UnmarshalJSON(b []byte) error { x.Text = "heap" + string(b); return nil }

func (x *withArena) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	if string(b) == `"wrong"` {
		return fmt.Errorf("it is wrong")
	}
	x.Text, x.Arena = arena.String(a, b), a
	return nil
}

// TestUnmarshalerArena decodes types that have a method for arenas, and a ref.String.
func TestUnmarshalerArena(t *testing.T) {
	type all struct {
		X withArena
		P *withArena
		L []withArena
		R ref.String
	}
	a := arena.NewArena()
	s := ref.In(a)
	var v all
	if err := arenajson.Unmarshal(a, []byte(`{"X": {"a" : 1} ,"P":"p","L":[1,2],"R":"r\u00e9f","r":null}`), &v); err != nil {
		t.Fatal(err)
	}
	if v.X.Text != `{"a" : 1}` || v.P.Text != `"p"` || v.L[1].Text != "2" || v.L[1].Arena != a || v.R.Get(s) != "réf" {
		t.Errorf("%+v", v)
	}
	if err := arenajson.Unmarshal(a, []byte(`{"X":"wrong"}`), &v); err == nil || err.Error() != "it is wrong" {
		t.Errorf("the error is %v", err)
	}
	if err := arenajson.Unmarshal(nil, []byte(`{"R":"r"}`), new(all)); err == nil {
		t.Error("there is a ref.String on the heap")
	}
	if err := arenajson.Unmarshal(a, []byte(`{"X":1,`), &v); err == nil || v.X.Text != `{"a" : 1}` {
		t.Errorf("%v, %+v", err, v.X)
	}
}

// TestAliasInput proves where text lies.
func TestAliasInput(t *testing.T) {
	in := []byte(`{"b":"text","K":12.5,"L":[1, 2],"f":["any","\u0061"]}`)
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for _, alias := range []bool{false, true} {
			data := append([]byte(nil), in...)
			var got, want small
			if err := (arenajson.UnmarshalOptions{AliasInput: alias}).Unmarshal(a, data, &got); err != nil {
				t.Fatal(err)
			}
			for i, c := range data {
				if c >= 'a' && c < 'z' {
					data[i]++
				}
			}
			if alias {
				json.Unmarshal([]byte(`{"b":"ufyu","K":12.5,"L":[1, 2],"f":["boz","\u0061"]}`), &want)
			} else {
				json.Unmarshal(in, &want)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("alias %v: %+v, want %+v", alias, got, want)
			}
		}
	}
}

// TestBoxes proves that values in interfaces are what the compiler makes, and that they take no
// memory of the heap.
func TestBoxes(t *testing.T) {
	in := []byte(`["text",1.5,[1],[],12345,"",true,null]`)
	a := arena.NewArena()
	var v any
	for _, o := range []arenajson.UnmarshalOptions{{}, {UseNumber: true}} {
		allocs := testing.AllocsPerRun(100, func() {
			v = nil
			o.Unmarshal(a, in, &v)
			a.Reset()
		})
		o.Unmarshal(a, in, &v)
		if list, ok := v.([]any); !ok || list[0].(string) != "text" || allocs > 0 && !watched {
			t.Errorf("%v, with %v allocations", v, allocs)
		}
		v = nil
		a.Reset()
	}
}

// TestPanics proves that a decoder is good for the next document when a method has panicked.
func TestPanics(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for range 10 {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("there is no panic")
					}
				}()
				arenajson.Unmarshal(a, []byte(`{"a":[{"x":1},{"x":2,"p":0}]}`), new(map[string][]panics))
			}()
			compare(t, a, arenajson.UnmarshalOptions{}, reflect.TypeFor[map[string][]panics](), nil, []byte(`{"b":[{},{},{},{}],"c":[{"x":1}]}`))
		}
	}
}

type panics struct {
	X int
	P panicking
}

type panicking struct{ X int }

func (*panicking) UnmarshalJSON([]byte) error { panic("as the test wants") }

// TestUnknownNames reads names of no field, of all lengths.
func TestUnknownNames(t *testing.T) {
	for n := range 40 {
		for _, c := range "aFé\u212aſ" {
			in := fmt.Sprintf(`{"%s":1,"F0%d":2,"f01":3}`, strings.Repeat(string(c), n), n)
			for _, typ := range []reflect.Type{reflect.TypeFor[many](), reflect.TypeFor[folds](), reflect.TypeFor[struct{}](), reflect.TypeFor[struct{ F, K, S int }]()} {
				compare(t, nil, arenajson.UnmarshalOptions{}, typ, nil, []byte(in))
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	types := writtenTypes()
	for i, in := range []string{`{"a":1}`, `[1,2.5e3,"x\u00e9",null,{"k":[true]}]`, `"\ud83d\ude00"`, ` {"F":{"x":{"ID":5}}} `, `{"H":{"a":{"a":1}},"g":[{}]}`} {
		f.Add(uint(i), []byte(in), []byte(""))
		f.Add(uint(i+5), []byte(in), []byte(in))
	}
	f.Fuzz(func(t *testing.T, typ uint, in, before []byte) {
		a := arena.NewArena()
		if len(before) == 0 {
			before = nil
		}
		compare(t, a, arenajson.UnmarshalOptions{AliasInput: typ&64 > 0}, types[typ%uint(len(types))], before, in)
		compare(t, nil, arenajson.UnmarshalOptions{}, types[typ%uint(len(types))], before, in)
	})
}
