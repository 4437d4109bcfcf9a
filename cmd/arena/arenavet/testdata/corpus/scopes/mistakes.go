// Package scopes has mistakes with scopes that one function begins and another one ends, and with
// values that a function leaves where its caller looks.
package scopes

import (
	"bytes"
	"container/list"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

var pool arena.Pool

type scope struct {
	a *arena.Arena
	m arena.Mark
}

func begin(a *arena.Arena) scope { return scope{a, a.Mark()} }
func (s scope) Close()           { s.a.Rewind(s.m) }

func within(a *arena.Arena, f func()) {
	m := a.Mark()
	defer a.Rewind(m)
	f()
}

func valued(a *arena.Arena, f func() string) string {
	m := a.Mark()
	s := f()
	a.Rewind(m)
	return s
}

func undo(a *arena.Arena, m arena.Mark) { a.Rewind(m) }

type parser struct {
	a    *arena.Arena
	in   []byte
	mark arena.Mark
}

func (p *parser) save()         { p.mark = p.a.Mark() }
func (p *parser) restore()      { p.a.Rewind(p.mark) }
func (p *parser) ident() string { return arena.String(p.a, p.in) }

func closed(a *arena.Arena, lines [][]byte) (last string) {
	s := begin(a)
	for _, line := range lines {
		last = arena.String(a, line)
	}
	s.Close()
	return last // want `outlives: .* is returned after scope.Close, which calls Rewind`
}

func undone(a *arena.Arena, b []byte) {
	m := a.Mark()
	s := arena.String(a, b)
	undo(a, m)
	fmt.Println(s) // want `stale: `
}

func restored(p *parser) string {
	p.save()
	s := p.ident()
	p.restore()
	return s // want `outlives: `
}

func longest(a *arena.Arena, words [][]byte) (best string) {
	within(a, func() {
		for _, w := range words {
			if s := arena.String(a, w); len(s) > len(best) {
				best = s
			}
		}
	})
	return best // want `outlives: .* after the Rewind in scopes.within`
}

func named(a *arena.Arena, b []byte) string {
	return valued(a, func() string { return arena.String(a, b) }) // want `outlives: `
}

func lastTurn(a *arena.Arena, lines [][]byte) {
	var last string
	for _, line := range lines {
		fmt.Println(last) // want `stale: `
		m := a.Mark()
		last = arena.String(a, line)
		undo(a, m)
	}
}

func concurrent(b []byte) []string {
	out := make([]string, 2)
	var wg sync.WaitGroup
	wg.Go(func() {
		a := pool.Get()
		defer pool.Put(a)
		out[0] = arena.String(a, b)
	})
	wg.Wait()
	return out // want `outlives: `
}

type names struct{ all []string }

func (n *names) fill(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	n.all = arena.SliceOf(a, strings.Clone(string(b))) // want `outlives: .* is stored in n\.all`
}

func filled(b []byte) []string {
	var n names
	n.fill(b)
	return n.all
}

func words(a *arena.Arena, in []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for f := range bytes.FieldsSeq(in) {
			if !yield(arena.String(a, f)) {
				return
			}
		}
	}
}

func pulled(in []byte) string {
	a := arena.NewArena()
	next, stop := iter.Pull(words(a, in))
	defer stop()
	s, _ := next()
	a.Reset()
	return "first: " + s // want `stale: `
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type cache struct {
	order *list.List
	index map[string]*list.Element
}

type entry struct{ value []byte }

func (c *cache) put(key string) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	c.index[key] = c.order.PushFront(&entry{buf.Bytes()}) // want `syncpool: .* c.order`
	return nil
}

type decoder struct{ tokens []string }

var decoders sync.Pool

func getDecoder() *decoder {
	if d := decoders.Get(); d != nil {
		return d.(*decoder)
	}
	return new(decoder)
}

func putDecoder(d *decoder) { decoders.Put(d) }

func (d *decoder) fields(s string) []string {
	d.tokens = append(d.tokens[:0], strings.Fields(s)...)
	return d.tokens
}

func fields(s string) []string {
	d := getDecoder()
	defer putDecoder(d)
	return d.fields(s) // want `syncpool: `
}

func twice() {
	d := getDecoder()
	putDecoder(d)
	putDecoder(d) // want `syncpool: `
}

func flushed(d *decoder) {
	defer func() {
		putDecoder(d)
		fmt.Println(d.tokens) // want `syncpool: `
	}()
	d.fields("a b")
}
