//go:build !jemalloc || !cgo

package offheap

func jemalloc() (*Malloc, error) { return nil, absent("Jemalloc", "jemalloc") }
