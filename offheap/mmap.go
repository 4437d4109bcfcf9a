package offheap

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/arena-go/arena/internal/vm"
)

// HugePages are the kinds of pages that a [Mmap] may use.
type HugePages int

const (
	// DefaultPages are the system's default.
	DefaultPages HugePages = iota
	// TransparentHugePages asks the system for huge pages, of 2 MiB usually. If it has any, it
	// provides them for chunks of at least their size, and does not report it. Stats.Fallbacks
	// counts the blocks for which it is known in advance that there will be none.
	TransparentHugePages
	// ExplicitHugePages allocates blocks of at least the size of a huge page from the pool of huge
	// pages that an administrator has set up (on Linux /proc/sys/vm/nr_hugepages). Such a block is
	// rounded up to whole huge pages. Smaller blocks get TransparentHugePages. If the pool is
	// empty, all blocks do, and Stats.Fallbacks counts them.
	ExplicitHugePages
)

// A Mmap provides memory from the system. Free gives it back at once, and makes the addresses
// inaccessible: a use after Free is a fault. The addresses wait in a quarantine. Then later blocks
// of the same Mmap get them, and nobody else does until Close.
//
// The zero value is ready to use. The fields are options: set them before the first use. A Mmap
// must not be copied. Several goroutines may call all methods at the same time.
//
// A block costs at least a page, and its Alloc and Free some system calls each. Linux allows a
// process 65,530 ranges of pages that differ from their neighbours: a block in use and its
// quarantined neighbour are two of them. If there are too many, Alloc fails. Free still gives the
// memory back, but the pages may stay accessible (Stats.Accessible) until there is room again.
type Mmap struct {
	// HugePages asks for larger pages.
	HugePages HugePages

	// Lock keeps blocks in memory: they are there when Alloc returns, and never swapped. Alloc
	// fails if the limit of the process (RLIMIT_MEMLOCK) is reached.
	Lock bool

	// Node is the number of the preferred NUMA node, as in new(1). nil means no preference.
	Node *int

	// Quarantine is the maximum number of freed bytes whose addresses wait before they are reused.
	// 0 means 1 GiB, or 64 MiB with 32-bit addresses. A negative value means no quarantine: Free
	// still makes the addresses inaccessible, but the next Alloc may get them. The system's page
	// tables for the quarantine cost 1/512 of it, and each block in it about 80 bytes. It is
	// emptied if the system has no other addresses.
	Quarantine int64

	mu          sync.Mutex
	closed      bool
	extents     []extent
	pieces      pieces
	blocks      map[uintptr]int32 // Pieces in use, by address.
	first, last int32             // The quarantine; first is the oldest.
	stats       MmapStats
}

// An extent is a range of addresses from the system: raw is the whole range, and mem the used part,
// aligned to huge pages if there may be any.
type extent struct{ raw, mem []byte }

// MmapStats are the statistics of a [Mmap]. Sizes are bytes.
type MmapStats struct {
	Reserved    int64 // Addresses.
	InUse       int64 // Blocks that were not freed: whole pages. What is never written to costs no memory all the same.
	Blocks      int   // Their number.
	Quarantined int64 // Addresses of blocks that were freed and are not used again yet.
	Accessible  int64 // The part of Quarantined that the system refused to make inaccessible; it has its memory back.
	Locked      int64 // The part of InUse that is locked.

	HugeAsked int64 // The part of InUse that is in blocks that ask for huge pages and are large enough for one.
	HugePool  int64 // The part of HugeAsked that has them from the pool. Of the rest the system does not tell.

	Fallbacks    int64 // How often Alloc asked the system for huge pages in vain and went on without, since the beginning.
	LockFailures int64 // How often Alloc failed because of Lock, since the beginning.
}

const (
	// extentSize is the minimum number of bytes of addresses that are reserved at a time.
	extentSize = 4 << 20 << (4 * is64bit)

	defaultQuarantine = 64 << 20 << (4 * is64bit)
)

var (
	errClosed = errors.New("it was closed")
	errSize   = errors.New("the size must be positive")
	errLarge  = errors.New("no system has that much")
	errPages  = fmt.Errorf("huge pages: not on this system: %w", errors.ErrUnsupported)
)

// Alloc returns size zero bytes, at the start of a page. They are outside the Go heap: the
// collector does not look for pointers in them. The caller owns them until Free. If Alloc fails, it
// changes nothing.
func (m *Mmap) Alloc(size int) ([]byte, error) {
	b, err := m.alloc(size)
	if err != nil {
		return nil, fmt.Errorf("offheap: Mmap.Alloc of %d bytes: %w", size, err)
	}
	return b, nil
}

// Free gives the memory of b back to the system. b must be a slice that Alloc returned. A use of b
// afterwards is a fault as long as its addresses are in quarantine. Later it may see or spoil the
// values of another block of m, but never anything else. Free panics if b is not a block of m that
// is in use.
func (m *Mmap) Free(b []byte) {
	m.mu.Lock()
	i, ok := m.blocks[vm.Addr(b)]
	if !ok || m.pieces.all[i].asked != len(b) {
		m.mu.Unlock()
		panic(badFree("Mmap", b))
	}
	delete(m.blocks, vm.Addr(b))
	p := m.pieces.all[i]
	mem := m.mem(&p)
	m.mu.Unlock()

	err := decommit(mem, p.huge, p.locked) // The piece belongs to nobody here: it is neither free nor in m.blocks.

	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(&p, -1)
	m.pend(i, err != nil)
}

// badFree is the text of a panic.
func badFree(provider string, b []byte) string {
	return fmt.Sprintf("offheap: %s.Free of %d bytes at %#x, which is no block in use: "+
		"it was freed before, or it is a part of a block, or of another provider; give Free what Alloc returned, once", provider, len(b), vm.Addr(b))
}

// Stats returns the statistics of m.
func (m *Mmap) Stats() MmapStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// Close gives all addresses back to the system. Nothing of m may be used afterwards: the addresses
// may belong to anybody then, and a stale pointer is as dangerous as in C. If blocks are in use,
// Close returns an error and does nothing else. A second Close does nothing.
func (m *Mmap) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.stats.Blocks; n > 0 {
		return busy("Mmap", n, m.stats.InUse)
	}
	m.closed = true
	m.pieces, m.first, m.last = pieces{}, 0, 0
	var kept []extent
	var failures []error
	m.stats = MmapStats{Fallbacks: m.stats.Fallbacks, LockFailures: m.stats.LockFailures}
	for _, e := range m.extents {
		if err := vm.Release(e.raw); err != nil {
			failures = append(failures, fmt.Errorf("offheap: Mmap.Close: %w", err))
			kept = append(kept, e)
			m.stats.Reserved += int64(len(e.raw))
		}
	}
	m.extents = kept
	return errors.Join(failures...)
}

func busy(provider string, blocks int, bytes int64) error {
	return fmt.Errorf("offheap: %s.Close: %d blocks with %d bytes are in use; Free the arenas first", provider, blocks, bytes)
}

func (m *Mmap) alloc(asked int) ([]byte, error) {
	size, align, err := m.round(asked)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	i, err := m.take(size, align)
	if err != nil {
		m.mu.Unlock()
		return nil, err
	}
	p := m.pieces.all[i]
	b := m.mem(&p)
	m.mu.Unlock()

	// The piece belongs to nobody here: it is neither free nor in m.blocks.
	fallbacks, err := m.commit(b, &p)
	lockFailed := false
	if err == nil && m.Lock {
		if err = vm.Lock(b); err != nil {
			err = fmt.Errorf("%w (the limit is RLIMIT_MEMLOCK, ulimit -l)", err)
			lockFailed = true
		}
		p.locked = true // Some of it is, at least.
	}
	open := err != nil && decommit(b, p.huge, p.locked) != nil

	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Fallbacks += fallbacks
	q := &m.pieces.all[i]
	q.huge, q.locked = p.huge, p.locked
	if err != nil {
		if lockFailed {
			m.stats.LockFailures++
		}
		m.pend(i, open)
		return nil, err
	}
	q.asked = asked
	m.count(q, 1)
	if m.blocks == nil {
		m.blocks = map[uintptr]int32{}
	}
	m.blocks[vm.Addr(b)] = i
	return b[:asked:asked], nil
}

// round returns the size and the alignment of a block.
func (m *Mmap) round(asked int) (size, align int, err error) {
	page, huge := vm.PageSize(), vm.HugePageSize()
	switch {
	case asked <= 0:
		return 0, 0, errSize
	case asked > maxBlock:
		return 0, 0, errLarge
	case m.HugePages != DefaultPages && huge == 0:
		return 0, 0, errPages
	}
	size, align = roundUp(asked, page), page
	if m.asksHuge(size) {
		align = huge
		if m.HugePages == ExplicitHugePages {
			size = roundUp(size, huge)
		}
	}
	if size == 0 {
		return 0, 0, errLarge
	}
	return size, align, nil
}

// take returns a piece that counts as in use, with addresses of an existing or a new extent.
func (m *Mmap) take(size, align int) (int32, error) {
	if m.closed {
		return 0, errClosed
	}
	i := m.pieces.take(size, align)
	if i == 0 {
		err := m.extend(size)
		if err != nil {
			m.trim(0) // What is in quarantine has to do.
		}
		if i = m.pieces.take(size, align); i == 0 {
			return 0, cmp.Or(err, errLarge) // 0 is no piece, whatever extend has made of it.
		}
	}
	m.stats.Blocks++
	m.stats.InUse += int64(size)
	return i, nil
}

// extend reserves an extent with room for size bytes, a power of two if the system has that: then
// large blocks of similar sizes can reuse each other's addresses.
func (m *Mmap) extend(size int) error {
	align := vm.PageSize()
	slack := 0
	if m.HugePages != DefaultPages {
		align = vm.HugePageSize()
		slack = align
	}
	size = roundUp(size, align)
	least := size + slack
	if size == 0 || least < size {
		return errLarge
	}
	raw, err := []byte(nil), errLarge
	if want := max(extentSize, powerOfTwo(size)) + slack; want > least {
		raw, err = vm.Reserve(want)
	}
	if err != nil {
		raw, err = vm.Reserve(least)
	}
	if err != nil {
		return err
	}
	mem := raw[-vm.Addr(raw)&uintptr(align-1):]
	mem = mem[:len(mem)&^(align-1)]
	m.pieces.align = vm.HugePageSize()
	m.pieces.add(int32(len(m.extents)), len(mem))
	m.extents = append(m.extents, extent{raw, mem})
	m.stats.Reserved += int64(len(raw))
	return nil
}

// mem returns the memory of a piece. Existing extents do not change while a piece is in use.
func (m *Mmap) mem(p *piece) []byte {
	return m.extents[p.extent].mem[p.offset : p.offset+p.size]
}

// commit makes b accessible, with the pages that the options ask for, and notes in p whether they
// come from the pool. It returns the number of requests that the system did not fulfil.
func (m *Mmap) commit(b []byte, p *piece) (fallbacks int64, err error) {
	if m.asksHuge(len(b)) {
		if m.HugePages == ExplicitHugePages {
			p.huge = vm.CommitHuge(b) == nil
		}
		if !p.huge {
			if m.HugePages == ExplicitHugePages {
				fallbacks++
			}
			if vm.AdviseHuge(b) != nil {
				fallbacks++
			}
		}
	}
	if m.Node != nil {
		if err := vm.Prefer(b, *m.Node); err != nil {
			return fallbacks, err
		}
	}
	if p.huge {
		return fallbacks, nil
	}
	return fallbacks, vm.Commit(b)
}

func (m *Mmap) asksHuge(size int) bool {
	return m.HugePages != DefaultPages && size >= vm.HugePageSize()
}

// decommit undoes commit and Lock. It may be tried again if it fails.
func decommit(b []byte, huge, locked bool) error {
	if huge {
		return vm.DecommitHuge(b) // It replaces what is locked.
	}
	if locked {
		if err := vm.Unlock(b); err != nil {
			return err
		}
	}
	return vm.Decommit(b)
}

// count adds a block to the Stats, or subtracts it, except the numbers that take and pend count.
func (m *Mmap) count(p *piece, sign int64) {
	size := sign * int64(p.size)
	if p.locked {
		m.stats.Locked += size
	}
	if p.huge {
		m.stats.HugePool += size
	}
	if m.asksHuge(p.size) {
		m.stats.HugeAsked += size
	}
}

// pend puts a piece into the quarantine. It is open if its pages are still accessible.
func (m *Mmap) pend(i int32, open bool) {
	p := &m.pieces.all[i]
	m.stats.Blocks--
	m.stats.InUse -= int64(p.size)
	m.stats.Quarantined += int64(p.size)
	if open {
		m.stats.Accessible += int64(p.size)
	}
	p.state, p.open, p.asked = quarantined, open, 0
	m.enqueue(i)
	bound := m.Quarantine
	if bound == 0 {
		bound = defaultQuarantine
	}
	m.trim(max(bound, 0))
}

// trim makes the oldest pieces in quarantine free until at most bound bytes are in it. Only
// inaccessible pieces, which are zero when they are committed, become free. trim tries an open
// piece again, and leaves it in quarantine if that fails.
func (m *Mmap) trim(bound int64) {
	for tries := m.stats.Accessible; m.first != 0 && m.stats.Quarantined > bound; {
		i := m.dequeue()
		p := &m.pieces.all[i]
		size := int64(p.size)
		if p.open {
			if decommit(m.mem(p), p.huge, p.locked) != nil {
				m.enqueue(i)
				if tries -= size; tries <= 0 {
					return // All of them were tried.
				}
				continue
			}
			m.stats.Accessible -= size
		}
		m.stats.Quarantined -= size
		m.pieces.release(i)
	}
}

func (m *Mmap) enqueue(i int32) {
	m.pieces.all[i].next = 0
	if m.last != 0 {
		m.pieces.all[m.last].next = i
	} else {
		m.first = i
	}
	m.last = i
}

func (m *Mmap) dequeue() int32 {
	i := m.first
	m.first = m.pieces.all[i].next
	if m.first == 0 {
		m.last = 0
	}
	return i
}
