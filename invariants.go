package arena

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// A checker counts the slow paths of an arena, in programs that look for mistakes.
type checker struct{ paths int }

// check panics when an invariant of st does not hold. It looks after each of the first slow
// paths, and then after one in a hundred: each look is at the whole arena.
//
// Where memory is used again, which in such programs is so in some tests only, a write through a
// stale pointer breaks invariants. In other programs check does nothing.
func (c *checker) check(st *stores) {
	if !checking || !st.watched() {
		return
	}
	c.paths++
	if c.paths > 100 && c.paths%100 != 0 {
		return
	}
	if _, err := st.checkInvariants(); err != nil {
		panic("arena: " + st.arena.opt.name() + " is corrupt, by a data race, unsafe code, or a bug of this package: " + err.Error())
	}
}

// A span is a range of memory, [from, to).
type span struct{ from, to uintptr }

func (s span) contains(t span) bool { return s.from <= t.from && t.to <= s.to }

// checkInvariants checks what chunk.go, slab.go, plain.go and stores.go say
// of their fields, and returns the memory of all chunks.
func (st *stores) checkInvariants() (spans []span, err error) {
	var bytesOfAll int64
	entries := 0
	active := map[*slab]bool{}
	for _, s := range st.active {
		if active[s] {
			return nil, fmt.Errorf("%v is active twice", s.typ())
		}
		active[s] = true
	}
	for _, s := range st.all {
		if s.isActive != active[s] {
			return nil, fmt.Errorf("%v: isActive is %v, on the list is %v", s.typ(), s.isActive, active[s])
		}
		if count, _ := s.used(); count+s.plainItems > 0 && !s.isActive {
			return nil, fmt.Errorf("%v: used but not active", s.typ())
		}
		if s.stores != st || s.self != s || s.id == 0 {
			return nil, fmt.Errorf("%v: belongs to other stores", s.typ())
		}
		byID, byType := st.slabs.find(s.id), st.types.find(descriptorOf(s.typ()))
		for _, found := range []*slab{byID, byType} {
			if found == s {
				entries++
			} else if found != nil {
				return nil, fmt.Errorf("there are two slabs of %v", s.typ())
			}
		}
		if byID == nil && byType == nil {
			return nil, fmt.Errorf("%v is not found", s.typ())
		}
		c, err := s.checkInvariants()
		if err != nil {
			return nil, fmt.Errorf("slab of %v: %v", s.typ(), err)
		}
		spans = append(spans, c...)
		bytesOfAll += s.chunks.bytes
	}
	if s := st.last; s != &noSlab && st.slabs.find(s.id) != s {
		return nil, fmt.Errorf("the last slab is none of the arena")
	}
	for i, s := range st.near {
		if s != &noSlab && (st.slabs.find(s.id) != s || nearHome(s.id)&^1 != uint32(i)&^1) {
			return nil, fmt.Errorf("a near slab is none of the arena, or in another's place")
		}
	}
	if n := st.slabs.count + st.types.count; n != entries {
		return nil, fmt.Errorf("%d entries of %d are of slabs of the arena", entries, n)
	}
	if err := errors.Join(st.slabs.check(), st.types.check()); err != nil {
		return nil, err
	}
	if err := st.layout.check(st); err != nil {
		return nil, err
	}
	p := &st.plain
	if p.off < 0 || p.dirty < 0 || p.dirty > len(p.buf) || p.off > len(p.buf) || p.buf != nil && startOf(p.buf) != p.chunks.list[p.chunks.cur].at {
		return nil, fmt.Errorf("plain: off %d of %d", p.off, len(p.buf))
	}
	if !sanitizing && len(bytes.Trim(p.buf[max(p.off, p.dirty):], "\x00")) != 0 {
		return nil, fmt.Errorf("plain: the free part is not zero")
	}
	c, err := p.chunks.check(reflect.TypeFor[byte](), true)
	if err != nil {
		return nil, fmt.Errorf("plain: %v", err)
	}
	bytesOfAll += p.chunks.bytes
	space, err := region.Check(st.space)
	if err != nil {
		return nil, fmt.Errorf("region: %v", err)
	}
	for _, b := range space {
		from := mem.Address(b)
		c = append(c, span{from, from + uintptr(len(b))})
	}
	bytesOfAll += region.Held(st.space)
	if bytesOfAll != st.reserved {
		return nil, fmt.Errorf("reserved is %d, chunks are %d bytes", st.reserved, bytesOfAll)
	}
	return append(spans, c...), nil
}

func (x *index[S]) check() error {
	n, count := len(x.entries), 0
	for _, e := range x.entries {
		if e.id != 0 {
			count++
		}
	}
	if count != x.count || n > 0 && count >= n || n&(n-1) != 0 {
		return fmt.Errorf("an index of %d has %d entries, and not %d", n, count, x.count)
	}
	return nil
}

func (l *layout) check(st *stores) error {
	if l == nil {
		return nil
	}
	bytes := int64(l.plain.slots)
	for i := range l.parts {
		p := &l.parts[i]
		c := &p.slab.chunks
		if p.slab != st.active[i] || p.size != c.size || len(c.list) == 0 || c.first[0].n != p.slots {
			return fmt.Errorf("part %d of the layout is not the first chunk of its store", i)
		}
		bytes += int64(p.slots * p.size)
	}
	if bytes != l.bytes || st.reserved < bytes {
		return fmt.Errorf("the layout has %d bytes, its parts %d; reserved are %d", l.bytes, bytes, st.reserved)
	}
	return nil
}

func (s *slab) checkInvariants() ([]span, error) {
	if s.n < 0 || s.n > s.buf.n {
		return nil, fmt.Errorf("n is %d of %d", s.n, s.buf.n)
	}
	if s.buf.at.isNil() && (s.chunks.large == nil || s.chunks.large.used == 0) && s.full != 0 {
		return nil, fmt.Errorf("full is %d, and no chunk is in use", s.full)
	}
	if len(s.chunks.list) > 0 {
		chunk := s.chunks.list[s.chunks.cur]
		free := block{chunk.at, chunk.n} // all of the chunk is kept for the next use
		if !s.buf.at.isNil() {
			if s.buf.n > 0 && chunk.part(chunk.n-s.buf.n, chunk.n, s.chunks.size) != s.buf.block {
				return nil, fmt.Errorf("buf is not the end of the current chunk")
			}
			free = s.buf.first(s.n)
			alone := int(s.chunks.low) == len(s.chunks.list)-1 && (s.chunks.large == nil || s.chunks.large.used == 0)
			if alone && !s.stores.watched() && s.full != chunk.n {
				return nil, fmt.Errorf("full is %d, and the only chunk in use has %d slots", s.full, chunk.n)
			}
		}
		if !isZero(s.typ(), free) {
			return nil, fmt.Errorf("the free part is not zero")
		}
	}
	return s.chunks.check(s.typ(), s.isPlain())
}

func (c *chunks) check(t reflect.Type, lazy bool) (spans []span, err error) {
	if n := int32(len(c.list)); c.low < 0 || c.low > n || n > 0 && (c.cur < c.low || c.cur >= n) {
		return nil, fmt.Errorf("low %d, cur %d of %d chunks", c.low, c.cur, n)
	}
	slots := 0
	add := func(m block) {
		slots += m.n
		from := m.at.address()
		spans = append(spans, span{from, from + uintptr(m.n*c.size)})
	}
	for i, m := range c.list {
		add(m)
		if i < int(c.low) && !lazy && !isZero(t, m) {
			return nil, fmt.Errorf("chunk %d is retained and not zero", i)
		}
	}
	if c.large != nil {
		for i, l := range c.large.list {
			add(l.mem)
			if i >= c.large.used && !lazy && !isZero(t, l.mem) {
				return nil, fmt.Errorf("large chunk %d is retained and not zero", i)
			}
		}
	}
	if bytes := int64(slots) * int64(c.size); bytes != c.bytes {
		return nil, fmt.Errorf("bytes is %d, chunks are %d", c.bytes, bytes)
	}
	return spans, nil
}

// isZero tells whether all slots of b, of type t, are zero. The sanitizer forbids to look.
func isZero(t reflect.Type, b block) bool {
	if t.Size() == 0 || sanitizing {
		return true
	}
	v := sliceValueAt(t, b.at, b.n)
	for i := range b.n {
		if !v.Index(i).IsZero() {
			return false
		}
	}
	return true
}
