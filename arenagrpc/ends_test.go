package arenagrpc_test

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// The ways in which a client gives up a call.
const (
	stays  = iota
	before // it sends no message
	after  // when the server has received one
	when   // when the server has ended the call
	stop   // the server stops when it has received a message
)

// An end is a way in which a call can end.
type end struct {
	name    string
	kind    int32
	cut     bool                // the message is not whole
	large   bool                // the message exceeds the limit
	twice   bool                // it is sent twice
	gives   int                 // how the client gives up
	before  bool                // an interceptor before ours answers
	reads   bool                // and has received the message
	behind  codes.Code          // an interceptor behind ours answers with the code
	skips   bool                // the service does not call interceptors
	methods []string            // other than all
	want    map[bool]codes.Code // with an arena and without, if that is not the same
	either  bool                // the server's answer may be in time, or not
}

var methods = []string{"Unary", "ServerStream", "ClientStream", "Bidi"}

// allEnds are all ends that fit into a table. Each row is applied to one call, and the answer
// equals the answer of a server without arenas.
var allEnds = []end{
	{name: "an answer", kind: echo},
	{name: "an error", kind: fails},
	{name: "a panic", kind: panics},
	{name: "Goexit", kind: goexits, gives: when, methods: []string{"Unary"}},
	{name: "an interceptor before ours answers", before: true},
	{name: "an interceptor before ours reads and answers", before: true, reads: true, methods: methods[1:]},
	{name: "an interceptor behind ours answers", behind: codes.PermissionDenied},
	{name: "a message that is cut", cut: true},
	{name: "a message beyond the limit", large: true, methods: []string{"Unary", "ServerStream", "Bidi"}, want: map[bool]codes.Code{true: codes.ResourceExhausted, false: codes.OK}},
	{name: "a message beyond the limit, answered before", large: true, before: true},
	{name: "a reset before the message", gives: before},
	{name: "a reset after the message", gives: after, kind: waits},
	{name: "a deadline", kind: waits, gives: when, either: true, methods: []string{"Unary", "ServerStream"}},
	{name: "a second message", twice: true, methods: []string{"Unary", "ServerStream"}},
	{name: "a service without interceptors", skips: true, methods: []string{"Unary"}},
	{name: "a service without interceptors, beyond the limit", skips: true, large: true, methods: []string{"Unary"}},
	{name: "a service without interceptors, a reset", skips: true, gives: after, methods: []string{"Unary"}},
	{name: "a service without interceptors, a second message", skips: true, twice: true, methods: []string{"Unary"}},
	{name: "shutdown", kind: waits, gives: stop},
}

// events is a stats handler that counts, and keeps nothing.
type events struct{ begun, received, over atomic.Int64 }

func (*events) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (*events) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (*events) HandleConn(context.Context, stats.ConnStats)                       {}
func (e *events) HandleRPC(_ context.Context, s stats.RPCStats) {
	switch s.(type) {
	case *stats.Begin:
		e.begun.Add(1)
	case *stats.InPayload:
		e.received.Add(1)
	case *stats.End:
		e.over.Add(1)
	}
}

// An ending is a server whose calls end in all ways.
type ending struct {
	*service
	events
	options []grpc.ServerOption
	pending func() int
	pool    *arena.Pool
	server  *grpc.Server
	conn    *grpc.ClientConn
	row     atomic.Pointer[end] // for the interceptor before ours and the one behind
}

const endLimit = 1 << 20

func newEnding(t testing.TB, arenas bool) *ending {
	r := &ending{service: &service{t: t, heap: !arenas, release: make(chan bool)}, pool: &arena.Pool{Options: arena.Options{Limit: endLimit}}, pending: func() int { return 0 }}
	answer := func(code codes.Code) error { return status.Error(code, "answered by an interceptor") }
	r.row.Store(&end{})
	others := append([]grpc.ServerOption{
		grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if r.row.Load().before {
				return nil, answer(codes.Unauthenticated)
			}
			return next(ctx, req)
		}),
		grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			if row := r.row.Load(); row.before {
				if row.reads {
					ss.RecvMsg(new(echopb.Message))
				}
				return answer(codes.Unauthenticated)
			}
			return next(srv, ss)
		}),
		grpc.StatsHandler(&r.events),
	}, r.service.options()[:2]...)
	others = append(others,
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if code := r.row.Load().behind; code != codes.OK {
				return nil, answer(code)
			}
			return next(ctx, req)
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			if code := r.row.Load().behind; code != codes.OK {
				ss.RecvMsg(new(echopb.Message))
				return answer(code)
			}
			return next(srv, ss)
		}))
	if r.options = others; arenas {
		r.options, r.pending = arenagrpc.ServerOptionsPending(arenagrpc.Options{Pool: r.pool, Threshold: 1}, others...)
	}
	r.start()
	return r
}

// start starts a server. Others with the same options may have been stopped.
func (r *ending) start() {
	r.server = grpc.NewServer(r.options...)
	echopb.RegisterEchoServer(r.server, r.service)
	r.server.RegisterService(&grpc.ServiceDesc{ServiceName: "own.Skips", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{MethodName: "Unary",
		Handler: func(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			m := new(echopb.Message)
			if err := dec(m); err != nil {
				return nil, err
			}
			r.check("a request without interceptors", m)
			return m, nil
		}}}}, nil)
	r.conn = listen(r.t, r.server)
}

// told is a context with a deadline that the client sends to the server but does not keep itself:
// so the call reaches the server.
type told struct {
	context.Context
	deadline time.Time
}

func (t told) Deadline() (time.Time, bool) { return t.deadline, true }

// call makes a call that ends as a row says, and returns its error.
func (r *ending) call(e end, method string, id int64) error {
	m := message(id, 3)
	m.Kind = e.kind
	if e.large {
		m.Data = make([]byte, endLimit)
		m.Sum = sum(m)
	}
	b, err := proto.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	if e.cut {
		b = b[:len(b)-3]
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if e.either {
		ctx = told{ctx, time.Now().Add(20 * time.Millisecond)}
	}
	name := "/arenagrpc.echo.Echo/" + method
	if e.skips {
		name = "/own.Skips/" + method
	}
	begun, received, over := r.begun.Load(), r.received.Load(), r.over.Load()
	stream, err := r.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, name, grpc.ForceCodecV2(raw{}), grpc.WaitForReady(true))
	if err != nil {
		return err // of a deadline that was over before
	}
	ended := make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			err = stream.RecvMsg(nil)
		}
		ended <- err
	}()
	poll(func() bool { return r.begun.Load() > begun || len(ended) > 0 })
	if r.begun.Load() == begun {
		return <-ended // the deadline was over when the call reached the server
	}
	if e.gives != before {
		stream.SendMsg(b)
	}
	if e.twice {
		stream.SendMsg(b)
	}
	switch e.gives {
	case stays, when:
		stream.CloseSend()
	case after, stop:
		poll(func() bool { return r.received.Load() > received })
	}
	switch e.gives {
	case before, after:
		cancel()
	case stop:
		r.server.Stop()
	case when:
		poll(func() bool { return r.over.Load() > over })
		cancel()
	}
	poll(func() bool { return r.over.Load() > over })
	if err := <-ended; err != io.EOF {
		return err
	}
	return nil
}

// good makes a call that is answered.
func (r *ending) good(id int64) {
	r.t.Helper()
	c := &caller{client: echopb.NewEchoClient(r.conn)}
	if err := c.unary(context.Background(), own, id, 3); err != nil {
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
			var got [2]codes.Code
			for i, r := range []*ending{stock, r} {
				r.row.Store(&e)
				id++
				got[i] = status.Code(r.call(e, method, id))
				if e.gives == stop {
					r.start()
				}
			}
			r.row.Store(&end{})
			if e.want == nil && got[1] != got[0] && e.gives != stop && !e.either || e.want != nil && got != [2]codes.Code{e.want[false], e.want[true]} {
				t.Errorf("%s, %s: %v with arenas, and %v without", e.name, method, got[1], got[0])
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

var soak = flag.Duration("soak", 0, "how long TestSoak ends calls, instead of some rounds")

// TestSoak ends calls of 8 clients in all ways, for as long as -soak says: what the process holds
// does not grow.
func TestSoak(t *testing.T) {
	r := newEnding(t, true)
	var all []end
	for _, e := range allEnds {
		if e.gives != stop && e.gives != when && !e.before && e.behind == codes.OK { // those would be done to others
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
