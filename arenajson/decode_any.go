package arenajson

import (
	"encoding/json"
	"reflect"

	"github.com/arena-go/arena/internal/jsonwire"
)

// The numbers of slabs for what lies in interfaces.
const (
	slabString = iota
	slabFloat64
	slabInt64
	slabNumber
	slabAny
	slabAnys
)

// The first words of interfaces that hold such values.
var (
	wordString  = typeWord(reflect.TypeFor[string]())
	wordFloat64 = typeWord(reflect.TypeFor[float64]())
	wordInt64   = typeWord(reflect.TypeFor[int64]())
	wordNumber  = typeWord(numberType)
	wordAnys    = typeWord(reflect.TypeFor[[]any]())
)

// An anyPair is an entry of a map.
type anyPair struct {
	key string
	val any
}

// anyPairSize is how many bytes one has.
const anyPairSize = 4 * 8

// any decodes the value at i into an interface, and returns the position behind it, or -1.
func (d *decoder) any(i int) (any, int) {
	switch c := d.text.Char(i); c {
	case '"':
		s, end := d.repeated(&d.values, i+1)
		if end < 0 {
			return nil, -1
		}
		return d.boxString(s), end
	case '{':
		return d.anyObject(i)
	case '[':
		return d.anyArray(i)
	case 't':
		if d.text.IsTrue(i) {
			return true, i + 4
		}
	case 'f':
		if d.text.IsFalse(i) {
			return false, i + 5
		}
	case 'n':
		if d.text.IsNull(i) {
			return nil, i + 4
		}
	default:
		if d.opt.UseNumber {
			end := d.text.SkipNumber(i)
			if end < 0 {
				return nil, -1
			}
			return d.boxNumber(json.Number(d.keep(i, end))), end
		}
		if d.opt.PreserveInts {
			if v, end := d.text.Signed(i, 64); end >= 0 {
				return d.boxInt64(int64(v)), end
			}
		}
		f, end := d.text.Float(i)
		if end < 0 {
			return nil, -1
		}
		if d.a == nil {
			d.made += 8
			return f, end
		}
		p := d.new(slabFloat64)
		storeFloat64(p, f)
		return box(wordFloat64, p), end
	}
	return nil, -1
}

func (d *decoder) boxString(s string) any {
	if d.a == nil {
		d.made += 16
		return s
	}
	p := d.new(slabString)
	storeString(p, s)
	return box(wordString, p)
}

func (d *decoder) boxInt64(v int64) any {
	if d.a == nil {
		d.made += 8
		return v
	}
	p := d.new(slabInt64)
	store64(p, uint64(v))
	return box(wordInt64, p)
}

func (d *decoder) boxNumber(s json.Number) any {
	if d.a == nil {
		d.made += 16
		return s
	}
	p := d.new(slabNumber)
	storeString(p, string(s))
	return box(wordNumber, p)
}

// anyArray is any for an array. Its elements are on a stack until it is known how many there are.
func (d *decoder) anyArray(i int) (any, int) {
	text := d.text
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return nil, -1
	}
	from := len(d.anys)
	if i = d.line(i+1, d.depth); text.Char(i) != ']' {
		for {
			v, end := d.any(i)
			if i = end; i < 0 {
				return nil, -1
			}
			d.anys = append(d.anys, v)
			if text.Char(i) != ',' {
				if i = d.line(i, d.depth-1); text.Char(i) == ']' {
					break
				}
				if text.Char(i) != ',' {
					return nil, -1
				}
			}
			i = d.line(i+1, d.depth)
		}
	}
	d.depth--
	all := d.anys[from:]
	n := len(all)
	var v any
	switch {
	case d.a == nil:
		d.made += 24 + 16*n
		s := make([]any, n)
		copy(s, all)
		v = s
	case n == 0:
		p := d.new(slabAnys)
		*see[[]any](p) = []any{}
		v = box(wordAnys, p)
	default:
		s := anysAt(d.newSlice(slabAny, n), n)
		copy(s, all)
		p := d.new(slabAnys)
		*see[[]any](p) = s
		v = box(wordAnys, p)
	}
	clear(all)
	d.anys = d.anys[:from]
	return v, i + 1
}

// anyObject is any for an object. Its members are on a stack until it is known how many there are.
func (d *decoder) anyObject(i int) (any, int) {
	var m map[string]any
	from := len(d.pairs)
	if i = d.anyPairs(&m, i); i < 0 {
		return nil, -1
	}
	d.setPairs(&m, from)
	return m, i
}

// setPairs sets the entries of a map, or of a new one if that is nil, that are on the stack from
// there on. A new map has room for them, unless few of the keys differ.
func (d *decoder) setPairs(m *map[string]any, from int) {
	all := d.pairs[from:]
	to := *m
	if to == nil {
		n := len(all)
		if n > fewTogether {
			var seen uint64
			for i := range all {
				seen |= 1 << sketch(all[i].key)
			}
			n = roomFor(n, seen)
		}
		to = asAnyMap(d.goMap(anyMap, n))
		*m = to
	}
	had := len(to)
	for i := range all {
		to[all[i].key] = all[i].val
	}
	if d.opt.V2 && len(to) != had+len(all) {
		d.doubt = true
	}
	clear(all)
	d.pairs = d.pairs[:from]
}

// anyPairs puts the members of the object at i on the stack, or if they are too many into m, and
// returns the position behind the object, or -1.
func (d *decoder) anyPairs(m *map[string]any, i int) int {
	text := d.text
	from, made := len(d.pairs), d.made
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	if i = d.line(i+1, d.depth); text.Char(i) == '}' {
		d.depth--
		return i + 1
	}
	for {
		if text.Char(i) != '"' {
			return -1
		}
		if n := len(d.pairs); n-from == mostTogether || n > from && d.crowded(made-n*anyPairSize, i) {
			d.setPairs(m, from)
			made = d.made
		}
		key, end := d.repeated(&d.names, i+1)
		if i = end; i < 0 {
			return -1
		}
		if text.Char(i) != ':' {
			if i = text.Space(i); text.Char(i) != ':' {
				return -1
			}
		}
		above := d.above
		d.above += d.made - made
		v, end := d.any(text.Space(i + 1))
		if i = end; i < 0 {
			return -1
		}
		d.above = above
		d.pairs = append(d.pairs, anyPair{key, v})
		if text.Char(i) != ',' {
			if i = d.line(i, d.depth-1); text.Char(i) == '}' {
				d.depth--
				return i + 1
			}
			if text.Char(i) != ',' {
				return -1
			}
		}
		i = d.line(i+1, d.depth)
	}
}
