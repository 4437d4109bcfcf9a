package arena

import (
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/mem"
)

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
	mem.Each(gone, func(release func()) { release() })
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

// dropSince takes the memory of extentsSince off the lists. It returns that, for letGo, and the
// slots in use in the large chunks that stay.
func (c *chunks) dropSince(st *stores, end, large, open int) (gone []block, slots int) {
	end = min(end, len(c.list))
	gone = slices.Clone(c.list[end:])
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
	return gone, slots
}

func (s *slab) rewindWatched(m *slabMark, was *move, open int) {
	c := &s.chunks
	s.most = max(s.most, s.full-s.n)
	gone, slots := c.dropSince(s.stores, int(was.end), int(was.large), open)
	defer mem.Each(gone, s.stores.letGo) // when s does not have it, because a Memory may panic
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
	gone, _ := c.dropSince(st, int(was.end), int(was.large), open)
	defer mem.Each(gone, st.letGo) // as for a slab
	p.bytes, p.text = m.bytes, m.text
	c.low, c.cur, c.hint = was.low, was.cur, was.hint
	if was.cur == noChunk {
		p.use(nil, 0)
		return
	}
	p.use(slotsOf[byte](c.list[c.cur]), was.dirty)
	p.off = m.off
}
