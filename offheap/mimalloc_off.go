//go:build !mimalloc || !cgo

package offheap

func mimalloc() (*Malloc, error) { return nil, absent("Mimalloc", "mimalloc") }
