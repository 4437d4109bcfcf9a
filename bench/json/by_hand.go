package json

import (
	std "encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// byHandName is the implementation that is written for one type, see byHand.
const byHandName = "by-hand"

// byHand is an encoder by hand, for the type of canada and for what is in an any. It has no plans,
// methods or options, and does not find values that contain themselves. It copies text without
// looking for characters to escape, and overwrites the last document. Package strconv writes the
// numbers, and package slices sorts the keys. Its output is not JSON if text needs escapes, so its
// check is encoding/json's check.
func (d *document) byHand(value func() any, n int) func() uint64 {
	v := value()
	check(std.Unmarshal(d.data(), v))
	sum := encodedSum(codecs[0].open(), v, value)
	var w handEncoder
	live := ballast()
	return func() uint64 {
		for range n {
			w.encode(v)
		}
		runtime.KeepAlive(live)
		return sum
	}
}

// hasByHand says whether there is one for the document, in an any or in its type.
func (d *document) hasByHand(anything bool) bool { return anything || d.name == "canada" }

// A handEncoder is memory for documents, and for entries of maps that are sorted.
type handEncoder struct {
	buf     []byte
	entries []entry
}

type entry struct {
	key   string
	value any
}

func (w *handEncoder) encode(v any) []byte {
	switch v := v.(type) {
	case *any:
		w.buf = w.any(w.buf[:0], *v)
	case *geometry:
		w.buf = w.geometry(w.buf[:0], v)
	default:
		panic(fmt.Errorf("nothing is written by hand for a %T", v))
	}
	return w.buf
}

func (w *handEncoder) any(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return number(b, v)
	case string:
		return quoted(b, v)
	case []any:
		b = append(b, '[')
		for i := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.any(b, v[i])
		}
		return append(b, ']')
	case map[string]any:
		from := len(w.entries)
		for k, v := range v {
			w.entries = append(w.entries, entry{k, v})
		}
		entries := w.entries[from:]
		slices.SortFunc(entries, func(x, y entry) int { return strings.Compare(x.key, y.key) })
		b = append(b, '{')
		for i := range entries {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.any(append(quoted(b, entries[i].key), ':'), entries[i].value)
		}
		w.entries = w.entries[:from]
		return append(b, '}')
	}
	panic(fmt.Errorf("encoding/json decodes no %T", v))
}

func (w *handEncoder) geometry(b []byte, g *geometry) []byte {
	b = append(quoted(append(b, `{"type":`...), g.Type), `,"features":[`...)
	for i := range g.Features {
		f := &g.Features[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quoted(append(b, `{"type":`...), f.Type), `,"properties":{"name":`...)
		b = append(quoted(b, f.Properties.Name), `},"geometry":{"type":`...)
		b = append(quoted(b, f.Geometry.Type), `,"coordinates":[`...)
		for j, line := range f.Geometry.Coordinates {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, '[')
			for k := range line {
				if k > 0 {
					b = append(b, ',')
				}
				b = append(number(append(b, '['), line[k][0]), ',')
				b = append(number(b, line[k][1]), ']')
			}
			b = append(b, ']')
		}
		b = append(b, "]}}"...)
	}
	return append(b, "]}"...)
}

// number appends f, for which none of the documents needs an exponent.
func number(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', -1, 64) }

// quoted appends s, and does not look whether something in it has to be escaped.
func quoted(b []byte, s string) []byte { return append(append(append(b, '"'), s...), '"') }
