package arenaconnect

import (
	"net/http"
	"strings"
)

// detach puts the text of h onto the heap. Connections read headers after the call, and their
// compression keeps the text for the calls that follow.
func detach(h http.Header) {
	if len(h) == 0 {
		return
	}
	to := make(http.Header, len(h))
	detachInto(to, h)
	clear(h)
	for k, values := range to {
		h[k] = values
	}
}

// detachInto adds what is in h to the empty to, with text that is on the heap.
func detachInto(to, h http.Header) {
	if len(h) == 0 {
		return
	}
	size, n := 0, 0
	for k, values := range h {
		size += len(k)
		n += len(values)
		for _, v := range values {
			size += len(v)
		}
	}
	var b strings.Builder
	b.Grow(size) // so that it does not move
	copied := func(s string) string {
		at := b.Len()
		b.WriteString(s)
		return b.String()[at:]
	}
	all := make([]string, 0, n)
	for k, values := range h {
		at := len(all)
		for _, v := range values {
			all = append(all, copied(v))
		}
		to[copied(k)] = all[at:len(all):len(all)]
	}
}
