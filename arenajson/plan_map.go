package arenajson

import "reflect"

// A pairsPlan says how objects become maps of Go.
type pairsPlan struct {
	key     keyForm
	bits    uint  // of integers that are keys
	text    *plan // of keys with UnmarshalText
	typ     reflect.Type
	keyType reflect.Type
	keys    int     // number of the slab for keys
	number  int     // of a map type whose keys are strings, see goMaps; 0 of others
	entry   uintptr // bytes of a key and a value
	mapFuncs
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
	m := &pairsPlan{typ: t, keyType: t.Key(), keys: slabFor(t.Key()), entry: t.Key().Size() + t.Elem().Size()}
	to := reflect.PointerTo(t.Key())
	switch k := t.Key().Kind(); {
	case pl.v2 && hasMethods(t.Key()):
		return
	case to.Implements(textUnmarshalerType):
		m.key, m.text = keysText, pl.plan(t.Key())
		if m.text.op != intoText {
			return // it has UnmarshalJSON, too, or no name
		}
	case unmarshalerFrom(to) || to.Implements(unmarshalerType):
		return
	case k == reflect.String:
		m.key = keysString
		m.mapFuncs = funcsFor(t.Elem())
	case k >= reflect.Int && k <= reflect.Int64:
		m.key, m.bits = keysInt, uint(t.Key().Bits())
		m.mapFuncs = intFuncsFor(m.bits, t.Elem())
	case k >= reflect.Uint && k <= reflect.Uintptr:
		m.key, m.bits = keysUint, uint(t.Key().Bits())
		m.mapFuncs = intFuncsFor(m.bits, t.Elem())
	default:
		return
	}
	if t == anyMap.typ {
		m.number = anyMap.number
	} else if m.key == keysString {
		mapTypes++
		m.number = mapTypes
	}
	p.op, p.elem, p.slab, p.pairs = intoMap, pl.plan(t.Elem()), slabFor(t.Elem()), m
}

// mapTypes is how many map types have a number. It is guarded by planning.
var mapTypes = anyMap.number

// anyMap is the plan of the maps in interfaces, as far as goMap needs it.
var anyMap = &pairsPlan{
	number:   1,
	typ:      reflect.TypeFor[map[string]any](),
	entry:    reflect.TypeFor[string]().Size() + reflect.TypeFor[any]().Size(),
	mapFuncs: funcs[string, any](),
}

// mapFuncs are the compiler's code for a map type that may be another one, or nil.
type mapFuncs struct {
	create func(n int) pointer
	insert func(m, keys, vals pointer, n int)
	empty  func(all []pointer, room int) int // see emptyAll
}

func funcs[K comparable, V any]() mapFuncs { return mapFuncs{create[K, V], insert[K, V], empty[K, V]} }

// funcsFor returns the functions for a map with strings as keys and values of type t, if there are
// any.
func funcsFor(t reflect.Type) (none mapFuncs) {
	switch t.Kind() {
	case reflect.String:
		return funcs[string, string]()
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return funcs[string, any]()
		}
	case reflect.Pointer, reflect.Map:
		return funcs[string, pointer]()
	case reflect.Slice:
		return funcs[string, []byte]()
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return funcs[string, uint64]()
	case reflect.Int, reflect.Uint:
		return funcs[string, uint]()
	case reflect.Bool:
		return funcs[string, bool]()
	}
	return none
}

// intFuncsFor is funcsFor where the keys are integers.
func intFuncsFor(bits uint, t reflect.Type) (none mapFuncs) {
	if bits != 64 {
		return none
	}
	switch t.Kind() {
	case reflect.String:
		return funcs[uint64, string]()
	case reflect.Pointer, reflect.Map:
		return funcs[uint64, pointer]()
	}
	return none
}
