//go:build linux && (amd64 || arm64)

package fault_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	_ "os/user" // It links C code into the program if there is cgo.
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	start "github.com/arena-go/arena/internal/child"
	"github.com/arena-go/arena/internal/fault"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/vm"
)

// command returns the command that runs a child, which ends with ctx at the latest.
func command(ctx context.Context, name string, env ...string) *exec.Cmd {
	cmd := start.Command(ctx, nil, "GOTRACEBACK=single", childVariable+"="+name,
		"GORACE=atexit_sleep_ms=0") // With the race detector each child would sleep for a second.
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// child runs a child to its end.
func child(t *testing.T, name string, env ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	cmd := command(testrun.Context(t), name, env...) // One that faults again and again would never end.
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(e)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// good runs a child that checks all by itself.
func good(t *testing.T, name string, env ...string) {
	t.Helper()
	if stdout, stderr, code := child(t, name, env...); stdout != "good\n" || stderr != "" || code != 0 {
		t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
	}
}

// crashed checks that stderr is a text and then Go's report of a fault at addr in function.
func crashed(t *testing.T, stderr, text, addr, function string) {
	t.Helper()
	want := regexp.QuoteMeta(text) + "unexpected fault address " + addr + "\nfatal error: fault\n" +
		`\[signal SIGSEGV: segmentation violation code=0x2 addr=` + addr + ` pc=0x[0-9a-f]+\]\n\n` +
		`goroutine \d+ .*\[running(, locked to thread)?\]:\n(?s:.*)` + regexp.QuoteMeta(function) + `\(`
	if !regexp.MustCompile("^" + want).MatchString(stderr) {
		t.Errorf("got\n%s\nwant\n%s", stderr, want)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// pageShift is the binary logarithm of the size of the pages below.
const pageShift = 16

// A part is a range in a table, whose addresses stay.
type part struct {
	*fault.Range
	lo, hi uintptr
}

// Store sets the text.
func (p part) Store(text *fault.Text) { p.Set(p.lo, p.hi, text) }

// catch catches faults at n parts, of 1<<shift bytes each.
func catch(base uintptr, shift uint, n int) []part {
	table := make([]fault.Range, n+2) // Some without addresses.
	parts := make([]part, n)
	for i := range parts {
		lo := base + uintptr(i)<<shift
		parts[i] = part{&table[i+1], lo, lo + 1<<shift}
		parts[i].Store(nil)
	}
	check(fault.Catch(table))
	return parts
}

// pages returns memory that cannot be accessed, and catches faults in it, in pages of 64 KiB.
func pages(n int) ([]byte, []part) {
	mem, err := vm.Reserve(n << pageShift)
	check(err)
	return mem, catch(addressOf(&mem[0]), pageShift, n)
}

func addressOf(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

//go:noinline
func faultingRead(p *byte) byte { return *p }

//go:noinline
func faultingWrite(p *byte) { *p = 1 }

// recovered reads *p, or writes to it, which must panic with this address.
func recovered(p *byte, write bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e, ok := recover().(interface{ Addr() uintptr })
		if !ok || e.Addr() != addressOf(p) {
			panic(fmt.Sprintf("%v (%t) for a fault at %p", e, ok, p))
		}
	}()
	if write {
		faultingWrite(p)
	} else {
		faultingRead(p)
	}
	panic("no fault")
}

// TestCrash checks that a text comes first and Go's report second, and nothing else.
func TestCrash(t *testing.T) {
	for _, name := range []string{"read", "write", "goroutine", "locked", "silent", "outside"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, function := "It was freed, at dawn.\n", "fault_test.faultingRead"
			switch name {
			case "write":
				function = "fault_test.faultingWrite"
			case "silent", "outside":
				text = ""
			}
			stdout, stderr, code := child(t, "crash", "FAULT_TEST_HOW="+name)
			crashed(t, stderr, text, strings.TrimSpace(stdout), function)
			if code != 2 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func init() {
	children["crash"] = func() {
		mem, table := pages(4)
		table[0].Store(fault.NewText("The wrong page.\n"))
		text := []byte("It was freed, at dawn.\n")
		table[1].Store(fault.NewText(unsafe.String(&text[0], len(text))))
		clear(text) // The Text has a copy.
		p := &mem[1<<pageShift+1234]
		switch os.Getenv("FAULT_TEST_HOW") {
		case "silent":
			p = &mem[2<<pageShift+1234]
		case "outside":
			other, err := vm.Reserve(1 << pageShift)
			check(err)
			p = &other[1234]
		}
		fmt.Printf("%p\n", p)
		switch os.Getenv("FAULT_TEST_HOW") {
		case "write":
			faultingWrite(p)
		case "goroutine":
			go faultingRead(p)
			select {}
		case "locked":
			runtime.LockOSThread()
			faultingRead(p)
		default:
			faultingRead(p)
		}
	}
}

// TestUntouched checks that other faults are what they always were.
func TestUntouched(t *testing.T) { good(t, "untouched") }

func init() {
	children["untouched"] = func() {
		mem, err := vm.Reserve(5 << pageShift)
		check(err)
		table := catch(addressOf(&mem[2<<pageShift]), pageShift, 2)
		table[0].Store(fault.NewText("The first text.\n"))
		table[1].Store(fault.NewText("The second text.\n"))
		for _, i := range []int{0, 1 << pageShift, 2<<pageShift - 1, 4 << pageShift, 5<<pageShift - 1} {
			recovered(&mem[i], i&1 == 0)
		}
		for range 10 {
			func() {
				defer func() {
					err, ok := recover().(runtime.Error)
					if !ok || !strings.HasSuffix(err.Error(), "invalid memory address or nil pointer dereference") {
						panic(fmt.Sprint("for a nil pointer: ", err))
					}
				}()
				faultingRead(nil)
			}()
		}
		if addr := fault.Last(); addr != 0 {
			panic(fmt.Sprintf("a last fault at %#x", addr))
		}
		fmt.Println("good")
	}
}

// TestSent sends signals that carry an address of the range, but are no faults: they reach
// os/signal untouched, which in turn does not get in the way of what is caught.
func TestSent(t *testing.T) { good(t, "sent") }

func init() {
	children["sent"] = func() {
		mem, table := pages(1)
		table[0].Store(fault.NewText("This is no fault.\n"))
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGSEGV)
		// The kernel lets a thread send such things to itself only.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		const user, tkill = 0, -6 // SI_USER, SI_TKILL
		for _, code := range []int32{user, tkill} {
			info := struct {
				signo, errno, code, _ int32
				addr                  uintptr
				_                     [104]byte
			}{signo: int32(syscall.SIGSEGV), code: code, addr: addressOf(&mem[0])}
			if _, _, errno := syscall.Syscall(syscall.SYS_RT_SIGQUEUEINFO, uintptr(syscall.Gettid()),
				uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&info))); errno != 0 {
				panic(errno)
			}
			if sig := <-c; sig != syscall.SIGSEGV {
				panic(sig)
			}
		}
		signal.Reset(syscall.SIGSEGV)
		if addr := fault.Last(); addr != 0 {
			panic(fmt.Sprintf("a last fault at %#x", addr))
		}
		table[0].Store(nil)
		recovered(&mem[0], false)
		if addr := fault.Last(); addr != addressOf(&mem[0]) {
			panic(fmt.Sprintf("a last fault at %#x", addr))
		}
		fmt.Println("good")
	}
}

// TestRandom touches random addresses in and around a range, with random texts, and
// checks which texts are written, and what Last says.
func TestRandom(t *testing.T) {
	seed := testrun.Seed(t)
	for i := range uint64(6) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := child(t, "random", fmt.Sprint("FAULT_TEST_SEED=", seed+i))
			if code != 0 || stdout == "" || stdout != stderr {
				t.Errorf("exit code %d; written\n%s\nwant\n%s", code, stderr, stdout)
			}
		})
	}
}

func init() {
	children["random"] = func() {
		seed, err := strconv.ParseUint(os.Getenv("FAULT_TEST_SEED"), 10, 64)
		check(err)
		r := rand.New(rand.NewPCG(seed, 0))
		const size = 1 << 20
		mem, err := vm.Reserve(size)
		check(err)
		// The range begins anywhere and its parts may be smaller than pages.
		shift := r.UintN(17)
		from := r.IntN(size / 2)
		n := 1 + r.IntN((size-from)>>shift)
		to := from + n<<shift
		table := catch(addressOf(&mem[from]), shift, n)
		model := make([]string, n)

		last := uintptr(0)
		hits, total := make([]int64, n), uint64(0)
		for step := range 2000 {
			i := r.IntN(size)
			switch r.IntN(4) {
			case 0:
				i = from - 2 + r.IntN(4)
			case 1:
				i = to - 2 + r.IntN(4)
			case 2:
				i = from + r.IntN(to-from)
			}
			if i < 0 || i >= size {
				continue
			}
			in := i >= from && i < to
			part := (i - from) >> shift
			if in && r.IntN(2) == 0 {
				model[part] = ""
				table[part].Store(nil)
				if r.IntN(4) != 0 {
					model[part] = fmt.Sprintf("step %d, part %d\n", step, part)[r.IntN(8):]
					table[part].Store(fault.NewText(model[part]))
				}
			}
			recovered(&mem[i], r.IntN(2) == 0)
			if in {
				hits[part]++
				total++
				last = addressOf(&mem[i])
				fmt.Print(model[part]) // What standard error should have.
			}
			if got := fault.Last(); got != last {
				panic(fmt.Sprintf("step %d: a last fault at %#x, want %#x", step, got, last))
			}
			if got := fault.Count(); got != total {
				panic(fmt.Sprintf("step %d: %d faults, want %d", step, got, total))
			}
			if !in || r.IntN(8) != 0 {
				continue
			}
			want := hits[part]
			one := r.IntN(2) == 0
			if one {
				table[part].TakeOne()
				want--
			}
			hits[part] = 0
			got, at, stack := table[part].Take()
			if got != want || got == 0 && at != 0 || got == 1 && !one && (at != last || !hasFrames(stack, "TestMain")) {
				panic(fmt.Sprintf("step %d: %d faults, one at %#x, want %d and %#x; %s", step, got, at, want, last, frames(stack)))
			}
		}
	}
}

// frames returns the names of the functions of a stack.
func frames(stack []uintptr) (names []string) {
	f := runtime.CallersFrames(stack)
	for more := len(stack) > 0; more; {
		var at runtime.Frame
		at, more = f.Next()
		names = append(names, at.Function)
	}
	return names
}

// hasFrames reports whether the names of functions in a stack end so, in this order.
func hasFrames(stack []uintptr, want ...string) bool {
	for _, name := range frames(stack) {
		if len(want) > 0 && strings.HasSuffix(name, want[0]) {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// TestStacks checks what is known of a fault that was recovered from: in Go code, in functions
// written in assembly, which have no frames, and where the register of the frame pointer is used
// for something else.
func TestStacks(t *testing.T) { good(t, "stacks") }

func init() {
	children["stacks"] = func() {
		mem, table := pages(2)
		debug.SetPanicOnFault(true)
		for name, f := range map[string]func(p []byte){
			"faultsReading":   func(p []byte) { faultsReading(p) },
			"faultsCopying":   func(p []byte) { faultsCopying(p) },
			"faultsComparing": func(p []byte) { faultsComparing(p) },
			"faultsHashing":   func(p []byte) { faultsHashing(p) },
			"faultsDeep":      func(p []byte) { faultsDeep(p, 100) },
		} {
			func() {
				defer func() { recover() }()
				f(mem[1<<pageShift+64 : 1<<pageShift+5000])
			}()
			n, addr, stack := table[1].Take()
			want := []string{"fault_test." + name, "fault_test.TestMain"}
			switch name {
			case "faultsHashing":
				want = nil // some processors have instructions for which the register is needed
			case "faultsDeep":
				want = want[:1]
			}
			if base := addressOf(&mem[1<<pageShift+64]); n != 1 || addr < base || addr > base+5000 || len(stack) > 40 {
				panic(fmt.Sprintf("%s: %d faults at %#x, want 1 at %#x; %d frames", name, n, addr, base, len(stack)))
			}
			if !hasFrames(stack, want...) {
				panic(fmt.Sprintf("%s: %q are not in %q", name, want, frames(stack)))
			}
			if n, addr, stack := table[1].Take(); n != 0 || addr != 0 || stack != nil {
				panic("the fault is still there")
			}
			table[1].TakeOne()
		}
		// More than are remembered are counted.
		for i := range 200 {
			recovered(&mem[i], false)
		}
		if n, addr, _ := table[0].Take(); n != 200 || addr != addressOf(&mem[200-64]) {
			panic(fmt.Sprintf("%d faults, the first at %#x", n, addr))
		}
		// One that was taken is not found again with a later one of another range.
		recovered(&mem[1], false)
		table[0].Take()
		recovered(&mem[1<<pageShift], false)
		if n, addr, _ := table[1].Take(); n != 1 || addr != addressOf(&mem[1<<pageShift]) {
			panic(fmt.Sprintf("%d faults, the first at %#x", n, addr))
		}
		fmt.Println("good")
	}
}

var sink byte

//go:noinline
func faultsReading(p []byte) { sink = p[0] }

//go:noinline
func faultsCopying(p []byte) {
	var b [3000]byte
	copy(b[:], p)
	sink = b[7]
}

//go:noinline
func faultsComparing(p []byte) {
	q := make([]byte, len(p))
	if bytes.Equal(p, q) {
		sink = 1
	}
}

//go:noinline
func faultsHashing(p []byte) {
	h := sha256.Sum256(p)
	sink = h[0]
	d := sha512.Sum512(p)
	sink = d[0]
}

//go:noinline
func faultsDeep(p []byte, n int) {
	if n == 0 {
		faultsReading(p)
	} else {
		faultsDeep(p, n-1)
		sink++
	}
}

// TestBusy has 10,000 faults in several goroutines of a process that does all else that
// signals have to do with.
func TestBusy(t *testing.T) { good(t, "busy") }

func init() {
	children["busy"] = func() {
		mem, _ := pages(64)
		check(pprof.StartCPUProfile(io.Discard))
		debug.SetGCPercent(5)
		stop := make(chan bool)
		var others, faults sync.WaitGroup

		// Signals.
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR1, syscall.SIGSEGV)
		others.Go(func() {
			for {
				check(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
				if sig := <-c; sig != syscall.SIGUSR1 {
					panic(sig)
				}
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		})
		// Garbage, and the collector.
		others.Go(func() {
			var keep [64][]*int
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				s := make([]*int, 1000)
				for j := range s {
					s[j] = new(int)
				}
				keep[i%len(keep)] = s
			}
		})
		// Children.
		others.Go(func() {
			for range 3 {
				cmd := command(context.Background(), "once")
				cmd.Stderr = os.Stderr
				if out, err := cmd.Output(); err != nil || string(out) != "good\n" {
					panic(fmt.Sprintf("%v: %s", err, out))
				}
			}
		})
		for g := range 4 {
			faults.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for range 2500 {
					recovered(&mem[r.IntN(len(mem))], r.IntN(2) == 0)
					if last := fault.Last(); last < addressOf(&mem[0]) || last > addressOf(&mem[len(mem)-1]) {
						panic(fmt.Sprintf("a last fault at %#x", last))
					}
				}
			})
		}
		faults.Wait()
		close(stop)
		others.Wait()
		pprof.StopCPUProfile()
		fmt.Println("good")
	}
}

// TestReplaced replaces texts, and collects the former ones, while they are written. The
// collector overwrites what it frees: each line must be whole.
func TestReplaced(t *testing.T) {
	stdout, stderr, code := child(t, "replaced", "GODEBUG=clobberfree=1")
	if stdout != "good\n" || code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	lines := strings.SplitAfter(stderr, "\n")
	if last := lines[len(lines)-1]; len(lines) != 1001 || last != "" {
		t.Errorf("%d lines, the last one %q", len(lines), last)
	}
	for _, line := range lines[:len(lines)-1] {
		if len(line) != 3001 || strings.Trim(line, line[:1]) != "\n" || line[0] < 'a' || line[0] > 'z' {
			t.Fatalf("a line is %q", line)
		}
	}
}

func init() {
	children["replaced"] = func() {
		mem, table := pages(1)
		text := func(i int) *fault.Text {
			return fault.NewText(strings.Repeat(string(rune('a'+i%26)), 3000) + "\n")
		}
		table[0].Store(text(0))
		stop := make(chan bool)
		var others, faults sync.WaitGroup
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				table[0].Store(text(i))
				if i%16 == 0 {
					runtime.GC()
				}
			}
		})
		for range 2 {
			faults.Go(func() {
				for i := range 500 {
					recovered(&mem[i], false)
				}
			})
		}
		faults.Wait()
		close(stop)
		others.Wait()
		fmt.Println("good")
	}
}

// TestLong checks that a text larger than a pipe holds is written whole, even if the process
// is stopped in the middle, which makes the system call return early.
func TestLong(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd := r.Fd()
	const getPipeSize = 1032 // F_GETPIPE_SZ
	size, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, getPipeSize, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	var stdout bytes.Buffer
	ctx := testrun.Context(t)
	cmd := command(ctx, "long")
	cmd.Stdout, cmd.Stderr = &stdout, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()

	// When the pipe is full the child is in the system call, or about to find that it
	// has to wait there. Nothing tells when it is full, so this looks again and again.
	for ; ; runtime.Gosched() {
		var n int32
		const fionread = 0x541B
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, fionread, uintptr(unsafe.Pointer(&n))); errno != 0 {
			t.Fatal(errno)
		}
		if int(n) == int(size) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the child has written %d bytes only", n)
		}
	}
	var status syscall.WaitStatus
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the child has not stopped: %v, %#x", err, status)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	stderr, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	text := longText()
	if !strings.HasPrefix(string(stderr), text) {
		i := 0
		for i < len(stderr) && stderr[i] == text[i] {
			i++
		}
		t.Fatalf("%d bytes of %d are right", i, len(text))
	}
	crashed(t, string(stderr[len(text):]), "", strings.TrimSpace(stdout.String()), "fault_test.faultingRead")
}

// longText returns a text that is never the same in two places.
func longText() string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func init() {
	children["long"] = func() {
		mem, table := pages(1)
		table[0].Store(fault.NewText(longText()))
		fmt.Printf("%p\n", &mem[0])
		faultingRead(&mem[0])
	}
}

// TestNobodyReads checks that a text that cannot be written does no harm.
func TestNobodyReads(t *testing.T) {
	var stdout bytes.Buffer
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := command(t.Context(), "nobody")
	cmd.Stdout, cmd.Stderr = &stdout, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	err = cmd.Wait() // Nothing is read before.
	stderr, _ := io.ReadAll(r)
	if err != nil || stdout.String() != "good\n" || len(stderr) == 0 || !strings.HasPrefix(longText(), string(stderr)) {
		t.Errorf("%v, %q, %d bytes of the text", err, &stdout, len(stderr))
	}
}

func init() {
	children["nobody"] = func() {
		mem, table := pages(1)
		table[0].Store(fault.NewText(longText()))
		check(syscall.SetNonblock(2, true))
		recovered(&mem[0], false) // The pipe takes some of it.
		recovered(&mem[1], false) // It takes nothing.
		check(syscall.Close(2))
		recovered(&mem[2], true)
		if fault.Last() != addressOf(&mem[2]) {
			panic("not caught")
		}
		fmt.Println("good")
	}
}

// TestOnce checks that there is one range, however many ask for it.
func TestOnce(t *testing.T) { good(t, "once") }

func init() {
	children["once"] = func() {
		mem, err := vm.Reserve(4 << pageShift)
		check(err)
		base := addressOf(&mem[0])
		table := make([]fault.Range, 5)
		table[1].Set(base, base+4<<pageShift, nil)
		if err := fault.Catch(nil); err == nil {
			panic("an empty table is accepted") // And spoils nothing.
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				check(fault.Catch(table))
				recovered(&mem[0], false)
			})
		}
		wg.Wait()
		for i, err := range []error{
			fault.Catch(table[:3]),
			fault.Catch(table[1:]),
			fault.Catch(make([]fault.Range, 5)),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), "fault: faults are caught already") {
				panic(fmt.Sprint(i, ": ", err))
			}
		}
		if !fault.Supported() {
			panic("supported after all")
		}
		check(fault.Catch(table))
		recovered(&mem[1], false)
		if fault.Last() != base+1 {
			panic("another address")
		}
		fmt.Println("good")
	}
}
