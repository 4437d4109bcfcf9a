package arenastrings

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// Fields returns the parts of s between white space, as strings.Fields does, in a slice in a. The
// parts share the memory of s. To look at each part once, use strings.FieldsSeq.
func Fields(a *arena.Arena, s string) []string {
	read(s)
	n, before, all := 0, 1, byte(0)
	for i := range len(s) {
		all |= s[i]
		is := int(space[s[i]])
		n += before &^ is
		before = is
	}
	if all >= utf8.RuneSelf {
		return FieldsFunc(a, s, unicode.IsSpace)
	}
	parts := arena.MakeSlice[string](a, n, n)
	at := 0
	for i := range parts {
		for space[s[at]] != 0 {
			at++
		}
		from := at
		for at < len(s) && space[s[at]] == 0 {
			at++
		}
		parts[i] = s[from:at]
	}
	return parts
}

// space is 1 for each byte that is white space in ASCII.
var space = [256]uint8{' ': 1, '\t': 1, '\n': 1, '\v': 1, '\f': 1, '\r': 1}

// FieldsFunc returns the parts of s between characters for which is returns true, as
// strings.FieldsFunc does, in a slice in a. The parts share the memory of s. If there are more than
// 32 parts, finding them also allocates in a.
func FieldsFunc(a *arena.Arena, s string, is func(rune) bool) []string {
	read(s)
	if a == nil {
		return strings.FieldsFunc(s, is)
	}
	type span struct{ from, to int }
	spans := make([]span, 0, 32) // on the stack
	from := -1
	for i, c := range s {
		switch between := is(c); {
		case between && from >= 0:
			spans = arena.Append(a, spans, span{from, i})
			from = -1
		case !between && from < 0:
			from = i
		}
	}
	if from >= 0 {
		spans = arena.Append(a, spans, span{from, len(s)})
	}
	parts := arena.MakeSlice[string](a, len(spans), len(spans))
	for i, p := range spans {
		parts[i] = s[p.from:p.to]
	}
	return parts
}

// Split returns the parts of s between separators, as strings.Split does, in a slice in a. The
// parts share the memory of s. To look at each part once, use strings.SplitSeq.
func Split(a *arena.Arena, s, sep string) []string { return split(a, s, sep, 0, -1) }

// SplitN is [Split] into at most n parts, as strings.SplitN does. The last part is the rest. A
// negative n means no bound.
func SplitN(a *arena.Arena, s, sep string, n int) []string { return split(a, s, sep, 0, n) }

// SplitAfter is [Split] after separators, with which the parts end, like strings.SplitAfter.
func SplitAfter(a *arena.Arena, s, sep string) []string { return split(a, s, sep, len(sep), -1) }

// split returns at most n parts of s, each with the first keep bytes of the separator behind it. If
// n is a bound, it looks at no more of s than these parts: a loop that splits off one part at a
// time would look at all of the rest each time.
func split(a *arena.Arena, s, sep string, keep, n int) []string {
	if n == 0 {
		return nil
	}
	if sep == "" {
		return explode(a, s, n)
	}
	read(sep)
	most := n
	if n < 0 {
		n = strings.Count(s, sep) + 1
	} else {
		n = 1
		for rest := s; n < most; n++ {
			at := strings.Index(rest, sep)
			if at < 0 {
				break
			}
			rest = rest[at+len(sep):]
		}
	}
	parts := arena.MakeSlice[string](a, n, n)
	last := n - 1
	for i := range parts[:last] {
		at := strings.Index(s, sep)
		read(s[:at])
		parts[i] = s[:at+keep]
		s = s[at+len(sep):]
	}
	if n != most {
		read(s) // to find out that it is the last part
	}
	parts[last] = s
	return parts
}

// explode returns the characters of s, the rest as the last of n parts.
func explode(a *arena.Arena, s string, n int) []string {
	most := n
	n = 0
	for range s {
		if n == most {
			break
		}
		n++
	}
	parts := arena.MakeSlice[string](a, n, n)
	for i := range parts {
		size := len(s)
		if i < n-1 {
			_, size = utf8.DecodeRuneInString(s)
			read(s[:size])
		}
		parts[i] = s[:size]
		s = s[size:]
	}
	return parts
}
