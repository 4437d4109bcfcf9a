package arenaconnect

import (
	"errors"

	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenascope"
)

// ErrorFrom returns a *connect.Error of code ResourceExhausted that wraps err, if err is or wraps
// an *arena.LimitError or an *arena.MemoryError, and has no code yet. Otherwise it returns err
// itself, also if that is nil. Clients and counters see an error without a code as Unknown, and a
// client may not try again then.
//
// [HandlerOptions] apply it to the errors of handlers and interceptors.
func ErrorFrom(err error) error {
	if arenascope.OutOfMemory(err) == nil {
		return err
	}
	var has *connect.Error
	if errors.As(err, &has) {
		return err
	}
	return connect.NewError(connect.CodeResourceExhausted, err)
}
