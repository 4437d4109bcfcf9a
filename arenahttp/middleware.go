package arenahttp

import (
	"fmt"
	"net/http"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
)

// Options configure a [Middleware]. The zero value is the default.
type Options struct {
	// Pool provides the arenas. Other middlewares and other code may share it. If it is nil, the
	// middleware makes a Pool whose Retain is 1 MiB: an idle arena keeps at most that much after a
	// spike. PoolStats.Retained reports how much all idle arenas of a Pool hold. If Pool.Options
	// has a Memory, set Finalize as well: nobody frees the arenas that the middleware drops.
	Pool *arena.Pool

	// Limit is the maximum number of bytes that the arena of a request may hold, as Options.Limit
	// of package arena. It applies to each arena that [arena.Fork] adds as well. 0 means no limit.
	// It must be 0 if Pool is set, because Pool.Options contains the limit then. [Middleware] says
	// what happens to a request that exceeds it.
	Limit int64

	// LimitStatus is the status of the answer to a request that exceeds the limit of its arena,
	// from 400 to 599. 0 means 503, Service Unavailable.
	LimitStatus int

	// Observe, unless nil, is called once for each request, when the handler has returned or
	// panicked. Its Summary says what the arena held, and whether it is reused. The call runs on
	// the handler's goroutine, before the arena is reused. Requests run at the same time, and so do
	// these calls. The context of r is without the arena. The statistics cost time, and are made
	// only for Observe. The totals of all requests are in Pool.Stats.
	Observe func(r *http.Request, s arenascope.Summary)
}

// Middleware returns a handler that calls next with an arena in the context of the request.
// [arena.FromContext] finds it there, and its first call takes the arena from the Pool.
//
// Middleware reuses the arena when next has returned and nobody can still use it. It drops the
// arena if
//
//   - next panicked, also with an [*arena.LimitError], or ended its goroutine;
//   - next took over the connection (Hijack);
//   - the context of the request was done: a handler that waits for it leaves its goroutines
//     behind;
//   - a write to the client failed: HTTP/2 may read the bytes after it has reported the error;
//   - the status was 408, or 500 or above: [http.TimeoutHandler] and its like send it while their
//     handler goes on;
//   - next sent an informational status, such as 103: HTTP/2 may read the headers later;
//   - next changed a header map after a write without a new call of Header, and an outer writer
//     that is not net/http's may have sent the header;
//   - a header contains text of the arena when next returns, and a framework's own writer may have
//     sent it;
//   - next called [Keep], or freed the arena.
//
// [arenascope.Summary] says which it was. A dropped arena costs about as much as a new arena.
//
// Body, headers and trailers may be text of the request's arenas. A Write copies the body before it
// returns. Middleware replaces text of the arena in the headers with copies before the server sees
// them. It looks at the headers before the first write and when next returns. If the outer writer
// is not net/http's and may send them later, it also looks at each write that follows a call of
// Header. It does not copy text of another arena, such as an arena of [arena.Do]. A header that is
// set after a write and deleted again must not be text of an arena. Middleware sees no writes and
// no headers of a writer that next got by two Unwraps of its own, or from an outer handler.
//
// If an *arena.LimitError or [*arena.MemoryError] escapes from next, or an error that wraps one,
// Middleware answers with Options.LimitStatus. The answer has the handler's headers except the ones
// that describe a body. If the response has begun, Middleware aborts it with
// [http.ErrAbortHandler], so that the client does not take it for complete. With HTTP/2 nobody may
// change the header after an informational status, or when the context is done, because the server
// may be reading it. The answer then contains the header unchanged. Middleware aborts it if the
// header has a Content-Type, trailers, or a field that describes a body, and if the outer writer is
// not net/http's. With [arena.Try] a handler can answer by itself. Any other panic of next goes on.
// A LimitError in another goroutine ends the program, as any panic there does: use arena.Try.
//
// http.TimeoutHandler may be outside or inside the Middleware. Other timeout handlers belong
// outside if they answer with a status that is not listed above: the arena then ends with the
// handler that uses it.
//
// A long response, such as a stream of events, holds its arena to the end. Use arena.Do for each
// event, or Reset the arena between events if no header contains its text.
//
// After a Hijack the context has no arena, because the connection may carry many requests whose
// contexts derive from this one. A handler that got its arena before may go on using it. A
// WebSocket handler uses arena.Do for each message. HTTP/2 without encryption needs no care if the
// server itself speaks it (http.Server.Protocols). The deprecated package h2c of golang.org/x/net
// takes the connection over: put the Middleware inside its handler.
//
// The ResponseWriter of next has each of the methods Flush, FlushError, Hijack, Push and ReadFrom
// that the outer one has, and always WriteString and CloseNotify. Its Unwrap finds the abilities of
// inner writers, for [http.ResponseController].
//
// next gets a copy of the request. Middleware copies Form, PostForm, MultipartForm, Host,
// RemoteAddr, Pattern and path values back to the outer request, and no other fields. It copies
// Form and PostForm only if Keep was not called, because a goroutine may be parsing the form then.
// It copies the path values that the Pattern names, as {id}, {id:[0-9]+} or :id. Path values that a
// router sets without a Pattern stay inside. When the context of the request is done, Middleware
// removes the files of a form that was parsed inside. It does so even if the server forgets them,
// as the HTTP/2 server of Go 1.27 does. As with any wrapper, http.MaxBytesReader cannot tell an
// HTTP/1 server to close the connection, and the server's log names Middleware as the caller of a
// superfluous WriteHeader.
//
// A request costs two allocations, about 510 bytes together, as a value in the context does. Each
// header with text of the arena costs two more, and an inner http.ServeMux with path values one or
// two.
//
// Middleware panics if next is nil, and if the options contradict each other. If one Middleware is
// inside another, each has an arena, and FromContext finds the inner arena.
func Middleware(next http.Handler, o Options) http.Handler { return New(o)(next) }

// New returns [Middleware] with its options, in the form that routers and chains of handlers
// expect:
//
//	router.Use(arenahttp.New(arenahttp.Options{}))
//
// All handlers that the returned function makes share one Pool. New panics if the options
// contradict each other. The returned function panics if the handler is nil. Any number of
// goroutines may call it.
//
// If an adapter for a framework discards the writer of the Middleware, the handlers write to the
// framework's writer, as handlers with a gin.Context do. With such an adapter
//
//   - a header with text of the arena costs the arena: Middleware finds the text when the handler
//     returns, and drops the arena. Do not delete such a header after a write: Middleware would
//     miss the text that was sent;
//   - a handler that stops waiting for its goroutines must call [Keep] before, also if it answers
//     with 503;
//   - a handler that takes over the connection gets its arena from the context until it returns;
//   - a limit that is exceeded after a write aborts the response only if the framework's writer has
//     a method Written, as gin's has. Otherwise the text of the error follows the bytes that were
//     written.
func New(o Options) func(next http.Handler) http.Handler {
	switch {
	case o.Pool != nil && o.Limit != 0:
		panic("arenahttp: Options have a Pool and a Limit; set the limit in Pool.Options")
	case o.Limit < 0:
		panic(fmt.Sprintf("arenahttp: Options.Limit is %d; use 0 for no limit", o.Limit))
	case o.LimitStatus != 0 && (o.LimitStatus < 400 || o.LimitStatus > 599):
		panic(fmt.Sprintf("arenahttp: Options.LimitStatus is %d; use a status from 400 to 599", o.LimitStatus))
	}
	if o.Pool == nil {
		o.Pool = &arena.Pool{Retain: retain, Options: arena.Options{Name: "request", Limit: o.Limit}}
	}
	if o.LimitStatus == 0 {
		o.LimitStatus = http.StatusServiceUnavailable
	}
	return func(next http.Handler) http.Handler {
		if next == nil {
			panic("arenahttp: nil handler; pass Middleware, or the function that New returns, a handler")
		}
		return &middleware{next: next, Options: o, scopes: arenascope.Options{Pool: o.Pool, Text: true}}
	}
}

// retain is Pool.Retain of a Pool that the middleware makes. CPU time of a request with small
// objects:
//
//	in the arena   no bound   this bound   heap
//	256 KiB        0.08 ms    0.08 ms      0.25 ms
//	1 MiB          0.29 ms    0.38 ms      0.84 ms
//	4 MiB          1.6 ms     2.0 ms       3.9 ms
//	16 MiB         6 ms       17 ms        19 ms
//
// A quarter of this bound doubles the time of a request with 1 MiB.
const retain = 1 << 20

type middleware struct {
	next http.Handler
	Options
	scopes arenascope.Options
}

// An exchange is the middleware's state of one request. It is not reused, because handlers may hold
// parts of it forever.
type exchange struct {
	scope    arenascope.Scope
	response response
	memory   bool // the handler needed more memory than it may have
}

func (m *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := new(exchange)
	x.response.scope = &x.scope
	x.scope.Start(r.Context(), &m.scopes)
	x.scope.Label((*label)(r))
	inner := withContext(r, &x.scope)
	defer m.end(x, r, inner)
	x.memory = x.scope.Run(&x.scope, func() error {
		m.next.ServeHTTP(x.response.writer(w), inner)
		return nil
	}) != nil
}

// A label names the request as a unit of work.
type label http.Request

// String returns the method and path.
func (l *label) String() string {
	if l.URL == nil {
		return l.Method
	}
	return l.Method + " " + l.URL.Path
}

// end is deferred by ServeHTTP. inner is the request that the handler got.
func (m *middleware) end(x *exchange, outer, inner *http.Request) {
	giveBack(&x.scope, outer, inner)
	if x.scope.Taken() && x.scope.Reason() == "" {
		x.response.finish()
	}
	if m.Observe == nil {
		x.scope.End(nil)
	} else {
		x.scope.End(func(s arenascope.Summary) { m.Observe(outer, s) })
	}
	if x.memory && !x.response.refuse(outer, m.LimitStatus) {
		panic(http.ErrAbortHandler)
	}
}
