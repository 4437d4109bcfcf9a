package arenascope

import "reflect"

// pointerTo returns a message as a pointer to its first byte.
//
// SAFETY: message has a pointer to a value of one byte or more, of which the collector knows. A
// *byte to it keeps it alive as a whole. It is never read through.
func pointerTo(message any) *byte { return (*byte)(reflect.ValueOf(message).UnsafePointer()) }
