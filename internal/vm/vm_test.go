package vm_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/vm"
)

func TestMain(m *testing.M) {
	// Whoever has no pages to try says so the same way everywhere.
	if _, err := vm.Reserve(vm.PageSize()); err == vm.ErrUnsupported {
		fmt.Println(err)
		return
	}
	if name := os.Getenv(childVariable); name != "" {
		children[name]()
		return
	}
	os.Exit(m.Run())
}

// childVariable is the environment variable that makes the test program run a function
// of children instead of the tests.
const childVariable = "VM_TEST_CHILD"

// children are functions for a process of their own, by name.
var children = map[string]func(){}

// A block is a reservation and what should be in it.
type block struct {
	mem  []byte
	page []page
}

// A page has the same byte everywhere, or is not committed.
type page struct {
	committed bool
	fill      byte
}

// TestProgram runs random programs against a model.
func TestProgram(t *testing.T) {
	seed := testrun.Seed(t)
	for i := range uint64(10) {
		program(t, rand.New(rand.NewPCG(seed, i)), 400)
	}
}

// TestConcurrent runs such programs at the same time: they share nothing but the addresses.
func TestConcurrent(t *testing.T) {
	seed := testrun.Seed(t)
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() { program(t, rand.New(rand.NewPCG(seed, i)), 800) })
	}
	wg.Wait()
}

func program(t *testing.T, r *rand.Rand, steps int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var blocks []*block
	size := vm.PageSize()
	for step := range steps {
		op := r.IntN(100)
		if len(blocks) == 0 || op < 4 && len(blocks) < 8 {
			n := 1 + r.IntN(64)
			mem, err := vm.Reserve(n * size)
			if err != nil || len(mem) != n*size || cap(mem) != n*size {
				t.Errorf("step %d: Reserve of %d pages: %d bytes, capacity %d, %v", step, n, len(mem), cap(mem), err)
				return
			}
			blocks = append(blocks, &block{mem, make([]page, n)})
			continue
		}
		i := r.IntN(len(blocks))
		b := blocks[i]
		from := r.IntN(len(b.page) + 1)
		to := from + r.IntN(len(b.page)-from+1)
		mem, pages := b.mem[from*size:to*size], b.page[from:to]
		var err error
		switch {
		case op < 6:
			err = vm.Release(b.mem)
			blocks = slices.Delete(blocks, i, i+1)
		case op < 30:
			err = vm.Commit(mem)
			for i := range pages {
				pages[i].committed = true
			}
		case op < 45:
			err = vm.Decommit(mem)
			for i := range pages {
				pages[i] = page{}
			}
		case op < 70:
			for i := range pages {
				if p := &pages[i]; p.committed {
					p.fill = byte(r.Uint32())
					for j := range size {
						mem[i*size+j] = p.fill
					}
				}
			}
		default:
			err = b.check(r)
		}
		if err != nil {
			t.Errorf("step %d: %v", step, err)
			return
		}
	}
	for _, b := range blocks {
		if err := errors.Join(b.check(r), vm.Release(b.mem)); err != nil {
			t.Error(err)
		}
	}
}

// check compares b with what it should be. It reads all that is committed, and reads or
// writes one byte of each other page, which must fault at that address.
func (b *block) check(r *rand.Rand) error {
	size := vm.PageSize()
	for i, p := range b.page {
		mem := b.mem[i*size : (i+1)*size]
		if p.committed {
			for j, x := range mem {
				if x != p.fill {
					return fmt.Errorf("page %d of %d has %d at %d instead of %d", i, len(b.page), x, j, p.fill)
				}
			}
			continue
		}
		at := &mem[[]int{0, size - 1, r.IntN(size)}[r.IntN(3)]]
		write := r.IntN(2) == 0
		got, faulted := touch(at, write)
		want := uintptr(unsafe.Pointer(at))
		if runtime.GOARCH == "s390x" {
			want = uintptr(unsafe.Pointer(&mem[0])) // the processor tells the page only
		}
		if !faulted || got != want {
			return fmt.Errorf("page %d of %d, not committed: fault %t at %#x, want one at %#x (write: %t)",
				i, len(b.page), faulted, got, want, write)
		}
	}
	return nil
}

// touch reads *p, or writes to it, and returns the address that faulted if one did.
func touch(p *byte, write bool) (addr uintptr, faulted bool) {
	defer func() {
		if e := recover(); e != nil {
			addr, faulted = e.(interface{ Addr() uintptr }).Addr(), true
		}
	}()
	if write {
		*p = 1
	} else {
		runtime.KeepAlive(*p)
	}
	return 0, false
}

// TestArguments checks what is refused, and that it is before anything was done.
func TestArguments(t *testing.T) {
	size := vm.PageSize()
	for _, n := range []int{0, -1, -size, math.MinInt, 1, size - 1, size + 1, math.MaxInt} {
		if b, err := vm.Reserve(n); b != nil || !says(err, fmt.Sprintf("vm: reserve %d bytes: ", n)) {
			t.Errorf("Reserve(%d): %d bytes, %v", n, len(b), err)
		}
	}
	if strconv.IntSize == 64 { // With 32 bits there may be room for it.
		if b, err := vm.Reserve(math.MaxInt &^ (size - 1)); b != nil || !says(err, "vm: reserve ") {
			t.Errorf("Reserve of all there is: %d bytes, %v", len(b), err)
		}
	}

	// Three neighbours, if the system puts them together; of the one in the middle nothing
	// beyond its ends is touched.
	var all [3][]byte
	for i := range all {
		var err error
		if all[i], err = vm.Reserve(4 * size); err != nil {
			t.Fatal(err)
		}
		if err := vm.Commit(all[i]); err != nil {
			t.Fatal(err)
		}
		all[i][0], all[i][4*size-1] = 1, 1
	}
	b := slices.MaxFunc(all[:], func(x, y []byte) int { // The median.
		below := 0
		for _, z := range all {
			if uintptr(unsafe.Pointer(&z[0])) < uintptr(unsafe.Pointer(&x[0])) {
				below++
			}
		}
		if below == 1 {
			return 1
		}
		return -1
	})
	at := func(from, to int) []byte { // Counted from b, and not bounded by it.
		return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), from)), to-from)
	}
	heap := make([]byte, 4*size)
	aligned := heap[-uintptr(unsafe.Pointer(&heap[0]))&uintptr(size-1):][:size]
	aligned[0] = 1
	for _, test := range []struct {
		b    []byte
		want string
	}{
		{b[1:], "not a multiple of the page size"},
		{b[:1], "not a multiple of the page size"},
		{b[1 : size+1], "not a multiple of the page size"},
		{b[size-1 : 2*size], "not a multiple of the page size"},
		{b[1:1], "not a multiple of the page size"},
		{at(-size, size), "not inside of a reservation"},
		{at(0, 5*size), "not inside of a reservation"},
		{at(3*size, 5*size), "not inside of a reservation"},
		{at(-size, 5*size), "not inside of a reservation"},
		{aligned, "not inside of a reservation"},
		{nil, "not inside of a reservation"},
	} {
		for op, f := range map[string]func([]byte) error{"commit": vm.Commit, "decommit": vm.Decommit} {
			prefix := fmt.Sprintf("vm: %s %d bytes at %#x: ", op, len(test.b), uintptr(unsafe.Pointer(unsafe.SliceData(test.b))))
			if err := f(test.b); !says(err, prefix+test.want) {
				t.Errorf("got %v, want %s%s", err, prefix, test.want)
			}
		}
	}
	for _, part := range [][]byte{nil, b[:0], b[:size], b[size:], b[:4*size-1], at(0, 5*size), at(-size, 4*size), aligned} {
		if err := vm.Release(part); !says(err, "vm: release ") || !strings.HasSuffix(err.Error(), "not the whole of a reservation") {
			t.Errorf("Release of %d bytes at %p: %v", len(part), unsafe.SliceData(part), err)
		}
	}
	if aligned[0] != 1 {
		t.Error("memory of the heap was changed")
	}
	for _, b := range all {
		if b[0] != 1 || b[4*size-1] != 1 {
			t.Error("a refused call changed something")
		}
	}

	// Nothing at all is fine if it is inside.
	for _, i := range []int{0, size, 4 * size} {
		if err := errors.Join(vm.Commit(b[i:i]), vm.Decommit(b[i:i])); err != nil {
			t.Errorf("no bytes at %d: %v", i, err)
		}
	}
	for _, b := range all {
		if err := vm.Release(b); err != nil {
			t.Error(err)
		}
		for _, err := range []error{vm.Release(b), vm.Commit(b), vm.Decommit(b)} {
			if !says(err, "vm: ") {
				t.Errorf("after Release: %v", err)
			}
		}
	}
}

func says(err error, prefix string) bool {
	return err != nil && strings.HasPrefix(err.Error(), prefix)
}

func Example() {
	b, err := vm.Reserve(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer vm.Release(b)
	first := b[:1<<16]
	if err := vm.Commit(first); err != nil {
		fmt.Println(err)
		return
	}
	copy(first, "not in the heap")
	fmt.Println(string(first[:15]))
	// Output: not in the heap
}
