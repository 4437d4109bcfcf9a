//go:build linux && (amd64 || arm64)

package vm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/vm"
)

// hugeBlock returns three huge pages, aligned, of a reservation, with more before and after.
func hugeBlock(t *testing.T) []byte {
	t.Helper()
	huge := vm.HugePageSize()
	if huge > 4<<20 {
		t.Skip("huge pages of ", huge>>20, " MiB are too large for a test")
	}
	if huge <= vm.PageSize() || huge&(huge-1) != 0 {
		t.Fatal("huge pages have ", huge, " bytes")
	}
	all := must(vm.Reserve(6 * huge))
	t.Cleanup(func() { check(vm.Release(all)) })
	b := all[-vm.Addr(all)&uintptr(huge-1):]
	if vm.Addr(b)%uintptr(huge) != 0 || vm.Addr(b) != uintptr(unsafe.Pointer(&b[0])) {
		t.Fatalf("%p is not aligned, or not at %#x", b, vm.Addr(b))
	}
	return b[huge : 4*huge : 4*huge]
}

// pages checks that all of b is zero and may be written to, or that none of it may be read.
func pages(t *testing.T, what string, b []byte, accessible bool) {
	t.Helper()
	blk := block{b, make([]page, len(b)/vm.PageSize())}
	for i := range blk.page {
		blk.page[i].committed = accessible
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err := blk.check(rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Errorf("%s: %v", what, err)
	} else if accessible {
		for i := range b {
			b[i] = byte(i)
		}
	}
}

// TestCommitHuge checks pages that come and go with a file; if there are not enough in the pool,
// ordinary ones.
func TestCommitHuge(t *testing.T) {
	b := hugeBlock(t)
	huge := len(b) / 3
	text, _ := os.ReadFile(fmt.Sprintf("/sys/kernel/mm/hugepages/hugepages-%dkB/free_hugepages", huge>>10))
	if n, _ := strconv.Atoi(strings.TrimSpace(string(text))); n < 3 {
		if err := vm.CommitHuge(b); !says(err, "vm: commit huge pages: ") {
			t.Errorf("%d pages are in the pool: %v", n, err)
		}
		// It left all as it was: mapped, or Commit would fail, and not accessible.
		pages(t, "after a failure", b, false)
		check(vm.Commit(b))
		pages(t, "ordinary ones after a failure", b, true)
		check(vm.Decommit(b))
		vm.PretendPool(t.Cleanup)
	}
	files := openFiles(t)
	resident := memory("VmRSS")
	for range 3 {
		check(vm.CommitHuge(b[huge:]))
		pages(t, "committed", b[huge:], true)
		pages(t, "next to it", b[:huge], false)
		check(vm.DecommitHuge(b[huge : 2*huge]))
		pages(t, "decommitted", b[huge:2*huge], false)
		if b[2*huge] != 0 || b[3*huge-1] != 255 {
			t.Error("the rest has changed")
		}
		check(vm.DecommitHuge(b[2*huge:]))
		pages(t, "all decommitted", b, false)
		check(vm.Commit(b)) // Ordinary ones.
		pages(t, "ordinary ones", b, true)
		check(vm.Decommit(b))
	}
	if n := openFiles(t); n != files {
		t.Errorf("%d files are open, %d before", n, files)
	}
	if n := memory("VmRSS"); n > resident+huge {
		t.Errorf("%d bytes are resident, %d before", n, resident)
	}
	if text, err := os.ReadFile("/proc/self/maps"); err != nil || strings.Contains(string(text), "/memfd:") {
		t.Errorf("files are still mapped: %v\n%s", err, text)
	}
	for _, wrong := range [][]byte{b[vm.PageSize():], b[:huge+vm.PageSize()]} {
		if err := vm.CommitHuge(wrong); !says(err, "vm: commit huge pages: ") || !strings.HasSuffix(err.Error(), "not a multiple of the size of huge pages") {
			t.Error(err)
		}
	}
}

func openFiles(t *testing.T) int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestAdvice checks what the system is asked for, and what it refuses.
func TestAdvice(t *testing.T) {
	b := hugeBlock(t)
	text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	never := err != nil || strings.Contains(string(text), "[never]")
	if err := vm.AdviseHuge(b); never != (err != nil) {
		t.Errorf("%s: %v", text, err)
	}
	switch err := vm.Prefer(b, 0); {
	case errors.Is(err, syscall.ENOSYS): // A kernel without NUMA.
	case err != nil:
		t.Error(err)
	}
	for _, node := range []int{-1, 1023, 1024, 1 << 30} {
		if err := vm.Prefer(b, node); !says(err, "vm: prefer a node for ") {
			t.Errorf("node %d: %v", node, err)
		}
	}
	for what, f := range map[string]func([]byte) error{
		"advise": vm.AdviseHuge, "commit": vm.CommitHuge, "decommit": vm.DecommitHuge, "lock": vm.Lock, "unlock": vm.Unlock,
		"prefer": func(b []byte) error { return vm.Prefer(b, 0) },
	} {
		for _, wrong := range [][]byte{b[1:], b[:1], make([]byte, 1)} {
			if err := f(wrong); !says(err, "vm: "+what) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestLock checks what the system says is locked.
func TestLock(t *testing.T) {
	const size = 1 << 16
	b := must(vm.Reserve(2 * size))
	check(vm.Commit(b))
	before := memory("VmLck")
	check(vm.Lock(b[:size]))
	if n := memory("VmLck") - before; n != size {
		t.Errorf("%d bytes are locked, want %d", n, size)
	}
	check(vm.Unlock(b))
	if n := memory("VmLck") - before; n != 0 {
		t.Errorf("%d bytes are locked, want none", n)
	}
	check(vm.Decommit(b))
	check(vm.Release(b))
}
