package arenagrpc

import "google.golang.org/grpc"

// ServerOptionsPending is ServerOptions, and a function that counts the messages whose arena nobody has claimed.
func ServerOptionsPending(o Options, others ...grpc.ServerOption) ([]grpc.ServerOption, func() int) {
	s := newServer(o)
	return s.options(others), func() (n int) {
		s.pending.Range(func(any, any) bool {
			n++
			return true
		})
		return n
	}
}
