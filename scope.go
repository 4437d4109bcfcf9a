package arena

import (
	"math"
	"slices"

	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/tools"
)

// A Mark records what an arena contained when [Arena.Mark] returned it. [Arena.Rewind] goes back to
// it. A Mark is a small value: pass it on, or keep it in a struct. It is valid for one Rewind.
type Mark struct {
	arena  *Arena
	serial uint64
	open   int // how many scopes were open
}

// Mark begins a scope. The scope contains everything allocated from a until [Arena.Rewind] of the
// result. Scopes nest. Rewind is optional: Reset and Free end all scopes.
//
// Use Rewind for values that live shorter than the rest of the arena, in the same goroutine: the
// temporaries of a row or a call, or the attempts of a parser that backtracks. Use Reset when
// nothing in the arena is needed any more and more work of the same kind follows. Use a new arena
// for values whose lifetime does not nest in another's, or that another goroutine uses.
//
//	m := a.Mark()
//	// temporary values
//	a.Rewind(m)
//
// Mark takes time in proportion to the number of types in use. It allocates nothing once the arena
// has had as many open scopes. It panics if a has been freed. Mark of a nil arena returns the zero
// Mark, for Rewind of a nil arena.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	st := a.open()
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	x := st.scopes
	if x == nil || x.depth >= len(x.all) || cap(x.all[x.depth].slabs) < len(st.active) {
		x = st.moreScopes()
	}
	sc := x.all[x.depth]
	active := st.active
	marks := sc.slabs[:len(active)]
	sc.slabs = marks
	for i, s := range active {
		m := &marks[i]
		m.n, m.buf, m.full, m.plainItems = s.n, s.buf.n, s.full, s.plainItems
	}
	p := &st.plain
	sc.off, sc.bytes, sc.text = p.off, p.bytes, p.text
	sc.moves, sc.older = len(x.moves), len(x.older)
	x.serial++
	sc.serial = x.serial
	x.depth++
	if st.watched() {
		st.markWatched(sc)
	}
	return Mark{a, x.serial, x.depth - 1}
}

// Rewind ends the scope that m began, and all scopes begun inside it. Everything allocated since m
// is stale, as after [Arena.Reset], and the arena reuses its memory next. Older values stay valid
// and unchanged. m cannot be used again.
//
// "Older" means made before m. If [Append] or [Push] has grown an older slice since, the older
// slice header stays valid. The grown slice is stale, because the appended elements belong to the
// scope. An older [Map] or [Builder] stays valid with everything put into it, even if it has grown
// since. Its contents may refer to stale values, however: the text of a key of an older Map must
// not come from the scope. References of package ref stay valid until Reset, and keep their memory
// until then. Values of arenakit.Local learn of the Rewind as of a Reset after which the arena does
// not reuse its memory. Builders of Arrow arrays that have values, or memory for some, are then
// stale.
//
// Rewind takes time in proportion to the number of types in use and to what was allocated since m.
// It allocates nothing. It panics if m is from another arena or was already used, if a Reset or the
// Rewind of an earlier Mark followed m, and if a has been freed. Rewind of a nil arena does
// nothing.
func (a *Arena) Rewind(m Mark) {
	if a == nil {
		return
	}
	st := a.stores
	if m.arena != a || st == nil || checking && !a.isItself() || st.arena != a {
		panic(a.badMark(m))
	}
	x := st.scopes
	if x == nil || m.open >= x.depth {
		panic(a.badMark(m))
	}
	sc := x.all[m.open]
	if sc.serial != m.serial {
		panic(a.badMark(m))
	}
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	if len(st.locals) > 1 {
		st.locals.Rewind(x)
	}
	x.depth = m.open
	var bytes int64 // that were in use
	if st.watched() {
		bytes = st.rewindWatched(sc)
	} else {
		bytes = rewindSlabs(st.active, sc.slabs)
		if n := len(sc.slabs); n < len(st.active) {
			bytes += rewindNew(st.active[n:], m.open)
		}
		if bytes += st.plain.bytes; st.plain.bytes != sc.bytes {
			st.plain.rewind(st, sc)
		}
		if st.space != (region.Space{}) {
			bytes += region.InUse(st.space)
		}
	}
	if len(x.moves) > sc.moves {
		x.keep(&st.plain, sc)
	}
	if st.peak < bytes {
		st.peak = bytes
	}
	if a.opt != nil {
		a.rewound(bytes)
	}
	st.checker.check(st)
	if st.record != nil {
		st.record.publish(st.reserved, st)
	}
}

// rewound notes that less memory is in use than before, a number of bytes.
//
//go:noinline
func (a *Arena) rewound(before int64) {
	if m := a.opt.member; m != nil {
		m.allocated.Add(before - a.stores.inUse())
	}
	a.opt.letOut()
}

// badMark returns the text of the panic of a Rewind that does not take m.
//
//go:noinline
func (a *Arena) badMark(m Mark) string {
	a.check()
	a.checkStores()
	if m.arena != a {
		return "arena: Rewind: the Mark is not from " + a.opt.name() + "; pass what its Mark has returned"
	}
	return "arena: Rewind: the Mark of " + a.opt.name() + " was used already, or is older than a Reset or than the Rewind of an earlier Mark; call Mark for each Rewind"
}

// scopes are the open scopes of an arena. They are among its values of arenakit.Local from the
// first Mark on, so that they learn of Resets.
//
// Invariants: all[:depth] are open. all is empty while the arena does not have the scopes among its
// Locals. moves has the moves of the open scopes, one after the other. A scope has at most one of
// each store.
type scopes struct {
	all    []*scope
	depth  int
	moves  []move
	older  []olderSlice
	serial uint64   // of the last Mark of the stores
	idle   []*scope // all, while that is empty
}

// A scope is the state of an arena at a Mark.
type scope struct {
	serial uint64
	slabs  []slabMark // in the order of stores.active, which only grows until a Reset
	moves  int        // the length of scopes.moves
	older  int        // the length of scopes.older
	plainMark
	apart bool // chunks.apart, of a watched arena
}

// A slabMark is the state of a slab at a Mark, except its chunks.
type slabMark struct{ n, buf, full, plainItems int }

// A plainMark is the state of the plain memory at a Mark, except its chunks.
type plainMark struct {
	off   int
	bytes int64
	text  counter
}

// A move is the state of the chunks of a store at a Mark. It is noted before their first change in
// the scope. A watched arena notes all moves at the Mark.
type move struct {
	slab     *slab // nil for the plain memory
	position       // cur may be noChunk
	end      int32 // the length of list
	large    int32 // how many were in use
	dirty    int   // of the plain memory
	zones    tools.Zones
}

// now returns m with the indices that the chunks have now. An index of a chunk that was released
// is less than 0.
func (m move) now(c *chunks) move {
	gone := c.gone - m.gone
	m.low -= gone
	m.end -= gone
	if m.cur != noChunk {
		m.cur -= gone
	}
	return m
}

// moving is called before the chunks of s change. A nil s is the plain memory.
func (st *stores) moving(s *slab) {
	if st.depth() > 0 {
		st.noteMove(s)
	}
}

// noteMove notes the move of s, if it is the first in the innermost scope. A nil s is the plain
// memory.
//
//go:noinline
func (st *stores) noteMove(s *slab) {
	x := st.scopes
	if findMove(x.moves[x.all[x.depth-1].moves:], s) == nil {
		x.addMove(st, s)
	}
}

// addMove adds the present state of the chunks of s. A nil s is the plain memory.
func (x *scopes) addMove(st *stores, s *slab) {
	if len(x.moves) == cap(x.moves) {
		x.moves = slices.Grow(x.moves, 1)
	}
	x.moves = x.moves[:len(x.moves)+1]
	m, c, none := &x.moves[len(x.moves)-1], &st.plain.chunks, st.plain.buf == nil
	m.slab, m.dirty = s, st.plain.dirty
	if s != nil {
		c, none, m.zones = &s.chunks, s.buf.at.isNil(), s.zones
	}
	m.position, m.end, m.large = c.position, int32(len(c.list)), 0
	if none {
		m.cur = noChunk
	}
	if c.large != nil {
		m.large = int32(c.large.used)
	}
}

// findMove returns the first move of s, or nil if there is none. A nil s is the plain memory.
func findMove(moves []move, s *slab) *move {
	for i := range moves {
		if moves[i].slab == s {
			return &moves[i]
		}
	}
	return nil
}

// An olderSlice records a slice in plain memory that was made in a scope for something older.
type olderSlice struct {
	slab     *slab
	n, bytes int
	born     int
}

// ArenaReset forgets all scopes. Package share calls it.
func (x *scopes) ArenaReset(bool) {
	clear(x.moves)
	clear(x.older)
	x.depth, x.moves, x.older = 0, x.moves[:0], x.older[:0]
}

// ArenaIdle forgets all scopes at the end of the arena, and says that the list of Locals is to
// forget x.
func (x *scopes) ArenaIdle() bool {
	x.ArenaReset(false)
	x.all, x.idle = nil, x.all
	return false
}

// depth returns the number of open scopes. There may be no stores.
func (st *stores) depth() int {
	if st == nil || st.scopes == nil {
		return 0
	}
	return st.scopes.depth
}

// A depth is a number of open scopes, or if there are more than it can count, the most that it can:
// something that was made then counts as older than it is, and its memory stays longer.
type depth uint16

// depth returns the number of open scopes of an arena, which may be nil.
func (a *Arena) depth() depth { return depth(min(a.openScopes(), math.MaxUint16)) }

// openScopes is depth without a bound.
func (a *Arena) openScopes() int {
	if a == nil {
		return 0
	}
	return a.stores.depth()
}

// moreScopes returns the scopes, with room for one more and its marks of slabs.
//
//go:noinline
func (st *stores) moreScopes() *scopes {
	x := st.scopes
	if x == nil {
		x = new(scopes)
		st.scopes = x
	}
	if len(x.all) == 0 {
		x.all, x.idle = x.idle, nil
		st.locals.Add(x)
	}
	if x.depth == len(x.all) {
		x.all = append(x.all, new(scope))
	}
	sc := x.all[x.depth]
	sc.slabs = slices.Grow(sc.slabs[:0], len(st.active))
	return x
}

// noChunk is the position of the current chunk where there is none.
const noChunk = math.MinInt32

// noSlabMark and noMove are the mark and the move of a slab that was not in use.
var (
	noSlabMark slabMark
	noMove     = move{position: position{cur: noChunk}}
)

// keep forgets the moves and the older slices since sc began, unless they also belong to scopes
// that stay open. It counts the slices that stay.
//
//go:noinline
func (x *scopes) keep(p *plain, sc *scope) {
	moves := x.moves[:sc.moves]
	if x.depth > 0 {
		outer := x.all[x.depth-1].moves
		for _, m := range x.moves[sc.moves:] {
			if findMove(moves[outer:], m.slab) == nil {
				moves = append(moves, m)
			}
		}
	}
	for i := len(moves); i < len(x.moves); i++ {
		x.moves[i].slab = nil // the rest of a move keeps nothing alive
	}
	x.moves = moves
	if len(x.older) == sc.older {
		return
	}
	older := x.older[:sc.older]
	for _, o := range x.older[sc.older:] {
		if o.born <= x.depth {
			o.slab.plainItems += o.n
			p.bytes += int64(o.bytes)
			older = append(older, o)
		}
	}
	clear(x.older[len(older):])
	x.older = older
}
