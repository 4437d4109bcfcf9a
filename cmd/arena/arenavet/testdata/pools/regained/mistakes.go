// Package regained gives memory that has grown to a sync.Pool.
package regained

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var space = sync.Pool{New: func() any { return new([]byte) }}

type journal struct {
	entries [][]byte
	byName  map[string][]byte
}

func (j *journal) add(n int) {
	p := space.Get().(*[]byte)
	b := strconv.AppendInt((*p)[:0], int64(n), 10)
	b = append(b, '\n')
	j.entries = append(j.entries, b) // want `syncpool: `
	*p = b
	space.Put(p)
}

func (j *journal) name(name string) {
	p := space.Get().(*[]byte)
	b := append((*p)[:0], name...)
	defer func() {
		*p = b[:0]
		space.Put(p)
	}()
	j.entries = slices.Insert(j.entries, 0, b) // want `syncpool: `
}

type table struct {
	cells map[int][]byte
	text  []byte
	rows  int
}

var tables = sync.Pool{New: func() any { return &table{cells: map[int][]byte{}} }}

func (t *table) fill(in []byte) {
	clear(t.cells)
	t.text = append(t.text[:0], in...)
	for i, c := range t.text {
		if c == '|' {
			t.cells[len(t.cells)] = t.text[:i]
		}
	}
}

func (t *table) parts(in []byte) [][]byte {
	t.text = append(t.text[:0], in...)
	return bytes.Fields(t.text)
}

func parts(in []byte) [][]byte {
	t := tables.Get().(*table)
	defer tables.Put(t)
	return t.parts(in) // want `syncpool: `
}

func cells(in []byte) map[int][]byte {
	t := tables.Get().(*table)
	t.fill(in)
	all := maps.Clone(t.cells)
	t.rows = 0
	tables.Put(t)
	return all // want `syncpool: `
}

type codec interface {
	encode(s string) []byte
	done()
}

type short struct{ buf []byte }
type long struct{ buf []byte }

var shorts, longs sync.Pool

func (c *short) encode(s string) []byte {
	c.buf = append(c.buf[:0], s...)
	return c.buf
}

func (c *short) done() { shorts.Put(c) }

func (c *long) encode(s string) []byte {
	c.buf = append(append(c.buf[:0], "long "...), s...)
	return c.buf
}

func (c *long) done() { longs.Put(c) }

func codecFor(s string) codec {
	if len(s) < 10 {
		if c, ok := shorts.Get().(*short); ok {
			return c
		}
		return new(short)
	}
	if c, ok := longs.Get().(*long); ok {
		return c
	}
	return new(long)
}

func encode(s string) codec {
	c := codecFor(s)
	c.encode(s)
	c.done()
	return c // want `syncpool: `
}

func matches(root string) (all []*table) {
	filepath.Walk(root, func(path string, _ fs.FileInfo, err error) error {
		t := tables.Get().(*table)
		defer tables.Put(t)
		if t.rows = len(path); t.rows > 10 && err == nil {
			all = append(all, t)
		}
		return nil
	})
	return all // want `syncpool: `
}

// read returns the first n bytes of r.
func read(r io.Reader, n int) ([]byte, error) {
	p := space.Get().(*[]byte)
	if len(*p) < n {
		*p = make([]byte, 2*n)
	}
	head := (*p)[:n]
	_, err := io.ReadFull(r, head)
	space.Put(p)
	return head, err // want `syncpool: `
}

type of[T any] struct{ free sync.Pool }

func (o *of[T]) do(f func(*T)) {
	v, ok := o.free.Get().(*T)
	if !ok {
		v = new(T)
	}
	f(v)
	o.free.Put(v)
}

type line struct {
	words []string
	n     int
}

var lines of[line]

func split(s string) (words []string) {
	lines.do(func(l *line) {
		l.words = l.words[:0]
		for w := range strings.SplitSeq(s, ";") {
			l.words = append(l.words, w)
		}
		words = l.words
	})
	return words // want `syncpool: `
}
