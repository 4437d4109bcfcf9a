package arenaarrow

import (
	"math/bits"
	"sync"
)

// Blocks up to maxSlabBlock bytes share slabs. Their sizes are four per power of two, in units of
// Options.Align bytes.
const (
	maxSlabBlock = 32 << 10
	slabClasses  = 8 + 6*4 // for units of 64 bytes
	maxShards    = 16

	minAlign = 64
	maxUnits = maxSlabBlock / minAlign
)

// classOf returns the class for size bytes, and the size of its blocks. A unit has 1<<shift bytes.
func classOf(size int, shift uint) (class, blockSize int) {
	shift &= 63 // so that the compiler need not look whether it is more
	units := uint(size+1<<shift-1) >> shift
	if units <= 8 {
		return int(units) - 1, int(units) << shift
	}
	e := uint(bits.Len(units-1)) - 3 // units-1 has e bits behind its first three
	q := (units - 1) >> e            // 4 to 7
	return int(e*4 + q), int(q+1) << e << shift
}

// slabSize returns the size of a slab: room for 16 blocks, or less where these are large.
func slabSize(blockSize int) int { return max(min(blockSize*16, 256<<10), 2*pageSize) }

// A class is the slabs that have blocks of one size, for one shard.
type class struct {
	mu     sync.Mutex
	open   *span // the newest of those with free blocks, which is used
	empty  int   // of the open ones, those with no block in use
	sample int   // bytes until the next stack is taken

	shard, number uint32   // which one it is
	spare         *holding // some that have no blocks
}

// A shard is a set of classes. There are several so that goroutines need not wait for one another.
type shard [slabClasses]class

// lockClass takes the lock of one of the classes with the given number, which it returns: the class
// of the first shard, or of another shard that nobody else is using.
func (r *root) lockClass(first *shard, number int) *class {
	mask := uint32(len(r.shards) - 1)
	for i := range uint32(len(r.shards)) {
		if c := &r.shards[(first[number].shard+i)&mask][number]; c.mu.TryLock() {
			return c
		}
	}
	c := &first[number]
	c.mu.Lock()
	return c
}

// allocSlab returns a block of a slab for a, and whether it may contain bytes other than zeros. The
// error is errClosed if a is closed, and otherwise an error of the Memory.
func (r *root) allocSlab(a *Allocator, size int) (b []byte, has taken, err error) {
	number, blockSize := classOf(size, r.shift)
	c := r.lockClass(a.home, number)
	if c.open == nil {
		c.mu.Unlock()
		s, err := r.newSlab(c, blockSize)
		if err != nil {
			return nil, 0, err
		}
		c.mu.Lock()
		c.empty++
		c.addOpen(s)
	}
	b, has, _ = c.takeCounted(a, size, 0)
	c.mu.Unlock()
	if b == nil {
		if !r.keeps() {
			r.spans.putAll(c.removeEmpty())
		}
		return nil, 0, errClosed
	}
	return b, has, nil
}

// taken tells what take has done.
type taken uint8

const (
	dirty     taken = 1 << iota // the block may have other bytes than zeros
	credited                    // the whole block was counted already, as credit, or as an orphan
	counted                     // what is to be counted is; it may be so without a block
	peaks                       // one may have more than its peak
	unsettled                   // what is counted is to be settled without a lock, see settle
)

// class returns the class of a for blocks of size bytes, up to maxSlabBlock.
func (a *Allocator) class(size int) *class {
	return &a.home[a.classes[uint(size-1)/minAlign%maxUnits]%slabClasses]
}

// take returns a block of size bytes of c, whose lock is taken, for a, by its credit. If there is
// no block or not so much credit, take returns nil. That a has credit tells that it is not closed;
// or Close has yet to look at its blocks.
func (c *class) take(a *Allocator, size int) (b []byte, has taken) {
	s := c.open
	if s == nil {
		return nil, 0
	}
	h := s.last
	if h == nil {
		return nil, 0
	}
	l := h.list
	if l.owner != a || l.credit < size {
		return nil, 0
	}
	l.credit -= size
	i := s.free
	if uint(i) < uint(len(s.blocks)) {
		at := &s.blocks[i]
		s.free = at.cut
		at.holding, at.cut, at.size = h, 0, size
		has = credited | dirty
	} else {
		i = s.next
		s.next++
		s.blocks[i] = block{holding: h, size: size}
		has = credited | s.has()
	}
	if s.live == 0 {
		c.empty--
	}
	s.live++
	if s.live == len(s.blocks) {
		c.removeOpen(s)
	}
	l.blocks++
	h.live++
	if h.live == 1 {
		l.add(h)
	}
	if c.sample -= size; c.sample < 0 {
		c.takeSample(a.root, s, i)
	}
	return s.slice(i, size), has
}

// takeCounted is take where that has returned nil: it counts more bytes. There is no block if c has
// none, if a is closed, or if count leaves something to be done for over.
func (c *class) takeCounted(a *Allocator, size, more int) (b []byte, has taken, over *Allocator) {
	s := c.open
	if s == nil {
		return nil, 0, nil
	}
	h := s.last
	if h == nil || h.list.owner != a {
		if h = s.newHolding(a, c); h == nil {
			return nil, 0, nil
		}
	}
	if h.list.credit >= size {
		b, has = c.take(a, size)
		return b, has, nil
	}
	var counts taken
	if more > 0 {
		if counts, over = a.count(more); counts&counted == 0 || counts&unsettled != 0 {
			return nil, counts, over
		}
	}
	if a.isClosed() {
		return nil, counts, nil
	}
	h.list.credit += size // for take
	b, has = c.take(a, size)
	return b, has&^credited | counts, nil
}

// takeSample takes the stack of block i of s, and says when the next one is taken.
func (c *class) takeSample(r *root, s *span, i int) {
	if r.stackRate > 0 {
		c.sample = between(r.stackRate)
		r.remember(s, i)
	}
}

// newSlab returns a slab for c, which is not in its list yet.
func (r *root) newSlab(c *class, blockSize int) (*span, error) {
	s, err := r.spans.get(slabSize(blockSize))
	if err != nil {
		return nil, err
	}
	r.spans.mu.Lock() // Others may look at s: survey does, and a Free of what is not in use any more.
	defer r.spans.mu.Unlock()
	n := s.size / blockSize
	s.blockSize, s.inverse = blockSize, (1<<32+uint64(blockSize)-1)/uint64(blockSize)
	s.free, s.next, s.live, s.retired = noBlock, 0, 0, false
	if cap(s.blocks) < n {
		s.blocks = make([]block, n)
	}
	s.blocks = s.blocks[:n]
	s.class.Store(c) // From here on c.mu guards it.
	return s, nil
}

func (c *class) addOpen(s *span) {
	s.older = c.open
	if s.older != nil {
		s.older.newer = s
	}
	c.open = s
}

func (c *class) removeOpen(s *span) {
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		c.open = s.older
	}
	if s.older != nil {
		s.older.newer = s.newer
	}
	s.older, s.newer = nil, nil
}

// turn is for an s, a slab of c, that had no free blocks before the last one was freed, or that has
// none in use now. It reports whether s is not needed any more: c does not have it then. c keeps
// one empty slab if r keeps such.
func (c *class) turn(r *root, s *span) (unused bool) {
	if s.retired {
		return false
	}
	if s.live == len(s.blocks)-1 {
		c.addOpen(s)
	}
	if s.live > 0 {
		return false
	}
	if c.empty > 0 || !r.keeps() {
		c.removeOpen(s)
		c.leaveClass(s)
		return true
	}
	c.empty++
	return false
}

// retire has no block of s handed out again.
func (c *class) retire(s *span) {
	if s.live < len(s.blocks) {
		c.removeOpen(s)
	}
	s.retired = true
}

// releaseEmpty puts the slabs with no block in use where all can have them.
func (r *root) releaseEmpty() {
	var list []*span
	for i := range r.shards {
		for j := range r.shards[i] {
			list = append(list, r.shards[i][j].removeEmpty()...)
		}
	}
	r.spans.putAll(list)
}

// removeEmpty takes the empty slabs out of c.
func (c *class) removeEmpty() (list []*span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spare = nil
	if c.empty == 0 {
		return nil
	}
	var next *span
	for s := c.open; s != nil; s = next {
		next = s.older
		if s.live == 0 {
			c.removeOpen(s)
			c.empty--
			c.leaveClass(s)
			list = append(list, s)
		}
	}
	return list
}
