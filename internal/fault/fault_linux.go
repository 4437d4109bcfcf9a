//go:build linux && (amd64 || arm64)

package fault

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const supported = true

// hook is what the handler reads, and last, which it writes. The rest does not change after
// the handler was installed. The fields of it have their offsets in go_asm.h.
//
// A text that is taken out of the table while the handler writes it stays in memory: the
// collector marks what is overwritten while it is at work, and to begin anew it must stop all
// goroutines, of which the one that faulted is none until the handler is done. That is not so for
// threads that run C code: if such code is given addresses of the range, texts that were
// in the table must be kept by other means.
type hook struct {
	table []Range
	old   uintptr // The address of the handler that was there before.
	last  uintptr // Read and written atomically.
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
var _ [3 * unsafe.Sizeof(uintptr(0))]struct{} = [unsafe.Sizeof(Range{})]struct{}{}

// handler is the signal handler. It is called by the kernel only, on the signal stack of a
// thread that may be a Go thread, in any state, or one of C.
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
	caughtBy = hook{table: table, old: act.handler}
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
