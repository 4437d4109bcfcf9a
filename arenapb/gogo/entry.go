package gogo

import "reflect"

// put puts the entry at b[i:] into the map at q, which is the field f of m, and returns where the
// entry ends. Maps are Go's own, and are on the heap; the text in them is in the arena, and so are
// messages behind pointers. An entry has a key and a value, each of them at most once, and no
// message replaces another: the generated Unmarshal decodes input where this is not so. It also
// decodes entries that lack one, unless it takes that for zero, as tried by plan.lacks.
func (d *decoder) put(q pointer, m *plan, f *field, b []byte, i int, counts *int, depth int) (end int) {
	s, end := bytesOf(b, i)
	if end < 0 {
		return -1
	}
	e := f.entry
	if loadPointer(q) == nil {
		// No more room than eight times the input has bytes: many entries may have one key.
		n := min(d.expected(counts, m, f, b[end:]), 1+8*(len(b)-i)/e.size)
		storePointer(q, d.maps.Make(e.kind, n).UnsafePointer())
	}
	v := d.variables(e)
	hasKey, hasVal := false, false
	for i := 0; i < len(s); {
		switch tag := s[i]; {
		case tag == e.keyTag && !hasKey:
			hasKey = true
			i = d.set(v.keyAt, &e.key, s, i+1, depth)
		case tag == e.valTag && !hasVal:
			hasVal = true
			to := v.valAt
			if e.val.behind {
				storePointer(to, d.slab(e.val.target).New())
				to = loadPointer(to)
			}
			i = d.set(to, &e.val, s, i+1, depth)
		default:
			return -1
		}
		if i < 0 {
			return -1
		}
	}
	if !hasKey || !hasVal {
		if !e.lacks {
			return -1
		}
		if !hasVal && e.val.kind == kindBytes {
			v.val.SetBytes([]byte{}) // as generated code does
		}
	}
	if e.texts {
		(*textsAt(q))[*textAt(v.keyAt)] = *textAt(v.valAt)
		*textAt(v.keyAt), *textAt(v.valAt) = "", ""
		d.giveBack(e, v)
		return end
	}
	all := valueAt(e.typ, q)
	entries := all.Len()
	all.SetMapIndex(v.key, v.val)
	if e.val.kind >= kindMessage && all.Len() == entries {
		return -1
	}
	v.key.SetZero()
	v.val.SetZero()
	d.giveBack(e, v)
	return end
}

// variables returns zero ones for the entries of a map. The caller gives them back, zero again, or
// loses them.
func (d *decoder) variables(e *entry) *variables {
	number := e.kind.Number
	for len(d.idle) <= number {
		d.idle = append(d.idle, nil)
	}
	list := d.idle[number]
	if n := len(list); n > 0 {
		v := list[n-1]
		d.idle[number] = list[:n-1]
		return v
	}
	v := &variables{key: reflect.New(e.typ.Key()).Elem(), val: reflect.New(e.typ.Elem()).Elem()}
	v.keyAt, v.valAt = addressOf(v.key), addressOf(v.val)
	return v
}

// giveBack stores the result of variables for the next entry.
func (d *decoder) giveBack(e *entry, v *variables) {
	d.idle[e.kind.Number] = append(d.idle[e.kind.Number], v)
}
