package arenapb

import (
	"encoding/binary"
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// put puts the entry in b into the map at p. Maps are Go's own, and are on the heap; the text and
// the messages in them are in the arena.
func (d *decoder) put(p pointer, f *field, b []byte, depth int) bool {
	if faulty {
		step()
	}
	e := f.entry
	var key, val element
	complete := f.sub == nil // one piece of a message is enough, as for protobuf
	for i := 0; i < len(b); {
		var tag uint64
		if tag, i = varint(b, i); i < 0 {
			return false
		}
		num, wire := tag>>3, uint8(tag&7)
		if num-1 >= uint64(protowire.MaxValidNumber) {
			return false
		}
		var ok bool
		switch {
		case num == 1 && wire == e.key.wire:
			i, ok = d.element(&key, &e.key, b, i, depth)
		case num == 2 && wire == e.val.wire:
			partial := d.partial
			d.partial = false
			i, ok = d.element(&val, &e.val, b, i, depth)
			complete = complete || !d.partial
			d.partial = partial
		default:
			size := protowire.ConsumeFieldValue(protowire.Number(num), protowire.Type(wire), b[i:])
			i, ok = i+size, size >= 0
		}
		if !ok {
			return false
		}
	}
	if f.sub != nil && val.message == nil {
		val.message = d.value(f.sub.slab)
	}
	d.partial = d.partial || !complete
	if e.put != nil && d.undo == nil && !(d.again && f.sub != nil) {
		if faulty {
			step()
		}
		more := e.put(p, e, key, val)
		d.again = f.sub != nil && !more || d.again
		return true
	}
	v := d.variables(e)
	key.set(v.key, &e.key)
	val.set(v.val, &e.val)
	all := valueAt(e.typ, p)
	if d.again || d.undo != nil {
		d.replace(p, f, all, v.key)
	}
	if faulty {
		step()
	}
	entries := all.Len()
	all.SetMapIndex(v.key, v.val)
	if faulty {
		step()
	}
	d.again = d.again || f.sub != nil && all.Len() == entries
	v.key.SetZero()
	v.val.SetZero()
	return true
}

// makeMap makes the map at p, with room for n entries, unless there is one.
func (d *decoder) makeMap(p pointer, e *entry, n int) {
	if loadPointer(p) == nil {
		storePointer(p, d.maps.Make(e.kind, n).UnsafePointer())
	}
}

// variables returns those for the key and the value of an entry.
func (d *decoder) variables(e *entry) *variables {
	n := e.kind.Number
	for len(d.scratch) <= n {
		d.scratch = append(d.scratch, variables{})
	}
	v := &d.scratch[n]
	if !v.key.IsValid() {
		*v = variables{reflect.New(e.typ.Key()).Elem(), reflect.New(e.typ.Elem()).Elem()}
	}
	return v
}

// An element is a key or a value.
type element struct {
	bits    uint64
	bytes   []byte
	message pointer
}

// element reads the one at b[i:], and returns where it ends.
func (d *decoder) element(x *element, f *field, b []byte, i, depth int) (int, bool) {
	switch protowire.Type(f.wire) {
	case protowire.VarintType:
		x.bits, i = varint(b, i)
	case protowire.Fixed32Type:
		if i += 4; i > len(b) {
			return i, false
		}
		x.bits = uint64(binary.LittleEndian.Uint32(b[i-4:]))
	case protowire.Fixed64Type:
		if i += 8; i > len(b) {
			return i, false
		}
		x.bits = binary.LittleEndian.Uint64(b[i-8:])
	case protowire.BytesType:
		var s []byte
		if s, i = bytesOf(b, i); i < 0 {
			return i, false
		}
		if f.kind == kindMessage {
			if x.message == nil {
				x.message = d.value(f.sub.slab)
			}
			return i, d.message(x.message, f.sub, s, 0, depth) >= 0
		}
		x.bytes = f.bytes(s)
		if f.validate && !valid(s) {
			return i, false
		}
	}
	return i, i >= 0
}

// set sets v, whose type is the type of f.
func (x *element) set(v reflect.Value, f *field) {
	switch f.kind {
	case kindString:
		v.SetString(text(x.bytes))
		return
	case kindBytes:
		v.SetBytes(x.bytes)
		return
	case kindMessage:
		v.Set(reflect.NewAt(f.sub.typ, x.message))
		return
	case kindBool:
		v.SetBool(x.bits != 0)
		return
	case kindSint32:
		x.bits = uint64(protowire.DecodeZigZag(x.bits & math.MaxUint32))
	case kindSint64:
		x.bits = uint64(protowire.DecodeZigZag(x.bits))
	}
	switch v.Kind() {
	case reflect.Int32, reflect.Int64:
		if v.Kind() == reflect.Int32 {
			x.bits = uint64(int32(x.bits))
		}
		v.SetInt(int64(x.bits))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(x.bits)
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(x.bits))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(x.bits))
	}
}
