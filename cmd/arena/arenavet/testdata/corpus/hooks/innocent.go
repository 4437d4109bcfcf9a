package hooks

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

// The last function that is called uses the rows, and nobody does later.
func inBatches(names []string) {
	var batch []*row
	flush := func() {
		fmt.Println(len(batch))
		for _, r := range batch {
			fmt.Println(r.id)
		}
		batch = batch[:0]
	}
	stream(streaming{
		onRow: func(r *row) {
			batch = append(batch, r)
			if len(batch) == 10 {
				flush()
			}
		},
		onDone: flush,
	}, names)
}

type streaming struct {
	onRow  func(*row)
	onDone func()
}

func stream(o streaming, names []string) {
	a := arena.NewArena()
	defer a.Reset()
	for _, n := range names {
		o.onRow(arena.Ptr(a, row{n}))
	}
	o.onDone()
}

type importer struct {
	onRow func(*row)
	pool  arena.Pool
}

func (m *importer) load(id string) {
	a := m.pool.Get()
	defer m.pool.Put(a)
	m.onRow(arena.Ptr(a, row{id}))
}

func importAll(ids []string) (names []string) {
	m := &importer{onRow: func(r *row) { names = append(names, strings.Clone(r.id)) }}
	for _, id := range ids {
		m.load(id)
	}
	return names
}

// The receiver is here.
func received(s string) int {
	a := arena.NewArena()
	ch := make(chan *row, 1)
	ch <- arena.Ptr(a, row{s})
	n := len((<-ch).id)
	a.Reset()
	return n
}

type visiting struct {
	a     *arena.Arena
	visit func(*row)
}

// Reset comes when the rows were used.
func visited(names []string) (n int) {
	var rows []*row
	v := &visiting{a: arena.NewArena(), visit: func(r *row) { rows = append(rows, r) }}
	v.all(names)
	for _, r := range rows {
		n += len(r.id)
	}
	v.a.Reset()
	return n
}

func (v *visiting) all(names []string) {
	for _, n := range names {
		v.visit(arena.Ptr(v.a, row{n}))
	}
}
