package arenajson

import (
	"math/bits"

	"github.com/arena-go/arena/internal/jsonwire"
)

// mostTogether is how many entries of a map are collected before they are set.
const mostTogether = 256

// fewTogether is how many entries a new map has room for anyway.
const fewTogether = 8

// sketch returns a number below 64, always the same one for a key.
func sketch(key string) uint64 {
	n := len(key)
	if n == 0 {
		return 0
	}
	if n < 4 {
		return uint64((uint32(key[0]) ^ uint32(key[n/2])<<8 ^ uint32(key[n-1])<<16) * 0x9e3779b1 >> 26)
	}
	h := uint32(key[n-4]) | uint32(key[n-3])<<8 | uint32(key[n-2])<<16 | uint32(key[n-1])<<24
	return uint64((h ^ uint32(key[0])<<9 ^ uint32(n)) * 0x9e3779b1 >> 26)
}

// roomFor returns how many entries a new map is to have room for, which gets n. seen has a bit for
// each sketch of a key. There are at least as many keys as bits, and the map has room for no more
// than four times that: the others may be the same again, for which encoding/json's map has no
// room.
func roomFor(n int, seen uint64) int { return min(n, 4*bits.OnesCount64(seen)) }

// entries decodes an object into a map.
func (d *decoder) entries(p *plan, to pointer, i int) int {
	text := d.text
	if text.Char(i) != '{' {
		return -1
	}
	if d.depth++; d.depth > jsonwire.MaxNesting {
		return -1
	}
	if i = d.line(i+1, d.depth); text.Char(i) == '}' {
		if loadPointer(to) == nil {
			storePointer(to, d.goMap(p.pairs, 0))
		}
		d.depth--
		return i + 1
	}
	m, elem := p.pairs, p.elem
	keysStay := m.text != nil && !m.text.pure
	keys, vals := d.temp(m.keys, keysStay), d.temp(p.slab, p.stays)
	keySize := m.keyType.Size()
	n, made := 0, d.made
	for {
		if text.Char(i) != '"' {
			return -1
		}
		if n > 0 && (!p.together || n == mostTogether || d.crowded(made, i) || d.full(keys, n, keySize, i) || d.full(vals, n, elem.size, i)) {
			d.insertEntries(p, to, keys, vals, n)
			if keysStay {
				d.free(keys)
				keys = d.temp(m.keys, true)
			} else {
				d.all[keys].clear()
			}
			d.all[vals].clear() // as encoding/json uses the memory of a value again for the next one of the object
			n, made = 0, d.made
		}
		key := d.place(keys, n, keySize, i)
		named, late := true, -1
		if m.key == keysText && !onV2 {
			late = i + 1 // the first version of encoding/json calls UnmarshalText when it has decoded the value
			i = text.SkipString(late)
		} else {
			i, named = d.key(m, key, i+1)
			text = d.text
		}
		if i < 0 {
			if d.err != nil {
				d.setEntries(p, to, keys, vals, n)
			}
			return -1
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
		val := d.place(vals, n, elem.size, i)
		above := d.above
		d.above += d.made - made
		if !named {
			if i = text.Skip(i, d.depth); i < 0 {
				d.setEntries(p, to, keys, vals, n)
				return -1
			}
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
		text = d.text
		d.above = above
		if text.Char(i) != ',' {
			switch i = d.line(i, d.depth-1); text.Char(i) {
			case '}':
				d.setEntries(p, to, keys, vals, n)
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

// setEntries is insertEntries where the temps are then free.
func (d *decoder) setEntries(p *plan, to pointer, keys, vals, n int) {
	d.insertEntries(p, to, keys, vals, n)
	d.free(keys)
	d.free(vals)
}

// insertEntries sets n entries of the map in the place to, or of a new one if that is nil. A new
// map has room for them, unless few of the keys differ.
func (d *decoder) insertEntries(p *plan, to pointer, keys, vals, n int) {
	k, v := &d.temps.all[keys], &d.temps.all[vals]
	if loadPointer(to) == nil {
		room := min(n, fewTogether)
		if n > fewTogether && p.pairs.key != keysText {
			var seen uint64
			if p.pairs.key == keysString {
				for _, s := range stringsAt(k.data, n) {
					seen |= 1 << sketch(s)
				}
			} else {
				for i := range n {
					seen |= 1 << (loadUint8(at(k.data, uintptr(i)*k.typ.elem.Size())) & 63)
				}
			}
			room = roomFor(n, seen)
		}
		storePointer(to, d.goMap(p.pairs, room))
	}
	had := mapLen(loadPointer(to))
	if insert := p.pairs.insert; insert != nil && n > 0 {
		insert(to, k.data, v.data, n)
	} else {
		m, keys, vals := valueAt(p.typ, to), k.values(n), v.values(n)
		for i := range n {
			m.SetMapIndex(keys.Index(i), vals.Index(i))
		}
	}
	if d.opt.V2 && mapLen(loadPointer(to)) != had+n {
		d.doubt = true
	}
}

// key decodes the name whose text begins at i into the key at to, and returns the position behind
// its quote, or -1. named tells whether the entry is set: after an error of UnmarshalText it is
// not.
func (d *decoder) key(m *pairsPlan, to pointer, i int) (end int, named bool) {
	switch m.key {
	case keysString:
		s, end := d.repeated(&d.names, i)
		if end >= 0 {
			storeString(to, s)
		}
		return end, true
	case keysInt, keysUint:
		var v uint64
		if m.key == keysInt {
			v, end = d.text.Signed(i, m.bits)
			if v == 0 && d.opt.V2 && d.text.Char(i) == '-' {
				return -1, false // a key that 0 is, too: encoding/json/v2 decides
			}
		} else {
			v, end = d.text.Unsigned(i, m.bits)
		}
		if end < 0 || d.text.Char(end) != '"' {
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
