package arenahttp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
)

// A sink is a ResponseWriter that can be used again.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) Flush()                      {}

var contentType = []string{"text/plain"}

// A fake is a ResponseWriter that notes which of its methods are called.
type fake struct {
	header http.Header
	calls  []string
	err    error
	pushed *http.PushOptions
	target string
}

func (f *fake) call(name string)    { f.calls = append(f.calls, name) }
func (f *fake) Header() http.Header { return f.header }
func (f *fake) WriteHeader(int)     { f.call("WriteHeader") }
func (f *fake) Write(b []byte) (int, error) {
	f.call("Write")
	return len(b), f.err
}

// Each of these is one optional method. A type of a combination embeds them.
type (
	canFlush      struct{ f *fake }
	canFlushError struct{ f *fake }
	canHijack     struct{ f *fake }
	canReadFrom   struct{ f *fake }
	canString     struct{ f *fake }
	canControl    struct{ f *fake }
	canPush       struct{ f *fake }
	wraps         struct{ http.ResponseWriter }
)

func (c canFlush) Flush()                 { c.f.call("Flush") }
func (c canFlushError) FlushError() error { c.f.call("FlushError"); return c.f.err }
func (c canHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c.f.call("Hijack")
	return nil, nil, c.f.err
}
func (c canReadFrom) ReadFrom(r io.Reader) (int64, error) {
	c.f.call("ReadFrom")
	n, _ := io.Copy(io.Discard, r)
	return n, c.f.err
}
func (c canString) WriteString(s string) (int, error) {
	c.f.call("WriteString")
	return len(s), c.f.err
}
func (c canControl) SetReadDeadline(time.Time) error  { c.f.call("SetReadDeadline"); return c.f.err }
func (c canControl) SetWriteDeadline(time.Time) error { c.f.call("SetWriteDeadline"); return c.f.err }
func (c canControl) EnableFullDuplex() error          { c.f.call("EnableFullDuplex"); return c.f.err }
func (c canPush) Push(target string, o *http.PushOptions) error {
	c.f.call("Push")
	c.f.target, c.f.pushed = target, o
	return c.f.err
}
func (w wraps) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serve calls h, which has an arena, inside a middleware whose inner writer is w.
func serve(w http.ResponseWriter, h func(w http.ResponseWriter, r *http.Request)) (s arenascope.Summary) {
	taker := func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context())
		h(w, r)
	}
	arenahttp.Middleware(http.HandlerFunc(taker), arenahttp.Options{Observe: func(r *http.Request, got arenascope.Summary) { s = got }}).
		ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return s
}

// TestMethods proves for inner writers with any combination of optional methods that the handler's
// writer has just these, that they reach the inner one, directly or through others by Unwrap, and
// that their errors do not stay unknown.
func TestMethods(t *testing.T) {
	failure := errors.New("failure")
	const flush, hijack, readFrom, flushError, push, wrapped, fails = 1, 2, 4, 8, 16, 32, 64
	for set := range 128 {
		f := &fake{header: http.Header{}}
		if set&fails != 0 {
			f.err = failure
		}
		inner := combine(f, set&31)
		direct := set & 31
		if set&wrapped != 0 {
			inner = wraps{wraps{inner}}
			direct = 0
		}
		failed, hijacked := arenascope.Reason(""), arenahttp.ReasonHijacked
		if f.err != nil {
			failed, hijacked = arenahttp.ReasonWrite, ""
		}
		// try calls a method in a handler, and wants that it reaches the method call of the fake,
		// unless that is "", with its error.
		try := func(name, call string, reason arenascope.Reason, do func(w http.ResponseWriter) error) {
			t.Helper()
			f.calls = nil
			s := serve(inner, func(w http.ResponseWriter, r *http.Request) {
				if err := do(w); call != "" && !errors.Is(err, f.err) || call == "" && !errors.Is(err, http.ErrNotSupported) {
					t.Errorf("set %b: %s: the error is %v, want %v", set, name, err, f.err)
				}
			})
			if call != "" && !slices.Contains(f.calls, call) || call == "" && f.calls != nil {
				t.Errorf("set %b: %s reached %q, want %q", set, name, f.calls, call)
			}
			if s.Reason != reason {
				t.Errorf("set %b: %s: the reason is %q, want %q", set, name, s.Reason, reason)
			}
		}
		try("Write", "Write", failed, func(w http.ResponseWriter) error { _, err := w.Write([]byte("x")); return err })
		try("WriteString", "Write", failed, func(w http.ResponseWriter) error { _, err := io.WriteString(w, "x"); return err })
		try("Copy", map[bool]string{true: "ReadFrom", false: "Write"}[direct&readFrom != 0], failed, func(w http.ResponseWriter) error {
			w.WriteHeader(200)
			n, err := io.Copy(w, io.LimitReader(zeros{}, 2000))
			if n != 2000 && err == nil {
				t.Errorf("set %b: Copy returned %d", set, n)
			}
			return err
		})
		serve(inner, func(w http.ResponseWriter, r *http.Request) {
			got := 0
			if _, ok := w.(http.Flusher); ok {
				got |= flush
			}
			if _, ok := w.(interface{ FlushError() error }); ok {
				got |= flushError
			}
			if _, ok := w.(http.Hijacker); ok {
				got |= hijack
			}
			if _, ok := w.(http.Pusher); ok {
				got |= push
			}
			if _, ok := w.(io.ReaderFrom); ok {
				got |= readFrom
			}
			if got != direct {
				t.Errorf("set %b: the writer has the methods %b, want %b", set, got, direct)
			}
		})
		if direct&push != 0 {
			try("Push", "Push", "", func(w http.ResponseWriter) error { return w.(http.Pusher).Push("/x", nil) })
		}
		// Of the two methods to flush, the middleware calls the method that returns errors. The
		// other never fails.
		flushes, unknown := "", arenascope.Reason("")
		if set&flush != 0 {
			flushes = "Flush"
		}
		if set&flushError != 0 {
			flushes, unknown = "FlushError", failed
		}
		told := func(err error) error {
			if flushes == "Flush" {
				return errors.Join(err, f.err)
			}
			return err
		}
		try("the controller's Flush", flushes, unknown, func(w http.ResponseWriter) error { return told(http.NewResponseController(w).Flush()) })
		if direct&flush != 0 {
			try("Flush", flushes, unknown, func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return f.err })
		}
		if direct&flushError != 0 {
			try("FlushError", flushes, unknown, func(w http.ResponseWriter) error { return w.(interface{ FlushError() error }).FlushError() })
		}
		hijacks := ""
		if set&hijack != 0 {
			hijacks = "Hijack"
		} else {
			hijacked = ""
		}
		try("the controller's Hijack", hijacks, hijacked, func(w http.ResponseWriter) error {
			_, _, err := http.NewResponseController(w).Hijack()
			return err
		})
		if direct&hijack != 0 {
			try("Hijack", hijacks, hijacked, func(w http.ResponseWriter) error {
				_, _, err := w.(http.Hijacker).Hijack()
				return err
			})
		}
	}
}

// TestControls proves the same of what only a controller asks for, and of WriteString.
func TestControls(t *testing.T) {
	for set := range 4 {
		f := &fake{header: http.Header{}, err: errors.New("failure")}
		has, inner := set&1 != 0, http.ResponseWriter(f)
		if has {
			inner = struct {
				*fake
				canControl
				canString
			}{f, canControl{f}, canString{f}}
		}
		if set&2 != 0 {
			inner = wraps{inner}
		}
		var got []error
		serve(inner, func(w http.ResponseWriter, r *http.Request) {
			c := http.NewResponseController(w)
			got = append(got, c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}), c.EnableFullDuplex())
			io.WriteString(w, "x")
		})
		var calls []string
		if has {
			calls = append(calls, "SetReadDeadline", "SetWriteDeadline", "EnableFullDuplex")
		}
		if has && set&2 == 0 {
			calls = append(calls, "WriteString")
		} else {
			calls = append(calls, "Write")
		}
		for _, err := range got {
			if has && err != f.err || !has && !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("set %b: the errors are %v", set, got)
			}
		}
		if !slices.Equal(f.calls, calls) {
			t.Errorf("set %b: the calls are %q, want %q", set, f.calls, calls)
		}
	}
}

// TestUpgrade proves that a connection that is taken over is reported as hijacked, whatever was
// sent before: libraries for WebSocket send the status 101 by WriteHeader.
func TestUpgrade(t *testing.T) {
	for _, status := range []int{101, 103, 500} {
		f := &fake{header: http.Header{}}
		s := serve(struct {
			*fake
			canHijack
		}{f, canHijack{f}}, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			http.NewResponseController(w).Hijack()
		})
		if s.Reason != arenahttp.ReasonHijacked {
			t.Errorf("status %d: the reason is %q", status, s.Reason)
		}
	}
}

// TestServers proves what the writers of the standard library are found to be able to do,
// and that what a controller asks for reaches them.
func TestServers(t *testing.T) {
	check := func(what string, w http.ResponseWriter, flush, hijack, push, control bool) {
		_, f := w.(http.Flusher)
		_, h := w.(http.Hijacker)
		_, p := w.(http.Pusher)
		c := http.NewResponseController(w)
		err := errors.Join(c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}), c.EnableFullDuplex())
		if f != flush || h != hijack || p != push || (err == nil) != control {
			t.Errorf("%s: flush %t, hijack %t, push %t, control: %v", what, f, h, p, err)
		}
	}
	serve(httptest.NewRecorder(), func(w http.ResponseWriter, r *http.Request) { check("recorder", w, true, false, false, false) })
	for _, proto := range []int{1, 2} {
		gone := make(chan bool)
		mux := http.NewServeMux()
		mux.Handle("/", arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			check(r.Proto, w, true, proto == 1, proto == 2, true)
			notify := w.(interface{ CloseNotify() <-chan bool }).CloseNotify()
			go func() { <-notify; close(gone) }()
		}), arenahttp.Options{}))
		mux.Handle("/timeout", http.TimeoutHandler(arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			check("timeout", w, false, false, true, false)
		}), arenahttp.Options{}), time.Hour, ""))
		srv := newServer(t, proto, mux)
		for _, path := range []string{"/", "/timeout"} {
			resp, err := srv.Client().Get(srv.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		<-gone // the context is done after the request
	}
}

// combine returns f with the optional methods of set: from the lowest bit on Flush, Hijack,
// ReadFrom, FlushError, Push.
func combine(f *fake, set int) http.ResponseWriter {
	return [...]func() http.ResponseWriter{
		func() http.ResponseWriter { return f },
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
			}{f, canFlush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
			}{f, canHijack{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
			}{f, canFlush{f}, canHijack{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canReadFrom
			}{f, canReadFrom{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canReadFrom
			}{f, canFlush{f}, canReadFrom{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canReadFrom
			}{f, canHijack{f}, canReadFrom{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canReadFrom
			}{f, canFlush{f}, canHijack{f}, canReadFrom{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlushError
			}{f, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canFlushError
			}{f, canFlush{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canFlushError
			}{f, canHijack{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canFlushError
			}{f, canFlush{f}, canHijack{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canReadFrom
				canFlushError
			}{f, canReadFrom{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canReadFrom
				canFlushError
			}{f, canFlush{f}, canReadFrom{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canReadFrom
				canFlushError
			}{f, canHijack{f}, canReadFrom{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canReadFrom
				canFlushError
			}{f, canFlush{f}, canHijack{f}, canReadFrom{f}, canFlushError{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canPush
			}{f, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canPush
			}{f, canFlush{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canPush
			}{f, canHijack{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canPush
			}{f, canFlush{f}, canHijack{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canReadFrom
				canPush
			}{f, canReadFrom{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canReadFrom
				canPush
			}{f, canFlush{f}, canReadFrom{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canReadFrom
				canPush
			}{f, canHijack{f}, canReadFrom{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canReadFrom
				canPush
			}{f, canFlush{f}, canHijack{f}, canReadFrom{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlushError
				canPush
			}{f, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canFlushError
				canPush
			}{f, canFlush{f}, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canFlushError
				canPush
			}{f, canHijack{f}, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canFlushError
				canPush
			}{f, canFlush{f}, canHijack{f}, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canReadFrom
				canFlushError
				canPush
			}{f, canReadFrom{f}, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canReadFrom
				canFlushError
				canPush
			}{f, canFlush{f}, canReadFrom{f}, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canReadFrom
				canFlushError
				canPush
			}{f, canHijack{f}, canReadFrom{f}, canFlushError{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canReadFrom
				canFlushError
				canPush
			}{f, canFlush{f}, canHijack{f}, canReadFrom{f}, canFlushError{f}, canPush{f}}
		},
	}[set]()
}

// pieces is a reader that returns these, and then an error.
type pieces struct {
	list []string
	err  error
	read func() // called before each piece
}

func (p *pieces) Read(b []byte) (int, error) {
	p.read()
	if len(p.list) == 0 {
		return 0, p.err
	}
	n := copy(b, p.list[0])
	if p.list[0] = p.list[0][n:]; p.list[0] == "" {
		p.list = p.list[1:]
	}
	return n, nil
}

// TestCopy proves that what a handler copies to an HTTP/1 response is sent as without the
// middleware, also if its reader fails or sets a header. A reader that fails does not cost the
// arena.
func TestCopy(t *testing.T) {
	failure := errors.New("failure")
	for _, sizes := range [][]int{{}, {3}, {511}, {512}, {513}, {800}, {1024}, {1500}, {5000}, {100, 412}, {600, 100}, {5000, 100, 3000}} {
		for _, fail := range []error{io.EOF, failure} {
			for _, length := range []int{0, 700, 800} {
				what := fmt.Sprintf("%d bytes, %v, Content-Length %d", sizes, fail, length)
				var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					a := arena.FromContext(r.Context())
					if length > 0 {
						w.Header().Set("Content-Length", strconv.Itoa(length))
					}
					src := &pieces{err: fail, read: func() { w.Header().Set("X-Read", arena.Concat(a, "ye", "s")) }}
					for _, n := range sizes {
						src.list = append(src.list, strings.Repeat("x", n))
					}
					n, err := io.Copy(w, src)
					if err != nil && !errors.Is(err, http.ErrContentLength) && !errors.Is(err, failure) {
						t.Errorf("%s: %v", what, err)
					}
					fmt.Fprint(w, n)
				})
				want := wire(t, h)
				var reason arenascope.Reason
				got := wire(t, arenahttp.Middleware(h, arenahttp.Options{Observe: func(_ *http.Request, s arenascope.Summary) { reason = s.Reason }}))
				if got != want {
					t.Errorf("%s:\n%q\nwithout the middleware\n%q", what, got, want)
				}
				if fail == failure && length == 0 && reason != "" {
					t.Errorf("%s: the arena is dropped: %s", what, reason)
				}
			}
		}
	}
}

// wire returns all that a client of HTTP/1 receives from h, without the date.
func wire(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := newServer(t, 1, h)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	before, date, _ := strings.Cut(string(all), "Date: ")
	_, after, _ := strings.Cut(date, "\r\n")
	return before + after
}

// TestCopyLimit has a reader that is copied to the response need too much memory before anything
// was sent.
func TestCopyLimit(t *testing.T) {
	h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, &pieces{read: func() { panic(new(arena.LimitError)) }})
	}), arenahttp.Options{})
	if got := wire(t, h); !strings.HasPrefix(got, "HTTP/1.1 503 ") {
		t.Errorf("%q", got)
	}
}
