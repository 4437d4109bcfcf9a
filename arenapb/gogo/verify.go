package gogo

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// verify decodes short messages of the type, which contain each of its fields once and twice, and
// unknown fields. It compares the results with the results of the type's own Unmarshal, and returns
// the difference. The Unmarshal of a struct may have been generated from other tags, or by a
// generator that is unknown to this package.
func (m *plan) verify() (reason string) {
	defer func() {
		if v := recover(); v != nil {
			reason = fmt.Sprintf("a panic while it was tried: %v", v)
		}
	}()
	if m.held != nil || !reflect.PointerTo(m.typ).Implements(messageType) {
		return "" // it is tried in messages that have one
	}
	base := m.least()
	for _, f := range m.all {
		same := false
		samples := f.samples()
		for i, s := range samples {
			for j, input := range [][]byte{s, join(s, samples[(i+1)%len(samples)]), join(s, s, s)} {
				here, there, reason := m.try(join(base, input))
				if reason != "" {
					return fmt.Sprintf("field %d: %s", f.number, reason)
				}
				same = same || here
				if j == 0 && there && !here && f.simple() {
					return fmt.Sprintf("field %d: its Unmarshal accepts %x, against its tags", f.number, input)
				}
			}
		}
		if f.simple() && !same {
			return fmt.Sprintf("field %d: its Unmarshal refuses what its tag says", f.number)
		}
		if f.entry != nil {
			m.lacks(f.entry, f, base)
		}
		if f.packable {
			values := f.values()
			for _, input := range [][]byte{f.packed(), f.packed(values...), join(f.packed(values[0]), samples[0], f.packed(values...))} {
				if _, _, reason := m.try(join(base, input)); reason != "" {
					return fmt.Sprintf("field %d, packed: %s", f.number, reason)
				}
			}
		}
	}
	number := uint64(1)
	for m.field(number) != &other {
		number++
	}
	for _, number := range []uint64{number, 1<<29 - 1} {
		if m.field(number) != &other {
			continue
		}
		for _, unknown := range [][]byte{
			append(appendTag(nil, number, wireVarint), 5),
			append(appendTag(nil, number, wireBytes), 2, 'a', 'b'),
			append(appendTag(nil, number, wireFixed32), 1, 2, 3, 4),
			append(appendTag(nil, number, wireFixed64), 1, 2, 3, 4, 5, 6, 7, 8),
		} {
			if _, _, reason := m.try(join(base, unknown, unknown, base, unknown)); reason != "" {
				return "unknown fields: " + reason
			}
		}
	}
	return ""
}

// lacks finds out whether entries of the map f that lack a key or a value, or both, may be decoded
// here: e.lacks. Not all Unmarshals that are as good as generated ones take what is not there for
// zero.
func (m *plan) lacks(e *entry, f *field, base []byte) {
	e.lacks = true
	key := append([]byte{e.keyTag}, e.key.values()[0]...)
	val := append([]byte{e.valTag}, e.val.values()[0]...)
	for _, b := range [][]byte{key, val, nil} {
		if here, _, reason := m.try(join(base, appendTag(nil, f.number, f.wire), withLength(b))); !here || reason != "" {
			e.lacks = false
			return
		}
	}
}

// try decodes b here, on the heap, and there, by the type's own Unmarshal. It reports which of them
// have no error, and how the results differ, if both have none. The decoder here is skipped for
// messages that only the type's own Unmarshal is to decode.
func (m *plan) try(b []byte) (here, there bool, reason string) {
	got, want := reflect.New(m.typ), reflect.New(m.typ)
	d := &decoder{busy: true, in: b, copied: b}
	here = d.message(got.UnsafePointer(), m, b, maxDepth)
	err := want.Interface().(Message).Unmarshal(b)
	switch {
	case here && err != nil:
		return here, false, fmt.Sprintf("its Unmarshal refuses %x: %v", b, err)
	case here && !reflect.DeepEqual(got.Interface(), want.Interface()) && !(m.hasAs(nil) && m.same(got.UnsafePointer(), want.UnsafePointer(), false)):
		return here, true, fmt.Sprintf("its Unmarshal makes something else of %x than its tags say", b)
	}
	return here, err == nil, ""
}

// least returns the shortest message that has what is required.
func (m *plan) least() (b []byte) {
	if m.held != nil {
		return m.held.least()
	}
	for _, f := range m.all {
		if f.required != 0 {
			b = append(b, f.samples()[0]...)
		}
	}
	return b
}

// some returns a message with a field or two, of those that hold no messages.
func (m *plan) some() []byte {
	if m.held != nil {
		return m.held.some()
	}
	b := m.least()
	n := 0
	for _, f := range m.all {
		if !f.simple() || n >= 2 || n > 0 && f.form == formOneof {
			continue
		}
		all := f.samples()
		b = append(b, all[len(all)-1]...)
		if n++; f.form == formOneof {
			break
		}
	}
	return b
}

// simple reports whether f has no messages in it.
func (f *field) simple() bool { return f.kind < kindMessage && f.form != formMap }

// samples returns some values of f with its tag.
func (f *field) samples() (list [][]byte) {
	for _, v := range f.values() {
		list = append(list, append(appendTag(nil, f.number, f.wire), v...))
	}
	return list
}

// values returns some values of f, as they are on the wire.
func (f *field) values() [][]byte {
	if e := f.entry; e != nil {
		var list [][]byte
		keys, vals := e.key.values(), e.val.values()
		for i := range max(len(keys), len(vals)) {
			b := append([]byte{e.keyTag}, keys[i%len(keys)]...)
			b = append(append(b, e.valTag), vals[i%len(vals)]...)
			list = append(list, withLength(b))
		}
		return list
	}
	switch f.kind {
	case kindFixed32:
		return [][]byte{binary.LittleEndian.AppendUint32(nil, math.Float32bits(1)), binary.LittleEndian.AppendUint32(nil, math.Float32bits(-2))}
	case kindFixed64:
		return [][]byte{binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), binary.LittleEndian.AppendUint64(nil, math.Float64bits(-2))}
	case kindString, kindBytes:
		return [][]byte{withLength(nil), withLength([]byte("ab")), withLength([]byte{0xff})}
	case kindTime, kindDuration:
		return [][]byte{withLength(nil), withLength([]byte{1 << 3, 5, 2 << 3, 7}), withLength([]byte{2 << 3, 9})}
	case kindMessage:
		if !f.sub.complete || f.sub.reason != "" {
			return [][]byte{withLength(nil)}
		}
		return [][]byte{withLength(f.sub.least()), withLength(f.sub.some())}
	case kindOwn:
		return [][]byte{withLength(nil), withLength([]byte{1<<3 | wireBytes, 1, 'a'})}
	}
	return [][]byte{{1}, {0}, {0xac, 0x02}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7e}}
}

// packed returns values of f next to each other.
func (f *field) packed(values ...[]byte) []byte {
	return append(appendTag(nil, f.number, wireBytes), withLength(join(values...))...)
}

// withLength returns b with its length before it.
func withLength(b []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }

func appendTag(b []byte, number uint64, wire uint8) []byte {
	return binary.AppendUvarint(b, number<<3|uint64(wire))
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}
