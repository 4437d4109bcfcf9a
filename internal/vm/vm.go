// Package vm manages pages of address space outside the Go heap: reserved at first, which is no
// more than a range of addresses, then committed, which is memory, and back.
//
// The garbage collector neither scans this memory nor frees it: the contents of a reservation keep
// no Go value alive, so pointers to Go memory must not be stored in it, and a reservation that is
// not Released stays until the process ends.
//
// Reading or writing a page that is not committed is a fault: the program dies, or, after
// [runtime/debug.SetPanicOnFault], panics with an error that has an Addr method. In a system call
// it is the error EFAULT instead.
//
// Several goroutines may call all functions at the same time. Sizes are bytes. Errors begin with
// "vm: ", name the operation and the size, and wrap the error of the system, if there is one.
package vm

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"
)

// ErrUnsupported is the error of Reserve where the system has no such thing, or none that package
// syscall gives access to. It wraps [errors.ErrUnsupported], as the errors of what only some
// systems have do.
var ErrUnsupported = fmt.Errorf("vm: memory outside of the Go heap is not for this system: %w", errors.ErrUnsupported)

var (
	errNone      = errors.New("the size must be positive")
	errPages     = errors.New("not a multiple of the page size")
	errHugePages = errors.New("not a multiple of the size of huge pages")
	errInside    = errors.New("not inside of a reservation")
	errWhole     = errors.New("not the whole of a reservation")
)

// A span is the addresses from base up to, but without, end.
type span struct{ base, end uintptr }

// reserved has what is reserved, in the order of the addresses. Commit and Decommit hold the
// lock for reading while they ask the system, so that no pages are released, and reserved by
// somebody else, below their feet.
var reserved struct {
	sync.RWMutex
	spans []span
}

// PageSize returns the size of a page.
func PageSize() int { return os.Getpagesize() }

// Addr returns the address of b, as a number that keeps nothing alive.
func Addr(b []byte) uintptr { return spanOf(b).base }

// Reserve returns size bytes of address space which are inaccessible and cost no memory. The
// size must be a multiple of [PageSize]. The address is one too. The slice is the caller's until
// Release.
//
// Reserve returns [ErrUnsupported] if the system has no reservations. If there is no room, it
// returns an error with the reason, such as a limited address space of the process.
func Reserve(size int) ([]byte, error) {
	err := checkSize(size)
	var b []byte
	if err == nil {
		b, err = reserve(size)
	}
	if err != nil {
		if err == ErrUnsupported {
			return nil, err
		}
		return nil, fmt.Errorf("vm: reserve %d bytes: %w", size, err)
	}
	b = b[:size:size]
	insert(spanOf(b))
	return b, nil
}

// Commit makes b accessible: it may be read and written from now on. Pages that were not committed
// yet, or Decommitted since, are zero; committed pages stay unchanged. b must be whole pages of one
// reservation. The system provides the memory page by page, when it is written to. It does not
// report that it had promised too much.
//
// When Commit fails, for which a limit of the process is the usual reason, some of b may be
// committed.
func Commit(b []byte) error { return change("commit", b, commit) }

// Decommit makes b inaccessible again and gives its memory back to the system at once. The contents
// are lost: the next Commit finds zeros. b must be whole pages of one reservation; pages that are
// not committed stay unchanged.
//
// Systems have a limit to the number of ranges that differ in whether they are accessible, on
// Linux 65,530 by default: where it is reached, Commit and Decommit of parts of reservations
// fail. When Decommit fails, the pages may be inaccessible or not, and their contents lost or
// not; on Linux the memory goes back all the same, unless it is locked.
func Decommit(b []byte) error { return change("decommit", b, decommit) }

// Release frees b, which must be the whole of what Reserve returned. Using b afterwards is fatal,
// or worse: the addresses may belong to somebody else by then. So is using it while Release is at
// work.
func Release(b []byte) error {
	s := spanOf(b)
	if !remove(s) {
		return failed("release", b, errWhole)
	}
	if err := release(b); err != nil {
		insert(s)
		return failed("release", b, err)
	}
	return nil
}

// change has the system do something to b, after checking that b is ours.
func change(op string, b []byte, do func([]byte) error) error {
	s, page := spanOf(b), uintptr(PageSize())
	if s.base%page != 0 || s.end%page != 0 {
		return failed(op, b, errPages)
	}
	reserved.RLock()
	defer reserved.RUnlock()
	i, exact := find(s.base)
	if !exact {
		i-- // The span that begins before s.
	}
	if i < 0 || s.end > reserved.spans[i].end {
		return failed(op, b, errInside)
	}
	if len(b) == 0 {
		return nil
	}
	if err := do(b); err != nil {
		return failed(op, b, err)
	}
	return nil
}

func checkSize(size int) error {
	switch {
	case size <= 0:
		return errNone
	case size%PageSize() != 0:
		return errPages
	}
	return nil
}

func failed(op string, b []byte, err error) error {
	return fmt.Errorf("vm: %s %d bytes at %#x: %w", op, len(b), spanOf(b).base, err)
}

// insert adds s to what is reserved.
func insert(s span) {
	reserved.Lock()
	defer reserved.Unlock()
	i, _ := find(s.base)
	reserved.spans = slices.Insert(reserved.spans, i, s)
}

// remove takes s, the whole of a reservation, from what is reserved, and reports whether it was
// there.
func remove(s span) bool {
	reserved.Lock()
	defer reserved.Unlock()
	i, ok := find(s.base)
	if !ok || reserved.spans[i] != s {
		return false
	}
	reserved.spans = slices.Delete(reserved.spans, i, i+1)
	return true
}

// find returns the index of the reservation that begins at base, or else of the first one
// after it.
func find(base uintptr) (index int, exact bool) {
	return slices.BinarySearchFunc(reserved.spans, base, func(s span, base uintptr) int {
		return cmp.Compare(s.base, base)
	})
}

// spanOf returns the addresses of b.
func spanOf(b []byte) span {
	// SAFETY: the pointer is only made a number, which nothing makes a pointer again. The
	// memory is not in the Go heap or, if it is the caller's mistake, no address that is kept.
	base := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return span{base, base + uintptr(len(b))}
}
