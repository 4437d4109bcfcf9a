package arenapb

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// A putter puts a key and a value into the map at p, which there is, and reports whether that made
// it longer. It sees maps of several Go types as one: keys and values of 32 bits as uint32, for
// example, and pointers to messages as pointers to anything. Hashes of keys, and where entries are
// in memory, are the same for those. putterFor tries it with each type.
type putter func(p pointer, e *entry, key, val element) (more bool)

// putterFor returns what is to be used for the maps of e, or nil for package reflect.
func putterFor(e *entry) putter {
	var put putter
	switch e.key.shape() {
	case shapeString:
		put = puttersOf(func(x element, _ kind) string { return text(x.bytes) })[e.val.shape()]
	case shape32:
		put = puttersOf(element.bits32)[e.val.shape()]
	case shape64:
		put = puttersOf(element.bits64)[e.val.shape()]
	}
	if put == nil || !e.tried(put) {
		return nil
	}
	return put
}

// puttersOf has the putters for keys of a type, by the shape of values.
func puttersOf[K comparable](key func(element, kind) K) [shapes]putter {
	return [shapes]putter{
		shapeString:  putterOf(key, func(x element, _ kind) string { return text(x.bytes) }),
		shapeBytes:   putterOf(key, func(x element, _ kind) []byte { return x.bytes }),
		shape32:      putterOf(key, element.bits32),
		shape64:      putterOf(key, element.bits64),
		shapeBool:    putterOf(key, func(x element, _ kind) bool { return x.bits != 0 }),
		shapeMessage: putterOf(key, func(x element, _ kind) pointer { return x.message }),
	}
}

func putterOf[K comparable, V any](key func(element, kind) K, val func(element, kind) V) putter {
	return func(p pointer, e *entry, k, v element) bool {
		m := mapAt[K, V](p)
		n := len(m)
		m[key(k, e.key.kind)] = val(v, e.val.kind)
		return len(m) > n
	}
}

// A shape is what values are in memory.
type shape int

const (
	shapeString shape = iota
	shapeBytes
	shape32
	shape64
	shapeBool
	shapeMessage
	shapes
)

// shape returns the shape of keys, or of values.
func (f *field) shape() shape {
	switch f.kind {
	case kindString:
		return shapeString
	case kindBytes:
		return shapeBytes
	case kindVarint32, kindSint32, kindFixed32:
		return shape32
	case kindBool:
		return shapeBool
	case kindMessage, kindGroup:
		return shapeMessage
	}
	return shape64
}

func (x element) bits32(k kind) uint32 {
	if k == kindSint32 {
		return uint32(protowire.DecodeZigZag(x.bits & (1<<32 - 1)))
	}
	return uint32(x.bits)
}

func (x element) bits64(k kind) uint64 {
	if k == kindSint64 {
		return uint64(protowire.DecodeZigZag(x.bits))
	}
	return x.bits
}

// tried puts entries into a map of e's type. It reports whether package reflect finds them there,
// and put finds the entries of package reflect.
func (e *entry) tried(put putter) bool {
	p := reflect.New(e.typ)
	m := p.Elem()
	m.Set(reflect.MakeMap(e.typ))
	for round := range 2 {
		for n := range 100 {
			key, val := e.key.trial(n), e.val.trial(n+round)
			k, v := reflect.New(e.typ.Key()).Elem(), reflect.New(e.typ.Elem()).Elem()
			key.set(k, &e.key)
			val.set(v, &e.val)
			was := m.Len()
			if n%3 == 0 && round == 0 {
				m.SetMapIndex(k, v)
			} else if more := put(p.UnsafePointer(), e, key, val); more != (m.Len() > was) {
				return false
			}
			if got := m.MapIndex(k); m.Len() != max(was, n+1) || !got.IsValid() || !reflect.DeepEqual(got.Interface(), v.Interface()) {
				return false
			}
		}
	}
	return true
}

// trial returns one of many values of f.
func (f *field) trial(n int) (x element) {
	x.bits = uint64(n) * 1000003
	x.bytes = fmt.Appendf(nil, "%d", n)
	if f.sub != nil {
		x.message = reflect.New(f.sub.typ).UnsafePointer()
	}
	return x
}
