// Package raw stores by way of package unsafe what a type has no place for.
package raw

import "unsafe"

// A Header is a slot to others.
type Header struct {
	_ uintptr
	p *byte
}

type slot struct {
	_ uintptr
	n *int
}

// Put stores n in h.
func Put(h *Header, n *int) { (*slot)(unsafe.Pointer(h)).n = n }
