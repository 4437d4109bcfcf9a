package heapdump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The records of a dump. The names are the runtime's.
const (
	tagEOF             = 0
	tagObject          = 1
	tagOtherRoot       = 2
	tagType            = 3
	tagGoroutine       = 4
	tagStackFrame      = 5
	tagParams          = 6
	tagFinalizer       = 7
	tagItab            = 8
	tagOSThread        = 9
	tagMemStats        = 10
	tagQueuedFinalizer = 11
	tagData            = 12
	tagBSS             = 13
	tagDefer           = 14
	tagPanic           = 15
	tagMemProf         = 16
	tagAllocSample     = 17
)

// header begins each dump whose records this package knows.
const header = "go1.7 heap dump\n"

// longestText bounds the names in a dump. longestContent bounds the contents that are copied.
const (
	longestText    = 1 << 20
	longestContent = 1 << 16
)

var errMalformed = errors.New("heapdump: the heap dump is malformed: something else may have written to it, the disk " +
	"may be full, or memory of the heap was inaccessible while it was written")

// A reader reads a dump from a position on. The first error remains, and every later read returns
// zero.
type reader struct {
	from io.ReaderAt
	size int64
	base int64 // where buf begins
	buf  []byte
	next int
	err  error

	order   binary.ByteOrder
	word    uint64 // bytes of a pointer
	goarch  string
	version string

	content []byte
	large   *reader
}

func newReader(from io.ReaderAt, size int64) *reader {
	return &reader{from: from, size: size, buf: make([]byte, 0, 1<<18)}
}

// same returns another reader of the same dump.
func (r *reader) same(buffer int) *reader {
	return &reader{from: r.from, size: r.size, buf: make([]byte, 0, buffer), order: r.order, word: r.word}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) malformed(what string) {
	r.fail(fmt.Errorf("%w (%s at byte %d)", errMalformed, what, r.at()))
}

// at is the position of the next byte.
func (r *reader) at() int64 { return r.base + int64(r.next) }

func (r *reader) seek(to int64) {
	if to >= r.base && to <= r.base+int64(len(r.buf)) {
		r.next = int(to - r.base)
		return
	}
	r.base, r.buf, r.next = to, r.buf[:0], 0
}

// fill makes the next n bytes available in buf, and reports whether there are as many.
func (r *reader) fill(n int) bool {
	if len(r.buf)-r.next >= n {
		return true
	}
	if r.err != nil {
		return false
	}
	r.base += int64(r.next)
	kept := copy(r.buf[:cap(r.buf)], r.buf[r.next:])
	r.next = 0
	if n > cap(r.buf) {
		larger := make([]byte, kept, n)
		copy(larger, r.buf[:kept])
		r.buf = larger
	}
	read, err := r.from.ReadAt(r.buf[kept:cap(r.buf)], r.base+int64(kept))
	r.buf = r.buf[:kept+read]
	if len(r.buf) >= n {
		return true
	}
	if err == nil || err == io.EOF {
		r.malformed("it ends")
	} else {
		r.fail(fmt.Errorf("heapdump: reading the heap dump: %w", err))
	}
	return false
}

// uint reads a number.
func (r *reader) uint() uint64 {
	if r.next < len(r.buf) && r.buf[r.next] < 0x80 {
		r.next++
		return uint64(r.buf[r.next-1])
	}
	return r.uintSlow()
}

func (r *reader) uintSlow() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		if !r.fill(1) {
			return 0
		}
		b := r.buf[r.next]
		r.next++
		if shift == 63 && b > 1 || shift > 63 {
			r.malformed("a number of more than 64 bits")
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (r *reader) uints(n int) {
	for range n {
		r.uint()
	}
}

// length reads a length of bytes that follow.
func (r *reader) length() uint64 {
	n := r.uint()
	if n > uint64(max(r.size-r.at(), 0)) {
		r.malformed("a length beyond its end")
		return 0
	}
	return n
}

func (r *reader) skip(n uint64) {
	if n <= uint64(len(r.buf)-r.next) {
		r.next += int(n)
	} else if n > 0 {
		r.seek(r.at() + int64(n))
	}
}

func (r *reader) text() string {
	n := r.length()
	if n > longestText {
		r.malformed("a name that is too long")
		return ""
	}
	if !r.fill(int(n)) {
		return ""
	}
	s := string(r.buf[r.next : r.next+int(n)])
	r.next += int(n)
	return s
}

// A region is memory with pointers: an object, a frame or a segment.
type region struct {
	addr uint64
	size uint64
	at   int64 // where its contents are in the dump
	tag  uint64
}

// pointers reads the offsets of a region's pointers, which are next, and yields those that are not
// nil.
func (r *reader) pointers(g region, yield func(offset, value uint64)) {
	content := r.content[:0]
	var large *reader
	for first := true; ; first = false {
		switch r.uint() {
		case 0:
			return
		case 1, 2, 3:
		default:
			r.malformed("a pointer of unknown kind")
			return
		}
		off := r.uint()
		if r.err != nil {
			return
		}
		if off > g.size || g.size-off < r.word {
			r.malformed("a pointer outside its object")
			return
		}
		if first {
			if g.size <= longestContent {
				if cap(r.content) == 0 {
					r.content = make([]byte, 0, longestContent)
				}
				content = r.content[:g.size]
				if err := r.copy(content, g.at); err != nil {
					r.fail(err)
					return
				}
			} else {
				if r.large == nil {
					r.large = r.same(longestContent)
				}
				large = r.large
				large.seek(g.at)
			}
		}
		var v uint64
		if large != nil {
			large.seek(g.at + int64(off))
			if !large.fill(int(r.word)) {
				r.fail(large.err)
				return
			}
			v = r.value(large.buf[large.next:])
		} else {
			v = r.value(content[off:])
		}
		if v != 0 {
			yield(off, v)
		}
	}
}

// copy reads what is in the dump at a position, from the buffer if it is there.
func (r *reader) copy(to []byte, at int64) error {
	if at >= r.base && at+int64(len(to)) <= r.base+int64(len(r.buf)) {
		copy(to, r.buf[at-r.base:])
		return nil
	}
	if _, err := r.from.ReadAt(to, at); err != nil {
		return fmt.Errorf("heapdump: reading the heap dump: %w", err)
	}
	return nil
}

// value is the word at the beginning of b.
func (r *reader) value(b []byte) uint64 {
	if r.word == 4 {
		return uint64(r.order.Uint32(b))
	}
	return r.order.Uint64(b)
}

// noPointers skips the offsets of pointers.
func (r *reader) noPointers() {
	for r.uint() != 0 && r.err == nil {
		r.uint()
	}
}

func (r *reader) region(addr uint64) region {
	n := r.length()
	g := region{addr: addr, size: n, at: r.at()}
	if addr+n < addr {
		r.malformed("an object beyond the end of memory")
	}
	r.skip(n)
	return g
}

// A goroutine is one that has begun and not ended.
type goroutine struct {
	id      uint64
	status  uint64
	system  bool
	waiting string
	context uint64 // the closure of one that has not run
}

// A frame is one function's on a goroutine's stack.
type frame struct {
	region
	depth uint64
	entry uint64
	pc    uint64
	name  string
}

// A finalizer is a function that runs before an object is freed.
type finalizer struct {
	object, function uint64
	typ              uint64 // the object's pointer type
}

// A visitor is called for each record of a dump that it has a function for. The functions of
// regions read or skip the offsets of pointers.
type visitor struct {
	object    func(g region)
	segment   func(g region)
	goroutine func(g goroutine)
	frame     func(f frame)
	finalizer func(queued bool, f finalizer)
	deferred  func(function uint64)
	panicking func(data uint64)
	other     func(name string, to uint64)
	named     func(typ uint64, name string)
	itab      func(tab, typ uint64)
}

// walk reads a dump from its beginning to its end.
func (r *reader) walk(v visitor) error {
	r.seek(0)
	if !r.fill(len(header)) || string(r.buf[r.next:r.next+len(header)]) != header {
		if r.err != nil && !errors.Is(r.err, errMalformed) {
			return r.err
		}
		return errors.New("heapdump: this is no heap dump of a version that is known; its first line should be " + header[:len(header)-1])
	}
	r.next += len(header)
	for first := true; ; first = false {
		tag := r.uint()
		if r.err != nil {
			return r.err
		}
		if first != (tag == tagParams) {
			r.malformed("parameters in another place than the beginning")
			return r.err
		}
		switch tag {
		case tagEOF:
			if r.at() != r.size {
				r.malformed("more after its end")
			}
			return r.err
		case tagParams:
			r.params()
		case tagObject:
			g := r.region(r.uint())
			if v.object != nil && r.err == nil {
				v.object(g)
			} else {
				r.noPointers()
			}
		case tagData, tagBSS:
			g := r.region(r.uint())
			if v.segment != nil && r.err == nil {
				g.tag = tag
				v.segment(g)
			} else {
				r.noPointers()
			}
		case tagStackFrame:
			r.frame(v)
		case tagGoroutine:
			var g goroutine
			r.uints(2)
			g.id = r.uint()
			r.uint()
			g.status = r.uint()
			g.system = r.uint() != 0
			r.uints(2)
			g.waiting = r.text()
			g.context = r.uint()
			r.uints(3)
			if v.goroutine != nil && r.err == nil {
				v.goroutine(g)
			}
		case tagFinalizer, tagQueuedFinalizer:
			f := finalizer{object: r.uint(), function: r.uint()}
			r.uints(2)
			f.typ = r.uint()
			if v.finalizer != nil && r.err == nil {
				v.finalizer(tag == tagQueuedFinalizer, f)
			}
		case tagDefer:
			r.uints(4)
			function := r.uint()
			r.uints(2)
			if v.deferred != nil && r.err == nil {
				v.deferred(function)
			}
		case tagPanic:
			r.uints(3)
			data := r.uint()
			r.uints(2)
			if v.panicking != nil && r.err == nil {
				v.panicking(data)
			}
		case tagOtherRoot:
			name, to := r.text(), r.uint()
			if v.other != nil && r.err == nil {
				v.other(name, to)
			}
		case tagType:
			typ := r.uint()
			r.uint()
			name := r.text()
			r.uint()
			if v.named != nil && r.err == nil {
				v.named(typ, name)
			}
		case tagItab:
			tab, typ := r.uint(), r.uint()
			if v.itab != nil && r.err == nil {
				v.itab(tab, typ)
			}
		case tagOSThread:
			r.uints(3)
		case tagMemStats:
			r.uints(24 + 256 + 1)
		case tagMemProf:
			r.uints(2)
			for range r.uint() {
				r.skip(r.length())
				r.skip(r.length())
				r.uint()
				if r.err != nil {
					break
				}
			}
			r.uints(2)
		case tagAllocSample:
			r.uints(2)
		default:
			r.malformed(fmt.Sprintf("a record of the unknown kind %d", tag))
		}
		if r.err != nil {
			return r.err
		}
	}
}

func (r *reader) params() {
	big, word := r.uint(), r.uint()
	r.uints(2)
	r.goarch, r.version = r.text(), r.text()
	r.uint()
	r.order = binary.LittleEndian
	if big == 1 {
		r.order = binary.BigEndian
	}
	r.word = word
	if big > 1 || word != 4 && word != 8 {
		r.malformed("words of unknown form")
	}
}

func (r *reader) frame(v visitor) {
	var f frame
	f.addr = r.uint()
	f.depth = r.uint()
	r.uint()
	f.region = r.region(f.addr)
	f.entry, f.pc = r.uint(), r.uint()
	r.uint()
	f.name = r.text()
	if v.frame != nil && r.err == nil {
		v.frame(f)
	} else {
		r.noPointers()
	}
}
