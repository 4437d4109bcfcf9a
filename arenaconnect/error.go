package arenaconnect

import (
	"errors"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
)

// ErrorFrom returns a *connect.Error of code ResourceExhausted that wraps err, if err is or wraps an
// *arena.LimitError or an *arena.MemoryError, and has no code yet. Otherwise it returns err itself, also if that is nil. Clients and counters see an error without a code as
// Unknown, and a client may not try again then.
//
// [HandlerOptions] do that with what handlers and interceptors return.
func ErrorFrom(err error) error {
	if memoryError(err) == nil {
		return err
	}
	var has *connect.Error
	if errors.As(err, &has) {
		return err
	}
	return connect.NewError(connect.CodeResourceExhausted, err)
}

// memoryError returns the *arena.LimitError or *arena.MemoryError that err is or wraps, or nil.
func memoryError(err error) error {
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
