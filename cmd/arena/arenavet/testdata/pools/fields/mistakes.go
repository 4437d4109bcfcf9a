// Package fields has slices that belong to a value of a sync.Pool, and fields that keep such a
// value.
package fields

import (
	"bufio"
	"errors"
	"hash"
	"hash/fnv"
	"io"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"

	"example.com/pools/fields/stock"
)

// A field that is read in other functions.

type keys struct{ all []int }

var sorted = sync.Pool{New: func() any { return new(keys) }}

type rows struct {
	text [][]string
	less func(i, j int) bool
	keys *keys
}

type byKey struct {
	r *rows
	k *keys
}

func (b byKey) Len() int           { return len(b.k.all) }
func (b byKey) Less(i, j int) bool { return b.k.all[i] < b.k.all[j] }
func (b byKey) Swap(i, j int)      { b.k.all[i], b.k.all[j] = b.k.all[j], b.k.all[i] }

func (r *rows) sort() {
	k := sorted.Get().(*keys)
	defer sorted.Put(k)
	k.all = k.all[:0]
	for _, row := range r.text {
		n, _ := strconv.Atoi(row[0])
		k.all = append(k.all, n)
	}
	by := byKey{r, k}
	sort.Sort(by)
	r.less = by.Less // want `syncpool: .* is stored in r.less`
}

func (r *rows) isSorted() bool {
	for n := range r.text[1:] {
		if r.less(n+1, n) {
			return false
		}
	}
	return true
}

func (r *rows) index() {
	k := sorted.Get().(*keys)
	k.all = append(k.all[:0], len(r.text))
	r.keys = k // want `syncpool: .* is stored in r.keys`
	sorted.Put(k)
}

func (r *rows) first() int { return r.keys.all[0] }

type totals struct {
	n   int
	sum []int
}

type monitor struct {
	free    sync.Pool
	current atomic.Pointer[totals]
}

func (m *monitor) get() *totals {
	if t, ok := m.free.Get().(*totals); ok {
		return t
	}
	return new(totals)
}

func (m *monitor) update(n int) bool {
	t := m.get()
	defer m.free.Put(t)
	t.n = n
	if n == 0 {
		return false
	}
	m.current.Store(t) // want `syncpool: .* is stored in m.current`
	return true
}

func (m *monitor) total() int { return m.current.Load().n }

// Slices that were made with the struct.

type space struct {
	mem   []byte
	lines [][]byte
}

var spaces = sync.Pool{New: func() any { return &space{mem: make([]byte, 1<<16)} }}

func readAll(r io.Reader, mem []byte) ([]byte, error) {
	n, err := io.ReadFull(r, mem)
	return mem[:n], err
}

func text(r io.Reader) ([]byte, error) {
	s := spaces.Get().(*space)
	defer spaces.Put(s)
	return readAll(r, s.mem) // want `syncpool: `
}

func lastLine(r io.Reader) ([]byte, error) {
	s := spaces.Get().(*space)
	text, err := readAll(r, s.mem)
	if err != nil {
		spaces.Put(s)
		return nil, err
	}
	s.lines = s.lines[:0]
	for len(text) > 0 {
		n, line, _ := bufio.ScanLines(text, true)
		if len(line) > 0 {
			s.lines = append(s.lines, line)
		}
		text = text[n:]
	}
	var last []byte
	if n := len(s.lines); n > 0 {
		last = s.lines[n-1]
	}
	spaces.Put(s)
	return last, nil // want `syncpool: `
}

// Copies of a struct.

type message struct {
	kind   int
	fields []int
	body   []byte
}

var messages = sync.Pool{New: func() any { return new(message) }}

var errShort = errors.New("short")

func (m *message) decode(b []byte) error {
	for ; len(b) > 0; b = b[2:] {
		if len(b) < 2 {
			return errShort
		}
		m.fields = append(m.fields, int(b[0])<<8|int(b[1]))
	}
	return nil
}

func (m *message) recycle() {
	m.kind, m.fields = 0, m.fields[:0]
	messages.Put(m)
}

type conn struct{ last map[int]message }

func (c *conn) receive(b []byte) error {
	m := messages.Get().(*message)
	defer m.recycle()
	if err := m.decode(b); err != nil {
		return err
	}
	if c.last == nil {
		c.last = map[int]message{}
	}
	last := *m
	last.body = nil
	c.last[m.kind] = last // want `syncpool: `
	return nil
}

// Elements beside those that were there.

type digester struct {
	h   hash.Hash
	sum [8]byte
}

var digesters = sync.Pool{New: func() any { return &digester{h: fnv.New64()} }}

func (d *digester) digest(body []byte) []byte {
	d.h.Reset()
	d.h.Write(body)
	return d.h.Sum(d.sum[:0])
}

type seen struct {
	digest []byte
	at     int
}

type filter struct{ recent []seen }

func (f *filter) add(now int, body []byte) bool {
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	sum := d.digest(body)
	kept, again := f.recent[:0], false
	for _, s := range f.recent {
		if s.at+10 > now {
			again = again || string(s.digest) == string(sum)
			kept = append(kept, s)
		}
	}
	if !again {
		kept = append(kept, seen{sum, now})
	}
	f.recent = kept // want `syncpool: `
	return again
}

// A pool of another package.

type search struct {
	queue, path []int
	from        map[int]int
}

var searches = stock.Pool[search]{Reset: func(s *search) {
	s.queue, s.path = s.queue[:0], s.path[:0]
	clear(s.from)
}}

func path(next [][]int, end int) (path []int, err error) {
	err = searches.With(func(s *search) error {
		s.queue = append(s.queue, 0)
		for len(s.queue) > 0 {
			n := s.queue[0]
			s.queue = s.queue[1:]
			s.path = append(s.path, n)
			if n == end {
				path = s.path
				return nil
			}
			s.queue = append(s.queue, next[n]...)
		}
		return errShort
	})
	return path, err // want `syncpool: `
}

// Elements of a slice that are put one after the other.

func (k *keys) merge(other *keys) {
	k.all = append(k.all, other.all...)
	sorted.Put(other)
}

func mergeAll(names []string) *keys {
	parts := make([]*keys, len(names))
	for i := range names {
		parts[i] = sorted.Get().(*keys)
		parts[i].all = append(parts[i].all[:0], i)
	}
	sum := new(keys)
	for _, p := range parts {
		sum.merge(p)
	}
	for _, p := range parts {
		sorted.Put(p) // want `syncpool: a value is put twice`
	}
	return sum
}

func lastOf(names []string) int {
	var parts []*keys
	for range names {
		parts = append(parts, sorted.Get().(*keys))
	}
	for _, p := range parts {
		sorted.Put(p)
	}
	return len(parts[0].all) // want `syncpool: `
}

// Values that are made where the pool has none.

func getOf[T any](p *sync.Pool) *T {
	if v, ok := p.Get().(*T); ok {
		return v
	}
	return new(T)
}

func putOf[T any](p *sync.Pool, v *T) { p.Put(v) }

func numbers(p *sync.Pool, n int) []int {
	k := getOf[keys](p)
	defer putOf(p, k)
	k.all = append(k.all[:0], n)
	return k.all // want `syncpool: `
}

// The field keeps what finish has put, and Close puts it unless it is nil.

var outs sync.Pool

type output struct{ buf *keys }

func (o *output) finish() { outs.Put(o.buf) }

func (o *output) Close() {
	if o.buf != nil {
		outs.Put(o.buf)
		o.buf = nil
	}
}

func closesTwice() {
	o := &output{buf: outs.Get().(*keys)}
	defer o.Close() // want `syncpool: a value is put twice`
	o.finish()
}
