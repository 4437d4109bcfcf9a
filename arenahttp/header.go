package arenahttp

import (
	"net/http"
	"strings"

	"github.com/arena-go/arena/arenascope"
)

// detach replaces what of h lies in the arenas of s by copies on the heap, and tells whether there was any. net/http reads a header, or
// a shallow copy of it, after the handler has returned, when text of the arena may be that of another request. An HTTP/2 connection
// even compares headers with those of earlier requests.
//
// The slices of the values are replaced, not written to: the handler may have them in common with others, or in the arena.
func detach(s *arenascope.Scope, h http.Header) (found bool) {
	for key, values := range h {
		if lies(s, values) {
			found = true
			values = copied(s, values)
			h[key] = values
		}
		if s.Holds(key) {
			found = true
			delete(h, key) // Assignment to an entry need not replace its key.
			h[strings.Clone(key)] = values
		}
	}
	return found
}

// lies tells whether any of values lies in the arenas.
func lies(s *arenascope.Scope, values []string) bool {
	if s.HoldsSlice(values) {
		return true
	}
	for _, v := range values {
		if s.Holds(v) {
			return true
		}
	}
	return false
}

// copied returns values on the heap.
func copied(s *arenascope.Scope, values []string) []string {
	all := make([]string, len(values))
	for i, v := range values {
		if s.Holds(v) {
			v = strings.Clone(v)
		}
		all[i] = v
	}
	return all
}
