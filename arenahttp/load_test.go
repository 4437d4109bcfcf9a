package arenahttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/testrun"
)

// text is what the request id is answered with: the oracle of the load test. Each
// piece of it tells whose it is.
func text(id, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%d/%d;", id, i)
	}
	return b.String()
}

// A line is one of a list in an arena.
type line struct {
	id, i int
	text  string
	parts []string
	next  *line
}

// build makes the same in an arena, out of many values.
func build(a *arena.Arena, id, lines int) (*line, string) {
	var first, last *line
	b := arena.NewBuilder(a)
	for i := range lines {
		parts := arena.SliceOf(a, arena.Sprintf(a, "%d", id), arena.Concat(a, strconv.Itoa(i), ";"))
		l := arena.Ptr(a, line{id: id, i: i, text: arena.Join(a, parts, "/"), parts: parts})
		if last == nil {
			first = l
		} else {
			last.next = l
		}
		last = l
		b.WriteString(l.text)
		if i%16 == 0 {
			runtime.Gosched()
		}
	}
	return first, b.String()
}

// intact reports whether a list is still as it was built.
func (l *line) intact(id int) error {
	for i := 0; l != nil; i, l = i+1, l.next {
		if want := fmt.Sprintf("%d/%d;", id, i); l.id != id || l.i != i || l.text != want || strings.Join(l.parts, "/") != want {
			return fmt.Errorf("request %d: line %d is %d %d %q %q", id, i, l.id, l.i, l.text, l.parts)
		}
	}
	return nil
}

// A service answers requests in the ways of load, and notes what went wrong.
type service struct {
	t       *testing.T
	running sync.WaitGroup // what handlers have left behind
}

// Requests have these in their path.
const (
	plain = iota
	stream
	large       // a body that HTTP/2 writes by reference
	cancelled   // the same, of which the client takes the start only
	panics      // before anything is written
	limited     // by the limit of the arena
	limitedLate // the same after the start of the response
	hijack      // with a goroutine that writes after the handler has returned
	keep        // with a goroutine that goes on in the arena
	lateLookup  // with a goroutine that looks for the arena too late
	early       // sends a status of 103 first
	waits       // goes on after the context is done
	freed       // the handler frees the arena
	kinds
)

const largeBody = 100 << 10

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	if a == nil && r.Context().Err() == nil { // else TimeoutHandler has returned before
		s.t.Error("no arena in the context")
		return
	}
	var kind, id, lines int
	fmt.Sscanf(r.URL.Path, "/%d/%d/%d", &kind, &id, &lines)
	list, body := build(a, id, lines)
	check := func() {
		if err := list.intact(id); err != nil {
			s.t.Error(err)
		}
	}
	h := w.Header()
	h.Set(arena.Sprintf(a, "X-Key-%d", id%5), arena.Sprintf(a, "key %d", id))
	h.Set("X-Id", arena.Sprintf(a, "id %d", id))
	h["X-Both"] = arena.SliceOf(a, arena.Sprintf(a, "first %d", id), arena.Sprintf(a, "second %d", id))
	trailers := func() {
		h.Set("X-Declared", arena.Sprintf(a, "declared %d", id))
		h.Set(arena.Concat(a, http.TrailerPrefix, "X-Late-", strconv.Itoa(id%5)), arena.Sprintf(a, "late %d", id))
	}
	if kind == plain || kind == stream || kind == large {
		h.Set("Trailer", arena.Concat(a, "X-Decl", "ared"))
	}
	switch kind {
	case plain:
		if id%2 == 0 {
			w.WriteHeader(http.StatusCreated)
		}
		io.Copy(w, io.MultiReader(strings.NewReader(body[:len(body)/2]), strings.NewReader(body[len(body)/2:])))
		trailers()
	case stream:
		for l := list; l != nil; l = l.next {
			io.WriteString(w, l.text)
			if l.i%8 == 0 && http.NewResponseController(w).Flush() != nil {
				return
			}
		}
		trailers()
	case large, cancelled:
		b := arena.MakeSlice[byte](a, largeBody, largeBody)
		for i := 0; i < len(b); {
			i += copy(b[i:], body)
		}
		for i := range 4 {
			if kind == cancelled && i > 0 {
				<-r.Context().Done()
			}
			if _, err := w.Write(b); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
		trailers()
	case panics:
		switch id % 3 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			panic(body)
		}
		defer check()
		runtime.Goexit()
	case limitedLate:
		io.WriteString(w, body)
		w.(http.Flusher).Flush()
		fallthrough
	case limited:
		h.Set("Content-Length", strconv.Itoa(len(body)))
		arena.MakeSlice[byte](a, 5<<20, 5<<20)
	case hijack:
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			io.WriteString(w, body) // HTTP/2
			break
		}
		s.running.Go(func() {
			defer conn.Close()
			_, more := build(a, id, lines)
			fmt.Fprintf(rw, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", len(body))
			rw.WriteString(body[:len(body)/2])
			rw.WriteString(more[len(more)/2:])
			rw.Flush()
			check()
		})
		return
	case keep:
		arenahttp.Keep(r.Context())
		io.WriteString(w, body)
		s.running.Go(func() {
			<-r.Context().Done() // which the server sees to
			check()
			other, _ := build(a, id, lines)
			list = other
			check()
		})
		return
	case lateLookup:
		io.WriteString(w, body)
		ctx := r.Context()
		returned := make(chan bool)
		context.AfterFunc(ctx, func() { close(returned) })
		s.running.Go(func() {
			<-returned
			other, _ := build(arena.FromContext(context.WithoutCancel(ctx)), id, lines)
			if err := other.intact(id); err != nil {
				s.t.Error(err)
			}
		})
	case early:
		w.WriteHeader(http.StatusEarlyHints)
		io.WriteString(w, body)
	case waits:
		<-r.Context().Done()
		list, _ = build(a, id, lines)
	case freed:
		io.WriteString(w, body)
		check()
		a.Free()
		return
	}
	check()
}

// request makes one request and checks all of the answer.
func (s *service) request(client *http.Client, url string, kind, id, lines int) error {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	route := ""
	switch {
	case kind == waits:
		route = []string{"/inside", "/outside"}[id%2]
	case kind == plain:
		route = []string{"", "", "/slow"}[id%3]
	}
	method := "GET"
	if kind == panics {
		method = "POST" // which the client does not try again
	}
	req, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("%s%s/%d/%d/%d", url, route, kind, id, lines), nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if kind == panics {
		if err == nil {
			resp.Body.Close()
			return errors.New("got an answer, want none")
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var want string
	switch whole := text(id, lines); kind {
	case large:
		want = strings.Repeat(strings.Repeat(whole, largeBody/len(whole)+1)[:largeBody], 4)
	case waits:
		if resp.StatusCode == http.StatusServiceUnavailable {
			return nil
		}
		// The handler has returned before TimeoutHandler looked, and has written nothing.
	case limited:
		if resp.StatusCode != http.StatusServiceUnavailable {
			return fmt.Errorf("the status is %s", resp.Status)
		}
		return nil
	case cancelled:
		_, err := io.CopyN(io.Discard, resp.Body, 10<<10)
		return err
	default:
		want = whole
	}
	got, err := io.ReadAll(resp.Body)
	if kind == limitedLate {
		if err == nil {
			return errors.New("the body is complete, want it cut")
		}
		return nil
	}
	if err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("the body of %d bytes is not that of %d: %.100q", len(got), len(want), got)
	}
	if resp.ProtoMajor == 1 && kind == hijack {
		return nil
	}
	equal := func(h http.Header, key string, want ...string) {
		if got := h.Values(key); !(len(got) == len(want) && strings.Join(got, ",") == strings.Join(want, ",")) && err == nil {
			err = fmt.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for i := range 5 {
		key := fmt.Sprintf("X-Key-%d", i)
		late := fmt.Sprintf("X-Late-%d", i)
		if i != id%5 {
			equal(resp.Header, key)
			equal(resp.Trailer, late)
			continue
		}
		equal(resp.Header, key, fmt.Sprintf("key %d", id))
		if kind == plain || kind == stream || kind == large {
			equal(resp.Trailer, late, fmt.Sprintf("late %d", id))
			equal(resp.Trailer, "X-Declared", fmt.Sprintf("declared %d", id))
		}
	}
	equal(resp.Header, "X-Id", fmt.Sprintf("id %d", id))
	equal(resp.Header, "X-Both", fmt.Sprintf("first %d", id), fmt.Sprintf("second %d", id))
	return err
}

// TestLoad proves that no request sees the bytes of another, whatever handlers and
// clients do at the same time, and that no arena is lost.
func TestLoad(t *testing.T) {
	clients, requests := 64, 100
	if raceEnabled {
		requests = 25
	}
	for _, proto := range []int{1, 2} {
		t.Run(fmt.Sprintf("http=%d", proto), func(t *testing.T) {
			pool := &arena.Pool{Options: arena.Options{Name: "load", Limit: 4 << 20}}
			s := &service{t: t}
			o := arenahttp.Options{Pool: pool, Observe: func(r *http.Request, s arenascope.Summary) {
				if s.Reused != (s.Reason == "") {
					t.Errorf("a contradiction: %+v", s)
				}
			}}
			mux := http.NewServeMux()
			mux.Handle("/", arenahttp.Middleware(s, o))
			// A TimeoutHandler returns before the handler within it.
			within := func(h http.Handler, d time.Duration) http.Handler {
				inner := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer s.running.Done()
					h.ServeHTTP(w, r)
				}), d, "")
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					s.running.Add(1)
					inner.ServeHTTP(w, r)
				})
			}
			// Shorter than anything that is waited for.
			mux.Handle("/inside/", arenahttp.Middleware(http.StripPrefix("/inside", within(s, time.Nanosecond)), o))
			mux.Handle("/outside/", within(http.StripPrefix("/outside", arenahttp.Middleware(s, o)), time.Nanosecond))
			mux.Handle("/slow/", within(http.StripPrefix("/slow", arenahttp.Middleware(s, o)), time.Hour))
			srv := newServer(t, proto, mux)
			seed := testrun.Seed(t)
			var wg sync.WaitGroup
			for c := range clients {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, uint64(c)))
					for i := range requests {
						kind, id, lines := rnd.IntN(kinds), c*requests+i, 1+rnd.IntN(60)
						if rnd.IntN(3) == 0 {
							kind = plain
						}
						if err := s.request(srv.Client(), srv.URL, kind, id, lines); err != nil {
							t.Errorf("kind %d, request %d of %d lines: %v", kind, id, lines, err)
							return
						}
					}
				})
			}
			wg.Wait()
			srv.Close()
			s.running.Wait()
			st := pool.Stats()
			t.Logf("%+v", st)
			if st.Gets != st.Puts+st.Dropped+st.Freed || st.Out != 0 || st.Lost != 0 {
				t.Errorf("arenas are missing: %+v", st)
			}
			eventually(func() bool { return pool.Stats().Reserved == 0 })
		})
	}
}

// A server's Close also waits for its handlers.
type server struct {
	*httptest.Server
	handlers testrun.Gate
}

func (s *server) Close() {
	s.Server.Close()
	s.handlers.Close()
}

// h2c is HTTP/2 without encryption.
const h2c = 3

// newServer starts a server on 127.0.0.1 that speaks HTTP/1.1, HTTP/2 or h2c.
func newServer(t *testing.T, proto int, h http.Handler) *server {
	t.Helper()
	srv := &server{}
	srv.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		srv.handlers.Do(func() { h.ServeHTTP(w, r) })
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	switch proto {
	case 2:
		srv.EnableHTTP2 = true
		srv.TLS = &tls.Config{CurvePreferences: []tls.CurveID{tls.X25519}}
		srv.StartTLS()
	case h2c:
		srv.Config.Protocols = new(http.Protocols)
		srv.Config.Protocols.SetUnencryptedHTTP2(true)
		srv.Start()
		srv.Client().Transport.(*http.Transport).Protocols = srv.Config.Protocols
	default:
		srv.Start()
		srv.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 100
	}
	t.Cleanup(srv.Close)
	return srv
}
