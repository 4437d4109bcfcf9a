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
		if d.text.Char(i) == '[' && !p.v2 {
			return d.slice(p, to, i)
		}
		return d.base64(p, to, i)
	case intoBase64:
		return d.base64Array(p, to, i)
	case intoNumber:
		end := d.text.SkipNumber(i)
		if end >= 0 {
			storeString(to, d.keep(i, end))
		}
		return end
	case intoRaw:
		return d.rawMessage(to, i)
	case intoCustom, intoArena, intoV2:
		return d.unmarshalJSON(p, to, i)
	case intoText:
		return d.unmarshalText(p, to, i)
	case intoRefString:
		return d.refString(to, i)
	case intoArenaMap:
		return d.arenaMap(p, to, i)
	case intoLeave:
		if p.null && d.text.IsNull(i) && isNilFace(to) {
			return i + 4
		}
	}
	return -1
}

// rawMessage decodes into a json.RawMessage. It does not write to the memory that it has, which may
// be the caller's input.
func (d *decoder) rawMessage(to pointer, i int) int {
	end := d.text.Skip(i, d.depth)
	if d.opt.V2 {
		d.doubtful(i, end)
	}
	switch {
	case end < 0:
	case !d.kept.IsNone() || d.a != nil:
		*see[json.RawMessage](to) = d.keepBytes(i, end)
	default:
		*see[json.RawMessage](to) = append(json.RawMessage(nil), d.text.Bytes(i, end)...)
	}
	return end
}

// keepBytes returns the bytes of the document from i up to end, of where they are kept, or a copy
// in the arena.
func (d *decoder) keepBytes(i, end int) []byte {
	n := end - i
	if !d.kept.IsNone() {
		d.letters.sum += n
		return d.kept.Bytes(i, end)
	}
	b := span(startOfText(arena.String(d.a, d.text.Bytes(i, end))), 0, n)
	d.letters.sum += n
	return b
}

// base64 decodes a string with bytes. Package encoding/json of Go 1.27 decodes them into the memory
// of the slice if there is room. A later array shows the difference: its null elements leave what
// is in that memory.
func (d *decoder) base64(p *plan, to pointer, i int) int {
	if d.text.Char(i) != '"' || p.elem.op != intoUint8 {
		return -1
	}
	b, end := d.base64Text(p, i+1)
	if end < 0 {
		return -1
	}
	s := see[[]byte](to)
	memory, size := []byte{}, base64.StdEncoding.DecodedLen(len(b))
	if onV2 {
		// Decode writes zeros behind its result where there is room. As in encoding/json, padding
		// gets no room.
		size = base64.RawStdEncoding.DecodedLen(len(bytes.TrimRight(b, "=")))
	}
	if onV2 && size <= cap(*s) && *s != nil {
		memory = (*s)[:size]
	} else if size > 0 {
		memory = arena.MakeSlice[byte](d.a, size, size)
		if onV2 { // Decode skips line ends, and then it does not fill the memory
			copy(memory, (*s)[:cap(*s)])
		}
	}
	n, err := base64.StdEncoding.Decode(memory, b)
	if err != nil {
		return -1
	}
	*s = memory[:n]
	return end
}

// base64Text returns the text of the string that begins at i, and the position behind its quote, or
// -1.
func (d *decoder) base64Text(p *plan, i int) (b []byte, end int) {
	end, ascii := d.text.EndOfString(i)
	b = d.text.Bytes(i, end)
	if end++; d.text.Char(end-1) != '"' || !ascii {
		b, end = d.unquote(i)
	}
	if p.v2 && end >= 0 && bytes.ContainsAny(b, "\r\n") {
		return nil, -1
	}
	return b, end
}

// unmarshalJSON calls UnmarshalJSON, or UnmarshalJSONArena.
func (d *decoder) unmarshalJSON(p *plan, to pointer, i int) int {
	end := d.text.Skip(i, d.depth)
	if end < 0 {
		return -1
	}
	var err error
	v := pointerAt(p.typ, to).Interface()
	if p.pure {
		if p.v2 && p.typ == timeType && !isStrictTime(d.text.Bytes(i, end)) {
			return -1
		}
		err = v.(json.Unmarshaler).UnmarshalJSON(d.text.Bytes(i, end))
	} else {
		b := d.input[i:end:end]
		if d.opt.V2 && p.op != intoV2 {
			d.doubtful(i, end)
		}
		if p.op == intoArena && (!d.kept.IsNone() || d.a != nil) {
			if b = d.keepBytes(i, end); d.kept.IsNone() {
				d.given = b
			}
		}
		lent := d.lend(end - i)
		switch p.op {
		case intoV2:
			err = d.opt.stdV2(b, v)
		case intoArena:
			err = v.(UnmarshalerArena).UnmarshalJSONArena(d.a, b)
		default:
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
	if d.text.Char(i) != '"' {
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

// unquoteInput is unquote for bytes that somebody may keep: they are the caller's, or nobody's, as
// with encoding/json.
func (d *decoder) unquoteInput(i int) (b []byte, end int) {
	end, ascii := d.text.EndOfString(i)
	if d.text.Char(end) == '"' && (ascii || d.text.IsUTF8(i, end)) {
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
	case d.text.IsNull(i):
		return i + 4
	case d.text.Char(i) != '"':
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
	if text.IsNull(i) {
		return d.null(p, to, i)
	}
	if text.Char(i) != '"' {
		return -1
	}
	i++
	for p.op == intoPointer {
		if text.Char(i) == 'n' {
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
		if text.Char(i) == 'n' {
			return -1
		}
		if i = d.value(p, to, i); i >= 0 && text.Char(i) == '"' {
			return i + 1
		}
	}
	return -1
}

// ofQuotes returns what a string means that is the text of another one. It is not ok where
// encoding/json has an error: that does not allow white space behind the quotes, and its second
// version no half of a surrogate pair. All escapes with u are left to the latter, and the letters
// null where they mean null.
func ofQuotes(b []byte) (s string, ok bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' || onV2 && bytes.Contains(b, []byte(`\u`)) {
		return "", false
	}
	err := json.Unmarshal(b, &s)
	return s, err == nil && (s != "null" || !textOfNull())
}
