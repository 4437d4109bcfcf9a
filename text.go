package arena

import (
	"fmt"
	"io"
	"strings"

	"github.com/arena-go/arena/internal/mem"
)

// String returns the text of s, a string or bytes, as a string whose bytes lie in a. It stays valid
// until a is Reset. From then on the bytes of the string may change. So it must not be a key of a
// map that lives longer: guard mode finds that mistake, the race detector only if the map is a
// [Map]. String(nil, s) is strings.Clone(s), or string(s).
func String[S ~string | ~[]byte](a *Arena, s S) string {
	if a == nil && !looking {
		return string([]byte(s)) // the compiler copies it once, and not at all if it is one byte
	}
	return stringIn(a, s)
}

// stringIn is not inlined, so that String is.
//
//go:noinline
func stringIn[S ~string | ~[]byte](a *Arena, s S) string {
	text := viewOf(s)
	textIsRead(text)
	if a == nil {
		return string([]byte(text))
	}
	if text == "" {
		a.check()
		return ""
	}
	st := a.open()
	b := st.plain.allocText(st, len(text))
	copy(b, text)
	return mem.StringOf(b)
}

// Bytes returns the bytes of s, a string or bytes, in a. The capacity of the result is its length.
// A nil slice stays nil. Bytes(nil, s) is slices.Clone(s), or []byte(s).
func Bytes[S ~string | ~[]byte](a *Arena, s S) []byte {
	if isNilBytes(s) {
		if a != nil {
			a.check()
		}
		return nil
	}
	return copyBytes(a, viewOf(s))
}

func copyBytes(a *Arena, s string) []byte {
	textIsRead(s)
	if a == nil {
		return append([]byte{}, s...)
	}
	b := MakeSlice[byte](a, len(s), len(s))
	copy(b, s)
	return b
}

// Concat returns the strings of s, one after the other, as one string in a. See [String].
func Concat(a *Arena, s ...string) string { return Join(a, s, "") }

// Join returns the strings of elems with sep between them, as strings.Join does, in a. See
// [String].
func Join(a *Arena, elems []string, sep string) string {
	if looking {
		textIsRead(sep)
		for _, s := range elems {
			textIsRead(s)
		}
	}
	if a == nil {
		if len(elems) == 1 {
			return strings.Clone(elems[0]) // which strings.Join returns itself
		}
		return strings.Join(elems, sep)
	}
	n := 0
	for i, s := range elems {
		if i > 0 {
			n += len(sep)
		}
		if n += len(s); n < 0 {
			panic("arena: Join: the result is larger than memory can be")
		}
	}
	if n == 0 {
		a.check()
		return ""
	}
	st := a.open()
	b := st.plain.allocText(st, n)[:0]
	for i, s := range elems {
		if i > 0 && sep != "" {
			b = append(b, sep...)
		}
		b = append(b, s...)
	}
	return mem.StringOf(b)
}

// Sprintf returns the text that fmt.Sprintf returns, in a. See [String]. Only the text lies in a:
// the compiler boxes the arguments before the call, numbers and strings on the heap. Itoa and its
// like of package arenastrings, and the methods of a [Builder], box nothing.
func Sprintf(a *Arena, format string, args ...any) string {
	if looking {
		argsAreRead(format, args)
	}
	if a == nil {
		return fmt.Sprintf(format, args...)
	}
	a.open()
	fmt.Fprintf((*textWriter)(a), format, args...)
	s := a.stores.out
	a.stores.out = ""
	return s
}

// argsAreRead tells the detectors of mistakes that what fmt prints is read.
func argsAreRead(format string, args []any) {
	textIsRead(format)
	for _, v := range args {
		if s, ok := v.(string); ok {
			textIsRead(s)
		}
	}
}

// A textWriter is an arena as the writer of Sprintf: fmt calls Write once, when
// it has called all methods of the arguments, which may use the arena too.
type textWriter Arena

func (w *textWriter) Write(b []byte) (int, error) {
	a := (*Arena)(w)
	s := String(a, b)
	a.open().out = s
	return len(b), nil
}

// ReadAll returns what r has until its end, as io.ReadAll does, in a. It is one slice, which grows
// in place while nothing else is allocated from a. The result is valid until a is Reset. After an
// error of r it is what was read before. ReadAll panics as [MakeSlice] does when the text is too
// large for the limit of a. [ReadAllLimit] has a limit of its own.
func ReadAll(a *Arena, r io.Reader) ([]byte, error) { return readAll(a, r, maxBytes-1) }

// ReadAllLimit is [ReadAll] of a text that has at most limit bytes. If there is more, it reads one
// byte more than that, and returns the first limit bytes with an error that matches [ErrLimit]. It
// panics when limit is negative.
func ReadAllLimit(a *Arena, r io.Reader, limit int) ([]byte, error) {
	if limit < 0 {
		panic(fmt.Sprintf("arena: ReadAllLimit: limit is %d, and must not be negative", limit))
	}
	return readAll(a, r, min(limit, maxBytes-1))
}

// minRead is the least room that a Reader is given, as in package bytes.
const minRead = 512

// readAll is ReadAll of at most limit bytes, fewer than an int can count. One more is read, to see
// whether there is more.
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
