// Package cursors has mistakes with readers that end what they gave last.
package cursors

import (
	"bufio"
	"fmt"
	"io"

	"github.com/arena-go/arena"
)

type record struct{ name, city string }

type cursor struct {
	a   *arena.Arena
	in  *bufio.Scanner
	row *record
}

func (c *cursor) Next() bool {
	if !c.in.Scan() {
		return false
	}
	c.a.Reset()
	c.row = &record{name: arena.String(c.a, c.in.Bytes())}
	return true
}

func (c *cursor) Row() *record { return c.row }

func firstTwo(c *cursor) string {
	c.Next()
	first := c.Row()
	c.Next()
	return first.name + c.Row().name // want `stale: `
}

func (c *cursor) pair() (x, y *record) {
	if !c.Next() {
		return nil, nil
	}
	x = c.Row()
	if !c.Next() {
		return nil, nil
	}
	return x, c.Row() // want `outlives: `
}

type rows interface {
	Next() bool
	Row() *record
}

func compare(r rows) bool {
	r.Next()
	before := r.Row().name
	r.Next()
	return before == r.Row().name // want `stale: `
}

func compareFile(in io.Reader) bool {
	return compare(&cursor{a: arena.NewArena(), in: bufio.NewScanner(in)})
}

type tokenizer struct {
	a   *arena.Arena
	src []byte
	pos int
}

func (t *tokenizer) Token() string {
	t.a.Reset()
	start := t.pos
	for t.pos < len(t.src) && t.src[t.pos] != ' ' {
		t.pos++
	}
	return arena.String(t.a, t.src[start:t.pos])
}

func assign(t *tokenizer) string {
	left := t.Token()
	right := t.Token()
	return left + "=" + right // want `stale: `
}

func collect(t *tokenizer, n int) []string {
	var all []string
	for range n {
		all = append(all, t.Token())
	}
	return all // want `outlives: `
}

type decoder struct {
	a   *arena.Arena
	src *bufio.Reader
}

func (d *decoder) Decode(v *record) error {
	d.a.Reset()
	line, err := d.src.ReadSlice('\n')
	if err != nil {
		return err
	}
	v.name = arena.String(d.a, line)
	return nil
}

func both(d *decoder) {
	var x, y record
	if d.Decode(&x) != nil || d.Decode(&y) != nil {
		return
	}
	fmt.Println(x.name, y.name) // want `stale: `
}

type page struct{ items []string }

type pager struct {
	a     *arena.Arena
	fetch func(int) []string
	n     int
	now   page
}

func (p *pager) advance() {
	p.a.Reset()
	p.n++
	p.now = page{arena.SliceOf(p.a, p.fetch(p.n)...)}
}

func (p *pager) page() page { return p.now }

func lastOfFirst(p *pager) string {
	p.advance()
	one := p.page()
	p.advance()
	return one.items[0] // want `stale: `
}

type lines struct {
	a   *arena.Arena
	in  *bufio.Scanner
	row *record
}

func (l *lines) Next() bool {
	if !l.in.Scan() {
		return false
	}
	l.a.Reset()
	l.row = arena.Ptr(l.a, record{name: l.in.Text()})
	return true
}

func (l *lines) Row() *record { return l.row }

func header(l *lines) string {
	l.Next()
	first := l.Row()
	l.Next()
	return first.name + l.Row().name // want `stale: `
}

func repeated(l *lines) (n int) {
	var last *record
	for l.Next() {
		r := l.Row()
		if last != nil && last.name == r.name { // want `stale: `
			n++
		}
		last = r
	}
	return n
}

func previous(l *lines) int {
	if !l.Next() {
		return 0
	}
	for prev := l.Row(); l.Next(); prev = l.Row() {
		if prev.name == l.Row().name { // want `stale: `
			return 1
		}
	}
	return 2
}
