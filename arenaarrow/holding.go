package arenaarrow

import (
	"iter"
	"slices"
	"sync/atomic"
)

// A holding is blocks of one slab that one allocator has got, with no other's in between, or one
// large block. What has to do with all blocks of an allocator, and no others, finds them by its
// holdings. They are guarded by what guards the blocks.
//
// live is the number of blocks of span whose holding this is; it is in the list of its owner if
// live > 0.
type holding struct {
	list *holdings // of the owner, in the class
	span *span
	live int

	next, prev *holding // in the list, or next of those that a class has to spare
}

// holdings are the holdings of one allocator in one class, or its large blocks. blocks is the sum
// of live, and cut the sum of the cuts of their blocks.
type holdings struct {
	owner  *Allocator // nil if it never had any, or is closed
	first  *holding
	blocks int
	cut    int
	credit int // bytes that are counted, and that no block has; 0 for large blocks
}

// A tally has the holdings of one allocator in a shard, by class. used has a bit for each class
// that there ever was one in.
type tally struct {
	used atomic.Uint32
	of   [slabClasses]holdings
}

// A book has the tallies of one allocator, by shard. It is another's of the same root when that is
// closed: children come and go, and a tally is larger than they are.
type book [maxShards]atomic.Pointer[tally]

// tallyFor returns where a has its holdings in c. From then on a search for blocks of a looks
// there, so this comes before the look at whether a is closed.
func (a *Allocator) tallyFor(c *class) *holdings {
	b := a.book.Load()
	if b == nil {
		b = a.newBook()
	}
	t := b[c.shard].Load()
	if t == nil {
		t = made(&b[c.shard])
	}
	if bit := uint32(1) << c.number; t.used.Load()&bit == 0 {
		t.used.Or(bit)
	}
	return &t.of[c.number]
}

func (a *Allocator) newBook() *book {
	b, _ := a.books.Get().(*book)
	if b == nil {
		b = new(book)
	}
	for !a.book.CompareAndSwap(nil, b) {
		if other := a.book.Load(); other != nil {
			a.books.Put(b)
			return other
		}
	}
	return b
}

// releaseBook is for an a that is closed. Who allocates by it meanwhile may set a bit in what is
// another's book then, and finds that a is closed before it does anything else: that bit costs a
// look at an empty list.
//
// As a rule a has no blocks any more. But Close looks for blocks only if bytes are counted, and
// these may be too few for a moment, see move. Blocks that are left become orphans here, and are
// added to leaks.
func (a *Allocator) releaseBook(leaks *Leaks) {
	a.spans.mu.Lock()
	a.abandonList(&a.large, nil, leaks)
	a.spans.mu.Unlock()
	b := a.book.Load()
	if b == nil {
		return
	}
	a.lists(func(l *holdings, c *class) {
		a.abandonList(l, c, leaks)
		l.owner = nil
	})
	a.book.Store(nil)
	for i := range a.shards {
		if t := b[i].Load(); t != nil {
			t.used.Store(0)
		}
	}
	a.books.Put(b)
}

func (l *holdings) add(h *holding) {
	h.next = l.first
	if l.first != nil {
		l.first.prev = h
	}
	l.first = h
}

func (l *holdings) remove(h *holding) {
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		l.first = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	h.next, h.prev = nil, nil
}

// give gives all blocks of h, of which Reallocate has cut this number of bytes, to the allocator
// to, whose list is l.
func (h *holding) give(to *Allocator, l *holdings, cut int) {
	h.list.cut -= cut
	l.cut += cut
	h.list.remove(h)
	h.list.blocks -= h.live
	h.list, l.owner = l, to
	l.add(h)
	l.blocks += h.live
}

// blocks yields the numbers of the blocks of h.
func (h *holding) blocks() iter.Seq[int] {
	return func(yield func(int) bool) {
		left := h.live
		for i := range h.span.blocks {
			if left == 0 {
				return
			}
			if b := &h.span.blocks[i]; b.size != 0 && b.holding == h {
				left--
				if !yield(i) {
					return
				}
			}
		}
	}
}

// newHolding returns the holding of a for the next block of s, a slab of c, or nil if a is closed.
// The last block was another allocator's.
func (s *span) newHolding(a *Allocator, c *class) *holding {
	l := a.tallyFor(c)
	if a.isClosed() {
		return nil // The list may be another's.
	}
	l.owner = a
	h := s.last
	switch {
	case h != nil && h.live == 0:
	case c.spare != nil:
		h = c.spare
		c.spare, h.next = h.next, nil
	default:
		h = new(holding)
	}
	h.list, h.span = l, s
	s.last = h
	return h
}

// drop counts b off its owner, which it returns, and makes b unused. The slab's last holding may
// have no blocks for a while: code that allocates and frees in turns gets the same holding again.
func (c *class) drop(b *block) (owner *Allocator) {
	h := b.end()
	owner = h.list.owner
	if h.live == 0 {
		c.emptied(h)
	}
	return owner
}

// end counts b off its holding, which it returns.
func (b *block) end() *holding {
	h := b.holding
	l := h.list
	l.cut -= b.cut
	l.blocks--
	h.live--
	b.size = 0
	return h
}

// emptied is for an h whose last block was dropped.
func (c *class) emptied(h *holding) {
	h.list.remove(h)
	if h != h.span.last {
		c.keep(h)
	}
}

// keep keeps h, which has no blocks, for later.
func (c *class) keep(h *holding) {
	*h = holding{next: c.spare}
	c.spare = h
}

// leaveClass ends that s, which is empty, is a slab of c.
func (c *class) leaveClass(s *span) {
	if s.last != nil {
		c.keep(s.last)
		s.last = nil
	}
	s.class.Store(nil)
}

// takeLarge makes s, with spans.mu taken, a large block of a.
func (s *span) takeLarge(a *Allocator, size int) []byte {
	s.blockSize, s.inverse, s.blocks = s.size, 0, s.one[:]
	a.large.owner = a
	s.own = holding{list: &a.large, span: s}
	s.one[0] = block{holding: &s.own, size: size}
	s.own.live = 1
	a.large.blocks++
	a.large.add(&s.own)
	return s.slice(0, size)
}

// has is what is taken of a large block.
func (s *span) has() (t taken) {
	if s.dirty {
		t = dirty
	}
	return t
}

// dropLarge is drop for a large block.
func (s *span) dropLarge() (owner *Allocator) {
	h := s.one[0].end()
	h.list.remove(h)
	return h.list.owner
}

// drop is drop of c, which is nil for a large block.
func (s *span) drop(c *class, i int) (owner *Allocator) {
	if c == nil {
		return s.dropLarge()
	}
	return c.drop(&s.blocks[i])
}

// A family is the children that an allocator knows of, guarded by account.mu: all that have
// something in use, and some that had.
type family struct {
	children []*Allocator
	most     int // of children, before those that have nothing in use are forgotten
}

// join has the parents of a know of it, from the top down: whom its parent knows of is found from
// all above. What a is to allocate is counted already, so that they do not forget it.
func (a *Allocator) join() {
	p := a.parent
	if p == nil || a.joined.Load() {
		return
	}
	p.join()
	p.mu.Lock()
	if len(p.family.children) >= p.family.most { // Those that have nothing but credit have nothing in use.
		p.mu.Unlock()
		a.credits.Lock()
		p.all((*Allocator).collect)
		a.credits.Unlock()
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if a.joined.Load() {
		return
	}
	if len(p.family.children) >= p.family.most {
		p.forgetIdle()
	}
	if p.exact.Load() { // Otherwise makeExact has yet to look at the family.
		a.exact.Store(true)
	}
	a.seat = len(p.family.children)
	p.family.children = append(p.family.children, a)
	a.joined.Store(true)
}

// part has the parent of a, which is closed and has nothing in use, forget it.
func (a *Allocator) part() {
	p := a.parent
	if p == nil || !a.joined.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !a.joined.Load() {
		return
	}
	list := p.family.children
	last := list[len(list)-1]
	list[a.seat], last.seat = last, a.seat
	list[len(list)-1] = nil
	p.family.children = list[:len(list)-1]
	a.joined.Store(false)
}

// forgetIdle forgets, with a.mu taken, the children that have nothing in use: they are the
// collector's if nobody else has them. One that allocates meanwhile has counted that before it
// looks at joined, so either it is seen here, or it sees that it is to join again.
func (a *Allocator) forgetIdle() {
	a.family.children = slices.DeleteFunc(a.family.children, func(c *Allocator) bool {
		c.joined.Store(false)
		if c.bytes.Load() == 0 && c.forgetFamily() {
			c.named.sawPeak(c.peak.Load())
			return true
		}
		c.joined.Store(true)
		return false
	})
	for i, c := range a.family.children {
		c.seat = i
	}
	a.family.most = 2*len(a.family.children) + 16
}

// forgetFamily is forgetIdle for an a that is to be forgotten itself: its children have to join
// again, and a with them. It reports false if one of them has something in use.
func (a *Allocator) forgetFamily() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forgetIdle()
	return len(a.family.children) == 0
}

// all calls f for a and the children that have something in use, and theirs.
func (a *Allocator) all(f func(*Allocator)) {
	f(a)
	for _, c := range a.relatives() {
		c.all(f)
	}
}

// relatives returns the children of a that have something in use.
func (a *Allocator) relatives() []*Allocator {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.family.children)
}

// survey calls f for each list of holdings of a and its children, with the lock taken that guards
// it.
func (a *Allocator) survey(f func(l *holdings, c *class)) {
	a.all(func(a *Allocator) { a.surveyOwn(f) })
}

// surveyOwn is survey for a alone.
func (a *Allocator) surveyOwn(f func(l *holdings, c *class)) {
	a.lists(func(l *holdings, c *class) { a.surveyed(f, l, c) })
	a.spans.mu.Lock()
	a.surveyed(f, &a.large, nil)
	a.spans.mu.Unlock()
}

// lists is surveyOwn for slabs alone.
func (a *Allocator) lists(f func(l *holdings, c *class)) {
	if b := a.book.Load(); b != nil {
		for i := range a.shards {
			a.surveyShard(i, b, f)
		}
	}
}

// surveyShard is lists for the book of a, and one shard. The book is another's if a has been closed
// meanwhile. That one needs the lock to enter anything.
func (a *Allocator) surveyShard(i int, b *book, f func(l *holdings, c *class)) {
	t := b[i].Load()
	if t == nil {
		return
	}
	used := t.used.Load()
	for j := range a.shards[i] {
		if used&(1<<j) != 0 {
			c := &a.shards[i][j]
			c.mu.Lock()
			if a.book.Load() == b {
				f(&t.of[j], c)
			}
			c.mu.Unlock()
		}
	}
}

func (r *root) surveyed(f func(l *holdings, c *class), l *holdings, c *class) {
	if r.looks != nil {
		r.looks.lists++
		for h := l.first; h != nil; h = h.next {
			r.looks.holdings++
		}
	}
	f(l, c)
}

// looks counts what survey has looked at, for tests.
type looks struct{ lists, holdings int }
