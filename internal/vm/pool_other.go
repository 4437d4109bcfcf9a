//go:build !linux || !(amd64 || arm64)

package vm

func commitHuge([]byte) error { return errSystem }

func decommitHuge([]byte) error { return errSystem }
