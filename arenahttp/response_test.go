package arenahttp_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/arena-go/arena/arenahttp"
)

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
func (c canPush) Push(target string, o *http.PushOptions) error {
	c.f.call("Push")
	c.f.target, c.f.pushed = target, o
	return c.f.err
}
func (w wraps) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serve calls h inside of a middleware whose inner writer is w.
func serve(w http.ResponseWriter, h func(w http.ResponseWriter, r *http.Request)) (s arenahttp.Summary) {
	arenahttp.Middleware(http.HandlerFunc(h), arenahttp.Options{Observe: func(r *http.Request, got arenahttp.Summary) { s = got }}).
		ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return s
}

// TestMethods proves for inner writers with any combination of optional methods that
// the handler's writer has those that it should, that they reach the inner one, and
// that their errors do not stay unknown.
func TestMethods(t *testing.T) {
	failure := errors.New("failure")
	const flush, hijack, readFrom, str, push, wrapped, fails = 1, 2, 4, 8, 16, 32, 64
	for set := range 128 {
		f := &fake{header: http.Header{}}
		if set&fails != 0 {
			f.err = failure
		}
		inner := combine(f, set&31)
		direct := set
		if set&wrapped != 0 {
			inner = wraps{wraps{inner}}
			direct &= flush | hijack // is what is found through Unwrap
		}
		has := func(bit int) bool { return direct&bit != 0 }
		try := func(name, call string, offered, want bool, reason string, do func(w http.ResponseWriter) error) {
			t.Helper()
			f.calls = nil
			s := serve(inner, func(w http.ResponseWriter, r *http.Request) {
				if !offered {
					return
				}
				if err := do(w); want && !errors.Is(err, f.err) {
					t.Errorf("set %b: %s: the error is %v, want %v", set, name, err, f.err)
				}
			})
			if offered && want && !slices.Contains(f.calls, call) {
				t.Errorf("set %b: %s did not reach %s: %q", set, name, call, f.calls)
			}
			if want && s.Reason != reason {
				t.Errorf("set %b: %s: the reason is %q, want %q", set, name, s.Reason, reason)
			}
		}
		failed := ""
		if f.err != nil {
			failed = arenahttp.ReasonWrite
		}
		try("Write", "Write", true, true, failed, func(w http.ResponseWriter) error { _, err := w.Write([]byte("x")); return err })
		try("WriteString", map[bool]string{true: "WriteString", false: "Write"}[has(str)], true, true, failed,
			func(w http.ResponseWriter) error { _, err := io.WriteString(w, "x"); return err })
		try("ReadFrom", map[bool]string{true: "ReadFrom", false: "Write"}[has(readFrom)], true, true, failed, func(w http.ResponseWriter) error {
			w.WriteHeader(200)
			n, err := w.(io.ReaderFrom).ReadFrom(io.LimitReader(zeros{}, 2000))
			if n != 2000 && err == nil {
				t.Errorf("set %b: ReadFrom returned %d", set, n)
			}
			return err
		})
		try("Push", "Push", true, has(push), "", func(w http.ResponseWriter) error {
			err := w.(http.Pusher).Push("/x", nil)
			if !has(push) && err != http.ErrNotSupported {
				t.Errorf("set %b: Push returned %v", set, err)
			}
			return err
		})
		serve(inner, func(w http.ResponseWriter, r *http.Request) {
			if _, ok := w.(http.Flusher); ok != has(flush) {
				t.Errorf("set %b: a Flusher: %t", set, ok)
			}
			if _, ok := w.(interface{ FlushError() error }); ok != has(flush) {
				t.Errorf("set %b: has FlushError: %t", set, ok)
			}
			if _, ok := w.(http.Hijacker); ok != has(hijack) {
				t.Errorf("set %b: a Hijacker: %t", set, ok)
			}
			for name, err := range map[string]error{
				"Flush": http.NewResponseController(w).Flush(), "SetReadDeadline": http.NewResponseController(w).SetReadDeadline(time.Time{}),
			} {
				if errors.Is(err, http.ErrNotSupported) != !(name == "Flush" && has(flush)) {
					t.Errorf("set %b: the controller's %s: %v", set, name, err)
				}
			}
		})
		// The Flush of the fake does not fail.
		try("Flush", "Flush", has(flush), has(flush), "", func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return f.err })
		try("FlushError", "Flush", has(flush), has(flush), "", func(w http.ResponseWriter) error {
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("set %b: FlushError: %v", set, err)
			}
			return f.err
		})
		hijacked := arenahttp.ReasonHijacked
		if f.err != nil {
			hijacked = ""
		}
		try("Hijack", "Hijack", has(hijack), has(hijack), hijacked, func(w http.ResponseWriter) error {
			_, _, err := http.NewResponseController(w).Hijack()
			return err
		})
	}
}

// TestFlushError proves that of the two methods to flush the one that tells errors is taken.
func TestFlushError(t *testing.T) {
	f := &fake{header: http.Header{}, err: errors.New("failure")}
	s := serve(struct {
		*fake
		canFlushError
	}{f, canFlushError{f}}, func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush() })
	if s.Reason != arenahttp.ReasonWrite || !slices.Equal(f.calls, []string{"FlushError"}) {
		t.Errorf("the reason is %q, the calls are %q", s.Reason, f.calls)
	}
}

// TestServers proves what the writers of the standard library are found to be able to do,
// and that what a controller asks for reaches them.
func TestServers(t *testing.T) {
	check := func(what string, w http.ResponseWriter, flush, hijack, control bool) {
		_, f := w.(http.Flusher)
		_, h := w.(http.Hijacker)
		c := http.NewResponseController(w)
		err := errors.Join(c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}), c.EnableFullDuplex())
		if f != flush || h != hijack || (err == nil) != control {
			t.Errorf("%s: flush %t, hijack %t, control: %v", what, f, h, err)
		}
	}
	serve(httptest.NewRecorder(), func(w http.ResponseWriter, r *http.Request) { check("recorder", w, true, false, false) })
	for _, proto := range []int{1, 2} {
		gone := make(chan bool)
		mux := http.NewServeMux()
		mux.Handle("/", arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			check(r.Proto, w, true, proto == 1, true)
			notify := w.(interface{ CloseNotify() <-chan bool }).CloseNotify()
			go func() { <-notify; close(gone) }()
		}), arenahttp.Options{}))
		mux.Handle("/timeout", http.TimeoutHandler(arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			check("timeout", w, false, false, false)
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
// ReadFrom, WriteString, Push.
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
				canString
			}{f, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canString
			}{f, canFlush{f}, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canString
			}{f, canHijack{f}, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canString
			}{f, canFlush{f}, canHijack{f}, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canReadFrom
				canString
			}{f, canReadFrom{f}, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canReadFrom
				canString
			}{f, canFlush{f}, canReadFrom{f}, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canReadFrom
				canString
			}{f, canHijack{f}, canReadFrom{f}, canString{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canReadFrom
				canString
			}{f, canFlush{f}, canHijack{f}, canReadFrom{f}, canString{f}}
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
				canString
				canPush
			}{f, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canString
				canPush
			}{f, canFlush{f}, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canString
				canPush
			}{f, canHijack{f}, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canString
				canPush
			}{f, canFlush{f}, canHijack{f}, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canReadFrom
				canString
				canPush
			}{f, canReadFrom{f}, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canReadFrom
				canString
				canPush
			}{f, canFlush{f}, canReadFrom{f}, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canHijack
				canReadFrom
				canString
				canPush
			}{f, canHijack{f}, canReadFrom{f}, canString{f}, canPush{f}}
		},
		func() http.ResponseWriter {
			return struct {
				*fake
				canFlush
				canHijack
				canReadFrom
				canString
				canPush
			}{f, canFlush{f}, canHijack{f}, canReadFrom{f}, canString{f}, canPush{f}}
		},
	}[set]()
}
