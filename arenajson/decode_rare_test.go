package arenajson_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// These types have methods that do what methods must not do.

// hook is what the methods call, unless it is nil.
var hook func(b []byte)

type (
	hookJSON  struct{}
	hookArena struct{}
	hookText  struct{}
	hookKey   string
	hookInner struct{}
	hooked    struct {
		A string
		J *hookJSON
		R *hookArena
		T *hookText
		M map[hookKey]string
		I *hookInner
		B string
		L []string
	}
)

func hooks(b []byte) error {
	if hook != nil {
		hook(b)
	}
	return nil
}

func (*hookJSON) UnmarshalJSON(b []byte) error                       { return hooks(b) }
func (*hookArena) UnmarshalJSON(b []byte) error                      { return hooks(b) }
func (*hookArena) UnmarshalJSONArena(_ *arena.Arena, b []byte) error { return hooks(b) }
func (*hookText) UnmarshalText(b []byte) error                       { return hooks(b) }
func (*hookKey) UnmarshalText(b []byte) error                        { return hooks(b) }
func (*hookInner) UnmarshalJSON(b []byte) error                      { return hooks(b) }
func (*hookInner) UnmarshalJSONArena(a *arena.Arena, b []byte) (err error) {
	defer func() { recover() }() // the one around has to notice it all the same
	return arenajson.Unmarshal(a, []byte(`{"J":1,"B":"inner"}`), new(hooked))
}

// TestMethodEndsArena has methods end the arena that is decoded into: with the document in the
// arena, and elsewhere. What lies there from then on must not be taken for the document.
func TestMethodEndsArena(t *testing.T) {
	long := strings.Repeat("text ", 100)
	for what, end := range map[string]func(p *arena.Pool, a *arena.Arena){
		"Reset": func(_ *arena.Pool, a *arena.Arena) { a.Reset() }, "Free": func(_ *arena.Pool, a *arena.Arena) { a.Free() }, "Put": (*arena.Pool).Put,
		"Rewind": func(_ *arena.Pool, a *arena.Arena) { a.Rewind(a.Mark()) },
	} {
		for _, field := range []string{`"J":{}`, `"R":[0]`, `"T":"t"`, `"M":{"key":"value"}`, `"I":1`} {
			for _, text := range []string{"short", long} {
				doc := fmt.Sprintf(`{"A":%q,%s,"B":%q,"L":["last"]}`, text, field, text)
				p := &arena.Pool{}
				a := p.Get()
				hook = nil
				for range 20 { // so that the share of text is known
					compare(t, a, arenajson.UnmarshalOptions{}, reflect.TypeFor[hooked](), nil, []byte(doc))
					a.Reset()
				}
				hook = func([]byte) {
					if end(p, a); what == "Reset" {
						for range 100 {
							arena.String(a, strings.Repeat(`,"B":"x`, 100))
						}
					}
				}
				var v hooked
				got := func() (r any) {
					defer func() { r = recover() }()
					return arenajson.Unmarshal(a, []byte(doc), &v)
				}()
				want := "arena: an arena is used after "
				if what == "Reset" || what == "Rewind" {
					want = "arenajson: a method of "
				}
				if s := fmt.Sprint(got); !strings.HasPrefix(s, want) {
					t.Errorf("%s in %s: %v, %d bytes", what, field, got, len(v.B))
				}
				hook = nil
				if what == "Free" || what == "Put" {
					a = p.Get()
				}
				compare(t, a, arenajson.UnmarshalOptions{}, reflect.TypeFor[hooked](), nil, []byte(doc))
			}
		}
	}
}

// TestMethodKeepsBytes has a method keep bytes, and write to them while a later document is
// decoded, which is not damaged.
func TestMethodKeepsBytes(t *testing.T) {
	defer func() { hook = nil }()
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for _, c := range []byte(` "{[1,:x`) {
			var kept []byte
			hook = func(b []byte) { kept = b }
			if err := arenajson.Unmarshal(a, fmt.Appendf(nil, `{"A":"","J":"%0800d"}`, 0), new(hooked)); err != nil {
				t.Fatal(err)
			}
			hook = func([]byte) {
				for i := range kept {
					kept[i] = c
				}
			}
			var v hooked
			got := func() (r any) {
				defer func() { r = recover() }()
				return arenajson.Unmarshal(a, []byte(`{"A":"first","J":2,"B":"second"}`), &v)
			}()
			if got != nil || v.A != "first" || v.B != "second" {
				t.Errorf("%q: %v, %+v", c, got, v)
			}
		}
	}
}

// TestMethodWrites has a method write to all of the document that is being decoded. That is
// noticed, and must not take away the zeros behind the text.
func TestMethodWrites(t *testing.T) {
	defer func() { hook = nil }()
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for _, c := range []byte(` "{[1,:x`) {
			doc := fmt.Appendf(nil, `{"A":"first","J":"%0800d","B":"second"}`, 0)
			hook = func([]byte) {
				for i := range doc {
					doc[i] = c
				}
			}
			var v hooked
			got := func() (r any) {
				defer func() { r = recover() }()
				return arenajson.Unmarshal(a, doc, &v)
			}()
			if s := fmt.Sprint(got); !strings.HasPrefix(s, "arenajson: the input changed ") || v.A != "first" || v.B != "" {
				t.Errorf("%q: %v, %+v", c, got, v)
			}
		}
	}
}

// A linked has an UnmarshalJSON that keeps its receiver: what is below it leads back to it.
type linked struct {
	Name  string
	Kids  []*linked
	Texts map[string]*linkedText
	Up    *linked `json:"-"`
}

func (l *linked) UnmarshalJSON(b []byte) error {
	type plain linked
	err := json.Unmarshal(b, (*plain)(l))
	for _, k := range l.Kids {
		k.Up = l
	}
	return err
}

// A linkedText has an UnmarshalText that does so.
type linkedText struct {
	Text string
	Self *linkedText
}

func (l *linkedText) UnmarshalText(b []byte) error {
	l.Text, l.Self = string(b), l
	return nil
}

// A linkedKey is a key of maps that does so.
type linkedKey struct{ Text, _ *string }

func (l *linkedKey) UnmarshalText(b []byte) error {
	s := string(b)
	l.Text = &s
	linkedKeys = append(linkedKeys, l)
	return nil
}

var linkedKeys []*linkedKey

// TestMethodKeepsReceiver has methods keep pointers to the values that they decode, wherever these
// lie. With encoding/json they see what was decoded, and so they do here, also when other documents
// were decoded meanwhile.
func TestMethodKeepsReceiver(t *testing.T) {
	type in struct {
		N linked
		T [1]linkedText
	}
	type all struct {
		Slice   []in
		Slices  [][2]in
		Map     map[string]in
		Nodes   map[int]linked
		Direct  []linked
		Array   [1]in
		Pointer *in
		Any     map[string][]map[uint8]in
		Keys    map[linkedKey]int
	}
	names := func(v *all) (list []string) {
		add := func(of ...in) {
			for _, x := range of {
				list = append(list, x.N.Kids[0].Up.Name, x.N.Kids[0].Up.Kids[0].Name, x.T[0].Self.Text)
			}
		}
		add(v.Slice...)
		add(v.Slices[0][:]...)
		add(v.Map["x"], v.Array[0], *v.Pointer, v.Any["a"][0][1])
		for _, l := range []linked{v.Nodes[1], v.Direct[0]} {
			list = append(list, l.Kids[0].Up.Name)
		}
		return list
	}
	document := func(name string) []byte {
		node := fmt.Sprintf(`{"Name":%q,"Kids":[{"Name":"kid of %s"}]}`, name, name)
		x := fmt.Sprintf(`{"N":%s,"T":["text of %s"]}`, node, name)
		return fmt.Appendf(nil, `{"Slice":[%[1]s],"Slices":[[%[1]s,%[1]s]],"Map":{"x":%[1]s},"Nodes":{"1":%[2]s},"Direct":[%[2]s],"Array":[%[1]s],"Pointer":%[1]s,"Any":{"a":[{"1":%[1]s}]},"Keys":{%[3]q:1}}`, x, node, name)
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		var first, other, want all
		if err := json.Unmarshal(document("first"), &want); err != nil {
			t.Fatal(err)
		}
		linkedKeys = nil
		for range 3 {
			for _, v := range []*all{&first, &other} {
				if *v = (all{}); v == &other {
					arenajson.Unmarshal(a, document("other")[:500], v) // it ends too early
				}
				if err := arenajson.Unmarshal(a, document(map[*all]string{&first: "first", &other: "other"}[v]), v); err != nil {
					t.Fatal(err)
				}
			}
			if got := names(&first); !reflect.DeepEqual(got, names(&want)) {
				t.Errorf("%q,\nwant %q", got, names(&want))
			}
		}
		for i, k := range linkedKeys {
			if s := k.Text; s == nil || *s != []string{"first", "other"}[i%2] {
				t.Errorf("key %d is %v", i, s)
			}
		}
		if p := first.Slice[0].N.Kids[0].Up; a == nil && p != &first.Slice[0].N {
			t.Error("the receiver was not the element of the slice")
		}
	}
}

// TestBytesAgain decodes bytes several times into the same fields, as text and as arrays, some of
// whose elements are null: then it shows which memory a slice had before.
func TestBytesAgain(t *testing.T) {
	type letter byte
	type bytes struct {
		A []byte
		B []letter
		C [][]byte
		D *[]byte
		E [3]byte
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 7))
	list := func() string {
		all := make([]string, r.IntN(12))
		for i := range all {
			all[i] = []string{"null", "7", "65"}[r.IntN(3)]
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	value := func() string {
		switch r.IntN(8) {
		case 0:
			return "null"
		case 1:
			return `""`
		case 2:
			return `"AQI?"`
		case 3, 4:
			return list()
		case 5:
			return `"AQ\nID\r\nBA=="`
		}
		return strconv.Quote(base64.StdEncoding.EncodeToString(make([]byte, r.IntN(12))))
	}
	document := func() []byte {
		all := make([]string, 2+r.IntN(6))
		for i := range all {
			switch name := "ABCDE"[r.IntN(5)]; name {
			case 'C':
				all[i] = `"C":[` + value() + "," + value() + "]"
			default:
				all[i] = strconv.Quote(string(name)) + ":" + value()
			}
		}
		return []byte("{" + strings.Join(all, ",") + "}")
	}
	a := arena.NewArena()
	for range 3000 {
		for _, a := range []*arena.Arena{nil, a} {
			if compare(t, a, arenajson.UnmarshalOptions{}, reflect.TypeFor[bytes](), document(), document()) {
				return
			}
		}
		a.Reset()
	}
}

// TestMethodAtLimit has a method decode something for which the arena may not grow, and go on. What
// is decoded behind that goes into memory that there is, and not into a block that there is not.
func TestMethodAtLimit(t *testing.T) {
	defer func() { hook = nil }()
	var words []string
	for i := range 200 {
		words = append(words, fmt.Sprint("word ", i))
	}
	list, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	doc := []byte(`{"A":"first","J":1,"B":"second","L":["a","b","c"]}`)
	gone, refused := 0, 0
	for limit := int64(500); limit < 20_000; limit += 20 {
		a := arena.NewWith(arena.Options{Limit: limit})
		hook = func([]byte) {
			var inner []string
			if arena.Try(func() { err = arenajson.Unmarshal(a, list, &inner) }) != nil {
				gone++
			} else if err != nil || !slices.Equal(inner, words) {
				t.Errorf("limit %d: %v, %q", limit, err, inner)
			}
		}
		var v hooked
		if arena.Try(func() { err = arenajson.Unmarshal(a, doc, &v) }) != nil {
			refused++
		} else if err != nil || v.A != "first" || v.B != "second" || strings.Join(v.L, "") != "abc" {
			t.Fatalf("limit %d: %v, %+v", limit, err, v)
		}
	}
	if gone < 100 || refused > 900 {
		t.Errorf("%d limits were too low for a method, and %d for the rest", gone, refused)
	}
}
