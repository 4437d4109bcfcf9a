package main

import (
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// A writer writes a JSON document. It puts the commas; the rest is up to its user.
type writer struct {
	*arena.Builder
	comma bool // one is due before the next value or name
}

func (w *writer) sep() {
	if w.comma {
		w.WriteByte(',')
	}
	w.comma = true
}

// open begins an array or an object, which close ends.
func (w *writer) open(c byte) {
	w.sep()
	w.WriteByte(c)
	w.comma = false
}

func (w *writer) close(c byte) {
	w.WriteByte(c)
	w.comma = true
}

// name begins a member.
func (w *writer) name(name string) {
	w.str(name)
	w.WriteByte(':')
	w.comma = false
}

func (w *writer) int(i int64) {
	w.sep()
	w.WriteInt(i, 10)
}

func (w *writer) null() {
	w.sep()
	w.WriteString("null")
}

// str writes a string as encoding/json does with SetEscapeHTML(false). A byte that is no UTF-8 becomes
// U+FFFD, as it is since Go 1.27; before, encoding/json wrote that as an escape, which means the same.
func (w *writer) str(s string) {
	const hex = "0123456789abcdef"
	w.sep()
	w.WriteByte('"')
	start := 0 // of what is written as it is
	for i := 0; i < len(s); {
		c, size := s[i], 1
		escape := ""
		switch {
		case c == '"':
			escape = `\"`
		case c == '\\':
			escape = `\\`
		case c == '\b':
			escape = `\b`
		case c == '\f':
			escape = `\f`
		case c == '\n':
			escape = `\n`
		case c == '\r':
			escape = `\r`
		case c == '\t':
			escape = `\t`
		case c < ' ':
			escape = `\u00` + hex[c>>4:c>>4+1] + hex[c&15:c&15+1]
		case c >= utf8.RuneSelf:
			var r rune
			switch r, size = utf8.DecodeRuneInString(s[i:]); {
			case r == utf8.RuneError && size == 1:
				escape = "\ufffd"
			case r == '\u2028':
				escape = `\u2028`
			case r == '\u2029':
				escape = `\u2029`
			}
		}
		if escape != "" {
			w.WriteString(s[start:i])
			w.WriteString(escape)
			start = i + size
		}
		i += size
	}
	w.WriteString(s[start:])
	w.WriteByte('"')
}
