package arenajson

import "reflect"

// A pairsPlan says how objects become maps of Go.
type pairsPlan struct {
	key     keyForm
	bits    uint  // of integers that are keys
	text    *plan // of keys with UnmarshalText
	keyType reflect.Type
	keys    int                                // number of the slab for keys
	insert  func(m, keys, vals pointer, n int) // if the compiler's code for another map type serves this one
}

// A keyForm says how names of members become keys.
type keyForm uint8

const (
	keysString keyForm = iota
	keysInt
	keysUint
	keysText // UnmarshalText
)

// pairs makes p the plan of a map type.
func (pl planner) pairs(p *plan) {
	t := p.typ
	m := &pairsPlan{keyType: t.Key(), keys: slabFor(t.Key())}
	to := reflect.PointerTo(t.Key())
	switch k := t.Key().Kind(); {
	case to.Implements(textUnmarshalerType):
		m.key, m.text = keysText, pl.plan(t.Key())
		if m.text.op != intoText {
			return // it has UnmarshalJSON, too, or no name
		}
	case hasUnmarshalerFrom(to) || to.Implements(unmarshalerType):
		return
	case k == reflect.String:
		m.key = keysString
		m.insert = insertFor(t.Elem())
	case k >= reflect.Int && k <= reflect.Int64:
		m.key, m.bits = keysInt, uint(t.Key().Bits())
		m.insert = insertIntFor(m.bits, t.Elem())
	case k >= reflect.Uint && k <= reflect.Uintptr:
		m.key, m.bits = keysUint, uint(t.Key().Bits())
		m.insert = insertIntFor(m.bits, t.Elem())
	default:
		return
	}
	p.op, p.elem, p.slab, p.pairs = intoMap, pl.plan(t.Elem()), slabFor(t.Elem()), m
}

// insertFor returns the function that sets entries of a map with strings as keys and values of type t, or nil if there is none.
func insertFor(t reflect.Type) func(m, keys, vals pointer, n int) {
	switch t.Kind() {
	case reflect.String:
		return insert[string, string]
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return insert[string, any]
		}
	case reflect.Pointer:
		return insert[string, pointer]
	case reflect.Slice:
		return insert[string, []byte]
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return insert[string, uint64]
	case reflect.Int, reflect.Uint:
		return insert[string, uint]
	case reflect.Bool:
		return insert[string, bool]
	}
	return nil
}

// insertIntFor is insertFor where the keys are integers.
func insertIntFor(bits uint, t reflect.Type) func(m, keys, vals pointer, n int) {
	if bits != 64 {
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return insert[uint64, string]
	case reflect.Pointer:
		return insert[uint64, pointer]
	}
	return nil
}
