//go:build !linux

package vm

func prefer([]byte, int) error { return errSystem }
