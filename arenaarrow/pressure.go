package arenaarrow

import (
	"cmp"
	"slices"
)

// OnLimit has f called when an allocation or a reservation exceeds a limit, before that has other consequences. f can make room: it writes data
// to a file and releases it, or drops what can be had again. need is how many bytes are too many then. OnLimit replaces an earlier function;
// nil and Close take it away.
//
// Which functions are called is decided where a limit of an allocator P is exceeded by what another, A, needs; A is P or a child of it:
//
//   - those of A and its parents up to P, and
//   - those of other children of P, and of their children, that have something in use beyond their Share.Minimum, and are of a lower
//     priority than A; with Options.Fair also those of the same priority.
//
// Lower priorities come first. Of the same priority, A comes before its parents; with Options.Fair, first comes the one that has most,
// its children included. Each is called once for each need, and no more are called when there is room.
//
// f returns true if it has made room, or if it will, for instance at the end of a batch. An allocation then goes on where a limit is soft, and
// nothing is [Allocator.Exceeded], even if it was too little. The peak shows it. For [Allocator.TryReserve], [Allocator.SetShare] and
// Options.Hard, the result does not matter, but what is free when f has returned. So f has to wait for other goroutines whose work it is to
// release something. f returns false if it cannot do anything. If nobody can, the limit is exceeded as without functions. An allocator that is
// Exceeded asks nobody before ClearExceeded, except by TryReserve and SetShare.
//
// f runs on the goroutine that needs memory. This can be one of another query, or one of Arrow, in the middle of any call that allocates, also
// of one that builds the very data that f is about. No lock of the package is held, so f may call all methods, release arrays, and allocate.
// f never runs twice at a time. An allocation that would call f while it runs, in another goroutine or inside of f, does not wait: it goes on as if
// f had returned true. What f works with needs a lock of the program, which f takes with TryLock. If that fails, f returns false, or leaves a note for the one who has the
// lock and returns true. With Lock, two goroutines can wait for each other. If f panics, so does the call that needs memory; it has changed
// nothing then.
func (a *Allocator) OnLimit(f func(need int64) bool) {
	c := a.claimed()
	if f == nil {
		c.onLimit.Store(nil)
		return
	}
	a.asks.Store(true)
	c.onLimit.Store(&f)
	if a.isClosed() {
		c.onLimit.Store(nil)
	}
}

// ask calls the function of a, if there is one.
func (a *Allocator) ask(need int64) bool {
	c := a.claim.Load()
	f := c.onLimit.Load()
	if f == nil || a.isClosed() {
		return false
	}
	if !c.asked.CompareAndSwap(false, true) {
		return true
	}
	defer c.asked.Store(false)
	return (*f)(need)
}

// press is for size bytes that are counted for a, and have taken over, which is a or a parent, beyond its limit. It returns nil if they may
// stay, and else whose limit is exceeded. It counts them off if a function panics.
func (a *Allocator) press(over *Allocator, size int) *Allocator {
	if a.Exceeded() || !a.asks.Load() {
		return over
	}
	returned := false
	defer func() {
		if !returned {
			a.sub(size)
		}
	}()
	over = a.makeRoom(0, false)
	returned = true
	return over
}

// makeRoom has others make room for n bytes that a needs, to be used or to be reserved, or for what is counted already, if n is 0. It returns
// nil if there is room, and else whose limit is in the way. A promise is enough for what is counted already.
func (a *Allocator) makeRoom(n int64, reserve bool) (over *Allocator) {
	asked := map[*Allocator]bool{}
	for p := a; p != nil; p = p.parent {
		need := a.lack(p, n, reserve)
		if need <= 0 {
			continue
		}
		for _, c := range a.askable(p) {
			if asked[c] || !a.within(c) && c.beyondMinimum() <= 0 { // Others, such as a child of it, may have released that meanwhile.
				continue
			}
			asked[c] = true
			if c.ask(need) && n == 0 {
				return nil
			}
			if need = a.lack(p, n, reserve); need <= 0 {
				break
			}
		}
		if need > 0 {
			return p
		}
	}
	return nil
}

// lack returns by how many bytes the limit of p, which is a or a parent of it, is exceeded if a gets n bytes; as for makeRoom.
func (a *Allocator) lack(p *Allocator, n int64, reserve bool) int64 {
	limit := p.limit.Load()
	if limit <= 0 {
		return 0
	}
	left := n
	for b := a; left > 0; b = b.parent {
		if c := b.claim.Load(); c != nil && !(reserve && b == a) {
			left -= min(left, max(c.spare.Load(), 0))
		}
		if b == p {
			break
		}
	}
	if n > 0 && left == 0 {
		return 0
	}
	return p.bytes.Load() + left - limit
}

// askable returns those who can be asked to make room for a within p, in the order of OnLimit.
func (a *Allocator) askable(p *Allocator) (list []*Allocator) {
	type candidate struct {
		*Allocator
		priority int
		most     int64 // what it can give up, at most; of no importance if it is one of a and its parents and memory goes to who comes first
	}
	var all []candidate
	add := func(b *Allocator, own bool) {
		c := b.claim.Load()
		if c == nil || c.onLimit.Load() == nil {
			return
		}
		one := candidate{b, b.priority(), b.beyondMinimum()}
		of := a.priority()
		switch {
		case own && !a.options.Fair:
			one.most = 0
		case own:
		case one.most <= 0 || one.priority > of || one.priority == of && !a.options.Fair:
			return
		}
		all = append(all, one)
	}
	for b := a; ; b = b.parent {
		add(b, true)
		if b == p {
			break
		}
	}
	p.all(func(b *Allocator) {
		if !a.within(b) {
			add(b, false)
		}
	})
	slices.SortStableFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.priority, y.priority), cmp.Compare(y.most, x.most))
	})
	for _, c := range all {
		list = append(list, c.Allocator)
	}
	return list
}

// beyondMinimum returns how many bytes a, which has a claim, has in use beyond its minimum.
func (a *Allocator) beyondMinimum() int64 { return a.allBlocks() - a.claim.Load().minimum.Load() }

// priority returns that of the Share of a, or of the next parent that has one.
func (a *Allocator) priority() int {
	for ; a != nil; a = a.parent {
		if c := a.claim.Load(); c != nil {
			if s := c.share.Load(); s != nil {
				return s.Priority
			}
		}
	}
	return 0
}
