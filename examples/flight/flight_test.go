// Package flight tests that an Arrow Flight server tells its clients when a query exceeds its
// limit.
package flight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

var schema = arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)

const rows = 1000 // of a batch

// A server answers a query, which is a number of batches, and keeps all of them until the query
// ends.
type server struct {
	flight.BaseFlightServer
	queries *arenaarrow.Allocator
}

// limited runs a query with an allocator of its own. It returns the allocator's *arena.LimitError
// if the query exceeds the limit.
func (s *server) limited(ctx context.Context, query func(ctx context.Context, q *arenaarrow.Allocator) error) error {
	q := s.queries.Child("query")
	defer q.Close()
	q.SetLimit(20 * rows * 8)
	ctx, cancel := q.Context(ctx)
	defer cancel()
	if err := query(ctx, q); err != nil {
		return err
	}
	return q.Err()
}

func batch(q *arenaarrow.Allocator) arrow.RecordBatch {
	b := array.NewRecordBuilder(q, schema)
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
	}
	return b.NewRecordBatch()
}

func (s *server) DoGet(ticket *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	var batches int
	if _, err := fmt.Sscan(string(ticket.GetTicket()), &batches); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return s.limited(stream.Context(), func(ctx context.Context, q *arenaarrow.Allocator) error {
		w := flight.NewRecordWriter(stream, ipc.WithSchema(schema), ipc.WithAllocator(q))
		defer w.Close()
		for range batches {
			if err := context.Cause(ctx); err != nil {
				return fmt.Errorf("query: %w", err)
			}
			rec := batch(q)
			defer rec.Release()
			if err := w.Write(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

// GetSchema is a unary call. If the limit is hard, batch panics.
func (s *server) GetSchema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	var batches int
	fmt.Sscan(string(d.GetCmd()), &batches)
	err := s.limited(ctx, func(_ context.Context, q *arenaarrow.Allocator) error {
		for range batches {
			defer batch(q).Release()
		}
		return nil
	})
	return &flight.SchemaResult{Schema: flight.SerializeSchema(schema, s.queries)}, err
}

// TestFlight has servers answer queries within and beyond their limit: with and without the options
// of arenagrpc, with a soft and with a hard limit.
func TestFlight(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []grpc.ServerOption
		hard    bool
		beyond  codes.Code
	}{
		{"plain", nil, false, codes.Unknown},
		{"StatusOptions", arenagrpc.StatusOptions(), false, codes.ResourceExhausted},
		{"StatusOptions, hard", arenagrpc.StatusOptions(), true, codes.ResourceExhausted},
		{"ServerOptions", arenagrpc.ServerOptions(arenagrpc.Options{}), false, codes.ResourceExhausted},
		{"ServerOptions, hard", arenagrpc.ServerOptions(arenagrpc.Options{}), true, codes.ResourceExhausted},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &server{queries: arenaarrow.New(arenaarrow.Options{Name: "queries", Limit: 1 << 30, Hard: c.hard})}
			f := flight.NewServerWithMiddleware(nil, c.options...)
			if err := f.Init("127.0.0.1:0"); err != nil {
				t.Fatal(err)
			}
			f.RegisterFlightService(s)
			go f.Serve()
			client, err := flight.NewClientWithMiddleware(f.Addr().String(), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			for _, batches := range []int{3, 200, 5} {
				want := codes.OK
				if batches > 100 {
					want = c.beyond
				}
				got, err := get(t.Context(), client, batches)
				if status.Code(err) != want || err == nil && got != batches*rows {
					t.Errorf("DoGet of %d batches: %d rows, %v; want %v", batches, got, err, want)
				}
				_, err = client.GetSchema(t.Context(), &flight.FlightDescriptor{Cmd: fmt.Append(nil, batches)})
				if status.Code(err) != want {
					t.Errorf("GetSchema of %d batches: %v; want %v", batches, err, want)
				}
			}
			client.Close()
			f.Shutdown()
			if st := s.queries.Stats(); st.InUse != 0 || st.Blocks != 0 {
				t.Errorf("%+v", st)
			}
			if s.queries.Exceeded() {
				t.Error("the allocator of all has been told of a limit")
			}
		})
	}
}

// get returns how many rows a query brings.
func get(ctx context.Context, client flight.Client, batches int) (n int, err error) {
	stream, err := client.DoGet(ctx, &flight.Ticket{Ticket: fmt.Append(nil, batches)})
	if err != nil {
		return 0, err
	}
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		n += int(r.RecordBatch().NumRows())
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		return n, err
	}
	return n, nil
}

// TestLimitError checks that the error of a query says which limit it is.
func TestLimitError(t *testing.T) {
	s := &server{queries: arenaarrow.New(arenaarrow.Options{Name: "queries"})}
	err := s.limited(t.Context(), func(ctx context.Context, q *arenaarrow.Allocator) error {
		q.Free(q.Allocate(1 << 20))
		return context.Cause(ctx)
	})
	if e := (*arena.LimitError)(nil); !errors.As(err, &e) || e.Name != "query" || e.Option != "arenaarrow.Allocator.SetLimit" {
		t.Errorf("%v", err)
	}
	if status.Code(arenagrpc.StatusFromError(err)) != codes.ResourceExhausted {
		t.Errorf("the status of %v", err)
	}
}
