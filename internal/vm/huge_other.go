//go:build !linux

package vm

func hugePageSize() int { return 0 }

func adviseHuge([]byte) error { return errSystem }
