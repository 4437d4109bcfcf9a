package arena

import "fmt"

// maxBytes bounds a single allocation: what an address can reach, as for make.
const maxBytes = 1<<(31+16*(^uint(0)>>63)) - 1

// panicSize reports n values of size bytes, which no memory can hold.
func panicSize(what string, n, size int) {
	panic(fmt.Sprintf("arena: %s of %d values of %d bytes is larger than memory can be", what, n, size))
}

// checkLen panics as make does for a slice of elements of size bytes.
func checkLen(len, cap, size int) {
	if len < 0 || cap < len {
		panic(fmt.Sprintf("arena: a slice of length %d and capacity %d: need 0 <= length <= capacity", len, cap))
	}
	if size > 0 && cap > maxBytes/size {
		panicSize("a slice", cap, size)
	}
}
