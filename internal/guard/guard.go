// Package guard gives out memory that cannot be accessed past its end, and not at all once it has
// ended. It looks for writes to other memory that has ended, too. It is guard mode, without the
// arenas.
//
// A [Guard] serves one arena, its [Owner]. It knows of that only what Owner says, and of memory
// where it is and of which type. What it finds out is a [Finding].
//
//   - A ward (ward.go) is pages of the Go heap, the last of which is inaccessible, and all of which
//     are from their end on.
//   - The quarantine (quarantine.go) has what has ended lately. Bytes that are not on pages of a
//     ward are compared with what they were, and pointers in them are aimed at a ward
//     (unsafe_aim.go).
//   - Faults are noted (fault.go) by the handler of internal/fault, and told later.
package guard

import (
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/vm"
)

// The bounds of all guards together, and of each. The documentation of arena.Options tells them.
const (
	MaxWards      = 8192 // the system bounds them: Linux to some 65,000, of which the program may need many
	MaxFenced     = 256  // allocations of a Guard that have pages of their own
	MaxSampled    = 8    // the same of one that a Pool has chosen
	MaxEndings    = 1000
	MaxQuarantine = 16 << 20 // bytes

	sharedSize = 64 << 10
)

// A Guard looks after the memory of an arena. One goroutine may use it at a time.
type Guard struct {
	owner  Owner
	values bool
	what   string // the description of the next allocation, if Alloc cannot know it
	wards  []pages
	fenced int       // allocations that have pages of their own,
	most   int       // and how many may have
	moved  []*ending // what was Left since the last Retire, where it shares its pages with other things
	shared []byte    // the free part of a ward for several allocations,
	common pages     // all of it,
	told   bool      // whether Alone was asked about anything on it
	scopes []scope
}

// A scope is what a Guard had at a Mark.
type scope struct {
	wards, moved, fenced int
	shared               []byte
	common               pages
	told                 bool
}

// New returns a Guard that gives pages of their own to at most the given number of allocations
// after each Retire. It looks for writes to values outside its pages only if values is set. Do not
// set it if somebody else does that.
func New(o Owner, most int, values bool) *Guard { return &Guard{owner: o, most: most, values: values} }

// Alloc returns size > 0 bytes of zeroed plain memory on guarded pages, for values of type t. It
// returns nil when there can be no more such pages.
func (g *Guard) Alloc(size int, t reflect.Type) []byte {
	what := g.what
	if what == "" {
		what = "values of type " + t.String()
	}
	if g.fenced >= g.most && size <= sharedSize/4 {
		return g.share(size)
	}
	g.fenced++
	p := newPages(g.owner, what, size)
	if p.mem == nil {
		return nil
	}
	end := len(p.mem) - vm.PageSize()
	b := p.mem[end-size : end : end]
	p.at, p.size = address(b), uintptr(size)
	g.wards = append(g.wards, p)
	return b
}

// Expect says what the next Alloc is for. After Expect("") nobody knows.
func (g *Guard) Expect(what string) { g.what = what }

// HandedOut notes that b was handed out of what Alloc has returned last, which also had room for
// alignment.
func (g *Guard) HandedOut(b []byte) {
	if n := len(g.wards); n > 0 {
		if w := g.wards[n-1]; w.lo <= address(b) && address(b) < w.hi && w.size > 0 {
			w.at, w.size = address(b), uintptr(len(b))
		}
	}
}

// Alone reports whether b, which Alloc has returned, or a part of it, shares its pages with nothing
// else. If it shares them, first reports whether Alone is asked about these pages for the first
// time.
func (g *Guard) Alone(b []byte) (alone, first bool) {
	if w := g.common.ward; w == nil || address(b) < w.lo || address(b) >= w.hi {
		return true, false
	}
	first, g.told = !g.told, true
	return false, first
}

// Common returns the pages that Alone has told of.
func (g *Guard) Common() []byte { return g.common.mem[:sharedSize] }

// share is Alloc from pages that several allocations share.
func (g *Guard) share(size int) []byte {
	if size > len(g.shared) {
		p := newPages(g.owner, "text and plain values", sharedSize)
		if p.mem == nil {
			return nil
		}
		g.wards = append(g.wards, p)
		g.shared, g.common, g.told = p.mem[:sharedSize], p, false
	}
	b := g.shared[:size:size]
	g.shared = g.shared[min((size+63)&^63, len(g.shared)):]
	return b
}

// Retire ends what the arena has handed out: all of that, and the pages of the Guard.
func (g *Guard) Retire(all []Memory, end End) {
	wards, moved := g.wards, g.moved
	*g = Guard{owner: g.owner, most: g.most, values: g.values}
	g.retire(wards, moved, all, end)
}

// Mark begins a scope, which shares no pages with what is there already.
func (g *Guard) Mark() {
	g.scopes = append(g.scopes, scope{len(g.wards), len(g.moved), g.fenced, g.shared, g.common, g.told})
	g.shared, g.common, g.told = nil, pages{}, false
}

// Rewind ends what was handed out since the Mark before which open scopes were open: all of that,
// and its pages.
func (g *Guard) Rewind(open int, all []Memory, end End) {
	s := g.scopes[open]
	wards, moved := slices.Clone(g.wards[s.wards:]), slices.Clone(g.moved[s.moved:])
	g.wards = slices.Delete(g.wards, s.wards, len(g.wards))
	g.moved = slices.Delete(g.moved, s.moved, len(g.moved))
	g.fenced, g.shared, g.common, g.told = s.fenced, s.shared, s.common, s.told
	g.scopes = slices.Delete(g.scopes, open, len(g.scopes))
	g.retire(wards, moved, all, end)
}

// retire ends all, with these pages and what was moved out of.
func (g *Guard) retire(wards []pages, moved []*ending, all []Memory, end End) {
	e := &ending{owner: g.owner, end: &end, wards: wards}
	guarded := map[uintptr]bool{}
	for _, e := range moved {
		e.finish() // before it cannot be read any more
	}
	for _, p := range wards {
		if p.ended == nil {
			p.takeFaults() // from before its end
			p.note()
			p.protect(p.mem, e.end)
			// If the system has refused, nobody knows which of its pages can be written to, or
			// read: it is left alone.
		}
		for at := p.lo; at < p.hi; at += uintptr(vm.PageSize()) {
			guarded[at] = true
		}
		e.bytes += len(p.mem)
	}
	if !g.values {
		all = nil
	}
	e.aim(all)
	for _, m := range all {
		if len(m.bytes) == 0 || guarded[address(m.bytes)&^uintptr(vm.PageSize()-1)] {
			continue
		}
		if m.plain {
			Fill(m.bytes)
		}
		if e.bytes+2*len(m.bytes) <= MaxQuarantine {
			e.values = append(e.values, snapshot{m, m.copy()})
			e.bytes += 2 * len(m.bytes)
		}
	}
	e.begin()
}

// Left ends m, which the arena does not have any more: its pages if these have nothing else in
// them, or else the values as Retire does.
func (g *Guard) Left(m Memory, end End) {
	e := &ending{owner: g.owner, end: &end}
	for _, p := range g.wards {
		if at := address(m.bytes); p.lo <= at && at < p.hi && p.size > 0 {
			p.takeFaults()
			p.protect(p.mem, e.end)
			return
		}
	}
	if !g.values {
		return
	}
	if m.plain {
		Fill(m.bytes)
	} else {
		e.aim([]Memory{m})
	}
	if e.bytes += 2 * len(m.bytes); e.bytes <= MaxQuarantine {
		e.values = []snapshot{{m, m.copy()}}
	}
	if m.plain {
		g.moved = append(g.moved, e)
	}
	e.begin()
}
