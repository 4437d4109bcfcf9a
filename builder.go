package arena

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Builder builds a string or a []byte in an arena, as strings.Builder does on the heap. It grows in place while
// nothing else is allocated from the arena.
//
// A Builder is stale after Reset, like everything in its arena. One goroutine at a time may use it. The zero
// Builder is on the heap. A Builder must not be copied after something was written to it: writing to the copy
// panics.
type Builder struct {
	arena *Arena
	buf   []byte
	lent  lent
	self  builderSelf
	_     noCopy
}

// A lent says whether the memory of a Builder was returned as a string or as bytes.
type lent uint8

const (
	lentNot lent = iota
	lentText
	lentBytes
)

// A builderSelf points at its own Builder, from first use on. In a copy it points at the original.
type builderSelf struct{ b *Builder }

// NewBuilder returns an empty Builder, which itself lies in a. It panics as [New] does.
func NewBuilder(a *Arena) *Builder {
	if a == nil {
		return new(Builder) // where that is inlined and the Builder does not leave the function, it is on the stack
	}
	return newBuilder(a)
}

// newBuilder is not inlined, so that NewBuilder is.
//
//go:noinline
func newBuilder(a *Arena) *Builder {
	a.check() // also whether it is a copy, which Put may not
	b := newIn[Builder](a)
	*b = Builder{arena: a} // a stale Builder may have written there
	return b
}

// String returns what was built. The string has the bytes of the Builder, which nobody changes again. See the
// function [String].
func (b *Builder) String() string {
	if b.lent == lentBytes || b.self.b != b {
		b.move()
	}
	b.lent = lentText
	return stringOf(b.buf)
}

// Bytes returns what was built. The slice shares the memory of the Builder until that grows. It never shares
// memory with a string: Bytes after String copies what was built, and so does String after Bytes. If you need
// both, call one and convert its result.
func (b *Builder) Bytes() []byte {
	if b.lent == lentText || b.self.b != b {
		b.move()
	}
	b.lent = lentBytes
	return b.buf
}

// move gives b, which may be a copy, memory that nobody else has.
func (b *Builder) move() {
	b.self.b = unseen(b)
	if len(b.buf) == 0 {
		b.buf = nil
		return
	}
	buf := MakeSlice[byte](b.arena, len(b.buf), len(b.buf))
	copy(buf, b.buf)
	b.buf = buf
}

// Len returns the number of bytes that were built.
func (b *Builder) Len() int { return len(b.buf) }

// Cap returns the number of bytes that the Builder can hold without growing.
func (b *Builder) Cap() int { return cap(b.buf) }

// Available returns the number of bytes that can be written without growing.
func (b *Builder) Available() int { return cap(b.buf) - len(b.buf) }

// AvailableBuffer returns an empty slice with the capacity that Available says. It is for functions that append:
// b.Write(t.AppendFormat(b.AvailableBuffer(), layout)). It is valid until the next call of a method that writes. What
// is appended beyond its capacity is on the heap, until Write copies it.
func (b *Builder) AvailableBuffer() []byte {
	if b.self.b != b {
		b.own()
	}
	return b.buf[len(b.buf):]
}

// Truncate removes all but the first n bytes. It panics when n is negative, or more than Len. Strings that the
// Builder returned stay as they are.
func (b *Builder) Truncate(n int) {
	if n < 0 || n > len(b.buf) {
		panic(fmt.Sprintf("arena: Builder.Truncate: there are %d bytes, and %d are to stay", len(b.buf), n))
	}
	if b.self.b != b {
		b.own()
	}
	if b.lent == lentText && n < len(b.buf) {
		b.buf = b.buf[:n:n] // a string has what follows
		return
	}
	b.buf = b.buf[:n]
}

// Reset empties the Builder. Strings that it returned stay valid.
func (b *Builder) Reset() {
	b.buf, b.lent = nil, lentNot
	b.self.b = unseen(b)
}

// Grow makes room for n more bytes. It panics when n is negative.
func (b *Builder) Grow(n int) {
	if n < 0 {
		panic("arena: Builder.Grow: negative count")
	}
	if b.self.b != b {
		b.own()
	}
	if n > cap(b.buf)-len(b.buf) {
		b.grow(n)
	}
}

// own makes b, which is new, its own. It panics when b is a copy.
func (b *Builder) own() {
	if from := b.self.b; from != nil {
		// Its length is looked at since it faults where b is stale, in guard mode.
		panicCopy(fmt.Sprintf("a Builder, of %d bytes by now,", len(from.buf)), "*Builder")
	}
	b.self.b = unseen(b)
	b.buf = slices.Clip(b.buf) // there is something in it only if DeepClone has made b
}

func (b *Builder) grow(n int) {
	buf := growSlice(b.arena, b.buf, n)
	if cap(b.buf) == 0 || &buf[:1][0] != &b.buf[:1][0] {
		b.lent = lentNot
	}
	b.buf = buf
}

// Write appends p. Its error is always nil.
func (b *Builder) Write(p []byte) (int, error) {
	b.Grow(len(p))
	b.buf = append(b.buf, p...)
	return len(p), nil
}

// WriteString appends s. Its error is always nil.
func (b *Builder) WriteString(s string) (int, error) {
	b.Grow(len(s))
	b.buf = append(b.buf, s...)
	return len(s), nil
}

// WriteByte appends c. Its error is always nil.
func (b *Builder) WriteByte(c byte) error {
	b.Grow(1)
	b.buf = append(b.buf, c)
	return nil
}

// WriteRune appends r in UTF-8. Its error is always nil.
func (b *Builder) WriteRune(r rune) (int, error) {
	n := len(b.buf)
	b.Grow(utf8.UTFMax)
	b.buf = utf8.AppendRune(b.buf, r)
	return len(b.buf) - n, nil
}

// WriteInt appends i in the given base, as strconv.FormatInt does.
func (b *Builder) WriteInt(i int64, base int) {
	var digits [65]byte
	b.Write(strconv.AppendInt(digits[:0], i, base))
}

// WriteUint appends i in the given base, as strconv.FormatUint does.
func (b *Builder) WriteUint(i uint64, base int) {
	var digits [65]byte
	b.Write(strconv.AppendUint(digits[:0], i, base))
}

// WriteFloat appends f, as strconv.FormatFloat does.
func (b *Builder) WriteFloat(f float64, format byte, precision, bits int) {
	b.Grow(floatRoom(format, precision))
	b.buf = strconv.AppendFloat(b.buf, f, format, precision, bits)
}

// WriteBool appends "true" or "false".
func (b *Builder) WriteBool(v bool) { b.WriteString(strconv.FormatBool(v)) }

// WriteQuote appends s as a Go string literal, as strconv.Quote does.
func (b *Builder) WriteQuote(s string) {
	textIsRead(s)
	b.Grow(len(s) + 2)
	b.buf = append(b.buf, '"')
	for s != "" {
		b.Grow(quoteRoom)
		b.buf, s = appendQuoted(b.buf, s)
	}
	b.WriteByte('"')
}

// Printf appends text as fmt.Printf prints it. The compiler boxes the arguments; see [Sprintf].
func (b *Builder) Printf(format string, args ...any) { fmt.Fprintf(b, format, args...) }

var (
	_ io.Writer       = (*Builder)(nil)
	_ io.StringWriter = (*Builder)(nil)
	_ io.ByteWriter   = (*Builder)(nil)
	_ fmt.Stringer    = (*Builder)(nil)
)
