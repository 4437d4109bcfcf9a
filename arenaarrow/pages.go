package arenaarrow

import "sync/atomic"

// pageSize is the unit in which spans begin and end.
const (
	pageShift = 12
	pageSize  = 1 << pageShift
)

// A table has for each page of memory the span that it belongs to, if there is one: three levels for addresses
// of 48 bits. Reading needs no lock.
type table struct {
	top [1 << levelBits]atomic.Pointer[middle]
}

const (
	addressBits = 48
	levelBits   = (addressBits - pageShift) / 3
)

type (
	middle [1 << levelBits]atomic.Pointer[leaf]
	leaf   [1 << levelBits]atomic.Pointer[span]
)

// at returns the span that address belongs to, or nil.
func (t *table) at(address uintptr) *span {
	page := uint64(address) >> pageShift
	if page>>(3*levelBits) != 0 {
		return nil
	}
	m := t.top[page>>(2*levelBits)].Load()
	if m == nil {
		return nil
	}
	l := m[page>>levelBits%(1<<levelBits)].Load()
	if l == nil {
		return nil
	}
	return l[page%(1<<levelBits)].Load()
}

// entry returns the place of the page with the given number. Those that it needs on the way there stay.
func (t *table) entry(page uint64) *atomic.Pointer[span] {
	m := made(&t.top[page>>(2*levelBits)])
	l := made(&m[page>>levelBits%(1<<levelBits)])
	return &l[page%(1<<levelBits)]
}

// made returns what p points at, which it makes if there is nothing.
func made[T any](p *atomic.Pointer[T]) *T {
	if v := p.Load(); v != nil {
		return v
	}
	p.CompareAndSwap(nil, new(T))
	return p.Load()
}

// add enters s for all of its pages. What is there already is of memory that the collector has taken.
func (t *table) add(s *span) {
	first := uint64(s.base) >> pageShift
	for i := range uint64(s.pages()) {
		t.entry(first + i).Store(s)
	}
}

// remove takes s out, where it is still in.
func (t *table) remove(s *span) {
	first := uint64(s.base) >> pageShift
	for i := range uint64(s.pages()) {
		t.entry(first+i).CompareAndSwap(s, nil)
	}
}

// all calls f with each span that is entered.
func (t *table) all(f func(*span)) {
	for i := range t.top {
		m := t.top[i].Load()
		if m == nil {
			continue
		}
		for j := range m {
			l := m[j].Load()
			if l == nil {
				continue
			}
			for k := range l {
				page := (uint64(i)<<levelBits+uint64(j))<<levelBits + uint64(k)
				if s := l[k].Load(); s != nil && uint64(s.base)>>pageShift == page {
					f(s)
				}
			}
		}
	}
}
