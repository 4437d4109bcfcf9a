package arenaarrow

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena"
)

// Leaks are the blocks that an allocator had in use when it was closed.
type Leaks struct {
	Name   string // The allocator's name.
	Blocks int    // The number of blocks.
	Bytes  int64  // Their bytes in use.
	Sites  []Site // Where they were allocated, as far as it is known. Sites with the most bytes come first.
}

// A Site is a place in the program where blocks were allocated.
type Site struct {
	// Stack is the stack of the goroutine that has allocated. It begins with the function that has
	// called Arrow. With some settings compute and pqarrow allocate in goroutines of their own,
	// whose stacks contain only Arrow. A child for each step of a query distinguishes them.
	Stack  arena.Stack
	Blocks int
	Bytes  int64
}

// String returns the sum in one line, and some lines for each site. For nil it says that there are
// no leaks.
func (l *Leaks) String() string {
	if l == nil {
		return "no leaks"
	}
	var b strings.Builder
	name := l.Name
	if name == "" {
		name = "an allocator"
	}
	fmt.Fprintf(&b, "arenaarrow: %s leaves %d blocks of %d bytes", name, l.Blocks, l.Bytes)
	known := 0
	for _, s := range l.Sites {
		known += s.Blocks
		fmt.Fprintf(&b, "\n%d of %d bytes allocated at:\n%s", s.Blocks, s.Bytes, strings.TrimSuffix(s.Stack.String(), "\n"))
	}
	if n := l.Blocks - known; n > 0 {
		fmt.Fprintf(&b, "\n%d allocated somewhere else; with Options.StackRate 1 it is known where", n)
	}
	return b.String()
}

// add counts a block.
func (l *Leaks) add(size int, stack arena.Stack) {
	l.Blocks++
	l.Bytes += int64(size)
	if stack != nil {
		l.addSite(Site{stack, 1, int64(size)})
	}
}

// merge counts what m has.
func (l *Leaks) merge(m *Leaks) {
	l.Blocks += m.Blocks
	l.Bytes += m.Bytes
	for _, s := range m.Sites {
		l.addSite(s)
	}
}

// less counts off what m has, which was counted.
func (l *Leaks) less(m *Leaks) {
	l.Blocks -= m.Blocks
	l.Bytes -= m.Bytes
	for _, s := range m.Sites {
		l.addSite(Site{s.Stack, -s.Blocks, -s.Bytes})
	}
	l.Sites = slices.DeleteFunc(l.Sites, func(s Site) bool { return s.Blocks == 0 })
}

func (l *Leaks) addSite(s Site) {
	i := slices.IndexFunc(l.Sites, func(t Site) bool { return slices.Equal(s.Stack, t.Stack) })
	if i < 0 {
		l.Sites = append(l.Sites, s)
		return
	}
	l.Sites[i].Blocks += s.Blocks
	l.Sites[i].Bytes += s.Bytes
}

// callers returns the stack that called a method of Allocator, with some of this package in front.
func callers() arena.Stack {
	var pc [32]uintptr
	return slices.Clone(pc[:runtime.Callers(3, pc[:])])
}

// trimmed returns s without what is of this package and of Arrow in front, if there is something
// else. It is not done by callers since it takes microseconds.
func trimmed(s arena.Stack) arena.Stack {
	for i, pc := range s {
		f := runtime.FuncForPC(pc - 1)
		if f == nil {
			continue
		}
		file, _ := f.FileLine(pc - 1)
		switch name := f.Name(); {
		case strings.HasPrefix(name, "github.com/apache/arrow"), strings.HasPrefix(name, "runtime."):
		case strings.HasPrefix(name, "github.com/arena-go/arena/arenaarrow.") && !strings.HasSuffix(file, "_test.go"):
		case strings.HasPrefix(name, "golang.org/x/sync/errgroup."):
		default:
			return s[i:]
		}
	}
	return s
}

// remember takes the stack for block i of s, whose lock is taken.
func (r *root) remember(s *span, i int) {
	r.stacksMu.Lock()
	defer r.stacksMu.Unlock()
	if r.stacks == nil {
		r.stacks = map[uintptr]arena.Stack{}
	}
	r.stacks[s.base+uintptr(i*s.blockSize)] = callers()
	s.blocks[i].size |= stacked
}

// forget removes the stack of block i of s.
func (r *root) forget(s *span, i int) {
	r.stacksMu.Lock()
	delete(r.stacks, s.base+uintptr(i*s.blockSize))
	r.stacksMu.Unlock()
}

// within reports whether a is b or a child of it, or of a child of it.
func (a *Allocator) within(b *Allocator) bool {
	for ; a != nil; a = a.parent {
		if a == b {
			return true
		}
	}
	return false
}

// isClosed reports whether a, or a parent of it, was closed.
func (a *Allocator) isClosed() bool {
	for ; a != nil; a = a.parent {
		if a.closed.Load() {
			return true
		}
	}
	return false
}

// leaks returns what a has in use.
func (a *Allocator) leaks() *Leaks {
	l := &Leaks{Name: a.name}
	if a.debug != nil {
		a.debug.survey(a, func(b *debugBlock) { l.add(b.size-b.cut, trimmed(b.made)) })
	} else {
		a.survey(func(of *holdings, _ *class) {
			for h := of.first; h != nil; h = h.next {
				for i := range h.blocks() {
					l.add(h.span.blocks[i].inUse(), a.stackOf(h.span, i))
				}
			}
		})
	}
	l.sort()
	return l
}

func (l *Leaks) sort() {
	slices.SortStableFunc(l.Sites, func(x, y Site) int { return cmp.Compare(y.Bytes, x.Bytes) })
}

// stackOf returns the stack of block i of s, or nil.
func (r *root) stackOf(s *span, i int) arena.Stack {
	if s.blocks[i].size&stacked == 0 {
		return nil
	}
	r.stacksMu.Lock()
	defer r.stacksMu.Unlock()
	return trimmed(r.stacks[s.base+uintptr(i*s.blockSize)])
}

// Close ends a and its children. It reports their blocks in use, which were forgotten or are still
// held by others, and forgotten blocks that the collector has already freed; nil means that there
// are none. Each is reported once. The blocks in use are then orphans: they count as Stats.Orphans,
// and no longer for the parents of a.
//
// Orphans stay valid. On the Go heap, the collector frees an orphan once nothing points into its
// slab, of 8 to 256 KiB. From another Memory, an orphan is held until its Free. Free of an orphan
// is allowed in both cases.
//
// A closed allocator can still allocate, for goroutines that have not stopped yet. Such a block is
// an orphan from the start, and counts toward no limit.
//
// Close of the allocator made by New frees all memory that is not in use. A second Close does
// nothing, and returns nil.
//
// Close costs a fraction of a microsecond if there is nothing to report. Otherwise its time is
// proportional to the number of blocks that it reports. With Options.Debug its time is proportional
// to the number of all blocks of the same root.
func (a *Allocator) Close() *Leaks {
	if a.closed.Swap(true) {
		return nil
	}
	l := &Leaks{Name: a.name}
	if a.claims.Load() {
		a.all((*Allocator).endClaim)
	}
	if a.bytes.Load() != 0 {
		a.credits.Lock()
		a.makeExact()
		a.credits.Unlock()
	}
	if a.bytes.Load() != 0 {
		a.abandon(l)
	}
	a.part()
	a.releaseBook(l)
	if a.forgot.Load() {
		a.reportForgotten(l)
	}
	if a.named != nil {
		a.named.sawPeak(a.peak.Load())
		a.named.closed.Add(1)
		a.named.leaked.Add(l.Bytes)
	}
	if a.parent != nil {
		a.spans.decay(100 * time.Millisecond) // Small queries must not empty the cache of a large one.
	} else {
		a.lost.Stop()
		a.sweeping.Lock()
		defer a.sweeping.Unlock()
		defer a.releaseEmpty() // also when the Memory panics
		a.spans.flush(true)
	}
	if l.Blocks == 0 {
		return nil
	}
	l.sort()
	return l
}

// addForgotten counts a block that the collector has taken, for a and its parents: the first one
// that is closed reports it.
func (a *Allocator) addForgotten(size int, stack arena.Stack) {
	r := a.root
	r.forgets.Lock()
	defer r.forgets.Unlock()
	for ; a != nil; a = a.parent {
		a.forgotten.add(size, stack)
	}
	r.forgot.Store(true)
}

// reportForgotten adds what a and its children have forgotten to l, and counts it off the parents.
// A parent that is closed reports all of it itself.
func (a *Allocator) reportForgotten(l *Leaks) {
	a.forgets.Lock()
	defer a.forgets.Unlock()
	if a.parent.isClosed() {
		return
	}
	l.merge(&a.forgotten)
	for p := a.parent; p != nil; p = p.parent {
		p.forgotten.less(&a.forgotten)
	}
	a.forgotten = Leaks{}
}

// abandon makes orphans of what a and its children have in use, which it adds to l.
func (a *Allocator) abandon(l *Leaks) {
	if a.debug != nil {
		a.debug.survey(a, func(b *debugBlock) {
			l.add(b.size-b.cut, trimmed(b.made))
			b.owner.sub(b.size)
			b.owner = &a.orphans
			b.owner.add(b.size)
		})
		return
	}
	a.survey(func(of *holdings, c *class) { a.abandonList(of, c, l) })
}

// abandonList makes orphans of the blocks of a list.
func (a *Allocator) abandonList(of *holdings, c *class, l *Leaks) {
	for of.first != nil {
		a.abandonOne(of.first, c, l)
	}
}

// abandonOne makes orphans of the blocks of h, which it adds to l.
func (a *Allocator) abandonOne(h *holding, c *class, l *Leaks) {
	s, bytes, cut := h.span, 0, 0
	for i := range h.blocks() {
		b := &s.blocks[i]
		bytes += b.bytes()
		cut += b.cut
		l.add(b.inUse(), a.stackOf(s, i))
		if b.size&stacked != 0 && a.spans.heap {
			b.size = b.bytes()
			a.forget(s, i)
		}
	}
	h.list.owner.sub(bytes)
	a.orphans.add(bytes)
	if c != nil {
		h.give(&a.orphans, a.orphans.tallyFor(c), cut)
	} else {
		h.give(&a.orphans, &a.orphans.large, cut)
	}
	if !a.spans.heap || s.memory == nil {
		return
	}
	if c != nil {
		c.retire(s)
		a.spans.mu.Lock()
		defer a.spans.mu.Unlock()
	}
	a.leave(s)
}

// orphan returns a block for a, which is closed, and counts it as one of the orphans.
func (a *Allocator) orphan(size int) (b []byte, has taken, err error) {
	a.orphans.add(size)
	if !a.spans.heap {
		b, has, err = a.orphans.block(size)
		if has&credited != 0 {
			a.orphans.sub(size)
		}
	} else if s, failed := a.spans.get(size); failed != nil {
		err = failed
	} else {
		a.spans.mu.Lock()
		b, has = s.takeLarge(&a.orphans, size), s.has()
		a.leave(s)
		a.spans.mu.Unlock()
	}
	if err != nil {
		a.orphans.sub(size)
		return nil, 0, err
	}
	return b, has | credited, nil
}

// TestingT is the part of testing.TB that AssertSize needs.
type TestingT interface {
	Errorf(format string, args ...any)
	Helper()
}

// AssertSize reports an error to t unless a and its children have size bytes in use. The error
// describes the blocks in use. It is the method of memory.CheckedAllocator.
func (a *Allocator) AssertSize(t TestingT, size int) {
	t.Helper()
	if n := a.CurrentAlloc(); n != size {
		t.Errorf("invalid memory size exp=%d, got=%d\n%s", size, n, a.leaks())
	}
}
