package arena

import (
	"math"
	"reflect"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/tools"
)

// A Slab is the part of an arena that holds the values of one type. It is a handle for hot loops:
// its New is inlined into the caller, and takes about as long as a counter and a bounds check.
//
// [SlabOf] returns the Slab of an arena. It belongs to the arena: Reset empties it, and after Free
// its New panics. The zero Slab, like SlabOf(nil), is the Go heap. Only the goroutine that uses the
// arena may use the Slab. A Slab must not be copied: a copy hands out the same values as the
// original, and panics when it needs more memory.
type Slab[T any] struct {
	// buf is the part of the current chunk that New and slice have not handed
	// out, and buf[:n] is what remains of it: New takes values from its end,
	// slices are cut from its start, where the newest one can still grow.
	// The chunk is buf's array; all of buf[:n] is zero.
	n   int
	buf []T

	_     noCopy
	state slabState // not embedded: the compiler would make its methods for each type
}

// A slab is a Slab without its type. It has the same memory, see typeless. Methods of slab are
// compiled once, methods of Slab for each type.
type slab struct {
	n   int
	buf header
	_   noCopy
	slabState
}

// slabState is the state of a Slab except the values that it hands out next.
type slabState struct {
	id         uintptr // see mem.TypeID
	full       int     // values handed out since the last Reset, when the current chunk is used up
	plainItems int     // values in slices that lie in the arena's plain memory
	most       int     // values handed out at one time, if Shrink or Rewind took some back
	isActive   bool    // it is on the list that Reset walks
	exposed    bool    // SlabOf has given it away
	kind       kind
	few        int8 // the most slots that zeroBytes or zeroPairs zeroes; -1: none, 0: not known yet
	pairs      bool // zeroPairs does it
	chunks     chunks
	slots      slotType
	self       *slab   // the Slab itself, but for the zero one: a copy of it has another address
	stores     *stores // nil for the zero Slab, which is the heap
	zones      tools.Zones
}

// New returns a pointer to a new zero value of type T. See the function [New].
func (s *Slab[T]) New() *T {
	if sanitizing || debugging {
		return s.newChecked()
	}
	s.n--
	if s.n < 0 {
		return s.grow()
	}
	return &s.buf[s.n]
}

// zeroInCopies marks the types whose copies by DeepClone are zero.
func (*Slab[T]) zeroInCopies() {}

// newChecked is New with what the address sanitizer, or the tag arenadebug, asks for.
func (s *Slab[T]) newChecked() *T {
	if s.state.stores == nil {
		return new(T)
	}
	return slotAt[T](s.typeless().one(), 0)
}

// grow returns the first value of the next chunk.
//
//go:noinline
func (s *Slab[T]) grow() *T {
	s.n = 0
	if s.state.stores == nil {
		var v T // as in the function New
		return &v
	}
	s.typeless().more()
	s.n--
	return &s.buf[s.n]
}

// SlabOf returns the slab of a that holds the values of type T, which New[T](a) also uses. It stays
// valid over Reset. SlabOf panics when a has been freed.
func SlabOf[T any](a *Arena) *Slab[T] {
	if a == nil {
		return new(Slab[T])
	}
	s := slabOf[T](a)
	s.exposed, s.stores.exposed = true, true
	return typedSlab[T](s)
}

func newSlab(t slotType) *slab {
	s := new(slab)
	s.self, s.slots, s.chunks.size = s, t, int(t.typ.Size())
	return s
}

// one returns a new zero value, as New does where there is no room.
func (s *slab) one() block {
	v := s.slot()
	s.stores.last = s
	return v
}

// slot returns a new zero value.
func (s *slab) slot() block {
	s.checkCopy()
	if sanitizing {
		return s.slice(1)
	}
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	if s.n == 0 {
		s.next(1)
	}
	s.n--
	return s.buf.part(s.n, s.n+1, s.chunks.size)
}

// more makes sure that a slot is free in the current chunk.
func (s *slab) more() {
	s.next(1)
	s.stores.last = s
}

// next makes sure that n > s.n slots are free in the current chunk.
func (s *slab) next(n int) {
	if s.wake(); n <= s.n {
		return
	}
	s.use(s.chunks.next(s.stores, &s.slots, n, s.chunks.low > 0 && s.isPlain()))
	s.stores.grown(nil, 0)
}

// wake puts a slab that is used for the first time, or again after a round
// without it, on the arena's list, with the chunk that Reset has prepared.
func (s *slab) wake() {
	s.checkCopy()
	s.stores.check()
	if s.isActive {
		s.stores.moving(s)
	}
	s.activate()
	if c := &s.chunks; s.buf.at.isNil() && len(c.list) > 0 {
		s.use(c.list[c.cur])
	}
}

// activate puts s on the list that Reset walks.
func (s *slab) activate() {
	if !s.isActive {
		s.list()
	}
}

//go:noinline
func (s *slab) list() {
	s.isActive = true
	s.stores.active = append(s.stores.active, s)
}

// checkCopy panics when s is a copy. It comes before anything is done with the stores, which may
// serve another arena by now, in another goroutine.
func (s *slab) checkCopy() {
	if s.self != s {
		panicCopy("a Slab", "*Slab")
	}
}

// use makes chunk, which is all zero, the current one.
func (s *slab) use(chunk block) {
	s.full += chunk.n - s.n
	s.n, s.buf = chunk.n, header{chunk, chunk.n}
}

// cutSlots is cut, of 0 < n <= s.n slots, and returns them. It is inlined.
func cutSlots[T any](s *Slab[T], n int) []T {
	v := s.buf[:n:n]
	s.buf = s.buf[n:]
	s.n -= n
	return v
}

// slice returns n > 0 zero values that lie side by side in the slab.
func (s *slab) slice(n int) block {
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	if n > s.n {
		s.wake()
		if n > s.n && s.chunks.isLarge(n) {
			v := s.chunks.slice(s.stores, &s.slots, n, s.isPlain(), s.stores.depth())
			s.full += n
			handOut(v, s.chunks.size)
			s.stores.grown(nil, 0)
			return v
		}
		s.next(n)
	}
	v := s.buf.first(n)
	take := n
	if sanitizing {
		handOut(v, s.chunks.size)
		take = min(n+tools.Zone(s.chunks.size), s.n)
		s.zones.Add(take - n)
	}
	s.cut(take)
	return v
}

// extend makes v, a slice of the slab's type of capacity v.n, longer in place: by want slots, or by
// need slots if there is no room for want. It returns the number, which is 0 when v is not the
// newest slice of the slab or there is no room.
func (s *slab) extend(v block, want, need int) int {
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	size := s.chunks.size
	if s.isPlain() {
		if v.n == 0 || size == 0 {
			return 0
		}
		n := s.stores.plain.extend(v.extent(size, nil).raw(), want*size, need*size) / size
		if n > 0 {
			s.activate()
			s.plainItems += n
		}
		return n
	}
	if s.buf.at.isNil() || need > s.n || v.n == 0 || sanitizing {
		return 0
	}
	if s.newest(v.at, v.n) == nil {
		return 0
	}
	if want > s.n {
		want = need
	}
	s.cut(want)
	return want
}

// isPlain tells whether the slab's type is a plain one. Kept chunks of plain types are zeroed when
// they are used again, which keeps them in the cache. Reset zeroes chunks of other types, because
// what they point at must not stay alive meanwhile.
func (s *slab) isPlain() bool {
	if s.kind == kindUnknown {
		s.findKind()
	}
	return s.kind == kindPlain
}

// findKind is not inlined, so that isPlain is.
//
//go:noinline
func (s *slab) findKind() { s.kind = kindOf(s.typ()) }

// close makes s, which was Reset, ask its arena before it hands out more.
func (s *slab) close() {
	s.isActive = false
	s.use(block{})
}

// renew returns a slab that takes the place of s, with its chunks, and leaves s to
// closed stores. s is closed, or all was released.
func (s *slab) renew(closed *stores) *slab {
	t := new(slab)
	t.slabState = s.slabState
	t.self, t.exposed = t, false
	if len(t.chunks.list) <= 1 {
		t.chunks.list = append(t.chunks.first[:0], t.chunks.list...) // and not in s
	}
	s.stores, s.chunks = closed, chunks{size: s.chunks.size}
	return t
}

// used returns the values handed out since the last Reset and their bytes,
// without those in slices that lie in the arena's plain memory.
func (s *slab) used() (count int, bytes int64) {
	count = s.full - s.n - s.zones.Slots()
	return count, int64(count) * int64(s.chunks.size)
}

// resetSlabs empties the slabs, and returns the bytes that were in use. Most Resets spend their
// time here, so only rare cases take a call.
func resetSlabs(active []*slab) (bytes int64) {
	for _, s := range active {
		n, full, c := s.n, s.full, &s.chunks
		used, items := full-n, s.plainItems
		s.most, s.plainItems = 0, 0
		if used == 0 {
			if items == 0 {
				s.rest()
			}
			continue
		}
		bytes += int64(used) * int64(c.size)
		if full != s.buf.n || !c.resetOne() {
			s.reset()
			continue
		}
		// The usual small arena: there was only New, in one chunk.
		s.n = full
		from := n * c.size
		if used > int(s.few) || from < twoWords {
			s.zero(n, full)
			continue
		}
		to := full * c.size
		if s.pairs {
			zeroPairs(s.buf.at, from, to)
			continue
		}
		zeroBytes(s.buf.at, from, to)
	}
	return bytes
}

// rest makes s inactive: nothing of it was used since the last Reset.
//
//go:noinline
func (s *slab) rest() {
	s.isActive, s.stores.resting = false, true
	s.use(block{})
}

// zero zeroes the slots [from, to) of buf.
//
//go:noinline
func (s *slab) zero(from, to int) {
	if s.few == 0 {
		s.few, s.pairs = zeroing(s.typ())
	}
	s.slots.clear(s.buf.block, from, to)
}

// zeroing returns few and pairs of a slab for type t.
func zeroing(t reflect.Type) (few int8, pairs bool) {
	size := int(t.Size())
	if size == 0 || size > fewWords*int(wordSize) {
		return -1, false
	}
	pointers := mem.PointersIn(t)
	for i, at := range pointers {
		if at != i*twoWords {
			return -1, false
		}
	}
	if pairs = len(pointers) > 0; pairs && size != len(pointers)*twoWords {
		return -1, false
	}
	return int8(min(fewWords*int(wordSize)/size, math.MaxInt8)), pairs
}

// reset empties the slab, which was used.
//
//go:noinline
func (s *slab) reset() {
	c := &s.chunks
	from := 0 // what slices took from the current chunk
	if !s.buf.at.isNil() {
		from = c.list[c.cur].n - s.buf.n
	}
	to := from + s.n
	var chunk block
	if len(c.list) > 0 && s.full == c.list[c.cur].n && c.resetOne() {
		chunk = c.list[c.cur]
		s.slots.clear(chunk, 0, from)
		s.slots.clear(chunk, to, chunk.n)
	} else {
		chunk, _ = c.reset(&s.slots, len(c.list) > 1 && s.isPlain(), from, to)
	}
	s.full, s.n = 0, 0
	s.use(chunk)
}

// release releases spare chunks until excess bytes are gone.
func (s *slab) release(which spare, excess int64) {
	if s.full == s.n && which == spareUnused {
		which = spareAll
	}
	defer func() { // also when a Memory panics
		if len(s.chunks.list) == 0 {
			s.use(block{})
		}
	}()
	s.chunks.release(s.stores, which, excess)
}

// releaseAll releases all chunks and returns the bytes that were in use. The slab is not active any
// more.
func (s *slab) releaseAll() int64 {
	count, bytes := s.used()
	s.use(block{})
	s.chunks.releaseAll(max(count, s.most))
	s.full, s.most = 0, 0
	s.isActive, s.plainItems, s.zones = false, 0, tools.Zones{}
	return bytes
}

func (s *slab) typ() reflect.Type { return s.slots.typ }

// newValue returns a pointer to a new value.
func (s *slab) newValue() reflect.Value { return valueAt(s.typ(), s.slot().at) }
