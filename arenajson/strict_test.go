package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type strictPort struct {
	Name string `json:"name"`
	Port int32  `json:"containerPort,omitempty"`
}

type strictMeta struct {
	Labels map[string]string `json:"labels"`
}

type strictPod struct {
	strictMeta `json:",inline"`
	Meta       *strictMeta           `json:"metadata"`
	Ports      []strictPort          `json:"ports"`
	Two        [2]strictPort         `json:"two"`
	ByName     map[string]strictPort `json:"byName"`
	Extra      any                   `json:"extra"`
	Raw        json.RawMessage       `json:"raw"`
	Text       int64                 `json:"text,string"`
}

// TestUnmarshalStrict checks what is said of names.
func TestUnmarshalStrict(t *testing.T) {
	for _, test := range []struct {
		in   string
		want string
	}{
		{`{}`, ``},
		{`{"metadata": {"labels": {"a": "b"}}, "ports": [{"name": "x"}], "extra": {"a": [1, {"b": 2}]}}`, ``},
		{`{"Metadata": null, "x": {"y": 1, "y": 2}, "x": 3}`, `unknown field "Metadata"; unknown field "x"`},
		{`{"metadata": {"labels": {"a": "b", "a": "c"}, "lab\u0065ls": {}, "more": 1}}`,
			`duplicate field "metadata.labels.a"; duplicate field "metadata.labels"; unknown field "metadata.more"`},
		{`{"ports": [{"name": "x", "name": "y"}, {"x": 1}, {"x": 2}, {"x": 3, "x": 4}]}`,
			`duplicate field "ports[0].name"; unknown field "ports[1].x"; unknown field "ports[2].x"; unknown field "ports[3].x"`},
		{`{"two": [{}, {"x": 1}, {"y": 1}]}`, `unknown field "two[1].x"`},
		{`{"byName": {"a.b": {"x": 1}, "a.b": {"name": ""}}}`, `unknown field "byName.a.b.x"; duplicate field "byName.a.b"`},
		{`{"extra": {"a": [1, {"b": 2, "b": [{"c": 1, "c": 1}]}]}, "extra": {"a": 1, "a": 2}}`,
			`duplicate field "extra.a[1].b"; duplicate field "extra.a[1].b[0].c"; duplicate field "extra"; duplicate field "extra.a"`},
		{`{"raw": {"a": 1, "a": 2}, "text": "5", "text": "6"}`, `duplicate field "text"`},
		{`{"` + strings.Repeat(`x": 1, "`, 3) + `\n": 2}`, `unknown field "x"; unknown field "\n"`},
		{`null`, ``},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			o := arenajson.UnmarshalOptions{CaseSensitiveNames: true, PreserveInts: true}
			var got, want strictPod
			strict, err := o.UnmarshalStrict(a, []byte(test.in), &got)
			if err != nil {
				t.Errorf("%s: %v", test.in, err)
				continue
			}
			var texts []string
			for _, e := range strict {
				texts = append(texts, e.Error())
				if s, ok := e.(interface{ FieldPath() string }); !ok || !strings.Contains(e.Error(), fmt.Sprintf("%q", s.FieldPath())) {
					t.Errorf("%s: %T %v has no path", test.in, e, e)
				}
			}
			if text := strings.Join(texts, "; "); text != test.want {
				t.Errorf("%s:\n%s\nwant\n%s", test.in, text, test.want)
			}
			if err := o.Unmarshal(nil, []byte(test.in), &want); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, Unmarshal: %+v %v", test.in, got, want, err)
			}
		}
	}
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, `,"x%d":1`, i)
	}
	if strict, err := (arenajson.UnmarshalOptions{}).UnmarshalStrict(nil, []byte("{"+many.String()[1:]+"}"), new(strictPod)); err != nil || len(strict) != 100 {
		t.Error(len(strict), err)
	}
	for _, in := range []string{``, `{"x": 1`, `{"x": 1, "ports": 3}`} {
		strict, err := arenajson.UnmarshalOptions{}.UnmarshalStrict(nil, []byte(in), new(strictPod))
		if err == nil || strict != nil {
			t.Errorf("%s: %v, %v", in, strict, err)
		}
	}
	if _, err := (arenajson.UnmarshalOptions{}).UnmarshalStrict(nil, []byte(`{}`), nil); err == nil {
		t.Error("decoded into nothing")
	}
	e := &arenajson.StrictError{Path: "a"}
	e.SetFieldPath("b")
	if e.Error() != `unknown field "b"` || e.FieldPath() != "b" {
		t.Error(e)
	}
}

// intsOf is what PreserveInts makes of a document, from what encoding/json makes of it with
// UseNumber.
func intsOf(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = intsOf(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = intsOf(v[k])
		}
	}
	return v
}

// faced is decoded by encoding/json if its interface has a pointer, or if it is odd.
type faced struct {
	A    any
	List []any
	Maps map[string]map[string]any
	In   struct{ B any }
	Ptr  *struct{ C any }
	Num  json.Number
}

// TestPreserveInts compares with what encoding/json makes with UseNumber.
func TestPreserveInts(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 3))
	numbers := strings.Fields("0 -0 1 -1 255 256 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 1.0 -0.0 1e3 1E0 0.5 12345678901234567890123 1e308")
	var value func(depth int) string
	value = func(depth int) string {
		switch n := r.IntN(8); {
		case n == 0 && depth < 4:
			return fmt.Sprintf("[%s, %s]", value(depth+1), value(depth+1))
		case n == 1 && depth < 4:
			return fmt.Sprintf(`{"a": %s, "b": %s}`, value(depth+1), value(depth+1))
		case n == 2:
			return `"text"`
		}
		return numbers[r.IntN(len(numbers))]
	}
	a := arena.NewArena()
	o := arenajson.UnmarshalOptions{PreserveInts: true}
	std := func(in string, v any) {
		d := json.NewDecoder(strings.NewReader(in))
		d.UseNumber()
		if err := d.Decode(v); err != nil {
			t.Fatal(in, err)
		}
	}
	for range 2000 {
		in := value(0)
		var want any
		std(in, &want)
		want = intsOf(want)
		doc := fmt.Sprintf(`{"A": %s, "List": [%s], "Maps": {"x": {"y": %s}}, "In": {"B": %s}, "Ptr": {"C": %s}, "Num": 7}`, in, in, in, in, in)
		for _, a := range []*arena.Arena{nil, a} {
			for _, first := range []any{nil, new(any)} { // the second is left to encoding/json
				got := faced{A: first}
				if err := o.Unmarshal(a, []byte(doc), &got); err != nil {
					t.Fatal(doc, err)
				}
				if p, ok := got.A.(*any); ok {
					got.A = *p
				}
				for i, v := range []any{got.A, got.List[0], got.Maps["x"]["y"], got.In.B, got.Ptr.C} {
					if !reflect.DeepEqual(v, want) {
						t.Fatalf("%s: value %d is %#v, want %#v", in, i, v, want)
					}
				}
				if got.Num != "7" {
					t.Fatal(got.Num)
				}
			}
		}
		a.Reset()
	}
	// UseNumber goes before it, numbers that no float64 holds are errors, and so is what does not
	// fit.
	var v any
	both := arenajson.UnmarshalOptions{PreserveInts: true, UseNumber: true}
	if err := both.Unmarshal(a, []byte(`1`), &v); err != nil || v != json.Number("1") {
		t.Errorf("%#v %v", v, err)
	}
	for _, in := range []string{`[1e999]`, `[1, 1e999]`} {
		var e *json.UnmarshalTypeError
		if err := o.Unmarshal(a, []byte(in), &v); !errors.As(err, &e) || e.Value != "number 1e999" {
			t.Errorf("%s: %v", in, err)
		}
	}
	var f faced
	if err := o.Unmarshal(a, []byte(`{"A": 5, "List": 3}`), &f); err == nil || f.A != int64(5) {
		t.Errorf("%#v %v", f.A, err)
	}
}
