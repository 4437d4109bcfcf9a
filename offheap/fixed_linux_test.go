package offheap

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
)

// TestFixedFaults checks that nothing but NewFixed costs a page fault.
func TestFixedFaults(t *testing.T) {
	const size = 64 << 20
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	faults := func() int64 {
		const thread = 1 // RUSAGE_THREAD
		var r syscall.Rusage
		if err := syscall.Getrusage(thread, &r); err != nil {
			t.Fatal(err)
		}
		return int64(r.Minflt + r.Majflt) //nolint:unconvert // they have 32 bits on some processors
	}
	before := faults()
	f := fixedNew(t, size)
	if n := faults() - before; n < size>>21 { // There may be huge pages.
		t.Errorf("%d faults for all the memory", n)
	}
	live := make([][]byte, 512)
	r := fixedRandom(t)
	before = faults()
	for range 20 {
		fixedWork(f, r, live)
	}
	b, err := f.Alloc(int(f.Stats().Largest))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	// The test itself causes some, for its stack for instance. The blocks have more than 10,000
	// pages.
	if n := faults() - before; n > 1000 {
		t.Errorf("%d faults for memory that was there", n)
	}
	f.Free(b)
	for _, b := range live {
		if b != nil {
			f.Free(b)
		}
	}
}
