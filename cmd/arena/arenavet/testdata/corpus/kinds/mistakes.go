// Package kinds has interfaces with several implementations, of which one keeps what it gets.
package kinds

import "github.com/arena-go/arena"

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

func counting(ask func() []byte) func() int {
	a := arena.NewArena()
	var s stats = &table{map[string]int{}}
	return func() int {
		defer a.Reset()
		return s.count(arena.String(a, ask())) // want `outlives: .* the keys of s.names`
	}
}

func countingDeep(ask func() []byte) func() {
	a := arena.NewArena()
	var s stats
	s = &table{map[string]int{}}
	return func() {
		add := func(b []byte) int {
			return s.count(arena.String(a, b)) // want `outlives: .* the keys of s.names`
		}
		add(ask())
		a.Reset()
	}
}
