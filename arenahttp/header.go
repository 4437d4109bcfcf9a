package arenahttp

import (
	"net/http"
	"strings"
)

// copies are the keys and values of a header, on the heap. net/http reads a
// header, or a shallow copy of it, after the handler has returned, when text of
// the arena may be that of another request. An HTTP/2 connection even compares
// headers with those of earlier requests.
//
// strings has three parts of one length: what the header's values are slices of,
// which the handler can write to; the same again, which it cannot; and for each the key.
type copies struct{ strings []string }

// detach replaces what is in h by copies, except where that has been done.
//
// The slices of the values are replaced, not written to: the handler may have them in common
// with others, or in the arena.
func (c *copies) detach(h http.Header) {
	if len(h) == 0 {
		return
	}
	fields := make([]field, 0, 16)
	if c.cover(h) {
		// The keys are equal to ours, but may be others: a handler can have moved values
		// to a key of its own.
		_, _, keys := c.parts()
		for _, values := range h {
			fields = append(fields, field{keys[c.index(values)], values})
		}
		clear(h)
		for _, f := range fields {
			h[f.key] = f.values
		}
		return
	}
	n, size := 0, 0
	for k, values := range h {
		fields = append(fields, field{k, values})
		n += len(values)
		size += len(k)
		for _, v := range values {
			size += len(v)
		}
	}
	var text strings.Builder
	text.Grow(size)
	clone := func(s string) string {
		text.WriteString(s)
		t := text.String()
		return t[len(t)-len(s):]
	}
	// Assignment to an entry need not replace its key.
	clear(h)
	c.strings = make([]string, 3*n)
	given, kept, keys := c.parts()
	i := 0
	for _, f := range fields {
		key := clone(f.key)
		if f.values == nil {
			h[key] = nil // not the same as an empty one: Date is not sent then
			continue
		}
		from := i
		for _, v := range f.values {
			v = clone(v)
			given[i], kept[i], keys[i] = v, v, key
			i++
		}
		h[key] = given[from:i:i]
	}
}

// A field is an entry of a header.
type field struct {
	key    string
	values []string
}

// index returns where values, of which there is one at least, are among the given, or -1.
func (c *copies) index(values []string) int {
	given, _, _ := c.parts()
	for i := range given {
		if &given[i] == &values[0] {
			return i
		}
	}
	return -1
}

func (c *copies) parts() (given, kept, keys []string) {
	n := len(c.strings) / 3
	return c.strings[:n:n], c.strings[n : 2*n], c.strings[2*n:]
}

// cover reports whether all of h is copies.
func (c *copies) cover(h http.Header) bool {
	given, kept, keys := c.parts()
	if len(given) > 64 {
		return false // rather than search it
	}
	for i, v := range kept {
		if given[i] != v {
			return false
		}
		given[i] = v // perhaps the same text was written to it, from the arena
	}
	for k, values := range h {
		if len(values) == 0 {
			return false
		}
		if i := c.index(values); i < 0 || keys[i] != k {
			return false
		}
	}
	return true
}
