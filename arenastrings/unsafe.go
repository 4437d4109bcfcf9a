package arenastrings

import "unsafe"

// stringOf returns b as a string. Nobody changes b before the Reset that makes the string stale.
func stringOf(b []byte) string {
	// SAFETY: the string points at the bytes of b, and keeps them alive. A stale string sees other
	// bytes, never other memory.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
