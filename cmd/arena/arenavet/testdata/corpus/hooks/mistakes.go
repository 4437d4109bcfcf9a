// Package hooks has mistakes with functions in fields, and with channels.
package hooks

import (
	"fmt"

	"github.com/arena-go/arena"
)

type row struct{ id string }

type model struct {
	afterLoad func(*row)
	pool      arena.Pool
}

func (m *model) load(id string) {
	a := m.pool.Get()
	defer m.pool.Put(a)
	r := arena.Ptr(a, row{id})
	if m.afterLoad != nil {
		m.afterLoad(r)
	}
}

type repo struct {
	model *model
	cache map[string]*row
}

func newRepo() *repo {
	r := &repo{cache: map[string]*row{}}
	r.model = &model{afterLoad: func(x *row) { r.cache[x.id] = x }} // want `outlives: `
	return r
}

type options struct {
	onRow  func(*row)
	onDone func()
}

func query(o options, names []string) {
	a := arena.NewArena()
	defer a.Reset()
	for _, n := range names {
		if o.onRow != nil {
			o.onRow(arena.Ptr(a, row{n})) // want `outlives: `
		}
	}
	if o.onDone != nil {
		o.onDone()
	}
}

func all(names []string) []*row {
	var rows []*row
	query(options{onRow: func(r *row) { rows = append(rows, r) }}, names)
	return rows
}

type dispatcher struct{ last *row }

func (d *dispatcher) dispatch(names []string) {
	query(options{onRow: func(r *row) { d.last = r }, onDone: func() { fmt.Println("done") }}, names) // want `outlives: `
}

func (d *dispatcher) id() string { return d.last.id }

func local(s string) string {
	a := arena.NewArena()
	ch := make(chan *row, 1)
	ch <- arena.Ptr(a, row{s}) // want `outlives: `
	a.Reset()
	return (<-ch).id // want `stale: `
}

type pipe struct{ in chan string }

func newPipe() *pipe { return &pipe{in: make(chan string, 4)} }

func through(s string) int {
	p := newPipe()
	a := arena.NewArena()
	p.in <- arena.String(a, s) // want `outlives: `
	close(p.in)
	a.Reset()
	n := 0
	for s := range p.in {
		n += find(s)
	}
	return n
}

func find(s string) int {
	for i := range len(s) {
		if s[i] == '@' {
			return i
		}
	}
	return -1
}

type table struct {
	a     *arena.Arena
	hooks struct {
		created func(*row)
		deleted func(string)
	}
}

var created []*row

func openTable() *table {
	t := &table{a: arena.NewArena()}
	t.hooks.created = func(r *row) { created = append(created, r) }
	return t
}

func (t *table) insert(id string) {
	r := arena.Ptr(t.a, row{id})
	t.hooks.created(r) // want `outlives: `
	t.a.Reset()
}
