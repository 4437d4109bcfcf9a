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
	a.check()
	st := a.open()
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	return Mark{a, st.mark(), st.depth() - 1}
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
	a.check()
	a.checkStores()
	st := a.stores
	switch {
	case m.arena != a:
		panic("arena: Rewind: the Mark is not from " + a.opt.name() + "; pass what its Mark has returned")
	case m.open >= st.depth() || st.scopes.open[m.open].serial != m.serial:
		panic("arena: Rewind: the Mark of " + a.opt.name() + " was used already, or is older than a Reset or than the Rewind of an earlier Mark; call Mark for each Rewind")
	}
	st.rewind(m.open)
	a.opt.letOut()
}

// scopes are the open scopes of an arena. They are among its values of arenakit.Local from the
// first Mark on, so that they learn of Resets.
//
// Invariants: slabs has scope.slabs marks of each scope that is open, in the order of
// stores.active, which only grows until a Reset.
type scopes struct {
	open   []scope
	slabs  []slabMark
	older  []olderSlice
	serial uint64 // of the last Mark of the stores
	listed bool   // the arena has them among its Locals
}

// A scope is the state of an arena at a Mark.
type scope struct {
	serial uint64
	slabs  int // marks, the last at scopes.slabs[from+slabs-1]
	from   int
	older  int
	plain  plainMark
	apart  bool // chunks.apart
}

// A slabMark is the state of a slab at a Mark.
type slabMark struct {
	zones      tools.Zones
	n, buf     int
	full       int
	plainItems int
	chunksMark
}

// A plainMark is the state of the plain memory at a Mark.
type plainMark struct {
	off, dirty int
	bytes      int64
	text       counter
	chunksMark
}

// A chunksMark is the state of chunks at a Mark.
type chunksMark struct {
	position       // cur may be noChunk
	end      int32 // the length of list
	large    int32 // how many were in use
}

// now returns m with the indices that the chunks have now. An index of a chunk that was released
// is less than 0.
func (m chunksMark) now(c *chunks) chunksMark {
	gone := c.gone - m.gone
	m.low -= gone
	m.end -= gone
	if m.cur != noChunk {
		m.cur -= gone
	}
	return m
}

// An olderSlice records a slice in plain memory that was made in a scope for something older.
type olderSlice struct {
	slab     *slab
	n, bytes int
	born     int
}

// ArenaReset forgets all scopes. Package share calls it.
func (x *scopes) ArenaReset(bool) {
	clear(x.older)
	x.open, x.slabs, x.older = x.open[:0], x.slabs[:0], x.older[:0]
}

// ArenaIdle forgets all scopes at the end of the arena, and says that the list of Locals is to
// forget x.
func (x *scopes) ArenaIdle() bool {
	x.ArenaReset(false)
	x.listed = false
	return false
}

// depth returns the number of open scopes. There may be no stores.
func (st *stores) depth() int {
	if st == nil || st.scopes == nil {
		return 0
	}
	return len(st.scopes.open)
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

// mark begins a scope and returns its serial number.
func (st *stores) mark() uint64 {
	x := st.scopes
	if x == nil {
		x = new(scopes)
		st.scopes = x
	}
	if !x.listed {
		x.listed = true
		st.locals.Add(x)
	}
	x.serial++
	from, to := len(x.slabs), len(x.slabs)+len(st.active)
	if to > cap(x.slabs) || len(x.open) == cap(x.open) {
		x.grow(len(st.active))
	}
	x.open, x.slabs = x.open[:len(x.open)+1], x.slabs[:to]
	sc := &x.open[len(x.open)-1]
	sc.serial, sc.slabs, sc.from, sc.older, sc.apart = x.serial, len(st.active), from, len(x.older), st.plain.chunks.apart
	st.plain.mark(&sc.plain)
	marks := x.slabs[from:]
	for i, s := range st.active {
		// By hand, since a Mark is little more than this.
		m, c := &marks[i], &s.chunks
		m.zones, m.n, m.buf, m.full, m.plainItems = s.zones, s.n, s.buf.n, s.full, s.plainItems
		m.position, m.end, m.large = c.position, int32(len(c.list)), 0
		if s.buf.at.isNil() {
			m.cur = noChunk
		}
		if c.large != nil {
			m.large = int32(c.large.used)
		}
	}
	if st.watched() {
		st.markWatched()
	}
	return x.serial
}

// grow makes room for one more scope and its marks of slabs.
//
//go:noinline
func (x *scopes) grow(slabs int) {
	x.open, x.slabs = slices.Grow(x.open, 1), slices.Grow(x.slabs, slabs)
}

// mark notes what p is.
func (p *plain) mark(m *plainMark) {
	c := &p.chunks
	m.off, m.dirty, m.bytes, m.text = p.off, p.dirty, p.bytes, p.text
	m.position, m.end, m.large = c.position, int32(len(c.list)), 0
	if p.buf == nil {
		m.cur = noChunk
	}
	if c.large != nil {
		m.large = int32(c.large.used)
	}
}

// noChunk is the position of the current chunk where there is none.
const noChunk = math.MinInt32

// noSlabMark is the mark of a slab that was not in use.
var noSlabMark = slabMark{chunksMark: chunksMark{position: position{cur: noChunk}}}

// rewind ends all scopes but the first ones. open is how many stay open.
func (st *stores) rewind(open int) {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	x := st.scopes
	if len(st.locals) > 1 {
		st.locals.Rewind(x)
	}
	sc := &x.open[open]
	marks := x.slabs[sc.from : sc.from+sc.slabs]
	var before int64 // bytes that were in use
	if st.watched() {
		before = st.inUse()
		st.rewindWatched(open, sc, marks)
	} else {
		before = st.plain.bytes + region.InUse(st.space)
		active := st.active
		for i := range marks {
			before += active[i].rewind(&marks[i], open)
		}
		for i := len(marks); i < len(active); i++ {
			before += active[i].rewind(&noSlabMark, open)
		}
		st.plain.rewind(&sc.plain, open)
	}
	st.peak = max(st.peak, before)
	x.open, x.slabs = x.open[:open], x.slabs[:sc.from]
	if len(x.older) > sc.older {
		x.keepOlder(&st.plain, sc.older, open)
	}
	if o := st.arena.opt; o != nil && o.member != nil {
		o.member.allocated.Add(before - st.inUse())
	}
	st.checker.check(st)
	if st.record != nil {
		st.record.publish(st.reserved, st)
	}
}

// keepOlder counts the slices in older[from:] that do not belong to the ending scopes, and forgets
// the others.
func (x *scopes) keepOlder(p *plain, from, open int) {
	kept := x.older[:from]
	for _, o := range x.older[from:] {
		if o.born <= open {
			o.slab.plainItems += o.n
			p.bytes += int64(o.bytes)
			kept = append(kept, o)
		}
	}
	clear(x.older[len(kept):])
	x.older = kept
}

// rewind frees what was handed out since m, and returns the bytes that were in use. open is how
// many scopes stay open.
func (s *slab) rewind(m *slabMark, open int) (bytes int64) {
	count := s.full - s.n
	bytes = int64(count) * int64(s.chunks.size)
	s.plainItems = m.plainItems
	if s.full != m.full || s.buf.n != m.buf {
		s.rewindMore(m, open)
		return bytes
	}
	if n := s.n; n != m.n {
		// The usual scope: there was only New, in one chunk.
		s.n = m.n
		if s.most < count {
			s.most = count
		}
		s.slots.clear(s.buf.block, n, m.n)
	}
	return bytes
}

// rewindMore is rewind where there was more than New in one chunk.
//
//go:noinline
func (s *slab) rewindMore(m *slabMark, open int) {
	c := &s.chunks
	s.most = max(s.most, s.full-s.n)
	used := m.full - m.n
	if c.large != nil && c.large.used > int(m.large) {
		used += c.rewindLarge(&s.slots, s.isPlain(), int(m.large), open)
	}
	if !s.buf.at.isNil() { // otherwise there was nothing else
		if now := m.now(c); c.cur == now.cur {
			s.rewindChunk(m)
		} else {
			s.rewindChunks(m, now)
		}
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
func (s *slab) rewindChunks(m *slabMark, was chunksMark) {
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
func (c *chunks) giveBack(was chunksMark) {
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

// rewind frees what was handed out since m.
func (p *plain) rewind(m *plainMark, open int) {
	c := &p.chunks
	if c.large != nil && c.large.used > int(m.large) {
		c.rewindLarge(&byteSlots, true, int(m.large), open)
	}
	p.bytes, p.text = m.bytes, m.text
	if p.buf == nil {
		return // then there was nothing else
	}
	dirty := max(p.dirty, p.off)
	was := m.now(c)
	if c.cur == was.cur {
		p.off, p.dirty = m.off, dirty
		return
	}
	if was.cur < 0 || m.off == 0 && was.low == was.end-1 {
		// Nothing was handed out before m.
		if int(c.cur) != len(c.list)-1 {
			dirty = 0
		}
		chunk, _ := c.resetRegular(&byteSlots, true, 0, len(p.buf))
		p.use(slotsOf[byte](chunk), dirty)
		return
	}
	chunk := slotsOf[byte](c.list[was.cur])
	c.giveBack(was)
	p.use(chunk, len(chunk))
	p.off = m.off
}

// markWatched sees to it that what is handed out from here on lies in other chunks, which are small
// at first.
func (st *stores) markWatched() {
	for _, s := range st.active {
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

// rewindWatched is rewind of a watched arena: it releases the chunks added since, after it has
// notified all watchers.
func (st *stores) rewindWatched(open int, sc *scope, marks []slabMark) {
	if st.keeper != nil {
		st.keeper.rewinding(open)
	}
	var all []extent
	var gone []func() // releases them
	drop := func(c *chunks, t reflect.Type, end, large int32, release func()) {
		all = c.extentsSince(all, t, int(end), int(large), open)
		gone = append(gone, release)
	}
	for i, s := range st.active {
		m := &noSlabMark
		if i < len(marks) {
			m = &marks[i]
		}
		drop(&s.chunks, s.typ(), m.end, m.large, func() { s.rewindWatched(m, open) })
	}
	drop(&st.plain.chunks, reflect.TypeFor[byte](), sc.plain.end, sc.plain.large, func() { st.plain.rewindWatched(st, &sc.plain, open) })
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

func (s *slab) rewindWatched(m *slabMark, open int) {
	c := &s.chunks
	s.most = max(s.most, s.full-s.n)
	slots := c.dropSince(s.stores, int(m.end), int(m.large), open)
	s.n, s.full = m.n, m.full+slots
	s.plainItems, s.zones = m.plainItems, m.zones
	c.low, c.cur, c.hint = m.low, m.cur, m.hint
	if m.cur == noChunk {
		s.use(block{})
		return
	}
	chunk := c.list[c.cur]
	s.useFrom(chunk, chunk.n-m.buf)
}

func (p *plain) rewindWatched(st *stores, m *plainMark, open int) {
	c := &p.chunks
	c.dropSince(st, int(m.end), int(m.large), open)
	p.bytes, p.text = m.bytes, m.text
	c.low, c.cur, c.hint = m.low, m.cur, m.hint
	if m.cur == noChunk {
		p.use(nil, 0)
		return
	}
	p.use(slotsOf[byte](c.list[c.cur]), m.dirty)
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
