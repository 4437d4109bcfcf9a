package arenajson

import "reflect"

// A temp is memory for values of a type, all of them zero. Keys and values of a map are there until it is known how many there are.
type temp struct {
	typ   reflect.Type
	data  pointer
	room  int
	dirty int // values that may not be zero
	used  bool
}

// temp returns one that is not in use, by its number: d.temps may move.
func (d *decoder) temp(t reflect.Type) int {
	for i := range d.temps {
		if m := &d.temps[i]; m.typ == t && !m.used {
			m.used = true
			return i
		}
	}
	d.temps = append(d.temps, temp{typ: t, used: true})
	return len(d.temps) - 1
}

// place returns where value n is, which is the first that is not in use.
func (m *temp) place(n int, size uintptr) pointer {
	if n >= m.room {
		m.grow()
	}
	m.dirty = n + 1
	return at(m.data, uintptr(n)*size)
}

func (m *temp) grow() {
	n := max(8, 2*m.room)
	s := reflect.MakeSlice(reflect.SliceOf(m.typ), n, n)
	if m.room > 0 {
		reflect.Copy(s, elementsAt(m.typ, m.data, m.room))
	}
	m.data, m.room = addressOf(s), n
}

// values returns them as a slice.
func (m *temp) values(n int) reflect.Value { return elementsAt(m.typ, m.data, n) }

// clear makes the values zero, and gives large memory to the collector.
func (m *temp) clear() {
	m.used = false
	if m.room > maxScratch {
		m.data, m.room, m.dirty = nil, 0, 0
	}
	if m.dirty > 0 {
		m.values(m.dirty).Clear()
		m.dirty = 0
	}
}

// entries decodes an object into a map.
func (d *decoder) entries(p *plan, to pointer, i int) int {
	text := d.text
	if char(text, i) != '{' {
		return -1
	}
	if d.depth++; d.depth > maxNesting {
		return -1
	}
	if i = space(text, i+1); char(text, i) == '}' {
		if loadPointer(to) == nil {
			valueAt(p.typ, to).Set(reflect.MakeMap(p.typ))
		}
		d.depth--
		return i + 1
	}
	m, elem := p.pairs, p.elem
	keys, vals := d.temp(m.keyType), d.temp(elem.typ)
	keySize := m.keyType.Size()
	n := 0
	for {
		if char(text, i) != '"' {
			return -1
		}
		key := d.temps[keys].place(n, keySize)
		named, late := true, -1
		if m.key == keysText && !onV2 {
			late = i + 1 // the first version of encoding/json calls UnmarshalText when it has decoded the value
			i = skipString(text, late)
		} else {
			i, named = d.key(m, key, i+1)
		}
		if i < 0 {
			if d.err != nil {
				d.setEntries(p, to, keys, vals, n)
			}
			return -1
		}
		if char(text, i) != ':' {
			if i = space(text, i); char(text, i) != ':' {
				return -1
			}
		}
		i++
		if char(text, i) <= ' ' {
			i = space(text, i)
		}
		val := d.temps[vals].place(n, elem.size)
		if !named {
			i = skip(text, i, d.depth)
			valueAt(m.keyType, key).SetZero()
		} else if i = d.value(elem, val, i); i < 0 {
			if d.err != nil {
				if onV2 {
					n++
				}
				d.setEntries(p, to, keys, vals, n)
			}
			return -1
		} else {
			if late >= 0 {
				if end, _ := d.key(m, key, late); end < 0 {
					d.setEntries(p, to, keys, vals, n)
					return -1
				}
			}
			n++
		}
		if char(text, i) != ',' {
			switch i = space(text, i); char(text, i) {
			case '}':
				d.setEntries(p, to, keys, vals, n)
				d.depth--
				return i + 1
			case ',':
			default:
				return -1
			}
		}
		i++
		if char(text, i) <= ' ' {
			i = space(text, i)
		}
	}
}

// setEntries sets n entries of the map in the place to, or of a new one if that is nil.
func (d *decoder) setEntries(p *plan, to pointer, keys, vals, n int) {
	k, v := &d.temps[keys], &d.temps[vals]
	m := valueAt(p.typ, to)
	from := 0
	if m.IsNil() {
		size := n
		if n > fewPairs {
			// See setPairs.
			m.Set(reflect.MakeMapWithSize(p.typ, n/4))
			p.set(m, to, k, v, 0, n/4)
			if m.Len() < n/5 {
				size, from = 0, n/4
			}
		}
		if from == 0 {
			m.Set(reflect.MakeMapWithSize(p.typ, size))
		}
	}
	p.set(m, to, k, v, from, n)
	k.clear()
	v.clear()
}

// set sets the entries from up to n of the map m, which is in the place to.
func (p *plan) set(m reflect.Value, to pointer, k, v *temp, from, n int) {
	if from == n {
		return
	}
	if p.pairs.insert != nil {
		p.pairs.insert(to, at(k.data, uintptr(from)*k.typ.Size()), at(v.data, uintptr(from)*p.elem.size), n-from)
		return
	}
	keys, vals := k.values(n), v.values(n)
	for i := from; i < n; i++ {
		m.SetMapIndex(keys.Index(i), vals.Index(i))
	}
}

// key decodes the name whose text begins at i into the key at to, and returns the position behind its quote, or -1. named tells whether the entry is
// set: after an error of UnmarshalText it is not.
func (d *decoder) key(m *pairsPlan, to pointer, i int) (end int, named bool) {
	switch m.key {
	case keysString:
		s, end := d.str(i)
		if end >= 0 {
			storeString(to, s)
		}
		return end, true
	case keysInt, keysUint:
		var v uint64
		if m.key == keysInt {
			v, end = signed(d.text, i, m.bits)
		} else {
			v, end = unsigned(d.text, i, m.bits)
		}
		if end < 0 || char(d.text, end) != '"' {
			return -1, false
		}
		switch m.bits {
		case 8:
			store8(to, uint8(v))
		case 16:
			store16(to, uint16(v))
		case 32:
			store32(to, uint32(v))
		default:
			store64(to, v)
		}
		return end + 1, true
	}
	before := d.failures
	end = d.unmarshalText(m.text, to, i-1)
	return end, d.failures == before
}
