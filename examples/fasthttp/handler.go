// Package arenafasthttp gives each request of a fasthttp server its arenas. It is an example of
// package arenascope: copy it.
//
//	server := &fasthttp.Server{Handler: arenafasthttp.Handler(handle, options)}
//
// The handler gets a context in which [arena.FromContext] and [arena.Fork] find the arenas of the
// request. They end when the handler returns: SetBody, SetBodyString, Write and the header copy
// what they are given, so an answer may be made of values in the arena. SetBodyRaw and
// SetBodyStream keep it until the answer is sent: call [arenascope.Keep] before them.
package arenafasthttp

import (
	"context"

	"github.com/arena-go/arena/arenascope"
	"github.com/valyala/fasthttp"
)

// Handler returns a handler of fasthttp that calls f with arenas from o. If f panics, its arenas
// are dropped, and the panic goes on. If an arena reaches its limit and f has no answer for that,
// it is status 413.
func Handler(f func(ctx context.Context, r *fasthttp.RequestCtx), o *arenascope.Options) fasthttp.RequestHandler {
	return func(r *fasthttp.RequestCtx) {
		// The scope is a context of its own: goroutines may hold it for longer than fasthttp leaves
		// r alone.
		s := new(arenascope.Scope)
		s.Start(context.Background(), o)
		defer s.End(nil)
		err := s.Run(s, func() error {
			f(s, r)
			return nil
		})
		if arenascope.OutOfMemory(err) != nil {
			r.Error("the request needs too much memory", fasthttp.StatusRequestEntityTooLarge)
		}
	}
}
