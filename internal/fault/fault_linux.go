//go:build linux && (amd64 || arm64)

package fault

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const supported = true

// hook contains the data that the handler reads, and last, which it writes. The rest does not
// change after the handler was installed. go_asm.h contains the offsets of its fields.
//
// A text that is taken out of the table while the handler writes it stays in memory: the collector
// marks overwritten pointers while it works, and to begin anew it must stop all goroutines,
// including the faulting goroutine, which it cannot stop until the handler is done. That is not so
// for threads that run C code: if such code gets addresses of the range, texts that were in the
// table must be kept by other means.
type hook struct {
	table []Range
	old   uintptr // The address of the handler that was there before.
	last  uintptr // Read and written atomically.
	count uint64  // Of faults. The same.
	ring  [ringSize]event
}

const (
	ringSize = 64 // A power of two.
	maxPCs   = 32
)

// An event is a fault. The number of it is written last, and is 0 while the rest is written.
type event struct {
	number uint64 // From 1 on. Read and written atomically.
	addr   uintptr
	sp     uintptr             // The word on top of the stack, or the link register: it may be where to return to.
	pcs    [maxPCs + 1]uintptr // The program counter, then those to return to by the frame pointers, then 0.
}

// caughtBy is the only hook. The handler finds it by its name.
var caughtBy hook

// A sigaction is the struct of the system call of this name, on both processors.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saSiginfo = 0x4
	saOnstack = 0x08000000
)

// The handler relies on atomic numbers and pointers being nothing but these.
var _ [5 * unsafe.Sizeof(uintptr(0))]struct{} = [unsafe.Sizeof(Range{})]struct{}{}

// handler is the signal handler. It is called by the kernel only, on the signal stack of a
// thread that may be a Go thread, in any state, or one of C.
//
//lint:ignore U1000 handlerPC, in assembly, has its address
func handler()

// handlerPC returns the address of handler.
func handlerPC() uintptr

// install puts handler before the present one of SIGSEGV.
func install(table []Range) error {
	act, err := sigactionSegv(nil)
	if err != nil {
		return err
	}
	if act.handler <= 1 || act.flags&saSiginfo == 0 || act.flags&saOnstack == 0 {
		return errors.New("the present handler of SIGSEGV is not Go's: call Catch when the Go runtime is up")
	}
	caughtBy.table, caughtBy.old = table, act.handler
	// Flags, mask and restorer stay what the former handler needs, since it does the work.
	act.handler = handlerPC()
	_, err = sigactionSegv(&act)
	return err
}

// sigactionSegv sets the action for SIGSEGV to new, or leaves it if new is nil, and
// returns the one before.
//
// package os/signal has no say in it: it never changes the action for SIGSEGV, which the runtime
// needs itself.
func sigactionSegv(new *sigaction) (old sigaction, err error) {
	// SAFETY: the kernel reads new and writes old, both of the size it expects, during the
	// call only. Written as arguments of the call they stay alive, and where they are, until
	// it returns. The handler in new is an address in the text of the program, which never moves.
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGSEGV),
		uintptr(unsafe.Pointer(new)), uintptr(unsafe.Pointer(&old)), unsafe.Sizeof(old.mask), 0, 0)
	if errno != 0 {
		return old, fmt.Errorf("rt_sigaction of SIGSEGV: %w", errno)
	}
	return old, nil
}

func last() uintptr { return atomic.LoadUintptr(&caughtBy.last) }

func count() uint64 { return atomic.LoadUint64(&caughtBy.count) }

// find returns the first fault in r after those with numbers up to since that is still in the ring.
func find(r *Range, since uint64) (addr uintptr, stack []uintptr) {
	last := count()
	if last > ringSize {
		since = max(since, last-ringSize)
	}
	for n := since + 1; n <= last; n++ {
		at := &caughtBy.ring[(n-1)%ringSize]
		if atomic.LoadUint64(&at.number) != n {
			continue // It is being written, or another is there by now.
		}
		addr, sp, pcs := at.addr, at.sp, at.pcs
		if atomic.LoadUint64(&at.number) == n && r.Has(addr) {
			return addr, callers(sp, pcs[:slices.Index(pcs[:], 0)])
		}
	}
	return 0, nil
}

// callers returns the stack: pcs are the program counter and the return addresses, except the
// return address of a function without a frame of its own, which sp may point to. Functions that
// copy and compare memory are such functions.
func callers(sp uintptr, pcs []uintptr) []uintptr {
	if len(pcs) == 0 {
		return nil
	}
	stack := append(make([]uintptr, 0, len(pcs)+1), pcs[0]+1) // as if it were one to return to
	if f := runtime.FuncForPC(pcs[0]); f != nil && isLeaf(f.Name()) && runtime.FuncForPC(sp-1) != nil {
		if len(pcs) == 1 || pcs[1] != sp {
			stack = append(stack, sp)
		}
	}
	return append(stack, pcs[1:]...)
}

// isLeaf reports whether a function is of packages in which those have no frame that are written in
// assembly.
func isLeaf(name string) bool {
	for _, pkg := range []string{"runtime.", "internal/bytealg.", "internal/runtime/"} {
		if strings.HasPrefix(name, pkg) {
			return true
		}
	}
	return name == "memeqbody" || name == "cmpbody" || name == "indexbytebody" || name == "countbody" || name == "indexbody"
}
