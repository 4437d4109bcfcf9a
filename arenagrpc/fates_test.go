package arenagrpc_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// TestFates has one call of each kind, and checks what became of the arena and of the call.
func TestFates(t *testing.T) {
	tests := []struct {
		kind   int32
		code   codes.Code
		reason arenascope.Reason // "" is reused
	}{
		{echo, codes.OK, ""},
		{part, codes.OK, ""},
		{own, codes.OK, ""},
		{keepsClone, codes.OK, ""},
		{interceptor, codes.OK, arenascope.ReasonAnswered},
		{headers, codes.OK, ""},
		{lateHandler, codes.OK, arenascope.ReasonAnswered},
		{alias, codes.OK, arenascope.ReasonHeader},
		{keeps, codes.OK, arenascope.ReasonKept},
		{aliasTrailer, codes.OK, arenascope.ReasonHeader},
		{fails, codes.NotFound, arenascope.ReasonError},
		{refused, codes.NotFound, arenascope.ReasonError},
		{swallowed, codes.OK, arenascope.ReasonError},
		{panics, codes.Internal, arenascope.ReasonPanic},
		{goexits, codes.Canceled, arenascope.ReasonPanic},
		{limited, codes.ResourceExhausted, arenascope.ReasonLimit},
		{tooLarge, codes.ResourceExhausted, arenascope.ReasonLimit},
		{waits, codes.Canceled, arenascope.ReasonDone},
		{abandons, codes.Canceled, arenascope.ReasonDone},
		{outlives, codes.OK, arenascope.ReasonRunning},
		{freed, codes.OK, arenascope.ReasonFreed},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.kind), func(t *testing.T) {
			summaries := make(chan arenagrpc.Summary, 1)
			pool := &arena.Pool{Options: arena.Options{Limit: limit}}
			r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(ctx context.Context, method string, s arenagrpc.Summary) {
				if method != echopb.Echo_Unary_FullMethodName {
					t.Errorf("the method is %q", method)
				}
				summaries <- s
			}}, grpc.MaxRecvMsgSize(4*limit))
			client := echopb.NewEchoClient(r.dial(grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(4 * limit))))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r.waiting = cancel
			m := message(7, 3)
			m.Kind = test.kind
			if test.kind == tooLarge {
				m.Data = make([]byte, 2*limit)
				m.Sum = sum(m)
			}
			reply, err := client.Unary(ctx, m)
			if status.Code(err) != test.code {
				t.Fatalf("the call: %v, want %v", err, test.code)
			}
			if err == nil {
				r.check("the reply", reply)
			}
			got := <-summaries
			if test.kind == outlives && got.Reason == arenascope.ReasonDone {
				got.Reason = test.reason // the context was done before the call was over, and the handler was quick
			}
			if got.Reason != test.reason || got.Reused != (test.reason == "") {
				t.Errorf("%+v, want the reason %q", got, test.reason)
			}
			if got.Reused && got.Stats.InUse == 0 {
				t.Errorf("nothing was in the arena: %+v", got.Stats)
			}
			if (got.Limit != nil) != (test.reason == arenascope.ReasonLimit) {
				t.Errorf("the limit is %v", got.Limit)
			}
			close(r.release)
			r.stop(pool)
		})
	}
}

// TestStreams is the same for streams.
func TestStreams(t *testing.T) {
	tests := []struct {
		method string
		kind   int32
		code   codes.Code
		reason arenascope.Reason
	}{
		{"ServerStream", echo, codes.OK, ""},
		{"ServerStream", headers, codes.OK, ""},
		{"ServerStream", fails, codes.NotFound, arenascope.ReasonError},
		{"ServerStream", panics, codes.Internal, arenascope.ReasonPanic},
		{"ServerStream", waits, codes.Canceled, arenascope.ReasonDone},
		{"ServerStream", tooLarge, codes.ResourceExhausted, arenascope.ReasonLimit},
		{"ClientStream", echo, codes.OK, ""},
		{"ClientStream", keeps, codes.OK, ""}, // PerCall
		{"Bidi", echo, codes.OK, ""},
		{"Bidi", headers, codes.OK, ""},
		{"Bidi", alias, codes.OK, arenascope.ReasonHeader},
		{"Bidi", keeps, codes.OK, arenascope.ReasonKept},
		{"Bidi", fails, codes.NotFound, arenascope.ReasonError},
		{"Bidi", panics, codes.Internal, arenascope.ReasonPanic},
		{"Bidi", tooLarge, codes.ResourceExhausted, arenascope.ReasonLimit},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.method, test.kind), func(t *testing.T) {
			summaries := make(chan arenagrpc.Summary, 1)
			pool := &arena.Pool{Options: arena.Options{Limit: limit}}
			r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(ctx context.Context, _ string, s arenagrpc.Summary) { summaries <- s }},
				grpc.MaxRecvMsgSize(4*limit))
			c := &caller{client: echopb.NewEchoClient(r.dial(grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(4 * limit)))), pad: 0}
			if test.kind == tooLarge {
				c.pad = 2 * limit
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r.waiting = cancel
			if err := c.stream(ctx, test.method, test.kind, 7, 5); status.Code(err) != test.code {
				t.Fatalf("the call: %v, want %v", err, test.code)
			}
			got := <-summaries
			if got.Reason != test.reason || got.Reused != (test.reason == "") {
				t.Errorf("%+v, want the reason %q", got, test.reason)
			}
			if (got.Limit != nil) != (test.reason == arenascope.ReasonLimit) {
				t.Errorf("the limit is %v", got.Limit)
			}
			r.stop(pool)
		})
	}
}

// raw is a codec that sends bytes unchanged, and reads none.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (raw) Unmarshal(mem.BufferSlice, any) error { return nil }

// TestMalformed checks requests that no client of the protocol sends: the answers equal the answers
// of a server without arenas, and no arena and no message stays behind.
func TestMalformed(t *testing.T) {
	pool := &arena.Pool{}
	r := newRig(t, arenagrpc.Options{Pool: pool})
	r.empty = true
	plain, other := serve(t, &service{t: t, heap: true, empty: true})
	whole, err := proto.Marshal(message(7, 3))
	if err != nil {
		t.Fatal(err)
	}
	bad := whole[:len(whole)-3]
	ask := func(conn *grpc.ClientConn, method string, messages [][]byte) error {
		desc := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
		stream, err := conn.NewStream(t.Context(), desc, "/arenagrpc.echo.Echo/"+method, grpc.ForceCodecV2(raw{}))
		if err != nil {
			return err
		}
		for _, m := range messages {
			stream.SendMsg(m)
		}
		stream.CloseSend()
		for err == nil {
			err = stream.RecvMsg(nil)
		}
		return err
	}
	conn := r.dial()
	for _, method := range []string{"Unary", "ServerStream", "ClientStream", "Bidi", "None"} {
		for i, messages := range [][][]byte{{bad}, {whole, bad}, {whole, whole}, {}, {nil}} {
			if method == "Unary" && i == 4 {
				continue // the handler wants more
			}
			got, want := ask(conn, method, messages), ask(other, method, messages)
			// protobuf's messages have a space of one kind or another.
			if g, w := text(got), text(want); g != w {
				t.Errorf("%s %d: %s, want %s", method, i, g, w)
			}
		}
	}
	plain.GracefulStop()
	r.stop(pool)
}

func text(err error) string { return strings.ReplaceAll(fmt.Sprint(err), "\u00a0", " ") }

// TestOver checks what is called after the call.
func TestOver(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func(ctx context.Context) any
		want any
	}{
		{"FromContext", func(ctx context.Context) any { return arena.FromContext(ctx) == nil }, true},
		{"Receive", func(ctx context.Context) any { arenascope.Receive(ctx, arenascope.PerCall); return nil }, nil},
		{"Keep", func(ctx context.Context) (r any) {
			defer func() { r = recover() }()
			arenagrpc.Keep(ctx)
			return nil
		}, "arenascope: Keep is called after the handler has returned; call it before the goroutine is started"},
	} {
		for _, method := range []string{"Unary", "ClientStream"} {
			for _, threshold := range []int{1, 1 << 20} { // with an arena, and with none
				contexts := make(chan context.Context, 1)
				done := make(chan bool, 1)
				pool := &arena.Pool{}
				r := newRig(t, arenagrpc.Options{Pool: pool, Threshold: threshold, Observe: func(context.Context, string, arenagrpc.Summary) { done <- true }},
					grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
						contexts <- ctx
						if threshold == 1 {
							return next(ctx, req)
						}
						return onHeap(req.(*echopb.Message)), nil
					}),
					grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
						contexts <- ss.Context()
						return next(srv, ss)
					}))
				c := &caller{client: echopb.NewEchoClient(r.dial())}
				var err error
				if method == "Unary" {
					err = c.unary(t.Context(), echo, 7, 3)
				} else {
					err = c.stream(t.Context(), method, echo, 7, 3)
				}
				if err != nil {
					t.Fatal(err)
				}
				<-done
				if got := test.f(<-contexts); got != test.want {
					t.Errorf("%s, %s: %v, want %v", test.name, method, got, test.want)
				}
				r.stop(pool)
			}
		}
	}
}

// TestOtherContext has an interceptor answer while the handler goes on, which it has called with a
// context that says nothing of the call.
func TestOtherContext(t *testing.T) {
	for _, method := range []string{"Unary", "ServerStream"} {
		pool := &arena.Pool{}
		s := stranger{&service{t: t}, make(chan bool), make(chan bool)}
		server, conn := serve(t, s, arenagrpc.ServerOptions(arenagrpc.Options{Threshold: 1, Pool: pool},
			grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
				if m := req.(*echopb.Message); m.Kind != outlives {
					return next(ctx, req)
				}
				s.running.Go(func() { next(context.Background(), req) })
				<-s.entered
				return onHeap(req.(*echopb.Message)), nil
			}),
			grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
				s.running.Go(func() { next(srv, strangeStream{ss}) })
				<-s.entered
				return nil
			}))...)
		c := &caller{client: echopb.NewEchoClient(conn)}
		if method == "Unary" {
			if err := c.unary(t.Context(), outlives, 1, 3); err != nil {
				t.Fatal(err)
			}
		} else if stream, err := c.client.ServerStream(t.Context(), c.request(outlives, 1, 3)); err != nil {
			t.Fatal(err)
		} else if _, err := stream.Recv(); err != io.EOF {
			t.Fatal(err)
		}
		for i := range 5 {
			if err := c.unary(t.Context(), echo, int64(i+2), 3); err != nil {
				t.Error(err)
			}
		}
		close(s.release)
		s.running.Wait()
		server.GracefulStop()
		if s := pool.Stats(); s.Out != 0 {
			t.Errorf("%s: %+v", method, s)
		}
	}
}

// The handlers of a stranger are asked to outlive calls that they know nothing of.
type stranger struct {
	*service
	entered, release chan bool
}

func (s stranger) Unary(_ context.Context, m *echopb.Message) (*echopb.Message, error) {
	if m.Kind == outlives {
		s.entered <- true
		<-s.release
	}
	s.check("the request at the end", m)
	return m, nil
}

func (s stranger) ServerStream(m *echopb.Message, _ grpc.ServerStreamingServer[echopb.Message]) error {
	_, err := s.Unary(context.Background(), m)
	return err
}

type strangeStream struct{ grpc.ServerStream }

func (strangeStream) Context() context.Context { return context.Background() }

// TestElsewhere checks the functions with contexts that are of no call.
func TestElsewhere(t *testing.T) {
	for _, ctx := range []context.Context{nil, t.Context()} {
		arenagrpc.Keep(ctx)
	}
	if got, want := arenagrpc.SetHeader(t.Context(), metadata.Pairs("k", "v")), grpc.SetHeader(t.Context(), metadata.Pairs("k", "v")); text(got) != text(want) {
		t.Errorf("SetHeader: %v, want %v", got, want)
	}
	for _, f := range []func(){
		func() { arenagrpc.ServerOptions(arenagrpc.Options{Pool: &arena.Pool{}, Limit: 1}) },
		func() { arenagrpc.ServerOptions(arenagrpc.Options{Limit: -1}) },
		func() { arenagrpc.ServerOptions(arenagrpc.Options{Threshold: -1}) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "arenagrpc: ") {
					t.Errorf("panic of %q, want one of arenagrpc", s)
				}
			}()
			f()
		}()
	}
}

// TestTracing checks that arenas are dropped where grpc keeps messages for /debug/requests.
func TestTracing(t *testing.T) {
	grpc.EnableTracing = true
	defer func() { grpc.EnableTracing = false }()
	pool := &arena.Pool{}
	reasons := make(chan arenascope.Reason, 1)
	r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { reasons <- s.Reason }})
	if _, err := echopb.NewEchoClient(r.dial()).Unary(t.Context(), message(7, 3)); err != nil {
		t.Fatal(err)
	}
	if got := <-reasons; got != arenagrpc.ReasonTrace {
		t.Errorf("the reason is %q, want %q", got, arenagrpc.ReasonTrace)
	}
	r.stop(pool)
}

// TestReadAhead has an interceptor that receives messages of its own before the handler asks for
// them.
func TestReadAhead(t *testing.T) {
	pool := &arena.Pool{Options: arena.Options{Limit: 1 << 20}}
	r := newRig(t, arenagrpc.Options{Pool: pool}, grpc.ChainStreamInterceptor(
		func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			a := &readAhead{ServerStream: ss, messages: make(chan *echopb.Message, 20), done: make(chan error, 1)}
			go func() {
				defer close(a.messages)
				for {
					m := new(echopb.Message)
					if err := ss.RecvMsg(m); err != nil {
						a.done <- err
						return
					}
					a.messages <- m
				}
			}()
			return next(srv, a)
		}))
	c := &caller{client: echopb.NewEchoClient(r.dial())}
	for i := range 20 {
		for _, method := range []string{"ClientStream", "Bidi"} {
			if err := c.stream(t.Context(), method, echo, int64(i+1), 10); err != nil {
				t.Error(err)
			}
		}
	}
	c.pad = 2 << 20
	if err := c.stream(t.Context(), "ClientStream", echo, 7, 1); err != nil { // the interceptor's messages are on the heap
		t.Error(err)
	}
	if err := c.stream(t.Context(), "Bidi", echo, 7, 1); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("Bidi: %v, want ResourceExhausted", err) // the handler's copy does not
	}
	r.stop(pool)
}

type readAhead struct {
	grpc.ServerStream
	messages chan *echopb.Message
	done     chan error
}

func (a *readAhead) RecvMsg(m any) error {
	got, ok := <-a.messages
	if !ok {
		return <-a.done
	}
	proto.Merge(m.(proto.Message), got)
	return nil
}

// TestReceiving has a handler return while a goroutine of its is about to receive a message.
func TestReceiving(t *testing.T) {
	pool := &arena.Pool{}
	reasons := make(chan arenascope.Reason, 1)
	slow := &slowStream{entered: make(chan bool), release: make(chan bool)}
	r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { reasons <- s.Reason }},
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			slow.ServerStream = ss
			return next(srv, slow)
		}))
	stream, err := echopb.NewEchoClient(r.dial()).Bidi(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := message(7, 3)
	m.Kind = outlives
	stream.Send(m)
	if got := <-reasons; got != arenascope.ReasonRunning {
		t.Errorf("the reason is %q, want %q", got, arenascope.ReasonRunning)
	}
	close(slow.release)
	r.stop(pool)
}

// TestLifetimes has handlers say another Lifetime before each message: what was received before
// lives as long as was said then, and an arena for messages PerMessage is used again for the next
// of them.
func TestLifetimes(t *testing.T) {
	pool := &arena.Pool{Options: arena.Options{Limit: 256 << 10}}
	s := fickle{&service{t: t}, make(chan []arenascope.Lifetime, 1)}
	server, conn := serve(t, s, arenagrpc.ServerOptions(arenagrpc.Options{Threshold: 1, Pool: pool})...)
	client := echopb.NewEchoClient(conn)
	ask := func(lifetimes []arenascope.Lifetime, pad int) {
		s.lifetimes <- lifetimes
		stream, err := client.ClientStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range lifetimes {
			m := message(int64(i+1), 3)
			m.Data = make([]byte, pad)
			m.Sum = sum(m)
			stream.Send(m)
		}
		if _, err := stream.CloseAndRecv(); err != nil {
			t.Errorf("%v: %v", lifetimes, err)
		}
	}
	const most = 4
	for n := range 81 { // 3 to the power of most
		lifetimes := make([]arenascope.Lifetime, most)
		for i := range lifetimes {
			lifetimes[i] = arenascope.Lifetime(n % 3)
			n /= 3
		}
		ask(lifetimes, 0)
	}
	long := slices.Repeat([]arenascope.Lifetime{arenascope.PerMessage}, 30)
	long[0] = arenascope.PerCall
	ask(long, 32<<10)
	server.GracefulStop()
	if s := pool.Stats(); s.Out != 0 || s.Dropped > 0 {
		t.Errorf("%+v", s)
	}
}

// A fickle service says a Lifetime for each message.
type fickle struct {
	*service
	lifetimes chan []arenascope.Lifetime
}

func (s fickle) ClientStream(stream grpc.ClientStreamingServer[echopb.Message, echopb.Message]) error {
	var stay []*echopb.Message
	for _, l := range <-s.lifetimes {
		arenascope.Receive(stream.Context(), l)
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		s.check("a message", m)
		for _, m := range stay {
			s.check("a message that stays", m)
		}
		if l != arenascope.PerMessage {
			stay = append(stay, m)
		}
	}
	return stream.SendAndClose(new(echopb.Message))
}

// A slowStream takes its time for all messages but the first.
type slowStream struct {
	grpc.ServerStream
	received         bool
	entered, release chan bool
}

func (s *slowStream) Context() context.Context {
	return context.WithValue(s.ServerStream.Context(), enteredKey{}, s.entered)
}

func (s *slowStream) RecvMsg(m any) error {
	if s.received {
		close(s.entered)
		<-s.release
	}
	s.received = true
	return s.ServerStream.RecvMsg(m)
}

// TestStubborn has a handler go on receiving after an error, from a client that sends more than the
// one message which the method has.
func TestStubborn(t *testing.T) {
	pool := &arena.Pool{}
	r := newRig(t, arenagrpc.Options{Pool: pool}, grpc.ChainStreamInterceptor(func(_ any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, _ grpc.StreamHandler) error {
		var err error
		for range 4 {
			err = ss.RecvMsg(new(echopb.Message))
		}
		return err
	}))
	conn := r.dial()
	many := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true} // as the client sees it
	for range 10 {
		stream, err := conn.NewStream(t.Context(), many, echopb.Echo_ServerStream_FullMethodName)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			if stream.SendMsg(message(int64(i), 3)) != nil {
				break // the call has failed, as it should
			}
		}
		stream.CloseSend()
		if err := stream.RecvMsg(new(echopb.Message)); err == nil {
			t.Error("the call succeeds")
		}
	}
	r.stop(pool)
}
