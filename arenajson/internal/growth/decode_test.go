package growth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/growth"
)

var errFails = errors.New("it fails")

// A fails has methods that fail.
type fails struct{}

func (*fails) UnmarshalJSON([]byte) error { growth.Call(); return errFails }

// A failsText has such a method for text, which may be a key as well.
type failsText string

func (*failsText) UnmarshalText([]byte) error { growth.Call(); return errFails }

// A raw has a method that keeps a copy of its text.
type raw []byte

func (r *raw) UnmarshalJSON(b []byte) error { growth.Call(); *r = append((*r)[:0], b...); return nil }

// A rawArena has a method that keeps a copy of its text in the arena.
type rawArena string

func (r *rawArena) UnmarshalJSON(b []byte) error { growth.Call(); *r = rawArena(b); return nil }

func (r *rawArena) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	growth.Call()
	*r = rawArena(arena.String(a, b))
	return nil
}

// A text has a method for text.
type text string

func (r *text) UnmarshalText(b []byte) error { growth.Call(); *r = text(b); return nil }

// A tree can be deep, and long, in each of its fields.
type tree struct {
	Left  *tree              `json:"l"`
	List  []tree             `json:"list"`
	Ptrs  []*tree            `json:"ptrs"`
	Map   map[string]*tree   `json:"m"`
	Vals  map[string]big10   `json:"v"`
	Any   any                `json:"a"`
	Arr   [2]*tree           `json:"arr"`
	ID    int                `json:"id"`
	Name  string             `json:"name"`
	Fails *fails             `json:"fails"`
	Text  failsText          `json:"ft"`
	Keys  map[failsText]int  `json:"fk"`
	Raw   raw                `json:"raw"`
	RawA  rawArena           `json:"rawa"`
	Msg   json.RawMessage    `json:"msg"`
	Bytes []byte             `json:"b"`
	Time  time.Time          `json:"t"`
	Ints  map[int]int        `json:"ints"`
	Addrs map[netip.Addr]int `json:"addrs"`
	Texts map[text]text      `json:"texts"`
	Str   int                `json:"s,string"`
	Iface interface{ M() }   `json:"i"`
}

// A big10 is a tree with many other fields, like types of schemas.
type big10 struct {
	Vals map[string]big10 `json:"v"`
	ID   int              `json:"id"`
	Left *big10           `json:"l"`
	Rest [60]int64        `json:"-"`
	Fail *fails           `json:"fails"`
	Map  map[string]any   `json:"m"`
}

// A family is documents of some shape, and a Go type for them.
type family struct {
	name  string
	new   func() any
	shape growth.Shape
	bad   map[string]string // what is wrong if it replaces a Fill
}

// syntax is wrong everywhere.
const syntax = `tru `

func target[T any]() func() any { return func() any { return new(T) } }

var (
	badField = map[string]string{"syntax": syntax, "type": `"id":"x",`, "method": `"fails":1,`, "text": `"ft":"x",`, "key": `"fk":{"x":1},`}
	badName  = map[string]string{"syntax": syntax, "type": `"x":5,`}
)

var families = []family{
	{"any/list", target[any](), growth.Shape{Open: `[`, Fill: `0,`, Leaf: `1`, Close: `]`}, map[string]string{"syntax": syntax, "escape": `"\x",`}},
	{"any/text", target[any](), growth.Shape{Open: `[`, Fill: `"some text","é\n",`, Leaf: `""`, Close: `]`}, nil},
	{"any/objects", target[any](), growth.Shape{Open: `{`, Fill: `"x":{},`, Leaf: `"a":1`, Close: `}`}, nil},
	{"any/repeated", target[any](), growth.Shape{Open: `{"a":{`, Fill: `"x":{},`, Leaf: `"y":1`, Close: `}}`}, map[string]string{"syntax": syntax}},
	{"any/repeated/list", target[any](), growth.Shape{Open: `{"a":{`, Fill: `"x":[1,2,3],`, Leaf: `"y":1`, Close: `}}`}, nil},
	{"any/doubled", target[any](), growth.Shape{Open: `{"a":`, Leaf: `{}`, Close: `,"a":1}`}, nil},
	{"map/any/repeated", target[map[string]any](), growth.Shape{Open: `{"a":{`, Fill: `"x":{},`, Leaf: `"y":1`, Close: `}}`}, nil},
	{"map/map/repeated", target[map[string]map[string]any](), growth.Shape{Open: `{"a":{`, Fill: `"x":{"y":{"z":1}},`, Leaf: `"y":1`, Close: `}}`}, nil},
	{"tree/left", target[tree](), growth.Shape{Open: `{"l":{`, Fill: `"id":1,`, Leaf: `"id":2`, Close: `}}`}, badField},
	{"tree/left/doubled", target[tree](), growth.Shape{Open: `{"l":{"l":{},`, Fill: `"id":1,`, Leaf: `"id":2`, Close: `}}`}, nil},
	{"tree/left/unknown", target[tree](), growth.Shape{Open: `{"l":{`, Fill: `"zz":[1,{"y":2}],`, Leaf: `"id":2`, Close: `}}`}, badField},
	{"tree/left/unknown/deep", target[tree](), growth.Shape{Open: `{"zz":`, Leaf: `1`, Close: `}`}, nil},
	{"tree/left/case", target[tree](), growth.Shape{Open: `{"L":{`, Fill: `"ID":1,"Name":"x",`, Leaf: `"id":2`, Close: `}}`}, nil},
	{"tree/left/null", target[tree](), growth.Shape{Open: `{"l":{`, Fill: `"m":null,"list":null,"l":null,`, Leaf: `"id":2`, Close: `}}`}, nil},
	{"tree/list", target[tree](), growth.Shape{Open: `{"list":[`, Fill: `{},`, Leaf: `{}`, Close: `]}`}, map[string]string{"syntax": syntax, "type": `1,`, "method": `{"fails":1},`}},
	{"tree/list/doubled", target[tree](), growth.Shape{Open: `{"list":[{},{}],"list":[`, Fill: `{"id":1},`, Leaf: `{}`, Close: `]}`}, nil},
	{"tree/list/again", target[tree](), growth.Shape{Open: `{`, Fill: `"list":[{"id":1}],`, Leaf: `"list":[{},{}]`, Close: `}`}, nil},
	{"tree/pointers", target[tree](), growth.Shape{Open: `{"ptrs":[`, Fill: `{},`, Leaf: `{}`, Close: `]}`}, map[string]string{"type": `1,`, "method": `{"fails":1},`}},
	{"tree/array", target[tree](), growth.Shape{Open: `{"arr":[`, Leaf: `{}`, Close: `,{},{},{}]}`}, nil},
	{"tree/map", target[tree](), growth.Shape{Open: `{"m":{`, Fill: `"x":{},`, Leaf: `"y":{}`, Close: `}}`}, badName},
	{"tree/map/deep", target[tree](), growth.Shape{Open: `{"m":{"k":{`, Fill: `"id":1,`, Leaf: `"id":2`, Close: `}}}`}, badField},
	{"tree/values/deep", target[tree](), growth.Shape{Open: `{"v":{"k":{`, Fill: `"id":1,`, Leaf: `"id":2`, Close: `}}}`}, map[string]string{"method": `"fails":1,`}},
	{"tree/map/again", target[tree](), growth.Shape{Open: `{`, Fill: `"m":{"k":{"id":1}},`, Leaf: `"id":2`, Close: `}`}, nil},
	{"schema/repeated", target[big10](), growth.Shape{Open: `{"v":{"a":{"v":{`, Fill: `"x":{},`, Leaf: `"y":{}`, Close: `}}}}`}, badName},
	{"schema/map/repeated", target[big10](), growth.Shape{Open: `{"v":{"a":{"m":{`, Fill: `"x":[],`, Leaf: `"y":{}`, Close: `}}}}`}, nil},
	{"raw", target[[]raw](), growth.Shape{Open: `[`, Fill: `{"x":1},`, Leaf: `1`, Close: `]`}, nil},
	{"raw/arena", target[[]rawArena](), growth.Shape{Open: `[`, Fill: `{"x":1},`, Leaf: `1`, Close: `]`}, nil},
	{"message", target[[]json.RawMessage](), growth.Shape{Open: `[`, Fill: `{"x":1},`, Leaf: `1`, Close: `]`}, map[string]string{"syntax": syntax}},
	{"message/deep", target[json.RawMessage](), growth.Shape{Open: `[`, Leaf: `1`, Close: `]`}, nil},
	{"texts", target[tree](), growth.Shape{Open: `{"texts":{`, Fill: `"x":"y",`, Leaf: `"x":"z"`, Close: `}}`}, nil},
	{"times", target[[]time.Time](), growth.Shape{Open: `[`, Fill: `"2024-01-02T03:04:05Z",`, Leaf: `"2024-01-02T03:04:05Z"`, Close: `]`}, map[string]string{"method": `"x",`}},
	{"keys/int", target[tree](), growth.Shape{Open: `{"ints":{`, Fill: `"1":2,`, Leaf: `"3":4`, Close: `}}`}, map[string]string{"key": `"x":1,`}},
	{"keys/text", target[tree](), growth.Shape{Open: `{"addrs":{`, Fill: `"1.2.3.4":2,`, Leaf: `"::1":4`, Close: `}}`}, map[string]string{"key": `"x":1,`}},
	{"bytes", target[[][]byte](), growth.Shape{Open: `[`, Fill: `"aGVsbG8=",`, Leaf: `null`, Close: `]`}, map[string]string{"type": `"_",`}},
	{"strings/escaped", target[[]string](), growth.Shape{Open: `[`, Fill: `"\u00e9\ud83d\ude00\n",`, Leaf: `""`, Close: `]`}, map[string]string{"syntax": `"\ud`}},
	{"strings/broken", target[[]string](), growth.Shape{Open: `[`, Fill: "\"\xff\xfe\\ud83d\",", Leaf: `""`, Close: `]`}, nil},
	{"string/long", target[string](), growth.Shape{Open: `"`, Fill: `some text`, Close: `"`}, map[string]string{"syntax": `\x`}},
	{"string/long/escaped", target[string](), growth.Shape{Open: `"`, Fill: `\n\u00e9`, Close: `"`}, nil},
	{"number/long", target[float64](), growth.Shape{Open: `0.`, Fill: `0`, Leaf: `1`}, nil},
	{"number/any", target[any](), growth.Shape{Open: `0.0`, Fill: `01`}, nil},
	{"space", target[any](), growth.Shape{Open: `[`, Fill: " \n\t  ", Leaf: `1`, Close: `]`}, map[string]string{"syntax": `x`}},
	{"unknown/interface", target[tree](), growth.Shape{Open: `{`, Fill: `"i":null,`, Leaf: `"i":null`, Close: `}`}, map[string]string{"type": `"i":1,`}},
	{"quoted", target[tree](), growth.Shape{Open: `{`, Fill: `"s":"1",`, Leaf: `"s":"2"`, Close: `}`}, map[string]string{"type": `"s":"x",`}},
}

// many are documents with as many of the same name on each level as wait on the side.
func many(open string) growth.Shape {
	return growth.Shape{Open: open + strings.Repeat(`"":{},`, 254) + `"a":`, Leaf: `{}`, Close: strings.Repeat("}", strings.Count(open, "{"))}
}

// decodeRows are all families, in all forms that they have, without a mistake and with each at each
// place.
func decodeRows() (rows []growth.Row) {
	for _, f := range families {
		for _, form := range growth.Forms {
			switch {
			case form != growth.Deep && f.shape.Fill == "", // it cannot be long
				form != growth.Long && f.shape.Close == "",
				form != growth.Long && !nests(f):
				continue
			}
			rows = append(rows, f.row(form, growth.Nowhere, ""))
			for name := range f.bad {
				for _, place := range []growth.Place{growth.Top, growth.Middle, growth.Bottom} {
					if place == growth.Middle && form != growth.Deep {
						continue
					}
					rows = append(rows, f.row(form, place, name))
				}
			}
			if f.bad != nil {
				rows = append(rows, f.row(form, growth.End, "syntax"))
			}
		}
	}
	for _, f := range []family{
		{"any/many of the same", target[any](), many(`{`), map[string]string{"syntax": syntax}},
		{"schema/many of the same", target[big10](), many(`{"v":{`), map[string]string{"syntax": syntax}},
		{"schema/map/many of the same", target[big10](), many(`{"m":{`), nil},
	} {
		for _, place := range []growth.Place{growth.Nowhere, growth.Bottom} {
			if place == growth.Nowhere || f.bad != nil {
				row := f.row(growth.Deep, place, "syntax")
				row.N, row.Max = 20, 400
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// nests tells whether a level may stand in a level.
func nests(f family) bool {
	return json.Unmarshal(f.shape.Doc(growth.Both, 9, growth.Nowhere, ""), f.new()) == nil
}

func (f family) row(form growth.Form, place growth.Place, bad string) growth.Row {
	name := f.name + "/" + string(form)
	if place != growth.Nowhere {
		name += "/" + bad + " at the " + string(place)
	}
	what := f.bad[bad]
	if place == growth.End {
		what = "x"
	}
	n := map[growth.Form]int{growth.Deep: 500, growth.Long: 1000, growth.Both: 1024}[form]
	return growth.Row{
		Name: name, N: n, Max: map[growth.Form]int{growth.Deep: 4000}[form],
		New: func(n int) growth.Work {
			doc := f.shape.Doc(form, n, place, what)
			right := f.shape.Doc(form, n, growth.Nowhere, "")
			return decode(doc, right, f.new, place != growth.Nowhere)
		},
	}
}

// decode decodes doc. If that has a mistake, the reference also decodes the document without:
// mistakes are found while decoding, and what was allocated until then is no more than for the
// right document.
func decode(doc, right []byte, target func() any, fails bool) growth.Work {
	want := func(err error) {
		if (err != nil) != fails {
			panic(fmt.Sprintf("%v, and wanted an error: %t", err, fails))
		}
	}
	a, v, u := arena.NewArena(), target(), target()
	return growth.Work{
		Input: len(doc),
		Reference: func() {
			want(json.Unmarshal(doc, v))
			if fails {
				json.Unmarshal(right, u)
			}
		},
		Ours: []growth.Way{
			{Name: "heap", Do: func() { want(arenajson.Unmarshal(nil, doc, v)) }},
			{Name: "arena", Arena: true, Do: func() { want(arenajson.Unmarshal(a, doc, v)) }},
		},
	}
}
