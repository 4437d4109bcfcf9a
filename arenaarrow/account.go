package arenaarrow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// An account is what an Allocator has in use, with its children.
type account struct {
	bytes atomic.Int64 // of the blocks, idle, and credit
	idle  atomic.Int64 // reserved and not used, see claim
	peak  atomic.Int64 // of the bytes of the blocks, and credit
	limit atomic.Int64
	exact atomic.Bool                      // nothing becomes credit, see credit.go
	over  atomic.Pointer[arena.LimitError] // the first one
	claim atomic.Pointer[claim]            // nil for most

	mu       sync.Mutex
	contexts map[*context.CancelCauseFunc]struct{}

	forgotten Leaks // that the collector has taken, and no Close has reported; guarded by root.forgets

	book   atomic.Pointer[book] // of its small blocks; nil if it never had any
	large  holdings             // guarded by spans.mu
	family family
	joined atomic.Bool // the parent has it in its family
	seat   int         // there
}

// add counts size bytes more for a and its parents. It returns the first one that has more than its
// limit now, or nil, and whether one may have more than its peak.
func (a *Allocator) add(size int) (over *Allocator, high bool) {
	if a.claims.Load() {
		return a.addClaimed(size), true
	}
	for ; a != nil; a = a.parent {
		n := a.bytes.Add(int64(size))
		if limit := a.limit.Load(); limit > 0 && n > limit && over == nil {
			over = a
		}
		if n > a.peak.Load() {
			high = true
		}
	}
	return over, high
}

// sub counts size bytes off a and its parents.
func (a *Allocator) sub(size int) {
	if a.claims.Load() {
		a.subClaimed(size)
		return
	}
	for ; a != nil; a = a.parent {
		a.bytes.Add(int64(-size))
	}
}

// A use is how many blocks there are, and how many of the bytes that are counted for them nobody
// has: credit, and what Reallocate has cut.
type use struct{ unused, blocks int }

// inUse returns how many bytes and blocks are in use by a and its children.
func (a *Allocator) inUse() (bytes int64, blocks int) {
	a.eachInUse(func(_ *Allocator, n int64, of int) { bytes, blocks = n, of }) // The last one is a.
	return bytes, blocks
}

// eachInUse calls f with the memory in use of each child of a, including the child's own children,
// and then of a. It visits each of them once.
func (a *Allocator) eachInUse(f func(c *Allocator, bytes int64, blocks int)) {
	own := (*Allocator).ownUse
	if a.debug != nil {
		of := a.debug.uses()
		own = func(c *Allocator) use { return of[c] }
	}
	a.sumUse(own, f)
}

// sumUse is eachInUse, where own is what an allocator has without its children.
func (a *Allocator) sumUse(own func(*Allocator) use, f func(c *Allocator, bytes int64, blocks int)) use {
	sum := own(a)
	for _, c := range a.relatives() {
		u := c.sumUse(own, f)
		sum.unused += u.unused
		sum.blocks += u.blocks
	}
	f(a, max(a.allBlocks()-int64(sum.unused), 0), sum.blocks)
	return sum
}

// ownUse returns what the slabs and large blocks of a have.
func (a *Allocator) ownUse() (u use) {
	a.surveyOwn(func(l *holdings, _ *class) {
		u.unused += l.cut + l.credit
		u.blocks += l.blocks
	})
	return u
}

// allBlocks returns the bytes of the blocks, and credit. Idle is read first. If it becomes less, it
// does so before bytes, and where it becomes more, after bytes: so the result is never less than
// there was at some time since the call.
func (a *account) allBlocks() int64 {
	idle := a.idle.Load()
	return a.bytes.Load() - idle
}

// charge counts size bytes that are to be allocated, or panics if a limit is hard. It reports
// whether the peak may be higher when they are.
func (a *Allocator) charge(size int) (high bool) {
	if a.options.Hard {
		a.chargeHard(size)
		return true
	}
	over, high := a.add(size)
	if over != nil || !a.joined.Load() {
		a.settle(over, size)
	}
	return high
}

// count is charge with locks taken, under which not all of it can be done. If counted is not set,
// it has done nothing: the caller frees the locks and calls charge. If unsettled is set, the caller
// frees the locks and calls settle for over.
func (a *Allocator) count(size int) (has taken, over *Allocator) {
	if a.options.Hard {
		return 0, nil
	}
	over, high := a.add(size)
	if has = counted; high {
		has |= peaks
	}
	if over != nil || !a.joined.Load() { // in this order, see forgetIdle
		has |= unsettled
	}
	return has, over
}

// settle does what is seldom to be done for size bytes that are counted, and have taken over beyond
// its limit, if that is not nil.
func (a *Allocator) settle(over *Allocator, size int) {
	if !a.joined.Load() {
		a.join()
	}
	if over != nil {
		over = a.recount(over, size)
	}
	if over != nil {
		over = a.press(over, size)
	}
	if over != nil {
		a.exceed(over, size)
	}
}

// chargeHard never counts what does not fit, not even for a moment, where others would see it.
func (a *Allocator) chargeHard(size int) {
	over := a.tryAdd(int64(size), 0, false)
	if over != nil {
		over = a.tryAddExact(over, int64(size))
	}
	if over != nil && a.asks.Load() && a.makeRoom(int64(size), false) == nil {
		over = a.tryAdd(int64(size), 0, false)
	}
	if over != nil {
		panic(over.limitError(over.limit.Load(), over.bytes.Load(), int64(size)))
	}
	if !a.joined.Load() {
		a.join()
	}
}

// raise sets the peaks of a and its parents.
func (a *Allocator) raise() {
	for ; a != nil; a = a.parent {
		n := a.allBlocks()
		for {
			peak := a.peak.Load()
			if n <= peak || a.peak.CompareAndSwap(peak, n) {
				break
			}
		}
	}
}

// limitError is the error of an allocation of size bytes, if inUse bytes are in use and a has that
// limit.
func (a *Allocator) limitError(limit, inUse, size int64) *arena.LimitError {
	option := "arenaarrow.Allocator.SetLimit"
	if a.parent == nil && limit == a.options.Limit {
		option = "arenaarrow.Options.Limit"
	}
	return &arena.LimitError{Name: a.name, Limit: limit, Reserved: inUse, Needed: size, Option: option}
}

// exceed is for size bytes more for a, which are counted, and have taken over, which is a or a
// parent, beyond its limit. It tells a and its parents up to over; but not the root that it was a
// child: it has others.
func (a *Allocator) exceed(over *Allocator, size int) {
	err := over.limitError(over.limit.Load(), over.bytes.Load()-int64(size), int64(size))
	for first := a; ; a = a.parent {
		if a.parent != nil || a == first {
			if a.over.CompareAndSwap(nil, err) && a.named != nil {
				a.named.exceeded.Add(1)
			}
			a.mu.Lock()
			contexts := a.contexts
			a.contexts = nil
			a.mu.Unlock()
			for cancel := range contexts {
				(*cancel)(err)
			}
		}
		if a == over {
			return
		}
	}
}

// SetLimit sets the maximum number of bytes in blocks of a and its children. 0 means no limit. For
// the allocator made by New it replaces Options.Limit. If more than that is in use or reserved
// already, nothing happens until the next allocation that no reservation covers: that one exceeds
// the limit. SetLimit panics if bytes is negative.
func (a *Allocator) SetLimit(bytes int64) {
	if bytes < 0 {
		panic(fmt.Sprintf("arenaarrow: SetLimit(%d) of %s; a limit is not negative", bytes, a))
	}
	a.credits.Lock()
	a.limit.Store(bytes)
	if bytes > 0 && a.bytes.Load() > bytes {
		a.makeExact()
	}
	a.credits.Unlock()
	if a.named != nil {
		a.named.limit.Store(bytes)
	}
}

// Exceeded reports whether an allocation of a, or of a child of a, has exceeded the limit of a or
// of a parent of a. It stays true until [Allocator.ClearExceeded].
//
// For the allocator made by New, only its own allocations count. So it can go on when a child has
// to stop.
func (a *Allocator) Exceeded() bool { return a.over.Load() != nil }

// ClearExceeded lets a go on after it has made room: [Allocator.Exceeded] is false, and Err nil,
// until an allocation exceeds a limit again. Cancelled contexts stay cancelled; make new ones. It
// applies only to a: also clear the children that go on, and the parents up to the owner of the
// limit.
func (a *Allocator) ClearExceeded() { a.over.Store(nil) }

// Err returns nil until a is [Allocator.Exceeded], and then an [*arena.LimitError] about the first
// time.
func (a *Allocator) Err() error {
	if err := a.over.Load(); err != nil {
		return err
	}
	return nil
}

// Context returns a copy of parent that is cancelled when a is [Allocator.Exceeded]; at once if it
// already is. context.Cause then returns the [*arena.LimitError]; Err returns context.Canceled, as
// always. Call the function as soon as the work is done: it releases the resources of the context.
func (a *Allocator) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	a.mu.Lock()
	if a.contexts == nil {
		a.contexts = map[*context.CancelCauseFunc]struct{}{}
	}
	a.contexts[&cancel] = struct{}{}
	a.mu.Unlock()
	context.AfterFunc(ctx, func() {
		a.mu.Lock()
		delete(a.contexts, &cancel)
		a.mu.Unlock()
	})
	if err := a.Err(); err != nil {
		cancel(err)
	}
	return ctx, func() { cancel(context.Canceled) }
}

// CurrentAlloc returns the number of bytes that a and its children have in use. It is the method of
// memory.CheckedAllocator. It costs as much time as [Allocator.Stats].
func (a *Allocator) CurrentAlloc() int { return int(a.AllocatedBytes()) }

// AllocatedBytes is CurrentAlloc, under its name in Arrow's allocators written in C.
func (a *Allocator) AllocatedBytes() int64 {
	n, _ := a.inUse()
	return n
}

// Stats are the figures of an allocator and its children.
type Stats struct {
	InUse int64 // Bytes in use, as they were asked for.

	// Peak is the maximum number of bytes of blocks at a time. A block that Reallocate has made
	// smaller still counts in full, as it does toward limits. Peak can be too high by the bytes
	// that an allocator and its children keep counted for their next small blocks. These are up to
	// 4 KiB for each processor and each of the 12 sizes of blocks up to 1 KiB. With Options.Hard it
	// is never more than the limit.
	Peak int64

	Reserved int64 // Bytes that TryReserve and Share.Minimum have reserved, and that are not in use. They count to limits, too.
	Blocks   int   // Blocks in use.
	Limit    int64 // The limit in bytes; 0 for none.

	// Of all allocators of the same root:
	Children int64 // The children that were made.
	Orphans  int64 // Bytes that were in use when their allocator was closed, and still are. See Close.
	Held     int64 // Bytes of memory that is in use: large blocks, slabs with a block in use, and an empty slab for each size. Orphans on the Go heap do not count.
	Cached   int64 // Bytes of other memory that is kept for later.
}

// Stats returns the figures of a. They are not a snapshot of one moment if others use a meanwhile.
// Stats costs at most some microseconds for each child of a with blocks in use, whatever their
// number. With Options.Debug its time is proportional to the number of all blocks of the same root.
func (a *Allocator) Stats() Stats {
	a.spans.mu.Lock()
	held, cached := a.spans.live, a.spans.bytes
	a.spans.mu.Unlock()
	inUse, blocks := a.inUse()
	return Stats{
		InUse: inUse, Peak: a.peak.Load(), Reserved: max(a.idle.Load(), 0), Blocks: blocks, Limit: a.limit.Load(),
		Children: int64(a.children.Load()), Orphans: a.orphans.AllocatedBytes(),
		Held: int64(held), Cached: int64(cached),
	}
}

// between returns a random number of which the mean is about n.
func between(n int) int {
	n = min(n, math.MaxInt/2)
	return n/2 + rand.IntN(n)
}
