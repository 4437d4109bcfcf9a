//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !windows

package vm

func protect(_, _ uintptr, _ bool) error { return ErrUnsupported }
