package arena

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena/internal/mem"
)

// String returns the text of s, a string or bytes, as a string whose bytes lie in a. It stays valid until a is Reset.
// From then on the bytes of the string may change. So it must not be a key of a map that lives longer: guard mode
// finds that mistake, the race detector only if the map is a [Map]. String(nil, s) is strings.Clone(s), or string(s).
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

// Bytes returns the bytes of s, a string or bytes, in a. The capacity of the result is its length. A nil slice stays
// nil. Bytes(nil, s) is slices.Clone(s), or []byte(s).
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

// Join returns the strings of elems with sep between them, as strings.Join does, in a. See [String].
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

// Sprintf returns the text that fmt.Sprintf returns, in a. See [String]. Only the text lies in a: the compiler
// boxes the arguments before the call, numbers and strings on the heap. Itoa and its like of package arenastrings, and
// the methods of a [Builder], box nothing.
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
