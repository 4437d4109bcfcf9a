package arenaconnect

import "connectrpc.com/connect"

// HandlerOptionsPending is HandlerOptions, and a function that counts the messages whose arena nobody has claimed.
func HandlerOptionsPending(o Options, others ...connect.HandlerOption) ([]connect.HandlerOption, func() int) {
	s := newServer(o)
	return s.options(others), func() (n int) {
		for i := range s.pending.places {
			if t := s.pending.places[i].Load(); t != nil && t.arena != nil {
				n++
			}
		}
		return n
	}
}

// Places is the most messages that can be pending.
const Places = places
