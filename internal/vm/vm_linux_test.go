package vm_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-go/arena/internal/child"
	"github.com/arena-go/arena/internal/vm"
)

// memory returns a line of /proc/self/status in bytes.
func memory(name string) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, rest, _ := strings.Cut(string(status), "\n"+name+":")
	number, _, ok := strings.Cut(strings.TrimSpace(rest), " kB")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		panic(fmt.Sprint("no ", name, ": ", err))
	}
	return n << 10
}

// TestResident checks that what is reserved, or only committed, costs no memory, and that what
// is Decommitted or Released goes back.
func TestResident(t *testing.T) {
	const size, part, tolerance = 1 << 29, 1 << 26, 1 << 24
	b, err := vm.Reserve(size)
	if err != nil {
		t.Fatal(err)
	}
	before := memory("VmRSS")
	resident := func(what string, want int) {
		t.Helper()
		if got := memory("VmRSS") - before; got < want-tolerance || got > want+tolerance {
			t.Errorf("%s: %d KiB are resident, want %d", what, got>>10, want>>10)
		}
	}
	write := func() {
		for i := 0; i < part; i += vm.PageSize() {
			b[i] = 1
		}
	}
	resident("reserved", 0)
	for range 3 {
		if err := vm.Commit(b); err != nil {
			t.Fatal(err)
		}
		resident("committed", 0)
		write()
		resident("written", part)
		if err := vm.Decommit(b[:part/2]); err != nil {
			t.Fatal(err)
		}
		resident("half decommitted", part/2)
		if err := vm.Decommit(b); err != nil {
			t.Fatal(err)
		}
		resident("decommitted", 0)
	}
	if err := vm.Commit(b); err != nil {
		t.Fatal(err)
	}
	write()
	addresses := memory("VmSize")
	if err := vm.Release(b); err != nil {
		t.Fatal(err)
	}
	resident("released", 0)
	if got := addresses - memory("VmSize"); got < size-tolerance {
		t.Errorf("Release gave back %d KiB of addresses, want %d", got>>10, size>>10)
	}
}

// TestLimits runs processes that may not have what they ask for.
func TestLimits(t *testing.T) {
	for _, name := range []string{"addresses", "data"} {
		t.Run(name, func(t *testing.T) {
			cmd := child.Command(t.Context(), nil, childVariable+"="+name,
				"GORACE=atexit_sleep_ms=0") // With the race detector each would sleep for a second.
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != "good\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func init() {
	const rlimitData = 2 // RLIMIT_DATA, in Linux on all processors.

	// The address space is limited: Reserve fails, until there is room again.
	children["addresses"] = func() {
		const size, slack = 1 << 29, 1 << 27
		b := must(vm.Reserve(size))
		limit(syscall.RLIMIT_AS, memory("VmSize")+slack)
		_, err := vm.Reserve(size)
		expect(err, fmt.Sprintf("vm: reserve %d bytes: ", size))
		check(vm.Commit(b))
		b[size-1] = 1
		check(vm.Release(b))
		b = must(vm.Reserve(size))
		check(vm.Commit(b))
		if b[size-1] != 0 {
			panic("not zero")
		}
		fmt.Println("good")
	}

	// Memory that may be written to is limited: Commit fails, and what was before stays.
	children["data"] = func() {
		const size, slack = 1 << 29, 1 << 27
		b := must(vm.Reserve(size))
		few := b[:vm.PageSize()]
		check(vm.Commit(few))
		few[0] = 1
		limit(rlimitData, memory("VmData")+slack)
		expect(vm.Commit(b), fmt.Sprintf("vm: commit %d bytes at 0x", size))
		if few[0] != 1 {
			panic("the contents changed")
		}
		check(vm.Decommit(b))
		check(vm.Commit(few))
		if few[0] != 0 {
			panic("not zero")
		}
		check(vm.Release(b))
		fmt.Println("good")
	}
}

func limit(what, n int) {
	var r syscall.Rlimit
	check(syscall.Getrlimit(what, &r))
	r.Cur = min(uint64(n), r.Max)
	check(syscall.Setrlimit(what, &r))
}

func expect(err error, prefix string) {
	if !says(err, prefix) || !errors.Is(err, syscall.ENOMEM) {
		panic(fmt.Sprint("unexpected: ", err))
	}
}

func must(b []byte, err error) []byte {
	check(err)
	return b
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
