// Package snaps has mistakes with copies that refer to what was copied.
package snaps

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/arena-go/arena"
)

type metric struct {
	name  string
	value int
}

type meter struct {
	a       *arena.Arena
	metrics []*metric
	last    atomic.Pointer[snapshot]
}

type snapshot struct{ metrics []*metric }

func (m *meter) add(name string, v int) {
	m.metrics = append(m.metrics, &metric{arena.String(m.a, name), v})
}

func (m *meter) flush() {
	m.last.Store(&snapshot{slices.Clone(m.metrics)}) // want `outlives: `
	m.metrics = m.metrics[:0]
	m.a.Reset()
}

func (m *meter) take() []*metric {
	all := slices.Clone(m.metrics)
	m.metrics = m.metrics[:0]
	m.a.Reset()
	return all // want `outlives: `
}

func (m *meter) snapshot() *snapshot { return m.last.Load() }

type board struct {
	a     *arena.Arena
	lines []string
}

func (b *board) draw(s string) { b.lines = append(b.lines, arena.String(b.a, s)) }

func (b *board) take() []string {
	out := slices.Clone(b.lines)
	b.lines = b.lines[:0]
	b.a.Reset()
	return out // want `outlives: `
}

type state struct{ names map[string]string }

type engine struct {
	a   *arena.Arena
	now state
}

func (e *engine) set(k, v string) { e.now.names[k] = arena.String(e.a, v) }

var published map[string]string

func (e *engine) publish() {
	published = maps.Clone(e.now.names) // want `outlives: `
	clear(e.now.names)
	e.a.Reset()
}

func deltas(names []string) int {
	a := arena.NewArena()
	var all []*metric
	for _, n := range names {
		all = append(all, &metric{name: arena.String(a, n)})
	}
	before := make([]*metric, len(all))
	copy(before, all)
	a.Reset()
	return find(before[0].name) // want `stale: `
}

func find(s string) int {
	for i := range len(s) {
		if s[i] == '@' {
			return i
		}
	}
	return -1
}

type point struct{ host string }

type series struct {
	arena  arena.Arena
	points map[string]*point
}

func newPoint(a *arena.Arena, host string) *point { return &point{arena.String(a, host)} }

func (s *series) put(host string) { s.points[host] = newPoint(&s.arena, host) }

var latest map[string]*point

func (s *series) publish() {
	latest = maps.Clone(s.points) // want `outlives: `
	clear(s.points)
	s.arena.Reset()
}
