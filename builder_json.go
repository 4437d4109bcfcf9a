package arena

import "unicode/utf8"

// WriteJSONString appends s as a JSON string, with the quotes, just as json.Marshal does: it escapes <, > and & too, so
// that the text can stand in HTML, and writes U+FFFD for what is not UTF-8. It writes that as an escape, as json.Marshal of
// Go 1.26 does; that of Go 1.27 writes its bytes.
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
