//go:build !linux || !(amd64 || arm64)

package vm

import (
	"errors"
	"fmt"
)

// errSystem is the error of what some systems have, and this one lacks. Each system that returns it
// has this file.
var errSystem = fmt.Errorf("not on this system: %w", errors.ErrUnsupported)

func commitHuge([]byte) error { return errSystem }

func decommitHuge([]byte) error { return errSystem }
