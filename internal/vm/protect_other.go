//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !windows

package vm

func protect([]byte, bool) error { return ErrUnsupported }
