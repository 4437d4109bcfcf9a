package arenaconnect_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/internal/testrun"
)

// The ways in which a client gives up a call.
const (
	stays  = iota
	before // it sends no message
	after  // when the server has decoded one and asks for more
	when   // when the server has ended the call
	stop   // the server is closed when it has decoded a message
)

// An end is a way in which a call can end.
type end struct {
	name    string
	kind    int32
	cut     bool     // the message is not whole
	large   bool     // the message exceeds the limit
	twice   bool     // it is sent twice
	gives   int      // how the client gives up
	before  bool     // an interceptor before ours answers
	reads   bool     // and has received the message
	behind  bool     // an interceptor behind ours answers
	content string   // other than application/grpc
	methods []string // other than all
	want    string   // the answer with arenas, if it is not that without
	either  bool     // the server's answer may be in time, or not
}

var methods = []string{"Unary", "ServerStream", "ClientStream", "Bidi"}

// allEnds are all ends that fit into a table. Each row is applied to one call, and the answer
// equals the answer of a server without arenas.
var allEnds = []end{
	{name: "an answer", kind: echo},
	{name: "an answer to capitals", kind: echo, content: "Application/GRPC"},
	{name: "an error", kind: fails},
	{name: "a panic", kind: panics},
	{name: "Goexit", kind: goexits, gives: when, methods: []string{"Unary"}},
	{name: "an interceptor before ours answers", before: true},
	{name: "an interceptor before ours reads and answers", before: true, reads: true, methods: methods[1:]},
	{name: "an interceptor behind ours answers", behind: true},
	{name: "a message that is cut", cut: true},
	{name: "a message beyond the limit", large: true, methods: []string{"Unary", "ServerStream", "Bidi"}, want: "200 8"},
	{name: "a message beyond the limit, in capitals", large: true, content: "application/GRPC", methods: []string{"Unary"}, want: "200 8"},
	{name: "a message beyond the limit, answered before", large: true, before: true},
	{name: "a reset before the message", gives: before},
	{name: "a reset after the message", gives: after, kind: waits},
	{name: "a deadline", kind: waits, gives: when, either: true, methods: []string{"Unary", "ServerStream"}},
	{name: "a second message", twice: true, methods: []string{"Unary", "ServerStream"}},
	{name: "shutdown", kind: waits, gives: stop},
}

// An ending is a server whose calls end in all ways.
type ending struct {
	*service
	handler               http.Handler
	pending               func() int
	pool                  *arena.Pool
	server                *http.Server
	client                *http.Client
	addr                  string
	row                   atomic.Pointer[end] // for the interceptor before ours and the one behind
	begun, received, over atomic.Int64
}

const endLimit = 1 << 20

// answers is an interceptor that answers if on.
type answers struct {
	middle
	on    func() bool
	reads func() bool
}

var errAnswered = connect.NewError(connect.CodePermissionDenied, errors.New("answered by an interceptor"))

func (a answers) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		if a.on() {
			return nil, errAnswered
		}
		return next(ctx, request)
	}
}

func (a answers) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if a.on() {
			if a.reads() {
				conn.Receive(new(echopb.Message))
			}
			return errAnswered
		}
		return next(ctx, conn)
	}
}

func newEnding(t testing.TB, arenas bool) *ending {
	r := &ending{service: &service{t: t, heap: !arenas, release: make(chan bool)}, pool: &arena.Pool{Options: arena.Options{Limit: endLimit}}, pending: func() int { return 0 }}
	r.row.Store(&end{})
	options := append(r.service.others(), connect.WithInterceptors(answers{on: func() bool { return r.row.Load().behind }, reads: func() bool { return true }}))
	if arenas {
		options, r.pending = arenaconnect.HandlerOptionsPending(arenaconnect.Options{Pool: r.pool, Threshold: 1}, options...)
	}
	options = append([]connect.HandlerOption{connect.WithInterceptors(answers{on: func() bool { return r.row.Load().before }, reads: func() bool { return r.row.Load().reads }})}, options...)
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(r.service, options...))
	r.handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.begun.Add(1)
		defer r.over.Add(1)
		size, _ := strconv.Atoi(request.Header.Get("Test-Size"))
		request.Body = &asked{ReadCloser: request.Body, left: size, received: &r.received}
		mux.ServeHTTP(w, request)
	})
	r.start()
	return r
}

// An asked body counts the reads beyond a number of bytes.
type asked struct {
	io.ReadCloser
	left     int
	received *atomic.Int64
}

func (a *asked) Read(p []byte) (int, error) {
	if a.left == 0 {
		a.left = -1
		a.received.Add(1)
	}
	if a.left > 0 && len(p) > a.left {
		p = p[:a.left]
	}
	n, err := a.ReadCloser.Read(p)
	if a.left > 0 {
		a.left -= n
	}
	return n, err
}

// start starts a server. Others with the same handler may have been stopped.
func (r *ending) start() {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	r.addr = lis.Addr().String()
	r.server = &http.Server{Handler: r.handler, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
	r.server.Protocols.SetUnencryptedHTTP2(true)
	server := r.server
	go server.Serve(lis)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	r.client = &http.Client{Transport: transport}
	r.t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
}

// call makes a call that ends as a row says, and returns the statuses of HTTP and gRPC, or "gone".
func (r *ending) call(e end, method string, id int64) string {
	m := message(id, 3)
	m.Kind = e.kind
	if e.large {
		m.Data = make([]byte, endLimit)
		m.Sum = sum(m)
	}
	b := encoded(r.t, m)
	if e.cut {
		b = b[:len(b)-3]
	}
	b = envelope(b)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	body, to := io.Pipe()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+r.addr+"/"+echopb.EchoName+"/"+method, body)
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/grpc")
	if e.content != "" {
		request.Header.Set("Content-Type", e.content)
	}
	request.Header.Set("Te", "trailers")
	request.Header.Set("Test-Size", strconv.Itoa(len(b)))
	if e.either {
		request.Header.Set("Grpc-Timeout", "50m")
	}
	begun, received, over := r.begun.Load(), r.received.Load(), r.over.Load()
	answer := make(chan string, 1)
	go func() {
		response, err := r.client.Do(request)
		if err != nil {
			answer <- "gone"
			return
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			answer <- "gone"
			return
		}
		answer <- fmt.Sprintf("%d %s%s", response.StatusCode, response.Trailer.Get("Grpc-Status"), response.Header.Get("Grpc-Status"))
	}()
	poll(func() bool { return r.begun.Load() > begun })
	sent := make(chan bool)
	go func() {
		defer close(sent)
		if e.gives != before {
			to.Write(b)
		}
		if e.twice {
			to.Write(b)
		}
		if e.gives == stays || e.gives == when {
			to.Close()
		}
	}()
	switch e.gives {
	case before:
		cancel()
	case after, stop:
		poll(func() bool { return r.received.Load() > received })
		if e.gives == stop {
			r.server.Close()
		} else {
			cancel()
		}
	case when:
		poll(func() bool { return r.over.Load() > over })
		cancel()
	}
	if e.gives != stays {
		to.CloseWithError(context.Canceled) // the transport waits for more to send
	}
	got := <-answer
	body.Close()
	<-sent
	poll(func() bool { return r.over.Load() > over })
	return got
}

// good makes a call that is answered.
func (r *ending) good(id int64) {
	r.t.Helper()
	m := message(id, 3)
	m.Kind = own
	response, err := connect.NewClient[echopb.Message, echopb.Message](r.client, "http://"+r.addr+echopb.EchoUnaryProcedure, connect.WithGRPC()).
		CallUnary(context.Background(), connect.NewRequest(m))
	if err == nil {
		if err = intact("the reply", response.Msg); err == nil && response.Msg.Id != id {
			err = fmt.Errorf("the reply is that to another: %v", response.Msg)
		}
	}
	if err != nil {
		r.t.Errorf("the next call: %v", err)
	}
}

// still checks that nothing is left of the calls.
func (r *ending) still() {
	r.t.Helper()
	quiet(r.t, r.pool, r.pending)
	for s := r.pool.Stats(); s.Reserved != s.Retained; s = r.pool.Stats() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// TestEnds ends a call in each way that there is, on servers with arenas and without, which answer
// alike. After it no arena is in use, no bytes are held, and the next call is answered.
func TestEnds(t *testing.T) {
	stock, r := newEnding(t, false), newEnding(t, true)
	id := int64(0)
	for _, e := range allEnds {
		for _, method := range methods {
			if e.methods != nil && !slices.Contains(e.methods, method) {
				continue
			}
			var got [2]string
			for i, r := range []*ending{stock, r} {
				r.row.Store(&e)
				id++
				got[i] = r.call(e, method, id)
				if e.gives == stop {
					r.start()
				}
			}
			r.row.Store(&end{})
			if e.want == "" && got[1] != got[0] && !gone(got[0]) && !e.either || e.want != "" && got != [2]string{"200 0", e.want} {
				t.Errorf("%s, %s: %s with arenas, and %s without", e.name, method, got[1], got[0])
			}
			id++
			r.good(id)
			r.still()
			if t.Failed() {
				t.Fatalf("after %s, %s", e.name, method)
			}
		}
	}
	r.running.Wait()
}

// gone reports whether the client has learnt nothing that the server has meant.
func gone(answer string) bool { return answer == "gone" || strings.HasSuffix(answer, " ") }

var soak = flag.Duration("soak", 0, "how long TestSoak ends calls, instead of some rounds")

// TestSoak ends calls of 8 clients in all ways, for as long as -soak says: what the process holds
// does not grow.
func TestSoak(t *testing.T) {
	r := newEnding(t, true)
	var all []end
	for _, e := range allEnds {
		if e.gives != stop && e.gives != when && !e.before && !e.behind { // those would be done to others
			all = append(all, e)
		}
	}
	seed := testrun.Seed(t)
	var id atomic.Int64
	var first uint64
	began := time.Now()
	for round := 0; round < 4 || time.Since(began) < *soak; round++ {
		var wg sync.WaitGroup
		for g := range uint64(8) {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(seed, uint64(round)<<8+g))
				for range 20 {
					e := all[rnd.IntN(len(all))]
					method := methods[rnd.IntN(len(methods))]
					if e.methods != nil {
						method = e.methods[rnd.IntN(len(e.methods))]
					}
					r.call(e, method, id.Add(1))
					r.good(id.Add(1))
				}
			})
		}
		wg.Wait()
		poll(func() bool { return r.begun.Load() == r.over.Load() })
		r.still()
		for range 2 { // so that nothing is left in a sync.Pool
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if round == 1 {
			first = m.HeapAlloc
		}
		if round > 1 && m.HeapAlloc > first+32<<20 {
			t.Fatalf("round %d: %d MB are in use, and after the second round there were %d", round, m.HeapAlloc>>20, first>>20)
		}
	}
}
