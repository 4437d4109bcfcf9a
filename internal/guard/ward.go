package guard

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/arena-go/arena/internal/fault"
	"github.com/arena-go/arena/internal/kept"
	"github.com/arena-go/arena/internal/vm"
)

// pages are memory of the Go heap, whole pages without pointers, and the ward that they are.
type pages struct {
	mem []byte
	*ward
}

// A ward is a region of pages the last of which, the fence, is inaccessible, and from the end of
// its arena on all of them. It does not keep the pages alive: a finalizer makes them accessible
// when nobody has them any more, before they are used for something else.
type ward struct {
	owner    Owner
	lo, hi   uintptr // the region
	at, size uintptr // what was handed out, if it is one thing
	what     string
	quote    string // the first bytes, from the end on, if they are text
	ended    *End   // nil while the arena is in use
	slot     int    // in wards
	trap     bool   // pointers of many types are aimed at it
	fenced   bool   // a part of it may be inaccessible
}

// wards are all wards. The handler for faults reads the table.
var wards struct {
	sync.Mutex
	table []fault.Range // MaxWards of them, once there is one
	all   []*ward       // by slot
	free  []int         // slots
}

// Wards returns the number of wards that there are now. It is for tests. Any goroutine may call it.
func Wards() int {
	wards.Lock()
	defer wards.Unlock()
	return len(wards.all) - len(wards.free)
}

// newPages returns pages with room for size bytes before a fence. They have no memory when there
// are as many wards as there can be, or the system refuses.
func newPages(o Owner, what string, size int) pages {
	w := &ward{owner: o, what: what}
	if !w.enlist() {
		return pages{}
	}
	// The runtime aligns a multiple of 8 KiB to that much, where this is written.
	page := vm.PageSize()
	unit := max(page, 8<<10)
	n := (1 + size + page + unit - 1) &^ (unit - 1) // the first byte stays ours, because of the finalizer
	all := make([]byte, n)
	if address(all)&uintptr(page-1) != 0 {
		all = make([]byte, n+page)
	}
	skip := int(-address(all) & uintptr(page-1))
	mem := all[skip : skip+n]
	w.lo = address(mem)
	w.hi = w.lo + uintptr(n)
	runtime.SetFinalizer(&all[0], func(p *byte) { w.release(bytesAt(p, skip+n)[skip:]) })
	if !w.protect(mem[n-page:], nil) {
		w.release(mem)
		return pages{}
	}
	return pages{mem, w}
}

// wardTable returns the table of the wards, which it makes when it is asked for first. wards is
// locked.
func wardTable() []fault.Range {
	if wards.table == nil {
		wards.table = make([]fault.Range, MaxWards)
		wards.all = make([]*ward, MaxWards)
		wards.free = make([]int, MaxWards)
		for i := range wards.free {
			wards.free[i] = MaxWards - 1 - i
		}
	}
	return wards.table
}

// enlist takes a slot for w, if there is one.
func (w *ward) enlist() bool {
	wards.Lock()
	defer wards.Unlock()
	wardTable()
	n := len(wards.free)
	if n == 0 {
		return false
	}
	w.slot = wards.free[n-1]
	wards.free = wards.free[:n-1]
	wards.all[w.slot] = w
	return true
}

// note notes the first bytes of what was handed out on the pages, which can be read for the last
// time. The detectors of mistakes must not look: the program may write there, by mistake.
//
//go:norace
func (p pages) note() {
	if p.size > 0 && (p.what == "text" || p.what == "a slice of uint8") {
		b := p.mem[p.at-p.lo:]
		p.quote = kept.Quote(strings.Clone(stringOf(b[:min(p.size, kept.MaxText)])), int(p.size))
	}
}

// protectPages and unprotectPages are variables for tests, in which the system refuses.
var protectPages, unprotectPages = vm.Protect, vm.Unprotect

// protect makes mem, which are pages at the end of w or all of them, inaccessible: forever, if e
// has ended it. When it reports false, some of them may be.
func (w *ward) protect(mem []byte, e *End) bool {
	wards.Lock()
	defer wards.Unlock()
	w.ended, w.fenced = e, true
	if protectPages(mem) != nil {
		return false
	}
	var text *fault.Text
	if catching.Load() {
		text = fault.NewText(w.owner.Text(w.finding(0)) + "\n")
	}
	wards.table[w.slot].Set(address(mem), w.hi, text)
	return true
}

// release makes mem, the memory of w, accessible again, and gives up the slot.
func (w *ward) release(mem []byte) {
	wards.Lock()
	defer wards.Unlock()
	if wards.all[w.slot] != w {
		return
	}
	if unprotectPages(mem) != nil {
		stuck = append(stuck, mem)
		return
	}
	w.noteFaults()
	wards.table[w.slot].Set(0, 0, nil)
	wards.all[w.slot] = nil
	wards.free = append(wards.free, w.slot)
}

// Readable calls f while all memory of wards can be read. An access that is a mistake is not
// noticed meanwhile. It reports false, and does not call f, if the system refuses. f must neither
// allocate in arenas in guard mode nor end them.
func Readable(f func()) bool {
	wards.Lock()
	defer wards.Unlock()
	if len(stuck) > 0 {
		return false
	}
	// A ward is on the list for as long as its pages are inaccessible, reachable or not. So no
	// address here is another's.
	for _, w := range wards.all {
		if w == nil || !w.fenced {
			continue
		}
		defer w.setAccess(false)
		if !w.setAccess(true) {
			return false
		}
	}
	f()
	return true
}

// setAccess makes the inaccessible part of w accessible, or inaccessible again. wards is locked.
func (w *ward) setAccess(access bool) bool {
	at := w.hi - uintptr(vm.PageSize())
	if w.ended != nil {
		at = w.lo
	}
	return vm.SetAccess(at, w.hi-at, access) == nil
}

// stuck is what the system does not make accessible again. It must not become something else's.
var stuck [][]byte

// finding returns what an access to addr is, in w, or if that is 0 to any address in it.
func (w *ward) finding(addr uintptr) Finding {
	f := Finding{Owner: w.owner, End: w.ended, Addr: addr}
	what := w.what
	if w.quote != "" {
		what += " " + w.quote
	}
	switch {
	case addr == 0 || w.size == 0:
		f.Detail = what
	case addr < w.at: // functions in assembly read whole blocks
		f.Detail = fmt.Sprintf("%d bytes in front of %d bytes, %s", w.at-addr, w.size, what)
	case addr < w.at+w.size:
		f.Detail = fmt.Sprintf("byte %d of %d bytes, %s", int(addr-w.at), w.size, what)
	default:
		f.Detail = fmt.Sprintf("%d bytes behind the end of %d bytes, %s", addr-w.at-w.size, w.size, what)
	}
	return f
}
