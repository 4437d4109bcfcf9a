//go:build (darwin || freebsd) && (amd64 || arm64 || riscv64)

package offheap

import "os"

// allocate reserves room on the disk for the bytes [from, to) of a file of from bytes, and makes
// them zero.
func allocate(file *os.File, from, to int64) error { return writeZeros(file, from, to) }
