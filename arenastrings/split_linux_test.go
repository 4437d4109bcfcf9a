package arenastrings_test

import (
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

// TestSplitNLooks checks that SplitN looks at no more of a text than at the parts that it splits
// off: the rest of this one cannot be read. So a loop that splits off one part after another is not
// quadratic.
func TestSplitNLooks(t *testing.T) {
	page := os.Getpagesize()
	mem, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mem)
	copy(mem, strings.Repeat("äab\n", 20)) // what assembly reads ahead can be read
	if err := syscall.Mprotect(mem[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	text := unsafe.String(&mem[0], len(mem))
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		for sep, want := range map[string]string{"\n": "äab", "ab\n": "ä", "": "ä"} {
			for n := 1; n < 4; n++ {
				if parts := arenastrings.SplitN(a, text, sep, n); len(parts) != n || n > 1 && parts[0] != want {
					t.Errorf("SplitN by %q into %d: %d parts", sep, n, len(parts))
				}
			}
		}
	}
}
