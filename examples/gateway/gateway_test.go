package gateway_test

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

	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenahttp/arenahttptest"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/examples/gateway"
	"github.com/arena-go/arena/examples/gateway/orderspb"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
)

// orders is the service behind the gateways.
type orders struct {
	orderspb.UnimplementedOrdersServer
}

func (orders) Place(_ context.Context, o *orderspb.Order) (*orderspb.Order, error) {
	if o.Customer == "" {
		return nil, status.Errorf(codes.FailedPrecondition, "order %d has no customer", o.Id)
	}
	return o, nil
}

func (orders) Replace(_ context.Context, r *orderspb.ReplaceRequest) (*orderspb.Order, error) {
	if r.Order == nil {
		return &orderspb.Order{Id: r.Id}, nil
	}
	r.Order.Id = r.Id
	return r.Order, nil
}

func (orders) List(r *orderspb.ListRequest, stream grpc.ServerStreamingServer[orderspb.Order]) error {
	for i := range r.Count {
		if err := stream.Send(&orderspb.Order{Id: int64(i), Customer: fmt.Sprintf("customer %d", i)}); err != nil {
			return err
		}
	}
	return status.Error(codes.Aborted, "that was all")
}

// serve starts the service, and returns the address.
func serve(t testing.TB) string {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	orderspb.RegisterOrdersServer(server, orders{})
	var running sync.WaitGroup
	running.Go(func() { server.Serve(lis) })
	t.Cleanup(func() {
		server.Stop()
		running.Wait()
	})
	return lis.Addr().String()
}

// newMux returns a gateway to the service.
func newMux(t testing.TB, addr string, m runtime.Marshaler, opts ...grpc.DialOption) *runtime.ServeMux {
	conn, err := grpc.NewClient(addr, append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	mux := runtime.NewServeMux(runtime.WithMarshalerOption(runtime.MIMEWildcard, m))
	if err := orderspb.RegisterOrdersHandler(t.Context(), mux, conn); err != nil {
		t.Fatal(err)
	}
	return mux
}

// ask makes a request, and returns the answer without what protojson writes at random.
func ask(t testing.TB, addr, method, path, body string) string {
	r, err := http.NewRequestWithContext(t.Context(), method, addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	answer := fmt.Sprint(response.StatusCode, " ", response.Header.Get("Content-Type"), " ", string(b))
	return strings.NewReplacer("\u00a0", " ", `, "`, `,"`, ", {", ",{").Replace(answer)
}

// order returns an order with a number of lines, as JSON.
func order(lines int) string {
	var b strings.Builder
	b.WriteString(`{"id":"7","customer":"somebody \u00e9","time":"2026-11-28T01:02:03.500Z","labels":{"b":"2","a":"1"},"lines":[`)
	for i := range lines {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"product":"product number %d","count":%d,"price":%d.25}`, i, i+1, i)
	}
	return b.String() + "]}"
}

// TestGateway compares a gateway with arenas with an unchanged gateway. Nothing of a request is
// used, or kept, after it.
func TestGateway(t *testing.T) {
	addr := serve(t)
	for _, p := range []runtime.JSONPb{
		{MarshalOptions: protojson.MarshalOptions{EmitUnpopulated: true}, UnmarshalOptions: protojson.UnmarshalOptions{DiscardUnknown: true}},
		{MarshalOptions: protojson.MarshalOptions{UseProtoNames: true}},
	} {
		stock := httptest.NewServer(newMux(t, addr, &p))
		t.Cleanup(stock.Close)
		found := false
		o := arenahttptest.Options(t)
		o.Observe = func(_ *http.Request, s arenascope.Summary) { found = found || s.Stats.InUse > 0 }
		mux := newMux(t, addr, &gateway.Marshaler{JSONPb: p}, grpc.WithUnaryInterceptor(gateway.Replies))
		ours := httptest.NewServer(arenahttptest.Watch(t, arenahttp.Middleware(gateway.Handler(mux), o)))
		t.Cleanup(ours.Close)
		for _, r := range [][3]string{
			{"POST", "/orders", order(3)}, {"POST", "/orders", order(300)}, {"POST", "/orders", `{}`}, {"POST", "/orders", ``}, {"POST", "/orders", `{"unknown":1,"customer":"a"}`},
			{"POST", "/orders", `{"customer":1}`}, {"POST", "/orders", `{"customer":"a"`}, {"POST", "/orders", `{"customer":"a"} trailing`}, {"POST", "/orders", "{\"customer\":\"\xff\"}"},
			{"POST", "/orders", `null`}, {"POST", "/orders", `[]`}, {"POST", "/orders", `{"customer":"a","time":"yesterday"}`},
			{"PUT", "/orders/9", order(2)}, {"PUT", "/orders/9", `null`}, {"PUT", "/orders/9", ``}, {"PUT", "/orders/9", `{"id":"x"}`}, {"PUT", "/orders/x", order(2)},
			{"GET", "/orders?count=3", ""}, {"GET", "/orders?count=0", ""}, {"GET", "/orders?count=x", ""}, {"GET", "/nowhere", ""}, {"DELETE", "/orders", ""},
		} {
			want := ask(t, stock.URL, r[0], r[1], r[2])
			if got := ask(t, ours.URL, r[0], r[1], r[2]); got != want {
				t.Errorf("%s %s %.100s:\n%s\nwant\n%s", r[0], r[1], r[2], got, want)
			}
		}
		if !found {
			t.Error("no request had anything in its arena")
		}
	}
}

// BenchmarkGateway has a gateway decode an order of 100 lines, ask the service, and encode the
// reply: without a connection to the gateway.
func BenchmarkGateway(b *testing.B) {
	addr := serve(b)
	p := runtime.JSONPb{MarshalOptions: protojson.MarshalOptions{EmitUnpopulated: true}, UnmarshalOptions: protojson.UnmarshalOptions{DiscardUnknown: true}}
	text := order(100)
	for name, h := range map[string]http.Handler{
		"stock": newMux(b, addr, &p),
		"arena": arenahttp.Middleware(gateway.Handler(newMux(b, addr, &gateway.Marshaler{JSONPb: p}, grpc.WithUnaryInterceptor(gateway.Replies))), arenahttp.Options{}),
	} {
		b.Run("impl="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("POST", "/orders", strings.NewReader(text)))
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
