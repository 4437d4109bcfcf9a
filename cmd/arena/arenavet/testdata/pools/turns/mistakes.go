// Package turns puts values into a sync.Pool in loops, and under conditions.
package turns

import (
	"bytes"
	"io"
	"sync"
)

type page struct {
	text bytes.Buffer
	uses int
}

var pages, others sync.Pool

func get() *page {
	if p := pages.Get(); p != nil {
		return p.(*page)
	}
	return &page{}
}

// put drops pages that are used often.
func put(p *page) {
	if p.uses > 100 {
		return
	}
	pages.Put(p)
}

// leave drops pages that are large.
func leave(p *page) {
	if p.text.Cap() > 1<<16 {
		return
	}
	p.text.Reset()
	others.Put(p)
}

func oftenUsed() int {
	p := get()
	put(p)
	return p.uses // want `syncpool: .* is used after turns.put`
}

func eachTurn(w io.Writer, all []string) error {
	p := get()
	for _, s := range all {
		p.text.WriteString(s) // want `syncpool: .* is used after turns.leave`
		if _, err := p.text.WriteTo(w); err != nil {
			leave(p)
			return err
		}
		leave(p)
	}
	return nil
}

func eachTurnPut(all []string) {
	p := get()
	for i := range all {
		p.text.WriteString(all[i]) // want `syncpool: .* is used after sync.Pool.Put`
		pages.Put(p)
	}
}

func putInLoop(n int) {
	p := get()
	for range n {
		pages.Put(p) // want `syncpool: a value is put twice`
	}
}

func eachElement(all []*page) (n int) {
	for _, p := range all {
		leave(p)
		n += p.uses // want `syncpool: all\[…\] is used after turns.leave`
	}
	return n
}

// Loops that begin together.

func drain(next func() (int, bool)) {
	b := bags.Get().(*bag)
	for {
		for {
			n, ok := next()
			if !ok {
				break
			}
			b.all = append(b.all, n) // want `syncpool: `
		}
		bags.Put(b)
	}
}

func drainTwice(next func() (int, bool)) {
	b := bags.Get().(*bag)
	for {
		for {
			n, ok := next()
			if !ok {
				break
			}
			if n > len(b.all) { // want `syncpool: `
				continue
			}
			b.all[n]++
		}
		b.put()
	}
}

type bag struct{ all []int }

var bags = sync.Pool{New: func() any { return new(bag) }}

func (b *bag) put() {
	b.all = b.all[:0]
	bags.Put(b)
}
