package snaps

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// The names are copies.
type safe struct {
	a     *arena.Arena
	items []*metric2
	last  atomic.Pointer[[]*metric2]
}

type metric2 struct {
	name string
	n    int
}

func (m *safe) add(name string, n int) {
	s := arena.String(m.a, name)
	m.items = append(m.items, &metric2{strings.Clone(s), n})
}

func (m *safe) flush() {
	all := slices.Clone(m.items)
	m.last.Store(&all)
	m.items = m.items[:0]
	m.a.Reset()
}

// Some are filled anew before they are published.
type renamed struct {
	a     *arena.Arena
	items []*metric3
}

type metric3 struct{ name string }

func (m *renamed) add(name string) {
	m.items = append(m.items, &metric3{arena.String(m.a, name)})
}

func (m *renamed) take() []*metric3 {
	all := slices.Clone(m.items)
	for _, x := range all {
		x.name = strings.Clone(x.name)
	}
	m.items = m.items[:0]
	m.a.Reset()
	return all
}

// Others fill the list, too.
type shared struct {
	a     *arena.Arena
	items []*metric4
}

type metric4 struct{ name string }

func parsed(s string) *metric4 {
	if n := strings.IndexByte(s, ' '); n >= 0 {
		return decode(s[:n])
	}
	return decode(s)
}

var decode = func(s string) *metric4 { return &metric4{s} }

func (m *shared) add(name string) {
	m.items = append(m.items, &metric4{arena.String(m.a, name)})
	m.items = m.items[:0]
}

func (m *shared) load(name string) { m.items = append(m.items, parsed(name)) }

func (m *shared) take() []*metric4 {
	all := slices.Clone(m.items)
	m.items = nil
	m.a.Reset()
	return all
}

// Nothing has ended yet.
func (m *meter) view() []*metric { return slices.Clone(m.metrics) }

func (m *meter) count() int {
	n := 0
	for _, x := range slices.Clone(m.metrics) {
		n += len(x.name)
	}
	m.metrics = m.metrics[:0]
	m.a.Reset()
	return n
}
