package arenahttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
)

// TestFork proves that goroutines which a handler waits for have arenas of their own by arena.Fork,
// in the natural forms, and that these end as the arena of the request does.
func TestFork(t *testing.T) {
	const goroutines, requests = 8, 50
	type key struct{}
	for _, proto := range []int{1, 2} {
		for _, reason := range []arenascope.Reason{"", arenahttp.ReasonStatus, arenascope.ReasonKept} {
			pool := &arena.Pool{}
			h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx := context.WithValue(r.Context(), key{}, "value")
				var mu sync.Mutex
				seen := map[*arena.Arena]bool{arena.FromContext(ctx): true}
				lists := make([]*line, goroutines)
				work := func(ctx context.Context, i int) {
					a := arena.FromContext(ctx)
					lists[i], _ = build(a, i, 50)
					if arena.FromContext(context.WithoutCancel(ctx)) != a || ctx.Value(key{}) != "value" {
						t.Error("the context has changed")
					}
					mu.Lock()
					defer mu.Unlock()
					if a == nil || seen[a] {
						t.Errorf("the arena %p is nil, or that of another goroutine", a)
					}
					seen[a] = true
				}
				var wg sync.WaitGroup
				for i := range goroutines {
					switch i % 3 {
					case 0: // in the goroutine
						wg.Go(func() { work(arena.Fork(ctx), i) })
					case 1: // before
						ctx := arena.Fork(ctx)
						wg.Go(func() { work(ctx, i) })
					case 2: // by a goroutine that has one, at the same time as it uses that
						ctx := arena.Fork(ctx)
						wg.Go(func() {
							var inner sync.WaitGroup
							inner.Go(func() { work(arena.Fork(ctx), i) })
							build(arena.FromContext(ctx), i, 50)
							inner.Wait()
						})
					}
				}
				build(arena.FromContext(ctx), 0, 50)
				wg.Wait()
				for i, list := range lists {
					if err := list.intact(i); err != nil {
						t.Error(err)
					}
				}
				switch reason {
				case arenahttp.ReasonStatus:
					w.WriteHeader(500)
				case arenascope.ReasonKept:
					arenahttp.Keep(ctx)
				}
			}), arenahttp.Options{Pool: pool, Observe: func(r *http.Request, s arenascope.Summary) {
				forks := goroutines + goroutines/3
				if s.Reason != reason || s.Reused && len(s.Forks) != forks || !s.Reused && s.Forks != nil {
					t.Errorf("the reason is %q, want %q; %d forks, want %d", s.Reason, reason, len(s.Forks), forks)
				}
				for _, f := range s.Forks {
					if f.InUse == 0 {
						t.Error("a fork has nothing in it")
					}
				}
			}})
			srv := newServer(t, proto, h)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range requests / 4 {
						resp, err := srv.Client().Get(srv.URL)
						if err != nil {
							t.Error(err)
							return
						}
						resp.Body.Close()
					}
				})
			}
			wg.Wait()
			srv.Close()
			st := pool.Stats()
			if st.Gets != requests/4*4*(1+goroutines+goroutines/3) || st.Out != 0 || (reason == "") != (st.Puts == st.Gets) || (reason == "") != (st.Dropped == 0) {
				t.Errorf("%q: arenas are missing: %+v", reason, st)
			}
		}
	}
}

// TestForkTooLate proves what Fork and the forked contexts have when the handler has returned: the
// arena from before, if that is dropped, and else the heap.
func TestForkTooLate(t *testing.T) {
	for _, keep := range []bool{false, true} {
		pool := &arena.Pool{}
		var ctx, forked context.Context
		var a *arena.Arena
		arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx = r.Context()
			forked = arena.Fork(ctx)
			a = arena.FromContext(forked)
			if keep {
				arenahttp.Keep(forked)
			}
		}), arenahttp.Options{Pool: pool}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if got := arena.FromContext(forked); (got == a) != keep || (got == nil) == keep {
			t.Errorf("keep %t: the forked context has the arena %p, before it was %p", keep, got, a)
		}
		for _, ctx := range []context.Context{ctx, forked} {
			if late := arena.FromContext(arena.Fork(ctx)); late != nil {
				t.Errorf("keep %t: too late there is the arena %p", keep, late)
			}
		}
		if st := pool.Stats(); st.Out != 0 || (st.Dropped == 0) == keep || (st.Puts == 0) != keep {
			t.Errorf("keep %t: %+v", keep, st)
		}
	}
}

// TestForkRace lets goroutines that nobody waits for fork while the handler returns: no arena is
// lost, and none is given to two.
func TestForkRace(t *testing.T) {
	pool := &arena.Pool{}
	var wg sync.WaitGroup
	h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 4 {
			wg.Go(func() { arena.FromContext(arena.Fork(r.Context())) })
		}
	}), arenahttp.Options{Pool: pool})
	for range 500 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	wg.Wait()
	if st := pool.Stats(); st.Out != 0 || st.Gets != st.Puts {
		t.Errorf("arenas are missing: %+v", st)
	}
}

// upgrade serves HTTP/2 on a connection of the HTTP/1 server around it, as package h2c of
// golang.org/x/net does: the context of the first request is the parent of the contexts of all
// requests.
func upgrade(t *testing.T, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "PRI" {
			h.ServeHTTP(w, r)
			return
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		l := &oneConn{conn: &replay{conn, io.MultiReader(strings.NewReader("PRI * HTTP/2.0\r\n\r\n"), rw.Reader)}, closed: make(chan struct{})}
		srv := &http.Server{
			Handler:     h,
			Protocols:   new(http.Protocols),
			BaseContext: func(net.Listener) context.Context { return r.Context() },
			ConnState: func(_ net.Conn, s http.ConnState) {
				if s == http.StateClosed {
					l.Close()
				}
			},
		}
		srv.Protocols.SetUnencryptedHTTP2(true)
		if err := srv.Serve(l); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}

// A replay is a connection of which something has been read.
type replay struct {
	net.Conn
	r io.Reader
}

func (c *replay) Read(b []byte) (int, error) { return c.r.Read(b) }

// A oneConn is a listener for one connection.
type oneConn struct {
	conn   net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// TestUpgraded proves that requests which come over a connection that a handler has taken over do
// not share the arena of that handler: they have the heap, or if a middleware is inside an arena
// each. So it is where the server itself speaks HTTP/2 without encryption.
func TestUpgraded(t *testing.T) {
	const clients, requests = 16, 20
	var mu sync.Mutex
	using := map[*arena.Arena]bool{}
	for _, arrangement := range []struct {
		name string
		wrap func(http.Handler) http.Handler
		heap bool // for HTTP/2
	}{
		{"around", func(h http.Handler) http.Handler { return within(upgrade(t, h)) }, true},
		{"inside", func(h http.Handler) http.Handler { return upgrade(t, within(h)) }, false},
		{"both", func(h http.Handler) http.Handler { return within(upgrade(t, within(h))) }, false},
		{"twice around", func(h http.Handler) http.Handler { return within(within(upgrade(t, h))) }, true},
		{"native", within, false},
	} {
		t.Run(arrangement.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				a := arena.FromContext(r.Context())
				if (a == nil) != (arrangement.heap && r.ProtoMajor == 2) {
					t.Errorf("%s: the arena is %p", r.Proto, a)
				}
				mu.Lock()
				if a != nil && using[a] {
					t.Error("two requests have one arena")
				}
				using[a] = true
				mu.Unlock()
				forked := arena.FromContext(arena.Fork(r.Context()))
				if (forked == nil) != (a == nil) || a != nil && forked == a {
					t.Errorf("%s: the arena is %p, a forked one %p", r.Proto, a, forked)
				}
				var id int
				fmt.Sscanf(r.URL.Path, "/%d", &id)
				list, body := build(a, id, 40)
				io.WriteString(w, body)
				if err := list.intact(id); err != nil {
					t.Error(err)
				}
				mu.Lock()
				delete(using, a)
				mu.Unlock()
			})
			srv := httptest.NewUnstartedServer(arrangement.wrap(h))
			if arrangement.name == "native" {
				srv.Config.Protocols = new(http.Protocols)
				srv.Config.Protocols.SetHTTP1(true)
				srv.Config.Protocols.SetUnencryptedHTTP2(true)
			}
			srv.Start()
			defer srv.Close()
			for _, proto := range []int{1, 2} {
				tr := &http.Transport{Protocols: new(http.Protocols)}
				tr.Protocols.SetHTTP1(proto == 1)
				tr.Protocols.SetUnencryptedHTTP2(proto == 2)
				client := &http.Client{Transport: tr}
				var wg sync.WaitGroup
				for c := range clients {
					wg.Go(func() {
						for i := range requests {
							id := c*requests + i
							resp, err := client.Get(fmt.Sprintf("%s/%d", srv.URL, id))
							if err != nil {
								t.Error(err)
								return
							}
							b, err := io.ReadAll(resp.Body)
							resp.Body.Close()
							if resp.ProtoMajor != proto || err != nil || string(b) != text(id, 40) {
								t.Errorf("%s %v: %.100q", resp.Proto, err, b)
								return
							}
						}
					})
				}
				wg.Wait()
				tr.CloseIdleConnections()
			}
		})
	}
}
