package arena

import (
	"math"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
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
		x.moves[i].slab = nil // all that keeps anything alive
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

// rewindSlabs frees what was handed out since the marks, and returns the bytes that were in use.
// Most scopes spend their time here, so only rare cases take a call.
func rewindSlabs(active []*slab, marks []slabMark) (bytes int64) {
	active = active[:len(marks)]
	for i, s := range active {
		m := &marks[i]
		n, full, size := s.n, s.full, s.chunks.size
		used := full - n
		bytes += int64(used) * int64(size)
		if full != m.full || s.buf.n != m.buf {
			s.rewind(i)
			continue
		}
		s.plainItems = m.plainItems
		to := m.n
		if to == n {
			continue
		}
		// The usual scope: there was only New, in one chunk.
		if s.most < used {
			s.most = used
		}
		s.n = to
		from := n * size
		if to-n > int(s.few) || from < twoWords {
			s.zero(n, to)
			continue
		}
		to *= size
		if s.pairs {
			zeroPairs(s.buf.at, from, to)
			continue
		}
		zeroBytes(s.buf.at, from, to)
	}
	return bytes
}

// rewindNew empties slabs that were not in use at the Mark. It returns the bytes that were in use.
//
//go:noinline
func rewindNew(slabs []*slab, open int) (bytes int64) {
	for _, s := range slabs {
		_, n := s.used()
		bytes += n
		s.rewindTo(&noSlabMark, &noMove, open)
	}
	return bytes
}

// rewind is rewindSlabs for one slab, the given one of the active ones.
//
//go:noinline
func (s *slab) rewind(i int) {
	x := s.stores.scopes
	sc := x.all[x.depth] // which ends
	s.rewindTo(&sc.slabs[i], findMove(x.moves[sc.moves:], s), x.depth)
}

// rewindTo frees what was handed out since m. was is nil if the chunks have not changed. open is
// the number of scopes that stay open.
func (s *slab) rewindTo(m *slabMark, was *move, open int) {
	c := &s.chunks
	s.most = max(s.most, s.full-s.n)
	s.plainItems = m.plainItems
	used := m.full - m.n
	if was != nil && c.large != nil && c.large.used > int(was.large) {
		used += c.rewindLarge(&s.slots, s.isPlain(), int(was.large), open)
	}
	switch {
	case s.buf.at.isNil(): // then there was nothing else
	case was == nil || was.now(c).cur == c.cur:
		s.rewindChunk(m)
	default:
		s.rewindChunks(m, was.now(c))
	}
	s.full = used + s.n
}

// rewindChunk is rewind where the current chunk is what it was.
func (s *slab) rewindChunk(m *slabMark) {
	chunk := s.chunks.list[s.chunks.cur]
	was, is := chunk.n-m.buf, chunk.n-s.buf.n
	if is > was {
		s.slots.clear(chunk, was, is)
	}
	if was+m.n > is+s.n {
		s.slots.clear(chunk, is+s.n, was+m.n)
	}
	s.n = m.n
	if is != was {
		s.useFrom(chunk, was)
	}
}

// useFrom makes what is in chunk from a slot on the buffer. There is such a slot.
func (s *slab) useFrom(chunk block, from int) {
	b := block{chunk.at, 0}
	if from < chunk.n {
		b = chunk.part(from, chunk.n, s.chunks.size)
	}
	s.buf = header{b, b.n}
}

// rewindChunks is rewind where the current chunk is not what it was. was is m.now.
func (s *slab) rewindChunks(m *slabMark, was move) {
	c := &s.chunks
	lazy := s.isPlain()
	from := c.list[c.cur].n - s.buf.n // what is free in the current chunk is [from, to)
	to := from + s.n
	if was.cur < 0 || m.n == c.list[was.cur].n && was.low == was.end-1 {
		// Nothing was handed out before m.
		chunk, _ := c.resetRegular(&s.slots, len(c.list) > 1 && lazy, from, to)
		s.use(chunk)
		return
	}
	for i := c.low; i < int32(len(c.list)); i++ {
		if was.low <= i && i < was.end {
			continue
		}
		switch {
		case lazy:
		case i == c.cur:
			s.slots.clear(c.list[i], 0, from)
			s.slots.clear(c.list[i], to, c.list[i].n)
		default:
			s.slots.clear(c.list[i], 0, c.list[i].n)
		}
	}
	chunk := c.list[was.cur]
	c.giveBack(was)
	free := chunk.n - m.buf
	s.slots.clear(chunk, free, free+m.n)
	s.n = m.n
	s.useFrom(chunk, free)
}

// resetRegular is reset but for the large chunks.
func (c *chunks) resetRegular(t *slotType, lazy bool, from, to int) (m block, ok bool) {
	large := c.large
	c.large = nil
	m, ok = c.reset(t, lazy, from, to)
	c.large = large
	return m, ok
}

// giveBack makes the chunks retained that are in use since was. They lie before the others.
func (c *chunks) giveBack(was move) {
	c.need = max(c.need, int32(len(c.list))-c.low)
	n := int32(len(c.list)) - was.end
	if n > 0 {
		slices.Reverse(c.list[was.low:was.end])
		slices.Reverse(c.list[was.end:])
		slices.Reverse(c.list[was.low:])
		c.gone -= n
	}
	c.low, c.cur = was.low+n, was.cur+n
}

// rewindLarge frees the large chunks from an index on, except chunks of values older than the
// ending scopes. It returns the slots in use in the kept chunks.
func (c *chunks) rewindLarge(t *slotType, lazy bool, from, open int) (slots int) {
	l := c.large
	l.need = max(l.need, l.used)
	kept := from
	for i := from; i < l.used; i++ {
		switch m := l.list[i]; {
		case m.born <= open:
			slots += m.used
			l.list[kept], l.list[i] = m, l.list[kept]
			kept++
		case !lazy:
			t.clear(m.mem, 0, m.used)
		}
	}
	l.used = kept
	return slots
}

// rewind frees what was handed out since sc began.
//
//go:noinline
func (p *plain) rewind(st *stores, sc *scope) {
	c, was := &p.chunks, findMove(st.scopes.moves[sc.moves:], nil)
	if was != nil && c.large != nil && c.large.used > int(was.large) {
		c.rewindLarge(&byteSlots, true, int(was.large), st.scopes.depth)
	}
	p.bytes, p.text = sc.bytes, sc.text
	if p.buf == nil {
		return // then there was nothing else
	}
	dirty := max(p.dirty, p.off)
	if was == nil || was.now(c).cur == c.cur {
		p.off, p.dirty = sc.off, dirty
		return
	}
	then := was.now(c)
	if then.cur < 0 || sc.off == 0 && then.low == then.end-1 {
		// Nothing was handed out before sc began.
		if int(c.cur) != len(c.list)-1 {
			dirty = 0
		}
		chunk, _ := c.resetRegular(&byteSlots, true, 0, len(p.buf))
		p.use(slotsOf[byte](chunk), dirty)
		return
	}
	chunk := slotsOf[byte](c.list[then.cur])
	c.giveBack(then)
	p.use(chunk, len(chunk))
	p.off = sc.off
}

// markWatched sees to it that what is handed out from here on lies in other chunks, which are small
// at first. It notes all moves, the move of the plain memory first.
func (st *stores) markWatched(sc *scope) {
	sc.apart = st.plain.chunks.apart
	x := st.scopes
	x.addMove(st, nil)
	for _, s := range st.active {
		x.addMove(st, s)
		s.full -= s.n // they count as used
		s.n, s.buf.n, s.buf.cap = 0, 0, 0
		s.chunks.startSmall()
	}
	p := &st.plain
	p.off = len(p.buf)
	p.chunks.startSmall()
	if st.guard != nil {
		st.guard.mark()
	}
	if st.keeper != nil {
		st.keeper.mark()
		st.keepApart(true)
	}
}

// startSmall makes the next chunk as small as the first one is.
func (c *chunks) startSmall() {
	if c.bytes > 0 && c.size > 0 {
		c.hint = int32(max(firstChunk/c.size, 1))
	}
}

// rewindWatched is Rewind of a watched arena: it releases the chunks added since, after it has
// notified all watchers. It returns the bytes that were in use.
//
//go:noinline
func (st *stores) rewindWatched(sc *scope) int64 {
	before, open := st.inUse(), st.scopes.depth
	if st.keeper != nil {
		st.keeper.rewinding(open)
	}
	var all []extent
	var gone []func() // releases them
	drop := func(c *chunks, t reflect.Type, end, large int32, release func()) {
		all = c.extentsSince(all, t, int(end), int(large), open)
		gone = append(gone, release)
	}
	marks, moves := sc.slabs, st.scopes.moves[sc.moves:] // as markWatched has noted them
	for i, s := range st.active {
		m, was := &noSlabMark, &noMove
		if i < len(marks) {
			m, was = &marks[i], &moves[1+i]
		}
		drop(&s.chunks, s.typ(), was.end, was.large, func() { s.rewindWatched(m, was, open) })
	}
	was := &moves[0]
	drop(&st.plain.chunks, reflect.TypeFor[byte](), was.end, was.large, func() { st.plain.rewindWatched(st, &sc.plainMark, was, open) })
	rest := st.withoutLeft(all)
	st.left = slices.DeleteFunc(st.left, func(l extent) bool {
		return slices.ContainsFunc(all, func(m extent) bool {
			at := l.at.address() - m.at.address()
			return at < uintptr(max(m.bytes, 1))
		})
	})
	if st.guard != nil {
		st.guard.rewind(open, rest)
	}
	st.ended(rest)
	for _, release := range gone {
		release()
	}
	if st.keeper != nil {
		st.keeper.released()
	}
	st.keepApart(sc.apart)
	return before
}

// extentsSince appends the memory of the chunks from an index on, and of the large chunks, except
// chunks of values older than the ending scopes.
func (c *chunks) extentsSince(all []extent, t reflect.Type, end, large, open int) []extent {
	for _, m := range c.list[min(end, len(c.list)):] {
		all = append(all, m.extent(c.size, t))
	}
	if c.large != nil {
		for _, l := range c.large.list[large:] {
			if l.born > open {
				all = append(all, l.mem.extent(c.size, t))
			}
		}
	}
	return all
}

// dropSince releases the memory of extentsSince, and returns the slots in use in the large chunks
// that stay.
func (c *chunks) dropSince(st *stores, end, large, open int) (slots int) {
	end = min(end, len(c.list))
	gone := slices.Clone(c.list[end:])
	c.list = slices.Delete(c.list, end, len(c.list))
	if l := c.large; l != nil {
		kept := l.list[:large]
		for _, m := range l.list[large:] {
			if m.born > open {
				gone = append(gone, m.mem)
			} else {
				kept = append(kept, m)
				slots += m.used
			}
		}
		clear(l.list[len(kept):])
		l.list, l.used = kept, len(kept)
	}
	for _, m := range gone {
		c.uncount(st, m)
	}
	for _, m := range gone {
		st.letGo(m)
	}
	return slots
}

func (s *slab) rewindWatched(m *slabMark, was *move, open int) {
	c := &s.chunks
	s.most = max(s.most, s.full-s.n)
	slots := c.dropSince(s.stores, int(was.end), int(was.large), open)
	s.n, s.full = m.n, m.full+slots
	s.plainItems, s.zones = m.plainItems, was.zones
	c.low, c.cur, c.hint = was.low, was.cur, was.hint
	if was.cur == noChunk {
		s.use(block{})
		return
	}
	chunk := c.list[c.cur]
	s.useFrom(chunk, chunk.n-m.buf)
}

func (p *plain) rewindWatched(st *stores, m *plainMark, was *move, open int) {
	c := &p.chunks
	c.dropSince(st, int(was.end), int(was.large), open)
	p.bytes, p.text = m.bytes, m.text
	c.low, c.cur, c.hint = was.low, was.cur, was.hint
	if was.cur == noChunk {
		p.use(nil, 0)
		return
	}
	p.use(slotsOf[byte](c.list[c.cur]), was.dirty)
	p.off = m.off
}

// What follows is for Maps and Builders, which grow in a scope though they are older. Their new
// memory has their age: it is a chunk of its own, which stays until the innermost scope at their
// making ends.

// makeBorn is MakeSlice for something that was made when born scopes were open.
func makeBorn[T any](a *Arena, len, cap int, born depth) []T {
	if a.openScopes() <= int(born) {
		return makeSliceIn[T](a, len, cap)
	}
	checkLen(len, cap, mem.SizeOf[T]())
	if cap == 0 {
		return []T{}
	}
	s := slabOf[T](a)
	return slotsOf[T](s.makeBorn(cap, alignOf[T](), int(born)))[:len]
}

// growBorn is Grow of bytes of something that was made when born scopes were open.
func growBorn(a *Arena, b []byte, n int, born depth) []byte {
	if a.openScopes() <= int(born) {
		return Grow(a, b, n)
	}
	if n <= cap(b)-len(b) {
		return b
	}
	grown := makeBorn[byte](a, len(b), max(len(b)+n, 2*cap(b)), born)
	copy(grown, b)
	return grown
}

// makeBorn is make for something that was made when born scopes were open. The watchers do not know
// of it before the arena has ended.
func (s *slab) makeBorn(n, align, born int) block {
	st := s.stores
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	guard, keeper := st.guard, st.keeper
	defer func() { st.guard, st.keeper = guard, keeper }()
	st.guard, st.keeper = nil, nil
	c, t, slots, plain := &s.chunks, &s.slots, n, s.isPlain()
	size := c.size
	switch {
	case plain && size == 0:
		v := t.make(n)
		s.plainItems += n
		s.activate()
		return v
	case plain:
		c, t, slots = &st.plain.chunks, &byteSlots, n*size+align-1
		if slots < n {
			panicSize("an allocation", n, size)
		}
	}
	if plain {
		st.moving(nil)
	} else {
		st.moving(s)
	}
	v := c.slice(st, t, slots, true, born)
	s.activate()
	if plain {
		skip := int(-v.at.address() & uintptr(align-1))
		v = block{v.part(skip, slots, 1).at, n}
		st.scopes.older = append(st.scopes.older, olderSlice{s, n, n * size, born})
		s.plainItems += n
		st.plain.bytes += int64(n * size)
	} else {
		s.full += n
	}
	handOut(v, size)
	return v
}
