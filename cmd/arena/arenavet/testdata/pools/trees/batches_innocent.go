package trees

import (
	"slices"
	"strings"
	"sync"
)

type row struct {
	id   int
	name string
}

// A batch is emptied where it is taken. Nothing that it had is used again but cells.
type batch struct {
	rows   []row
	sums   []int
	copies []int
	byID   map[int]row
	text   string
	first  *row
	page   *page
	box    box
	cells  []cell
}

// A page is made for each batch.
type page struct {
	rows  []row
	names map[string]int
}

type box struct{ rows []row }

type cell struct{ rows []row }

var batches = sync.Pool{New: func() any { return new(batch) }}

func newBatch() *batch {
	b := batches.Get().(*batch)
	*b = batch{byID: map[int]row{}, page: &page{}, cells: b.cells[:0]}
	return b
}

func (b *batch) add(r row) {
	b.rows = append(b.rows, r)
	b.sums = append(b.sums, r.id)
	b.byID[r.id] = r
}

func (b *batch) fill(n int) {
	b.sums = make([]int, n)
	b.copies = slices.Clone(b.sums)
	b.first = &row{id: n}
}

// shrink takes rows out of a page, which the caller gets all the same.
func (p *page) shrink() {
	p.rows = p.rows[:0]
	clear(p.names)
}

func allAtOnce(all []row) []row {
	b := batches.Get().(*batch)
	*b = batch{byID: map[int]row{}}
	defer batches.Put(b)
	for _, r := range all {
		b.add(r)
	}
	return b.rows
}

func rows(all []row) []row {
	b := newBatch()
	defer batches.Put(b)
	b.rows = append(b.rows, all...)
	return b.rows
}

func sums(all []row) []int {
	b := newBatch()
	defer batches.Put(b)
	for _, r := range all {
		b.add(r)
	}
	return b.sums
}

func byID(all []row) map[int]row {
	b := newBatch()
	defer batches.Put(b)
	for _, r := range all {
		b.add(r)
	}
	return b.byID
}

func boxed(all []row) []row {
	b := newBatch()
	defer batches.Put(b)
	b.box.rows = append(b.box.rows, all...)
	return b.box.rows
}

func paged(all []row) []row {
	b := newBatch()
	defer batches.Put(b)
	b.page.shrink()
	b.page.rows = append(b.page.rows, all...)
	return b.page.rows
}

func named() map[string]int {
	b := newBatch()
	defer batches.Put(b)
	b.page.names = map[string]int{}
	return b.page.names
}

func text(n int) string {
	b := newBatch()
	defer batches.Put(b)
	b.text = strings.Repeat("x", n)
	return b.text
}

func filled(n int) ([]int, *row) {
	b := newBatch()
	defer batches.Put(b)
	b.fill(n)
	return b.copies, b.first
}

func rowsOfCell(all []row) []row {
	b := newBatch()
	defer batches.Put(b)
	b.cells = append(b.cells, cell{rows: slices.Clone(all)})
	return b.cells[0].rows
}
