package arenahttp

import (
	"net/http"
	"strings"

	"github.com/arena-go/arena/arenascope"
)

// detach replaces text and slices of h that are in the arenas of s with copies on the heap. It
// reports whether there were any. net/http reads a header, or a shallow copy of it, after the
// handler has returned. Text of the arena may be text of another request then. An HTTP/2 connection
// even compares headers with the headers of earlier requests.
//
// It replaces the slices of the values instead of writing to them: the handler may share them with
// others, or have them in the arena.
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

// lies reports whether any of values is in the arenas.
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
