package arena

import "reflect"

// A Slab is the part of an arena that holds the values of one type. It is a handle for hot loops: its New is
// inlined into the caller, and takes about as long as a counter and a bounds check.
//
// [SlabOf] returns the Slab of an arena. It belongs to the arena: Reset empties it, and after Free its New panics.
// The zero Slab, like SlabOf(nil), is the Go heap. Only the goroutine that uses the arena may use the Slab. A Slab
// must not be copied: a copy hands out the same values as the original, and panics when it needs more memory.
type Slab[T any] struct {
	// buf is the part of the current chunk that New and slice have not handed
	// out, and buf[:n] is what remains of it: New takes values from its end,
	// slices are cut from its start, where the newest one can still grow.
	// The chunk is buf's array; all of buf[:n] is zero.
	n   int
	buf []T

	_    noCopy
	self *Slab[T] // the Slab itself, but for the zero one: a copy of it has another address
	notText
	base
	done int // values handed out since the last Reset in chunks other than the current one
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

// newChecked is New with what the address sanitizer, or the tag arenadebug, asks for.
func (s *Slab[T]) newChecked() *T {
	if s.stores == nil {
		return new(T)
	}
	s.checkCopy()
	if sanitizing {
		return &s.slice(1)[0]
	}
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	s.n--
	if s.n < 0 {
		return s.grow()
	}
	return &s.buf[s.n]
}

// SlabOf returns the slab of a that holds the values of type T, the one that New[T](a) uses. It stays valid over
// Reset. SlabOf panics when a has been freed.
func SlabOf[T any](a *Arena) *Slab[T] {
	if a == nil {
		return new(Slab[T])
	}
	s := slabOf[T](a)
	s.exposed, s.stores.exposed = true, true
	return s
}

// touch makes s, if nothing was taken from its chunk, the slab that grew last, as grow does: begin has given s the chunk.
func (s *Slab[T]) touch(a *Arena) {
	if s.n > 0 && s.n == len(s.buf) {
		a.last = s
	}
}

// grow returns the first value of the next chunk.
//
//go:noinline
func (s *Slab[T]) grow() *T {
	s.n = 0
	if s.stores == nil {
		var v T // as in the function New
		return &v
	}
	s.next(1)
	s.stores.arena.last = s
	s.n--
	return &s.buf[s.n]
}

// next makes sure that n > s.n slots are free in the current chunk.
func (s *Slab[T]) next(n int) {
	if s.wake(); n <= s.n {
		return
	}
	done := s.done + s.inChunk()
	s.use(s.chunks.next(s.stores, typed[T]{}, n, s.chunks.low > 0 && s.isPlain()))
	s.done = done
	s.stores.grown(nil, 0)
}

// wake puts a slab that is used for the first time, or again after a round
// without it, on the arena's list, with the chunk that Reset has prepared.
func (s *Slab[T]) wake() {
	s.checkCopy()
	s.stores.check()
	s.activate(s)
	if c := &s.chunks; s.buf == nil && len(c.list) > 0 {
		s.use(c.list[c.cur])
	}
}

// checkCopy panics when s is a copy. It comes before anything is done with the stores, which may serve another arena by now,
// in another goroutine.
func (s *Slab[T]) checkCopy() {
	if s.self != s {
		panicCopy("a Slab", "*Slab")
	}
}

// use makes chunk, which is all zero, the current one.
func (s *Slab[T]) use(chunk block) { s.n, s.buf = chunk.n, slotsOf[T](chunk) }

// inChunk returns the number of values handed out in the current chunk.
func (s *Slab[T]) inChunk() int {
	if s.buf == nil {
		return 0
	}
	return s.chunks.list[s.chunks.cur].n - s.n
}

// slice returns a slice of n > 0 zero values that lie side by side in the slab.
func (s *Slab[T]) slice(n int) []T {
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	if n > s.n {
		s.wake()
		if n > s.n && s.chunks.isLarge(n) {
			v := s.chunks.slice(s.stores, typed[T]{}, n, s.isPlain())
			s.done += n
			handOut(v, s.chunks.size)
			s.stores.grown(nil, 0)
			return slotsOf[T](v)
		}
		s.next(n)
	}
	v := s.buf[:n:n]
	take := n
	if sanitizing {
		handOut(blockOf(v), s.chunks.size)
		take = min(n+zone(s.chunks.size), s.n)
		s.zones.add(take - n)
	}
	s.buf = s.buf[take:]
	s.n -= take
	return v
}

// extend returns v with a capacity of n more than now, in place. It reports
// false when v is not the newest slice of the slab or there is no room.
func (s *Slab[T]) extend(v []T, n int) ([]T, bool) {
	if s.buf == nil || n > s.n || cap(v) == 0 || sanitizing {
		return nil, false
	}
	chunk := slotsOf[T](s.chunks.list[s.chunks.cur])
	at := len(chunk) - len(s.buf) // where the newest slice ends
	if at < cap(v) || &chunk[at-1] != &v[:cap(v)][cap(v)-1] {
		return nil, false
	}
	s.buf = s.buf[n:]
	s.n -= n
	return chunk[at-cap(v) : at-cap(v)+len(v) : at+n], true
}

// isPlain tells whether T is a plain type. Kept chunks of plain types are zeroed when they are used again, which
// keeps them in the cache. Those of other types are zeroed by Reset, because what they point at must not stay
// alive meanwhile.
func (s *Slab[T]) isPlain() bool {
	if s.kind == kindUnknown {
		s.kind = kindOf(reflect.TypeFor[T]())
	}
	return s.kind == kindPlain
}

// sleep makes s, which was Reset, ask its arena before it hands out more.
func (s *Slab[T]) sleep() {
	s.isActive = false
	s.use(block{})
}

// renew returns a slab that takes the place of s, with its chunks, and leaves s to
// closed stores. s is asleep, or all was freed.
func (s *Slab[T]) renew(closed *stores) store {
	t := &Slab[T]{base: s.base}
	t.self, t.exposed = t, false
	if len(t.chunks.list) <= 1 {
		t.chunks.list = append(t.chunks.first[:0], t.chunks.list...) // and not in s
	}
	s.stores, s.chunks = closed, chunks{size: s.chunks.size}
	return t
}

func (s *Slab[T]) used() (count int, bytes int64) {
	count = s.done + s.inChunk() - s.zones.slots()
	return count, int64(count) * int64(s.chunks.size)
}

func (s *Slab[T]) reset() (bytes int64, active bool) {
	count, bytes := s.used()
	s.isActive = count > 0 || s.plainItems > 0
	if count > 0 {
		from := 0 // what slices took from the current chunk
		if s.buf != nil {
			from = s.chunks.list[s.chunks.cur].n - len(s.buf)
		}
		if s.done == 0 && s.chunks.resetOne() {
			// The usual small arena: only one chunk was used.
			chunk := s.chunks.list[s.chunks.cur]
			slots := slotsOf[T](chunk)
			clear(slots[:from])
			clear(slots[from+s.n:])
			s.use(chunk)
		} else {
			chunk, _ := s.chunks.reset(typed[T]{}, len(s.chunks.list) > 1 && s.isPlain(), from, from+s.n)
			s.use(chunk)
		}
	} else if !s.isActive {
		s.use(block{})
	}
	s.done, s.plainItems = 0, 0
	return bytes, s.isActive
}

func (s *Slab[T]) trim(how trimming, excess int64) {
	if s.done+s.inChunk() == 0 && how == trimUnused {
		how = trimAll
	}
	s.chunks.trim(s.stores, how, excess)
	if len(s.chunks.list) == 0 {
		s.use(block{})
	}
}

func (s *Slab[T]) free() int64 {
	count, bytes := s.used()
	s.use(block{})
	s.done = 0
	s.chunks.free(count)
	s.isActive, s.plainItems, s.zones = false, 0, zones{}
	return bytes
}

func (s *Slab[T]) typ() reflect.Type              { return reflect.TypeFor[T]() }
func (s *Slab[T]) newValue() reflect.Value        { return reflect.ValueOf(s.New()) }
func (s *Slab[T]) sliceValue(n int) reflect.Value { return reflect.ValueOf(s.slice(n)) }
