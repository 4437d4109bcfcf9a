package growth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing/iotest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/growth"
)

// A node has methods that encode and decode with encoding/json, and kin has the same that do it
// with arenajson.
type node struct {
	Value float64 `json:"v"`
	Text  string  `json:"t"`
	Kids  []*node `json:"k"`
}

func (n *node) MarshalJSON() ([]byte, error) {
	growth.Call()
	type plain node
	return json.Marshal((*plain)(n))
}

func (n *node) UnmarshalJSON(b []byte) error {
	growth.Call()
	type plain node
	return json.Unmarshal(b, (*plain)(n))
}

type ours struct {
	Value float64 `json:"v"`
	Text  string  `json:"t"`
	Kids  []*ours `json:"k"`
}

func (n *ours) MarshalJSON() ([]byte, error) {
	growth.Call()
	type plain ours
	return arenajson.Marshal(nil, (*plain)(n))
}

func (n *ours) UnmarshalJSON(b []byte) error {
	growth.Call()
	type plain ours
	return arenajson.Unmarshal(nil, b, (*plain)(n))
}

// inArena has the methods that are given an arena.
type inArena struct {
	Value float64    `json:"v"`
	Text  string     `json:"t"`
	Kids  []*inArena `json:"k"`
}

func (n *inArena) MarshalJSON() ([]byte, error) { return n.MarshalJSONArena(nil) }

func (n *inArena) UnmarshalJSON(b []byte) error { return n.UnmarshalJSONArena(nil, b) }

func (n *inArena) MarshalJSONArena(a *arena.Arena) ([]byte, error) {
	growth.Call()
	type plain inArena
	return arenajson.Marshal(a, (*plain)(n))
}

func (n *inArena) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	growth.Call()
	type plain inArena
	return arenajson.Unmarshal(a, b, (*plain)(n))
}

// streamed decodes and encodes with a Decoder and an Encoder.
type streamed struct {
	Value float64     `json:"v"`
	Text  string      `json:"t"`
	Kids  []*streamed `json:"k"`
}

func (n *streamed) MarshalJSON() ([]byte, error) {
	growth.Call()
	type plain streamed
	var b bytes.Buffer
	err := arenajson.NewEncoder(&b).Encode(nil, (*plain)(n))
	return b.Bytes(), err
}

func (n *streamed) UnmarshalJSON(b []byte) error {
	growth.Call()
	type plain streamed
	return arenajson.NewDecoder(bytes.NewReader(b)).Decode(nil, (*plain)(n))
}

// streamedStd does it with encoding/json's.
type streamedStd struct {
	Value float64        `json:"v"`
	Text  string         `json:"t"`
	Kids  []*streamedStd `json:"k"`
}

func (n *streamedStd) UnmarshalJSON(b []byte) error {
	growth.Call()
	type plain streamedStd
	return json.NewDecoder(bytes.NewReader(b)).Decode((*plain)(n))
}

// mixed has a method of encoding/json inside one of ours, in turns, by way of values that are not
// pointers.
type mixed struct {
	Value float64 `json:"v"`
	Text  string  `json:"t"`
	Kids  []mixed `json:"k"`
}

func (n mixed) MarshalJSON() ([]byte, error) {
	growth.Call()
	type plain mixed
	if len(n.Text)&1 == 0 {
		return json.Marshal(plain(n))
	}
	return arenajson.Append(nil, nil, plain(n))
}

func (n *mixed) UnmarshalJSON(b []byte) error {
	growth.Call()
	type plain mixed
	if len(b)&1 == 0 {
		return json.Unmarshal(b, (*plain)(n))
	}
	return arenajson.Unmarshal(nil, b, (*plain)(n))
}

// A texter has a method for text that encodes JSON.
type texter struct {
	Value float64 `json:"v"`
	Kid   *texter `json:"k"`
}

func (n *texter) MarshalText() ([]byte, error) {
	growth.Call()
	type plain struct {
		Value float64
		Kid   *texter
	}
	b, err := json.Marshal(plain{n.Value, n.Kid})
	return b[:len(b)/2], err // each level escapes the quotes of those below
}

type texterOurs struct {
	Value float64     `json:"v"`
	Kid   *texterOurs `json:"k"`
}

func (n *texterOurs) MarshalText() ([]byte, error) {
	growth.Call()
	type plain struct {
		Value float64
		Kid   *texterOurs
	}
	b, err := arenajson.Marshal(nil, plain{n.Value, n.Kid})
	return b[:len(b)/2], err
}

// thin, thinOurs and thinArena have short text, so that they can be deep.
type thin struct {
	Kid *thin `json:",omitempty"`
}

func (n *thin) MarshalJSON() ([]byte, error) {
	growth.Call()
	type plain thin
	return json.Marshal((*plain)(n))
}

type thinOurs struct {
	Kid *thinOurs `json:",omitempty"`
}

func (n *thinOurs) MarshalJSON() ([]byte, error) {
	growth.Call()
	type plain thinOurs
	return arenajson.Marshal(nil, (*plain)(n))
}

type thinArena struct {
	Kid *thinArena `json:",omitempty"`
}

func (n *thinArena) MarshalJSON() ([]byte, error) { return n.MarshalJSONArena(nil) }

func (n *thinArena) MarshalJSONArena(a *arena.Arena) ([]byte, error) {
	growth.Call()
	type plain thinArena
	return arenajson.Marshal(a, (*plain)(n))
}

// tower returns a document of n levels of methods, each with some text. wrong stands in one of
// them.
func tower(form growth.Form, n int, place growth.Place, wrong string) []byte {
	return growth.Shape{Open: `{"k":[`, Fill: `{"t":"some text"},`, Leaf: `{"v":1}`, Close: `]}`}.Doc(form, n, place, wrong)
}

// bottom returns a tower with n kB of text in the last level.
func bottom(n int) []byte {
	return slices.Concat(bytes.Repeat([]byte(`{"k":[`), n), []byte(`{"t":"`+strings.Repeat("text", 250*n)+`"}`), bytes.Repeat([]byte(`]}`), n))
}

// A bare has the same fields as those above, and no methods.
type bare struct {
	Value float64 `json:"v"`
	Text  string  `json:"t"`
	Kids  []*bare `json:"k"`
}

// spine returns levels with kids. The one at the place cannot be encoded.
func spine[T any](form growth.Form, n int, place growth.Place) *T {
	const mark = 12345
	from, to := new(bare), new(T)
	if err := json.Unmarshal(tower(form, n, place, fmt.Sprintf(`{"v":%d},`, mark)), from); err != nil {
		panic(err)
	}
	var fill func(to reflect.Value, from *bare)
	fill = func(to reflect.Value, from *bare) {
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		v := from.Value
		if v == mark {
			v = math.NaN()
		}
		to.FieldByName("Value").SetFloat(v)
		to.FieldByName("Text").SetString(from.Text)
		kids := to.FieldByName("Kids")
		kids.Set(reflect.MakeSlice(kids.Type(), len(from.Kids), len(from.Kids)))
		for i, kid := range from.Kids {
			fill(kids.Index(i), kid)
		}
	}
	fill(reflect.ValueOf(to).Elem(), from)
	return to
}

func must(err error, fails bool) {
	if (err != nil) != fails {
		panic(fmt.Sprintf("%v, and wanted an error: %t", err, fails))
	}
}

// methodRows have methods that call the package that calls them.
func methodRows() (rows []growth.Row) {
	places := []growth.Place{growth.Nowhere, growth.Top, growth.Middle, growth.Bottom}
	for _, form := range growth.Forms {
		n := map[growth.Form]int{growth.Deep: 40, growth.Long: 500, growth.Both: 400}[form]
		for _, place := range places {
			fails := place != growth.Nowhere
			name := string(form)
			if fails {
				name += "/error at the " + string(place)
			}
			rows = append(rows, growth.Row{Name: "encode/" + name, N: n, Max: 1200, New: func(n int) growth.Work {
				a := arena.NewArena()
				s, o, i, t, m := spine[node](form, n, place), spine[ours](form, n, place), spine[inArena](form, n, place), spine[streamed](form, n, place), spine[mixed](form, n, place)
				var out []byte
				marshal := func(b []byte, err error) { must(err, fails); out = b }
				_ = out
				right := tower(form, n, growth.Nowhere, "")
				return growth.Work{
					Input:     len(right),
					Reference: func() { marshal(json.Marshal(s)) },
					Ours: []growth.Way{
						{Name: "Marshal", Do: func() { marshal(arenajson.Marshal(nil, o)) }},
						{Name: "Append", Arena: true, Do: func() { marshal(arenajson.Append(a, nil, o)) }},
						{Name: "Marshal with methods of encoding json", Arena: true, Do: func() { marshal(arenajson.Marshal(a, s)) }},
						{Name: "Marshal in an arena", Arena: true, Do: func() { marshal(arenajson.Marshal(a, i)) }},
						{Name: "Marshal with an Encoder", Arena: true, Do: func() { marshal(arenajson.Marshal(a, t)) }},
						{Name: "Marshal of both", Arena: true, Do: func() { marshal(arenajson.Marshal(a, m)) }},
						{Name: "json.Marshal", Do: func() { marshal(json.Marshal(o)) }},
						{Name: "Encoder", Do: func() { must(arenajson.NewEncoder(io.Discard).Encode(a, o), fails) }},
						{Name: "Write", Do: func() { must(arenajson.Write(httptest.NewRecorder(), 200, o), fails) }},
					},
				}
			}})
			// Each level has a decoder of its own, of 4 to 10 kB when pools are empty, for 20 bytes
			// of text.
			decoders := map[growth.Measure]growth.Rule{growth.Bytes: {Times: 4, Input: 600, Slack: 32 << 10, Grow: 2}}
			rows = append(rows, growth.Row{Name: "decode/" + name, N: n, Max: 1200, Rules: decoders, New: func(n int) growth.Work {
				a := arena.NewArena()
				doc, right := tower(form, n, place, `1,`), tower(form, n, growth.Nowhere, "")
				var s, s2 node
				var o ours
				var i inArena
				var m mixed
				return growth.Work{
					Input: len(doc),
					Reference: func() {
						must(json.Unmarshal(doc, &s), fails)
						if fails {
							must(json.Unmarshal(right, &s2), false)
						}
					},
					Ours: []growth.Way{
						{Name: "Unmarshal", Do: func() { must(arenajson.Unmarshal(nil, doc, &o), fails) }},
						{Name: "Unmarshal with methods of encoding json", Arena: true, Do: func() { must(arenajson.Unmarshal(a, doc, &s), fails) }},
						{Name: "Unmarshal in an arena", Arena: true, Do: func() { must(arenajson.Unmarshal(a, doc, &i), fails) }},
						{Name: "Unmarshal of both", Arena: true, Do: func() { must(arenajson.Unmarshal(a, doc, &m), fails) }},
						{Name: "json.Unmarshal", Do: func() { must(json.Unmarshal(doc, &o), fails) }},
						{Name: "Decoder", Arena: true, Do: func() { must(arenajson.NewDecoder(bytes.NewReader(doc)).Decode(a, &o), fails) }},
					},
				}
			}})
		}
	}
	for name, doc := range map[string]func(n int) []byte{
		"deep":               func(n int) []byte { return tower(growth.Deep, n, growth.Nowhere, "") },
		"text at the bottom": bottom,
	} {
		rows = append(rows, growth.Row{Name: "decode with Decoders/" + name, N: 20, Max: 200, New: func(n int) growth.Work {
			doc := doc(n)
			var s streamedStd
			var t streamed
			return growth.Work{
				Input:     len(doc),
				Reference: func() { must(json.Unmarshal(doc, &s), false) },
				Ours:      []growth.Way{{Do: func() { must(arenajson.Unmarshal(nil, doc, &t), false) }}},
			}
		}})
	}
	rows = append(rows, growth.Row{Name: "encode/indented", N: 20, Max: 200, New: func(n int) growth.Work {
		s, o := spine[node](growth.Deep, n, growth.Nowhere), spine[ours](growth.Deep, n, growth.Nowhere)
		return growth.Ours(func() { arenajson.MarshalOptions{Indent: " "}.Marshal(nil, o) }, func() { json.MarshalIndent(s, "", " ") })
	}})
	// The text at the bottom is longer than all that is around it.
	rows = append(rows, growth.Row{Name: "decode/text at the bottom", N: 20, Max: 200, New: func(n int) growth.Work {
		a := arena.NewArena()
		doc := bottom(n)
		var s node
		var o ours
		var i inArena
		return growth.Work{
			Input:     len(doc),
			Reference: func() { must(json.Unmarshal(doc, &s), false) },
			Ours: []growth.Way{
				{Name: "Unmarshal", Do: func() { must(arenajson.Unmarshal(nil, doc, &o), false) }},
				{Name: "Unmarshal in an arena", Arena: true, Do: func() { must(arenajson.Unmarshal(a, doc, &i), false) }},
				{Name: "json.Unmarshal", Do: func() { must(json.Unmarshal(doc, &o), false) }},
			},
		}
	}})
	// Text of methods that is nested more than 1,000 deep, for which encoding/json has other ways
	// as well.
	rows = append(rows, growth.Row{Name: "encode/thin", N: 255, Max: 1200, New: func(n int) growth.Work {
		s, o, i := &thin{}, &thinOurs{}, &thinArena{}
		for range n {
			s, o, i = &thin{Kid: s}, &thinOurs{Kid: o}, &thinArena{Kid: i}
		}
		a := arena.NewArena()
		return growth.Work{
			Input:     8 * n,
			Reference: func() { json.Marshal(s) },
			Ours: []growth.Way{
				{Name: "Marshal", Do: func() { arenajson.Marshal(nil, o) }},
				{Name: "Marshal in an arena", Arena: true, Do: func() { arenajson.Marshal(a, i) }},
				{Name: "json.Marshal", Do: func() { json.Marshal(o) }},
			},
		}
	}})
	for _, fails := range []bool{false, true} {
		name := "text of methods"
		if fails {
			name += "/error"
		}
		rows = append(rows, growth.Row{Name: name, N: 20, Max: 320, New: func(n int) growth.Work {
			s, o := &texter{}, &texterOurs{}
			if fails {
				s.Value, o.Value = math.NaN(), math.NaN()
			}
			for range n {
				s, o = &texter{Kid: s}, &texterOurs{Kid: o}
			}
			return growth.Work{
				Reference: func() { _, err := json.Marshal(s); must(err, fails) },
				Ours: []growth.Way{
					{Name: "Marshal", Do: func() { _, err := arenajson.Marshal(nil, o); must(err, fails) }},
				},
			}
		}}, growth.Row{Name: name + " as keys", N: 20, Max: 320, New: func(n int) growth.Work {
			s, o := &texter{}, &texterOurs{}
			if fails {
				s.Value, o.Value = math.NaN(), math.NaN()
			}
			for range n {
				s, o = &texter{Kid: s}, &texterOurs{Kid: o}
			}
			return growth.Ours(
				func() { _, err := arenajson.Marshal(nil, map[*texterOurs]int{o: 1}); must(err, fails) },
				func() { _, err := json.Marshal(map[*texter]int{s: 1}); must(err, fails) })
		}})
	}
	return rows
}

// encodeRows encode what decodeRows decode.
func encodeRows() (rows []growth.Row) {
	add := func(name string, n, most int, fails bool, value func(n int) any) {
		rows = append(rows, growth.Row{Name: name, N: n, Max: most, New: func(n int) growth.Work {
			v := value(n)
			a := arena.NewArena()
			var out []byte
			_ = out
			marshal := func(b []byte, err error) { must(err, fails); out = b }
			right, _ := json.Marshal(v)
			return growth.Work{
				Input:     len(right),
				Reference: func() { marshal(json.Marshal(v)) },
				Ours: []growth.Way{
					{Name: "heap", Do: func() { marshal(arenajson.Marshal(nil, v)) }},
					{Name: "arena", Arena: true, Do: func() { marshal(arenajson.Marshal(a, v)) }},
					{Name: "Encoder", Do: func() { must(arenajson.NewEncoder(growth.Writer()).Encode(a, v), fails) }},
				},
			}
		}})
	}
	for _, f := range families {
		for _, form := range growth.Forms {
			if form != growth.Deep && f.shape.Fill == "" || form != growth.Long && (f.shape.Close == "" || !nests(f)) {
				continue
			}
			n, most := 1000, 0
			if form == growth.Deep {
				n, most = 300, 4000
			}
			add(f.name+"/"+string(form), n, most, false, func(n int) any {
				v := f.new()
				must(json.Unmarshal(f.shape.Doc(form, n, growth.Nowhere, ""), v), false)
				return v
			})
		}
	}
	// A pointer, an interface, a map and a slice on the way, with a mistake at the end.
	for _, depth := range []int{100, 500} { // beyond 1,000, encoding/json looks for cycles
		for _, fails := range []bool{false, true} {
			name := fmt.Sprint("tree from ", depth)
			if fails {
				name += "/error at the bottom"
			}
			add(name, depth, 4000, fails, func(n int) any {
				var v any = 1.0
				if fails {
					v = math.Inf(1)
				}
				for i := range n {
					switch inner := v; i % 4 {
					case 0:
						v = []any{1, inner}
					case 1:
						v = map[string]any{"a": inner, "b": nil}
					case 2:
						v = &inner
					case 3:
						v = struct {
							A any `json:",omitempty"`
							B any
						}{nil, inner}
					}
				}
				return v
			})
		}
	}
	for _, at := range []string{"top", "bottom"} {
		add("long list/error at the "+at, 2000, 0, true, func(n int) any {
			l := make([]any, n)
			for i := range l {
				l[i] = map[string]any{"a": i, "b": "text"}
			}
			l[map[string]int{"top": 0, "bottom": n - 1}[at]] = math.NaN()
			return l
		})
	}
	add("cycle", 10, 0, true, func(n int) any { t := &tree{}; t.Left = t; return t })
	// The cycle is noticed more than 1,000 levels deep, when there is some text already.
	rows[len(rows)-1].Rules = map[growth.Measure]growth.Rule{
		growth.Bytes: {Times: 4, Slack: 1 << 20, Grow: 2}, growth.Steps: {Times: 6, Slack: 400_000, Grow: 2},
	}
	add("long keys", 1000, 0, false, func(n int) any {
		m := map[string]int{}
		for i := range n {
			m[strings.Repeat("k", i%50)+fmt.Sprint(i)] = i
		}
		return m
	})
	return rows
}

// endless gives a start, and then the same text again and again, until there were n bytes.
func endless(start, more string, n int) io.Reader {
	return io.MultiReader(strings.NewReader(start), strings.NewReader(strings.Repeat(more, n/len(more)+1)))
}

// streamRows read streams, and stop in each way.
func streamRows() (rows []growth.Row) {
	add := func(name string, n int, input func(n int) io.Reader, ours func(*arenajson.Decoder), reference func(*json.Decoder)) {
		rows = append(rows, growth.Row{Name: name, N: n, New: func(n int) growth.Work {
			r, s := growth.Reader(input(n)), growth.Reader(input(n))
			return growth.Ours(func() { ours(arenajson.NewDecoder(r)) }, func() { reference(json.NewDecoder(s)) })
		}})
	}
	// one decodes one value, and does not read on.
	one := func(new func() any) (func(*arenajson.Decoder), func(*json.Decoder)) {
		return func(d *arenajson.Decoder) { d.Decode(nil, new()) }, func(d *json.Decoder) { d.Decode(new()) }
	}
	all := func(new func() any) (func(*arenajson.Decoder), func(*json.Decoder)) {
		return func(d *arenajson.Decoder) {
				for a := arena.NewArena(); d.Decode(a, new()) == nil; a.Reset() {
				}
			}, func(d *json.Decoder) {
				for d.Decode(new()) == nil {
				}
			}
	}
	more := func(new func() any) (func(*arenajson.Decoder), func(*json.Decoder)) {
		return func(d *arenajson.Decoder) {
				for d.More() && d.Decode(nil, new()) == nil {
				}
			}, func(d *json.Decoder) {
				for d.More() && d.Decode(new()) == nil {
				}
			}
	}
	tokens := func(d *arenajson.Decoder) {
		for {
			if _, err := d.Token(); err != nil {
				return
			}
		}
	}
	tokensReference := func(d *json.Decoder) {
		for {
			if _, err := d.Token(); err != nil {
				return
			}
		}
	}
	for _, c := range [][2]string{
		{`{"a":tru `, "x"}, {`{"a":tru `, " "}, {`{x`, "x"}, {`[1,,`, "1,"}, {"[1 2 ", "3 "}, {`{"a":01`, "0"}, {"{\"a\":\"\x01", "x"}, {`{"a":"\q`, "x"}, {`{"a":"\u12x`, "x"},
		{`{"a":1,"b":"cut`, "\n{\"a\":2,\"b\":\"x\"}"}, {`[`, "["}, {`{"a":`, `{"a":`}, {`nul`, `x`}, {`-`, `-`}, {`1e`, `e`}, {`[1}`, `]`}, {`{"a"`, ` "a"`}, {`{"a":1,`, `,`}, {`{]`, `x`},
		{"\xef\xbb\xbf", "{}"}, {`x`, "{}"},
	} {
		ours, reference := one(target[any]())
		add(fmt.Sprintf("endless/%q and %q", c[0], c[1]), 1<<18, func(n int) io.Reader { return endless(c[0], c[1], n) }, ours, reference)
		add(fmt.Sprintf("endless tokens/%q and %q", c[0], c[1]), 1<<15, func(n int) io.Reader { return endless(c[0], c[1], n) }, tokens, tokensReference)
	}
	for name, c := range map[string]func() (func(*arenajson.Decoder), func(*json.Decoder)){
		"one":    func() (func(*arenajson.Decoder), func(*json.Decoder)) { return one(target[any]()) },
		"all":    func() (func(*arenajson.Decoder), func(*json.Decoder)) { return all(target[any]()) },
		"more":   func() (func(*arenajson.Decoder), func(*json.Decoder)) { return more(target[map[string]any]()) },
		"tokens": func() (func(*arenajson.Decoder), func(*json.Decoder)) { return tokens, tokensReference },
	} {
		ours, reference := c()
		for doc, f := range map[string]func(n int) string{
			"many small":      func(n int) string { return strings.Repeat(`{"a":1} `, n) },
			"one large":       func(n int) string { return `{"a":[` + strings.Repeat(`{"b":"x"},`, n) + `1]}` },
			"one deep":        func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) },
			"one long string": func(n int) string { return `"` + strings.Repeat("text", n) + `"` },
			"cut":             func(n int) string { return `{"a":[` + strings.Repeat(`{"b":"x"},`, n) },
			"cut string":      func(n int) string { return `{"a":"` + strings.Repeat(`text`, n) },
			"space":           func(n int) string { return `1` + strings.Repeat(" ", 4*n) + `2` },
			"one wrong":       func(n int) string { return strings.Repeat(`{"a":1} `, n) + "x" + strings.Repeat(`{"a":1} `, n) },
		} {
			add(name+"/"+doc, 1500, func(n int) io.Reader { return strings.NewReader(f(n)) }, ours, reference)
			add(name+"/"+doc+"/byte by byte", 1000, func(n int) io.Reader { return iotest.OneByteReader(strings.NewReader(f(n))) }, ours, reference)
			add(name+"/"+doc+"/data with the error", 1000, func(n int) io.Reader { return iotest.DataErrReader(strings.NewReader(f(n))) }, ours, reference)
		}
	}
	rows = append(rows, growth.Row{Name: "Encoder/many", N: 500, New: func(n int) growth.Work {
		a := arena.NewArena()
		v := map[string]any{"a": 1.5, "b": []any{"x", nil}}
		return growth.Ours(func() {
			for e := arenajson.NewEncoder(growth.Writer()); n > 0; n-- {
				e.Encode(a, v)
			}
		}, func() {
			for e := json.NewEncoder(growth.Writer()); n > 0; n-- {
				e.Encode(v)
			}
		})
	}})
	for _, c := range []struct{ name, start, more string }{{"right", "[", "1,"}, {"wrong at once", "{x", "1,"}} {
		rows = append(rows, growth.Row{Name: "Read/" + c.name, N: 1 << 15, New: func(n int) growth.Work {
			request := func() *http.Request {
				r := httptest.NewRequest("POST", "/", growth.Reader(io.MultiReader(endless(c.start, c.more, n), strings.NewReader("1]"))))
				r.Header.Set("Content-Type", "application/json")
				return r
			}
			r, s := request(), request()
			return growth.Work{
				Input: n,
				Reference: func() {
					b, _ := io.ReadAll(s.Body) // as it looks for what stands behind the value
					json.Unmarshal(b, new(any))
				},
				Ours: []growth.Way{{Name: "", Do: func() { arenajson.Read(r, new(any)) }}},
			}
		}})
	}
	return rows
}

// wide returns a struct with n fields. Each call makes another type.
func wide(n int, name string) reflect.Type {
	fields := make([]reflect.StructField, n)
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("%s%d", name, i), Type: reflect.TypeFor[int]()}
	}
	return reflect.StructOf(fields)
}

// wideRows have types with many fields, and types that contain many others.
func wideRows() (rows []growth.Row) {
	types := 0
	for name, field := range map[string]func(n, i int) string{
		"in order":           func(n, i int) string { return fmt.Sprintf("Field%d", i) },
		"backwards":          func(n, i int) string { return fmt.Sprintf("Field%d", n-1-i) },
		"in other cases":     func(n, i int) string { return fmt.Sprintf("field%d", i) },
		"the last, in lower": func(n, i int) string { return fmt.Sprintf("field%d", n-1-i%10) },
		"mixed cases":        func(n, i int) string { return fmt.Sprintf("fIeLd%d", n-1-i) },
		"unknown":            func(n, i int) string { return fmt.Sprintf("none%d", i) },
		"unknown, alike":     func(n, i int) string { return fmt.Sprintf("Field%dx", i) },
		"the same":           func(n, i int) string { return "Field0" },
	} {
		for _, cold := range []bool{false, true} {
			title, known := "names "+name, map[int]reflect.Type{}
			if cold {
				title += "/new type"
			}
			rows = append(rows, growth.Row{Name: title, N: 500, Max: 8000, Cold: cold, New: func(n int) growth.Work {
				typ := known[n]
				if typ == nil || cold {
					types++
					typ = reflect.StructOf([]reflect.StructField{
						{Name: "X", Type: wide(n, "Field")}, {Name: fmt.Sprint("Y", types), Type: reflect.TypeFor[int]()}})
					known[n] = typ
				}
				var b strings.Builder
				b.WriteString(`{"X":{`)
				for i := range n {
					fmt.Fprintf(&b, `%q:%d,`, field(n, i), i)
				}
				b.WriteString(`"z":0}}`)
				return decode([]byte(b.String()), nil, func() any { return reflect.New(typ).Interface() }, false)
			}})
		}
	}
	rows = append(rows, growth.Row{Name: "encode", N: 500, Max: 8000, Cold: true, New: func(n int) growth.Work {
		types++
		v := reflect.New(wide(n, fmt.Sprintf("E%dF", types))).Interface()
		return growth.Ours(func() { arenajson.Marshal(nil, v) }, func() { json.Marshal(v) })
	}})
	// A type of n types, each of which contains the next. encoding/json looks at what a type
	// contains when it encodes, and since Go 1.27 no deeper than the value. A plan is some KiB, and
	// kept as long as the program runs.
	plans := map[growth.Measure]growth.Rule{
		growth.Bytes: {Times: 6, Slack: 512 << 10, Grow: 2},
		growth.Kept:  {Times: 6, Slack: 512 << 10, Grow: 2},
	}
	for name, wrap := range map[string]func(t reflect.Type) reflect.Type{
		"slices":   reflect.SliceOf,
		"pointers": func(t reflect.Type) reflect.Type { return reflect.PointerTo(t) },
		"maps":     func(t reflect.Type) reflect.Type { return reflect.MapOf(reflect.TypeFor[string](), t) },
		"structs": func(t reflect.Type) reflect.Type {
			return reflect.StructOf([]reflect.StructField{{Name: "A", Type: t}, {Name: "B", Type: reflect.TypeFor[int]()}})
		},
	} {
		rows = append(rows, growth.Row{Name: "deep type of " + name, N: 25, Max: 100, Cold: true, Rules: plans, New: func(n int) growth.Work {
			types++
			t := reflect.StructOf([]reflect.StructField{{Name: fmt.Sprint("T", types), Type: reflect.TypeFor[int]()}})
			for range n {
				t = wrap(t)
			}
			v, w := reflect.New(t).Interface(), reflect.New(t).Interface()
			return growth.Ours(func() {
				arenajson.Unmarshal(nil, []byte("null"), v)
				arenajson.Marshal(nil, v)
			}, func() {
				json.Unmarshal([]byte("null"), w)
				json.Marshal(w)
			})
		}})
	}
	return rows
}
