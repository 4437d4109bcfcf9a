package arenaarrow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// An account is what an Allocator has in use, with its children.
type account struct {
	bytes atomic.Int64 // of the blocks
	cut   atomic.Int64 // how many of those are not in use any more, since Reallocate has made blocks smaller
	peak  atomic.Int64 // of bytes
	limit atomic.Int64
	over  atomic.Pointer[arena.LimitError] // the first one

	mu       sync.Mutex
	contexts map[*context.CancelCauseFunc]struct{}

	forgotten Leaks // that the collector has taken before Close

	book   atomic.Pointer[book] // of its small blocks; nil if it never had any
	large  holdings             // guarded by spans.mu
	family family
	joined atomic.Bool // the parent has it in its family
	seat   int         // there
}

// add counts size bytes more for a and its parents, and returns the first one that has more than its limit now, or nil.
func (a *Allocator) add(size int) (over *Allocator) {
	for ; a != nil; a = a.parent {
		n := a.bytes.Add(int64(size))
		if limit := a.limit.Load(); limit > 0 && n > limit && size > 0 && over == nil {
			over = a
		}
	}
	return over
}

// addCut counts n bytes of blocks more that are not in use. They still count to limits.
func (a *Allocator) addCut(n int) {
	for ; n != 0 && a != nil; a = a.parent {
		a.account.cut.Add(int64(n))
	}
}

// inUse returns how many bytes are in use. Cut is read first, and counted off first: so it is not less than nothing.
func (a *account) inUse() int64 {
	cut := a.cut.Load()
	return max(a.bytes.Load()-cut, 0)
}

// charge counts size bytes that are to be allocated, or panics if a limit is hard.
func (a *Allocator) charge(size int) {
	for p := a; a.options.Hard && size > 0 && p != nil; p = p.parent { // What does not fit is not counted for a moment, where others would see it.
		if limit, n := p.limit.Load(), p.bytes.Load(); limit > 0 && n+int64(size) > limit {
			panic(p.limitError(limit, n, size))
		}
	}
	over := a.add(size)
	if !a.joined.Load() {
		a.join()
	}
	if over != nil {
		a.exceed(over, size)
	}
}

// raise sets the peaks of a and its parents.
func (a *Allocator) raise() {
	for ; a != nil; a = a.parent {
		n := a.bytes.Load()
		for {
			peak := a.peak.Load()
			if n <= peak || a.peak.CompareAndSwap(peak, n) {
				break
			}
		}
	}
}

// limitError is for an allocation of size bytes, where so many are in use and a has that limit.
func (a *Allocator) limitError(limit, inUse int64, size int) *arena.LimitError {
	option := "arenaarrow.Allocator.SetLimit"
	if a.parent == nil && limit == a.options.Limit {
		option = "arenaarrow.Options.Limit"
	}
	return &arena.LimitError{Name: a.name, Limit: limit, Reserved: inUse, Needed: int64(size), Option: option}
}

// exceed is for size bytes more for a, which are counted, and have taken over, which is a or a parent, beyond its limit. If
// that is hard, it counts them off and panics. Otherwise it tells a and its parents up to over; but not the root that it was a child: it
// has others.
func (a *Allocator) exceed(over *Allocator, size int) {
	err := over.limitError(over.limit.Load(), over.bytes.Load()-int64(size), size)
	if a.options.Hard {
		a.add(-size)
		panic(err)
	}
	for first := a; ; a = a.parent {
		if a.parent != nil || a == first {
			a.over.CompareAndSwap(nil, err)
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

// SetLimit sets how many bytes the blocks of a and its children may have. 0 means no limit. For the allocator made by New it replaces
// Options.Limit. It does not look at what is in use already; the next allocation does. SetLimit panics if bytes is negative.
func (a *Allocator) SetLimit(bytes int64) {
	if bytes < 0 {
		panic(fmt.Sprintf("arenaarrow: SetLimit(%d) of %s; a limit is not negative", bytes, a))
	}
	a.limit.Store(bytes)
}

// Exceeded tells whether an allocation of a, or of a child of a, has exceeded the limit of a or of a parent of a. It stays true.
//
// For the allocator made by New, only its own allocations count. So it can go on when a child has to stop.
func (a *Allocator) Exceeded() bool { return a.over.Load() != nil }

// Err returns nil until a is [Allocator.Exceeded], and from then on an [*arena.LimitError] about the first time.
func (a *Allocator) Err() error {
	if err := a.over.Load(); err != nil {
		return err
	}
	return nil
}

// Context returns a copy of parent that is cancelled when a is [Allocator.Exceeded]; at once if it already is. context.Cause then returns the
// [*arena.LimitError]; Err returns context.Canceled, as always. Call the function as soon as the work is done: it releases what the context
// needs.
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

// CurrentAlloc returns how many bytes a and its children have in use. It is the method of memory.CheckedAllocator.
func (a *Allocator) CurrentAlloc() int { return int(a.account.inUse()) }

// AllocatedBytes is CurrentAlloc, under the name that it has in Arrow's allocators that are written in C.
func (a *Allocator) AllocatedBytes() int64 { return a.account.inUse() }

// Stats are the figures of an allocator and its children.
type Stats struct {
	InUse  int64 // Bytes in use, as they were asked for.
	Peak   int64 // The most bytes that the blocks had at a time. This is what limits bound: a block that Reallocate has made smaller still counts in full.
	Blocks int   // Blocks in use.
	Limit  int64 // The limit in bytes; 0 for none.

	// Of all allocators of the same root:
	Children int64 // The children that were made.
	Orphans  int64 // Bytes that were in use when their allocator was closed, and still are. See Close.
	Held     int64 // Bytes of memory that is in use: large blocks, slabs with a block in use, and an empty slab for each size. Orphans on the Go heap do not count.
	Cached   int64 // Bytes of other memory that is kept for later.
}

// Stats returns the figures of a. They are not of one moment if others use a meanwhile. Stats takes at most some microseconds for each child of a
// that has blocks in use, however many these are. With Options.Debug it takes time in proportion to the number of all blocks of the same root.
func (a *Allocator) Stats() Stats {
	a.spans.mu.Lock()
	held, cached := a.spans.live, a.spans.bytes
	a.spans.mu.Unlock()
	return Stats{
		InUse: a.account.inUse(), Peak: a.peak.Load(), Blocks: a.blockCount(), Limit: a.limit.Load(),
		Children: int64(a.children.Load()), Orphans: a.orphans.account.inUse(),
		Held: int64(held), Cached: int64(cached),
	}
}

// between returns a random number of which the mean is n-1.
func between(n int) int { return n/2 + rand.IntN(n) }
