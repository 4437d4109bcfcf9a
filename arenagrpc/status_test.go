package arenagrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	limitError  = &arena.LimitError{Name: "q", Limit: 5, Needed: 6, Option: "a test"}
	memoryError = &arena.MemoryError{Name: "q", Size: 6, Err: errors.New("none is left")}
)

// statusCases are what handlers end with, and what becomes of it.
var statusCases = []struct {
	name   string
	err    error
	code   codes.Code
	reason arenascope.Reason // with ServerOptions
}{
	{"nothing", nil, codes.OK, ""},
	{"limit", limitError, codes.ResourceExhausted, arenascope.ReasonLimit},
	{"wrapped", fmt.Errorf("query: %w", limitError), codes.ResourceExhausted, arenascope.ReasonLimit},
	{"joined", errors.Join(errors.New("first"), limitError), codes.ResourceExhausted, arenascope.ReasonLimit},
	{"memory", fmt.Errorf("query: %w", memoryError), codes.ResourceExhausted, arenascope.ReasonLimit},
	{"other", errors.New("other"), codes.Unknown, arenascope.ReasonError},
	{"status", status.Error(codes.Aborted, "again"), codes.Aborted, arenascope.ReasonError},
	{"status and limit", errors.Join(status.Error(codes.Aborted, "again"), limitError), codes.Aborted, arenascope.ReasonLimit},
	{"canceled", context.Canceled, codes.Canceled, arenascope.ReasonError},
}

func TestStatusFromError(t *testing.T) {
	for _, c := range statusCases {
		got := arenagrpc.StatusFromError(c.err)
		if again := arenagrpc.StatusFromError(got); again != got {
			t.Errorf("%s: a second time it is %v", c.name, again)
		}
		if c.err == nil {
			if got != nil {
				t.Errorf("nil: %v", got)
			}
			continue
		}
		if c.code != codes.ResourceExhausted {
			if got != c.err {
				t.Errorf("%s: %v is another error", c.name, got)
			}
			continue
		}
		if !errors.Is(got, c.err) || got.Error() != c.err.Error() {
			t.Errorf("%s: %v", c.name, got)
		}
		for _, err := range []error{got, fmt.Errorf("around: %w", got)} {
			if s, ok := status.FromError(err); !ok || s.Code() != c.code {
				t.Errorf("%s: the status of %v is %v", c.name, err, s)
			}
		}
	}
}

// An ender is a service whose handlers end with an error, or a panic.
type ender struct {
	echopb.UnimplementedEchoServer
}

// end takes the arena of ctx and ends as the case with the number of m says: numbers from 100 on
// are for panics.
func (ender) end(ctx context.Context, m *echopb.Message) error {
	arena.FromContext(ctx)
	if m.Id >= 100 {
		panic(statusCases[m.Id-100].err)
	}
	return statusCases[m.Id].err
}

func (e ender) Unary(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
	return &echopb.Message{}, e.end(ctx, m)
}

func (e ender) ServerStream(m *echopb.Message, stream grpc.ServerStreamingServer[echopb.Message]) error {
	return e.end(stream.Context(), m)
}

func (e ender) Bidi(stream grpc.BidiStreamingServer[echopb.Message, echopb.Message]) error {
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	return e.end(stream.Context(), m)
}

// ended returns nil for the end of a stream without an error.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// TestStatusOptions has handlers of each kind of call end with each of the errors, by return and by
// panic, and interceptors that fail, and compares the code and the text that clients get, with
// StatusOptions and with ServerOptions.
func TestStatusOptions(t *testing.T) {
	for _, name := range []string{"StatusOptions", "ServerOptions", "neither"} {
		t.Run(name, func(t *testing.T) {
			summaries := make(chan arenagrpc.Summary, 1)
			var seen atomic.Pointer[error] // by an interceptor of somebody else
			look := []grpc.ServerOption{
				grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
					reply, err := h(ctx, req)
					seen.Store(&err)
					if req.(*echopb.Message).Text == "interceptor" {
						return nil, fmt.Errorf("interceptor: %w", limitError)
					}
					return reply, err
				}),
			}
			var options []grpc.ServerOption
			switch name {
			case "StatusOptions":
				options = append(arenagrpc.StatusOptions(), look...)
			case "ServerOptions":
				options = arenagrpc.ServerOptions(arenagrpc.Options{Observe: func(_ context.Context, _ string, s arenagrpc.Summary) { summaries <- s }}, look...)
			case "neither": // which shows what the others are for
				options = look
			}
			_, conn := serve(t, ender{}, options...)
			client := echopb.NewEchoClient(conn)
			calls := map[string]func(m *echopb.Message) error{
				"Unary": func(m *echopb.Message) error {
					_, err := client.Unary(t.Context(), m)
					return err
				},
				"ServerStream": func(m *echopb.Message) error {
					stream, err := client.ServerStream(t.Context(), m)
					if err == nil {
						_, err = stream.Recv()
					}
					return ended(err)
				},
				"Bidi": func(m *echopb.Message) error {
					stream, err := client.Bidi(t.Context())
					if err == nil {
						err = stream.Send(m)
					}
					if err == nil {
						_, err = stream.Recv()
					}
					return ended(err)
				},
			}
			// observed returns the summary of the last call.
			observed := func() (s arenagrpc.Summary) {
				if name == "ServerOptions" {
					s = <-summaries
				}
				return s
			}
			for kind, call := range calls {
				for i, c := range statusCases {
					want := c.code
					if name == "neither" && want == codes.ResourceExhausted {
						want = codes.Unknown
					}
					err := call(&echopb.Message{Id: int64(i)})
					sum := observed()
					if status.Code(err) != want {
						t.Errorf("%s, %s: %v; want %v", kind, c.name, err, want)
					}
					if c.err != nil && status.Convert(err).Message() != status.Convert(c.err).Message() {
						t.Errorf("%s, %s: the text is %q", kind, c.name, status.Convert(err).Message())
					}
					if sum.Reason != c.reason && name == "ServerOptions" || (sum.Limit != nil) != (sum.Reason == arenascope.ReasonLimit && c.name != "memory") {
						t.Errorf("%s, %s: %+v", kind, c.name, sum)
					}
					if kind == "Unary" && name == "ServerOptions" && c.code == codes.ResourceExhausted && status.Code(*seen.Load()) != c.code {
						t.Errorf("%s: the interceptor sees %v", c.name, *seen.Load())
					}
				}
				if name == "neither" {
					continue // A panic would end the process.
				}
				for _, i := range []int64{1, 4} {
					if err := call(&echopb.Message{Id: 100 + i}); status.Code(err) != codes.ResourceExhausted {
						t.Errorf("%s: a panic with %v: %v", kind, statusCases[i].err, err)
					}
					observed()
				}
			}
			if name == "neither" {
				return
			}
			if err := calls["Unary"](&echopb.Message{Text: "interceptor"}); status.Code(err) != codes.ResourceExhausted {
				t.Errorf("an interceptor: %v", err)
			}
			observed()
		})
	}
}
