package arenascope

import (
	"errors"

	"github.com/arena-go/arena"
)

// OutOfMemory returns the *arena.LimitError or *arena.MemoryError that err is or wraps, or nil.
// Adapters answer these with the status for a request that needs too much.
func OutOfMemory(err error) error {
	if err == nil {
		return nil // at no cost
	}
	var limit *arena.LimitError
	if errors.As(err, &limit) {
		return limit
	}
	var memory *arena.MemoryError
	if errors.As(err, &memory) {
		return memory
	}
	return nil
}
