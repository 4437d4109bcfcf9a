package arenajson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arena-go/arena/internal/jsonwire"
)

// A DuplicateNameError says that an object has a name twice, which [UnmarshalOptions] forbid.
type DuplicateNameError struct {
	Name   string
	Offset int64 // of the second one, in bytes
}

func (e *DuplicateNameError) Error() string {
	return fmt.Sprintf("arenajson: the name %q at offset %d is in its object already", e.Name, e.Offset)
}

// An InvalidUTF8Error says that a string has bytes, or an escape, that are no text, which
// [UnmarshalOptions] forbid.
type InvalidUTF8Error struct {
	Offset int64 // of the first such byte, or of the escape
}

func (e *InvalidUTF8Error) Error() string {
	return fmt.Sprintf("arenajson: the string at offset %d is not valid UTF-8", e.Offset)
}

// reject returns an error if data, which is valid and of which text is a copy, has what the options
// forbid.
func (o *UnmarshalOptions) reject(text jsonwire.Text, data []byte) error {
	if o.RejectInvalidUTF8 {
		if at := invalidUTF8(text, data); at >= 0 {
			return &InvalidUTF8Error{Offset: int64(at)}
		}
	}
	if o.RejectDuplicateNames {
		n := namesakes{text: text}
		if n.value(text.Space(0)) < 0 {
			return &DuplicateNameError{Name: n.name, Offset: int64(n.at)}
		}
	}
	return nil
}

// invalidUTF8 returns the position of the first byte in data that is not UTF-8, or of the first
// escape that is half of a surrogate pair, or -1.
func invalidUTF8(text jsonwire.Text, data []byte) int {
	if !utf8.Valid(data) {
		for i := 0; ; {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return i
			}
			i += n
		}
	}
	for i := 0; ; i++ {
		if i >= len(data) {
			return -1
		}
		n := bytes.IndexByte(data[i:], '\\')
		if n < 0 {
			return -1
		}
		i += n + 1
		if text.Char(i) != 'u' {
			continue
		}
		if r := text.Hex4(i + 1); utf16.IsSurrogate(r) {
			if text.Char(i+5) != '\\' || text.Char(i+6) != 'u' || utf16.DecodeRune(r, text.Hex4(i+7)) == utf8.RuneError {
				return i - 1
			}
			i += 6
		}
	}
}

// namesakes looks for names that an object has twice.
type namesakes struct {
	text  jsonwire.Text
	d     decoder // unquotes
	depth int     // how many arrays and objects the value is in

	name string // of the second one that was found
	at   int
}

// value returns the position behind the value at i, or -1 if it is no valid one, or has an object
// in it that has a name twice.
func (n *namesakes) value(i int) int {
	c := n.text.Char(i)
	if c != '{' && c != '[' {
		return n.text.Skip(i, n.depth)
	}
	if n.depth++; n.depth > jsonwire.MaxNesting {
		return -1
	}
	if c == '{' {
		i = n.object(i)
	} else {
		i = n.array(i)
	}
	n.depth--
	return i
}

func (n *namesakes) array(i int) int {
	if i = n.text.Space(i + 1); n.text.Char(i) == ']' {
		return i + 1
	}
	for {
		if i = n.value(i); i < 0 {
			return -1
		}
		switch i = n.text.Space(i); n.text.Char(i) {
		case ']':
			return i + 1
		case ',':
			i = n.text.Space(i + 1)
		default:
			return -1
		}
	}
}

// fewNames is how many names are compared one by one; more are found in a map.
const fewNames = 16

func (n *namesakes) object(i int) int {
	if i = n.text.Space(i + 1); n.text.Char(i) == '}' {
		return i + 1
	}
	var few [fewNames]string
	names := few[:0]
	var many map[string]bool
	var seen uint64 // has a bit for the sketch of each name
	for {
		if n.text.Char(i) != '"' {
			return -1
		}
		start := i
		end, ascii := n.text.EndOfString(i + 1)
		name := n.text.View(i+1, end)
		i = end + 1
		if n.text.Char(end) != '"' || !ascii {
			n.d.text = n.text
			var b []byte
			if b, i = n.d.unquote(start + 1); i < 0 {
				return -1
			}
			name = string(b)
		}
		bit := uint64(1) << sketch(name)
		if seen&bit != 0 && (slices.Contains(names, name) || many[name]) {
			n.name, n.at = strings.Clone(name), start
			return -1
		}
		seen |= bit
		if len(names) < fewNames {
			names = append(names, name)
		} else {
			if many == nil {
				many = map[string]bool{}
			}
			many[name] = true
		}
		if i = n.text.Space(i); n.text.Char(i) != ':' {
			return -1
		}
		if i = n.value(n.text.Space(i + 1)); i < 0 {
			return -1
		}
		switch i = n.text.Space(i); n.text.Char(i) {
		case '}':
			return i + 1
		case ',':
			i = n.text.Space(i + 1)
		default:
			return -1
		}
	}
}
