// Package kinds has interfaces with several implementations, of which one keeps what it gets.
package kinds

import (
	"net/http"

	"github.com/arena-go/arena"
)

type stats interface{ count(name string) int }

type table struct{ names map[string]int }

func (t *table) count(name string) int {
	t.names[name]++
	return t.names[name]
}

type nothing struct{}

func (nothing) count(string) int { return 0 }

type logger interface{ log(line string) }

type memory struct{ lines []string }

func (m *memory) log(line string) { m.lines = append(m.lines, line) }

type quiet struct{}

func (quiet) log(string) {}

// all gives each line to several others.
type all []logger

func (a all) log(line string) {
	for _, l := range a {
		l.log(line)
	}
}

func counting() http.Handler {
	var s stats = &table{map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		s.count(arena.Concat(a, r.Method, " ", r.URL.Path)) // want `outlives: .* the keys of s.names`
	})
}

func logging() func(http.ResponseWriter, *http.Request) {
	var l logger
	l = &memory{}
	return func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		if r.URL.Path != "" {
			l.log(arena.String(a, r.URL.Path)) // want `outlives: .* the elements of l.lines`
		}
	}
}
