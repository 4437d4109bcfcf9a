package arenajson

import "reflect"

// A pairsPlan says how objects become maps of Go.
type pairsPlan struct {
	key     keyForm
	bits    uint  // of integers that are keys
	text    *plan // of keys with UnmarshalText
	keyType reflect.Type
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
	m := &pairsPlan{keyType: t.Key()}
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
	case k >= reflect.Uint && k <= reflect.Uintptr:
		m.key, m.bits = keysUint, uint(t.Key().Bits())
	default:
		return
	}
	p.op, p.elem, p.pairs = intoMap, pl.plan(t.Elem()), m
}

// insertFor returns the function that sets entries of a map with strings as keys and values of type t, or nil if there is none.
func insertFor(t reflect.Type) func(m, keys, vals pointer, n int) {
	switch t.Kind() {
	case reflect.String:
		return insert[string]
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return insert[any]
		}
	case reflect.Pointer:
		return insert[pointer]
	case reflect.Slice:
		return insert[[]byte]
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return insert[uint64]
	case reflect.Int, reflect.Uint:
		return insert[uint]
	case reflect.Bool:
		return insert[bool]
	}
	return nil
}
