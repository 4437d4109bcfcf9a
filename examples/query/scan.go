package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// A runner is what a query runs with: where its memory comes from, and when it has to stop. Nothing
// here knows which allocator that is.
type runner struct {
	ctx   context.Context // has mem for compute
	mem   memory.Allocator
	path  string // of the orders
	batch int    // rows
	out   output

	spilled struct{ runs, bytes int64 } // to files
	seen    func(run string)            // config.seen
}

// scan calls f for each batch of some columns of the orders. The batch is good until f returns:
// what is to stay has to be retained. It ends when the context does, with the cause of that.
func (r *runner) scan(columns []string, f func(arrow.RecordBatch) error) error {
	props := parquet.NewReaderProperties(r.mem)
	props.BufferedStreamEnabled = true // or columns are read as a whole, into memory that is not from r.mem
	in, err := file.OpenParquetFile(r.path, false, file.WithReadProps(props))
	if err != nil {
		return fmt.Errorf("the orders: %w", err)
	}
	defer in.Close()
	// With Parallel, which is faster, columns are read by goroutines, whose stacks do not lead to
	// the query that leaks them.
	reader, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{BatchSize: int64(r.batch)}, r.mem)
	if err != nil {
		return err
	}
	var indices []int
	for _, name := range columns {
		i := in.MetaData().Schema.ColumnIndexByName(name)
		if i < 0 {
			return fmt.Errorf("%s has no column %s: it has no orders", r.path, name)
		}
		indices = append(indices, i)
	}
	batches, err := reader.GetRecordReader(r.ctx, indices, nil)
	if err != nil {
		return err
	}
	defer batches.Release()
	for batches.Next() {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		if err := f(batches.RecordBatch()); err != nil {
			return err
		}
	}
	if err := batches.Err(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// filter returns those rows of a batch for which a comparison of a column with a constant is true.
// The result has to be released, the batch stays what it is.
func (r *runner) filter(batch arrow.RecordBatch, column, comparison string, constant any) (arrow.RecordBatch, error) {
	values := batch.Column(batch.Schema().FieldIndices(column)[0])
	left, right := compute.NewDatum(values), compute.NewDatum(constant)
	defer left.Release()
	defer right.Release()
	mask, err := compute.CallFunction(r.ctx, comparison, nil, left, right)
	if err != nil {
		return nil, err
	}
	defer mask.Release()
	bits := mask.(*compute.ArrayDatum).MakeArray() // has a reference of its own
	defer bits.Release()
	return compute.FilterRecordBatch(r.ctx, batch, bits, compute.DefaultFilterOptions())
}

// take returns some rows of a batch, by their numbers. The result has to be released.
func (r *runner) take(batch arrow.RecordBatch, rows arrow.Array) (arrow.RecordBatch, error) {
	from, order := compute.NewDatum(batch), compute.NewDatum(rows)
	defer from.Release()
	defer order.Release()
	taken, err := compute.Take(r.ctx, *compute.DefaultTakeOptions(), from, order)
	if err != nil {
		return nil, err
	}
	return taken.(*compute.RecordDatum).Value, nil // whose reference is the caller's
}

// write writes batches as an IPC stream. It does not release them.
func (r *runner) write(batches ...arrow.RecordBatch) error {
	if r.out.stream == nil {
		r.out.stream = ipc.NewWriter(&r.out, ipc.WithSchema(batches[0].Schema()), ipc.WithAllocator(r.mem))
	}
	for _, b := range batches {
		if err := r.out.stream.Write(b); err != nil {
			return err
		}
		r.out.rows += b.NumRows()
	}
	return nil
}

// An output is where the result of a query goes. It keeps a digest of it.
type output struct {
	stream *ipc.Writer // nil until there is a schema
	copy   io.Writer   // if not nil, gets all of it, too
	rows   int64
	bytes  int64
	digest uint32
}

func (o *output) Write(b []byte) (int, error) {
	o.bytes += int64(len(b))
	o.digest = crc32.Update(o.digest, crc32.IEEETable, b)
	if o.copy != nil {
		return o.copy.Write(b)
	}
	return len(b), nil
}

// close ends the stream.
func (o *output) close() error {
	if o.stream == nil {
		return nil
	}
	return o.stream.Close()
}
