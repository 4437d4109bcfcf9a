package arena

import (
	"reflect"

	"github.com/arena-go/arena/internal/mem"
)

// A RefSlab makes values of one type with references to them in an arena. It is to [NewRef] what [Slab] is to
// [New]: a handle for hot loops, whose New is inlined.
//
// [RefSlabOf] returns the RefSlab of an arena. It belongs to the arena: Reset empties it, and after Free its New
// panics. It must not be copied: a copy returns the same references as the original, and panics when it needs more
// memory.
type RefSlab[T any] struct {
	_ noCopy
	notText
	run refRun // not embedded: the compiler would make its methods for each type
}

func (*RefSlab[T]) zeroInCopies() {}

// A refRun is a RefSlab without its type: a run of slots that lie side by side.
//
// Invariants: end is 0, or first <= next < end; first, first+size ... are the slots, up to end.
type refRun struct {
	next uint32 // the one that was handed out last
	end  uint32 // that of the run
	size uint32 // granules of a slot

	base
	self  *refRun // the refRun itself: that of a copy has another address
	elem  reflect.Type
	slot  int // bytes
	first uint32
	done  int // values handed out since the last Reset in other runs
}

// Bytes of a run: as many as there are in the slab already, within these bounds.
const (
	minRun = 64
	maxRun = 8 << 10
)

// New returns a reference to a new zero value. See [NewRef].
func (s *RefSlab[T]) New() Ref[T] {
	if checking {
		return Ref[T]{off: s.run.newChecked()}
	}
	s.run.next += s.run.size
	if s.run.next >= s.run.end {
		s.run.grow()
	}
	return Ref[T]{off: s.run.next}
}

// RefSlabOf returns the slab of a for references to values of type T, the one that NewRef[T](a) uses. It panics as
// NewRef does.
func RefSlabOf[T any](a *Arena) *RefSlab[T] {
	a.openRefs()
	s := refSlabOf[T](a)
	s.exposed, s.stores.exposed = true, true
	return typedRefSlab[T](s)
}

// refKey is a type for the key of a RefSlab among the stores.
type refKey[T any] struct{}

// refSlabOf returns the RefSlab of a for T, a new one if there is none.
func refSlabOf[T any](a *Arena) *refRun {
	id := mem.TypeID[refKey[T]]()
	if s := a.stores.findRefSlab(id); s != nil {
		return s
	}
	mustBePlain[T]("NewRef")
	return a.stores.addRefSlab(id, reflect.TypeFor[T]())
}

// findRefSlab returns the RefSlab with the given id, or nil.
func (st *stores) findRefSlab(id uintptr) *refRun {
	s, _ := st.others.find(id).(*refRun)
	return s
}

func (st *stores) addRefSlab(id uintptr, t reflect.Type) *refRun {
	size := t.Size()
	if uint64(size) > (1<<32-1)*refGranule {
		panicSize("a value with a reference", 1, int(size))
	}
	s := newRefSlab(t)
	st.add(s, id)
	return s
}

func newRefSlab(t reflect.Type) *refRun {
	s := &refRun{elem: t, slot: int(t.Size())}
	s.self, s.size = s, granules(s.slot)
	return s
}

// grow makes next the first slot of another run.
//
//go:noinline
func (s *refRun) grow() {
	s.next -= s.size
	if s.stores == nil {
		panic("arena: a RefSlab is used that RefSlabOf has not returned")
	}
	s.checkCopy()
	s.stores.check()
	g := s.stores.arena.openRefs()
	count := s.count()
	run := uint32(max(min(max(count*s.slot, minRun), maxRun)/(int(s.size)*refGranule), 1))
	if checking {
		run = 1
	}
	at, n := g.alloc(s.stores, run*s.size, s.size)
	s.activate(s)
	s.done = count
	s.first, s.next, s.end = at, at, at+n
}

// checkCopy panics when s, which is not the zero RefSlab, is in a copy.
func (s *refRun) checkCopy() {
	if s.self != s {
		panicCopy("a RefSlab", "*RefSlab")
	}
}

// newChecked is New in programs that look for mistakes.
func (s *refRun) newChecked() uint32 {
	if s.stores != nil {
		s.checkCopy()
	}
	if debugging && s.stores != nil {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	s.next += s.size
	if s.next >= s.end {
		s.grow()
	}
	return s.stores.refs.check.made(s.next, s.elem)
}

// count returns the number of values handed out since the last Reset.
func (s *refRun) count() int {
	if s.end == 0 {
		return s.done
	}
	return s.done + int((s.next-s.first)/s.size) + 1
}

// endRun makes New ask the arena before it hands out more.
func (s *refRun) endRun() { s.done, s.next, s.end, s.first = s.count(), 0, 0, 0 }

// rest forgets what was handed out.
func (s *refRun) rest() { s.next, s.end, s.first, s.done = 0, 0, 0, 0 }

func (s *refRun) used() (count int, bytes int64) {
	return s.count(), int64(s.count()) * int64(s.slot)
}

func (s *refRun) reset() (bytes int64, active bool) {
	count, bytes := s.used()
	s.isActive = count+s.plainItems > 0
	s.rest()
	s.plainItems = 0
	return bytes, s.isActive
}

func (s *refRun) free() int64 {
	_, bytes := s.used()
	s.rest()
	s.isActive, s.plainItems = false, 0
	return bytes
}

// sleep makes s, which was Reset, ask its arena before it hands out more.
func (s *refRun) sleep() { s.isActive = false }

// renew returns a slab that takes the place of s, which is left to closed stores.
func (s *refRun) renew(closed *stores) store {
	t := newRefSlab(s.elem)
	t.base = s.base
	t.exposed = false
	s.stores = closed
	return t
}

func (s *refRun) typ() reflect.Type { return s.elem }

// The memory is that of the region. There are no chunks, and so never a part of a layout.

func (s *refRun) trim(trimming, int64)         {}
func (s *refRun) newValue() reflect.Value      { panic("arena: a RefSlab has no pointers") }
func (s *refRun) sliceValue(int) reflect.Value { panic("arena: a RefSlab has no pointers") }
