package main

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// A node is a value of a JSON document. All nodes of a document lie in one arena.
type node struct {
	kind  kind
	name  string // of a member of an object
	text  string // of a string, or a number as it is written
	first *node  // element of an array, member of an object
	next  *node  // element or member behind this one
}

type kind uint8

const (
	isNull kind = iota
	isFalse
	isTrue
	isNumber
	isString
	isArray
	isObject
)

func (k kind) String() string {
	return [...]string{"null", "a bool", "a bool", "a number", "a string", "an array", "an object"}[k]
}

// get returns the member of an object, the last of several of one name, as
// encoding/json does. It returns nil if there is none, or n is no object.
func (n *node) get(name string) (found *node) {
	if n == nil || n.kind != isObject {
		return nil
	}
	for m := n.first; m != nil; m = m.next {
		if m.name == name {
			found = m
		}
	}
	return found
}

// len returns the number of elements or members.
func (n *node) len() (count int) {
	for m := n.first; m != nil; m = m.next {
		count++
	}
	return count
}

// maxDepth is how deep arrays and objects may be nested.
const maxDepth = 64

// parseJSON returns the document in text. It accepts what encoding/json does, up
// to maxDepth. Strings without escapes are part of text, which must lie in a too, or
// live longer.
func parseJSON(a *arena.Arena, text string) (*node, error) {
	p := parser{arena: a, text: text}
	n := p.value(0)
	if p.space(); p.err == nil && p.at < len(text) {
		p.fail("%q behind the document", text[p.at])
	}
	return n, p.err
}

// A parser is on its way through a document. When it has failed it has
// nothing more to do.
type parser struct {
	arena *arena.Arena
	text  string
	at    int // the offset in text
	err   error
}

// fail notes the first error, and moves to the end, where nothing is found.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("JSON, offset %d: %s", p.at, fmt.Sprintf(format, args...))
		p.at = len(p.text)
	}
}

// peek returns the next byte, or 0 at the end, which is no part of any document.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// skip takes c if it comes next.
func (p *parser) skip(c byte) bool {
	if p.peek() != c || c == 0 {
		return false
	}
	p.at++
	return true
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// want takes c, which must come next.
func (p *parser) want(c byte, where string) {
	if p.space(); !p.skip(c) {
		p.unexpected(fmt.Sprintf("%q %s", c, where))
	}
}

func (p *parser) unexpected(want string) {
	if p.at >= len(p.text) {
		p.fail("the document ends, want %s", want)
	} else {
		p.fail("%q, want %s", p.text[p.at], want)
	}
}

// value returns the value that comes next, in so many arrays and objects.
func (p *parser) value(depth int) *node {
	n := arena.New[node](p.arena)
	p.space()
	switch c := p.peek(); c {
	case '{':
		n.kind = isObject
		p.list(n, depth, '}')
	case '[':
		n.kind = isArray
		p.list(n, depth, ']')
	case '"':
		n.kind = isString
		n.text = p.string()
	case 'n':
		p.word("null")
	case 't':
		n.kind = isTrue
		p.word("true")
	case 'f':
		n.kind = isFalse
		p.word("false")
	default:
		n.kind = isNumber
		n.text = p.number()
	}
	return n
}

// list takes the elements or members of n, up to the byte end.
func (p *parser) list(n *node, depth int, end byte) {
	if depth == maxDepth {
		p.fail("nested deeper than %d", maxDepth)
		return
	}
	p.at++
	if p.space(); p.skip(end) {
		return
	}
	for last := &n.first; p.err == nil; last = &(*last).next {
		name := ""
		if n.kind == isObject {
			if p.space(); p.peek() != '"' {
				p.unexpected("the name of a member")
				return
			}
			name = p.string()
			p.want(':', "behind the name of a member")
		}
		*last = p.value(depth + 1)
		(*last).name = name
		if p.space(); p.skip(end) {
			return
		}
		if !p.skip(',') {
			p.unexpected(fmt.Sprintf("',' or %q", end))
		}
	}
}

func (p *parser) word(word string) {
	if len(p.text)-p.at < len(word) || p.text[p.at:p.at+len(word)] != word {
		p.unexpected(word)
		return
	}
	p.at += len(word)
}

// number returns the number that comes next, as it is written.
func (p *parser) number() string {
	start := p.at
	p.skip('-')
	if !p.skip('0') {
		p.digits()
	}
	if p.skip('.') {
		p.digits()
	}
	if p.skip('e') || p.skip('E') {
		_ = p.skip('+') || p.skip('-')
		p.digits()
	}
	if p.err != nil {
		return ""
	}
	return p.text[start:p.at]
}

// digits takes one digit or more.
func (p *parser) digits() {
	start := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == start {
		p.unexpected("a digit")
	}
}

// string returns the string that comes next, a part of the document if it can.
func (p *parser) string() string {
	p.at++
	start, ascii := p.at, true
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			if !ascii && !utf8.ValidString(s) {
				p.at = start
				return p.escaped()
			}
			p.at++
			return s
		case c == '\\':
			p.at = start
			return p.escaped()
		case c < ' ':
			p.fail("the control character %q in a string", c)
			return ""
		case c >= utf8.RuneSelf:
			ascii = false
		}
		p.at++
	}
	p.unexpected("the end of a string")
	return ""
}

// escaped returns the string whose first byte comes next: with escapes in it, or
// with bytes that are no UTF-8, which become U+FFFD.
func (p *parser) escaped() string {
	b := arena.NewBuilder(p.arena)
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return b.String()
		case c == '\\':
			p.at++
			p.escape(b)
		case c < ' ':
			p.fail("the control character %q in a string", c)
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			p.at += size
			b.WriteRune(r)
		}
	}
	p.unexpected("the end of a string")
	return ""
}

// escape takes what follows a backslash, and writes what it means to b.
func (p *parser) escape(b *arena.Builder) {
	switch c := p.peek(); c {
	case '"', '\\', '/':
		b.WriteByte(c)
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'u':
		r, ok := p.hex(p.at + 1)
		if !ok {
			p.fail("want four hexadecimal digits behind \\u")
			return
		}
		p.at += 5
		if utf16.IsSurrogate(r) {
			low, ok := rune(0), false
			if p.at+1 < len(p.text) && p.text[p.at:p.at+2] == `\u` {
				low, ok = p.hex(p.at + 2)
			}
			if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
				p.at += 6
			}
		}
		b.WriteRune(r)
		return
	default:
		p.unexpected(`one of "\/bfnrtu behind a backslash`)
		return
	}
	p.at++
}

// hex returns the number of four hexadecimal digits at an offset.
func (p *parser) hex(at int) (rune, bool) {
	if at+4 > len(p.text) {
		return 0, false
	}
	r, err := strconv.ParseUint(p.text[at:at+4], 16, 16)
	return rune(r), err == nil
}
