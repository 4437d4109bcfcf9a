package offheap

import (
	"strconv"
	"sync"

	"github.com/arena-go/arena/internal/vm"
)

const (
	// defaultLimit is that of FileOptions.Limit.
	defaultLimit = 64<<20 + is64bit*(maxFile-64<<20)
	// The addresses of closed Files wait until so many others of their size have been closed, or so many bytes of them.
	quarantine      = 256
	quarantineBytes = 64<<20 + is64bit*(1<<40-64<<20)

	is64bit = strconv.IntSize / 64
)

// closed has the addresses of closed Files by their number, a power of two where there is one, oldest first. They are reserved and
// inaccessible. They are used again for other Files, and never given back to the system: it could give them to the Go
// heap, which a pointer from before would destroy. So of each size there are at most as many as are in use at a time,
// and those in quarantine.
var closed = struct {
	sync.Mutex
	ranges map[int][][]byte
}{ranges: map[int][][]byte{}}

// takeRange returns inaccessible addresses for size > 0 bytes, rounded up to whole pages, at the start of a page.
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

// reuse returns the n bytes that have been closed for the longest time, if they are out of quarantine.
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

// putRange takes back what takeRange has returned, which is inaccessible again.
func putRange(b []byte) {
	closed.Lock()
	defer closed.Unlock()
	n := cap(b)
	closed.ranges[n] = append(closed.ranges[n], b[:n])
}
