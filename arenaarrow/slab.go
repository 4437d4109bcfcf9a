package arenaarrow

import (
	"math/bits"
	"slices"
	"sync"
)

// Blocks up to maxSlabBlock bytes share slabs. Their sizes are four per power of two, in units of Options.Align bytes.
const (
	maxSlabBlock = 32 << 10
	slabClasses  = 8 + 6*4 // for units of 64 bytes
	maxShards    = 16
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
	open   []*span // those with free blocks, the last of which is used
	empty  int     // of the open ones, those with no block in use
	sample int     // bytes until the next stack is taken

	shard, number uint32   // which one it is
	spare         *holding // some that have no blocks
}

// A shard is a set of classes. There are several so that goroutines need not wait for one another.
type shard [slabClasses]class

// lockClass returns one of the classes with the given number, locked: that of the first shard, or of another that nobody else is using.
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

// allocSlab returns a block of a slab for a, and whether it may have other bytes than zeros. The error is errClosed if a is closed, and else
// that of the Memory.
func (r *root) allocSlab(a *Allocator, size int) (b []byte, dirty bool, err error) {
	number, blockSize := classOf(size, r.shift)
	c := r.lockClass(a.home, number)
	if len(c.open) == 0 {
		c.mu.Unlock()
		s, err := r.newSlab(c, blockSize)
		if err != nil {
			return nil, false, err
		}
		c.mu.Lock()
		c.empty++
		c.addOpen(s)
	}
	h := c.open[len(c.open)-1].holdingOf(a)
	if a.isClosed() {
		c.mu.Unlock()
		if !r.keeps() {
			r.spans.putAll(c.removeEmpty())
		}
		return nil, false, errClosed
	}
	b, dirty = r.takeBlock(c, h, size)
	c.mu.Unlock()
	return b, dirty, nil
}

// taken is what takeSmall has done.
type taken struct {
	dirty   bool // the block may have other bytes than zeros
	credit  bool // the whole block was counted already, as credit
	counted bool // what is to be counted is; it may be so without a block
	high    bool // is that of charge
}

// takeSmall returns a block of a slab for a, if there is one, and nobody to wait for. It counts as many bytes more, or, where it says so, uses
// credit for all of it. The lock also, if it is not nil, is taken, and is free afterwards if there is no block.
func (a *Allocator) takeSmall(size, more int, also *sync.Mutex) (b []byte, t taken) {
	number, _ := classOf(size, a.shift)
	c := &a.home[number]
	if !c.mu.TryLock() {
		if also != nil {
			also.Unlock()
		}
		return nil, t
	}
	last := len(c.open) - 1
	if last < 0 {
		return nil, t.none(&c.mu, also)
	}
	h := c.open[last].holdingOf(a)
	if h.use(size) {
		t.credit = true
	} else {
		t.counted = true
		var locked bool
		if t.high, locked = a.chargeLocked(more, &c.mu, also); !locked {
			return nil, t
		}
		if a.isClosed() {
			return nil, t.none(&c.mu, also)
		}
	}
	b, t.dirty = a.takeBlock(c, h, size)
	c.mu.Unlock()
	return b, t
}

// none frees the locks, and returns t.
func (t taken) none(mu, also *sync.Mutex) taken {
	mu.Unlock()
	if also != nil {
		also.Unlock()
	}
	return t
}

// holdingOf returns the holding of a for the next block of s, whose class is locked. The caller may take that block if a is not closed afterwards. A
// Close that comes later finds the block by the holding.
func (s *span) holdingOf(a *Allocator) *holding {
	if h := s.last; h != nil && h.owner == a {
		return h
	}
	return s.newHolding(a)
}

// takeBlock returns the next block of c, which is locked, for h, and whether it may have other bytes than zeros.
func (r *root) takeBlock(c *class, h *holding, size int) (b []byte, dirty bool) {
	s := h.span
	var i int
	if n := len(s.free); n > 0 {
		i, dirty = int(s.free[n-1]), true
		s.free = s.free[:n-1]
	} else {
		i, dirty = s.next, s.dirty
		s.next++
	}
	if s.live == 0 {
		c.empty--
	}
	s.live++
	if s.live == len(s.blocks) {
		c.removeOpen(s)
	}
	h.take()
	s.blocks[i] = block{holding: h, size: size}
	if c.sample -= size; c.sample < 0 && r.stackRate > 0 {
		c.sample = between(r.stackRate)
		r.remember(s, i)
	}
	return s.slice(i, size), dirty
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
	s.free, s.next, s.live, s.retired = s.free[:0], 0, 0, false
	if cap(s.blocks) < n {
		s.blocks = make([]block, n)
	}
	s.blocks = s.blocks[:n]
	s.class.Store(c) // From here on c.mu guards it.
	return s, nil
}

func (c *class) addOpen(s *span) {
	s.place = len(c.open)
	c.open = append(c.open, s)
}

func (c *class) removeOpen(s *span) {
	last := c.open[len(c.open)-1]
	c.open[s.place], last.place = last, s.place
	c.open[len(c.open)-1] = nil
	c.open = c.open[:len(c.open)-1]
}

// release has b, which is block i of s, a slab of c, handed out again. It tells whether s is empty and not needed any more: c does not have it then.
// c keeps one empty slab if r keeps such.
func (c *class) release(r *root, s *span, b *block, i int) (unused bool) {
	c.drop(b)
	s.live--
	if s.retired {
		return false
	}
	if s.live == len(s.blocks)-1 {
		c.addOpen(s)
	}
	s.free = append(s.free, uint16(i))
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
	for i := range r.shards {
		for j := range r.shards[i] {
			r.spans.putAll(r.shards[i][j].removeEmpty())
		}
	}
}

// removeEmpty takes the empty slabs out of c.
func (c *class) removeEmpty() (list []*span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spare = nil
	if c.empty == 0 {
		return nil
	}
	for _, s := range slices.Clone(c.open) {
		if s.live == 0 {
			c.removeOpen(s)
			c.empty--
			c.leaveClass(s)
			list = append(list, s)
		}
	}
	return list
}
