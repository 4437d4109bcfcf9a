package arenaconnecttest_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect/arenaconnecttest"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/internal/fake"
)

// encodings has the options of clients for both encodings.
var encodings = map[string][]connect.ClientOption{"binary": nil, "JSON": {connect.WithProtoJSON()}}

// serve returns clients of a server whose handlers reply what handle returns. It ends with f.
func serve(f testing.TB, encoding string, handle func(ctx context.Context, m *echopb.Message) *echopb.Message) (unary, stream *connect.Client[echopb.Message, echopb.Message]) {
	options := arenaconnecttest.HandlerOptions(f)
	mux := http.NewServeMux()
	mux.Handle("/echo/unary", connect.NewUnaryHandler("/echo/unary",
		func(ctx context.Context, r *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
			return connect.NewResponse(handle(ctx, r.Msg)), nil
		}, options...))
	mux.Handle("/echo/stream", connect.NewServerStreamHandler("/echo/stream",
		func(ctx context.Context, r *connect.Request[echopb.Message], stream *connect.ServerStream[echopb.Message]) error {
			return stream.Send(handle(ctx, r.Msg))
		}, options...))
	srv := httptest.NewUnstartedServer(mux)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	f.Cleanup(srv.Close)
	return connect.NewClient[echopb.Message, echopb.Message](srv.Client(), srv.URL+"/echo/unary", encodings[encoding]...),
		connect.NewClient[echopb.Message, echopb.Message](srv.Client(), srv.URL+"/echo/stream", encodings[encoding]...)
}

// TestInnocent proves that calls work as without guard mode, and that a copy may be kept.
func TestInnocent(t *testing.T) {
	for encoding := range encodings {
		var cache sync.Map
		unary, _ := serve(t, encoding, func(ctx context.Context, m *echopb.Message) *echopb.Message {
			if arena.FromContext(ctx) == nil {
				t.Error("a call has no arena")
			}
			cache.Store(strings.Clone(m.Text), m.Id)
			return m
		})
		for i := range 3 {
			m, err := unary.CallUnary(t.Context(), connect.NewRequest(&echopb.Message{Id: int64(i), Text: "a text to be kept"}))
			if err != nil || m.Msg.Id != int64(i) {
				t.Error(m, err)
			}
		}
	}
}

// TestKept proves that a text which a handler keeps is found by one call.
func TestKept(t *testing.T) {
	for encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			f := fake.New(t, t.Name())
			cache := map[string]int64{}
			unary, _ := serve(f, encoding, func(_ context.Context, m *echopb.Message) *echopb.Message {
				cache[m.Text] = m.Id
				return m
			})
			if _, err := unary.CallUnary(t.Context(), connect.NewRequest(&echopb.Message{Text: "a text that is kept"})); err != nil {
				t.Error(err)
			}
			got := f.End()
			for _, want := range []string{"kept after the end", "a text that is kept", "/echo/unary"} {
				if !strings.Contains(got, want) {
					t.Errorf("there is no %q:\n%s", want, got)
				}
			}
			runtime.KeepAlive(cache)
		})
	}
}

// TestStale proves that the use of what a former call has left behind fails the test, and that
// call.
func TestStale(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector fails it: not with -race")
	}
	for _, name := range []string{"unary", "stream", "unary JSON", "stream JSON"} {
		t.Run(name, func(t *testing.T) {
			f := fake.New(t, t.Name())
			name, encoding, _ := strings.Cut(name, " ")
			var last string
			unary, stream := serve(f, encoding, func(_ context.Context, m *echopb.Message) *echopb.Message {
				reply := &echopb.Message{Text: last}
				last = m.Text
				return reply
			})
			call := func() error {
				m := connect.NewRequest(&echopb.Message{Text: "a text of a call"})
				if name == "unary" {
					_, err := unary.CallUnary(t.Context(), m)
					return err
				}
				s, err := stream.CallServerStream(t.Context(), m)
				if err != nil {
					return err
				}
				for s.Receive() {
				}
				s.Close()
				return s.Err()
			}
			if err := call(); err != nil {
				t.Error(err)
			}
			if err := call(); err == nil {
				t.Error("the call with a stale text returns nil")
			}
			last = ""
			if got := f.End(); !strings.Contains(got, "use after Reset") {
				t.Errorf("the use of a stale text is not reported: %s", got)
			}
		})
	}
}
