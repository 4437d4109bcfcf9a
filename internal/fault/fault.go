// Package fault tells something about a segmentation fault before Go's own report of it does.
//
// A program that touches memory which was made inaccessible on purpose dies with "unexpected
// fault address", and the reader of that cannot know what lay there. With [Catch] a text
// about the address comes first. Nothing else changes: the fault goes on to the handler that
// was there before, which is Go's, with its goroutine traces, and with panics after
// [runtime/debug.SetPanicOnFault].
//
// It is for Linux on amd64 and arm64. No C is involved: the handler is a few instructions
// of assembly, which touch neither the stack nor anything of the runtime.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrUnsupported is the error of Catch if there is no handler for the system or the processor.
var ErrUnsupported = errors.New("fault: faults cannot be caught on this system or processor")

// A Text is what to say about a fault. It does not change, and may be shared.
type Text struct {
	s string // The handler reads its pointer and length.
}

// NewText returns a Text that says s, which it copies. A newline at the end of s is a good idea:
// the report of Go follows it directly.
func NewText(s string) *Text { return &Text{strings.Clone(s)} }

// A Range is addresses, and what to say of a fault at one of them. The zero Range has none.
type Range struct {
	lo, hi atomic.Uintptr // The handler reads all three.
	text   atomic.Pointer[Text]
	hits   atomic.Int64  // Faults that were not taken yet. The handler adds to it.
	since  atomic.Uint64 // Faults in all ranges when some were last taken.
}

// Set makes the range the addresses from lo up to, but without, hi, and has text said of them, or
// nothing if it is nil. It may be called while the handler reads the range. When the addresses
// change, the handler takes it for empty meanwhile, or in the worst case says of a fault elsewhere
// what was meant for this one. It must not be called by two goroutines at the same time.
func (r *Range) Set(lo, hi uintptr, text *Text) {
	if r.lo.Load() == lo && r.hi.Load() == hi {
		r.text.Store(text)
		return
	}
	r.hi.Store(0)
	r.text.Store(text)
	r.lo.Store(lo)
	r.hi.Store(hi)
}

// Has reports whether addr is in the range.
func (r *Range) Has(addr uintptr) bool { return r.lo.Load() <= addr && addr < r.hi.Load() }

// Take returns how many faults there were in the range since it was called last, and where one of
// them was: its address, and its stack, as runtime.Callers returns one, with the innermost 32
// frames: of calls that were inlined the innermost only, and perhaps without who called a function
// that calls no other. They are 0 and nil if that is not known any more, because there were 64
// others since.
func (r *Range) Take() (n int64, addr uintptr, stack []uintptr) {
	if r.hits.Load() == 0 {
		return 0, 0, nil
	}
	since := r.since.Load()
	r.since.Store(Count())
	n = r.hits.Swap(0)
	addr, stack = find(r, since)
	return n, addr, stack
}

// TakeOne takes the last fault, if there is one: somebody else knows where it was. If those before
// it were is known no more.
func (r *Range) TakeOne() {
	for n := r.hits.Load(); n > 0; n = r.hits.Load() {
		if r.hits.CompareAndSwap(n, n-1) {
			r.since.Store(Count())
			return
		}
	}
}

// caught is the table that the handler is installed for, or nil.
var caught struct {
	sync.Mutex
	table []Range
}

// Catch makes faults at the addresses of the ranges in a table tell what they hit: [Last] returns
// the address from then on, and if the first range that has it has a text, that is written to
// standard error. Only then does the fault take its usual course. All other faults, and signals
// that were sent by a process, take theirs untouched.
//
// The program goes on to own the table: it may Set ranges at any time. It must not use the memory
// of a Text or of the table for anything else, which Go sees to if both are in its heap. The
// handler looks at all of the table, some microseconds for each thousand ranges.
//
// A text is written whole with write(2), however long it is, while the thread that faulted waits
// and the collector may wait for it. If that fails, for instance since standard error is not
// blocking, and full, the rest of the text is lost. Texts of faults at the same time may come in
// any order, and long ones in pieces.
//
// Catch lasts as long as the process. A second call with the same table does nothing, one with
// another table is an error. So is an empty one. On a system without a handler it is
// [ErrUnsupported]. Catch may be called by several goroutines at a time, but not while somebody
// else, who must be C code then, changes the handler of SIGSEGV.
func Catch(table []Range) error {
	if !Supported() {
		return ErrUnsupported
	}
	if len(table) == 0 {
		return errors.New("fault: the table is empty: it must have a range")
	}
	caught.Lock()
	defer caught.Unlock()
	if caught.table != nil {
		if len(caught.table) == len(table) && &caught.table[0] == &table[0] {
			return nil
		}
		return errors.New("fault: faults are caught already, and there can be one table only")
	}
	if err := install(table); err != nil {
		return fmt.Errorf("fault: %w", err)
	}
	caught.table = table
	return nil
}

// Last returns the address of the last fault that was caught, and 0 if there was none. Any
// goroutine may have caused it. Several goroutines may call Last at the same time.
func Last() uintptr { return last() }

// Count returns how many faults were caught. Several goroutines may call it at a time.
func Count() uint64 { return count() }

// Supported reports whether Catch can work on this system and processor.
func Supported() bool { return supported }
