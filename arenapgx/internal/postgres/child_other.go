//go:build unix && !linux

package postgres

import "syscall"

func dieWithParent(*syscall.SysProcAttr) {}
