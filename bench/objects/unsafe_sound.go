package objects

import "unsafe"

// header returns what a string consists of, as numbers: where it is, and its length.
//
// SAFETY: a string has the size of two numbers, and its alignment. What is read is not used as a
// pointer, so it may be anything.
func header(s *string) [2]uintptr { return *(*[2]uintptr)(unsafe.Pointer(s)) }
