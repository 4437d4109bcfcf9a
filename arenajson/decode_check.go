package arenajson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"

	"github.com/arena-go/arena/internal/jsonwire"
)

// check returns the position behind the value at i, or -1 if value would return -1 for a place
// whose type has that plan, but for errors of methods that are not pure. It changes nothing.
func (d *decoder) check(p *plan, i int) int {
	text := d.text
	c := text.Char(i)
	if c == 'n' {
		return d.checkNull(p, i)
	}
	switch p.op {
	case intoString:
		if c == '"' {
			return text.SkipString(i + 1)
		}
	case intoStruct:
		return d.checkObject(p, i)
	case intoPointer:
		return d.check(p.elem, i)
	case intoSlice, intoArray:
		return d.checkArray(p, i)
	case intoMap:
		return d.checkEntries(p, i)
	case intoAny:
		return d.checkAny(i)
	case intoBool:
		if c == 't' || c == 'f' {
			return text.Skip(i, d.depth)
		}
	case intoInt8:
		return end(text.Signed(i, 8))
	case intoInt16:
		return end(text.Signed(i, 16))
	case intoInt32:
		return end(text.Signed(i, 32))
	case intoInt64:
		return end(text.Signed(i, 64))
	case intoUint8:
		return end(text.Unsigned(i, 8))
	case intoUint16:
		return end(text.Unsigned(i, 16))
	case intoUint32:
		return end(text.Unsigned(i, 32))
	case intoUint64:
		return end(text.Unsigned(i, 64))
	case intoFloat32:
		return end(text.Float32(i))
	case intoFloat64:
		return end(text.Float(i))
	case intoBytes:
		if c == '[' {
			return d.checkArray(p, i)
		}
		return d.checkBase64(p, i)
	case intoNumber:
		return text.SkipNumber(i)
	case intoRaw, intoArena:
		return text.Skip(i, d.depth)
	case intoRefString:
		if c == '"' && d.a != nil {
			return text.SkipString(i + 1)
		}
	case intoCustom:
		end := text.Skip(i, d.depth)
		if end >= 0 && p.pure && !p.tries(text.Bytes(i, end)) {
			return -1
		}
		return end
	case intoText:
		if c == '"' {
			return d.checkText(p, i)
		}
	}
	return -1
}

// end drops the value.
func end[V any](_ V, end int) int { return end }

func (d *decoder) checkNull(p *plan, i int) int {
	if !d.text.IsNull(i) || p.op == intoLeave && !p.null || p.op == intoCustom && p.pure && !p.tries([]byte("null")) || p.op == intoRefString && d.a == nil {
		return -1
	}
	return i + 4
}

// tries tells whether UnmarshalJSON of a new value, which is pure, takes b.
func (p *plan) tries(b []byte) bool {
	return reflect.New(p.typ).Interface().(json.Unmarshaler).UnmarshalJSON(b) == nil
}

func (d *decoder) checkObject(p *plan, i int) int {
	if d.text.Char(i) != '{' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	if i = d.text.Space(i + 1); d.text.Char(i) == '}' {
		d.depth--
		return i + 1
	}
	o := p.object
	before := &o.none
	for {
		if d.text.Char(i) != '"' {
			return -1
		}
		i++
		f := before.learned.next.Load()
		if f.matches(d.text, i, d.size) {
			i += f.length
		} else if f, i = d.member(o, before, i); i < 0 {
			return -1
		}
		if f.plan != nil {
			before = f
		}
		if i = d.text.Space(i); d.text.Char(i) != ':' {
			return -1
		}
		if i = d.checkField(f, d.text.Space(i+1)); i < 0 {
			return -1
		}
		switch i = d.text.Space(i); d.text.Char(i) {
		case '}':
			d.depth--
			return i + 1
		case ',':
		default:
			return -1
		}
		i = d.text.Space(i + 1)
	}
}

func (d *decoder) checkField(f *fieldPlan, i int) int {
	switch {
	case f.plan == nil:
		if d.opt.DisallowUnknownFields {
			return -1
		}
		return d.text.Skip(i, d.depth)
	case f.name.nulls && d.isQuotedNull(i):
		return -1
	case f.quoted:
		return d.checkQuoted(f.plan, i)
	}
	for _, s := range f.path {
		if s.sealed {
			return -1 // it may be nil
		}
	}
	return d.check(f.plan, i)
}

func (d *decoder) checkQuoted(p *plan, i int) int {
	text := d.text
	if text.IsNull(i) {
		return d.checkNull(p, i)
	}
	if text.Char(i) != '"' {
		return -1
	}
	i++
	for p.op == intoPointer {
		p = p.elem
	}
	switch {
	case text.Char(i) == 'n':
	case p.op == intoString:
		b, end := d.unquote(i)
		if _, ok := ofQuotes(b); end >= 0 && ok {
			return end
		}
	case p.op == intoBool || p.op >= intoInt8 && p.op <= intoFloat64:
		if i = d.check(p, i); i >= 0 && text.Char(i) == '"' {
			return i + 1
		}
	}
	return -1
}

func (d *decoder) checkArray(p *plan, i int) int {
	if d.text.Char(i) != '[' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	if i = d.text.Space(i + 1); d.text.Char(i) == ']' {
		d.depth--
		return i + 1
	}
	for n := 0; ; n++ {
		if p.op == intoArray && n >= p.len {
			i = d.text.Skip(i, d.depth)
		} else {
			i = d.check(p.elem, i)
		}
		if i < 0 {
			return -1
		}
		switch i = d.text.Space(i); d.text.Char(i) {
		case ']':
			d.depth--
			return i + 1
		case ',':
		default:
			return -1
		}
		i = d.text.Space(i + 1)
	}
}

func (d *decoder) checkEntries(p *plan, i int) int {
	if d.text.Char(i) != '{' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	if i = d.text.Space(i + 1); d.text.Char(i) == '}' {
		d.depth--
		return i + 1
	}
	for {
		if d.text.Char(i) != '"' {
			return -1
		}
		switch m := p.pairs; m.key {
		case keysString:
			i = d.text.SkipString(i + 1)
		case keysText:
			i = d.checkText(m.text, i)
		default:
			if m.key == keysInt {
				i = end(d.text.Signed(i+1, m.bits))
			} else {
				i = end(d.text.Unsigned(i+1, m.bits))
			}
			if i >= 0 && d.text.Char(i) != '"' {
				i = -1
			}
			i++
		}
		if i <= 0 {
			return -1
		}
		if i = d.text.Space(i); d.text.Char(i) != ':' {
			return -1
		}
		if i = d.check(p.elem, d.text.Space(i+1)); i < 0 {
			return -1
		}
		switch i = d.text.Space(i); d.text.Char(i) {
		case '}':
			d.depth--
			return i + 1
		case ',':
		default:
			return -1
		}
		i = d.text.Space(i + 1)
	}
}

// checkAny is skip where numbers that are too large for a float64 are errors.
func (d *decoder) checkAny(i int) int {
	end := d.text.Skip(i, d.depth)
	if d.opt.UseNumber {
		return end
	}
	for i < end {
		switch c := d.text.Char(i); {
		case c == '"':
			i = d.text.SkipString(i + 1)
		case c == '-' || jsonwire.IsDigit(c):
			if _, i = d.text.Float(i); i < 0 {
				return -1
			}
		default:
			i++
		}
	}
	return end
}

func (d *decoder) checkBase64(p *plan, i int) int {
	if d.text.Char(i) != '"' || p.elem.op != intoUint8 {
		return -1
	}
	b, end := d.unquote(i + 1)
	if end < 0 {
		return -1
	}
	if _, err := base64.StdEncoding.Decode(make([]byte, base64.StdEncoding.DecodedLen(len(b))), b); err != nil {
		return -1
	}
	return end
}

func (d *decoder) checkText(p *plan, i int) int {
	if !p.pure {
		return d.text.SkipString(i + 1)
	}
	b, end := d.unquote(i + 1)
	if end < 0 || reflect.New(p.typ).Interface().(encoding.TextUnmarshaler).UnmarshalText(b) != nil {
		return -1
	}
	return end
}
