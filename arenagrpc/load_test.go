package arenagrpc_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

// A caller makes calls, and checks all of the answers.
type caller struct {
	client echopb.EchoClient
	conn   *grpc.ClientConn
	pad    int          // bytes of data in messages of streams
	arena  *arena.Arena // for replies, or nil
}

func (c *caller) request(kind int32, id int64, parts int) *echopb.Message {
	m := message(id, parts)
	m.Kind = kind
	if c.pad > 0 {
		m.Data = make([]byte, c.pad)
		m.Sum = sum(m)
	}
	return m
}

// unary makes one call of a kind. It returns an error where the call fails in another way than it
// should.
func (c *caller) unary(ctx context.Context, kind int32, id int64, parts int) error {
	options := []grpc.CallOption{}
	if c.arena != nil {
		defer c.arena.Reset()
		options = append(options, arenagrpc.Into(c.arena))
	}
	m := c.request(kind, id, parts)
	var header, trailer metadata.MD
	want, late := codes.OK, false // whether the reply may be in time all the same
	switch kind {
	case headers, alias:
		options = append(options, grpc.Header(&header), grpc.Trailer(&trailer))
	case compressed:
		options = append(options, grpc.UseCompressor(gzip.Name))
	case fails, refused:
		want = codes.NotFound
	case panics:
		want = codes.Internal
	case limited:
		want = codes.ResourceExhausted
	case waits, abandons:
		late = true
		var cancel context.CancelFunc
		if id%2 == 0 {
			want = codes.DeadlineExceeded
			ctx, cancel = context.WithTimeout(ctx, time.Duration(1+id%5)*time.Millisecond)
		} else {
			want = codes.Canceled
			ctx, cancel = context.WithCancel(ctx)
			time.AfterFunc(time.Duration(1+id%5)*time.Millisecond, cancel)
		}
		defer cancel()
	case unknown:
		return expect(codes.Unimplemented, c.conn.Invoke(ctx, "/arenagrpc.echo.Echo/None", m, new(echopb.Message)))
	}
	reply, err := c.client.Unary(ctx, m, options...)
	if err != nil || !late {
		if err := expect(want, err); err != nil {
			return err
		}
	}
	if want == codes.NotFound && status.Convert(err).Message() != m.Text {
		return fmt.Errorf("the status is %v, want %q", err, m.Text)
	}
	if err != nil {
		return nil
	}
	if err := intact("the reply", reply); err != nil {
		return err
	}
	if reply.Id != id || kind != part && reply.Sum != m.Sum {
		return fmt.Errorf("the reply is that to another: %.300v", reply)
	}
	if kind == headers || kind == alias {
		for _, md := range []metadata.MD{header, trailer} {
			got := fmt.Sprint(md.Get(fmt.Sprintf("x-key-%d", id%5)), md.Get("x-bytes-bin"))
			if want := fmt.Sprintf("[%s] [%s]", m.Text, m.Data); got != want {
				return fmt.Errorf("the header is %v, want %s", md, want)
			}
		}
	}
	return nil
}

func expect(want codes.Code, err error) error {
	if status.Code(err) == want {
		return nil
	}
	return fmt.Errorf("the code is not %v: %w", want, err)
}

// stream makes one call with a stream. It returns what the call ended with.
func (c *caller) stream(ctx context.Context, method string, kind int32, id int64, n int) error {
	var options []grpc.CallOption
	if c.arena != nil {
		defer c.arena.Reset()
		options = append(options, arenagrpc.Into(c.arena))
	}
	if id%3 == 0 {
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	switch method {
	case "ServerStream":
		stream, err := c.client.ServerStream(ctx, c.request(kind, id, n), options...)
		if err != nil {
			return err
		}
		for i := 0; ; i++ {
			reply, err := stream.Recv()
			if err == io.EOF && i == 5 {
				return nil
			}
			if err != nil {
				return err
			}
			if err := c.replied(reply, id); err != nil {
				return err
			}
		}
	case "ClientStream":
		stream, err := c.client.ClientStream(ctx, options...)
		if err != nil {
			return err
		}
		var broken error
		for i := range n {
			if broken = stream.Send(c.request(kind, id+int64(i)<<32, i)); broken != nil {
				break // CloseAndRecv has the reason
			}
		}
		reply, err := stream.CloseAndRecv()
		if err = cmp.Or(err, broken); err != nil {
			return err
		}
		var want []string
		for i := range n {
			want = append(want, fmt.Sprintf("text of %d", id+int64(i)<<32))
		}
		if got := strings.Join(reply.Words, ";"); got != strings.Join(want, ";") {
			return fmt.Errorf("the reply is %s, want %s", got, want)
		}
		return nil
	default:
		stream, err := c.client.Bidi(ctx, options...)
		if err != nil {
			return err
		}
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {
			for i := range n {
				if stream.Send(c.request(kind, id+int64(i)<<32, i)) != nil {
					return
				}
			}
			stream.CloseSend()
		})
		for i := 0; ; i++ {
			reply, err := stream.Recv()
			if err == io.EOF && i == 2*n {
				return nil
			}
			if err != nil {
				return err
			}
			if err := c.replied(reply, id+int64(i%2*0+(1-i%2)*(i/2))<<32); err != nil {
				return err
			}
		}
	}
}

func (c *caller) replied(reply *echopb.Message, id int64) error {
	if err := intact("the reply", reply); err != nil {
		return err
	}
	if reply.Id != id {
		return fmt.Errorf("the reply is that to another, not %d: %.300v", id, reply)
	}
	return nil
}

// others calls services other than ours.
func (c *caller) others(ctx context.Context) error {
	if _, err := grpc_health_v1.NewHealthClient(c.conn).Check(ctx, new(grpc_health_v1.HealthCheckRequest)); err != nil {
		return err
	}
	stream, err := grpc_reflection_v1.NewServerReflectionClient(c.conn).ServerReflectionInfo(ctx)
	if err != nil {
		return err
	}
	for range 3 {
		if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
			MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{ListServices: "*"},
		}); err != nil {
			return err
		}
		got, err := stream.Recv()
		if err != nil {
			return err
		}
		if n := len(got.GetListServicesResponse().GetService()); n != 4 {
			return fmt.Errorf("%d services, want 4", n)
		}
	}
	stream.CloseSend()
	_, err = stream.Recv()
	if err == io.EOF {
		return nil
	}
	return errors.Join(errors.New("the stream goes on"), err)
}

// once makes a call of any kind.
func (c *caller) once(ctx context.Context, rnd *rand.Rand, id int64) error {
	n := 1 + rnd.IntN(20)
	if rnd.IntN(200) == 0 {
		n = 2000 // above the size from which grpc pools buffers, and above the size of a flow-control window
	}
	switch rnd.IntN(12) {
	case 0:
		kinds := []int32{echo, headers, fails, panics, waits}
		codes := []codes.Code{codes.OK, codes.OK, codes.NotFound, codes.Internal, codes.DeadlineExceeded}
		i := rnd.IntN(len(kinds))
		if kinds[i] == waits {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
		}
		err := c.stream(ctx, "ServerStream", kinds[i], id, n)
		if kinds[i] == waits && err == nil {
			return nil // in time all the same
		}
		return expect(codes[i], err)
	case 1:
		return c.stream(ctx, "ClientStream", []int32{echo, keeps}[rnd.IntN(2)], id, n%100)
	case 2:
		kinds := []int32{echo, headers, alias, keeps, fails, panics}
		codes := []codes.Code{codes.OK, codes.OK, codes.OK, codes.OK, codes.NotFound, codes.Internal}
		i := rnd.IntN(len(kinds))
		return expect(codes[i], c.stream(ctx, "Bidi", kinds[i], id, 1+n%100))
	case 3:
		return c.others(ctx)
	}
	kind := rnd.Int32N(kinds)
	if rnd.IntN(2) == 0 {
		kind = []int32{echo, part, own, compressed}[rnd.IntN(4)]
	}
	return c.unary(ctx, kind, id, n)
}

// TestLoad proves that no call sees the bytes of another, whatever handlers, clients, interceptors
// and stats handlers do at the same time, and that no arena is lost.
func TestLoad(t *testing.T) {
	for _, mode := range []string{"plain", "guard", "kill", "http", "workers"} {
		t.Run(mode, func(t *testing.T) { load(t, mode) })
	}
}

func load(t *testing.T, mode string) {
	clients, calls := 32, 200
	switch {
	case raceEnabled:
		calls = 25
	case mode != "plain":
		calls = 75
	}
	before := runtime.NumGoroutine()
	pool := &arena.Pool{Options: arena.Options{Name: "load", Limit: limit}}
	if mode == "guard" {
		pool.GuardEvery = 4
	}
	var options []grpc.ServerOption
	if mode == "workers" {
		options = append(options, grpc.NumStreamWorkers(4))
	}
	r := newRig(t, arenagrpc.Options{Pool: pool, Observe: func(_ context.Context, method string, s arenagrpc.Summary) {
		if s.Reused && s.Reason != "" {
			t.Errorf("a contradiction: %+v", s)
		}
	}}, options...)
	addr := r.addr
	var srv *http.Server
	if mode == "http" {
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv = &http.Server{Handler: r.server, Protocols: new(http.Protocols)}
		srv.Protocols.SetUnencryptedHTTP2(true)
		addr = lis.Addr().String()
		go srv.Serve(lis)
	}
	seed := testrun.Seed(t)
	var wg sync.WaitGroup
	var conns []*grpc.ClientConn
	for range 4 {
		r.addr = addr
		conns = append(conns, r.dial(grpc.WithDefaultCallOptions(grpc.WaitForReady(true))))
	}
	for i := range clients {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			c := &caller{conn: conns[i%len(conns)], client: echopb.NewEchoClient(conns[i%len(conns)])}
			if i%2 == 0 {
				c.arena = arena.NewArena()
			}
			for j := range calls {
				err := c.once(t.Context(), rnd, int64(1+i*calls+j))
				if mode == "kill" {
					if rnd.IntN(200) == 0 {
						r.lis.kill()
					}
					if s := fmt.Sprint(err); strings.Contains(s, "Unavailable") || strings.Contains(s, "EOF") {
						continue
					}
				}
				if err != nil {
					t.Errorf("call %d of %d: %v", j, i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, c := range conns {
		c.Close()
	}
	if srv != nil {
		srv.Shutdown(context.Background())
	}
	r.stop(pool)
	poll(func() bool { return runtime.NumGoroutine() <= before })
}
