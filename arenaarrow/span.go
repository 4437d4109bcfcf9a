package arenaarrow

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/arena-go/arena"
)

// A span is a run of pages that is one large block, or a slab of blocks of one size.
type span struct {
	memory []byte  // all that was asked for; nil once it is left to the collector
	base   uintptr // where the pages begin
	offset int     // of base in memory
	size   int     // bytes from there on, a multiple of pageSize
	dirty  bool    // it may have other bytes than zeros

	older, newer *span // in class.open, if there are free blocks, or in the cache
	place        int   // in the cache, among the spans of its size

	// What follows is set each time it is taken into use.
	blockSize int
	inverse   uint64 // 2^32/blockSize, rounded up: i/blockSize is i*inverse/2^32 for what is a multiple of it; 0 for one block
	blocks    []block
	one       [1]block              // blocks, if there is one
	own       holding               // of that block
	class     atomic.Pointer[class] // of a slab; nil for one block

	// Of a slab, guarded by class.mu.
	free    int      // the first of the blocks that were in use and are not, of which each says what the next one is; noBlock behind the last
	next    int      // blocks from here on were never in use since this is a slab
	live    int      // blocks in use
	retired bool     // no block of it is handed out again
	last    *holding // of the block that was handed out last; its live may be 0
}

const noBlock = -1

// A block describes memory that was handed out. The lock of its class guards it, or the lock of
// spans.
type block struct {
	holding *holding // whose it is, or was last
	cut     int      // bytes at its end that Reallocate has taken off, and that it still has; of one that is not in use, what span.free says
	size    int      // in bytes, the capacity of the slice that it was given out as, and stacked; 0 for one that is not in use
}

// owner returns whose a block is that is in use.
func (b *block) owner() *Allocator { return b.holding.list.owner }

// inUse returns how many bytes of b are in use.
func (b *block) inUse() int { return b.bytes() - b.cut }

// setCut notes that Reallocate has cut off this number of bytes.
func (b *block) setCut(cut int) {
	b.holding.list.cut += cut - b.cut
	b.cut = cut
}

// stacked is added to the size of a block whose stack is known.
const stacked = math.MinInt

func (b *block) bytes() int { return b.size &^ stacked }

func (s *span) pages() int { return s.size >> pageShift }

// slice returns the memory of block i, of which there are size bytes.
func (s *span) slice(i, size int) []byte {
	at := s.offset + i*s.blockSize
	return s.memory[at : at+size : at+size]
}

// index returns the number of the block that begins at address, or -1 if none can begin there.
// There may be fewer blocks than that.
func (s *span) index(address uintptr) int {
	offset := address - s.base
	i := int(uint64(offset) * s.inverse >> 32)
	if uintptr(i*s.blockSize) != offset {
		return -1
	}
	return i
}

// spans are where spans come from: a cache of freed spans, and behind it a Memory.
type spans struct {
	table  *table
	memory arena.Memory
	heap   bool // the memory belongs to the collector

	reclaim func() // has all put here that is not in use

	mu     sync.Mutex
	cached map[int][]*span // by size, those that were put back last at the end, about
	oldest *span           // of those in the cache, which are a list
	newest *span
	bytes  int // of those
	live   int // bytes of spans in use
	peak   int // the most of it, which decays

	decayed time.Time // last
	most    int64     // Options.Retain, 0 for twice what there was at the peak
}

// spanSlack is how many bytes more than there were at the peak are kept.
const spanSlack = 1 << 20

// spanSize returns size rounded up to one of eight sizes per power of two.
func spanSize(size int) int {
	step := max(pageSize, 1<<max(bits.Len(uint(size-1))-4, 0))
	return (size + step - 1) &^ (step - 1)
}

// get returns a span of at least size bytes, or an error if there is no memory.
func (p *spans) get(size int) (*span, error) {
	if size > maxBlock {
		return nil, errSize
	}
	size = spanSize(size)
	p.mu.Lock()
	s := p.cachedSpan(size)
	if s == nil {
		p.mu.Unlock()
		var err error
		s, err = p.fresh(size)
		if err != nil {
			err = p.freed(func() {
				p.reclaim()
				p.flush(false)
			})
			if err != nil {
				return nil, err
			}
			s, err = p.fresh(size)
		}
		if err != nil {
			return nil, err
		}
		p.table.add(s)
		p.mu.Lock()
	}
	p.live += s.size
	p.peak = max(p.peak, p.live)
	drop := p.trim()
	p.mu.Unlock()
	if err := p.freed(func() { p.drop(drop) }); err != nil {
		p.mu.Lock()
		p.live -= s.size
		p.cache(s)
		p.mu.Unlock()
		return nil, err
	}
	return s, nil
}

// cachedSpan returns a span of size bytes or up to a quarter more from the cache, or nil.
func (p *spans) cachedSpan(size int) *span {
	for try, most := size, size+size/4; size <= try && try <= most; try = spanSize(try + 1) { // Sums may overflow on 32 bits.
		if list := p.cached[try]; len(list) > 0 {
			s := list[len(list)-1]
			p.uncache(s)
			return s
		}
	}
	return nil
}

// cache adds s to the cache.
func (p *spans) cache(s *span) {
	if p.cached == nil {
		p.cached = map[int][]*span{}
	}
	s.place = len(p.cached[s.size])
	p.cached[s.size] = append(p.cached[s.size], s)
	p.bytes += s.size
	s.older, s.newer = p.newest, nil
	if p.newest != nil {
		p.newest.newer = s
	} else {
		p.oldest = s
	}
	p.newest = s
}

// uncache takes s out of the cache.
func (p *spans) uncache(s *span) {
	list := p.cached[s.size]
	last := list[len(list)-1]
	list[s.place], last.place = last, s.place
	list[len(list)-1] = nil
	p.cached[s.size] = list[:len(list)-1]
	p.bytes -= s.size
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		p.oldest = s.newer
	}
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		p.newest = s.older
	}
	s.older, s.newer = nil, nil
}

// maxBlock is more than any Memory has, and so little that what is computed from it does not
// overflow.
const maxBlock = min(1<<addressBits, math.MaxInt-math.MaxInt/8)

var errSize = errors.New("more than there are addresses")

// alloc returns size bytes of p.memory. That it panics, as the collector's does for a size beyond
// what can be, is an error.
func (p *spans) alloc(size int) (b []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("Alloc of a %T panics: %v", p.memory, v)
		}
	}()
	if b, err = p.memory.Alloc(size); err == nil && len(b) != size {
		err = fmt.Errorf("Alloc(%d) of a %T returned %d bytes", size, p.memory, len(b))
	}
	return b, err
}

// freed calls f, which gives memory back. That p.memory panics is an error, as in alloc.
func (p *spans) freed(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("Free of a %T panics: %v", p.memory, v)
		}
	}()
	f()
	return nil
}

// fresh returns a new span, which is not in the table yet.
func (p *spans) fresh(size int) (*span, error) {
	memory, err := p.alloc(size)
	if err == nil && address(memory)%pageSize != 0 {
		p.memory.Free(memory)
		memory, err = p.alloc(size + pageSize)
	}
	if err != nil {
		return nil, err
	}
	s := &span{memory: memory, size: size}
	s.offset = int(-address(memory) % pageSize)
	s.base = address(memory) + uintptr(s.offset)
	if uint64(s.base)+uint64(size) > 1<<addressBits {
		p.memory.Free(memory)
		return nil, fmt.Errorf("memory at %#x is beyond %d bits of address", s.base, addressBits)
	}
	return s, nil
}

// put stores a span, no block of which is in use.
func (p *spans) put(s *span) {
	s.dirty = true
	p.mu.Lock()
	clear(s.blocks) // They refer to holdings.
	s.blocks = s.blocks[:0]
	p.live -= s.size
	p.cache(s)
	drop := p.trim()
	p.mu.Unlock()
	p.drop(drop)
}

func (p *spans) putAll(list []*span) { each(list, p.put) }

// each calls f with all of list, also when f panics, as it does when a Memory panics.
func each(list []*span, f func(*span)) {
	defer func() {
		if len(list) > 0 {
			each(list, f)
		}
	}()
	for len(list) > 0 {
		next := list[0]
		list = list[1:]
		f(next)
	}
}

// trim takes out of the cache what is too much, those that were put there first.
func (p *spans) trim() (drop []*span) {
	most := p.most
	if most == 0 {
		// Buffers that double need that much: what is given up for want of room is asked for again,
		// and is garbage meanwhile.
		most = 2*int64(p.peak) + spanSlack - int64(p.live)
	}
	for p.oldest != nil && int64(p.bytes) > most {
		drop = append(drop, p.oldest)
		p.uncache(p.oldest)
	}
	return drop
}

// drop gives spans that are in use no more back to where they came from.
func (p *spans) drop(list []*span) {
	each(list, func(s *span) {
		p.table.remove(s)
		p.memory.Free(s.memory)
	})
}

// flush empties the cache. forever means that nothing is kept there later either.
func (p *spans) flush(forever bool) {
	p.mu.Lock()
	most := p.most
	p.most = -1
	drop := p.trim()
	if !forever {
		p.most = most
	}
	p.mu.Unlock()
	p.drop(drop)
}

// leave, with spans.mu taken, leaves s, of the heap, to the collector, since it has blocks in use
// that may never be freed: their slices are what keeps it. When it is gone, so are its entries in
// the table, and its blocks.
func (r *root) leave(s *span) {
	r.spans.live -= s.size
	first := &s.memory[0]
	s.memory = nil
	runtime.AddCleanup(first, r.collected, s)
}

// collected frees the blocks of s that are in use, and that the collector has taken: orphans, and
// what others with blocks in the same slab have forgotten and not been closed since.
func (r *root) collected(s *span) {
	c := s.class.Load()
	r.guard(c).Lock()
	defer r.guard(c).Unlock()
	for i := range s.blocks {
		if s.blocks[i].size == 0 {
			continue
		}
		b := s.blocks[i]
		stack := r.stackOf(s, i)
		if at := s.base + uintptr(i*s.blockSize); stack != nil && r.table.at(at) == s {
			r.forget(s, i)
		}
		owner := s.drop(c, i)
		owner.sub(b.bytes())
		if owner != &r.orphans {
			owner.addForgotten(b.inUse(), stack)
		}
	}
	r.table.remove(s)
}

// decay lets the peak sink a quarter of the way down to what is in use now, and gives up what is
// cached beyond it. It does nothing if it did that within so much time.
func (p *spans) decay(pause time.Duration) {
	p.mu.Lock()
	now := time.Now()
	if now.Sub(p.decayed) < pause {
		p.mu.Unlock()
		return
	}
	p.decayed = now
	p.peak -= (p.peak - p.live + 3) / 4
	drop := p.trim()
	p.mu.Unlock()
	p.drop(drop)
}

// decayAfterCycle has decay called after each cycle of the collector, as long as there is the root
// that w points at.
func decayAfterCycle(w weak.Pointer[root]) {
	runtime.AddCleanup(new(*int), func(w weak.Pointer[root]) {
		if r := w.Value(); r != nil {
			r.sweeping.Lock()
			r.releaseEmpty()
			r.spans.decay(0)
			r.allowCredit()
			r.sweeping.Unlock()
			decayAfterCycle(w)
		}
	}, w)
}

// heap is the Memory of the collector.
type heap struct{}

func (heap) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (heap) Free([]byte)                    {}
