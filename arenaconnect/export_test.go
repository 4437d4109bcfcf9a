package arenaconnect

import "connectrpc.com/connect"

// HandlerOptionsPending is HandlerOptions, and a function that counts the messages whose arena
// nobody has claimed.
func HandlerOptionsPending(o Options, others ...connect.HandlerOption) ([]connect.HandlerOption, func() int) {
	s := newServer(o)
	return s.options(others), func() int { return s.pending.Len() + s.awaiting.Len() }
}
