package arenahttp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
)

// An end is one way in which a request can end.
type end struct {
	name   string
	status int               // that the client receives; 0 if the request fails, anything if the client is gone
	reason arenascope.Reason // Summary.Reason, or notCalled, or anyReason
	protos []int             // nil is all
	h      handler

	around func(x *ending, h http.Handler) http.Handler // outside the Middleware, if not nil
	within func(h http.Handler) http.Handler            // between the Middleware and h, if not nil
	body   int                                          // of the request, in bytes
	gone   bool                                         // the client does not wait for the answer
}

type handler = func(x *ending, w http.ResponseWriter, r *http.Request)

const (
	notCalled = "not called" // the request does not reach the Middleware
	anyReason = "any"
)

// An ending is one request.
type ending struct {
	t       *testing.T
	srv     *server
	outside http.ResponseWriter // the writer of the Middleware
	arena   *arena.Arena
	text    string             // in the arena
	cancel  context.CancelFunc // the client resets the request
	first   chan bool          // closed when the client has the first byte of the body
	over    chan bool          // closed when the client has all of the answer
	hints   chan bool          // gets a value when the client has a status of 103
	running sync.WaitGroup     // the Middleware, and goroutines that outlive the handler

	informed bool   // the handler has sent an informational status
	frozen   string // the header when nobody may write to it any more, or ""
}

// check notes it where the arena is in use by somebody else.
func (x *ending) check() {
	if want := strings.Repeat("ending", 20000); x.text != want {
		x.t.Error("the text of the arena has changed")
	}
}

// exceed exceeds the limit of the arena.
func exceed(x *ending, _ http.ResponseWriter, _ *http.Request) {
	arena.MakeSlice[byte](x.arena, 2<<20, 2<<20)
}

func hint(x *ending, w http.ResponseWriter, r *http.Request) {
	status(http.StatusEarlyHints)(x, w, r)
}

func write(_ *ending, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "begun") }

func flush(x *ending, w http.ResponseWriter, r *http.Request) {
	write(x, w, r)
	w.(http.Flusher).Flush()
}

// arenaHeader sets a header that is in the arena.
func arenaHeader(x *ending, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set(arena.Concat(x.arena, "X-", "Key"), arena.String(x.arena, "value"))
}

func contentHeader(_ *ending, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
}

// reset resets the request by the client, and waits until the server knows it.
func reset(x *ending, _ http.ResponseWriter, r *http.Request) {
	x.cancel()
	<-r.Context().Done()
}

func keepArena(x *ending, _ http.ResponseWriter, r *http.Request) {
	arenahttp.Keep(r.Context())
	x.running.Go(func() {
		<-r.Context().Done()
		if r.FormValue("q") != "query" || r.PathValue("name") != "end" {
			x.t.Errorf("the form is %v, the path value %q", r.Form, r.PathValue("name"))
		}
		x.check()
	})
}

func status(code int) handler {
	return func(x *ending, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		x.informed = x.informed || code < 200
	}
}

func panicWith(v any) handler {
	return func(*ending, http.ResponseWriter, *http.Request) { panic(v) }
}

func exit(*ending, http.ResponseWriter, *http.Request) { runtime.Goexit() }

func nothing(*ending, http.ResponseWriter, *http.Request) {}

// then calls handlers one after the other.
func then(all ...handler) handler {
	return func(x *ending, w http.ResponseWriter, r *http.Request) {
		for _, h := range all {
			h(x, w, r)
		}
	}
}

// ends is the table. To try another way to end, add a row.
var ends = []end{
	// Answered.
	{name: "nothing", status: 200, h: nothing},
	{name: "body", status: 200, h: write},
	{name: "flush", status: 200, h: flush},
	{name: "header of the arena", status: 200, h: arenaHeader},
	{name: "404", status: 404, h: status(404)},
	{name: "499", status: 499, h: status(499)},
	{name: "408", status: 408, reason: arenahttp.ReasonStatus, h: status(408)},
	{name: "500", status: 500, reason: arenahttp.ReasonStatus, h: status(500)},
	{name: "superfluous 504", status: 200, reason: arenahttp.ReasonStatus, h: then(write, status(504))},
	{name: "early hints", status: 200, reason: arenahttp.ReasonInformational, h: hint},
	{name: "all informational", status: 200, reason: arenahttp.ReasonInformational, h: then(status(100), status(102), hint, hint, write)},
	{name: "no body allowed", status: 204, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		if _, err := w.Write([]byte("x")); err != http.ErrBodyNotAllowed {
			x.t.Errorf("the error is %v", err)
		}
	}},
	{name: "body never read", status: 200, body: 100 << 10, h: write},
	{name: "freed", status: 200, reason: arenascope.ReasonFreed, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		x.check()
		x.arena.Free()
		x.text, x.arena = "", nil
	}},
	{name: "proxy", status: 200, reason: arenahttp.ReasonInformational, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		backend := roundTripper(func(r *http.Request) (*http.Response, error) {
			for range 2 {
				httptrace.ContextClientTrace(r.Context()).Got1xxResponse(103, textproto.MIMEHeader{"Link": {"x"}})
			}
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		})
		proxy := httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, Transport: backend}
		proxy.ServeHTTP(w, r)
	}},

	// Answered by others.
	{name: "answered outside", status: 401, reason: notCalled, h: nothing, around: func(*ending, http.Handler) http.Handler {
		return answer(401)
	}},
	{name: "answered inside", status: 403, reason: arenascope.ReasonUnused, h: nothing, within: func(http.Handler) http.Handler { return answer(403) }},
	{name: "answered inside with an arena", status: 403, h: nothing, within: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Key", arena.Sprintf(arena.FromContext(r.Context()), "value"))
			answer(403).ServeHTTP(w, r)
		})
	}},

	// Timeouts.
	{name: "TimeoutHandler outside", status: 503, reason: arenascope.ReasonDone, around: timeout(1), h: then(waitDone, answered)},
	{name: "TimeoutHandler outside, then the limit", status: 503, reason: arenascope.ReasonLimit, around: timeout(1), h: then(arenaHeader, waitDone, answered, exceed)},
	{name: "in time for TimeoutHandler outside", status: 200, around: timeout(time.Hour), h: then(arenaHeader, write)},
	{name: "the limit in time for TimeoutHandler outside", status: 503, reason: arenascope.ReasonLimit, around: timeout(time.Hour), h: exceed},
	{name: "TimeoutHandler inside", status: 503, reason: arenahttp.ReasonStatus, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		x.running.Add(1)
		http.TimeoutHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			defer x.running.Done()
			<-r.Context().Done() // of the server
			x.check()
		}), 1, "").ServeHTTP(w, r)
	}},
	{name: "in time for TimeoutHandler inside", status: 404, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		http.TimeoutHandler(http.NotFoundHandler(), time.Hour, "").ServeHTTP(w, r)
	}},
	{name: "the limit in time for TimeoutHandler inside", status: 503, reason: arenascope.ReasonLimit, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { exceed(x, w, r) }), time.Hour, "").ServeHTTP(w, r)
	}},
	{name: "deadline", status: 200, reason: arenascope.ReasonDone, around: deadline, h: then(arenaHeader, waitDone)},
	{name: "deadline, then the limit", status: 503, reason: arenascope.ReasonLimit, around: deadline, h: then(waitDone, exceed)},
	{name: "write deadline", reason: arenahttp.ReasonWrite, h: tooLate(func(x *ending, w http.ResponseWriter) error {
		_, err := io.WriteString(w, x.text)
		return err
	})},
	{name: "flush error", reason: arenahttp.ReasonWrite, h: tooLate(func(x *ending, w http.ResponseWriter) error {
		io.WriteString(w, "x")
		return http.NewResponseController(w).Flush()
	})},
	{name: "copy error", reason: arenahttp.ReasonWrite, h: tooLate(func(x *ending, w http.ResponseWriter) error {
		_, err := io.Copy(w, io.LimitReader(zeros{}, 100<<20))
		return err
	})},

	// Refused by a limit.
	{name: "limit", status: 503, reason: arenascope.ReasonLimit, h: then(arenaHeader, contentHeader, exceed)},
	{name: "own limit", status: 200, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		if arena.Try(func() { exceed(x, w, r) }) == nil {
			x.t.Error("no limit")
		}
	}},
	{name: "limit after a flush", reason: arenascope.ReasonLimit, h: then(flush, exceed)},
	{name: "limit after 103", status: 503, reason: arenahttp.ReasonInformational, h: then(arenaHeader, hint, exceed)},
	{name: "limit after 103 with a Content-Type", status: 503, reason: arenahttp.ReasonInformational, protos: []int{1}, h: then(hint, contentHeader, exceed)},
	{name: "limit after 103 with a Content-Type", reason: arenahttp.ReasonInformational, protos: []int{2, h2c}, h: then(hint, contentHeader, exceed)},
	{name: "limit after 103 with a trailer", reason: arenahttp.ReasonInformational, protos: []int{2, h2c},
		h: then(setHeader(http.TrailerPrefix+"X-Key", "v"), hint, exceed)},
	{name: "limit after 103 with an ETag", reason: arenahttp.ReasonInformational, protos: []int{2, h2c}, h: then(setHeader("Etag", "v"), hint, exceed)},
	{name: "limit after 103 outside", status: 503, reason: arenascope.ReasonLimit, h: then(contentHeader, exceed), around: hintOutside},
	{name: "limit after 101", reason: arenahttp.ReasonInformational, protos: []int{2, h2c}, h: then(status(101), exceed)},
	{name: "limit behind a compressor", status: 503, reason: arenascope.ReasonLimit, h: exceed, around: compressor},
	{name: "limit after 103 behind a compressor", status: 503, reason: arenahttp.ReasonInformational, protos: []int{1}, h: then(hint, exceed), around: compressor},
	{name: "limit after 103 behind a compressor", reason: arenahttp.ReasonInformational, protos: []int{2, h2c}, h: then(hint, exceed), around: compressor},

	// Cut off by the handler.
	{name: "panic", reason: arenascope.ReasonPanic, h: panicWith("oh")},
	{name: "ErrAbortHandler", reason: arenascope.ReasonPanic, h: panicWith(http.ErrAbortHandler)},
	{name: "Goexit", reason: arenascope.ReasonPanic, h: exit},
	{name: "hijack", reason: arenahttp.ReasonHijacked, protos: []int{1}, h: hijackAnd(nothing)},
	{name: "hijack, then the limit", reason: arenahttp.ReasonHijacked, protos: []int{1}, h: hijackAnd(exceed)},
	{name: "hijack, then a panic", reason: arenahttp.ReasonHijacked, protos: []int{1}, h: hijackAnd(panicWith("oh"))},

	// Kept.
	{name: "kept", status: 200, reason: arenascope.ReasonKept, h: then(keepArena, write)},
	{name: "kept, then the limit", status: 503, reason: arenascope.ReasonKept, h: then(keepArena, exceed)},
	{name: "kept, then a panic", reason: arenascope.ReasonKept, h: then(keepArena, panicWith("oh"))},

	// Cut off by the client, or by the server.
	{name: "reset", gone: true, reason: arenascope.ReasonDone, h: then(arenaHeader, reset)},
	{name: "reset, then the limit", gone: true, reason: arenascope.ReasonLimit, h: then(contentHeader, reset, exceed)},
	{name: "reset, then the limit, after 103 outside", gone: true, reason: arenascope.ReasonLimit, h: then(reset, exceed), around: hintOutside},
	{name: "reset after the first byte", gone: true, reason: arenascope.ReasonDone, h: then(flush, received, reset)},
	{name: "reset after the first byte, then the limit", gone: true, reason: arenascope.ReasonLimit, h: then(flush, received, reset, exceed)},
	{name: "reset after 103", gone: true, reason: arenahttp.ReasonInformational, h: then(hint, hinted, reset)},
	{name: "reset after 103, then the limit", gone: true, reason: arenahttp.ReasonInformational, h: then(hint, hinted, reset, exceed)},
	{name: "server closed", gone: true, reason: arenascope.ReasonDone, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		x.srv.Config.Close()
		<-r.Context().Done()
	}},
	{name: "server shut down", status: 200, h: func(x *ending, w http.ResponseWriter, r *http.Request) {
		told := make(chan bool)
		x.srv.Config.RegisterOnShutdown(func() { close(told) })
		x.running.Go(func() { x.srv.Config.Shutdown(context.Background()) })
		<-told
		write(x, w, r)
	}},

	// Answered by a writer of which the Middleware knows nothing, as the adapters of frameworks do.
	{name: "around", status: 200, h: around(write)},
	{name: "around, header of the arena", status: 200, reason: arenascope.ReasonHeader, h: around(then(arenaHeader, write))},
	{name: "around, limit", status: 503, reason: arenascope.ReasonLimit, h: around(exceed)},
	{name: "framework", status: 200, around: framework, h: around(write)},
	{name: "framework, header of the arena", status: 200, reason: arenascope.ReasonHeader, around: framework, h: around(then(arenaHeader, write))},
	{name: "framework, header of the arena, not sent", status: 200, around: framework, h: around(arenaHeader)},
	{name: "framework, header of the arena, sent by both", status: 200, reason: arenascope.ReasonHeader, around: framework,
		h: then(around(then(arenaHeader, write)), func(x *ending, w http.ResponseWriter, r *http.Request) { w.Header(); write(x, w, r) })},
	{name: "framework, limit", status: 503, reason: arenascope.ReasonLimit, around: framework, h: around(then(contentHeader, exceed))},
	{name: "framework, limit after a write", reason: arenascope.ReasonLimit, around: framework, h: around(then(write, exceed))},
}

// mixed are ends of which each start is combined with each finish, and with a client that is gone
// in between. Only what holds for all is checked.
func mixed() (all []end) {
	starts := []struct {
		name string
		h    handler
	}{{"nothing", nothing}, {"header", then(arenaHeader, contentHeader)}, {"hints", hint}, {"hints with a header", then(arenaHeader, contentHeader, hint)},
		{"hints with a length", then(setHeader("Content-Length", "5"), hint)}, {"hints with a trailer", then(setHeader(http.TrailerPrefix+"X-Key", "v"), hint)},
		{"body", flush}}
	finishes := []struct {
		name string
		h    handler
	}{{"return", nothing}, {"write", write}, {"limit", exceed}, {"panic", panicWith("oh")}, {"abort", panicWith(http.ErrAbortHandler)}, {"exit", exit},
		{"keep", keepArena}, {"504", status(504)}, {"hijack", func(_ *ending, w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				conn.Close()
			}
		}}}
	for _, s := range starts {
		for _, f := range finishes {
			for _, gone := range []bool{false, true} {
				e := end{name: s.name + "/" + f.name, reason: anyReason, protos: []int{1, h2c}, h: then(s.h, f.h)}
				if gone {
					e.name += "/gone"
					e.gone, e.h = true, then(s.h, reset, f.h)
				}
				if strings.HasSuffix(s.name, "trailer") && f.name != "limit" && f.name != "panic" {
					continue // net/http itself writes to the header then.
				}
				all = append(all, e)
			}
		}
	}
	return all
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "refused", code) })
}

func setHeader(key, value string) handler {
	return func(_ *ending, w http.ResponseWriter, _ *http.Request) { w.Header().Set(key, value) }
}

func waitDone(_ *ending, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// answered has the handler go on when others have answered, however busy the machine is.
func answered(x *ending, _ http.ResponseWriter, _ *http.Request) { <-x.over }

func received(x *ending, _ http.ResponseWriter, _ *http.Request) { <-x.first }

func hinted(x *ending, _ http.ResponseWriter, _ *http.Request) { <-x.hints }

// around calls h with the writer that the Middleware got.
func around(h handler) handler {
	return func(x *ending, _ http.ResponseWriter, r *http.Request) { h(x, x.outside, r) }
}

func hijackAnd(h handler) handler {
	return func(x *ending, w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			x.t.Error(err)
			return
		}
		conn.Close()
		h(x, w, r)
	}
}

// tooLate calls do until it fails, which it must, because the time to write is over.
func tooLate(do func(x *ending, w http.ResponseWriter) error) handler {
	return func(x *ending, w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
		for range 1000 {
			if do(x, w) != nil {
				return
			}
		}
		x.t.Error("no error")
	}
}

func timeout(d time.Duration) func(*ending, http.Handler) http.Handler {
	return func(_ *ending, h http.Handler) http.Handler { return http.TimeoutHandler(h, d, "") }
}

func deadline(_ *ending, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithDeadline(r.Context(), time.Unix(1, 0))
		defer cancel()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

func hintOutside(_ *ending, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		h.ServeHTTP(w, r)
	})
}

// compressor wraps writers as middlewares of gzip do: they change the header at the first write.
func compressor(_ *ending, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(compressing{w}, r) })
}

type compressing struct{ http.ResponseWriter }

func (w compressing) Write(b []byte) (int, error) {
	w.Header().Set("Vary", "Accept-Encoding")
	return w.ResponseWriter.Write(b)
}

// framework wraps writers as gin does, which knows whether the response has begun.
func framework(_ *ending, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(&frameworkWriter{ResponseWriter: w}, r) })
}

type frameworkWriter struct {
	http.ResponseWriter
	written bool
}

func (w *frameworkWriter) Written() bool { return w.written }

func (w *frameworkWriter) WriteHeader(status int) {
	if !w.written {
		w.ResponseWriter.WriteHeader(status)
	}
	w.written = w.written || status >= 200
}

func (w *frameworkWriter) Write(b []byte) (int, error) {
	w.written = true
	return w.ResponseWriter.Write(b)
}

// TestEnds proves for each way in which a request can end, with each protocol: the client receives
// the right response, and the observer is called once. A dropped arena is not handed out again, and
// the header is not written to while the server may be reading it. The next request is right, no
// arena remains in use, and no memory is held.
func TestEnds(t *testing.T) {
	all := append(ends, mixed()...)
	for i := range all {
		e := &all[i]
		for _, proto := range []int{1, 2, h2c} {
			if e.protos == nil || slices.Contains(e.protos, proto) {
				t.Run(fmt.Sprintf("%s/%d", e.name, proto), func(t *testing.T) { e.try(t, proto) })
			}
		}
	}
}

func (e *end) try(t *testing.T, proto int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pool := &arena.Pool{Options: arena.Options{Limit: 1 << 20}}
	x := &ending{t: t, cancel: cancel, first: make(chan bool), over: make(chan bool), hints: make(chan bool, 10)}
	seen := make(chan arenascope.Summary, 100)
	root := e.handler(x, arenahttp.Options{Pool: pool, Observe: func(r *http.Request, s arenascope.Summary) { seen <- s }})
	x.srv = newServer(t, proto, root)
	if got := e.request(x, ctx); got != e.status && !e.gone && e.reason != anyReason {
		t.Errorf("the client has the status %d, want %d", got, e.status)
	}
	want := arena.PoolStats{}
	if e.reason != notCalled {
		s := <-seen
		x.running.Wait()
		want = e.summary(t, s)
	}
	srv := x.srv
	if strings.HasPrefix(e.name, "server") {
		srv.Close()
		srv = newServer(t, proto, root)
	}
	next(t, srv)
	srv.Close()
	x.srv.Close()
	want.Gets, want.Puts = want.Gets+1, want.Puts+1 // of the next request
	if e.reason != notCalled && e.around == nil && e.name != "server closed" || len(seen) > 1 {
		if len(seen) != 1 {
			t.Errorf("%d more summaries, want that of the next request", len(seen))
		}
	}
	st := pool.Stats()
	if st.Gets != want.Gets || st.Puts != want.Puts || st.Freed != want.Freed || st.Dropped != want.Dropped || st.Out != 0 || st.Lost != 0 {
		t.Errorf("the pool: %+v", st)
	}
	if want.Dropped > 0 {
		x.check()
		arena.String(x.arena, "still open")
		for range 10 {
			if a := pool.Get(); a == x.arena {
				t.Error("an arena that was dropped is handed out again")
			} else {
				pool.Put(a)
			}
		}
	}
	x.arena, x.text, x.outside = nil, "", nil
	eventually(func() bool { return pool.Stats().Reserved == 0 })
}

// handler returns the whole of the handlers. The path /next is answered as TestEnds expects it of
// a request after e.
func (e *end) handler(x *ending, o arenahttp.Options) http.Handler {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		x.arena = a
		x.text = arena.String(a, strings.Repeat("ending", 20000))
		r.SetPathValue("name", "end")
		defer func() {
			if r.ProtoMajor != 1 && (x.informed || r.Context().Err() != nil) {
				x.frozen = format(x.outside.Header())
			}
		}()
		e.h(x, w, r)
	})
	if e.within != nil {
		h = e.within(h)
	}
	own := arenahttp.Middleware(h, o)
	h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.running.Add(1)
		defer x.running.Done()
		x.outside = w
		defer func() {
			if x.frozen != "" && format(w.Header()) != x.frozen {
				x.t.Errorf("the header was %s, and has been changed to %s", x.frozen, format(w.Header()))
			}
		}()
		own.ServeHTTP(w, r)
	})
	if e.around != nil {
		h = e.around(x, h)
	}
	nextOwn := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		w.Header().Set("X-Key", arena.String(a, "next"))
		w.Write(arena.Append(a, []byte(nil), []byte(strings.Repeat("next", 1000))...))
	}), o)
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/next", nextOwn)
	return mux
}

// summary checks the events of the observer, and returns what the pool ought to have done.
func (e *end) summary(t *testing.T, s arenascope.Summary) (want arena.PoolStats) {
	if e.reason != anyReason {
		if s.Reason != e.reason {
			t.Errorf("the reason is %q, want %q", s.Reason, e.reason)
		}
		if limit := strings.Contains(e.name, "limit") && e.name != "own limit"; (s.Limit != nil) != limit {
			t.Errorf("the limit is %v", s.Limit)
		}
	}
	if s.Reused != (s.Reason == "") || (s.Stats.InUse > 0) != s.Reused {
		t.Errorf("the summary is %+v", s)
	}
	want.Gets = 1
	switch s.Reason {
	case "":
		want.Puts = 1
	case arenascope.ReasonFreed:
		want.Freed = 1
	case arenascope.ReasonUnused:
		want.Gets = 0
	default:
		want.Dropped = 1
	}
	return want
}

// request returns the status of the answer to a request, or 0 if it fails.
func (e *end) request(x *ending, ctx context.Context) int {
	defer close(x.over)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got1xxResponse: func(int, textproto.MIMEHeader) error {
		select {
		case x.hints <- true:
		default:
		}
		return nil
	}})
	// A POST is not tried again.
	req, err := http.NewRequestWithContext(ctx, "POST", x.srv.URL+"/?q=query", bytes.NewReader(make([]byte, e.body)))
	if err != nil {
		x.t.Fatal(err)
	}
	resp, err := x.srv.Client().Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err == nil {
		close(x.first)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// next makes the request after.
func next(t *testing.T, srv *server) {
	resp, err := srv.Client().Post(srv.URL+"/next", "", nil)
	if err != nil {
		t.Errorf("the next request: %v", err)
		return
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if string(b) != strings.Repeat("next", 1000) || resp.Header.Get("X-Key") != "next" || err != nil {
		t.Errorf("the next request: %.100q %v %v", b, resp.Header, err)
	}
}

// eventually collects garbage until ok.
func eventually(ok func() bool) {
	for !ok() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
