package kinds

import (
	"net/http"
	"strings"

	"github.com/arena-go/arena"
)

func countingNothing() http.Handler {
	var s stats = nothing{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		s.count(arena.Concat(a, r.Method, " ", r.URL.Path))
	})
}

func countingCopies() http.Handler {
	var s stats = &table{map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		s.count(strings.Clone(arena.Concat(a, r.Method, " ", r.URL.Path)))
	})
}

// Only one of the two keeps the line, and callers may know which one it is.
func countingPerhaps(on bool) http.Handler {
	s := stats(nothing{})
	if on {
		s = &table{map[string]int{}}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		line := arena.Concat(a, r.Method, " ", r.URL.Path)
		if on {
			line = strings.Clone(line)
		}
		s.count(line) // maybe `outlives: `
	})
}

func logPerhaps(l logger, b []byte) {
	a := arena.NewArena()
	l.log(arena.String(a, b)) // maybe `outlives: `
	a.Reset()
}

func logToAll(b []byte, others ...logger) {
	a := arena.NewArena()
	all(others).log(arena.String(a, b)) // maybe `outlives: `
	a.Reset()
}

// The variable is set again.
func countingLater(on bool) (handler http.Handler, change func()) {
	var s stats = &table{map[string]int{}}
	s = nothing{}
	handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		s.count(arena.Concat(a, r.Method, " ", r.URL.Path)) // maybe `outlives: `
	})
	return handler, func() { s = nothing{} }
}
