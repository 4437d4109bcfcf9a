package arenahttp

import (
	"fmt"
	"net/http"

	"github.com/arena-go/arena"
)

// Options configure a [Middleware]. The zero value is the default.
type Options struct {
	// Pool gives arenas and takes them back. It may serve other middlewares and other code too. If it is nil, the
	// middleware makes one of its own.
	Pool *arena.Pool

	// Limit is the most memory in bytes that the arena of a request may hold, as Options.Limit of package arena. 0
	// means no limit. It must be 0 if Pool is set: Pool.Options has the limit then.
	Limit int64

	// LimitStatus is the status of the answer to a request that exceeds the limit of its arena, from 400 to 599. 0
	// means 503, Service Unavailable.
	LimitStatus int

	// Observe is called once for each request, unless it is nil: when the handler has returned or panicked, on the
	// same goroutine, and before the arena is used again. Requests run at the same time, and so do these calls. r is
	// the request as Middleware got it, so its context is without the arena.
	Observe func(r *http.Request, s Summary)
}

// A Summary says what became of the arena of one request.
type Summary struct {
	Stats  arena.Stats       // what was in the arena; zero unless Reused, because somebody may be using the arena
	Forks  []arena.Stats     // the same for each arena of arena.Fork, the newest first
	Reused bool              // the arena went back to its Pool
	Reason string            // why it did not, one of the Reason constants; "" if Reused
	Limit  *arena.LimitError // the panic of the handler, if it was that
}

// Middleware returns a handler that calls next with an arena in the context of the request, where
// [arena.FromContext] finds it. When next has returned, the arena is used again for another request, or dropped if
// somebody may still be using it. See the package comment.
//
// A panic of next goes on, unless it is a [*arena.LimitError]. Then the request is answered with
// Options.LimitStatus. If the response has begun, it is aborted with [http.ErrAbortHandler], so that the client
// does not take it for complete.
//
// Middleware panics when next is nil, and when the options contradict each other. If one Middleware is inside of
// another, each has an arena, and the inner one is found.
func Middleware(next http.Handler, o Options) http.Handler {
	switch {
	case next == nil:
		panic("arenahttp: Middleware: the handler is nil")
	case o.Pool != nil && o.Limit != 0:
		panic("arenahttp: Middleware: Options have a Pool and a Limit; set the limit in Pool.Options")
	case o.Limit < 0:
		panic(fmt.Sprintf("arenahttp: Middleware: Options.Limit is %d; use 0 for no limit", o.Limit))
	case o.LimitStatus != 0 && (o.LimitStatus < 400 || o.LimitStatus > 599):
		panic(fmt.Sprintf("arenahttp: Middleware: Options.LimitStatus is %d; use a status from 400 to 599", o.LimitStatus))
	}
	if o.Pool == nil {
		o.Pool = &arena.Pool{Options: arena.Options{Name: "request", Limit: o.Limit}}
	}
	if o.LimitStatus == 0 {
		o.LimitStatus = http.StatusServiceUnavailable
	}
	return &middleware{next: next, Options: o}
}

type middleware struct {
	next http.Handler
	Options
}

// An exchange is what the middleware knows of one request. Handlers may hold
// parts of it for ever, so it is not used again.
type exchange struct {
	scope    scope
	response response
	returned bool // the handler did not panic
}

func (m *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := new(exchange)
	x.response.scope = &x.scope
	x.scope.pool, x.scope.arena = m.Pool, m.Pool.Get()
	inner := x.scope.withArena(r)
	defer m.end(x, r, inner)
	m.next.ServeHTTP(x.response.writer(w), inner)
	x.returned = true
}

// end is deferred by ServeHTTP. inner is the request that the handler got.
func (m *middleware) end(x *exchange, outer, inner *http.Request) {
	var failure any
	if !x.returned {
		failure = recover() // nil if the goroutine exits
	}
	x.scope.giveBack(outer, inner)
	limit, _ := failure.(*arena.LimitError)
	switch {
	case limit != nil:
		x.scope.drop(ReasonLimit)
	case !x.returned:
		x.scope.drop(ReasonPanic)
	case outer.Context().Err() != nil:
		x.scope.drop(ReasonDone)
	}
	forks, again := x.scope.end()
	defer x.scope.leave(forks, again)
	s := Summary{Limit: limit, Reused: again}
	if again {
		x.response.detach()
		if m.Observe != nil {
			s.Stats = x.scope.arena.Stats()
			for f := forks; f != nil; f = f.next {
				s.Forks = append(s.Forks, f.arena.Stats())
			}
		}
		if s.Stats.Freed {
			s = Summary{Reason: ReasonFreed}
		}
	} else {
		s.Reason = x.scope.reason()
	}
	if limit != nil {
		failure = nil
		if !x.response.refuse(m.LimitStatus) {
			failure = http.ErrAbortHandler
		}
	}
	if m.Observe != nil {
		m.Observe(outer, s)
	}
	if failure != nil {
		panic(failure)
	}
}
