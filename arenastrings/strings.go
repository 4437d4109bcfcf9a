/*
Package arenastrings contains the functions of packages strings and strconv that allocate, with an
arena before the other arguments. They allocate in the arena.

	lower := arenastrings.ToLower(a, name) // strings.ToLower(name)

A result may be its input or share its memory, as in package strings: [ToLower] of text without
capital letters is that text, and the parts that [Split] and [Fields] return are parts of it. So a
result is valid until the arena is Reset, and no longer than its input. To get a copy, pass the
result to arena.String.

With a nil arena, the heap, each function is its counterpart in package strings or strconv. They
panic like arena.String. The functions of package strings do so only if they need memory.

Most of the other functions of package strings allocate nothing, such as Cut, Trim and SplitSeq, or
are in package arena: Clone is arena.String, and Join and Builder have the same names. A
strings.Replacer writes to an arena.Builder. Few programs use the others: Title, ToTitle,
ToValidUTF8, SplitAfterN, and the functions for a unicode.SpecialCase. Their results are on the
heap.
*/
package arenastrings

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

// ToLower returns s with all letters in lower case, as strings.ToLower does. It returns s itself if
// that changes nothing.
func ToLower(a *arena.Arena, s string) string {
	read(s)
	if a == nil {
		return strings.ToLower(s)
	}
	at, ascii := scan(s, 'A', 'Z')
	switch {
	case !ascii:
		return Map(a, unicode.ToLower, s)
	case at == len(s):
		return s
	}
	return swapCase(a, s, at, 'A', 'Z')
}

// ToUpper returns s with all letters in upper case, as strings.ToUpper does. It returns s itself if
// that changes nothing.
func ToUpper(a *arena.Arena, s string) string {
	read(s)
	if a == nil {
		return strings.ToUpper(s)
	}
	at, ascii := scan(s, 'a', 'z')
	switch {
	case !ascii:
		return Map(a, unicode.ToUpper, s)
	case at == len(s):
		return s
	}
	return swapCase(a, s, at, 'a', 'z')
}

// scan returns where s has its first byte from low to high, or its length, and whether all bytes of
// s are ASCII.
func scan(s string, low, high byte) (at int, ascii bool) {
	at = len(s)
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return 0, false
		}
		if low <= c && c <= high {
			at = min(at, i)
		}
	}
	return at, true
}

// swapCase returns s, which is ASCII, with the letters from low to high in the other case. There is
// none before at.
func swapCase(a *arena.Arena, s string, at int, low, high byte) string {
	b := arena.Bytes(a, s)
	for i, c := range b[at:] {
		if low <= c && c <= high {
			b[at+i] = c ^ ('a' ^ 'A')
		}
	}
	return stringOf(b)
}

// Map returns s with each character replaced by the result of mapping, as strings.Map does.
// Characters with a negative result are dropped. Map returns s itself if that changes nothing.
func Map(a *arena.Arena, mapping func(rune) rune, s string) string {
	read(s)
	if a == nil {
		return strings.Map(mapping, s)
	}
	for i, c := range s {
		r := mapping(c)
		if r == c && c != utf8.RuneError {
			continue
		}
		width := utf8.RuneLen(c)
		if c == utf8.RuneError {
			var was rune
			if was, width = utf8.DecodeRuneInString(s[i:]); width != 1 && r == was {
				continue
			}
		}
		b := append(arena.MakeSlice[byte](a, 0, len(s)+utf8.UTFMax), s[:i]...)
		b = appendRune(a, b, r)
		for _, c := range s[i+width:] {
			b = appendRune(a, b, mapping(c))
		}
		return stringOf(b)
	}
	return s
}

// appendRune appends r to b, unless it is negative.
func appendRune(a *arena.Arena, b []byte, r rune) []byte {
	switch {
	case r < 0:
		return b
	case r < utf8.RuneSelf && len(b) < cap(b):
		return append(b, byte(r))
	}
	return utf8.AppendRune(arena.Grow(a, b, utf8.UTFMax), r)
}

// Repeat returns count copies of s, one after the other, as strings.Repeat does. It panics if count
// is negative. It returns s itself if count is 1.
func Repeat(a *arena.Arena, s string, count int) string {
	read(s)
	if a == nil || count < 0 {
		return strings.Repeat(s, count)
	}
	if count < 2 || s == "" {
		return s[:len(s)*min(count, 1)]
	}
	if n := len(s) * count; n/count != len(s) {
		return strings.Repeat(s, count) // which panics
	}
	b := arena.MakeSlice[byte](a, len(s)*count, len(s)*count)
	for done := copy(b, s); done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
	return stringOf(b)
}

// ReplaceAll returns s with each old replaced by new, as strings.ReplaceAll does. It returns s
// itself if it does not contain old.
func ReplaceAll(a *arena.Arena, s, old, new string) string { return Replace(a, s, old, new, -1) }

// Replace returns s with the first n occurrences of old replaced by new, as strings.Replace does. A
// negative n means all. An empty old occurs before and after each character. Replace returns s
// itself if there is nothing to replace.
func Replace(a *arena.Arena, s, old, new string, n int) string {
	read(s)
	read(old)
	read(new)
	if a == nil || old == new || n == 0 {
		return strings.Replace(s, old, new, n)
	}
	times := strings.Count(s, old)
	if n >= 0 {
		times = min(times, n)
	}
	if times == 0 {
		return s
	}
	size := len(s) + times*(len(new)-len(old))
	b := arena.MakeSlice[byte](a, 0, size)
	for i := range times {
		at := 0
		switch {
		case old != "":
			at = strings.Index(s, old)
		case i > 0:
			_, at = utf8.DecodeRuneInString(s)
		}
		b = append(b, s[:at]...)
		b = append(b, new...)
		s = s[at+len(old):]
	}
	return stringOf(append(b, s...))
}
