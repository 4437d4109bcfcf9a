package arenaarrow

import (
	"cmp"
	"slices"
)

// OnLimit sets f to be called when an allocation or a reservation exceeds a limit, before that has
// other consequences. f can make room: it writes data to a file and releases it, or drops data that
// can be made again. need is the number of excess bytes. OnLimit replaces an earlier function; nil
// and Close remove it.
//
// If an allocation of A exceeds a limit of P, which is A or a parent of A, these functions are
// called:
//
//   - the functions of A and its parents up to P, and
//   - the functions of other children of P, and of their children, whose memory in use exceeds
//     their Share.Minimum and whose priority is lower than A's; with Options.Fair also the same
//     priority.
//
// Lower priorities come first. Of the same priority, A comes before its parents; with Options.Fair,
// the allocator with the most memory comes first, its children included. Each function is called
// once for each need, and none is called when there is room.
//
// f returns true if it has made room, or if it will, for instance at the end of a batch. With a
// soft limit, an allocation then goes on, and nothing is [Allocator.Exceeded], even if the room was
// not enough. The peak shows it. For [Allocator.TryReserve], [Allocator.SetShare] and Options.Hard,
// only the free memory after f counts, and not the result. So f must wait if other goroutines have
// to release something. f returns false if it cannot do anything. If nobody can, the limit is
// exceeded as without functions. An allocator that is Exceeded asks nobody before ClearExceeded,
// except by TryReserve and SetShare.
//
// f runs on the goroutine that needs memory. This can be a goroutine of another query or of Arrow,
// in the middle of any call that allocates, even a call that builds the data that f would release.
// No lock of the package is held, so f may call all methods, release arrays, and allocate. f never
// runs twice at a time. An allocation that would call f while it runs, in another goroutine or
// inside f, does not wait: it goes on as if f had returned true. The data of f needs a lock of the
// program, which f acquires with TryLock. If that fails, f returns false, or leaves a note for the
// holder of the lock and returns true. With Lock, two goroutines can wait for each other. If f
// panics, so does the call that needs memory, which has then changed nothing.
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

// press is for size bytes that are counted for a, and have taken over, which is a or a parent,
// beyond its limit. It returns nil if they may stay, and else whose limit is exceeded. It counts
// them off if a function panics.
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

// makeRoom has others make room for n bytes that a needs, to be used or to be reserved, or for what
// is counted already, if n is 0. It returns nil if there is room, and else whose limit is in the
// way. A promise is enough for what is counted already.
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

// lack returns by how many bytes the limit of p, which is a or a parent of it, is exceeded if a
// gets n bytes; as for makeRoom.
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

// priority returns the priority of the Share of a, or of the next parent with a Share.
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
