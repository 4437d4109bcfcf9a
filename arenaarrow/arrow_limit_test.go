package arenaarrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
)

// TestPipelineLimit proves that work which looks at its context ends soon after its limit, by an
// error, and that others go on.
func TestPipelineLimit(t *testing.T) {
	const (
		limit   = 200_000
		rows    = 1000
		batches = 100 // of 16,000 bytes
	)
	r := rand.New(rand.NewPCG(1, 1))
	heap := env{mem: memory.NewGoAllocator()}
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.PrimitiveTypes.Int64}}
	schema := arrow.NewSchema(fields, nil)
	rec := heap.batch(r, schema, rows)
	var stream, file bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(schema))
	for range batches {
		must(w.Write(rec))
	}
	must(w.Close())
	for i := range 20 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Int64})
	}
	wide := arrow.NewSchema(fields, nil)
	t20 := array.NewTableFromRecords(wide, []arrow.RecordBatch{heap.batch(r, wide, 10*rows)})
	must(pqarrow.WriteTable(t20, &file, rows, nil, pqarrow.DefaultWriterProps()))

	for name, work := range map[string]func(ctx context.Context, q memory.Allocator) (kept []arrow.Array, err error){
		"ipc": func(ctx context.Context, q memory.Allocator) (kept []arrow.Array, err error) {
			rd := must1(ipc.NewReader(bytes.NewReader(stream.Bytes()), ipc.WithAllocator(q)))
			defer rd.Release()
			for ctx.Err() == nil && rd.Next() {
				kept = append(kept, columns(rd.RecordBatch())...)
			}
			return kept, errors.Join(rd.Err(), ctx.Err())
		},
		"compute": func(ctx context.Context, q memory.Allocator) (kept []arrow.Array, err error) {
			ctx = compute.WithAllocator(ctx, q)
			for range batches {
				if err := ctx.Err(); err != nil {
					return kept, err
				}
				d, err := compute.Add(ctx, compute.ArithmeticOptions{}, compute.NewDatumWithoutOwning(rec.Column(0)), compute.NewDatumWithoutOwning(rec.Column(1)))
				if err != nil {
					return kept, err
				}
				kept = append(kept, d.(*compute.ArrayDatum).MakeArray())
				d.Release()
			}
			return kept, nil
		},
		"parquet": func(ctx context.Context, q memory.Allocator) (kept []arrow.Array, err error) {
			table, err := pqarrow.ReadTable(ctx, bytes.NewReader(file.Bytes()), parquet.NewReaderProperties(q), pqarrow.ArrowReadProperties{}, q)
			if err == nil {
				table.Release()
			}
			return nil, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := arenaarrow.New(arenaarrow.Options{Name: "top", Limit: 1 << 30, StackRate: 1})
			other := top.Child("other")
			elsewhere, cancel := other.Context(t.Context())
			defer cancel()
			q := top.Child("q")
			ctx, cancel := q.Context(t.Context())
			defer cancel()
			if kept, err := work(ctx, q); err != nil || q.Exceeded() {
				t.Fatalf("without a limit: %v, %v", err, q.Err())
			} else {
				releaseAll(kept)
			}
			whole := q.Stats().Peak
			q.AssertSize(t, 0)

			q.SetLimit(limit)
			kept, err := work(ctx, q)
			if !errors.Is(err, context.Canceled) && !errors.Is(err, arena.ErrLimit) { // Compute returns the cause.
				t.Errorf("error %v", err)
			}
			var limitError *arena.LimitError
			if cause := context.Cause(ctx); !errors.As(cause, &limitError) || !errors.Is(cause, arena.ErrLimit) {
				t.Fatalf("cause %v", cause)
			}
			if limitError.Name != "q" || limitError.Limit != limit || limitError.Reserved > limit || limitError.Reserved+limitError.Needed <= limit {
				t.Errorf("%+v", limitError)
			}
			if !q.Exceeded() || other.Exceeded() || top.Exceeded() || elsewhere.Err() != nil {
				t.Errorf("%v, %v, %v, %v", q.Err(), other.Err(), top.Err(), elsewhere.Err())
			}
			n := int64(q.CurrentAlloc())
			if n >= limit+limit/2 || n >= whole/2 {
				t.Errorf("%d bytes, of %d without a limit", n, whole)
			}
			if again, err := work(ctx, q); err == nil || len(again) > 0 {
				t.Errorf("with a context that is cancelled: %d arrays, %v", len(again), err)
			}
			if l := q.Close(); (l != nil) != (len(kept) > 0) || l != nil && l.Bytes != n {
				t.Errorf("%d bytes in use: %v", n, l)
			}
			if s := top.Stats(); s.InUse != 0 || s.Orphans != n {
				t.Errorf("%+v", s)
			}
			for range 3 { // Arrays that are kept stay unchanged while others use memory.
				runtime.GC()
				if again, err := work(elsewhere, other); err != nil {
					t.Error(err)
				} else {
					releaseAll(again)
				}
			}
			for i, a := range kept {
				if a.Len() != rows || name == "ipc" && !array.Equal(a, rec.Column(i%2)) || !array.Equal(a, kept[i%2]) {
					t.Errorf("array %d of %d has changed", i, len(kept))
				}
			}
			releaseAll(kept)
			other.AssertSize(t, 0)
			if l := top.Close(); l != nil {
				t.Error(l)
			}
			if s := top.Stats(); s.Orphans != 0 || s.Held != 0 || s.Cached != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}
