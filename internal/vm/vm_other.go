//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !windows

package vm

func reserve(int) ([]byte, error) { return nil, ErrUnsupported }

// The rest is never called: nothing is reserved here.

func commit([]byte) error { return ErrUnsupported }

func decommit([]byte) error { return ErrUnsupported }

func release([]byte) error { return ErrUnsupported }
