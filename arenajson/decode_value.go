package arenajson

import "github.com/arena-go/arena/internal/jsonwire"

// value decodes the value at i into the place to, and returns the position behind it. It returns -1
// after an error, and where encoding/json is to decode the document.
func (d *decoder) value(p *plan, to pointer, i int) int {
	if d.text.Char(i) == 'n' {
		return d.null(p, to, i)
	}
	switch p.op {
	case intoString:
		return d.string(to, i)
	case intoStruct:
		return d.object(p, to, i)
	case intoPointer:
		return d.value(p.elem, d.follow(to, p.slab), i)
	case intoSlice:
		return d.slice(p, to, i)
	case intoAny:
		v, end := d.any(i)
		if end >= 0 {
			storeAny(to, v)
		}
		return end
	case intoMap:
		if loadPointer(to) != nil {
			d.maps.forget()
		}
		return d.entries(p, to, i)
	case intoBool:
		return d.bool(to, i)
	case intoInt64:
		v, end := d.text.Signed(i, 64)
		if end >= 0 {
			store64(to, v)
		}
		return end
	case intoInt32:
		v, end := d.text.Signed(i, 32)
		if end >= 0 {
			store32(to, uint32(v))
		}
		return end
	case intoInt16:
		v, end := d.text.Signed(i, 16)
		if end >= 0 {
			store16(to, uint16(v))
		}
		return end
	case intoInt8:
		v, end := d.text.Signed(i, 8)
		if end >= 0 {
			store8(to, uint8(v))
		}
		return end
	case intoUint64:
		v, end := d.text.Unsigned(i, 64)
		if end >= 0 {
			store64(to, v)
		}
		return end
	case intoUint32:
		v, end := d.text.Unsigned(i, 32)
		if end >= 0 {
			store32(to, uint32(v))
		}
		return end
	case intoUint16:
		v, end := d.text.Unsigned(i, 16)
		if end >= 0 {
			store16(to, uint16(v))
		}
		return end
	case intoUint8:
		v, end := d.text.Unsigned(i, 8)
		if end >= 0 {
			store8(to, uint8(v))
		}
		return end
	case intoFloat64:
		v, end := d.text.Float(i)
		if end >= 0 {
			storeFloat64(to, v)
		}
		return end
	case intoFloat32:
		v, end := d.text.Float32(i)
		if end >= 0 {
			storeFloat32(to, v)
		}
		return end
	case intoArray:
		return d.array(p, to, i)
	}
	return d.rare(p, to, i)
}

// null decodes null, if that is at i.
func (d *decoder) null(p *plan, to pointer, i int) int {
	if !d.text.IsNull(i) {
		return -1
	}
	switch p.op {
	case intoPointer, intoMap:
		storePointer(to, nil)
	case intoSlice, intoBytes:
		*sliceAt(to) = sliceHead{}
	case intoAny:
		storeAny(to, nil)
	case intoCustom, intoArena, intoRaw, intoLeave, intoV2, intoRefString, intoArenaMap:
		return d.rare(p, to, i)
	case intoText:
		return d.nullText(p, to, i)
	}
	return i + 4
}

// bool decodes true or false.
func (d *decoder) bool(to pointer, i int) int {
	switch {
	case d.text.IsTrue(i):
		storeBool(to, true)
		return i + 4
	case d.text.Char(i) == 'f' && d.text.IsFalse(i):
		storeBool(to, false)
		return i + 5
	}
	return -1
}

// follow returns what the pointer in the place to points at: a new value if it is nil.
func (d *decoder) follow(to pointer, slab int) pointer {
	p := loadPointer(to)
	if p == nil {
		p = d.new(slab)
		storePointer(to, p)
	}
	return p
}

// object decodes an object into a struct.
func (d *decoder) object(p *plan, to pointer, i int) int {
	text := d.text
	if text.Char(i) != '{' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	i = d.line(i+1, d.depth)
	if text.Char(i) == '}' {
		d.depth--
		return i + 1
	}
	o := p.object
	before := &o.none
	for {
		if text.Char(i) != '"' {
			return -1
		}
		i++
		f := before.learned.next.Load()
		if f.matches(text, i, d.size) {
			i += f.length
		} else if f, i = d.member(o, before, i); i < 0 {
			return -1
		}
		if f.plan != nil {
			before = f
		}
		if text.Char(i) != ':' {
			if i = text.Space(i); text.Char(i) != ':' {
				return -1
			}
		}
		i++
		if text.Char(i) <= ' ' {
			i = text.Space(i)
		}

		// The value. What is frequent is decoded here.
		q := at(to, f.offset)
		switch f.op {
		case intoString:
			if text.Char(i) == '"' {
				if s, end := d.repeated(&d.values, i+1); end >= 0 {
					storeString(q, s)
					i = end
					break
				}
				return -1
			}
			i = d.value(f.plan, q, i)
		case intoInt64:
			// One or two digits, mostly.
			if v, end := text.Signed(i, 64); end >= 0 {
				store64(q, v)
				i = end
				break
			}
			i = d.value(f.plan, q, i)
		case intoNone:
			i = d.field(p, f, to, i)
			text = d.text
		default:
			i = d.value(f.plan, q, i)
			text = d.text
		}
		if i < 0 {
			if d.err != nil && f.plan != nil {
				d.inField(p, f)
			}
			return -1
		}

		if text.Char(i) != ',' {
			switch i = d.line(i, d.depth-1); text.Char(i) {
			case '}':
				d.depth--
				return i + 1
			case ',':
			default:
				return -1
			}
		}
		i = d.line(i+1, d.depth)
	}
}

// field decodes the value at i of a field that is not simply an offset: of none, in an embedded
// pointer, or with option "string".
func (d *decoder) field(p *plan, f *fieldPlan, to pointer, i int) int {
	if f.plan == nil {
		if d.opt.DisallowUnknownFields {
			return -1
		}
		return d.text.Skip(i, d.depth)
	}
	if f.name.nulls && d.isQuotedNull(i) {
		return -1
	}
	for _, s := range f.path {
		q := at(to, s.offset)
		if s.sealed && loadPointer(q) == nil {
			return -1
		}
		to = d.follow(q, s.slab)
	}
	if to = at(to, f.inner); f.quoted {
		return d.quoted(f.plan, to, i)
	}
	return d.value(f.plan, to, i)
}

// isQuotedNull tells whether the value at i is a string of the letters null.
func (d *decoder) isQuotedNull(i int) bool {
	if d.text.Char(i) != '"' {
		return false
	}
	b, end := d.unquote(i + 1)
	return end >= 0 && string(b) == "null"
}

// array decodes an array into an array.
func (d *decoder) array(p *plan, to pointer, i int) int {
	text := d.text
	if text.Char(i) != '[' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	n := 0
	if i = text.Space(i + 1); text.Char(i) != ']' {
		for {
			if n < p.len {
				i = d.value(p.elem, at(to, uintptr(n)*p.elem.size), i)
				text = d.text
			} else {
				i = text.Skip(i, d.depth)
			}
			if i < 0 {
				return -1
			}
			n++
			if i = text.Space(i); text.Char(i) == ']' {
				break
			}
			if text.Char(i) != ',' {
				return -1
			}
			i = text.Space(i + 1)
		}
	}
	if n != p.len && p.v2 {
		return -1
	}
	if n < p.len {
		elementsAt(p.elem.typ, at(to, uintptr(n)*p.elem.size), p.len-n).Clear()
	}
	d.depth--
	return i + 1
}

// line is space where a line may begin that is n arrays and objects deep.
func (d *decoder) line(i, depth int) int {
	if d.text.Char(i) > ' ' {
		return i
	}
	return d.indented(i, depth)
}

// indented is line if there is white space. Lines of one depth mostly have the same indentation. So
// the processor guesses it, and goes on behind the spaces while it still looks at them. It would
// have to wait for what Space returns.
func (d *decoder) indented(i, depth int) int {
	text, indent := d.text, &d.indents[depth&(maxIndents-1)]
	if end := i + 1 + *indent; text.Char(i) == '\n' && text.IsBlank(i+1, *indent) && text.Char(end) > ' ' {
		return end
	}
	end := text.Space(i)
	*indent = max(end-i-1, 0)
	return end
}
