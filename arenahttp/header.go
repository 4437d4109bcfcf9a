package arenahttp

import (
	"net/http"
	"strings"
)

// detach replaces what of h lies in the arenas by copies on the heap, and tells whether there was any. net/http reads a header, or
// a shallow copy of it, after the handler has returned, when text of the arena may be that of another request. An HTTP/2 connection
// even compares headers with those of earlier requests.
//
// The slices of the values are replaced, not written to: the handler may have them in common with others, or in the arena.
func (f *fork) detach(h http.Header) (found bool) {
	for key, values := range h {
		if f.lies(values) {
			found = true
			values = f.copy(values)
			h[key] = values
		}
		if f.holdsText(key) {
			found = true
			delete(h, key) // Assignment to an entry need not replace its key.
			h[strings.Clone(key)] = values
		}
	}
	return found
}

// lies tells whether any of values lies in the arenas.
func (f *fork) lies(values []string) bool {
	if f.holdsSlice(values) {
		return true
	}
	for _, v := range values {
		if f.holdsText(v) {
			return true
		}
	}
	return false
}

// copy returns values on the heap.
func (f *fork) copy(values []string) []string {
	all := make([]string, len(values))
	for i, v := range values {
		if f.holdsText(v) {
			v = strings.Clone(v)
		}
		all[i] = v
	}
	return all
}
