package gogo

import "reflect"

// hasAs reports whether there may be a value in a message of m whose tags another type has. seen
// has the plans that were looked at.
func (m *plan) hasAs(seen map[*plan]bool) bool {
	if m.as || m.held != nil {
		return true
	}
	if seen[m] {
		return false
	}
	if seen == nil {
		seen = map[*plan]bool{}
	}
	seen[m] = true
	for _, f := range m.all {
		if f.sub != nil && f.sub.hasAs(seen) {
			return true
		}
	}
	return false
}

// same compares two messages of m. It is reflect.DeepEqual for all that m decodes, and also for
// what it does not, unless another type has the tags of m. In a message of which that is so, lists
// without elements may be nil or not.
func (m *plan) same(got, want pointer, loose bool) bool {
	if m.reason != "" {
		return reflect.DeepEqual(valueAt(m.typ, got).Interface(), valueAt(m.typ, want).Interface())
	}
	loose = loose || m.as
	if m.held != nil {
		got, want = loadPointer(at(got, m.holds)), loadPointer(at(want, m.holds))
		if got == nil || want == nil {
			return got == want
		}
		return m.held.same(got, want, loose)
	}
	rest := [2]reflect.Value{reflect.New(m.typ).Elem(), reflect.New(m.typ).Elem()}
	rest[0].Set(valueAt(m.typ, got))
	rest[1].Set(valueAt(m.typ, want))
	for _, f := range m.all {
		p, q := at(got, f.offset), at(want, f.offset)
		if f.form == formOneof {
			if faceAt(p).word != faceAt(q).word {
				return false
			}
			if faceAt(p).word == f.wrapper && !f.same(faceAt(p).data, faceAt(q).data, f.typ, loose) {
				return false
			}
			for _, r := range rest {
				*faceAt(at(addressOf(r), f.offset)) = face{}
			}
			continue
		}
		if !f.same(p, q, f.typ, loose) {
			return false
		}
		for _, r := range rest {
			valueAt(f.typ, at(addressOf(r), f.offset)).SetZero()
		}
	}
	return m.as || reflect.DeepEqual(rest[0].Interface(), rest[1].Interface())
}

// same compares two values of f of type t, or two elements of it.
func (f *field) same(got, want pointer, t reflect.Type, loose bool) bool {
	v, w := valueAt(t, got), valueAt(t, want)
	switch {
	case f.form == formList && t == f.typ:
		if v.Len() != w.Len() || v.IsNil() != w.IsNil() && !loose {
			return false
		}
		for i := range v.Len() {
			if !f.same(addressOf(v.Index(i)), addressOf(w.Index(i)), f.elem, loose) {
				return false
			}
		}
		return true
	case f.sub == nil || f.form == formMap:
		return reflect.DeepEqual(v.Interface(), w.Interface())
	case f.behind:
		if v.IsNil() || w.IsNil() {
			return v.IsNil() == w.IsNil()
		}
		got, want = loadPointer(got), loadPointer(want)
	}
	return f.sub.same(got, want, loose)
}
