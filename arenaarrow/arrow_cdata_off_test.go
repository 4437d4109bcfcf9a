//go:build !cgo

package arenaarrow_test

import "testing"

func TestCExport(t *testing.T) {
	t.Skip("arrow's C data interface needs cgo: install gcc, and set CGO_ENABLED=1")
}
