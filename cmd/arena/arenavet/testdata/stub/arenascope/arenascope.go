// Package arenascope has the names of the package that it stands for, and does nothing.
package arenascope

import "github.com/arena-go/arena"

func OrHeap(a *arena.Arena) *arena.Arena { return a }
