package arenaconnect_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// post sends a body, and returns all that comes back.
func (r *rig) post(client *http.Client, procedure, content string, body []byte) string {
	response, err := client.Post("http://"+r.addr+procedure, content, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	response.Header.Del("Date")
	return strings.ReplaceAll(fmt.Sprintf("%d %v %q %v %v", response.StatusCode, response.Header, b, response.Trailer, err), "\u00a0", " ")
}

// envelope returns messages in the framing of gRPC and of Connect's streams.
func envelope(messages ...[]byte) (b []byte) {
	for _, m := range messages {
		b = append(b, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(len(m)))
		b = append(b, m...)
	}
	return b
}

// h2c returns a client that speaks HTTP/2.
func (r *rig) h2c() *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	r.clients = append(r.clients, transport)
	return &http.Client{Transport: transport}
}

// TestMalformed checks requests that no client of the protocols sends: the answers equal the
// answers of a server without arenas, byte for byte, and no arena is lost.
func TestMalformed(t *testing.T) {
	pool := &arena.Pool{}
	r, stock := newRig(t, arenaconnect.Options{Threshold: 1, Pool: pool}), newStock(t)
	ours, theirs := r.h2c(), stock.h2c()
	whole := encoded(t, message(7, 3))
	bad := whole[:len(whole)-3]
	utf8 := encoded(t, &echopb.Message{Id: 7, Data: []byte("\xff of 7")})
	utf8 = bytes.Replace(utf8, []byte{4<<3 | 2}, []byte{3<<3 | 2}, 1) // it is text then
	for _, method := range []string{"Unary", "ServerStream", "ClientStream", "Bidi", "None"} {
		for _, content := range []string{"proto", "connect+proto", "grpc", "grpc+proto", "grpc-web+proto", "grpc-web-text", "json", "grpc+json", "grpc+other", "other"} {
			bodies := [][]byte{bad, utf8, envelope(bad), envelope(whole, bad), envelope(utf8), envelope(whole)[:30], envelope(whole)[:3], {1, 0, 0, 0, 1, 'x'}}
			if method != "ClientStream" && method != "Bidi" {
				bodies = append(bodies, envelope(whole, whole), append(envelope(whole), 1, 2, 3), nil, envelope())
			}
			for i, body := range bodies {
				procedure := "/" + echopb.EchoName + "/" + method
				got, want := r.post(ours, procedure, "application/"+content, body), stock.post(theirs, procedure, "application/"+content, body)
				if got != want {
					t.Errorf("%s %s %d:\n%s\nwant\n%s", method, content, i, got, want)
				}
			}
		}
	}
	stock.stop(nil)
	r.stop(pool)
}

// TestAbandoned sends requests that connect gives up after decoding them: what stays of them is
// bounded before a collection, nothing stays after it, and good requests are served as ever.
func TestAbandoned(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	pool := &arena.Pool{}
	r := newRig(t, arenaconnect.Options{Threshold: 1, Pool: pool})
	client, good := r.h2c(), r.dial(ways[3])
	small, large := encoded(t, message(7, 3)), encoded(t, &echopb.Message{Data: make([]byte, 1<<20)})
	for i := range 100 {
		r.post(client, echopb.EchoUnaryProcedure, "application/grpc", envelope(small, large))
		if i%10 == 0 {
			c := call{way: ways[3], method: "Unary", kind: headers, id: int64(i + 1), parts: 3}
			if err := c.check(c.on(t.Context(), good), 0); err != nil {
				t.Error(err)
			}
		}
	}
	n, out := r.pending(), pool.Stats().Out
	if n == 0 || out != int64(n) || n == 200 {
		t.Errorf("%d messages are pending, and %d arenas are in use: nothing is tested, or nothing is bounded", n, out)
	}
	r.stop(pool)
}

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
			arenaconnect.Keep(ctx)
			return nil
		}, "arenascope: Keep is called after the handler has returned; call it before the goroutine is started"},
	} {
		for _, method := range []string{"Unary", "ClientStream"} {
			for _, parts := range []int{0, 30} { // with an arena, and with none
				contexts, done := make(chan context.Context, 1), make(chan bool, 1)
				pool := &arena.Pool{}
				r := newRig(t, arenaconnect.Options{Pool: pool, Observe: func(context.Context, string, arenaconnect.Summary) { done <- true }},
					connect.WithInterceptors(spy{middle{}, contexts}))
				c := call{way: ways[3], method: method, kind: echo, id: 7, parts: parts}
				if o := c.on(t.Context(), r.dial(c.way)); o.err != nil {
					t.Fatal(o.err)
				}
				<-done
				if got := test.f(<-contexts); got != test.want {
					t.Errorf("%s: %v, want %v", test.name, got, test.want)
				}
				r.stop(pool)
			}
		}
	}
}

// spy is an interceptor that keeps contexts.
type spy struct {
	middle
	contexts chan context.Context
}

func (s spy) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		s.contexts <- ctx
		return next(ctx, request)
	}
}

func (s spy) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		s.contexts <- ctx
		return next(ctx, conn)
	}
}

// TestOtherContext has an interceptor answer while the handler goes on, which it has called with a
// context that says nothing of the call.
func TestOtherContext(t *testing.T) {
	for _, method := range []string{"Unary", "ServerStream"} {
		pool := &arena.Pool{}
		s := stranger{&service{t: t}, make(chan bool), make(chan bool)}
		mux := http.NewServeMux()
		mux.Handle(echopb.NewEchoHandler(s, arenaconnect.HandlerOptions(arenaconnect.Options{Threshold: 1, Pool: pool}, connect.WithInterceptors(strange{s}))...))
		r := listen(t, s.service, mux)
		r.pending = func() int { return 0 }
		client := r.dial(ways[3])
		c := call{way: ways[3], method: method, kind: outlives, id: 1, parts: 3}
		if o := c.on(t.Context(), client); o.err != nil {
			t.Fatal(o.err)
		}
		for i := range 5 {
			c := call{way: ways[3], method: "Unary", kind: echo, id: int64(i + 2), parts: 3}
			if err := c.check(c.on(t.Context(), client), 0); err != nil {
				t.Error(err)
			}
		}
		close(s.release)
		r.stop(pool)
	}
}

// The handlers of a stranger are asked to outlive calls that they know nothing of.
type stranger struct {
	*service
	entered, release chan bool
}

func (s stranger) Unary(_ context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	if request.Msg.Kind == outlives {
		s.entered <- true
		<-s.release
	}
	s.check("the request at the end", request.Msg)
	return connect.NewResponse(request.Msg), nil
}

func (s stranger) ServerStream(ctx context.Context, request *connect.Request[echopb.Message], _ *connect.ServerStream[echopb.Message]) error {
	_, err := s.Unary(ctx, request)
	return err
}

// strange is the interceptor that calls them.
type strange struct{ stranger }

func (s strange) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		m := request.Any().(*echopb.Message)
		if m.Kind != outlives {
			return next(ctx, request)
		}
		s.running.Go(func() { next(context.Background(), request) })
		<-s.entered
		return connect.NewResponse(onHeap(m)), nil
	}
}

func (strange) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (s strange) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(_ context.Context, conn connect.StreamingHandlerConn) error {
		s.running.Go(func() { next(context.Background(), conn) })
		<-s.entered
		return nil
	}
}

// TestElsewhere checks the functions with contexts that are of no call, and wrong options.
func TestElsewhere(t *testing.T) {
	for _, ctx := range []context.Context{nil, t.Context()} {
		arenaconnect.Keep(ctx)
	}
	for _, f := range []func(){
		func() { arenaconnect.HandlerOptions(arenaconnect.Options{Pool: &arena.Pool{}, Limit: 1}) },
		func() { arenaconnect.HandlerOptions(arenaconnect.Options{Limit: -1}) },
		func() { arenaconnect.HandlerOptions(arenaconnect.Options{Threshold: -1}) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "arenaconnect: ") {
					t.Errorf("panic of %q, want one of arenaconnect", s)
				}
			}()
			f()
		}()
	}
}

// TestErrorFrom checks what becomes of errors.
func TestErrorFrom(t *testing.T) {
	limit := arena.Try(func() { arena.MakeSlice[byte](arena.NewWith(arena.Options{Limit: 1}), 1000, 1000) })
	coded := connect.NewError(connect.CodeAborted, limit)
	for _, test := range []struct {
		err  error
		code connect.Code
	}{{limit, connect.CodeResourceExhausted}, {fmt.Errorf("wrapped: %w", limit), connect.CodeResourceExhausted},
		{coded, connect.CodeAborted}, {fmt.Errorf("wrapped: %w", coded), connect.CodeAborted}, {io.EOF, connect.CodeUnknown},
		{&arena.MemoryError{}, connect.CodeResourceExhausted}} {
		got := arenaconnect.ErrorFrom(test.err)
		if connect.CodeOf(got) != test.code || !errors.Is(got, test.err) {
			t.Errorf("%v: %v", test.err, got)
		}
	}
	if err := arenaconnect.ErrorFrom(nil); err != nil {
		t.Error(err)
	}
}

// stockLike is a codec that somebody else has registered, after the options or before.
type stockLike struct{}

func (stockLike) Name() string                  { return "proto" }
func (stockLike) Marshal(v any) ([]byte, error) { return proto.Marshal(v.(proto.Message)) }
func (stockLike) Unmarshal(b []byte, v any) error {
	return proto.Unmarshal(b, v.(proto.Message))
}

// stockLikeJSON is one for JSON.
type stockLikeJSON struct{}

func (stockLikeJSON) Name() string                  { return "json" }
func (stockLikeJSON) Marshal(v any) ([]byte, error) { return protojson.Marshal(v.(proto.Message)) }
func (stockLikeJSON) Unmarshal(b []byte, v any) error {
	return protojson.Unmarshal(b, v.(proto.Message))
}

// TestOverridden has the codecs of the package replaced by others: answers are right, and arenas
// are not used again.
func TestOverridden(t *testing.T) {
	s := &service{t: t}
	options := append(arenaconnect.HandlerOptions(arenaconnect.Options{}, s.others()...), connect.WithCodec(stockLike{}), connect.WithCodec(stockLikeJSON{}))
	r := serve(t, s, options...)
	for _, w := range ways {
		for _, method := range []string{"Unary", "ServerStream", "ClientStream", "Bidi"} {
			if method == "Bidi" && !w.h2 {
				continue
			}
			c := call{way: w, method: method, kind: headers, id: 7, parts: 20}
			if err := c.check(c.on(t.Context(), r.dial(w)), 0); err != nil {
				t.Errorf("%v: %v", c, err)
			}
		}
	}
	r.stop(nil)
}

// shouting is a codec of a program: it does something to messages after it has decoded them, and
// knows one type only.
type shouting struct{ stockLike }

func (shouting) Marshal(v any) ([]byte, error) { return proto.Marshal(v.(*echopb.Message)) }
func (c shouting) Unmarshal(b []byte, v any) error {
	err := proto.Unmarshal(b, v.(*echopb.Message))
	v.(*echopb.Message).Text = strings.ToUpper(v.(*echopb.Message).Text)
	return err
}

// mirror answers with what it gets, and has looked for an arena.
type mirror struct {
	echopb.UnimplementedEchoHandler
}

func (mirror) Unary(ctx context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	arena.New[echopb.Message](arena.FromContext(ctx))
	return connect.NewResponse(request.Msg), nil
}

func (mirror) Bidi(ctx context.Context, stream *connect.BidiStream[echopb.Message, echopb.Message]) error {
	arenascope.Receive(ctx, arenascope.PerMessage)
	m, err := stream.Receive()
	if err != nil {
		return err
	}
	return stream.Send(m)
}

// TestOwnCodec has a codec among the other options: it decodes and encodes messages of all sizes,
// and sees what it would see without this package.
func TestOwnCodec(t *testing.T) {
	pool := &arena.Pool{}
	options, pending := arenaconnect.HandlerOptionsPending(arenaconnect.Options{Pool: pool}, connect.WithCodec(shouting{}))
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(mirror{}, options...))
	r := listen(t, &service{t: t}, mux)
	r.pending = pending
	client := r.dial(ways[3])
	for _, size := range []int{1, 600, 100_000} {
		m := &echopb.Message{Text: strings.Repeat("x", size)}
		want := strings.ToUpper(m.Text)
		if response, err := client.Unary(t.Context(), connect.NewRequest(m)); err != nil || response.Msg.Text != want {
			t.Errorf("Unary of %d bytes: %v", size, err)
		}
		stream := client.Bidi(t.Context())
		stream.Send(m)
		if reply, err := stream.Receive(); err != nil || reply.Text != want {
			t.Errorf("Bidi of %d bytes: %v", size, err)
		}
		stream.CloseRequest()
		stream.CloseResponse()
	}
	r.stop(pool)
}

// TestUnrecovered has a handler panic where nobody recovers but net/http.
func TestUnrecovered(t *testing.T) {
	for _, method := range []string{"Unary", "ServerStream", "Bidi"} {
		pool := &arena.Pool{}
		reasons := make(chan arenascope.Reason, 1)
		s := &service{t: t}
		options := arenaconnect.HandlerOptions(arenaconnect.Options{Threshold: 1, Pool: pool,
			Observe: func(_ context.Context, _ string, s arenaconnect.Summary) { reasons <- s.Reason }})
		r := serve(t, s, options...)
		r.pending = func() int { return 0 }
		c := call{way: ways[1], method: method, kind: panics, id: 7, parts: 3}
		if o := c.on(t.Context(), r.dial(c.way)); o.err == nil {
			t.Errorf("%s succeeds", method)
		}
		if got := <-reasons; got != arenascope.ReasonPanic {
			t.Errorf("%s: the reason is %q", method, got)
		}
		r.stop(pool)
	}
}

// TestReceiving has a handler return while a goroutine of its receives a message.
func TestReceiving(t *testing.T) {
	pool := &arena.Pool{}
	reasons := make(chan arenascope.Reason, 1)
	s := &service{t: t}
	_, h := echopb.NewEchoHandler(s, arenaconnect.HandlerOptions(arenaconnect.Options{Threshold: 1, Pool: pool,
		Observe: func(_ context.Context, _ string, s arenaconnect.Summary) { reasons <- s.Reason }})...)
	m := message(7, 3)
	m.Kind = outlives
	entered := make(chan bool)
	r := listen(t, s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &body{ReadCloser: r.Body, left: 5 + len(encoded(t, m)), drained: entered}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), enteredKey{}, entered)))
	}))
	r.pending = func() int { return 0 }
	client := r.dial(ways[3])
	stream := client.Bidi(t.Context())
	if err := stream.Send(m); err != nil {
		t.Fatal(err)
	}
	if got := <-reasons; got != arenascope.ReasonRunning {
		t.Errorf("the reason is %q, want %q", got, arenascope.ReasonRunning)
	}
	stream.CloseRequest()
	stream.CloseResponse()
	r.stop(pool)
}

// A body closes a channel when somebody reads beyond a number of bytes.
type body struct {
	io.ReadCloser
	left    int
	drained chan bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.left = -1
		close(b.drained)
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	return n, err
}
