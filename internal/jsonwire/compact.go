package jsonwire

import "slices"

// AppendCompact appends the JSON value in text without the blanks between its tokens, with <, >, &
// and the line separators U+2028 and U+2029 in strings escaped where json.Marshal escapes them in
// what a method returns. It reports false if text is no JSON value, or one nested more than most
// deep.
func AppendCompact(b, text []byte, style Style, most int) ([]byte, bool) {
	c := compactor{slices.Grow(b, len(text)), text, 0, style, most}
	ok := c.value()
	if ok {
		c.blanks()
	}
	return c.b, ok && c.i == len(text)
}

// A compactor reads text from i on, and appends to b.
type compactor struct {
	b     []byte
	text  []byte
	i     int
	style Style
	depth int // how many arrays and objects more the text may be in
}

// blanks goes on to the next token, and returns its first byte, or 0.
func (c *compactor) blanks() byte {
	c.i = Space(c.text, c.i)
	return Char(c.text, c.i)
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
	n := Number(c.text[c.i:])
	c.take(n)
	return n > 0
}

func (c *compactor) literal(s string) bool {
	if !Has(c.text, c.i, s) {
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
			end := Escape(c.text, i)
			if end < 0 {
				return false
			}
			i = end - 1
		case c.style&HTML != 0 && (ch == '<' || ch == '>' || ch == '&'):
			c.b = append(c.b, c.text[done:i]...)
			c.b = append(c.b, '\\', 'u', '0', '0', hexDigits[ch>>4], hexDigits[ch&15])
			done = i + 1
		case ch == 0xE2 && c.style&(HTML|V2) != 0 && i+2 < len(c.text) && c.text[i+1] == 0x80 && c.text[i+2]&^1 == 0xA8:
			c.b = append(c.b, c.text[done:i]...)
			c.b = append(c.b, '\\', 'u', '2', '0', '2', hexDigits[c.text[i+2]&15])
			i += 2
			done = i + 1
		}
	}
	return false
}

// EndOfValue returns the position behind the value in b that i is before, with white space between,
// or -1 if it has an error, or is nested more than most deep.
func EndOfValue(b []byte, i, most int) int {
	c := compactor{text: b, i: i, depth: most}
	if !c.value() {
		return -1
	}
	return c.i
}

// EndOfString returns the position behind the string whose quote is at i, or -1 if there is none.
func EndOfString(b []byte, i int) int {
	if c := (compactor{text: b, i: i}); Char(b, i) == '"' && c.string() {
		return c.i
	}
	return -1
}

// AppendIndent appends compact, which has no blanks, with line ends and indentation. It reports
// false if the text is nested more than most deep.
func AppendIndent(b, compact []byte, prefix, indent string, most int) (indented []byte, ok bool) {
	depth := 0
	line := func() {
		b = append(b, '\n')
		b = append(b, prefix...)
		for range depth {
			b = append(b, indent...)
		}
	}
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; c {
		case '"':
			end := i + 1
			for ; compact[end] != '"'; end++ {
				if compact[end] == '\\' {
					end++
				}
			}
			b = append(b, compact[i:end+1]...)
			i = end
		case '{', '[':
			if depth == most {
				return nil, false
			}
			b = append(b, c)
			if c2 := compact[i+1]; c2 == c+2 { // the brace or bracket that ends it
				b = append(b, c2)
				i++
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			b = append(b, c)
		case ',':
			b = append(b, c)
			line()
		case ':':
			b = append(b, ": "...)
		default:
			b = append(b, c)
		}
	}
	return b, true
}
