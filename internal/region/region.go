// Package region is the memory in which values lie that have references. A reference is a number of
// four bytes, and a function of this package is all that makes a pointer of one. Packages arena and
// ref build on it: the stores of an arena give a region its memory, and package ref has the types
// that programs see.
package region

import (
	"errors"
	"math/bits"
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/tools"
)

// A Space is the region of one user of an arena. The zero Space leads nowhere, and has no memory.
// It has neither exported methods nor exported fields: who cannot import this package can hold a
// Space, and do nothing with it.
type Space struct{ g *region }

// Granule is what references count in, in bytes.
const Granule = 8

// firstBits is the number of bits of the references into the first chunk of a region.
const firstBits = 6

// MaxBytes bounds a single allocation: what an address can reach.
const MaxBytes = 1<<(31+16*(^uint(0)>>63)) - 1

// leastStep is the fewest bytes that a region of a Fixed grows by.
const leastStep = 4 << 10

// ErrFull is why there are no more references.
var ErrFull = errors.New("references reach no further than 32 GiB, or less where memory comes only in small pieces; use a second arena")

// Stores give a region its memory, and count that. The stores of an arena are the only ones.
type Stores interface {
	// Check panics unless the arena is open.
	Check()
	// Enter says that a goroutine is inside the arena until it calls the result. It is for programs
	// with the tag arenadebug.
	Enter() (leave func())
	// Failed returns the error of an allocation of size bytes. With 0 it is the error of a write to
	// an existing value.
	Failed(size int64, why error) error
	// Least returns the fewest bytes that are worth asking for.
	Least() int
	// Take returns memory for want granules, or for fewer, down to need, which is zero. It panics
	// if there is not as much, or if the limit of the arena forbids it.
	Take(want, need int) []byte
	// Release frees a result of Take.
	Release(b []byte)
	// Reserve counts want granules that come from a Fixed, or fewer, down to need, as the limit of
	// the arena allows. It panics when it does not allow those.
	Reserve(want, need int) int
	// Unreserve subtracts bytes that Reserve has counted.
	Unreserve(bytes int64)
	// Claim notes that b is all memory of the Fixed, and reports whether none of it is in use for
	// something else.
	Claim(b []byte) bool
	// Grown is called when there is more memory.
	Grown()
	// HandOut makes b good for the address sanitizer.
	HandOut(b []byte)
	// RefsOnly makes all other allocations fail.
	RefsOnly(why error)
}

// A region is the memory of an arena in which everything lies that has a reference. A reference is
// a number of granules of 8 bytes. How many bits the number has tells the chunk. The chunk for k
// bits has room for 1<<(k-1) granules, so each chunk is as large as all chunks before it together.
// In a [Fixed] the numbers are offsets, and the chunks are parts of it.
//
// Invariants, in granules:
//
//	begin <= next <= limit; [begin, limit) is the current chunk, [begin, next) was handed out
//	[max(next, dirty), limit) is zero
//	without a Fixed: the chunks before the current one are used up, and there are none after it
//	active has those runs that were used since the last Reset, and others
type region struct {
	chunks [33]chunk
	begin  uint32
	next   uint32
	limit  uint32
	dirty  uint32 // [begin, dirty) was used before the last Reset

	fixed  Fixed  // if the memory belongs to one
	told   bool   // it has a User, and so says by itself when it ends
	whole  []byte // all memory of the fixed
	sealed error  // why nothing can be written any more, or nil
	ended  error  // why nothing can be read any more, or nil
	stores Stores // nil when the Space is nobody's any more
	freed  atomic.Bool

	size   int64  // bytes of all chunks
	bytes  int64  // of slices and text, handed out since the last Reset
	need   uint32 // the most granules that a Reset found used since Release was last called for idle ones
	text   Text
	last   *Run // that New used last
	lastID uintptr
	runs   map[uintptr]*Run // by mem.TypeID
	active []*Run
	given  given
	check  checker
}

// A chunk is where references with the same number of bits lie.
type chunk struct {
	at   pointer
	size uint64 // bytes
	base uint32 // the reference to its start
}

// Text is what there is of text.
type Text struct{ Count, Bytes int64 }

// New returns an empty Space.
func New(st Stores) Space {
	g := &region{stores: st}
	g.renewCheck()
	return Space{g}
}

// alloc returns the reference to n zero granules. n is want, or less, down to need, and a multiple
// of need.
func (g *region) alloc(want, need uint32) (at, n uint32) {
	switch {
	case g.sealed != nil:
		g.cannotWrite()
	case g.limit-g.next < need:
		g.more(need)
	case g.fixed != nil:
		g.resize(0, 0) // it may have become read-only
	}
	n = min(want, g.limit-g.next)
	n -= n % need
	at = g.next
	if at < g.dirty {
		clear(g.granules(at, min(n, g.dirty-at)))
	}
	g.next += n
	if tools.Sanitizing {
		g.stores.HandOut(g.granules(at, n))
	}
	return at, n
}

// more makes room for need granules behind next, or in another chunk.
func (g *region) more(need uint32) {
	g.stores.Check()
	if g.fixed != nil {
		g.grow(need)
		g.stores.Grown()
		return
	}
	k := max(bits.Len32(g.begin)+1, bits.Len32(need-1)+1, firstBits, bits.Len32(uint32(g.stores.Least()/Granule)))
	if k > 32 || tools.Checking && k > 31 {
		g.fail(int64(need)*Granule, ErrFull)
	}
	base := uint32(1) << (k - 1)
	most := min(uint64(base), 1<<32-1-uint64(base), MaxBytes/Granule)
	if uint64(need) > most {
		g.fail(int64(need)*Granule, ErrFull)
	}
	b := g.stores.Take(int(most), int(need))
	g.chunks[k] = chunk{startOf(b), uint64(len(b)), base}
	g.size += int64(len(b))
	g.begin, g.next, g.limit, g.dirty = base, base, base+uint32(len(b)/Granule), base
	g.stores.Grown()
}

// fail panics with the error of an allocation of size bytes.
func (g *region) fail(size int64, why error) { panic(g.stores.Failed(size, why)) }

// end returns the bytes from the first reference to the next one.
func (g *region) end() int64 { return int64(g.next) * Granule }

// isUsed reports whether anything was handed out since the last Reset.
func (g *region) isUsed() bool { return g.next > g.begin }

// reset forgets what was handed out, and returns the bytes of it.
func (g *region) reset() (bytes int64) {
	bytes = g.inUse()
	active := g.active[:0]
	for _, r := range g.active {
		if r.reset() {
			active = append(active, r)
		}
	}
	clear(g.active[len(active):])
	g.active = active
	g.bytes, g.text, g.given = 0, Text{}, nil
	g.renewCheck()
	return bytes
}

// inUse returns the bytes handed out since the last Reset.
func (g *region) inUse() int64 {
	n := g.bytes
	for _, r := range g.active {
		n += int64(r.count()) * int64(r.slot)
	}
	return n
}

// renewCheck forgets what references were made. In a Fixed nothing is known of what was there
// before.
func (g *region) renewCheck() {
	before := uint32(0)
	if g.fixed != nil {
		before = g.begin
	}
	g.check.renew(before)
}

// renumber gives the chunk for references of k bits, which is the only one, the lowest numbers that
// it can have. If memory was short it may be smaller than other chunks for that many bits, and the
// numbers must not run out.
func (g *region) renumber(k int) {
	low := max(bits.Len32(g.limit-g.begin-1)+1, firstBits)
	if low >= k {
		return
	}
	c := g.chunks[k]
	g.chunks[k] = chunk{}
	c.base = 1 << (low - 1)
	g.chunks[low] = c
	by := g.begin - c.base
	g.begin -= by
	g.limit -= by
	g.dirty -= by
}

// release releases the chunk for references of k bits.
func (g *region) release(k int) {
	if c := g.chunks[k]; !c.at.isNil() {
		g.chunks[k] = chunk{}
		g.drop(c)
	}
}

// drop releases a chunk that is off the list.
func (g *region) drop(c chunk) {
	g.size -= int64(c.size)
	g.stores.Release(c.bytes())
}

// What follows is for the stores of an arena. With the zero Space it does nothing.

// Reset frees all values, keeps the current chunk, which is as large as the others together, and
// returns the number of bytes that were in use.
func Reset(s Space) (bytes int64) {
	g := s.g
	if g == nil || !g.isUsed() {
		return 0
	}
	g.need = max(g.need, g.next-g.begin)
	g.dirty = max(g.dirty, g.next)
	var gone []chunk
	if g.fixed == nil {
		current := bits.Len32(g.begin)
		if !g.chunks[current-1].at.isNil() {
			g.need = g.limit - g.begin // and more
		}
		for k, c := range g.chunks[:current] {
			if !c.at.isNil() {
				gone = append(gone, c)
				g.chunks[k] = chunk{}
			}
		}
		g.renumber(current)
	}
	g.next = g.begin
	bytes = g.reset()
	mem.Each(gone, g.drop) // when all is Reset, because a Memory may panic
	return bytes
}

// Retire is Reset for a watched arena: it forgets all chunks, which the caller frees, except the
// chunks of a Fixed.
func Retire(s Space) (bytes int64) {
	g := s.g
	if g == nil || g.fixed != nil {
		return Reset(s)
	}
	g.chunks = [33]chunk{}
	g.begin, g.next, g.limit, g.dirty, g.size = 0, 0, 0, 0, 0
	return g.reset()
}

// Release releases the chunk that Reset has kept, if excess bytes are to go. If idle is true, it
// releases only what few Resets since the last such call have found used.
func Release(s Space, idle bool, excess int64) {
	g := s.g
	if g == nil {
		return
	}
	may := true
	if idle {
		may = g.need < (g.limit-g.begin)/4
		g.need = 0
	}
	if excess > 0 && !g.isUsed() && g.fixed == nil && may && g.limit > 0 {
		k := bits.Len32(g.begin)
		g.begin, g.next, g.limit, g.dirty = 0, 0, 0, 0
		g.release(k)
	}
}

// Close makes all references bad, because of what was done with the arena of that name, and returns
// the bytes that were in use. The caller gives the memory back.
func Close(s Space, name, what string) (bytes int64) {
	g := s.g
	if g == nil {
		return 0
	}
	bytes = g.inUse()
	why := &overError{name, what}
	g.sealed, g.ended = why, why
	g.closeRuns()
	g.chunks = [33]chunk{}
	g.begin, g.next, g.limit, g.dirty, g.size, g.bytes = 0, 0, 0, 0, 0, 0
	g.stores, g.fixed, g.whole, g.active, g.runs, g.last, g.lastID, g.given = nil, nil, nil, nil, nil, nil, 0, nil
	g.freed.Store(true)
	return bytes
}

// Pass closes the Space, which was Reset, as Close does, and returns the Space of the next user,
// which has its memory.
func Pass(s Space, name, what string) Space {
	g := s.g
	if g == nil {
		return Space{}
	}
	next := &region{
		chunks: g.chunks, begin: g.begin, next: g.next, limit: g.limit, dirty: g.dirty,
		fixed: g.fixed, told: g.told, whole: g.whole, sealed: g.sealed, ended: g.ended, stores: g.stores,
		size: g.size, need: g.need,
	}
	Close(s, name, what)
	if next.fixed == nil && next.limit == 0 {
		return Space{}
	}
	next.renewCheck()
	next.attach()
	return Space{next}
}

// Held returns the bytes of all chunks.
func Held(s Space) int64 {
	if s.g == nil {
		return 0
	}
	return s.g.size
}

// InUse returns the bytes handed out since the last Reset.
func InUse(s Space) int64 {
	if s.g == nil {
		return 0
	}
	return s.g.inUse()
}

// Chunks returns the memory of all chunks, except the chunks of a Fixed: somebody else owns these,
// and may still need them.
func Chunks(s Space) (all [][]byte) {
	if s.g == nil || s.g.fixed != nil {
		return nil
	}
	for _, c := range s.g.chunks {
		if !c.at.isNil() {
			all = append(all, c.bytes())
		}
	}
	return all
}

// Whole returns the memory of the Fixed, or nil if there is none.
func Whole(s Space) []byte {
	if s.g == nil {
		return nil
	}
	return s.g.whole
}

// Stats says what is in a Space.
type Stats struct {
	Chunks int
	Used   int64 // bytes handed out since the last Reset, with padding; in a Fixed those before the next reference
	Text   Text
}

// StatsOf returns the Stats of s, and calls add with the types in it: the number of values, and
// their bytes.
func StatsOf(s Space, add func(t reflect.Type, count, bytes int64)) (stats Stats) {
	g := s.g
	if g == nil {
		return stats
	}
	stats.Text, stats.Used = g.text, Used(s)
	for _, c := range g.chunks {
		if !c.at.isNil() {
			stats.Chunks++
		}
	}
	for _, r := range g.active {
		if n := int64(r.count() + r.inSlices); n > 0 {
			add(r.elem, n, n*int64(r.slot))
		}
	}
	return stats
}

// Used returns Stats.Used.
func Used(s Space) (bytes int64) {
	g := s.g
	switch {
	case g == nil:
		return 0
	case g.fixed != nil:
		return g.end()
	}
	for _, c := range g.chunks {
		if c.base < g.next { // Those after the current one are none, or were used before the last Reset.
			bytes += min(int64(c.size), int64(g.next-c.base)*Granule)
		}
	}
	return bytes
}

// What follows is for package ref.

// NewText returns the reference to a copy of text, which is not empty and has fewer than 1<<32
// bytes.
func NewText(s Space, text string, t reflect.Type) uint32 {
	g := s.g
	at := g.take(len(text), t)
	copy(g.granules(g.check.decode(at), granules(len(text))), text)
	g.text.Count++
	g.text.Bytes += int64(len(text))
	return at
}

// NewSlice returns the reference to n > 0 values of the type of r.
func NewSlice(r *Run, n int) uint32 {
	at := r.region.take(n*r.slot, r.elem)
	r.region.activate(r)
	r.inSlices += n
	return at
}

// take returns the reference to size bytes, for values of type t.
func (g *region) take(size int, t reflect.Type) uint32 {
	if tools.Debugging && g.stores != nil {
		defer g.stores.Enter()()
	}
	slots := granules(size)
	at, _ := g.alloc(slots, slots)
	g.bytes += int64(size)
	return g.check.made(at, t)
}

// granules returns how many granules size bytes take, at least one.
func granules(size int) uint32 { return uint32(max((uint64(size)+Granule-1)/Granule, 1)) }

// Open panics when s is nobody's any more.
func Open(s Space) {
	if s.g == nil || s.g.stores == nil {
		s.g.cannotWrite()
	}
}

// Fail panics with the error of an allocation of size bytes in s.
func Fail(s Space, size int64, why error) {
	Open(s)
	s.g.fail(size, why)
}

// Capacity returns how many values of size > 0 bytes fit into the memory that s has.
func Capacity(s Space, size int) uint64 {
	switch {
	case s.g == nil:
		return 0
	case s.g.fixed != nil:
		return uint64(s.g.limit) * Granule / uint64(size)
	}
	return uint64(s.g.size) / uint64(size)
}

// Limit returns the bytes from the first reference to the next one. There is no more in s.
func Limit(s Space) int64 { return s.g.end() }

// Find returns an error if there can be no value of size bytes, and of type t, at the reference
// off, which is not 0.
func Find(s Space, off uint32, size int, t reflect.Type) error {
	g := s.g
	if g == nil {
		return errNone
	}
	if g.ended != nil {
		return g.ended
	}
	at := g.check.decode(off)
	c, n := &g.chunks[bits.Len32(at)], uint64(max(size, 1))
	if at == 0 || uint64(at)*Granule+n > uint64(g.end()) || uint64(at-c.base)*Granule+n > c.size {
		return errNone
	}
	return nil
}
