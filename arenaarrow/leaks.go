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

// Leaks are what an allocator had in use when it was closed.
type Leaks struct {
	Name   string // of the allocator
	Blocks int
	Bytes  int64
	Sites  []Site // where the blocks were allocated whose stack is known: those with the most bytes first
}

// A Site is a place where blocks were allocated.
type Site struct {
	// Stack begins with the function that has called Arrow. It is the stack of the goroutine that has allocated: compute and pqarrow allocate in
	// goroutines of their own, for some settings, and then nothing but Arrow is in it. Children for the steps of a query tell
	// which one it was.
	Stack  arena.Stack
	Blocks int
	Bytes  int64
}

// String returns a text of several lines, the first of which is the sum.
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

func (l *Leaks) addSite(s Site) {
	i := slices.IndexFunc(l.Sites, func(t Site) bool { return slices.Equal(s.Stack, t.Stack) })
	if i < 0 {
		l.Sites = append(l.Sites, s)
		return
	}
	l.Sites[i].Blocks += s.Blocks
	l.Sites[i].Bytes += s.Bytes
}

// callers returns the stack of who has called a method of Allocator, with some of this package in front.
func callers() arena.Stack {
	var pc [32]uintptr
	return slices.Clone(pc[:runtime.Callers(3, pc[:])])
}

// trimmed returns s without what is of this package and of Arrow in front, if there is something else. It is not done by callers
// since it takes microseconds.
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

// forget removes the stack of the block at an address.
func (r *root) forget(address uintptr) {
	r.stacksMu.Lock()
	delete(r.stacks, address)
	r.stacksMu.Unlock()
}

// within tells whether a is b or a child of it, or of a child of it.
func (a *Allocator) within(b *Allocator) bool {
	for ; a != nil; a = a.parent {
		if a == b {
			return true
		}
	}
	return false
}

// isClosed tells whether a, or a parent of it, was closed.
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

// stackOf returns that of block i of s, or nil.
func (r *root) stackOf(s *span, i int) arena.Stack {
	if s.blocks[i].size&stacked == 0 {
		return nil
	}
	r.stacksMu.Lock()
	defer r.stacksMu.Unlock()
	return trimmed(r.stacks[s.base+uintptr(i*s.blockSize)])
}

// Close ends a and its children. What they have in use then, and was forgotten or is still held by others, is reported: nil if there is
// nothing. It is not counted any more as in use by the parents of a, but as Stats.Orphans.
//
// On the Go heap such blocks are left to the collector, which frees them once nothing points into the
// slab they are in, of 8 to 256 KiB, and are valid until then. Those from another Memory are valid, and held, until their own Free. That Free is
// allowed in both cases.
//
// Close takes a fraction of a microsecond if there is nothing to report, otherwise time in proportion to the number of blocks that are, and with
// Options.Debug of all blocks of the same root.
//
// Close of the allocator made by New gives all memory back that is not in use. Allocating goes on after Close, because work may be under way that
// nobody has waited for: what is allocated then is an orphan. A second Close does nothing.
func (a *Allocator) Close() *Leaks {
	if a.closed.Swap(true) {
		return nil
	}
	l := &Leaks{Name: a.name}
	if a.bytes.Load() != 0 {
		a.abandon(l)
	}
	a.part()
	a.releaseBook()
	a.mu.Lock()
	l.merge(&a.forgotten)
	a.mu.Unlock()
	if a.parent != nil {
		a.spans.decay(100 * time.Millisecond) // Small queries must not empty the cache of a large one.
	} else {
		a.lost.Stop()
		a.sweeping.Lock()
		defer a.sweeping.Unlock()
		a.spans.flush(true)
		a.releaseEmpty()
	}
	if l.Blocks == 0 {
		return nil
	}
	l.sort()
	return l
}

// abandon makes orphans of what a and its children have in use, which it adds to l.
func (a *Allocator) abandon(l *Leaks) {
	if a.debug != nil {
		a.debug.survey(a, func(b *debugBlock) {
			l.add(b.size-b.cut, trimmed(b.made))
			b.owner.addCut(-b.cut)
			b.owner.add(-b.size)
			b.owner = &a.orphans
			b.owner.add(b.size)
			b.owner.addCut(b.cut)
		})
		return
	}
	a.survey(func(of *holdings, c *class) {
		for of.first != nil {
			a.abandonOne(of.first, c, l)
		}
	})
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
			a.forget(s.base + uintptr(i*s.blockSize))
		}
	}
	h.owner.addCut(-cut)
	h.owner.add(-bytes)
	a.orphans.add(bytes)
	a.orphans.addCut(cut)
	if c != nil {
		h.give(&a.orphans, a.orphans.tallyFor(c))
	} else {
		h.give(&a.orphans, &a.orphans.large)
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

// orphan returns a block for a, which is closed, and counts it where it belongs.
func (a *Allocator) orphan(size int) (b []byte, dirty bool, err error) {
	defer func() {
		if err == nil && a != &a.orphans {
			a.add(-size)
			a.orphans.add(size)
		}
	}()
	if !a.spans.heap {
		return a.orphans.block(size)
	}
	s, err := a.spans.get(size)
	if err != nil {
		return nil, false, err
	}
	a.spans.mu.Lock()
	defer a.spans.mu.Unlock()
	b = s.takeLarge(&a.orphans, size)
	a.leave(s)
	return b, s.dirty, nil
}

// TestingT is what AssertSize needs of a testing.TB.
type TestingT interface {
	Errorf(format string, args ...any)
	Helper()
}

// AssertSize reports an error, with what is known of the blocks in use, if a and its children have not size bytes in use, as that of
// memory.CheckedAllocator does.
func (a *Allocator) AssertSize(t TestingT, size int) {
	t.Helper()
	if n := a.CurrentAlloc(); n != size {
		t.Errorf("invalid memory size exp=%d, got=%d\n%s", size, n, a.leaks())
	}
}
