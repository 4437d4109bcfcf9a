package arena

import "fmt"

// A Memory is where an arena gets memory for values of plain types, in place of the Go heap. See Options.Memory.
// Package offheap has several.
//
// Several goroutines may call its methods at the same time: those of all arenas that have it. Its methods must not
// use these arenas.
type Memory interface {
	// Alloc returns size zero bytes at an address that is a multiple of 8, or an error. size is more than 0. The arena
	// asks for a few KiB at first, for more each time, and for the bytes of a large slice. After an error it asks for
	// less, as long as that is enough.
	//
	// The collector must not free the memory, nor look for pointers in it.
	Alloc(size int) ([]byte, error)

	// Free takes back the same slice that Alloc has returned: when the arena is freed, and when a Reset has found that
	// it needs less. The arena does not use the memory any more. The program may, by mistake. The memory is not zero.
	Free(b []byte)
}

// A MemoryError says that Options.Memory has no memory for an allocation, or cannot be written to. The allocation
// panics with it, and the arena stays as it was. See [Try].
type MemoryError struct {
	Name string // Options.Name
	Size int64  // bytes that were asked for, or 0 for a write to what is there already
	Err  error  // the reason
}

// Error returns the message, with the name, the bytes and the reason.
func (e *MemoryError) Error() string {
	name := ""
	if e.Name != "" {
		name = " " + e.Name
	}
	if e.Size == 0 {
		return fmt.Sprintf("arena: arena%s cannot write to its Memory: %v", name, e.Err)
	}
	return fmt.Sprintf("arena: no memory for arena%s: %d bytes: %v", name, e.Size, e.Err)
}

// Unwrap returns e.Err.
func (e *MemoryError) Unwrap() error { return e.Err }
