package guard

import "reflect"

// Memory is memory of an arena, with values of one type.
type Memory struct {
	bytes []byte
	typ   reflect.Type
	plain bool
}

// MemoryOf returns the memory b, with whole values of type t. If plain is set, t has no pointers,
// and any bytes are values of it.
func MemoryOf(b []byte, t reflect.Type, plain bool) Memory { return Memory{b, t, plain} }

// shared reports whether m is memory that all plain types share.
func (m Memory) shared() bool { return m.typ.Kind() == reflect.Uint8 }

// copy returns the bytes of m. They keep nothing alive. The race detector does not look at the
// bytes of a string.
func (m Memory) copy() []byte { return []byte(stringOf(m.bytes)) }

// differs returns the first byte of m, from a byte on, that is not as it was, or -1. The race
// detector must not look, because it has been told that nobody touches this memory any more.
//
//go:norace
func (m Memory) differs(was []byte, from int) int {
	const block = 256
	is := m.bytes
	for ; from < len(was); from += block - from%block {
		to := min(from+block-from%block, len(was))
		if stringOf(is[from:to]) == stringOf(was[from:to]) {
			continue
		}
		for i := from; ; i++ {
			if is[i] != was[i] {
				return i
			}
		}
	}
	return -1
}

// Fill fills b, which has ended, with bytes that stand out.
func Fill(b []byte) {
	for i := range b {
		b[i] = 0xDB
	}
}
