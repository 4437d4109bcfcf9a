package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner reads JSON, token by token, and knows the place in lines.
type scanner struct {
	in    io.Reader
	buf   []byte
	pos   int   // of the next byte
	token int   // where the present one begins
	ended error // of in

	before    int // bytes that were in front of buf
	line      int
	lineStart int    // bytes in front of it
	text      []byte // the last string with escapes, without them
}

const firstBuffer = 64 << 10

// fail returns an error about the value that begins with the present token.
func (s *scanner) fail(name string, err error) error {
	return &ReadError{s.line, s.before + s.token - s.lineStart + 1, name, err}
}

var errCut = errors.New("the text ends within a value")

// more reads more, and keeps the present token. It reports false at the end.
func (s *scanner) more() bool {
	if s.ended != nil {
		return false
	}
	copy(s.buf, s.buf[s.token:])
	s.before += s.token
	s.buf, s.pos, s.token = s.buf[:len(s.buf)-s.token], s.pos-s.token, 0
	if len(s.buf) == cap(s.buf) {
		s.buf = append(make([]byte, 0, max(2*cap(s.buf), firstBuffer)), s.buf...)
	}
	for range 100 {
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.ended = s.buf[:len(s.buf)+n], err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.ended = io.ErrNoProgress
	return false
}

// next returns the first byte of the next token, which it does not consume, or 0 at the end.
func (s *scanner) next() byte {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch c := s.buf[s.pos]; c {
			case '\n':
				s.line, s.lineStart = s.line+1, s.before+s.pos+1
			case ' ', '\t', '\r':
			default:
				s.token = s.pos
				return c
			}
		}
		s.token = s.pos
		if !s.more() {
			return 0
		}
	}
}

// unexpected is for a token that is not what is meant.
func (s *scanner) unexpected(name, want string) error {
	if s.pos >= len(s.buf) {
		if s.ended != nil && s.ended != io.EOF {
			return s.fail(name, s.ended)
		}
		return s.fail(name, errCut)
	}
	return s.fail(name, fmt.Errorf("%q, where %s is meant", s.buf[s.pos], want))
}

// take consumes c, which next has returned.
func (s *scanner) take() { s.pos++ }

// quoted returns the string that begins here, without its quotes. It is valid until the next token.
func (s *scanner) quoted(name string) ([]byte, error) {
	plain, ascii := true, true
	for i := 1; ; i++ { // after the token, which more may move
		for s.token+i >= len(s.buf) {
			if s.pos = len(s.buf); !s.more() {
				return nil, s.unexpected(name, "")
			}
		}
		switch c := s.buf[s.token+i]; {
		case c == '"':
			s.pos = s.token + i + 1
			if b := s.buf[s.token+1 : s.token+i]; plain && (ascii || utf8.Valid(b)) {
				return b, nil
			}
			var ok bool
			if s.text, ok = unquote(s.text[:0], s.buf[s.token+1:s.token+i]); !ok {
				var text string // encoding/json says what is wrong.
				return nil, s.fail(name, json.Unmarshal(s.buf[s.token:s.pos], &text))
			}
			return s.text, nil
		case c == '\\':
			plain = false
			i++ // What is behind it is no end, and there is more to come, or an error.
		case c < ' ':
			return nil, s.fail(name, fmt.Errorf("a byte %#x in a string", c))
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
}

// unquote appends what a string has between its quotes. As with encoding/json, what is no UTF-8, and half of a pair of surrogates, becomes U+FFFD.
// unquote reports false for an escape that there is not.
func unquote(to, b []byte) (_ []byte, ok bool) {
	for len(b) > 0 {
		if b[0] != '\\' {
			n := bytes.IndexByte(b, '\\')
			if n < 0 {
				n = len(b)
			}
			for part := b[:n]; len(part) > 0; {
				r, size := utf8.DecodeRune(part)
				to, part = utf8.AppendRune(to, r), part[size:]
			}
			b = b[n:]
			continue
		}
		if r := unicode(b); r >= 0 {
			b = b[6:]
			if utf16.IsSurrogate(r) {
				if r = utf16.DecodeRune(r, unicode(b)); r != utf8.RuneError {
					b = b[6:]
				}
			}
			to = utf8.AppendRune(to, r)
			continue
		}
		i := strings.IndexByte(escaped, b[1])
		if i < 0 {
			return to, false
		}
		to, b = append(to, escapes[i]), b[2:]
	}
	return to, true
}

const (
	escaped = `"\/bfnrt`
	escapes = "\"\\/\b\f\n\r\t"
)

// unicode returns the value of the \uXXXX that b begins with, or -1.
func unicode(b []byte) (r rune) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 + rune(c)
	}
	return r
}

// word returns the number or literal that begins here. It is valid until the next token.
func (s *scanner) word() []byte {
	for {
		for s.pos < len(s.buf) {
			switch c := s.buf[s.pos]; {
			case '0' <= c && c <= '9', 'a' <= c && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
				s.pos++
				continue
			}
			return s.buf[s.token:s.pos]
		}
		if !s.more() {
			return s.buf[s.token:s.pos]
		}
	}
}

// isNumber tells whether b is a number as JSON has them.
func isNumber(b []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(b) && '0' <= b[n] && b[n] <= '9' {
			n++
		}
		b = b[n:]
		return n > 0
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && '0' <= b[1] && b[1] <= '9' || !digits() {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		if b = b[1:]; !digits() {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		if b = b[1:]; len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(b) == 0
}

// elements calls f for each value between the bracket that comes next and the one that ends it.
func (s *scanner) elements(name string, f func() error) error {
	s.take()
	if s.next() == ']' {
		s.take()
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.take()
		case ']':
			s.take()
			return nil
		default:
			return s.unexpected(name, "a comma or ]")
		}
	}
}

// members calls f for each key between the brace that comes next and the one that ends it. f reads the value.
func (s *scanner) members(name string, f func(key []byte) error) error {
	s.take()
	if s.next() == '}' {
		s.take()
		return nil
	}
	for {
		if s.next() != '"' {
			return s.unexpected(name, "a key")
		}
		key, err := s.quoted(name)
		if err == nil {
			err = f(key)
		}
		if err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.take()
		case '}':
			s.take()
			return nil
		default:
			return s.unexpected(name, "a comma or }")
		}
	}
}

// colon consumes the one behind a key.
func (s *scanner) colon(name string) error {
	if s.next() != ':' {
		return s.unexpected(name, "a colon")
	}
	s.take()
	return nil
}

// maxDepth is how deep values that no column has may be nested.
const maxDepth = 1000

// skip reads a value that no column has.
func (s *scanner) skip(depth int) error {
	switch c := s.next(); {
	case depth == maxDepth:
		return s.fail("", fmt.Errorf("values nested more than %d deep", maxDepth))
	case c == '{':
		return s.members("", func([]byte) error {
			if err := s.colon(""); err != nil {
				return err
			}
			return s.skip(depth + 1)
		})
	case c == '[':
		return s.elements("", func() error { return s.skip(depth + 1) })
	case c == '"':
		_, err := s.quoted("")
		return err
	}
	switch w := s.word(); {
	case isNumber(w), string(w) == "true", string(w) == "false", string(w) == "null":
		return nil
	}
	s.pos = s.token
	return s.unexpected("", "a value")
}
