package arenahttp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenahttp/arenahttptest"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/testrun"
)

// TestModel proves for random handlers that clients receive what they would receive without arenas,
// from servers of HTTP/1 and HTTP/2, behind writers that hold the header back, while other requests
// use the same arenas.
func TestModel(t *testing.T) {
	requests := 600
	if !testrun.Long() {
		requests = 150
	}
	for _, proto := range []int{1, 2} {
		for _, guard := range []bool{false, true} {
			t.Run(fmt.Sprintf("http=%d/guard=%t", proto, guard), func(t *testing.T) {
				o := arenahttp.Options{Pool: &arena.Pool{Retain: 4 << 10}}
				n := requests
				if guard {
					o = arenahttptest.Options(t)
					n /= 6
				}
				seed := testrun.Seed(t)
				reasons := newTally()
				o.Observe = func(_ *http.Request, s arenascope.Summary) { reasons.add(string(s.Reason)) }
				p := &programs{t: t, seed: seed}
				heap := newServer(t, proto, late(p))
				arenas := newServer(t, proto, late(arenahttp.Middleware(p, o)))
				// It goes on until arenas were used again and, if there is no guard, unused and
				// kept.
				seen := func() bool {
					return reasons.count("") > 0 && (guard || reasons.count(string(arenascope.ReasonUnused)) > 0 && reasons.count(string(arenascope.ReasonKept)) > 0)
				}
				var wg sync.WaitGroup
				for c := range 4 {
					wg.Go(func() {
						for i := c; i < n || !seen(); i += 4 {
							want, got := receive(heap, i), receive(arenas, i)
							if got != want {
								t.Errorf("program %d:\n%s\nwithout arenas:\n%s", i, got, want)
								return
							}
						}
					})
				}
				wg.Wait()
				heap.Close()
				arenas.Close()
				p.running.Wait()
				if st := o.Pool.Stats(); st.Out != 0 {
					t.Errorf("arenas are missing: %+v", st)
				}
			})
		}
	}
}

// A tally counts.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func newTally() *tally { return &tally{counts: map[string]int{}} }

func (c *tally) add(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[s]++
}

func (c *tally) count(s string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[s]
}

// receive returns what a client is sent by the program of a number, as text.
func receive(s *server, program int) string {
	resp, err := s.Client().Post(fmt.Sprintf("%s/%d", s.URL, program), "", nil)
	if err != nil {
		return "failed"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "failed"
	}
	resp.Header.Del("Date")
	return fmt.Sprintf("%s %d\n%s%s%s", resp.Proto, resp.StatusCode, format(resp.Header), body, format(resp.Trailer))
}

// programs is a handler that runs the random program whose number is the path.
type programs struct {
	t       *testing.T
	seed    uint64
	running sync.WaitGroup // goroutines that outlive their handler
}

func (p *programs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var number uint64
	fmt.Sscanf(r.URL.Path, "/%d", &number)
	rnd := rand.New(rand.NewPCG(p.seed, number))
	var a *arena.Arena // the heap, until the program takes an arena
	texts := 0
	text := func(a *arena.Arena) string {
		texts++
		return arena.Sprintf(a, "%s%d-%d", strings.Repeat("text", 1+rnd.IntN(3)*rnd.IntN(40)), number, texts)
	}
	key := func() string { return arena.Sprintf(a, "X-Key-%d", rnd.IntN(6)) }
	kept := w.Header()
	begun := false
	for range 2 + rnd.IntN(14) {
		switch rnd.IntN(21) {
		case 0, 1:
			a = arena.FromContext(r.Context())
		case 2, 3:
			w.Header().Set(key(), text(a))
		case 4:
			w.Header()[key()] = arena.SliceOf(a, text(a), "constant", text(a))
		case 5:
			kept.Add(key(), text(a))
		case 6:
			w.Header().Del(key())
		case 7, 8, 9:
			io.WriteString(w, text(a))
			begun = true
		case 10:
			w.Write([]byte(text(nil)))
			begun = true
		case 11:
			w.WriteHeader([]int{200, 201, 404, 418, 503}[rnd.IntN(5)])
			begun = true
		case 12:
			if !begun {
				w.WriteHeader(http.StatusEarlyHints)
			}
		case 13:
			http.NewResponseController(w).Flush()
			begun = true
		case 14:
			if !begun {
				w.Header().Add("Trailer", arena.Concat(a, "X-Decl", "ared"))
			}
			kept.Set("X-Declared", text(a))
		case 15:
			w.Header().Set(arena.Concat(a, http.TrailerPrefix, key()), text(a))
		case 16: // two goroutines with arenas of their own, one for a header
			var header, body string
			bodyText := rnd.IntN(200)
			var wg sync.WaitGroup
			ctx := arena.Fork(r.Context())
			wg.Go(func() { header = arena.Sprintf(arena.FromContext(ctx), "forked %d", number) })
			wg.Go(func() {
				a := arena.FromContext(arena.Fork(r.Context()))
				body = arena.Concat(a, strings.Repeat("f", bodyText), "\n")
			})
			wg.Wait()
			w.Header().Set(key(), header)
			io.WriteString(w, body)
			begun = true
		case 17: // a goroutine that uses the arena while the handler writes
			in, out := io.Pipe()
			k, lines := key(), 1+rnd.IntN(40)
			go func() {
				for i := range lines {
					io.WriteString(out, arena.Sprintf(a, "%s%d\n", strings.Repeat("l", i*i), i))
				}
				out.Close()
			}()
			w.Header().Set(k, text(nil))
			buf := make([]byte, 100)
			for {
				n, err := in.Read(buf)
				w.Write(buf[:n])
				w.Header()
				if err != nil {
					break
				}
			}
			begun = true
		case 18: // a goroutine that outlives the handler
			if rnd.IntN(3) > 0 {
				break
			}
			arenahttp.Keep(r.Context())
			own := arena.FromContext(arena.Fork(r.Context()))
			was := strings.Clone(text(nil))
			is := arena.String(own, was)
			done := r.Context()
			p.running.Go(func() {
				<-done.Done()
				arena.FromContext(context.WithoutCancel(done))
				if is != was {
					p.t.Errorf("text of an arena that was kept is %q, was %q", is, was)
				}
			})
		case 19:
			if rnd.IntN(6) > 0 {
				break
			}
			if conn, rw, err := http.NewResponseController(w).Hijack(); err == nil && !begun {
				body := text(a)
				fmt.Fprintf(rw, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
				rw.Flush()
				conn.Close()
				return
			} else if err == nil {
				conn.Close()
				return
			}
			panic(http.ErrAbortHandler)
		case 20: // a reader that sets a header
			k := key()
			src := &pieces{err: io.EOF, read: func() { w.Header().Set(k, text(a)) }}
			for range rnd.IntN(3) {
				src.list = append(src.list, strings.Repeat("r", 1+rnd.IntN(900)))
			}
			n, _ := io.Copy(w, src)
			begun = begun || n > 0
		}
	}
}

// late returns a handler that holds back what h writes, and with it the header, until it is more
// than 300 bytes, or is to be flushed, or h returns; and sets a header itself then. Half of the
// requests go to h directly.
func late(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "1") || strings.HasSuffix(r.URL.Path, "6") || len(r.URL.Path)%2 == 1 {
			h.ServeHTTP(w, r)
			return
		}
		l := &holder{ResponseWriter: w}
		defer l.send()
		h.ServeHTTP(l, r)
	})
}

type holder struct {
	http.ResponseWriter
	status int
	held   bytes.Buffer
	sent   bool
}

func (l *holder) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (l *holder) WriteHeader(status int) {
	switch {
	case l.sent || status < 200:
		l.ResponseWriter.WriteHeader(status)
	case l.status == 0:
		l.status = status
	}
}

func (l *holder) Write(b []byte) (int, error) {
	l.held.Write(b)
	if l.held.Len() > 300 {
		l.send()
	}
	return len(b), nil
}

func (l *holder) Flush() {
	l.send()
	l.ResponseWriter.(http.Flusher).Flush()
}

func (l *holder) send() {
	if !l.sent {
		l.sent = true
		l.Header().Set("X-Outside", "sent")
		if l.status != 0 {
			l.ResponseWriter.WriteHeader(l.status)
		}
	}
	if l.held.Len() > 0 {
		l.ResponseWriter.Write(l.held.Bytes())
		l.held.Reset()
	}
}
