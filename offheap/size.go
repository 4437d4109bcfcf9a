package offheap

import "math/bits"

// maxBlock bounds the size of a request. Addresses have 47 bits on most systems, so sums of sizes
// fit into 64 bits. With 32 bits they may overflow, so all sizes are rounded here.
const maxBlock = 1<<(31+16*is64bit) - 1

// roundUp returns the lowest multiple of unit, a power of two, that is not less than n > 0, or 0 if
// it overflows an int.
func roundUp(n, unit int) int {
	if r := (n-1)&^(unit-1) + unit; r > 0 {
		return r
	}
	return 0
}

// powerOfTwo returns the lowest power of two that is not less than n > 0, or 0 if it overflows an
// int.
func powerOfTwo(n int) int {
	if b := bits.Len(uint(n - 1)); b < bits.UintSize-1 {
		return 1 << b
	}
	return 0
}
