//go:build (darwin || freebsd) && (amd64 || arm64 || riscv64)

package offheap

import "os"

// allocate gets room on the disk for the bytes [from, to) of a file that has from bytes, and makes
// them zero.
func allocate(file *os.File, from, to int64) error { return writeZeros(file, from, to) }
