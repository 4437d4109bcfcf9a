package region

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/tools"
)

// A Run is a ref.Slab without its type: slots that lie next to each other.
//
// Invariants: end is 0, or first <= next < end; first, first+size ... are the slots, up to end.
type Run struct {
	next uint32 // the reference that was handed out last
	end  uint32 // the end of the run
	size uint32 // granules of a slot

	region   *region
	self     *Run // the Run itself: a copy has another address
	elem     reflect.Type
	slot     int // bytes
	first    uint32
	done     int // values handed out since the last Reset in other runs
	inSlices int // values in slices since then
	isActive bool
	free     []uint32 // freed slots, which grow hands out again
}

// Bytes of a run: as many as there are in the slab already, within these bounds.
const (
	minRun = 64
	maxRun = 8 << 10
)

// RunOf returns the Run of s for the type with the given mem.TypeID, or nil if there is none.
func RunOf(s Space, id uintptr) *Run { return s.g.runs[id] }

// NewRun returns a new Run of s for the type t with the given mem.TypeID.
func NewRun(s Space, id uintptr, t reflect.Type) *Run {
	g, size := s.g, t.Size()
	if uint64(size) > (1<<32-1)*Granule {
		panic(fmt.Sprintf("ref: a value of %d bytes is larger than memory can be", size))
	}
	r := &Run{elem: t, slot: int(size), size: granules(int(size)), region: g}
	r.self = r
	if g.runs == nil {
		g.runs = map[uintptr]*Run{}
	}
	g.runs[id] = r
	return r
}

// Last returns the Run that Use was called with last, if that was with the same id, or nil.
func Last(s Space, id uintptr) *Run {
	if s.g == nil || s.g.lastID != id {
		return nil
	}
	return s.g.last
}

// Use makes r, with the given id, what Last returns.
func Use(r *Run, id uintptr) { r.region.last, r.region.lastID = r, id }

// Next returns the reference to a new zero value.
func Next(r *Run) uint32 {
	if tools.Checking {
		return r.checked()
	}
	r.next += r.size
	if r.next >= r.end {
		r.grow()
	}
	return r.next
}

// grow makes next the first slot of another run.
//
//go:noinline
func (r *Run) grow() {
	r.next -= r.size
	if r.region == nil {
		panic("ref: a Slab is used that SlabOf has not returned")
	}
	r.checkCopy()
	g := r.region
	if g.stores == nil {
		g.cannotWrite()
	}
	g.stores.Check()
	count := r.count()
	if n := len(r.free); n > 0 {
		at := r.free[n-1]
		g.reuse(at, r.size)
		r.free = r.free[:n-1]
		g.activate(r)
		r.done = count
		r.first, r.next, r.end = at, at, at+r.size
		return
	}
	slots := uint32(max(min(max(count*r.slot, minRun), maxRun)/(int(r.size)*Granule), 1))
	if tools.Checking {
		slots = 1
	}
	at, n := g.alloc(slots*r.size, r.size)
	g.activate(r)
	r.done = count
	r.first, r.next, r.end = at, at, at+n
}

// reuse zeroes size granules that were freed.
func (g *region) reuse(at, size uint32) {
	if g.sealed != nil {
		g.cannotWrite()
	}
	if g.fixed != nil {
		g.resize(0, 0) // it may have become read-only
	}
	clear(Bytes(Space{g}, at, uint64(size)*Granule))
	g.given.clear(at)
}

// Free frees the slot at off, which Next has returned: Next returns it again. Programs that look
// for mistakes do not use it again, and find the references that are left. Free panics if off is
// not good or was freed before.
func Free(r *Run, off uint32) {
	g := r.region
	if g.sealed != nil {
		g.cannotWrite()
	}
	if tools.Debugging {
		defer g.stores.Enter()()
	}
	at := Checked(Space{g}, off, r.elem)
	if Find(Space{g}, off, r.slot, r.elem) != nil {
		panic(ErrBad)
	}
	if !g.given.set(at) {
		panic("ref: Free of a reference whose value was given back already")
	}
	g.activate(r)
	if r.count() > 0 { // It may be one of a slice, or of what was there before the arena.
		r.done--
	}
	if g.check.gone(at) {
		return
	}
	r.free = append(r.free, at)
}

// given has a bit for each granule where a freed slot begins.
type given []uint64

// set notes that the slot at at was freed, and reports false if that was known.
func (g *given) set(at uint32) bool {
	i := int(at / 64)
	if n := i + 1 - len(*g); n > 0 {
		*g = append(*g, make([]uint64, n)...)
	}
	known := (*g)[i]>>(at%64)&1 != 0
	(*g)[i] |= 1 << (at % 64)
	return !known
}

func (g given) clear(at uint32) { g[at/64] &^= 1 << (at % 64) }

// checkCopy panics when r, which is not the zero Run, is in a copy.
func (r *Run) checkCopy() {
	if r.self != r {
		panic("ref: a Slab was copied after its first use; pass a *Slab")
	}
}

// checked is Next in programs that look for mistakes.
func (r *Run) checked() uint32 {
	g := r.region
	if g != nil {
		r.checkCopy()
	}
	if tools.Debugging && g != nil && g.stores != nil {
		defer g.stores.Enter()()
	}
	r.next += r.size
	if r.next >= r.end {
		r.grow()
	}
	return g.check.made(r.next, r.elem)
}

// count returns the number of values handed out since the last Reset, without those in slices.
func (r *Run) count() int {
	if r.end == 0 {
		return r.done
	}
	return r.done + int((r.next-r.first)/r.size) + 1
}

// close makes Next ask the region before it hands out more.
func (r *Run) close() { r.done, r.next, r.end, r.first, r.free = r.count(), 0, 0, 0, nil }

// reset forgets what was handed out, and reports whether there was anything.
func (r *Run) reset() bool {
	r.isActive = r.count()+r.inSlices > 0 || len(r.free) > 0
	r.next, r.end, r.first, r.done, r.inSlices, r.free = 0, 0, 0, 0, 0, r.free[:0]
	return r.isActive
}

// activate puts r on the list that Reset walks.
func (g *region) activate(r *Run) {
	if !r.isActive {
		r.isActive = true
		g.active = append(g.active, r)
	}
}

// closeRuns closes all runs.
func (g *region) closeRuns() {
	for _, r := range g.runs {
		r.close()
	}
}
