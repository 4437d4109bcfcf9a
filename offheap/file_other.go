//go:build !((linux || darwin || freebsd) && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package offheap

import (
	"io"
	"os"

	"github.com/arena-go/arena/internal/vm"
)

// file_map.go describes the functions. Here the file is in memory: from mapOld on, or until store.

func mapNew(_ *os.File, limit int) ([]byte, error) { return takeRange(limit) }

func mapOld(file *os.File, size int) ([]byte, error) {
	b, err := takeRange(size)
	if err != nil {
		return nil, err
	}
	err = vm.Commit(b)
	if err == nil {
		_, err = io.ReadFull(io.NewSectionReader(file, 0, int64(size)), b[:size])
	}
	if err != nil {
		unmap(b)
		return nil, err
	}
	return b, nil
}

func unmap(b []byte) error {
	if err := vm.Decommit(b); err != nil {
		return err
	}
	putRange(b)
	return nil
}

func extend(_ *os.File, b []byte, from, to int) error {
	page := vm.PageSize()
	return vm.Commit(b[from/page*page : (to+page-1)/page*page])
}

func seal([]byte) error { return nil }

func store(file *os.File, b []byte) error {
	_, err := file.WriteAt(b, 0)
	return err
}

// syncDir does nothing: not all of these systems can, and most do it with the rename.
func syncDir(string) error { return nil }
