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
	slots := uint32(max(min(max(count*r.slot, minRun), maxRun)/(int(r.size)*Granule), 1))
	if tools.Checking {
		slots = 1
	}
	at, n := g.alloc(slots*r.size, r.size)
	g.activate(r)
	r.done = count
	r.first, r.next, r.end = at, at, at+n
}

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
func (r *Run) close() { r.done, r.next, r.end, r.first = r.count(), 0, 0, 0 }

// reset forgets what was handed out, and reports whether there was anything.
func (r *Run) reset() bool {
	r.isActive = r.count()+r.inSlices > 0
	r.next, r.end, r.first, r.done, r.inSlices = 0, 0, 0, 0, 0
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
