package arenaconnect_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/proto"
)

// message returns the contents of the message id with a number of parts. Each piece names its
// message.
func message(id int64, parts int) *echopb.Message {
	m := &echopb.Message{Id: id, Text: fmt.Sprintf("text of %d", id), Data: []byte(fmt.Sprintf("data of %d", id))}
	for i := range parts {
		m.Parts = append(m.Parts, &echopb.Message{Id: id, Text: fmt.Sprintf("part %d of %d", i, id), Numbers: []int64{id, int64(i)}})
		m.Words = append(m.Words, fmt.Sprintf("word %d of %d", i, id))
		m.Numbers = append(m.Numbers, id*int64(i))
	}
	if parts > 0 {
		m.Labels = map[string]string{fmt.Sprintf("key %d", id): fmt.Sprintf("value %d", id)}
	}
	m.Sum = sum(m)
	return m
}

// sum returns the checksum of a message but for its kind.
func sum(m *echopb.Message) uint32 {
	h := crc32.NewIEEE()
	fmt.Fprintln(h, m.Id, m.Text, string(m.Data), m.Labels, m.Words, m.Numbers)
	for _, p := range m.Parts {
		fmt.Fprintln(h, p.GetId(), p.GetText(), p.GetNumbers()) // a part is nil where memory has been used again
	}
	return h.Sum32()
}

// intact returns an error if m, or a part of it, is not as message made it.
func intact(what string, v any) error {
	m, ok := v.(*echopb.Message)
	switch {
	case !ok || m == nil:
		return fmt.Errorf("%s is %v", what, v)
	case proto.Size(m) == 0:
		return nil // one that was sent so; what refuses a message leaves a mark
	case sum(m) != m.Sum:
		return fmt.Errorf("%s has been changed: %.300v", what, m)
	case m.Id != 0 && !strings.HasSuffix(m.Text, fmt.Sprintf(" of %d", m.Id)):
		return fmt.Errorf("%s is not that of %d: %.300v", what, m.Id, m)
	}
	return nil
}

// inArena returns a copy of m in a.
func inArena(a *arena.Arena, m *echopb.Message) *echopb.Message {
	to := arena.New[echopb.Message](a)
	to.Id, to.Kind, to.Sum = m.Id, m.Kind, m.Sum
	to.Text = arena.String(a, m.Text)
	if m.Data != nil {
		to.Data = arena.SliceOf(a, m.Data...)
	}
	to.Numbers = arena.SliceOf(a, m.Numbers...)
	for _, w := range m.Words {
		to.Words = arena.Append(a, to.Words, arena.String(a, w))
	}
	for _, p := range m.Parts {
		to.Parts = arena.Append(a, to.Parts, inArena(a, p))
	}
	for k, v := range m.Labels {
		to.Labels = map[string]string{arena.String(a, k): arena.String(a, v)}
	}
	return to
}

// onHeap returns a copy that contains nothing of an arena. A copy by proto.Clone shares the strings
// of the original.
func onHeap(m *echopb.Message) *echopb.Message {
	b, err := proto.Marshal(m)
	to := new(echopb.Message)
	if err := errors.Join(err, proto.Unmarshal(b, to)); err != nil {
		panic(err)
	}
	return to
}

// The kinds of calls: what a handler does.
const (
	echo        int32 = iota // returns the request itself
	part                     // returns parts of it
	own                      // returns what it made in its arena
	keepsClone               // keeps a clone
	keeps                    // leaves a goroutine with the request, and says so
	headers                  // sets headers and trailers with text of the request
	fails                    // returns an error with text of the request
	panics                   // panics with a message
	limited                  // exceeds the limit of its arena
	limitError               // the same, and returns the error
	waits                    // returns when the context is done
	abandons                 // leaves a goroutine with the request when the context is done
	freed                    // frees its arena
	interceptor              // an interceptor of others answers with the request
	refused                  // an interceptor returns an error with text of the request
	swallowed                // the handler returns an error, an interceptor a reply instead
	compressed               // as echo, compressed
	kinds                    // of which a load has all
	outlives                 // goes on when the call is over: an interceptor has answered instead
	tooLarge                 // the request exceeds the limit
	goexits                  // ends its goroutine
	lateHandler              // an interceptor answers, and calls the handler then
)

const limit = 2 << 20

// A service does what the requests ask for, and notes what went wrong.
type service struct {
	t       testing.TB
	heap    bool           // the server has no arenas
	running sync.WaitGroup // what handlers have left behind
	release chan bool      // for lateHandler
	waiting func()         // is called by handlers that wait for the end of their context, if not nil

	mu   sync.Mutex
	kept []*echopb.Message
}

func (s *service) check(what string, m any) {
	if err := intact(what, m); err != nil {
		s.t.Error(err)
	}
}

// work has a handler take its time.
func work(a *arena.Arena) {
	for i := range 4 {
		arena.MakeSlice[string](a, 3+i, 3+i)
		runtime.Gosched()
	}
}

func (s *service) arena(ctx context.Context) *arena.Arena {
	a := arena.FromContext(ctx)
	if _, ok := connect.CallInfoForHandlerContext(ctx); ok && (a == nil) != s.heap {
		s.t.Errorf("the arena in the context is %p", a)
	}
	return a
}

func (s *service) Get(ctx context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	return s.Unary(ctx, request)
}

func (s *service) Unary(ctx context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	m, a := request.Msg, s.arena(ctx)
	s.check("the request", m)
	mine := inArena(a, m)
	work(a)
	defer func() {
		if m.Kind != freed {
			s.check("the request at the end", m)
			s.check("the handler's message", mine)
		}
	}()
	response := connect.NewResponse(m)
	switch m.Kind {
	case part:
		p := m.Parts[len(m.Parts)-1]
		p.Words = m.Words[:1]
		p.Sum = sum(p)
		response.Msg = p
	case own:
		response.Msg = mine
	case keepsClone:
		s.mu.Lock()
		s.kept = append(s.kept, onHeap(m))
		s.mu.Unlock()
	case keeps:
		arenaconnect.Keep(ctx)
		s.running.Go(func() {
			<-ctx.Done()
			work(a)
			s.check("the request that is kept", m)
			s.check("the message that is kept", mine)
		})
	case headers:
		info, _ := connect.CallInfoForHandlerContext(ctx)
		for i, h := range []http.Header{response.Header(), response.Trailer(), info.ResponseHeader(), info.ResponseTrailer()} {
			setText(a, h, i, m, mine)
		}
	case fails, swallowed:
		return nil, failure(a, m)
	case panics:
		panic(mine)
	case goexits:
		runtime.Goexit()
	case limited, limitError:
		if s.heap {
			return nil, connect.NewError(connect.CodeResourceExhausted, errors.New("arenaconnect: the call needs more memory than it may have"))
		}
		if m.Kind == limitError {
			return nil, connect.NewError(connect.CodeResourceExhausted, arena.Try(func() { arena.MakeSlice[byte](a, limit, limit) }))
		}
		arena.MakeSlice[byte](a, limit, limit)
	case outlives:
		close(ctx.Value(enteredKey{}).(chan bool))
		fallthrough
	case waits:
		if m.Kind == waits {
			s.waits()
		}
		<-ctx.Done()
		work(a)
	case abandons:
		s.waits()
		<-ctx.Done()
		s.running.Go(func() {
			work(nil)
			s.check("the request of a goroutine", m)
			s.check("the message of a goroutine", mine)
		})
	case freed:
		response.Msg = onHeap(m)
		a.Free()
	}
	return response, nil
}

// setText sets headers with text that is in an arena: names, values, and the slice that these are
// in.
func setText(a *arena.Arena, h http.Header, i int, m, mine *echopb.Message) {
	h[arena.Sprintf(a, "X-Key-%d-%d", m.Id%5, i)] = arena.SliceOf(a, m.Text, mine.Text)
	h.Set(arena.Sprintf(a, "X-Sum-%d", i), arena.Sprintf(a, "%d", m.Sum))
}

// failure returns an error with text that is in an arena.
func failure(a *arena.Arena, m *echopb.Message) error {
	err := connect.NewError(connect.CodeNotFound, errors.New(m.Text))
	err.Meta()[arena.String(a, "X-Text")] = arena.SliceOf(a, m.Text)
	if d, e := connect.NewErrorDetail(m); e == nil {
		err.AddDetail(d)
	}
	return err
}

func (s *service) ServerStream(ctx context.Context, request *connect.Request[echopb.Message], stream *connect.ServerStream[echopb.Message]) error {
	m, a := request.Msg, s.arena(ctx)
	s.check("the request", m)
	mine := inArena(a, m)
	switch m.Kind {
	case headers:
		setText(a, stream.ResponseHeader(), 0, m, mine)
		setText(a, stream.ResponseTrailer(), 1, m, mine)
	case fails:
		return failure(a, m)
	case panics:
		panic(mine)
	}
	for i := range 5 {
		reply := m
		if i%2 == 0 {
			reply = mine
		}
		if err := stream.Send(reply); err != nil {
			return err
		}
		work(a)
	}
	if m.Kind == waits {
		s.waits()
		<-ctx.Done()
	}
	s.check("the request at the end", m)
	s.check("the handler's message", mine)
	return nil
}

func (s *service) waits() {
	if s.waiting != nil {
		s.waiting()
	}
}

// ClientStream collects all messages, and returns their texts.
func (s *service) ClientStream(ctx context.Context, stream *connect.ClientStream[echopb.Message]) (*connect.Response[echopb.Message], error) {
	a := s.arena(ctx)
	var all []*echopb.Message
	reply := arena.New[echopb.Message](a)
	response := connect.NewResponse(reply)
	for stream.Receive() {
		m := stream.Msg()
		s.check("a message", m)
		if len(all) == 0 && m.Kind == keeps {
			arenascope.Receive(ctx, arenascope.PerCall) // of those that follow
		}
		if len(all) == 0 && m.Kind == headers {
			setText(a, response.Header(), 0, m, m)
			setText(a, response.Trailer(), 1, m, m)
		}
		all = arena.Append(a, all, m)
		reply.Words = arena.Append(a, reply.Words, m.Text)
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	for _, m := range all {
		s.check("a message at the end", m)
	}
	reply.Sum = sum(reply)
	return response, nil
}

// Bidi echoes each message, with one of its own.
func (s *service) Bidi(ctx context.Context, stream *connect.BidiStream[echopb.Message, echopb.Message]) error {
	a := s.arena(ctx)
	arenascope.Receive(ctx, arenascope.PerMessage)
	first := true
	var mine *echopb.Message
	for {
		m, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.check("a message", m)
		switch m.Kind {
		case keeps:
			arenaconnect.Keep(ctx)
			s.running.Go(func() {
				<-ctx.Done()
				s.check("the message that is kept", m)
			})
		case headers:
			if first {
				setText(a, stream.ResponseHeader(), 0, m, m)
				setText(a, stream.ResponseTrailer(), 1, onHeap(m), onHeap(m)) // it is sent when m is gone
			}
		case fails:
			return failure(a, m)
		case panics:
			panic(m)
		case outlives:
			s.running.Go(func() { stream.Receive() })
			<-ctx.Value(enteredKey{}).(chan bool)
			return nil
		}
		if first {
			mine = inArena(a, m)
			first = false
		}
		work(a)
		if err := errors.Join(stream.Send(m), stream.Send(mine)); err != nil {
			return err
		}
		s.check("a message at its end", m)
		s.check("the handler's message", mine)
	}
}

func (s *service) Profile(context.Context, *connect.Request[profilepb.Profile]) (*connect.Response[echopb.Message], error) {
	return nil, connect.NewError(connect.CodeUnimplemented, nil)
}

// enteredKey is the key of a channel that is closed when the handler has begun.
type enteredKey struct{}

// others are the options of others: interceptors that look at messages for as long as they may.
func (s *service) others() []connect.HandlerOption {
	return []connect.HandlerOption{
		connect.WithInterceptors(middle{s}),
		connect.WithRecover(func(_ context.Context, _ connect.Spec, _ http.Header, v any) error {
			s.check("the value of a panic", v)
			return connect.NewError(connect.CodeInternal, errors.New("a panic"))
		}),
	}
}

// middle is an interceptor between the interceptors of package arenaconnect.
type middle struct{ *service }

func (s middle) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		m := request.Any().(*echopb.Message)
		if m.Id == 0 && proto.Size(m) > 0 {
			s.t.Error("an interceptor sees a request that was refused")
		}
		switch m.Kind {
		case interceptor:
			return connect.NewResponse(m), nil
		case refused:
			return nil, failure(nil, m)
		case swallowed:
			_, err := next(ctx, request)
			// TestLoad/kill ends connections. Connect returns the error of the context unchanged,
			// without a code.
			gone := ctx.Err() != nil && (connect.CodeOf(err) == connect.CodeCanceled || errors.Is(err, context.Canceled))
			if connect.CodeOf(err) != connect.CodeNotFound && !gone {
				s.t.Errorf("the handler: %v, want NotFound", err)
			}
			return connect.NewResponse(onHeap(m)), nil
		case outlives:
			entered := make(chan bool)
			ctx = context.WithValue(ctx, enteredKey{}, entered)
			s.running.Go(func() { next(ctx, request) })
			<-entered
			return connect.NewResponse(onHeap(m)), nil
		case lateHandler:
			s.running.Go(func() {
				<-s.release
				if _, err := next(ctx, request); connect.CodeOf(err) != connect.CodeCanceled {
					s.t.Errorf("a handler that is called too late: %v, want Canceled", err)
				}
			})
			return connect.NewResponse(onHeap(m)), nil
		}
		response, err := next(ctx, request)
		if m.Kind == freed {
			return response, err
		}
		s.check("the request in an interceptor", m)
		if err == nil {
			s.check("the reply in an interceptor", response.Any())
		}
		return response, err
	}
}

func (middle) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (s middle) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// A rig is a server on 127.0.0.1.
type rig struct {
	*service
	addr    string
	pending func() int
	server  *http.Server
	conns   *conns
	clients []*http.Transport

	handlers testrun.Gate
}

// newRig starts a server with arenas.
func newRig(t testing.TB, o arenaconnect.Options, others ...connect.HandlerOption) *rig {
	t.Helper()
	s := &service{t: t, release: make(chan bool)}
	options, pending := arenaconnect.HandlerOptionsPending(o, append(s.others(), others...)...)
	r := serve(t, s, options...)
	r.pending = pending
	return r
}

// newStock starts a server without.
func newStock(t testing.TB, others ...connect.HandlerOption) *rig {
	t.Helper()
	s := &service{t: t, release: make(chan bool), heap: true}
	return serve(t, s, append(s.others(), others...)...)
}

func serve(t testing.TB, s *service, options ...connect.HandlerOption) *rig {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(s, options...))
	return listen(t, s, mux)
}

func listen(t testing.TB, s *service, h http.Handler) *rig {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{service: s, addr: lis.Addr().String(), conns: &conns{Listener: lis}}
	counted := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.handlers.Do(func() { h.ServeHTTP(w, req) })
	})
	r.server = &http.Server{Handler: counted, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
	r.server.Protocols.SetHTTP1(true)
	r.server.Protocols.SetUnencryptedHTTP2(true)
	go r.server.Serve(r.conns)
	t.Cleanup(func() {
		for _, c := range r.clients {
			c.CloseIdleConnections()
		}
		r.server.Close()
	})
	return r
}

// conns are the connections of a server, to break them.
type conns struct {
	net.Listener
	mu  sync.Mutex
	all []net.Conn
}

func (l *conns) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.all = append(l.all, c)
		l.mu.Unlock()
	}
	return c, err
}

// kill closes the oldest connection.
func (l *conns) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) > 0 {
		l.all[0].Close()
		l.all = l.all[1:]
	}
}

// A way is one of speaking to a server.
type way struct {
	name    string
	h2      bool
	options []connect.ClientOption
}

var ways = []way{
	{"connect-h1", false, nil},
	{"connect-h2", true, nil},
	{"connect-gzip", true, []connect.ClientOption{connect.WithSendGzip()}},
	{"grpc", true, []connect.ClientOption{connect.WithGRPC()}},
	{"grpc-gzip", true, []connect.ClientOption{connect.WithGRPC(), connect.WithSendGzip()}},
	{"grpcweb-h1", false, []connect.ClientOption{connect.WithGRPCWeb()}},
	{"grpcweb-h2", true, []connect.ClientOption{connect.WithGRPCWeb()}},
	{"get", true, []connect.ClientOption{connect.WithHTTPGet()}},
	{"json", true, []connect.ClientOption{connect.WithProtoJSON()}},
	{"json-h1", false, []connect.ClientOption{connect.WithProtoJSON()}},
	{"get-json", true, []connect.ClientOption{connect.WithHTTPGet(), connect.WithProtoJSON()}},
	{"grpc-json", true, []connect.ClientOption{connect.WithGRPC(), connect.WithProtoJSON()}},
}

func (w way) json() bool { return strings.Contains(w.name, "json") }

// get reports whether unary calls are GET requests.
func (w way) get() bool { return strings.HasPrefix(w.name, "get") }

// dial returns a client, with connections of its own.
func (r *rig) dial(w way) echopb.EchoClient {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(!w.h2)
	transport.Protocols.SetUnencryptedHTTP2(w.h2)
	r.clients = append(r.clients, transport)
	return echopb.NewEchoClient(&http.Client{Transport: transport}, "http://"+r.addr, w.options...)
}

// stop stops the server when all calls are over, and checks that nothing is left.
func (r *rig) stop(pool *arena.Pool) {
	r.t.Helper()
	for _, c := range r.clients {
		c.CloseIdleConnections()
	}
	if err := r.server.Shutdown(context.Background()); err != nil {
		r.t.Error(err)
	}
	r.handlers.Close()
	r.running.Wait()
	if pool != nil {
		quiet(r.t, pool, r.pending)
	}
	for _, m := range r.kept {
		r.check("a clone", m)
	}
}

// quiet waits until the collector has found the requests that nobody has claimed, and checks that
// no arena is in use then.
func quiet(t testing.TB, pool *arena.Pool, pending func() int) {
	t.Helper()
	s := pool.Stats()
	for ; s.Out != 0 || pending() != 0; s = pool.Stats() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if t.Logf("%+v", s); s.Gets != s.Puts+s.Dropped+s.Freed || s.Lost != 0 {
		t.Errorf("arenas are missing: %+v", s)
	}
}

// poll waits until something is so that will be. It has no time of its own: go test's ends a test
// that would wait forever, and shows for what.
func poll(ok func() bool) {
	for !ok() {
		time.Sleep(time.Millisecond)
	}
}

// plain is a service that returns a small message.
type plain struct {
	echopb.UnimplementedEchoHandler
}

func (plain) Unary(_ context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	return connect.NewResponse(&echopb.Message{Id: request.Msg.Id}), nil
}

func (plain) ServerStream(_ context.Context, request *connect.Request[echopb.Message], stream *connect.ServerStream[echopb.Message]) error {
	return stream.Send(&echopb.Message{Id: request.Msg.Id})
}
