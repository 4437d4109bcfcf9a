package arenaarrow

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/arena-go/arena"
)

// Options are for [New]. They apply to the Allocator and to its children. The zero value is the
// default.
type Options struct {
	// Name appears in reports, errors and panics.
	Name string

	// Memory provides memory, in pieces of 8 KiB and more. nil means the Go heap. There a slice or
	// string that points into a block after its Free reads other bytes, and never faults.
	//
	// With another Memory such a use does what that Memory says. The Allocator must then be closed,
	// and it holds each block that a child leaves behind until the Free of that block: see
	// [Allocator.Close].
	Memory arena.Memory

	// Align is the alignment of blocks in bytes: a power of two from 64 to 4096. 0 means 64.
	Align int

	// Limit is the maximum number of bytes in blocks of all children together. Beyond that,
	// [Allocator.Exceeded] is true and the contexts of [Allocator.Context] are cancelled. 0 means
	// no limit. [Allocator.SetLimit] changes it.
	Limit int64

	// Hard makes Allocate and Reallocate panic with an [*arena.LimitError] instead of exceeding
	// Limit, or the limit of a child. The package comment says where nobody recovers from such a
	// panic.
	Hard bool

	// Retain is the number of bytes of free memory that are kept for later. 0 keeps free memory as
	// long as free and used memory together are at most twice the recent peak. A negative value
	// frees each slab and each large block as soon as nothing in it is in use.
	Retain int64

	// Fair also makes other allocators of the same priority give up memory when an allocator
	// exceeds a limit of a parent. The function of [Allocator.OnLimit] is then called first for the
	// allocator with the most memory. Without Fair, an allocator that needs more than there is must
	// give up memory itself. [Allocator.SetShare] sets priorities.
	Fair bool

	// Names is the number of children's names that [Allocator.ByName] distinguishes. 0 means none,
	// and costs nothing.
	Names int

	// StackRate is the average number of allocated bytes for each stack that is recorded, for the
	// reports of Close. It is like runtime.MemProfileRate. 0 means 512 KiB, 1 records the stack of
	// each block, and a negative value records none.
	StackRate int

	// Debug makes mistakes visible; it is for tests. Each block is on pages of its own, right
	// before an inaccessible page. After Free the block is inaccessible as well, like values of an
	// arena in guard mode: see [arena.Options].Guard. A read, a write or a second Free then reports
	// where the block was allocated and freed. The stacks of all allocations are recorded. Memory
	// is not used.
	//
	// Call [arenadebug.CatchFaults] when the program starts. Without it a fault reports only the
	// place of the use.
	Debug bool

	// Report is called with the writes after Free that Debug finds. It is also called with an
	// Allocator that has a Memory and was lost before Close. nil writes to standard error.
	// [arena.Options].Report says what the function must not do.
	Report func(*arena.Report)
}

// An Allocator allocates the memory of Arrow arrays. It is a memory.Allocator of any version of
// Arrow's module for Go. Goroutines may call all methods at the same time.
type Allocator struct {
	*root
	parent *Allocator // nil for the one made by New
	name   string
	named  *named // figures of all that have that name; nil without Options.Names, and for the root
	home   *shard // where it looks first
	closed atomic.Bool

	account
}

// A root is what an Allocator made by New and all of its children share.
type root struct {
	options   Options
	shift     uint // Options.Align is 1<<shift
	stackRate int
	slabs     uint // blocks up to this size share slabs: 0 with Options.Debug

	classes  [maxUnits]uint8 // classOf(size) is classes[(size-1)/minAlign]
	table    table
	spans    spans
	shards   []shard
	children atomic.Uint32 // that were made
	sample   int           // bytes of large blocks until the next stack is taken; guarded by spans.mu
	claims   atomic.Bool   // an allocator has had a claim
	asks     atomic.Bool   // an allocator has had a function for OnLimit
	debug    *debugBlocks  // nil without Options.Debug
	books    sync.Pool     // of *book, that nobody has
	looks    *looks        // nil but in tests
	names    names

	top     *Allocator      // made by New
	lost    runtime.Cleanup // reports that it was not closed
	orphans Allocator       // owns what was in use when its owner was closed

	credits sync.Mutex // held while credit is collected, see credit.go; taken before the lock of a class or an account

	sweeping sync.Mutex // held while memory is given up after a cycle of the collector; Close waits for that

	forgets sync.Mutex  // guards what allocators have forgotten; no other lock is taken under it
	forgot  atomic.Bool // the collector has taken a block whose owner was not closed

	stacksMu sync.Mutex
	stacks   map[uintptr]arena.Stack // of blocks, by address
}

// report gives r to whom the options name.
func (o *Options) report(r *arena.Report) {
	if o.Report != nil {
		o.Report(r)
	} else {
		fmt.Fprintln(os.Stderr, r.Error())
	}
}

// reportMistake leaves out the arenas of blocks that nobody has freed: Close tells of those.
func (o *Options) reportMistake(r *arena.Report) {
	if r.Mistake != arena.Leak {
		o.report(r)
	}
}

// New returns an Allocator. A program needs one, for as long as it runs, with a [Allocator.Child]
// for each query or request. New panics if the options are not valid.
func New(o Options) *Allocator {
	if o.Align == 0 {
		o.Align = 64
	}
	if o.Align < 64 || o.Align > pageSize || o.Align&(o.Align-1) != 0 {
		panic(fmt.Sprintf("arenaarrow: New: Align is %d, and must be a power of two from 64 to %d", o.Align, pageSize))
	}
	if o.Limit < 0 {
		panic(fmt.Sprintf("arenaarrow: New: Limit is %d, and must not be negative", o.Limit))
	}
	if o.Names < 0 {
		panic(fmt.Sprintf("arenaarrow: New: Names is %d, and must not be negative", o.Names))
	}
	r := &root{options: o, shift: uint(bits.TrailingZeros(uint(o.Align))), stackRate: o.StackRate}
	if r.stackRate == 0 {
		r.stackRate = 512 << 10
	}
	r.spans = spans{table: &r.table, memory: o.Memory, most: o.Retain}
	if o.Memory == nil {
		r.spans.memory, r.spans.heap = heap{}, true
	}
	r.slabs = maxSlabBlock
	if o.Debug {
		r.slabs = 0
		r.debug = &debugBlocks{options: &Options{Report: o.Report}}
	}
	for i := range r.classes {
		number, _ := classOf((i+1)*minAlign, r.shift)
		r.classes[i] = uint8(number)
	}
	shards := 1
	for shards < min(runtime.GOMAXPROCS(0), maxShards) {
		shards *= 2
	}
	r.shards = make([]shard, shards)
	for i := range r.shards {
		for j := range r.shards[i] {
			r.shards[i][j].shard, r.shards[i][j].number = uint32(i), uint32(j)
		}
	}
	r.orphans = Allocator{root: r, name: "orphans", home: &r.shards[0]}
	r.orphans.closed.Store(r.spans.heap) // so that each of its blocks is left to the collector
	r.spans.reclaim = r.releaseEmpty
	decayAfterCycle(weak.Make(r))
	a := &Allocator{root: r, name: o.Name, home: &r.shards[0]}
	a.joined.Store(true) // There is nothing that it could join. The same goes for the orphans.
	r.orphans.joined.Store(true)
	r.orphans.exact.Store(true)
	a.limit.Store(o.Limit)
	r.top = a
	if o.Memory != nil && !o.Debug {
		r.lost = runtime.AddCleanup(&r.spans.memory, (&Options{Report: o.Report}).report, &arena.Report{Mistake: arena.Leak, Arena: o.Name,
			Detail: "an allocator for Arrow, with a Memory, that is to be closed", Made: callers()})
	}
	return a
}

// Child returns an allocator for a part of the work, such as a query. It has the options of a, and
// no limit of its own until [Allocator.SetLimit]. Its memory in use also counts for a. Close it
// when the work is done. A child costs a few hundred bytes, and as many again for each processor on
// which it is used.
func (a *Allocator) Child(name string) *Allocator {
	c := &Allocator{root: a.root, parent: a, name: name, home: &a.shards[a.children.Add(1)&uint32(len(a.shards)-1)]}
	if a.options.Names > 0 {
		c.named = a.names.of(name, a.options.Names)
		c.named.made.Add(1)
	}
	return c
}

// Name returns Options.Name, or the argument of Child.
func (a *Allocator) Name() string { return a.name }

// empty is what an allocation of 0 bytes returns.
var empty = []byte{}

// Allocate returns size zero bytes, with a capacity of size, at a multiple of Options.Align. The
// caller owns them until Free.
//
// Allocate panics if size is negative, with an [*arena.MemoryError] if there is no memory, and with
// an [*arena.LimitError] if Options.Hard is set and a limit would be exceeded.
func (a *Allocator) Allocate(size int) []byte {
	if uint(size-1) < a.slabs {
		if c := a.class(size); c.mu.TryLock() {
			var over *Allocator
			b, has := c.take(a, size)
			if b == nil {
				b, has, over = c.takeCounted(a, size, size)
			}
			c.mu.Unlock()
			if b == nil {
				return a.allocRest(size, has, over)
			}
			if has&dirty != 0 {
				zero(b)
			}
			if has&peaks != 0 {
				a.raise()
			}
			return b
		}
	}
	return a.allocRest(size, 0, nil)
}

// allocRest is Allocate where take has done no more than that.
func (a *Allocator) allocRest(size int, has taken, over *Allocator) []byte {
	if size <= 0 {
		return a.none("Allocate", size)
	}
	a.mustBePossible(size)
	higher, charged := has&peaks != 0, 0
	switch {
	case has&counted != 0:
		if charged = size; has&unsettled != 0 {
			a.settle(over, size)
		}
	case !a.isClosed(): // Orphans count to no limit. That it may be closed from now on is for place.
		higher, charged = a.charge(size), size
	}
	b, _, err := a.place(size, charged, nil)
	if err != nil {
		a.sub(charged)
		panic(err)
	}
	if higher {
		a.raise()
	}
	return b
}

// zero is clear, which is a call of the runtime. Most blocks that Arrow needs are small.
func zero(b []byte) {
	if len(b) == 64 {
		*(*[64]byte)(b) = [64]byte{}
	} else {
		clear(b)
	}
}

// place returns a block of size bytes: the contents of old, which is not longer, and then zeros.
// The caller has counted charged bytes for a, which are size, or what size is more than old. An
// orphan, and a block that uses credit, are counted by themselves: own is true then, and place
// counts charged off.
func (a *Allocator) place(size, charged int, old []byte) (b []byte, own bool, err error) {
	var has taken
	if a.debug != nil {
		b, has, err = a.debug.allocate(a, size, old)
	} else if b, has, err = a.block(size); err == errClosed {
		b, has, err = a.orphan(size)
	}
	if err != nil {
		return nil, false, a.noMemory(size, err)
	}
	n := copy(b, old)
	if has&dirty != 0 {
		clear(b[n:])
	}
	if own = has&credited != 0; own {
		a.sub(charged)
	}
	return b, own, nil
}

// mustBePossible panics if no Memory has size bytes. It comes before they are counted, so that no
// sum overflows.
func (a *Allocator) mustBePossible(size int) {
	if size > maxBlock {
		panic(a.noMemory(size, errSize))
	}
}

// noMemory returns the error for size bytes that there are not.
func (a *Allocator) noMemory(size int, err error) *arena.MemoryError {
	return &arena.MemoryError{Name: a.name, Size: int64(size), Err: err}
}

// block returns a block for a, and whether it may contain bytes other than zeros. The error is
// errClosed if a is closed, and otherwise an error of the Memory.
func (a *Allocator) block(size int) (b []byte, has taken, err error) {
	if size <= maxSlabBlock {
		return a.allocSlab(a, size)
	}
	return a.allocLarge(a, size)
}

var errClosed = errors.New("closed: the block is to be an orphan")

// none returns what an allocation of size bytes returns that is none.
func (a *Allocator) none(what string, size int) []byte {
	if size < 0 {
		panic(fmt.Sprintf("arenaarrow: %s of %d bytes by %s", what, size, a))
	}
	return empty
}

// allocLarge returns a block with pages of its own, as allocSlab does.
func (r *root) allocLarge(a *Allocator, size int) (b []byte, has taken, err error) {
	s, err := r.spans.get(size)
	if err != nil {
		return nil, 0, err
	}
	r.spans.mu.Lock()
	if a.isClosed() {
		r.spans.mu.Unlock()
		r.spans.put(s)
		return nil, 0, errClosed
	}
	b = s.takeLarge(a, size)
	if r.sample -= size; r.sample < 0 && r.stackRate > 0 {
		r.sample = between(r.stackRate)
		r.remember(s, 0)
	}
	has = s.has()
	r.spans.mu.Unlock()
	return b, has, nil
}

// Free frees the block b, which may be reused at once: code that still uses it reads and spoils
// other data. b must come from Allocate or Reallocate, or begin where such a slice begins and have
// a capacity. Free does nothing if b has no capacity.
//
// Any allocator of the same root may free b, before and after Close. Free panics if no block in use
// begins where b begins, or if that block is smaller than the capacity of b. It has then freed
// nothing.
//
// So a second Free of b panics until the block is reused. After that it frees the block of the new
// owner, because an address does not say who owned it before. Only with Options.Debug, which reuses
// no address while b exists, does each second Free panic.
func (a *Allocator) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	var owner *Allocator
	var rest int
	if h := a.lock(address(b), cap(b)); h.s != nil {
		var unused bool
		owner, rest, unused = a.release(h, true)
		a.guard(h.c).Unlock()
		if unused {
			if rest != 0 {
				owner.sub(rest) // before a Memory may panic
			}
			a.spans.put(h.s)
			return
		}
	} else {
		owner, rest = a.releaseDebug("Free", b)
	}
	if rest != 0 {
		owner.sub(rest)
	}
}

// release frees the block of h. It returns what is to be counted off, and for whom: all of it, or
// what does not become credit. unused tells that the span is not needed any more: when the lock is
// free it goes back to the spans.
func (a *Allocator) release(h lockedBlock, credit bool) (owner *Allocator, rest int, unused bool) {
	s, c, b := h.s, h.c, h.b
	if c == nil || b.size < 0 {
		return a.releaseSeldom(h, credit)
	}
	rest = b.size
	of := b.end()
	l := of.list
	owner = l.owner
	if credit {
		rest = l.earn(rest)
	}
	b.cut, s.free = s.free, h.i
	if of.live == 0 {
		c.emptied(of)
	}
	live := s.live - 1
	s.live = live
	if live == 0 || live == len(s.blocks)-1 {
		unused = c.turn(a.root, s)
	}
	return owner, rest, unused
}

// releaseSeldom is release for a large block, or one whose stack is known.
func (a *Allocator) releaseSeldom(h lockedBlock, credit bool) (owner *Allocator, rest int, unused bool) {
	if h.b.size&stacked != 0 {
		a.forget(h.s, h.i) // before another block is there
		h.b.size = h.b.bytes()
	}
	if h.c != nil {
		return a.release(h, credit)
	}
	rest = h.b.size
	owner = h.s.dropLarge()
	return owner, rest, h.s.memory != nil
}

// releaseDebug is for a b where lock has found no block. It is one of those with Options.Debug, or
// a mistake.
func (a *Allocator) releaseDebug(what string, b []byte) (owner *Allocator, size int) {
	if a.debug == nil {
		panic(a.mistake(what, b))
	}
	return a.debug.free(a, what, b)
}

// A lockedBlock is a block in use whose lock is taken: the lock of its class, or of the spans if it
// is large. The function that has got it from lock frees guard(c), and looks at no more than s
// then. There is no block, and no lock is taken, if s is nil.
//
// No other function frees a lock that it has not taken, and only lock and lockClass return with one
// that they have taken. So what is called under a lock neither counts what may exceed a limit,
// which calls functions of the program, nor gives memory back: it returns what is to be done when
// the lock is free.
type lockedBlock struct {
	s *span
	c *class // nil for a large block
	b *block
	i int // b is block i of s
}

// lock takes the lock of the block in use that begins at an address, and has that capacity or more,
// which is not 0. If there is no such block, no lock is taken.
func (r *root) lock(at uintptr, capacity int) lockedBlock {
	s := r.table.at(at)
	if s == nil {
		return lockedBlock{}
	}
	c := s.class.Load()
	mu := r.guard(c)
	mu.Lock()
	if s.class.Load() == c { // Otherwise it became part of something else, which does not happen to what is in use.
		i := s.index(at)
		if uint(i) < uint(len(s.blocks)) {
			if b := &s.blocks[i]; capacity <= b.bytes() {
				return lockedBlock{s, c, b, i}
			}
		}
	}
	mu.Unlock()
	return lockedBlock{}
}

// mistake says why there is no block in use that b is or begins. Others may change that meanwhile.
func (a *Allocator) mistake(what string, b []byte) string {
	at := address(b)
	s := a.table.at(at)
	if s == nil {
		return fmt.Sprintf("arenaarrow: %s by %s of %d bytes at %#x, which it has not allocated", what, a, len(b), at)
	}
	mistake := "which is not in use: it has been freed before"
	c := s.class.Load()
	a.guard(c).Lock()
	if s.class.Load() == c {
		if i := s.index(at); i < 0 {
			mistake = "in the middle of a block; Free what Allocate has returned"
		} else if i < len(s.blocks) && s.blocks[i].size != 0 {
			mistake = fmt.Sprintf("where a block of %d bytes is: it has been freed, or reallocated, before", s.blocks[i].bytes())
		}
	}
	a.guard(c).Unlock()
	return fmt.Sprintf("arenaarrow: %s by %s of %d bytes at %#x, %s", what, a, cap(b), at, mistake)
}

// keeps reports whether a class keeps a slab that is empty.
func (r *root) keeps() bool { return r.options.Retain >= 0 && !r.top.closed.Load() }

// guard returns the lock of the blocks of a span, where c is its class.
func (r *root) guard(c *class) *sync.Mutex {
	if c != nil {
		return &c.mu
	}
	return &r.spans.mu
}

// String returns the name of a in messages.
func (a *Allocator) String() string {
	if a.name == "" {
		return "an allocator"
	}
	return "allocator " + a.name
}
