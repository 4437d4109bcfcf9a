package arenaarrow

import "sync/atomic"

// pageSize is the unit in which spans begin and end.
const (
	pageShift = 12
	pageSize  = 1 << pageShift
)

// A table has for each page of memory the span that it belongs to, if there is one. Reading needs
// no lock.
type table struct {
	leaves [1 << 10]atomic.Pointer[leaf] // by their numbers; leaves with the same last bits form a list
}

// A leaf is the part of a table for a piece of the addresses. It stays where it is.
type leaf struct {
	number uintptr // of the piece
	next   *leaf
	of     [1 << leafBits]atomic.Pointer[span]
}

const (
	leafBits    = 12
	addressBits = 48 // The heap has no more.
)

// at returns the span that address belongs to, or nil.
func (t *table) at(address uintptr) *span {
	if l := t.leaf(address >> (pageShift + leafBits)); l != nil {
		return l.of[address>>pageShift%(1<<leafBits)].Load()
	}
	return nil
}

// leaf returns the one with a number, or nil.
func (t *table) leaf(number uintptr) *leaf {
	l := t.leaves[number%uintptr(len(t.leaves))].Load()
	for l != nil && l.number != number {
		l = l.next
	}
	return l
}

// entry returns the place of a page. The leaf that it is in stays.
func (t *table) entry(page uintptr) *atomic.Pointer[span] {
	number := page >> leafBits
	list := &t.leaves[number%uintptr(len(t.leaves))]
	first := list.Load()
	l := t.leaf(number)
	for l == nil {
		list.CompareAndSwap(first, &leaf{number: number, next: first}) // The list is what it was before the look at it, or somebody else has added to it.
		first = list.Load()
		l = t.leaf(number)
	}
	return &l.of[page%(1<<leafBits)]
}

// made returns what p points at, which it makes if there is nothing.
func made[T any](p *atomic.Pointer[T]) *T {
	if v := p.Load(); v != nil {
		return v
	}
	p.CompareAndSwap(nil, new(T))
	return p.Load()
}

// add enters s for all of its pages. What is there already is of memory that the collector has
// taken.
func (t *table) add(s *span) {
	first := s.base >> pageShift
	for i := range uintptr(s.pages()) {
		t.entry(first + i).Store(s)
	}
}

// remove takes s out, where it is still in.
func (t *table) remove(s *span) {
	first := s.base >> pageShift
	for i := range uintptr(s.pages()) {
		t.entry(first+i).CompareAndSwap(s, nil)
	}
}

// all calls f with each span that is entered.
func (t *table) all(f func(*span)) {
	for i := range t.leaves {
		for l := t.leaves[i].Load(); l != nil; l = l.next {
			for j := range l.of {
				if s := l.of[j].Load(); s != nil && s.base>>pageShift == l.number<<leafBits+uintptr(j) {
					f(s)
				}
			}
		}
	}
}
