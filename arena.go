package arena

import (
	"runtime"

	"github.com/arena-go/arena/internal/mem"
)

// An Arena hands out memory for many values that live and die together.
//
// The zero Arena is empty and ready to use. It costs nothing until it is used. An Arena must not be
// copied after first use; go vet finds such copies. A copy panics when it is used.
//
// One goroutine at a time may use an Arena. What it handed out is ordinary Go memory, with Go's
// ordinary rules for sharing.
//
// A nil *Arena is the Go heap. Every function and method of this package accepts it, and does then
// what new, make, append or package strings does. Its Free and Reset do nothing. Only
// [MakeSliceAligned] needs an arena, and panics with a nil one. For references, which are positions
// in an arena, see package ref.
//
// After [Arena.Free] every function that allocates from the arena panics, and so does Reset. A
// second Free does nothing, [Arena.Stats] still answers, and [Append] within the capacity of its
// slice does not need the arena. An arena that lies in a [Pool], and one whose [Group] was Reset,
// behave in the same way, but their Free panics.
type Arena struct {
	_ noCopy

	// An arena that is made for a few values is a good part of the memory that they take, and of
	// what the collector does. So it is small, and has the rest in stores, which other arenas use
	// again.

	stores *stores   // nil before first use, and when state is not stateOpen
	opt    *settings // nil for an arena of NewArena
	life   life
}

// NewArena returns an empty arena without limits, as NewArena of the standard library's experiment
// does. It is new(Arena).
func NewArena() *Arena { return new(Arena) }

// NewWith returns an empty arena with the given options.
// NewWith(Options{}) is NewArena().
func NewWith(o Options) *Arena {
	a := new(Arena)
	if !o.isZero() {
		a.opt = &settings{Options: o}
		if o.Guard || o.Track || o.Memory != nil {
			a.track()
		}
	}
	return a
}

// New returns a pointer to a new zero value of type T in a.
//
// T may be any type. The value may hold pointers to anything, in the arena or not: the collector
// sees them. The value stays valid for as long as something points at it, until a is Reset. From
// then on the pointer is stale: it points at some value of type T, an old or a newer one.
//
// New(nil) is new(T). New panics when a has been freed. It panics with a [*LimitError] when a has
// reached its Options.Limit, and with a [*MemoryError] when Options.Memory has no memory.
func New[T any](a *Arena) *T {
	if a == nil {
		var v T // Go 1.27 calls an allocator by size for a variable that moves to the heap, but not for new(T) in a generic function.
		return &v
	}
	return newIn[T](a)
}

// newIn is New, which is inlined for what it does with a nil arena: that costs no more than new(T)
// and a comparison.
//
//go:noinline
func newIn[T any](a *Arena) *T {
	if a == nil {
		var v T // as in New
		return &v
	}
	// What follows is open, look and near.at, by hand. Inlined, they have more jumps.
	st := a.stores
	if st == nil || checking && !a.isItself() || st.arena != a {
		st = a.first()
	}
	s := st.last
	if id := mem.PointerID((*T)(nil)); s.id != id {
		i := nearHome(id)
		if s = st.near[i]; s.id != id {
			if s = st.near[i^1]; s.id != id {
				s = slabIn[T](st)
			}
		}
	}
	free := s.buf.block
	if i := s.n - 1; !sanitizing && !debugging && uint(i) < uint(free.n) {
		s.n = i
		return slotAt[T](free, i)
	}
	return slotAt[T](s.one(), 0)
}

// Ptr returns a pointer to a copy of v in a. See [New]. In a hot loop that also runs with a nil
// arena, New and an assignment are faster: they build the value in place.
func Ptr[T any](a *Arena, v T) *T {
	p := newIn[T](a)
	*p = v
	return p
}

// Reset empties the arena and keeps its memory for what is allocated next.
//
// Everything allocated from a before is stale from here on. Reading it gives an old or a newer
// value of the same type. Writing to it may change a newer value, or one that is handed out next
// and then is not zero. Memory safety never breaks, unless the use is a data race with another
// goroutine. Copy values that you need longer with [Clone] or [DeepClone] before the Reset. Handles
// from [SlabOf] stay usable.
//
// Reset takes time in proportion to what was allocated since the last Reset, not to what it keeps.
// Options.Retain bounds what it keeps. Memory that 32 successive Resets did not find used is left
// to the collector, so one huge batch does not pin its memory for ever.
//
// Reset of a nil or an unused arena does nothing. Reset panics when a has been freed, and when it
// belongs to a Group.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	a.check()
	a.checkStores()
	a.opt.mayEnd("Reset")
	a.reset()
	if o := a.opt; o != nil {
		if o.member != nil {
			o.member.resets.Add(1)
		}
		o.letOut()
	}
}

// reset is Reset of an open arena. It returns the bytes that were in use.
func (a *Arena) reset() (bytes int64) {
	if st := a.stores; st != nil {
		bytes = st.reset()
		st.checker.check(st)
		st.resets++
		st.peak = max(st.peak, bytes)
		if st.record != nil {
			st.record.publish(st.reserved, st)
		}
		if st.rounds >= releaseEvery {
			st.releaseIdle()
		}
		if o := a.opt; o != nil {
			st.retain(o.Retain)
		}
	}
	if o := a.opt; o != nil && o.member != nil {
		o.member.used(bytes)
		if m := o.member.memory; m != nil && m.Stale() {
			o.member.tellMemory(a.stores)
		}
	}
	return bytes
}

// releaseEvery is the number of Resets after which memory that none of them found
// used is left to the collector.
const releaseEvery = 32

// Free closes the arena and gives up its memory. What was allocated from it stays valid for as long
// as something points at it, like any Go value, and is collected after that. So a use after Free
// breaks nothing. But Free says that there will be none: the tools that find mistakes, the race
// detector among them, report one. To keep values, drop the arena; don't Free it.
//
// An arena with an Options.Memory is different: Free is required, and makes its plain values stale.
//
// The arena itself cannot be used again. Free of a nil arena does nothing. A second Free does
// nothing either, and is reported where mistakes are looked for. Free panics when the arena lies in
// a Pool or belongs to a Group.
func (a *Arena) Free() {
	if a == nil || a.life.state() == stateFreed {
		if a.strict() {
			a.freedTwice()
		}
		return
	}
	a.check()
	a.checkStores()
	if a.opt != nil || checking {
		a.freeWithOptions()
		return
	}
	a.free()
}

func (a *Arena) freeWithOptions() {
	a.opt.mayEnd("Free")
	if a.strict() {
		a.noteFree()
	}
	bytes := a.free()
	if o := a.opt; o != nil && o.member != nil {
		o.member.freed(bytes)
		runtime.KeepAlive(a) // the member is not lost yet
	}
	a.opt.letOut()
}

// free is Free of an open arena. It returns the bytes that were in use.
func (a *Arena) free() (bytes int64) {
	st := a.stores
	a.stores, a.life = nil, life(stateFreed)
	if st == nil {
		return 0
	}
	if st.isOrdinary() {
		if bytes = st.releaseParts(); bytes < 1<<peakBits {
			a.life = lastLife(stateFreed, bytes, 0) // as close does: there was no Reset
		} else {
			a.close(stateFreed, bytes, 0)
		}
	} else {
		peak, resets := st.peak, st.resets
		bytes = st.close()
		a.close(stateFreed, max(peak, bytes), resets)
	}
	st.offer()
	return bytes
}

// open returns the stores of a, which it makes on first use.
func (a *Arena) open() *stores {
	st := a.stores
	if st == nil || checking && !a.isItself() || st.arena != a {
		st = a.first()
	}
	return st
}

// first is open on first use, and where a must not be used.
//
//go:noinline
func (a *Arena) first() *stores {
	if a.life == 0 { // Fork reads it of an arena of a Group, which has been claimed.
		a.claim()
	} else {
		a.check()
		a.checkStores()
	}
	var st *stores
	if a.opt == nil {
		st, _ = unused.simple.Get().(*stores)
	}
	if st == nil {
		st = newStores(a)
	}
	a.stores, st.arena = st, a
	if st.layout != nil {
		st.begin()
	}
	if a.tracks() {
		st.track()
	}
	return st
}

// check panics when the arena is not open, or a copy of another.
func (a *Arena) check() {
	if a.life != 0 && !a.isItself() {
		a.panicClosed()
	}
}

// checkStores panics when the stores of the open arena serve another one. The arena was copied
// then, and copied back.
func (a *Arena) checkStores() {
	if a.stores != nil && a.stores.arena != a {
		a.panicCopied("")
	}
}

// check panics when the stores do not belong to an open arena.
func (st *stores) check() {
	if a := st.arena; a == nil || a.stores != st {
		if a == nil {
			a = new(Arena) // the stores are nobody's: an arena that was freed has been copied back
		}
		a.check()
		a.panicCopied("; or two goroutines used it at the same time, and each has made its own stores")
	}
}

// panicCopied says that a was copied, and also what else may be the cause.
func (a *Arena) panicCopied(also string) {
	panic("arena: " + a.opt.name() + " was copied, or written over, after its first use; pass a *Arena" + also)
}

//go:noinline
func (a *Arena) panicClosed() {
	if a.life.state() == stateOpen {
		a.panicCopied("")
	}
	text := "arena: " + a.opt.name() + " is used after " + map[state]string{
		stateFreed:  "Free; make a new one, or use Reset to empty an arena",
		statePooled: "Pool.Put; Get another from the Pool",
		stateEnded:  "the Reset of its Group; ask the Group for another",
	}[a.life.state()]
	if o := a.opt; o != nil && o.freed != nil {
		text += "\nfreed at:\n" + o.freed.String()
	}
	panic(text)
}

// noCopy lets go vet find copies of an Arena.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// panicCopy panics because a what was copied.
func panicCopy(what, pointer string) {
	panic("arena: " + what + " was copied after its first use; pass a " + pointer)
}

// A life is the state of an arena, in its lower bits. Above them an arena that is open, or lies in
// a Pool, has its own address, from first use on: a copy of it has another address. An arena that
// was ended has what [Stats] says of it, where there is room.
type life uint64

const (
	stateBits  = 2
	resetsBits = 22
	peakBits   = 64 - resetsBits - stateBits
)

// A state says whether an arena can be used, and if not, why.
type state uint8

const (
	stateOpen   state = iota
	stateFreed        // by Free
	statePooled       // by Pool.Put, until Pool.Get
	stateEnded        // by Reset of its Group
)

func (l life) state() state { return state(l % (1 << stateBits)) }

// isItself tells whether a is open, in use, or claimed, and no copy of another.
func (a *Arena) isItself() bool { return a.life == a.address() }

// claim makes a an arena that is open, and whose copies are known as such.
func (a *Arena) claim() { a.life = a.address() }

// pool makes a an arena that lies in a Pool.
func (a *Arena) pool() { a.life = a.address() + life(statePooled) }

// isPooled tells whether a lies in a Pool, and is no copy of another.
func (a *Arena) isPooled() bool { return a.life == a.address()+life(statePooled) }

// close puts a, which has no stores any more, into its last state.
func (a *Arena) close(s state, peak, resets int64) {
	if peak < 1<<peakBits && resets < 1<<resetsBits {
		a.life = lastLife(s, peak, resets)
		return
	}
	a.life = life(s)
	switch {
	case a.opt == nil:
		a.opt = new(settings)
	case a.opt.group != nil: // many arenas share the settings
		a.close(s, min(peak, 1<<peakBits-1), min(resets, 1<<resetsBits-1))
		return
	}
	a.opt.ended = &ended{peak, resets}
}

// lastLife is the life of an arena in its last state, with a peak and Resets for which there is
// room.
func lastLife(s state, peak, resets int64) life {
	return life(s) + life(resets)<<stateBits + life(peak)<<(stateBits+resetsBits)
}

// ended is what Stats says of an arena that was ended.
type ended struct{ peak, resets int64 }

// was returns what Stats says of an arena without stores.
func (a *Arena) was() (peak, resets int64) {
	switch a.life.state() {
	case stateOpen, statePooled:
		return 0, 0
	}
	if o := a.opt; o != nil && o.ended != nil {
		return o.ended.peak, o.ended.resets
	}
	return int64(a.life >> (stateBits + resetsBits)), int64(a.life >> stateBits % (1 << resetsBits))
}
