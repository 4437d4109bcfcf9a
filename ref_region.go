package arena

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"sync/atomic"
	"weak"

	"github.com/arena-go/arena/internal/mem"
)

// refGranule is what references count in, in bytes.
const refGranule = 8

// firstBits is the number of bits of the references into the first chunk of a region.
const firstBits = 6

// nilRefs is the panic of making references on the heap.
const nilRefs = "arena: NewRef, RefMap.Set and everything else that makes a reference need an arena: a reference is a position in one, " +
	"and a nil *Arena is the heap; make one with NewArena"

var errFull = errors.New("references reach no further than 32 GiB, or less where memory comes only in small pieces; use a second arena")

// A refRegion is the memory of an arena in which everything lies that has a reference. A reference is a number of
// granules of 8 bytes. How many bits the number has tells the chunk. The chunk for k bits has room for 1<<(k-1)
// granules, so each chunk is as large as all chunks before it together. In a [Region] the numbers are offsets, and
// the chunks are parts of it.
//
// Invariants, in granules:
//
//	begin <= next <= limit; [begin, limit) is the current chunk, [begin, next) was handed out
//	[max(next, dirty), limit) is zero
//	where there is no Region: those before the current chunk are used up, and there are none after it
type refRegion struct {
	chunks [33]refChunk
	begin  uint32
	next   uint32
	limit  uint32
	dirty  uint32 // [begin, dirty) was used before the last Reset

	fixed  Region    // if the Memory is one
	from   *provider // the Memory
	told   bool      // it has a RegionUser, and so says by itself when it ends
	sealed error     // why nothing can be written any more, or nil
	ended  error     // why nothing can be read any more, or nil
	stores *stores   // of a fixed one
	at     pointer   // where a fixed one begins
	freed  atomic.Bool

	size   int64  // bytes of all chunks
	bytes  int64  // of slices and text, handed out since the last Reset
	need   uint32 // the most granules that a Reset found used since trimIdle
	text   counter
	last   *refRun // the RefSlab that NewRef used last
	lastID uintptr // its id, or 0
	check  refChecker
}

// A refChunk is where references with the same number of bits lie.
type refChunk struct {
	at   pointer
	size uint64 // bytes
	base uint32 // the reference to its start
}

// openRefs returns the refRegion of a, a new one if there is none.
func (a *Arena) openRefs() *refRegion {
	if a == nil {
		panic(nilRefs)
	}
	st := a.open()
	switch {
	case st.refs == nil:
		st.setRefs(new(refRegion))
	case st.refs != a.refs: // a copy from before there were references was written over a
		a.panicCopied("")
	}
	return st.refs
}

func (st *stores) setRefs(g *refRegion) {
	g.renewCheck()
	st.spent = true
	st.refs, st.arena.refs = g, g
}

// openRegion takes what there is in the Memory of the arena, if that is a Region.
func (st *stores) openRegion() {
	p, ok := st.provider.(*provider)
	if !ok {
		return
	}
	fixed, ok := p.memory.(Region)
	if !ok {
		return
	}
	g := &refRegion{fixed: fixed, from: p, stores: st}
	mem, err := fixed.Grow(0)
	if err != nil {
		panic(&MemoryError{st.name(), 0, err})
	}
	g.use(g.accept(mem, 0))
	g.begin, g.next = g.limit, g.limit
	st.placed(g.at, int(g.limit)*refGranule)
	st.setRefs(g)
	if r, ok := fixed.(teller); ok {
		g.told = true
		r.Attach(RegionUser{weak.Make(g)})
	}
}

// accept returns b, which the Region has returned for Grow(size), and panics if that breaks its contract.
func (g *refRegion) accept(b []byte, size int) []byte {
	switch at := mem.Address(b); {
	case len(b) < max(size, refGranule):
		panic(fmt.Sprintf("arena: Grow(%d) of a %T returned %d bytes; a Region returns what was asked for, or more, and at least the 8 bytes that are its own", size, g.fixed, len(b)))
	case at%refGranule != 0:
		panic(fmt.Sprintf("arena: Grow(%d) of a %T returned memory at %#x; a Region begins at a multiple of 8", size, g.fixed, at))
	case !g.at.isNil() && g.at != startOf(b):
		panic(fmt.Sprintf("arena: Grow(%d) of a %T returned memory at %#x, and not where it was before; a Region does not move", size, g.fixed, at))
	}
	for _, other := range g.from.blocks {
		if overlap(other, b) {
			panic(fmt.Sprintf("arena: Grow(%d) of a %T returned memory that its Alloc has returned as well", size, g.fixed))
		}
	}
	g.at = startOf(b)
	return b
}

// use makes mem that of a fixed region, and nothing else. A value may reach from one chunk into the next ones.
func (g *refRegion) use(mem []byte) {
	mem = mem[:min(uint64(len(mem))/refGranule, 1<<32-1)*refGranule]
	g.limit = uint32(len(mem) / refGranule)
	g.from.region = mem
	g.chunks = [33]refChunk{}
	for k := 1; k <= 32 && uint32(1)<<(k-1) < g.limit; k++ {
		part := mem[refGranule<<(k-1):]
		g.chunks[k] = refChunk{startOf(part), uint64(len(part)), 1 << (k - 1)}
	}
}

// alloc returns the reference to n zero granules. n is want, or less, down to need, and a multiple of need.
func (g *refRegion) alloc(st *stores, want, need uint32) (at, n uint32) {
	switch {
	case g.sealed != nil:
		panic(&MemoryError{st.name(), 0, g.sealed})
	case g.limit-g.next < need:
		g.more(st, need)
	case g.fixed != nil:
		g.resize(st, 0, 0) // it may have become read-only
	}
	n = min(want, g.limit-g.next)
	n -= n % need
	at = g.next
	if at < g.dirty {
		clear(g.mem(at, min(n, g.dirty-at)))
	}
	g.next += n
	if sanitizing {
		handOut(blockOf(g.mem(at, n)), 1)
	}
	return at, n
}

// more makes room for need granules behind next, or in another chunk.
func (g *refRegion) more(st *stores, need uint32) {
	st.check()
	if g.fixed != nil {
		g.grow(st, need)
		st.grown(nil, 0)
		return
	}
	k := max(bits.Len32(g.begin)+1, bits.Len32(need-1)+1, firstBits)
	if st.provider != nil {
		k = max(k, bits.Len32(minProvided/refGranule))
	}
	if k > 32 || checking && k > 31 {
		panic(&MemoryError{st.name(), int64(need) * refGranule, errFull})
	}
	base := uint32(1) << (k - 1)
	most := min(uint64(base), 1<<32-1-uint64(base), maxBytes/refGranule)
	if uint64(need) > most {
		panic(&MemoryError{st.name(), int64(need) * refGranule, errFull})
	}
	slots := st.reserve(refGranule, int(most), int(need))
	var mem []byte
	if from := st.giver(); from != nil {
		if st.guard != nil {
			st.guard.expect("what references are to")
			defer st.guard.forget()
		}
		mem, slots = st.take(from, refGranule, slots, int(need), reflect.TypeFor[byte]())
	}
	if mem == nil {
		mem = make([]byte, slots*refGranule)
	}
	c := refChunk{startOf(mem), uint64(len(mem)), base}
	hide(blockOf(mem), 1)
	g.chunks[k] = c
	g.size += int64(len(mem))
	st.placed(c.at, len(mem))
	g.begin, g.next, g.limit, g.dirty = base, base, base+uint32(slots), base
	st.grown(nil, 0)
}

// grow makes room for need granules behind next in a fixed region.
func (g *refRegion) grow(st *stores, need uint32) {
	const most = min(1<<32-1, maxBytes/refGranule) // with 32-bit addresses a region is at most as large as these
	least := uint64(g.next) + uint64(need)
	if least > most {
		panic(&MemoryError{st.name(), int64(need) * refGranule, errFull})
	}
	more := min(max(uint64(g.limit-g.begin), minProvided/refGranule), 4<<20/refGranule) // on top of limit
	want := max(min(uint64(g.limit)+more, most), least)
	fewest := int(least - uint64(g.limit))
	reserved := st.reserve(refGranule, int(want-uint64(g.limit)), fewest)
	before := g.limit
	defer func() { st.release(int64(reserved-int(g.limit-before)) * refGranule) }()
	g.use(g.resize(st, reserved, fewest))
	st.placed(g.at, int(g.limit)*refGranule)
	g.size += int64(g.limit-before) * refGranule
}

// resize asks the Region for slots behind limit, or for fewer, down to fewest. It returns all memory of the
// Region.
func (g *refRegion) resize(st *stores, slots, fewest int) []byte {
	for {
		size := (int(g.limit) + slots) * refGranule
		mem, err := g.fixed.Grow(size)
		switch {
		case err == nil:
			mem = g.accept(mem, size)[:size]
			if fresh := mem[int(g.limit)*refGranule:]; checking && len(bytes.Trim(fresh[:min(len(fresh), 64<<10)], "\x00")) != 0 {
				panic(fmt.Sprintf("arena: Grow(%d) of a %T returned memory that is not zero behind what was there before", size, g.fixed))
			}
			return mem
		case slots == fewest:
			panic(&MemoryError{st.name(), int64(slots) * refGranule, err})
		}
		slots = max(slots/2, fewest)
	}
}

// refSlots returns how many values of size > 0 bytes fit into the memory that a has for references.
func (a *Arena) refSlots(size int) uint64 {
	switch {
	case a == nil || a.refs == nil:
		return 0
	case a.refs.fixed != nil:
		return uint64(a.refs.limit) * refGranule / uint64(size)
	}
	return uint64(a.refs.size) / uint64(size)
}

// end returns the bytes from the first reference to the next one.
func (g *refRegion) end() int64 { return int64(g.next) * refGranule }

// used returns the bytes handed out since the last Reset, with padding; in a Region those before the next reference.
func (g *refRegion) used() int64 {
	if g.fixed != nil {
		return g.end()
	}
	bytes := int64(0)
	for _, c := range g.chunks {
		if c.base < g.next { // Those after the current one are none, or were used before the last Reset.
			bytes += min(int64(c.size), int64(g.next-c.base)*refGranule)
		}
	}
	return bytes
}

// isUsed tells whether anything was handed out since the last Reset.
func (g *refRegion) isUsed() bool { return g.next > g.begin }

func (g *refRegion) held() int64 { return g.size }

func (g *refRegion) count() int {
	n := 0
	for _, c := range g.chunks {
		if !c.at.isNil() {
			n++
		}
	}
	return n
}

// extents appends those of the chunks.
func (g *refRegion) extents(all []extent) []extent {
	if g.fixed != nil {
		return all // another owns it, and may still need it
	}
	for _, c := range g.chunks {
		if !c.at.isNil() {
			all = append(all, extent{c.at, int(c.size), reflect.TypeFor[byte]()})
		}
	}
	return all
}

// reset takes back all that was handed out, keeps the current chunk, which is as large as the
// others together, and returns the bytes that were in use.
func (g *refRegion) reset(st *stores) (bytes int64) {
	bytes = g.bytes
	if !g.isUsed() {
		return 0
	}
	g.need = max(g.need, g.next-g.begin)
	g.dirty = max(g.dirty, g.next)
	if g.fixed == nil {
		current := bits.Len32(g.begin)
		if !g.chunks[current-1].at.isNil() {
			g.need = g.limit - g.begin // and more
		}
		for k := range current {
			g.drop(st, k)
		}
		g.renumber(current)
	}
	g.next = g.begin
	g.bytes, g.text = 0, counter{}
	g.renewCheck()
	return bytes
}

// renewCheck forgets what references were made. In a Region nothing is known of what was there before.
func (g *refRegion) renewCheck() {
	before := uint32(0)
	if g.fixed != nil {
		before = g.begin
	}
	g.check.renew(before)
}

// renumber gives the chunk for references of k bits, which is the only one, the lowest numbers that it can have.
// Where memory was short it may be smaller than other chunks for that many bits, and the numbers must not run out.
func (g *refRegion) renumber(k int) {
	low := max(bits.Len32(g.limit-g.begin-1)+1, firstBits)
	if low >= k {
		return
	}
	c := g.chunks[k]
	g.chunks[k] = refChunk{}
	c.base = 1 << (low - 1)
	g.chunks[low] = c
	by := g.begin - c.base
	g.begin -= by
	g.limit -= by
	g.dirty -= by
}

// drop drops the chunk for references of k bits.
func (g *refRegion) drop(st *stores, k int) {
	c := g.chunks[k]
	if c.at.isNil() {
		return
	}
	g.chunks[k] = refChunk{}
	g.size -= int64(c.size)
	st.release(int64(c.size))
	if st.provider != nil {
		st.provider.free(c.at)
	}
}

// trim drops the chunk that Reset has kept, if excess bytes are to go, and it may.
func (g *refRegion) trim(st *stores, how trimming, excess int64) {
	idle := false
	if how == trimIdle {
		idle = g.need < (g.limit-g.begin)/4
		g.need = 0
	}
	if excess > 0 && !g.isUsed() && g.fixed == nil && (how != trimIdle || idle) && g.limit > 0 {
		k := bits.Len32(g.begin)
		g.begin, g.next, g.limit, g.dirty = 0, 0, 0, 0
		g.drop(st, k)
	}
}

// closeRefs makes all references bad, and returns the bytes that were in use. The caller gives the memory back.
func (st *stores) closeRefs() int64 {
	if st.refs == nil {
		return 0
	}
	bytes := st.refs.bytes
	st.refs.chunks = [33]refChunk{}
	st.refs.freed.Store(true)
	st.refs, st.arena.refs = nil, nil
	return bytes
}
