// Package growth_test contains the rows of arenapb, next to package proto.
package growth_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestDecode(t *testing.T) { growth.Run(t, decodeRows()) }
func TestJSON(t *testing.T)   { growth.Run(t, jsonRows()) }
func TestEncodeJSON(t *testing.T) {
	growth.Run(t, encodeRows())
}

// A family is messages of some shape. A level is field of the level around it, and has some of fill
// before what is inside.
type family struct {
	name  string
	new   func() proto.Message
	level func(inside []byte) []byte
	fill  []byte
	bad   map[string][]byte
}

func message(field protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), b)
}

func number(field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
}

func group(field protowire.Number, b []byte) []byte {
	return slices.Concat(protowire.AppendTag(nil, field, protowire.StartGroupType), b, protowire.AppendTag(nil, field, protowire.EndGroupType))
}

func text(field protowire.Number, s string) []byte { return message(field, []byte(s)) }

// in returns a level that is field of the one around it.
func in(fields ...protowire.Number) func([]byte) []byte {
	return func(b []byte) []byte {
		for _, f := range slices.Backward(fields) {
			b = message(f, b)
		}
		return b
	}
}

// entry returns a level that is the value of a map's entry.
func entry(field protowire.Number) func([]byte) []byte {
	return func(b []byte) []byte { return message(field, slices.Concat(text(1, "k"), message(2, b))) }
}

var wrong = map[string][]byte{
	"cut":  {0x0a, 0x7f},
	"tag":  {0x07},
	"text": text(14, "\xff"),
}

func all3() proto.Message  { return new(testpb.All3) }
func all2() proto.Message  { return new(testpb.All2) }
func maps3() proto.Message { return new(testpb.Maps3) }
func tree3() proto.Message { return new(testpb.Tree3) }

var families = []family{
	{"message", all3, in(17), number(3, 1), wrong},
	{"message, repeated fields", all3, in(17), slices.Concat(text(14, "text"), text(14, "other")), nil},
	{"message, merged", all3, func(b []byte) []byte { return slices.Concat(message(17, number(3, 1)), message(17, b)) }, nil, nil},
	{"message, merged behind", all3, func(b []byte) []byte { return slices.Concat(message(17, b), message(17, number(3, 1))) }, nil, nil},
	{"list", all3, in(57), message(57, nil), nil},
	{"list, numbers unpacked", all3, in(57), number(42, 1), nil},
	{"list, numbers packed one by one", all3, in(57), message(42, []byte{1}), nil},
	{"oneof", all3, in(97), message(97, nil), nil},
	{"oneof, changed", all3, in(97), slices.Concat(message(97, number(3, 1)), text(94, "text")), nil},
	{"unknown", all3, in(17), number(1000, 1), nil},
	{"unknown message", all3, in(1000), text(1001, "text"), nil},
	{"unknown group", all3, func(b []byte) []byte { return group(1000, b) }, number(1001, 1), nil},
	{"proto2", all2, in(17), text(14, "text"), nil},
	{"proto2, list", all2, in(35), message(35, nil), nil},
	{"group", all2, func(b []byte) []byte { return message(17, b) }, group(18, number(1, 1)), nil},
	{"groups", all2, func(b []byte) []byte { return message(17, b) }, group(36, number(1, 1)), nil},
	{"map, the same key", maps3, entry(76), message(57, slices.Concat(text(1, "a"), text(2, "b"))), wrong},
	{"map, the same message", maps3, entry(76), message(76, slices.Concat(text(1, "a"), message(2, number(1, 1)))), nil},
	{"map, no key", maps3, entry(76), message(56, number(2, 1)), nil},
	{"map, no value", maps3, entry(76), message(60, text(1, "a")), nil},
	{"map, key behind", maps3, entry(76), message(60, slices.Concat(message(2, nil), text(1, "a"))), nil},
	{"map, unknown", maps3, entry(76), message(60, slices.Concat(text(1, "a"), number(7, 1))), nil},
	{"tree", tree3, in(1), text(5, "label"), wrong},
	{"tree, leaves", tree3, in(1), message(2, slices.Concat(text(1, "a"), message(2, nil))), nil},
}

func (f family) doc(form growth.Form, n int, place growth.Place, what []byte) []byte {
	levels, fill := form.Levels(n)
	var b []byte
	if place == growth.Bottom {
		b = slices.Clone(what)
	}
	for level := levels - 1; level >= 0; level-- {
		b = slices.Concat(bytes.Repeat(f.fill, fill), b)
		if place == growth.Top && level == 0 || place == growth.Middle && level == levels/2 {
			b = slices.Concat(what, b)
		}
		if level > 0 {
			b = f.level(b)
		}
	}
	return b
}

func decodeRows() (rows []growth.Row) {
	for _, f := range families {
		for _, form := range growth.Forms {
			if form != growth.Deep && f.fill == nil {
				continue
			}
			add := func(name string, place growth.Place, what []byte) {
				n := map[growth.Form]int{growth.Deep: 150, growth.Long: 1000, growth.Both: 1024}[form]
				docs := map[int][2][]byte{} // it takes longer to make them than to decode them
				rows = append(rows, growth.Row{Name: name, N: n, Max: map[growth.Form]int{growth.Deep: 2400}[form], New: func(n int) growth.Work {
					if docs[n][0] == nil {
						docs[n] = [2][]byte{f.doc(form, n, place, what), f.doc(form, n, growth.Nowhere, nil)}
					}
					b, right := docs[n][0], docs[n][1]
					a := arena.NewArena()
					m, r := f.new(), f.new()
					var out []byte
					_ = out
					// A mistake is noticed while decoding, as in package proto.
					return growth.Work{
						Input: len(b),
						Reference: func() {
							if proto.Unmarshal(b, m) == nil {
								out, _ = proto.Marshal(m)
							} else {
								proto.Unmarshal(right, r)
							}
						},
						Ours: []growth.Way{
							{Name: "heap", Do: func() {
								if arenapb.Unmarshal(nil, b, m) == nil {
									out, _ = arenapb.Marshal(nil, m)
								}
							}},
							{Name: "arena", Arena: true, Do: func() {
								if arenapb.Unmarshal(a, b, m) == nil {
									out, _ = arenapb.Marshal(a, m)
								}
							}},
							{Name: "cloned", Arena: true, Do: func() {
								if arenapb.Unmarshal(a, b, m) == nil {
									r, _ = arenapb.Clone(m)
								}
							}},
						},
					}
				}})
			}
			add(f.name+"/"+string(form), growth.Nowhere, nil)
			for bad, what := range f.bad {
				for _, place := range []growth.Place{growth.Top, growth.Bottom} {
					if place == growth.Bottom || form == growth.Deep {
						add(f.name+"/"+string(form)+"/"+bad+" at the "+string(place), place, what)
					}
				}
			}
		}
	}
	return rows
}

// jsonRows decode JSON as package protojson does.
func jsonRows() (rows []growth.Row) {
	for _, f := range []struct {
		name  string
		new   func() proto.Message
		shape growth.Shape
		bad   map[string]string
	}{
		{"message", all3, growth.Shape{Open: `{"oneMessage":{`, Leaf: `"oneInt32":1`, Close: `}}`}, map[string]string{"syntax": `tru `, "unknown": `"zz":1,`, "type": `"oneString":1,`}},
		{"list", all3, growth.Shape{Open: `{"repMessage":[`, Fill: `{},`, Leaf: `{}`, Close: `]}`}, map[string]string{"syntax": `tru `, "type": `1,`}},
		{"list of text", all3, growth.Shape{Open: `{"repString":[`, Fill: `"some text",`, Leaf: `"\u00e9"`, Close: `]}`}, map[string]string{"type": `1,`}},
		{"map", maps3, growth.Shape{Open: `{"toMaps":{`, Leaf: `"a":{}`, Close: `}}`}, map[string]string{"type": `"b":1,`}},
		{"map of maps", maps3, growth.Shape{Open: `{"toMaps":{"k":`, Leaf: `{}`, Close: `}}`}, nil},
		{"tree", tree3, growth.Shape{Open: `{"children":[`, Fill: `{"label":"x"},`, Leaf: `{}`, Close: `]}`}, map[string]string{"type": `{"label":1},`}},
		{"tree, doubled", tree3, growth.Shape{Open: `{"children":[`, Leaf: `{}`, Close: `],"children":[]}`}, nil},
	} {
		for _, form := range growth.Forms {
			if form != growth.Deep && f.shape.Fill == "" {
				continue
			}
			add := func(name string, place growth.Place, what string) {
				n := map[growth.Form]int{growth.Deep: 500, growth.Long: 1000, growth.Both: 1024}[form]
				rows = append(rows, growth.Row{Name: name, N: n, Max: map[growth.Form]int{growth.Deep: 2000}[form], New: func(n int) growth.Work {
					b, right := f.shape.Doc(form, n, place, what), f.shape.Doc(form, n, growth.Nowhere, "")
					a := arena.NewArena()
					m, r := f.new(), f.new()
					return growth.Work{
						Input: len(b),
						Reference: func() {
							if protojson.Unmarshal(b, m) != nil {
								protojson.Unmarshal(right, r)
							}
						},
						Ours: []growth.Way{
							{Name: "heap", Do: func() { arenapb.UnmarshalJSON(nil, b, m) }},
							{Name: "arena", Arena: true, Do: func() { arenapb.UnmarshalJSON(a, b, m) }},
						},
					}
				}})
			}
			add(f.name+"/"+string(form), growth.Nowhere, "")
			for bad, what := range f.bad {
				for _, place := range []growth.Place{growth.Top, growth.Bottom} {
					add(f.name+"/"+string(form)+"/"+bad+" at the "+string(place), place, what)
				}
			}
		}
	}
	distinct := func(n int) (s []string) {
		for i := range n {
			s = append(s, fmt.Sprintf(`"%d":%d`, i, i))
		}
		return s
	}
	// A map with n keys, and the same key n times, which is an error.
	for name, key := range map[string]func(i int) string{"keys": func(i int) string { return fmt.Sprint(i) }, "one key": func(int) string { return "k" }} {
		rows = append(rows, growth.Row{Name: "map/" + name, N: 1000, New: func(n int) growth.Work {
			var s []string
			for i := range n {
				s = append(s, fmt.Sprintf(`%q:%d`, key(i), i))
			}
			b := []byte(`{"stringInt32":{` + strings.Join(s, ",") + `}}`)
			right := []byte(`{"stringInt32":{` + strings.Join(distinct(n), ",") + `}}`)
			m := maps3()
			return growth.Work{Input: len(b), Reference: func() { protojson.Unmarshal(b, m); protojson.Unmarshal(right, m) }, Ours: []growth.Way{{Do: func() { arenapb.UnmarshalJSON(nil, b, m) }}}}
		}})
	}
	return rows
}

// encodeRows encode messages in JSON as package protojson does, some with text that is not UTF-8 in
// the innermost one.
func encodeRows() (rows []growth.Row) {
	add := func(name string, n, most int, message func(n int) proto.Message) {
		rows = append(rows, growth.Row{Name: name, N: n, Max: most, New: func(n int) growth.Work {
			m := message(n)
			size := proto.Size(m)
			a := arena.NewArena()
			o := arenapb.MarshalJSONOptions{AllowPartial: true}
			theirs := protojson.MarshalOptions{AllowPartial: true}
			var out []byte
			return growth.Work{
				Input:     size,
				Reference: func() { out, _ = theirs.Marshal(m) },
				Ours: []growth.Way{
					{Name: "heap", Do: func() { out, _ = o.Marshal(nil, m) }},
					{Name: "arena", Arena: true, Do: func() { out, _ = o.Marshal(a, m) }},
					{Name: "room", Do: func() { out, _ = o.MarshalAppend(nil, out[:0], m) }},
				},
			}
		}})
	}
	for _, f := range families {
		for _, form := range growth.Forms {
			if form != growth.Deep && f.fill == nil {
				continue
			}
			n := map[growth.Form]int{growth.Deep: 150, growth.Long: 1000, growth.Both: 1024}[form]
			add(f.name+"/"+string(form), n, map[growth.Form]int{growth.Deep: 2400}[form], func(n int) proto.Message {
				m := f.new()
				if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(f.doc(form, n, growth.Nowhere, nil), m); err != nil {
					panic(err)
				}
				return m
			})
		}
	}
	for _, label := range []string{"text", "\xff"} {
		add(fmt.Sprintf("tree/deep/%q", label), 150, 2400, func(n int) proto.Message {
			m := &testpb.Tree3{Label: label}
			for range n {
				m = &testpb.Tree3{Label: "around", Children: []*testpb.Tree3{{}, m}}
			}
			return m
		})
	}
	add("map/keys", 1000, 0, func(n int) proto.Message {
		m := &testpb.Maps3{StringInt32: map[string]int32{}}
		for i := range n {
			m.StringInt32[fmt.Sprint(i)] = int32(i)
		}
		return m
	})
	return rows
}
