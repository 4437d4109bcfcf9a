package arena

import (
	"reflect"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/tools"
)

// plain is the memory that all plain types of an arena share: chunks of
// bytes, cut from the start to the end, for text and for slices whose elements
// are plain (see kind). Single values lie in slabs.
//
// A slice is zeroed when it is handed out, where its memory has been used
// before; text, which is written over at once, is not.
//
// Invariants: 0 <= off <= len(buf); buf[max(off, dirty):] is zero; buf is
// chunks.list[chunks.cur], or nil before the first chunk.
type plain struct {
	buf    []byte
	off    int
	dirty  int     // buf[:dirty] was used before the last Reset
	start  uintptr // address of buf[0], for alignment only
	chunks chunks  // of size 1
	bytes  int64   // handed out since the last Reset, without padding
	text   counter
}

// A counter counts the strings of an arena and their bytes.
type counter struct{ count, bytes int64 }

// alloc returns where n > 0 zero values of size > 0 bytes are, the first at a multiple of align,
// which is a power of two. They are for a slice of the type of s, which the caller activates.
func (p *plain) alloc(s *slab, n, size, align int) pointer {
	if debugging {
		defer s.stores.user.enter(s.stores).leave(s.stores)
	}
	off, bytes := p.aligned(align), n*size
	if bytes > len(p.buf)-off {
		at := startOf(p.more(s.stores, s, bytes, align))
		s.plainItems += n
		return at
	}
	s.plainItems += n
	p.off = off + bytes
	p.bytes += int64(bytes)
	mem := p.buf[off:p.off]
	if off < p.dirty {
		clear(mem)
	}
	handOut(blockOf(mem), 1)
	return startOf(mem)
}

// allocText returns size > 0 bytes that the caller writes over.
func (p *plain) allocText(st *stores, size int) (b []byte) {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	off := p.off
	if sanitizing {
		off = p.aligned(1)
	}
	if size > len(p.buf)-off {
		b = p.more(st, nil, size, 1)
	} else {
		b = p.buf[off : off+size : off+size]
		p.off = off + size
		p.bytes += int64(size)
		handOut(blockOf(b), 1)
	}
	p.text.count++
	p.text.bytes += int64(size)
	return b
}

// aligned returns the first offset from off on whose address is a multiple of align.
// It may lie behind the end of buf.
func (p *plain) aligned(align int) int {
	mask := uintptr(align-1) | (tools.Granule - 1)
	off := p.off + tools.RedZone
	return off + int(-(p.start+uintptr(off))&mask)
}

// byteSlots is the slotType of the chunks.
var byteSlots = slotTypeFor[byte]()

// more is alloc, or if s is nil allocText, where the current chunk has no room.
//
//go:noinline
func (p *plain) more(st *stores, s *slab, size, align int) []byte {
	st.moving(nil)
	zero := s != nil
	need := size + align - 1 + 2*tools.RedZone
	if need < size {
		panicSize("an allocation", size, 1)
	}
	if st.guard != nil || p.chunks.isLarge(need) {
		if st.guard != nil {
			st.guard.expect(whatFor(s))
			defer st.guard.forget()
		}
		whole := slotsOf[byte](p.chunks.slice(st, &byteSlots, need, zero, st.depth()))
		skip := int(-mem.Address(whole) & uintptr(align-1))
		p.bytes += int64(size)
		got := whole[skip : skip+size : skip+size]
		if st.guard != nil {
			st.guard.handedOut(got)
		}
		st.keepPlain(s, got)
		handOut(blockOf(got), 1)
		st.grown(s, size)
		return got
	}
	retained := p.chunks.low
	chunk := slotsOf[byte](p.chunks.next(st, &byteSlots, need, false))
	dirty := 0
	if p.chunks.low < retained {
		dirty = len(chunk)
	}
	p.use(chunk, dirty)
	off := p.aligned(align)
	p.off = off + size
	p.bytes += int64(size)
	mem := chunk[off:p.off:p.off]
	if zero && dirty > 0 {
		clear(mem)
	}
	handOut(blockOf(mem), 1)
	st.grown(s, size)
	return mem
}

// use makes chunk, of which [dirty:] is zero, the current one.
func (p *plain) use(chunk []byte, dirty int) {
	p.buf, p.off, p.dirty, p.start = chunk, 0, dirty, 0
	if chunk != nil {
		p.start = mem.Address(chunk)
	}
}

// extend makes b longer, in place: by want bytes, or by need if there is no room for want. It
// returns the number, which is 0 when b is not what was allocated last or there is no room.
func (p *plain) extend(b []byte, want, need int) int {
	at := p.off
	room := len(p.buf) - at
	if need > room || at < len(b) || len(b) == 0 || &p.buf[at-1] != &b[len(b)-1] || sanitizing {
		return 0
	}
	if want > room {
		want = need
	}
	p.off += want
	p.bytes += int64(want)
	if at < p.dirty {
		clear(p.buf[at:p.off])
	}
	return want
}

// reset empties the store and returns the bytes that were in use.
func (p *plain) reset() int64 {
	bytes := p.bytes
	if bytes > 0 {
		// The chunk to go on with is the current one, which stays dirty, or
		// another, which comes back zeroed.
		dirty := max(p.dirty, p.off)
		if n := len(p.chunks.list); n == 0 || int(p.chunks.cur) != n-1 {
			dirty = 0
		}
		chunk, _ := p.chunks.reset(&byteSlots, true, 0, len(p.buf))
		p.use(slotsOf[byte](chunk), dirty)
		p.bytes, p.text = 0, counter{}
	}
	return bytes
}

func (p *plain) release(st *stores, which spare, excess int64) {
	if p.bytes == 0 && which == spareUnused {
		which = spareAll
	}
	defer func() { // also when a Memory panics
		if len(p.chunks.list) == 0 {
			p.use(nil, 0)
		}
	}()
	p.chunks.release(st, which, excess)
}

// plainSlack is the room of the first chunk beyond what was handed out before, for what lies
// between aligned slices.
const plainSlack = 16

func (p *plain) releaseAll() int64 {
	bytes, hint := p.bytes, p.bytes
	if bytes > 0 {
		hint += plainSlack
	}
	p.chunks.releaseAll(int(min(hint, maxHint)))
	p.use(nil, 0)
	p.bytes, p.text = 0, counter{}
	return bytes
}

// whatFor says what is in plain memory: a slice of the type of s, or if that is nil text.
func whatFor(s *slab) string {
	if s == nil {
		return "text"
	}
	return "a slice of " + s.typ().String()
}

// The kinds of types, by their short names.
type kind = mem.Kind

const (
	kindUnknown = mem.Unknown
	kindPlain   = mem.Plain
	kindTyped   = mem.Typed
)

func kindOf(t reflect.Type) kind { return mem.KindOf(t) }
