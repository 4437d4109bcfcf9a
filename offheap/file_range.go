package offheap

import (
	"strconv"
	"sync"

	"github.com/arena-go/arena/internal/vm"
)

const (
	// defaultLimit is the default of FileOptions.Limit.
	defaultLimit = 64<<20 + is64bit*(maxFile-64<<20)
	// The addresses of a closed File wait until this number of other Files of its size have been
	// closed, or this number of bytes.
	quarantine      = 256
	quarantineBytes = 64<<20 + is64bit*(1<<40-64<<20)

	is64bit = strconv.IntSize / 64
)

// closed contains the address ranges of closed Files by size, which is a power of two if possible,
// oldest first. They are reserved and inaccessible. They are reused for other Files, and never
// returned to the system: it could give them to the Go heap, which a stale pointer would destroy.
// So the ranges of a size are at most as many as the Files in use at a time, plus the ranges in
// quarantine.
var closed = struct {
	sync.Mutex
	ranges map[int][][]byte
}{ranges: map[int][][]byte{}}

// takeRange returns inaccessible addresses for size > 0 bytes, rounded up to whole pages, at the
// start of a page.
func takeRange(size int) ([]byte, error) {
	pages := roundUp(size, vm.PageSize())
	if pages == 0 {
		return nil, errLarge
	}
	n := max(powerOfTwo(pages), pages)
	if b := reuse(n); b != nil {
		return b[:pages], nil
	}
	b, err := vm.Reserve(n)
	if err != nil {
		return nil, err
	}
	return b[:pages], nil
}

// reuse returns the range of n bytes that has been closed for the longest time, if it is out of
// quarantine.
func reuse(n int) []byte {
	closed.Lock()
	defer closed.Unlock()
	list := closed.ranges[n]
	if len(list) <= max(min(quarantine, quarantineBytes/n), 1) {
		return nil
	}
	closed.ranges[n] = list[1:]
	return list[0]
}

// putRange stores a range that takeRange returned and that is inaccessible again.
func putRange(b []byte) {
	closed.Lock()
	defer closed.Unlock()
	n := cap(b)
	closed.ranges[n] = append(closed.ranges[n], b[:n])
}
