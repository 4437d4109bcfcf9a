//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package offheap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFileAddresses creates a File in a child that has no addresses for the default limit.
func TestFileAddresses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if out, err := fileChild(t, "no addresses", path); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	noTemp(t, path)
}

// TestFileAllocated grows a File: it has room on the disk before anything is written to it.
func TestFileAllocated(t *testing.T) {
	f, _ := create(t, filepath.Join(t.TempDir(), "file"))
	for _, size := range []int{1 << 16, 1<<20 + 8, 9 << 20} {
		if _, err := f.Grow(size); err != nil {
			t.Fatal(err)
		}
		info, err := f.file.Stat()
		must(err)
		if blocks := info.Sys().(*syscall.Stat_t).Blocks; blocks*512 < int64(size) || info.Size() != int64(size) {
			t.Errorf("%d bytes have %d blocks of 512", size, blocks)
		}
	}
}

func init() {
	fileChildren["no addresses"] = func(path string) {
		var pages uint64 // that the process has already
		statm, err := os.Open("/proc/self/statm")
		must(err)
		_, err = fmt.Fscan(statm, &pages)
		must(err)
		most := pages*uint64(os.Getpagesize()) + 4<<30
		must(syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most}))
		_, err = Create(path, FileOptions{})
		if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "offheap: "+path) || !strings.Contains(err.Error(), "FileOptions.Limit") {
			panic(err)
		}
		f, err := Create(path, FileOptions{Limit: 1 << 20})
		must(err)
		must(f.Close())
	}
}
