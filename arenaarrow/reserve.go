package arenaarrow

import (
	"fmt"
	"math"
	"sync/atomic"
)

// A claim holds an allocator's requests other than its blocks.
//
// account.bytes is the sum of its blocks and of account.idle: the bytes that it and its children
// have reserved and not used yet. account.idle is the sum of spare of its claim and of its
// children's claims.
type claim struct {
	spare   atomic.Int64 // bytes that are reserved, and not used
	minimum atomic.Int64 // Share.Minimum

	share   atomic.Pointer[Share]
	onLimit atomic.Pointer[func(need int64) bool]
	asked   atomic.Bool // onLimit is running
}

// maxReserve is more than there is memory, and so little that sums of it do not overflow. Who
// reserves more has all that can be had.
const maxReserve = 1 << addressBits

// claimed returns the claim of a, which it may have to make.
func (a *Allocator) claimed() *claim {
	if c := a.claim.Load(); c != nil {
		return c
	}
	a.credits.Lock()
	a.claims.Store(true)
	a.top.makeExact()
	a.credits.Unlock()
	a.claim.CompareAndSwap(nil, new(claim))
	return a.claim.Load()
}

// take takes up to n of what is spare, and returns how much.
func (c *claim) take(n int64) int64 {
	for {
		spare := c.spare.Load()
		k := min(spare, n)
		if k <= 0 {
			return 0
		}
		if c.spare.CompareAndSwap(spare, spare-k) {
			return k
		}
	}
}

// addClaimed is add where an allocator may have a claim.
func (a *Allocator) addClaimed(size int) (over *Allocator) {
	more, used := int64(size), int64(0) // used is what claims had to spare
	for ; a != nil; a = a.parent {
		if c := a.claim.Load(); c != nil {
			n := c.take(more)
			more, used = more-n, used+n
		}
		if used != 0 {
			a.idle.Add(-used)
		}
		n := a.bytes.Add(more)
		if limit := a.limit.Load(); limit > 0 && n > limit && more > 0 && over == nil {
			over = a
		}
	}
	return over
}

// subClaimed is sub where an allocator may have a claim. What its minimum keeps stays reserved,
// also for its parents.
func (a *Allocator) subClaimed(size int) {
	less, kept := int64(size), int64(0)
	for at := a; at != nil; at = at.parent {
		if c := at.claim.Load(); c != nil {
			k := at.keepMinimum(c, less)
			less, kept = less-k, kept+k
		} else {
			at.bytes.Add(-less)
		}
		if kept != 0 {
			at.idle.Add(kept)
		}
	}
	if kept != 0 {
		for ; a != nil; a = a.parent {
			a.endClosed()
		}
	}
}

// keepMinimum counts up to n bytes off a, which has a claim, and returns how many stay reserved.
func (a *Allocator) keepMinimum(c *claim, n int64) (kept int64) {
	minimum := c.minimum.Load()
	if minimum == 0 {
		a.bytes.Add(-n)
		return 0
	}
	for {
		old := a.bytes.Load()
		now := max(old-n, min(old, minimum))
		if a.bytes.CompareAndSwap(old, now) {
			kept = now - (old - n)
			c.spare.Add(kept)
			return kept
		}
	}
}

// tryAdd counts n bytes more for a and its parents, or changes nothing and returns the first one
// whose limit is in the way. reserve means that a is to have them to spare. used is how much came
// out of claims further down.
func (a *Allocator) tryAdd(n, used int64, reserve bool) (over *Allocator) {
	if a == nil {
		return nil
	}
	c, k := a.claim.Load(), int64(0)
	if c != nil && !reserve {
		k = c.take(n)
	}
	for n > k {
		old := a.bytes.Load()
		if limit := a.limit.Load(); limit > 0 && n-k > limit-old {
			a.giveBack(k)
			return a
		}
		if a.bytes.CompareAndSwap(old, old+n-k) {
			break
		}
	}
	if over = a.parent.tryAdd(n-k, used+k, false); over != nil {
		a.bytes.Add(k - n)
		a.giveBack(k)
		return over
	}
	if used+k != 0 {
		a.idle.Add(-used - k)
	}
	if reserve {
		c.spare.Add(n)
	}
	return nil
}

// giveBack gives what was taken from the claim of a back to it.
func (a *Allocator) giveBack(k int64) {
	if k > 0 {
		a.claim.Load().spare.Add(k)
		a.endClosed()
	}
}

// addIdle counts n bytes more that are reserved and not used.
func (a *Allocator) addIdle(n int64) {
	for ; n != 0 && a != nil; a = a.parent {
		a.idle.Add(n)
	}
}

// reserve has a have n bytes more to spare, or returns whose limit is in the way.
func (a *Allocator) reserve(n int64) (over *Allocator) {
	// tryAdd takes used off what is idle. Here n is added to it: so what a parent has to spare and
	// gives up is in balance.
	over = a.tryAdd(n, -n, true)
	if over == nil && !a.joined.Load() {
		a.join()
	}
	return over
}

// reserveOrAsk is reserve, and asks for room if there is none.
func (a *Allocator) reserveOrAsk(n int64) (over *Allocator) {
	if over = a.reserve(n); over != nil && a.asks.Load() && a.makeRoom(n, true) == nil {
		over = a.reserve(n)
	}
	return over
}

// unreserve gives up to n of what a has to spare to its parents. What Share.Minimum guarantees
// stays.
func (a *Allocator) unreserve(n int64) {
	if c := a.claim.Load(); c != nil {
		k := c.take(n)
		a.addIdle(-k)
		for k > 0 {
			step := min(k, math.MaxInt) // sub has an int
			a.sub(int(step))
			k -= step
		}
	}
}

// TryReserve reserves memory before it is needed. If it returns nil, a and its children can
// allocate this number of bytes in all without exceeding a limit, whatever others do meanwhile. If
// a limit does not allow it, TryReserve asks the functions of [Allocator.OnLimit] to make room. If
// there is still none, it returns an [*arena.LimitError], and has reserved nothing more. Spill
// then, or use less. The error is no reason to end the work: it makes nothing [Allocator.Exceeded].
//
// A reservation counts toward the limits of a and its parents as if it was in use, and is
// Stats.Reserved. Allocating uses it up first. A block that Reallocate makes larger uses up the
// difference. Freed memory does not return to the reservation, except for Share.Minimum.
//
// The bytes replace an earlier reservation, and are not added to it: after TryReserve(n), n unused
// bytes are reserved. So TryReserve(0) returns everything, and so does Close. TryReserve panics if
// bytes is negative.
//
// Goroutines may call TryReserve at the same time, but the last one decides how much stays
// reserved. Give each step of a query that reserves for itself a child of its own. A closed
// allocator reserves nothing, and returns nil: its allocations count toward no limit.
func (a *Allocator) TryReserve(bytes int64) error {
	if bytes < 0 {
		panic(fmt.Sprintf("arenaarrow: TryReserve(%d) of %s; pass how many bytes are needed, or 0", bytes, a))
	}
	c := a.claimed()
	more := min(bytes, maxReserve) - c.spare.Load()
	if more <= 0 {
		a.unreserve(-more)
		return nil
	}
	if a.isClosed() {
		return nil
	}
	if over := a.reserveOrAsk(more); over != nil {
		return a.refused(over, more)
	}
	a.endClosed()
	return nil
}

// refused returns the error for n bytes that a cannot reserve because of over.
func (a *Allocator) refused(over *Allocator, n int64) error {
	if a.named != nil {
		a.named.refused.Add(1)
	}
	return over.limitError(over.limit.Load(), over.bytes.Load(), n)
}

// A Share says what an allocator may expect from the limits of its parents, if these do not suffice
// for all their children. The zero value is the Share of a new child whose parents have none.
type Share struct {
	// Minimum is the number of guaranteed bytes: they always count for the parents, in use or not.
	// So allocating up to Minimum never exceeds a parent's limit. Others do not make an allocator
	// give up memory within its Minimum. New children have no Minimum of their own.
	Minimum int64

	// Priority sets who must give up memory first: functions of [Allocator.OnLimit] are called for
	// allocators of lower priority than the allocator that needs memory, and never for allocators
	// of higher priority. A child without a Share has the priority of its parent; the root's is 0.
	Priority int
}

// SetShare sets the Share of a. It returns an [*arena.LimitError] if the minimum does not fit into
// the limits of a and its parents, also after the functions of [Allocator.OnLimit] were asked to
// make room. The Share is then unchanged. SetShare returns the reservation of
// [Allocator.TryReserve]. It is for a new child: a minimum that is set while others use a may be
// short of the memory that they free at that moment.
//
// Close gives up the minimum. SetShare panics if the minimum is negative.
func (a *Allocator) SetShare(s Share) error {
	if s.Minimum < 0 {
		panic(fmt.Sprintf("arenaarrow: SetShare of %s with a Minimum of %d; a minimum is not negative", a, s.Minimum))
	}
	c := a.claimed()
	if a.isClosed() {
		return nil
	}
	least := min(s.Minimum, maxReserve)
	before, minimum := c.share.Swap(&s), c.minimum.Swap(least)
	a.unreserve(math.MaxInt64)
	if more := least - a.bytes.Load(); more > 0 {
		done := false
		defer func() {
			if !done {
				c.share.Store(before)
				c.minimum.Store(minimum)
				a.endClosed()
			}
		}()
		over := a.reserveOrAsk(more)
		if done = over == nil; !done {
			return a.refused(over, more)
		}
	}
	a.endClosed()
	return nil
}

// endClosed gives up what a has reserved, if it is closed. Whoever adds to a claim calls it
// afterwards, because Close may have looked before.
func (a *Allocator) endClosed() {
	if a.isClosed() {
		a.endClaim()
	}
}

// endClaim gives up what a has reserved. It is for an a that is closed.
func (a *Allocator) endClaim() {
	if c := a.claim.Load(); c != nil {
		c.minimum.Store(0)
		c.onLimit.Store(nil)
		a.unreserve(math.MaxInt64)
	}
}
