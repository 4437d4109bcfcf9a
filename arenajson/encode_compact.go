package arenajson

import "slices"

// appendCompact appends the JSON value in text without the blanks between its tokens, with <, >, & and the line separators
// U+2028 and U+2029 in strings escaped where json.Marshal escapes them in what a method returns. It reports false if text
// is no JSON value, or one nested more than most deep.
func appendCompact(b, text []byte, escapeHTML bool, most int) ([]byte, bool) {
	c := compactor{slices.Grow(b, len(text)), text, 0, escapeHTML, most}
	ok := c.value()
	if ok {
		c.blanks()
	}
	return c.b, ok && c.i == len(text)
}

// A compactor reads text from i on, and appends to b.
type compactor struct {
	b      []byte
	text   []byte
	i      int
	escape bool
	depth  int // how many arrays and objects more the text may be in
}

// blanks goes on to the next token, and returns its first byte, or 0.
func (c *compactor) blanks() byte {
	for ; c.i < len(c.text); c.i++ {
		switch ch := c.text[c.i]; ch {
		case ' ', '\t', '\n', '\r':
		default:
			return ch
		}
	}
	return 0
}

func (c *compactor) take(n int) {
	c.b = append(c.b, c.text[c.i:c.i+n]...)
	c.i += n
}

func (c *compactor) value() bool {
	switch ch := c.blanks(); ch {
	case '{':
		return c.list('}')
	case '[':
		return c.list(']')
	case '"':
		return c.string()
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	}
	n := scanNumber(c.text[c.i:])
	c.take(n)
	return n > 0
}

func (c *compactor) literal(s string) bool {
	if len(c.text)-c.i < len(s) || string(c.text[c.i:c.i+len(s)]) != s {
		return false
	}
	c.take(len(s))
	return true
}

// list reads an array or an object, which ends with end.
func (c *compactor) list(end byte) bool {
	c.take(1)
	if c.depth--; c.depth < 0 {
		return false
	}
	for first := true; ; first = false {
		ch := c.blanks()
		if ch == end && first {
			break
		}
		if end == '}' {
			if ch != '"' || !c.string() || c.blanks() != ':' {
				return false
			}
			c.take(1)
		}
		if !c.value() {
			return false
		}
		if ch = c.blanks(); ch == end {
			break
		} else if ch != ',' {
			return false
		}
		c.take(1)
	}
	c.take(1)
	c.depth++
	return true
}

func (c *compactor) string() bool {
	done := c.i // what has been appended
	for i := c.i + 1; i < len(c.text); i++ {
		switch ch := c.text[i]; {
		case ch == '"':
			c.b = append(c.b, c.text[done:i+1]...)
			c.i = i + 1
			return true
		case ch < ' ':
			return false
		case ch == '\\':
			n := escapeLen(c.text[i:])
			if n == 0 {
				return false
			}
			i += n - 1
		case c.escape && (ch == '<' || ch == '>' || ch == '&'):
			c.b = append(c.b, c.text[done:i]...)
			c.b = append(c.b, '\\', 'u', '0', '0', hexDigits[ch>>4], hexDigits[ch&15])
			done = i + 1
		case ch == 0xE2 && (c.escape || onV2) && i+2 < len(c.text) && c.text[i+1] == 0x80 && c.text[i+2]&^1 == 0xA8:
			c.b = append(c.b, c.text[done:i]...)
			c.b = append(c.b, '\\', 'u', '2', '0', '2', hexDigits[c.text[i+2]&15])
			i += 2
			done = i + 1
		}
	}
	return false
}

// escapeLen returns the length of the escape at the start of text, which is a backslash, or 0 if it is none.
func escapeLen(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < 6 {
			return 0
		}
		for _, c := range text[2:6] {
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}
