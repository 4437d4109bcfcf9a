package arenahttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
)

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// TestPanics proves that panics go on unchanged, and with the frames of the handler, also through
// an observer that panics itself, and that the arena is not lost then.
func TestPanics(t *testing.T) {
	pool := &arena.Pool{}
	var w http.ResponseWriter = httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	serve := func(o arenahttp.Options, h http.HandlerFunc) (p any, stack string) {
		o.Pool = pool
		defer func() {
			b := make([]byte, 64<<10)
			stack = string(b[:runtime.Stack(b, false)])
			p = recover()
		}()
		arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arena.FromContext(r.Context())
			h(w, r)
		}), o).ServeHTTP(w, r)
		return nil, ""
	}
	failure := errors.New("failure")
	if p, stack := serve(arenahttp.Options{}, func(http.ResponseWriter, *http.Request) { explode(failure) }); p != failure || !strings.Contains(stack, "explode") {
		t.Errorf("the panic is %v, the stack %s", p, stack)
	}
	bad := func(*http.Request, arenascope.Summary) { panic("observer") }
	if p, _ := serve(arenahttp.Options{Observe: bad}, func(http.ResponseWriter, *http.Request) {}); p != "observer" {
		t.Errorf("the panic is %v", p)
	}
	if p, _ := serve(arenahttp.Options{Observe: bad}, func(http.ResponseWriter, *http.Request) { explode(failure) }); p != "observer" {
		t.Errorf("the panic is %v", p)
	}
	// A connection that is taken over cannot be answered on.
	f := &fake{header: http.Header{}}
	w = struct {
		*fake
		canHijack
	}{f, canHijack{f}}
	if p, _ := serve(arenahttp.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Hijacker).Hijack()
		panic(new(arena.LimitError))
	}); p != http.ErrAbortHandler || len(f.calls) != 1 {
		t.Errorf("the panic is %v, the calls are %q", p, f.calls)
	}
	if st := pool.Stats(); st.Gets != 4 || st.Puts != 1 || st.Dropped != 3 {
		t.Errorf("the pool: %+v", st)
	}
}

//go:noinline
func explode(v any) { panic(v) }

// TestLimit proves that a limit is answered with an error that is a whole response, without what
// the handler said of its own body but with what others said; and that other requests are served.
func TestLimit(t *testing.T) {
	outer := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Outer", "outer")
			next.ServeHTTP(w, r)
		})
	}
	for _, proto := range []int{1, 2} {
		h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/small" {
				io.WriteString(w, "small")
				return
			}
			h := w.Header()
			for _, k := range []string{"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Range", "ETag", "Last-Modified"} {
				h.Set(k, "7")
			}
			h.Set("X-Inner", "inner")
			if r.URL.Path == "/begun" {
				h.Del("Content-Length") // else the client sees that something is missing
				w.WriteHeader(200)
				io.WriteString(w, "begin")
				w.(http.Flusher).Flush()
			}
			arena.MakeSlice[byte](arena.FromContext(r.Context()), 2<<20, 2<<20)
		}), arenahttp.Options{Limit: 1 << 20, LimitStatus: 413})
		srv := newServer(t, proto, outer(h))
		get := func(path string) (*http.Response, string, error) {
			resp, err := srv.Client().Get(srv.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			return resp, string(b), err
		}
		resp, body, err := get("/large")
		if resp.StatusCode != 413 || err != nil || !strings.Contains(body, "memory") {
			t.Errorf("%s %q %v", resp.Status, body, err)
		}
		for k, want := range map[string]string{"Cache-Control": "no-store", "Content-Disposition": "", "Content-Encoding": "", "Content-Range": "", "ETag": "",
			"Last-Modified": "", "X-Outer": "outer", "X-Inner": "inner", "Content-Length": fmt.Sprint(len(body))} {
			if got := resp.Header.Get(k); got != want {
				t.Errorf("%s is %q, want %q", k, got, want)
			}
		}
		if _, body, err := get("/begun"); err == nil {
			t.Errorf("a body that is cut is taken for whole: %q", body)
		}
		if _, body, err := get("/small"); body != "small" || err != nil {
			t.Errorf("%q %v", body, err)
		}
	}
}

// TestNested proves that with two middlewares FromContext finds the inner arena, that both arenas
// come back, and that Keep applies to both.
func TestNested(t *testing.T) {
	for _, keep := range []bool{false, true} {
		inner, outer := &arena.Pool{}, &arena.Pool{}
		var a, b *arena.Arena
		h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b = arena.FromContext(r.Context())
			if keep {
				arenahttp.Keep(r.Context())
			}
		}), arenahttp.Options{Pool: inner})
		arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a = arena.FromContext(r.Context())
			h.ServeHTTP(w, r)
			if arena.FromContext(r.Context()) != a {
				t.Error("the arena of the outer middleware is gone")
			}
		}), arenahttp.Options{Pool: outer}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if a == nil || b == nil || a == b {
			t.Errorf("the arenas are %p and %p", a, b)
		}
		for _, pool := range []*arena.Pool{inner, outer} {
			if st := pool.Stats(); st.Gets != 1 || (st.Puts == 1) == keep || (st.Dropped == 1) != keep {
				t.Errorf("keep %t: %+v", keep, st)
			}
		}
	}
}

// TestTooLate proves that after the handler the context has no arena any more, unless that
// was kept, and that Keep says when it comes too late.
func TestTooLate(t *testing.T) {
	for _, keep := range []bool{false, true} {
		var ctx context.Context
		var a *arena.Arena
		arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx = context.WithoutCancel(r.Context())
			a = arena.FromContext(ctx)
			if keep {
				arenahttp.Keep(ctx)
			}
		}), arenahttp.Options{}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		want := map[bool]*arena.Arena{true: a}[keep]
		if got := arena.FromContext(ctx); got != want {
			t.Errorf("keep %t: the arena is %p, want %p", keep, got, want)
		}
		func() {
			defer func() {
				if p := recover(); (p == nil) != keep {
					t.Errorf("keep %t: the panic is %v", keep, p)
				}
			}()
			arenahttp.Keep(ctx)
		}()
	}
	arenahttp.Keep(t.Context())
	//lint:ignore SA1012 Keep may be given nil
	arenahttp.Keep(nil)
}

// TestOptions proves that contradictions are found when the middleware is made, and a nil handler
// when it is mounted.
func TestOptions(t *testing.T) {
	ok := http.NotFoundHandler()
	for _, test := range []struct {
		h    http.Handler
		o    arenahttp.Options
		want string
	}{
		{nil, arenahttp.Options{}, "nil"},
		{ok, arenahttp.Options{Pool: &arena.Pool{}, Limit: 1}, "Pool.Options"},
		{ok, arenahttp.Options{Limit: -1}, "Limit is -1"},
		{ok, arenahttp.Options{LimitStatus: 399}, "399"},
		{ok, arenahttp.Options{LimitStatus: 600}, "600"},
		{ok, arenahttp.Options{LimitStatus: -1}, "-1"},
		{ok, arenahttp.Options{LimitStatus: 400, Limit: 1}, ""},
		{ok, arenahttp.Options{LimitStatus: 599, Pool: &arena.Pool{}}, ""},
	} {
		func() {
			defer func() {
				p, _ := recover().(string)
				if (p == "") != (test.want == "") || !strings.Contains(p, test.want) || p != "" && !strings.HasPrefix(p, "arenahttp: ") {
					t.Errorf("%+v: the panic is %q, want one with %q", test.o, p, test.want)
				}
			}()
			arenahttp.Middleware(test.h, test.o)
		}()
	}
}

// TestNew proves that what New returns gives all handlers arenas of one Pool: some handler gets one
// that another had, sooner or later.
func TestNew(t *testing.T) {
	mount := arenahttp.New(arenahttp.Options{})
	seen := map[*arena.Arena]bool{} // they are kept, so that no two have one address
	for again := false; !again; {
		mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			if a == nil {
				t.Fatal("no arena in the context")
			}
			again = seen[a]
			seen[a] = true
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
}

// TestRetain proves that arenas of a Pool that the middleware makes come back with a bounded
// memory.
func TestRetain(t *testing.T) {
	h := within(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		if held := a.Stats().Reserved; held > 1<<20 {
			t.Errorf("an idle arena has held %d bytes", held)
		}
		for range 64 {
			arena.MakeSlice[byte](a, 100<<10, 100<<10)
			arena.MakeSlice[*int](a, 1000, 1000)
		}
	}))
	for range 20 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
}

// TestTaken proves that a request takes no arena until somebody asks for it, then one, however many
// goroutines ask at the same time, and none when the handler has returned.
func TestTaken(t *testing.T) {
	pool := &arena.Pool{}
	var seen arenascope.Summary
	serve := func(h http.HandlerFunc) {
		defer func() { recover() }()
		arenahttp.Middleware(h, arenahttp.Options{Pool: pool, Observe: func(_ *http.Request, s arenascope.Summary) { seen = s }}).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	var left context.Context
	for name, h := range map[string]http.HandlerFunc{
		"nothing": func(w http.ResponseWriter, r *http.Request) { left = r.Context() },
		"header":  func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Key", "heap"); w.WriteHeader(500) },
		"panic":   func(http.ResponseWriter, *http.Request) { panic("oh") },
		"keep":    func(w http.ResponseWriter, r *http.Request) { arenahttp.Keep(r.Context()); left = r.Context() },
		"fork":    func(w http.ResponseWriter, r *http.Request) { left = arena.Fork(r.Context()) },
	} {
		serve(h)
		if seen.Reused || seen.Reason != arenascope.ReasonUnused || arena.FromContext(left) != nil || pool.Stats() != (arena.PoolStats{}) {
			t.Errorf("%s: the summary is %+v, the pool %+v", name, seen, pool.Stats())
		}
	}

	const goroutines = 16
	for range 100 {
		var all [goroutines]*arena.Arena
		serve(func(w http.ResponseWriter, r *http.Request) {
			start := make(chan bool)
			var wg sync.WaitGroup
			for i := range all {
				wg.Go(func() {
					<-start
					all[i] = arena.FromContext(r.Context())
				})
			}
			close(start)
			wg.Wait()
		})
		for _, a := range all {
			if a == nil || a != all[0] {
				t.Fatalf("goroutines of one request have the arenas %p and %p", a, all[0])
			}
		}
	}
	if st := pool.Stats(); st.Gets != 100 || st.Puts != 100 {
		t.Errorf("the pool: %+v", st)
	}

	var wg sync.WaitGroup
	for range 500 {
		serve(func(w http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			for range 4 {
				wg.Go(func() { arena.FromContext(ctx) })
			}
		})
	}
	wg.Wait()
	if st := pool.Stats(); st.Out != 0 || st.Gets != st.Puts {
		t.Errorf("arenas are missing: %+v", st)
	}
}
