//go:build !asan

package tools

// Sanitizing says that the program is built with the address sanitizer.
const Sanitizing = false
