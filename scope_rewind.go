package arena

import "slices"

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
