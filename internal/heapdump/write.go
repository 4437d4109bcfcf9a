package heapdump

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"time"
)

// notInGo counts the goroutines in system calls.
const notInGo = "/sched/goroutines/not-in-go:goroutines"

// quiet waits, briefly, for a moment at which no goroutine is in a system call. One that leaves its
// call at the moment in which the dump reads its state ends the process with "dumpgs in STW - bad
// status". Goroutines whose calls last do not matter.
func quiet() {
	sample := []metrics.Sample{{Name: notInGo}}
	for range 20 {
		metrics.Read(sample)
		if sample[0].Value.Kind() != metrics.KindUint64 || sample[0].Value.Uint64() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// leaked reports whether a goroutine has the state that a profile of leaked goroutines gives it. No
// later collection takes the state back, and the dump does not know it.
func leaked() bool {
	if pprof.Lookup("goroutineleak") == nil {
		return false
	}
	for n := 1 << 16; ; n *= 2 {
		text := make([]byte, n)
		if k := runtime.Stack(text, true); k < n || n >= 1<<26 {
			return bytes.Contains(text[:k], []byte(" (leaked)"))
		}
	}
}

// write dumps the heap to a temporary file, and returns it with its size and a count of the
// objects. The file has no name where the system lets an open file be removed. The other result
// closes and removes it.
//
// Unless it is nil, readable is called with what writes the dump, and calls it when all memory can
// be read.
func write(most int64, readable func(dump func()) bool) (f *os.File, size int64, count uint64, remove func(), err error) {
	if leaked() {
		return nil, 0, 0, nil, errors.New("heapdump: a profile of leaked goroutines has marked some, and the runtime ends a process that dumps " +
			"its heap with marked goroutines; look for what keeps memory before the profile is taken")
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if most > 0 && m.HeapInuse > uint64(most) {
		return nil, 0, 0, nil, fmt.Errorf("heapdump: the heap has %d bytes, and dumps of up to %d are read; allow more, or look for "+
			"what keeps memory while less of it is in use", m.HeapInuse, most)
	}
	if f, err = os.CreateTemp("", "heapdump-*"); err != nil {
		return nil, 0, 0, nil, fmt.Errorf("heapdump: a dump needs a temporary file: %w", err)
	}
	removed := os.Remove(f.Name()) == nil
	remove = func() {
		f.Close()
		if !removed {
			os.Remove(f.Name())
		}
	}
	quiet()
	dump := func() { debug.WriteHeapDump(f.Fd()) }
	if readable == nil {
		dump()
	} else if !readable(dump) {
		remove()
		return nil, 0, 0, nil, errors.New("heapdump: a part of the heap cannot be read, and the runtime dumps all of it")
	}
	info, err := f.Stat()
	if err == nil && most > 0 && info.Size() > most {
		err = fmt.Errorf("heapdump: the dump has %d bytes, and dumps of up to %d are read; allow more, or look for what keeps memory "+
			"while less of it is in use", info.Size(), most)
	}
	if err == nil && info.Size() == 0 {
		err = errors.New("heapdump: the runtime wrote no dump; dumps are not to be had on " + runtime.GOOS)
	}
	if err != nil {
		remove()
		return nil, 0, 0, nil, err
	}
	return f, info.Size(), m.HeapObjects + m.HeapObjects/16, remove, nil
}
