package arenagrpc_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
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
func intact(what string, m any) error {
	msg, ok := m.(*echopb.Message)
	switch {
	case !ok:
		return nil // of the health service, for one
	case msg == nil:
		return fmt.Errorf("%s is nil", what)
	case sum(msg) != msg.Sum:
		return fmt.Errorf("%s has been changed: %.300v", what, msg)
	case msg.Id != 0 && !strings.HasSuffix(msg.Text, fmt.Sprintf(" of %d", msg.Id)):
		return fmt.Errorf("%s is not that of %d: %.300v", what, msg.Id, msg)
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
	echo         int32 = iota // returns the request itself
	part                      // returns parts of it
	own                       // returns what it made in its arena
	keepsClone                // keeps a clone
	keeps                     // leaves a goroutine with the request, and says so
	headers                   // sets headers and trailers with text of the request, copied
	alias                     // the same with grpc.SetHeader
	aliasTrailer              // the same with grpc.SetTrailer only
	fails                     // returns an error with text of the request
	panics
	limited     // exceeds the limit of its arena
	waits       // returns when the context is done
	abandons    // leaves a goroutine with the request when the context is done
	freed       // frees its arena
	outlives    // goes on when the call is over: an interceptor has answered instead
	interceptor // an interceptor of others answers with the request
	refused     // an interceptor returns an error with text of the request
	swallowed   // the handler returns an error, an interceptor a reply instead
	compressed  // as echo, with gzip
	unknown     // a method that is not there
	kinds       // of which a load has all
	tooLarge    // the request exceeds the limit
	goexits     // ends its goroutine
	lateHandler // an interceptor answers, and calls the handler then
)

const limit = 8 << 20

// A service does what the requests ask for, and notes what went wrong.
type service struct {
	echopb.UnimplementedEchoServer
	t       testing.TB
	heap    bool           // the server has no arenas
	empty   bool           // clients send empty messages
	running sync.WaitGroup // what handlers have left behind
	release chan bool      // for lateHandler
	waiting func()         // is called by handlers that wait for the end of their context, or end their goroutine, if not nil

	mu   sync.Mutex
	kept []*echopb.Message
}

func (s *service) check(what string, m any) {
	if p, ok := m.(proto.Message); ok && s.empty && proto.Size(p) == 0 {
		return
	}
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

func (s *service) Unary(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
	a := arena.FromContext(ctx)
	if a == nil && !s.heap {
		s.t.Error("no arena in the context")
	}
	s.check("the request", m)
	mine := inArena(a, m)
	work(a)
	defer func() {
		if m.Kind != freed {
			s.check("the request at the end", m)
			s.check("the handler's message", mine)
		}
	}()
	md := func() metadata.MD {
		return metadata.Pairs(arena.Sprintf(a, "x-key-%d", m.Id%5), m.Text, "x-bytes-bin", string(mine.Data))
	}
	switch m.Kind {
	case part:
		p := m.Parts[len(m.Parts)-1]
		p.Words = m.Words[:1]
		p.Sum = sum(p)
		return p, nil
	case own:
		return mine, nil
	case keepsClone:
		s.mu.Lock()
		s.kept = append(s.kept, onHeap(m))
		s.mu.Unlock()
	case keeps:
		arenagrpc.Keep(ctx)
		s.running.Go(func() {
			<-ctx.Done()
			work(a)
			s.check("the request that is kept", m)
			s.check("the message that is kept", mine)
		})
	case headers, alias:
		setHeader, setTrailer := arenagrpc.SetHeader, arenagrpc.SetTrailer
		if m.Kind == alias {
			setHeader, setTrailer = grpc.SetHeader, grpc.SetTrailer
		}
		if err := errors.Join(setHeader(ctx, md()), setTrailer(ctx, md())); err != nil {
			return nil, err
		}
	case aliasTrailer:
		if err := grpc.SetTrailer(ctx, md()); err != nil {
			return nil, err
		}
	case fails, swallowed:
		return nil, status.Error(codes.NotFound, m.Text)
	case panics:
		panic(mine)
	case goexits:
		s.waits()
		runtime.Goexit()
	case limited:
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
		reply := onHeap(m)
		a.Free()
		return reply, nil
	}
	return m, nil
}

func (s *service) ServerStream(m *echopb.Message, stream grpc.ServerStreamingServer[echopb.Message]) error {
	ctx := stream.Context()
	a := arena.FromContext(ctx)
	s.check("the request", m)
	mine := inArena(a, m)
	switch m.Kind {
	case headers:
		md := metadata.Pairs(arena.Sprintf(a, "x-key-%d", m.Id%5), m.Text, "x-bytes-bin", string(mine.Data))
		stream.SetHeader(md)
		stream.SetTrailer(md)
	case fails:
		return status.Error(codes.NotFound, m.Text)
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

// ClientStream collects all messages, and returns them as parts.
func (s *service) ClientStream(stream grpc.ClientStreamingServer[echopb.Message, echopb.Message]) error {
	ctx := stream.Context()
	a := arena.FromContext(ctx)
	if a == nil && !s.heap {
		s.t.Error("no arena in the context")
	}
	var all []*echopb.Message
	reply := arena.New[echopb.Message](a)
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		s.check("a message", m)
		if len(all) == 0 && m.Kind == keeps {
			arenascope.Receive(ctx, arenascope.PerCall) // of those that follow
		}
		all = arena.Append(a, all, m)
		reply.Words = arena.Append(a, reply.Words, m.Text)
	}
	for _, m := range all {
		s.check("a message at the end", m)
	}
	reply.Sum = sum(reply)
	return stream.SendAndClose(reply)
}

// Bidi echoes each message, with one of its own.
func (s *service) Bidi(stream grpc.BidiStreamingServer[echopb.Message, echopb.Message]) error {
	ctx := stream.Context()
	a := arena.FromContext(ctx)
	arenascope.Receive(ctx, arenascope.PerMessage)
	first := true
	var mine *echopb.Message
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s.check("a message", m)
		if first {
			mine = inArena(a, m)
			first = false
		}
		switch m.Kind {
		case keeps:
			arenagrpc.Keep(ctx)
			s.running.Go(func() {
				<-ctx.Done()
				s.check("the message that is kept", m)
			})
		case headers:
			stream.SetHeader(metadata.Pairs("x-text", m.Text))
		case alias:
			grpc.SetHeader(ctx, metadata.Pairs("x-text", m.Text))
		case fails:
			return status.Error(codes.NotFound, m.Text)
		case panics:
			panic(m)
		case outlives:
			s.running.Go(func() { stream.Recv() })
			<-ctx.Value(enteredKey{}).(chan bool)
			return nil
		}
		work(a)
		if err := errors.Join(stream.Send(m), stream.Send(mine)); err != nil {
			return err
		}
		s.check("a message at its end", m)
		s.check("the handler's message", mine)
	}
}

// enteredKey is the key of a channel that is closed when the handler has begun.
type enteredKey struct{}

// recovered is an interceptor as servers have one.
func (s *service) recovered(err *error) {
	if r := recover(); r != nil {
		s.check("the value of a panic", r)
		*err = status.Error(codes.Internal, "a panic")
	}
}

// options are the options of the server itself and of others: interceptors and a stats handler that
// read messages for as long as they may.
func (s *service) options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
			defer s.recovered(&err)
			if m, ok := req.(*echopb.Message); ok {
				if m.Id == 0 {
					s.t.Error("an interceptor sees a request that was refused")
				}
				switch m.Kind {
				case interceptor:
					return m, nil
				case refused:
					return nil, status.Error(codes.NotFound, m.Text)
				case swallowed:
					if _, err := next(ctx, req); status.Code(err) != codes.NotFound {
						s.t.Errorf("the handler: %v, want NotFound", err)
					}
					return onHeap(m), nil
				case outlives:
					entered := make(chan bool)
					ctx = context.WithValue(ctx, enteredKey{}, entered)
					s.running.Go(func() { next(ctx, req) })
					<-entered
					return onHeap(m), nil
				case lateHandler:
					s.running.Go(func() {
						<-s.release
						if _, err := next(ctx, req); status.Code(err) != codes.Canceled {
							s.t.Errorf("a handler that is called too late: %v, want Canceled", err)
						}
					})
					return onHeap(m), nil
				}
			}
			reply, err = next(ctx, req)
			if m, ok := req.(*echopb.Message); ok && m.Kind == freed {
				return reply, err
			}
			s.check("the request in an interceptor", req)
			if err == nil {
				s.check("the reply in an interceptor", reply)
			}
			return reply, err
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
			defer s.recovered(&err)
			return next(srv, &seen{ss, s})
		}),
		grpc.StatsHandler(&keeper{service: s}),
	}
}

// seen is a stream whose messages an interceptor looks at.
type seen struct {
	grpc.ServerStream
	service *service
}

func (s *seen) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if err == nil {
		s.service.check("a message in an interceptor", m)
	}
	return err
}

// A keeper is a stats handler that reads messages during their events, and keeps the replies of
// unary calls for longer.
type keeper struct {
	service *service
}

type keptMessages struct {
	mu     sync.Mutex
	stream bool
	in     *echopb.Message
	out    []any
}

type keeperKey struct{}

func (k *keeper) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, keeperKey{}, &keptMessages{})
}
func (k *keeper) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (k *keeper) HandleConn(context.Context, stats.ConnStats)                       {}

func (k *keeper) HandleRPC(ctx context.Context, event stats.RPCStats) {
	c := ctx.Value(keeperKey{}).(*keptMessages)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event := event.(type) {
	case *stats.Begin:
		c.stream = event.IsClientStream || event.IsServerStream
	case *stats.InPayload:
		m, ok := event.Payload.(*echopb.Message)
		if ok && m.Id == 0 {
			return // it was refused, and is empty
		}
		k.service.check("a request in a stats handler", event.Payload)
		if ok {
			c.in = &echopb.Message{Id: m.Id, Kind: m.Kind}
		}
	case *stats.OutPayload:
		if c.in == nil || c.in.Kind == freed {
			return
		}
		k.service.check("a reply in a stats handler", concrete(event.Payload))
		if !c.stream {
			c.out = append(c.out, event.Payload)
		}
	case *stats.End:
		for _, m := range c.out {
			k.service.running.Go(func() { k.service.check("a reply that is kept", concrete(m)) })
		}
	}
}

// concrete returns a message of the type that the descriptor names.
func concrete(m any) any {
	if p, ok := m.(proto.Message); ok {
		return p.ProtoReflect().Interface()
	}
	return m
}

// A rig is a server on 127.0.0.1 and a client of it.
type rig struct {
	*service
	server  *grpc.Server
	addr    string
	pending func() int
	lis     *listener
}

// A listener knows its connections, to break them.
type listener struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.conns = append(l.conns, c)
		l.mu.Unlock()
	}
	return c, err
}

// kill closes the oldest connection.
func (l *listener) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) > 0 {
		l.conns[0].Close()
		l.conns = l.conns[1:]
	}
}

func newRig(t testing.TB, o arenagrpc.Options, others ...grpc.ServerOption) *rig {
	t.Helper()
	r := &rig{service: &service{t: t, release: make(chan bool)}}
	if o.Threshold == 0 {
		o.Threshold = 1
	}
	var options []grpc.ServerOption
	options, r.pending = arenagrpc.ServerOptionsPending(o, append(r.options(), others...)...)
	r.server = grpc.NewServer(options...)
	echopb.RegisterEchoServer(r.server, r.service)
	grpc_health_v1.RegisterHealthServer(r.server, health.NewServer())
	reflection.Register(r.server)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.lis, r.addr = &listener{Listener: lis}, lis.Addr().String()
	go r.server.Serve(r.lis)
	t.Cleanup(r.server.Stop)
	return r
}

func (r *rig) dial(options ...grpc.DialOption) *grpc.ClientConn {
	r.t.Helper()
	return connect(r.t, r.addr, options...)
}

// serve starts a server for a service, and returns it with a connection to it.
func serve(t testing.TB, service echopb.EchoServer, options ...grpc.ServerOption) (*grpc.Server, *grpc.ClientConn) {
	t.Helper()
	server := grpc.NewServer(options...)
	echopb.RegisterEchoServer(server, service)
	return server, listen(t, server)
}

// listen has a server serve, and returns a connection to it.
func listen(t testing.TB, server *grpc.Server) *grpc.ClientConn {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(lis)
	t.Cleanup(server.Stop)
	return connect(t, lis.Addr().String())
}

// connect returns a connection to a server.
func connect(t testing.TB, addr string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(addr, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// stop stops the server when all calls are over, and checks that nothing is left.
func (r *rig) stop(pool *arena.Pool) {
	r.t.Helper()
	r.server.GracefulStop()
	r.running.Wait()
	for _, m := range r.kept {
		r.check("a clone", m)
	}
	r.t.Logf("%+v", pool.Stats())
	quiet(r.t, pool, r.pending)
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
	if s.Gets != s.Puts+s.Dropped+s.Freed || s.Lost != 0 {
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
