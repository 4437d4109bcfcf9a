package arenaconnect

import (
	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenaconnect/internal/pending"
)

// HandlerOptionsPending is HandlerOptions, and a function that counts the messages whose arena nobody has claimed.
func HandlerOptionsPending(o Options, others ...connect.HandlerOption) ([]connect.HandlerOption, func() int) {
	s := newServer(o)
	return s.options(others), func() (n int) {
		for t := range s.pending.All {
			if t.arena != nil {
				n++
			}
		}
		return n
	}
}

// Places is the most messages that can be pending.
const Places = pending.Places
