package arenajson

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// rare is value for what is seldom, and null for types that have a method for it.
func (d *decoder) rare(p *plan, to pointer, i int) int {
	switch p.op {
	case intoBytes:
		if char(d.text, i) == '[' {
			return d.slice(p, to, i)
		}
		return d.base64(p, to, i)
	case intoNumber:
		end := skipNumber(d.text, i)
		if end >= 0 {
			storeString(to, d.keep(i, end))
		}
		return end
	case intoRaw:
		return d.rawMessage(to, i)
	case intoCustom, intoArena:
		return d.unmarshalJSON(p, to, i)
	case intoText:
		return d.unmarshalText(p, to, i)
	case intoRefString:
		return d.refString(to, i)
	case intoArenaMap:
		return d.arenaMap(p, to, i)
	case intoLeave:
		if p.null && half(d.text, i) == wordNull && isNilFace(to) {
			return i + 4
		}
	}
	return -1
}

// rawMessage decodes into a json.RawMessage. It does not write to the memory that this has, which may be that of the caller's input.
func (d *decoder) rawMessage(to pointer, i int) int {
	end := skip(d.text, i, d.depth)
	switch {
	case end < 0:
	case d.kept != nil || d.a != nil:
		*see[json.RawMessage](to) = d.keepBytes(i, end)
	default:
		*see[json.RawMessage](to) = append(json.RawMessage(nil), span(d.text, i, end)...)
	}
	return end
}

// keepBytes returns the bytes of the document from i up to end, of where they are kept, or a copy in the arena.
func (d *decoder) keepBytes(i, end int) []byte {
	if d.letters.sum += end - i; d.kept != nil {
		return span(d.kept, i, end)
	}
	return span(startOfText(arena.String(d.a, span(d.text, i, end))), 0, end-i)
}

// base64 decodes a string with bytes.
func (d *decoder) base64(p *plan, to pointer, i int) int {
	if char(d.text, i) != '"' || p.elem.op != intoUint8 {
		return -1
	}
	end, ascii := endOfString(d.text, i+1)
	b := span(d.text, i+1, end)
	if char(d.text, end) != '"' || !ascii {
		if b, end = d.unquote(i + 1); end < 0 {
			return -1
		}
		end--
	}
	bytes := []byte{}
	if size := base64.StdEncoding.DecodedLen(len(b)); size > 0 {
		bytes = arena.MakeSlice[byte](d.a, size, size)
	}
	n, err := base64.StdEncoding.Decode(bytes, b)
	if err != nil {
		return -1
	}
	*see[[]byte](to) = bytes[:n]
	return end + 1
}

// unmarshalJSON calls UnmarshalJSON, or UnmarshalJSONArena.
func (d *decoder) unmarshalJSON(p *plan, to pointer, i int) int {
	end := skip(d.text, i, d.depth)
	if end < 0 {
		return -1
	}
	var err error
	v := pointerAt(p.typ, to).Interface()
	if p.pure {
		err = v.(json.Unmarshaler).UnmarshalJSON(span(d.text, i, end))
	} else {
		b := d.input[i:end:end]
		if p.op == intoArena && (d.kept != nil || d.a != nil) {
			if b = d.keepBytes(i, end); d.kept == nil {
				d.given = b
			}
		}
		lent := d.lend(end - i)
		if p.op == intoArena {
			err = v.(UnmarshalerArena).UnmarshalJSONArena(d.a, b)
		} else {
			err = v.(json.Unmarshaler).UnmarshalJSON(b)
		}
		d.called(p.typ, lent)
	}
	if err != nil {
		return d.fail(err, false, end)
	}
	return end
}

// unmarshalText calls UnmarshalText.
func (d *decoder) unmarshalText(p *plan, to pointer, i int) int {
	if char(d.text, i) != '"' {
		return -1
	}
	m := pointerAt(p.typ, to).Interface().(encoding.TextUnmarshaler)
	var err error
	var end int
	if p.pure {
		var b []byte
		if b, end = d.unquote(i + 1); end < 0 {
			return -1
		}
		err = m.UnmarshalText(b)
	} else {
		var b []byte
		if b, end = d.unquoteInput(i + 1); end < 0 {
			return -1
		}
		lent := d.lend(end - i)
		err = m.UnmarshalText(b)
		d.called(p.typ, lent)
	}
	if err != nil {
		return d.fail(err, true, end)
	}
	return end
}

// unquoteInput is unquote for bytes that somebody may keep: they are the caller's, or nobody's, as with encoding/json.
func (d *decoder) unquoteInput(i int) (b []byte, end int) {
	end, ascii := endOfString(d.text, i)
	if char(d.text, end) == '"' && (ascii || isUTF8(d.text, i, end)) {
		return d.input[i:end:end], end + 1
	}
	if b, end = d.unquote(i); end >= 0 {
		b = bytes.Clone(b)
	}
	return b, end
}

// nullText decodes null into a type with UnmarshalText, which is not called.
func (d *decoder) nullText(p *plan, to pointer, i int) int {
	switch p.typ.Kind() {
	case reflect.Map, reflect.Slice:
		if !onV2 {
			valueAt(p.typ, to).SetZero()
		}
	}
	return i + 4
}

// refString decodes a string into an ref.String.
func (d *decoder) refString(to pointer, i int) int {
	switch {
	case d.a == nil:
		return -1
	case half(d.text, i) == wordNull:
		return i + 4
	case char(d.text, i) != '"':
		return -1
	}
	b, end := d.unquote(i + 1)
	if end < 0 {
		return -1
	}
	*see[ref.String](to) = ref.NewString(ref.In(d.a), string(b))
	return end
}

// quoted decodes a value in a string, for the option "string".
func (d *decoder) quoted(p *plan, to pointer, i int) int {
	text := d.text
	if half(text, i) == wordNull {
		return d.null(p, to, i)
	}
	if char(text, i) != '"' {
		return -1
	}
	i++
	for p.op == intoPointer {
		if char(text, i) == 'n' {
			return -1
		}
		to, p = d.follow(to, p.slab), p.elem
	}
	switch {
	case p.op == intoString:
		b, end := d.unquote(i)
		s, ok := ofQuotes(b)
		if end < 0 || !ok {
			return -1
		}
		storeString(to, d.letters.copy(d.a, []byte(s)))
		return end
	case p.op == intoBool || p.op >= intoInt8 && p.op <= intoFloat64:
		if char(text, i) == 'n' {
			return -1
		}
		if i = d.value(p, to, i); i >= 0 && char(text, i) == '"' {
			return i + 1
		}
	}
	return -1
}

// ofQuotes returns what a string means that is the text of another one. It is not ok where encoding/json has an error: that does not
// allow white space behind the quotes, and its second version no half of a surrogate pair. All escapes with u are left to the latter, and the
// letters null where they mean null.
func ofQuotes(b []byte) (s string, ok bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' || onV2 && bytes.Contains(b, []byte(`\u`)) {
		return "", false
	}
	err := json.Unmarshal(b, &s)
	return s, err == nil && (s != "null" || !textOfNull())
}
