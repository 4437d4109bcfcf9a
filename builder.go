package arena

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/arena-go/arena/internal/literal"
	"github.com/arena-go/arena/internal/mem"
)

// A Builder builds a string or a []byte in an arena, as strings.Builder does on the heap. It grows
// in place while nothing else is allocated from the arena.
//
// A Builder is stale after Reset, like everything in its arena. One goroutine at a time may use it.
// The zero Builder is on the heap. A Builder must not be copied after something was written to it:
// writing to a copy may panic when another one has been written to. Strings that String returned
// never change, whatever copies do.
type Builder struct {
	_     noCopy
	born  depth // how many scopes were open when b was made
	arena *Arena
	all   []byte // the head, and then the text; nil before anything is written
	mark  uint64 // the head, when b wrote last
}

// The head of a Builder's memory is a number: how long head and text were when somebody wrote last,
// shifted by two, and what was lent. Copies of a Builder have the same head, and each knows by it
// whether it has written last.
//
// A Builder that pointed at itself would know that, too, but could not be on the stack. Its copy on
// the heap would have a pointer to a stack, and the collector ends the program when it finds one
// where there is no stack any more. That is what becomes of a copied strings.Builder.
const headSize = 8

// What a head holds next to the length: whether the text was returned as a string, or as bytes.
const (
	lentText  = 1
	lentBytes = 2
	lentBits  = 2
)

// head returns the head of b, which has one.
func (b *Builder) head() uint64 { return binary.LittleEndian.Uint64(b.all) }

// setHead notes how long b is now, and what was lent.
func (b *Builder) setHead(lent uint64) {
	b.mark = uint64(len(b.all))<<lentBits | lent
	binary.LittleEndian.PutUint64(b.all, b.mark)
}

// fits tells whether n bytes can be written without ado: there is room, and no copy of b has
// written to its memory since b has.
func (b *Builder) fits(n int) bool {
	return len(b.all) >= headSize && n <= cap(b.all)-len(b.all) && b.head() == b.mark
}

// wrote notes that b has written n bytes to its memory, and is so much longer.
func (b *Builder) wrote(n int) {
	b.mark += uint64(n) << lentBits
	if all := b.all; len(all) >= headSize {
		binary.LittleEndian.PutUint64(all, b.mark)
	}
}

// text returns what was built.
func (b *Builder) text() []byte {
	if b.all == nil {
		return nil
	}
	return b.all[headSize:]
}

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
	a.check()
	b := newIn[Builder](a)
	*b = Builder{arena: a, born: a.depth()} // a stale Builder may have written there
	return b
}

// String returns what was built. The string has the bytes of the Builder, which nobody changes
// again. See the function [String].
func (b *Builder) String() string {
	if b.all == nil {
		return ""
	}
	// Where a string was returned, nobody writes before the end any more.
	if h := b.head(); h&lentText == 0 || h>>lentBits < uint64(len(b.all)) {
		b.lend(lentText)
	}
	return mem.StringOf(b.text())
}

// Bytes returns what was built. The slice shares the memory of the Builder until that grows. It
// never shares memory with a string: Bytes after String copies what was built, and so does String
// after Bytes. If you need both, call one and convert its result.
func (b *Builder) Bytes() []byte {
	if b.all != nil {
		b.lend(lentBytes)
	}
	return b.text()
}

// lend notes that the text is lent as a string, or as bytes. It is moved if it was lent as the
// other, and if a copy may write to it.
func (b *Builder) lend(as uint64) {
	if b.head()&^as != uint64(len(b.all))<<lentBits {
		all := makeBorn[byte](b.arena, len(b.all), len(b.all), b.born)
		copy(all, b.all)
		b.all = all
	}
	b.setHead(as)
}

// Len returns the number of bytes that were built.
func (b *Builder) Len() int { return len(b.text()) }

// Cap returns the number of bytes that the Builder can hold without growing.
func (b *Builder) Cap() int { return cap(b.text()) }

// Available returns the number of bytes that can be written without growing.
func (b *Builder) Available() int { return cap(b.all) - len(b.all) }

// AvailableBuffer returns an empty slice with the capacity that Available says. It is for functions
// that append: b.Write(t.AppendFormat(b.AvailableBuffer(), layout)). It is valid until the next
// call of a method that writes. What is appended beyond its capacity is on the heap, until Write
// copies it.
func (b *Builder) AvailableBuffer() []byte {
	b.mayWrite()
	return b.all[len(b.all):]
}

// Truncate removes all but the first n bytes. It panics when n is negative, or more than Len.
// Strings that the Builder returned stay unchanged.
func (b *Builder) Truncate(n int) {
	if n < 0 || n > b.Len() {
		panic(fmt.Sprintf("arena: Builder.Truncate: there are %d bytes, and %d are to stay", b.Len(), n))
	}
	b.mayWrite()
	if n == b.Len() {
		return
	}
	if h := b.head(); h&lentText != 0 || h != b.mark {
		b.all = b.all[: headSize+n : headSize+n] // a string, or another copy, has what follows
		return
	}
	b.all = b.all[:headSize+n]
	b.setHead(b.mark & lentBytes)
}

// Reset empties the Builder. Strings that it returned stay valid.
func (b *Builder) Reset() { b.all = nil }

// Grow makes room for n more bytes. It panics when n is negative, or larger than memory can be.
func (b *Builder) Grow(n int) {
	if n < 0 {
		panic("arena: Builder.Grow: negative count")
	}
	if !b.fits(n) {
		b.grow(n)
	}
}

// mayWrite panics when another copy of b has been written to. If b has no room, it gets memory of
// its own before it writes.
func (b *Builder) mayWrite() {
	if len(b.all) < cap(b.all) && b.head() != b.mark {
		panic(fmt.Sprintf("arena: a Builder, of %d bytes, was copied, and another copy has been written to, or its arena was Reset; pass a *Builder", b.Len()))
	}
}

// grow is Grow where n bytes do not fit.
//
//go:noinline
func (b *Builder) grow(n int) {
	b.mayWrite()
	switch {
	case n <= cap(b.all)-len(b.all): // nothing is to be written
	case n > maxBytes-headSize:
		panicSize("a Builder", n, 1)
	case b.all == nil && b.arena != nil:
		b.all = makeBorn[byte](b.arena, headSize, headSize+n, b.born)
		b.setHead(0)
	case b.all == nil:
		b.all = Grow(b.arena, b.all, headSize+n)[:headSize]
		b.setHead(0)
	default:
		before := &b.all[0]
		b.all = growBorn(b.arena, b.all, n, b.born)
		lent := uint64(0)
		if &b.all[0] == before { // in place: a copy may have lent it
			lent = b.head() & (lentText | lentBytes)
		}
		b.setHead(lent)
	}
}

// Write appends p. Its error is always nil.
func (b *Builder) Write(p []byte) (int, error) {
	if !b.fits(len(p)) {
		b.grow(len(p))
		if len(p) == 0 {
			return 0, nil // the head may be another copy's
		}
	}
	n := len(b.all)
	b.all = b.all[:n+len(p)]
	b.wrote(copy(b.all[n:], p))
	return len(p), nil
}

// WriteString appends s. Its error is always nil.
func (b *Builder) WriteString(s string) (int, error) {
	if !b.fits(len(s)) {
		b.grow(len(s))
		if len(s) == 0 {
			return 0, nil // the head may be another copy's
		}
	}
	n := len(b.all)
	b.all = b.all[:n+len(s)]
	b.wrote(copy(b.all[n:], s))
	return len(s), nil
}

// WriteByte appends c. Its error is always nil.
func (b *Builder) WriteByte(c byte) error {
	if !b.fits(1) {
		b.grow(1)
	}
	n := len(b.all)
	b.all = b.all[:n+1]
	b.all[n] = c
	b.wrote(1)
	return nil
}

// WriteRune appends r in UTF-8. Its error is always nil.
func (b *Builder) WriteRune(r rune) (int, error) {
	b.Grow(utf8.UTFMax)
	before := len(b.all)
	b.all = utf8.AppendRune(b.all, r)
	n := len(b.all) - before
	b.wrote(n)
	return n, nil
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
	b.Grow(literal.FloatRoom(format, precision))
	before := len(b.all)
	b.all = strconv.AppendFloat(b.all, f, format, precision, bits)
	b.wrote(len(b.all) - before)
}

// WriteBool appends "true" or "false".
func (b *Builder) WriteBool(v bool) { b.WriteString(strconv.FormatBool(v)) }

// WriteQuote appends s as a Go string literal, as strconv.Quote does.
func (b *Builder) WriteQuote(s string) {
	textIsRead(s)
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for s != "" {
		b.Grow(literal.QuoteRoom)
		before := len(b.all)
		b.all, s = literal.AppendQuoted(b.all, s)
		b.wrote(len(b.all) - before)
	}
	b.WriteByte('"')
}

// Printf appends text as fmt.Printf prints it. The compiler boxes the arguments; see [Sprintf].
func (b *Builder) Printf(format string, args ...any) {
	if looking {
		argsAreRead(format, args)
	}
	fmt.Fprintf(b, format, args...)
}

var (
	_ io.Writer       = (*Builder)(nil)
	_ io.StringWriter = (*Builder)(nil)
	_ io.ByteWriter   = (*Builder)(nil)
	_ fmt.Stringer    = (*Builder)(nil)
)

// WriteJSONString appends s as a JSON string, with the quotes, just as json.Marshal does: it
// escapes <, > and & too, so that the text can stand in HTML, and writes U+FFFD for what is not
// UTF-8. It writes that as an escape, as json.Marshal of Go 1.26 does; Go 1.27 writes its bytes.
func (b *Builder) WriteJSONString(s string) {
	const digits = "0123456789abcdef"
	textIsRead(s)
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	done := 0 // what has been written
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
			i++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || n > 1) {
				i += n
				continue
			}
		}
		b.WriteString(s[done:i])
		i += n
		done = i
		b.Grow(6)
		if short := shortEscape(r); short != 0 {
			b.all = append(b.all, '\\', short)
			b.wrote(2)
			continue
		}
		b.all = append(b.all, '\\', 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15])
		b.wrote(6)
	}
	b.WriteString(s[done:])
	b.WriteByte('"')
}

// shortEscape returns what stands for r behind a backslash, or 0.
func shortEscape(r rune) byte {
	switch r {
	case '"', '\\':
		return byte(r)
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

// ReadFrom appends what r has until its end. It returns the error of r, except io.EOF. io.Copy to a
// Builder calls it, and so needs no buffer of its own. It panics as [New] does when a may not grow
// so far. What was read before stays. It panics when r itself writes to the Builder, as an
// io.TeeReader may.
func (b *Builder) ReadFrom(r io.Reader) (n int64, err error) {
	for {
		b.Grow(minRead)
		all := b.all
		k, err := readSome(r, all[len(all):cap(all)])
		if len(b.all) != len(all) || &b.all[0] != &all[0] || !b.fits(k) {
			panic(fmt.Sprintf("arena: Builder.ReadFrom: a %T has changed the Builder into which it reads, or has ended the arena of that; give it another Builder", r))
		}
		b.all = b.all[:len(b.all)+k]
		b.wrote(k)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// readSome is r.Read(b) of a Reader that may break its contract.
func readSome(r io.Reader, b []byte) (n int, err error) {
	n, err = r.Read(b)
	if n < 0 || n > len(b) {
		panic(fmt.Sprintf("arena: Read of a %T returned %d bytes for a slice of %d; find what breaks the contract of io.Reader", r, n, len(b)))
	}
	return n, err
}

var _ io.ReaderFrom = (*Builder)(nil)
