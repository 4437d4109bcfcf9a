package arenapb

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-go/arena/internal/jsonwire"
)

// A jsonEntry is an entry of a map: a key, which is text or a number, and a value.
type jsonEntry struct {
	text, val string // bytes, too
	key, bits uint64
	message   pointer
}

// mapping appends the entries of the map at q, of which there are some, in the order of their keys.
func (e *jsonEncoder) mapping(b []byte, q pointer, f *jsonMember) (_ []byte, ok bool) {
	if faulty {
		step()
	}
	base := len(e.entries)
	if f.walk != nil {
		e.entries = f.walk(q, e.entries)
	} else {
		e.entries = f.entry.walk(q, e.entries)
	}
	all := e.entries[base:]
	switch f.key {
	case readString:
		slices.SortFunc(all, func(x, y jsonEntry) int { return strings.Compare(x.text, y.text) })
	case readInt32:
		slices.SortFunc(all, func(x, y jsonEntry) int { return cmp.Compare(int32(x.key), int32(y.key)) })
	case readInt64:
		slices.SortFunc(all, func(x, y jsonEntry) int { return cmp.Compare(int64(x.key), int64(y.key)) })
	default:
		slices.SortFunc(all, func(x, y jsonEntry) int { return cmp.Compare(x.key, y.key) })
	}
	n := len(b)
	for i := range all {
		x := &all[i]
		b = append(b, ',')
		switch f.key {
		case readString:
			if b, ok = jsonwire.AppendText(b, x.text); !ok {
				return b, false
			}
			b = append(b, ':')
		case readBool:
			b = append(jsonwire.AppendBool(append(b, '"'), x.key != 0), '"', ':')
		case readInt32:
			b = append(jsonwire.AppendInt(append(b, '"'), int64(int32(x.key))), '"', ':')
		case readInt64:
			b = append(jsonwire.AppendInt(append(b, '"'), int64(x.key)), '"', ':')
		default:
			b = append(jsonwire.AppendUint(append(b, '"'), x.key), '"', ':')
		}
		switch f.read {
		case readMessage:
			b, ok = e.message(b, x.message, f.sub)
		case readString:
			b, ok = jsonwire.AppendText(b, x.val)
		case readBytes:
			b, ok = appendBase64(b, []byte(x.val)), true
		default:
			b, ok = e.number(b, x.bits, &f.jsonType), true
		}
		if !ok {
			return b, false
		}
	}
	b[n] = '{'
	clear(all)
	e.entries = e.entries[:base]
	return append(b, '}'), true
}

// A walker appends the entries of the map at p. It sees maps of several Go types as one, as a
// putter does, with whose maps walkerFor tries it.
type walker func(p pointer, to []jsonEntry) []jsonEntry

// walkerFor returns what is to be used for the maps of e, or nil for package reflect.
func walkerFor(e *entry) walker {
	if e.put == nil {
		return nil
	}
	var walk walker
	switch e.key.shape() {
	case shapeString:
		walk = walkersOf(func(k string, x *jsonEntry) { x.text = k })[e.val.shape()]
	case shape32:
		walk = walkersOf(func(k uint32, x *jsonEntry) { x.key = uint64(k) })[e.val.shape()]
	case shape64:
		walk = walkersOf(func(k uint64, x *jsonEntry) { x.key = k })[e.val.shape()]
	}
	if walk == nil || !e.walked(walk) {
		return nil
	}
	return walk
}

// walkersOf has the walkers for keys of a type, by the shape of values.
func walkersOf[K comparable](key func(K, *jsonEntry)) [shapes]walker {
	return [shapes]walker{
		shapeString:  walkerOf(key, func(v string, x *jsonEntry) { x.val = v }),
		shapeBytes:   walkerOf(key, func(v []byte, x *jsonEntry) { x.val = text(v) }),
		shape32:      walkerOf(key, func(v uint32, x *jsonEntry) { x.bits = uint64(v) }),
		shape64:      walkerOf(key, func(v uint64, x *jsonEntry) { x.bits = v }),
		shapeBool:    walkerOf(key, func(v bool, x *jsonEntry) { x.bits = boolBits(v) }),
		shapeMessage: walkerOf(key, func(v pointer, x *jsonEntry) { x.message = v }),
	}
}

func walkerOf[K comparable, V any](key func(K, *jsonEntry), val func(V, *jsonEntry)) walker {
	return func(p pointer, to []jsonEntry) []jsonEntry {
		for k, v := range mapAt[K, V](p) {
			to = append(to, jsonEntry{})
			x := &to[len(to)-1]
			key(k, x)
			val(v, x)
		}
		return to
	}
}

func boolBits(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// walk is a walker through package reflect.
func (e *entry) walk(p pointer, to []jsonEntry) []jsonEntry {
	for i := valueAt(e.typ, p).MapRange(); i.Next(); {
		var key, val jsonEntry
		key.set(i.Key())
		val.set(i.Value())
		to = append(to, jsonEntry{text: key.val, key: key.bits, val: val.val, bits: val.bits, message: val.message})
	}
	return to
}

// set sets the value of x to v.
func (x *jsonEntry) set(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		x.val = v.String()
	case reflect.Slice:
		x.val = text(v.Bytes())
	case reflect.Pointer:
		x.message = v.UnsafePointer()
	case reflect.Bool:
		x.bits = boolBits(v.Bool())
	case reflect.Int32:
		x.bits = uint64(uint32(v.Int()))
	case reflect.Int64:
		x.bits = uint64(v.Int())
	case reflect.Uint32, reflect.Uint64:
		x.bits = v.Uint()
	case reflect.Float32:
		x.bits = uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		x.bits = math.Float64bits(v.Float())
	}
}

// walked reports whether a walker finds in a map of e's type what package reflect finds there.
func (e *entry) walked(walk walker) bool {
	p := reflect.New(e.typ)
	p.Elem().Set(reflect.MakeMap(e.typ))
	for n := range 100 {
		e.put(p.UnsafePointer(), e, e.key.trial(n), e.val.trial(n))
	}
	order := func(x, y jsonEntry) int {
		return cmp.Or(strings.Compare(x.text, y.text), cmp.Compare(x.key, y.key))
	}
	got, want := walk(p.UnsafePointer(), nil), e.walk(p.UnsafePointer(), nil)
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	return slices.Equal(got, want)
}
