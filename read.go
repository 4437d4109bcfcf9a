package arena

import (
	"fmt"
	"io"
)

// ReadAll returns what r has until its end, as io.ReadAll does, in a. It is one slice, which grows in place while
// nothing else is allocated from a. The result is valid until a is Reset. After an error of r it is what was read
// before. ReadAll panics as [MakeSlice] does when the text is too large for the limit of a. [ReadAllLimit] has a limit
// of its own.
func ReadAll(a *Arena, r io.Reader) ([]byte, error) { return readAll(a, r, maxBytes-1) }

// ReadAllLimit is [ReadAll] of a text that has at most limit bytes. If there is more, it reads one byte more than
// that, and returns the first limit bytes with an error that matches [ErrLimit]. It panics when limit is negative.
func ReadAllLimit(a *Arena, r io.Reader, limit int) ([]byte, error) {
	if limit < 0 {
		panic(fmt.Sprintf("arena: ReadAllLimit: limit is %d, and must not be negative", limit))
	}
	return readAll(a, r, min(limit, maxBytes-1))
}

// minRead is the least room that a Reader is given, as in package bytes.
const minRead = 512

// readAll is ReadAll of at most limit bytes, fewer than an int can count. One more is read, to see whether there is more.
func readAll(a *Arena, r io.Reader, limit int) ([]byte, error) {
	b := MakeSlice[byte](a, 0, min(minRead, limit+1))
	for {
		n, err := readSome(r, b[len(b):min(cap(b), limit+1)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return b[:limit], fmt.Errorf("arena: there are more than %d bytes to read: %w", limit, ErrLimit)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return b, err
		case len(b) == cap(b):
			b = Grow(a, b, minRead)
		}
	}
}

// ReadFrom appends what r has until its end. Its error is that of r, but for io.EOF. io.Copy to a Builder calls it,
// and so needs no buffer of its own. It panics as [New] does when a may not grow so far. What was read before stays.
// It panics when r itself writes to the Builder, as an io.TeeReader may.
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
