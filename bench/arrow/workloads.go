package arrow

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc64"
	"io"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow/build"
)

// A workload is what programs do with Arrow.
type workload struct {
	name, title, about string
	rows               int   // What one pass goes over.
	quick              []int // Numbers of rows.
	prepare            func(rows int) pass
	prepareIn          func(rows int) passIn // Is nil where arrays cannot be made in an arena.
}

// A pass does the work once, with the allocator, and releases all it has got. What it makes goes
// into the digest, unless that is nil.
type pass func(memory.Allocator, *digest)

// A passIn does it with arrays in an arena.
type passIn func(*arena.Arena, *digest)

var workloads = []*workload{
	{name: "fixed-size-list", title: "Arrow: short lists of triples, each with builders of its own", rows: 100_000, prepare: fixedSizeList, prepareIn: fixedSizeListIn,
		about: "The program of 2023: for each row an array of five lists of three numbers. In an arena, that is reset after every hundred."},
	{name: "build-1k", title: "Arrow: rows in batches of 1,000", rows: 1_000_000, quick: []int{100_000}, prepare: builds(1000), prepareIn: buildsIn(1000),
		about: "Rows of a number, a price, a name, a flag and a list are ingested, a batch of every thousand, as a service does that has to answer. In an arena, that is reset after each batch."},
	{name: "build-one", title: "Arrow: rows in one batch", rows: 1_000_000, prepare: builds(1 << 30), prepareIn: buildsIn(1 << 30),
		about: "Rows are ingested in one batch, as by a program that writes files."},
	{name: "build-64", title: "Arrow: rows in batches of 64", rows: 1_000_000, prepare: builds(64), prepareIn: buildsIn(64),
		about: "Rows are ingested in batches of 64, as by a service that has little to do."},
	{name: "ipc-read", title: "Arrow: IPC read, a stream that the processor's cache holds", rows: 1 << 15, quick: []int{1 << 13}, prepare: ipcRead(),
		about: "A short stream, of one batch, is read from memory."},
	{name: "ipc-read-long", title: "Arrow: IPC read, a long stream", rows: 1 << 18, prepare: ipcRead(),
		about: "A stream of batches of 65,536 rows is read from memory: copying is most of the work."},
	{name: "ipc-write", title: "Arrow: IPC write", rows: 1 << 18, prepare: ipcWrite(),
		about: "Batches of 65,536 rows are written to memory that has taken such a stream before."},
	{name: "ipc-read-zstd", title: "Arrow: IPC read, zstd", rows: 1 << 18, prepare: ipcRead(ipc.WithZstd()),
		about: "A compressed stream is read from memory."},
	{name: "ipc-write-zstd", title: "Arrow: IPC write, zstd", rows: 1 << 18, prepare: ipcWrite(ipc.WithZstd()),
		about: "Batches of 65,536 rows are compressed, and written to memory."},
	{name: "filter", title: "Arrow: filter", rows: 1 << 18, prepare: filter,
		about: "The WHERE of a query, which keeps half of the rows, in batches of 65,536."},
	{name: "take", title: "Arrow: take", rows: 1 << 18, prepare: take,
		about: "What a join does: columns in the order that an index gives."},
	{name: "sort", title: "Arrow: sort", rows: 1 << 18, prepare: sort,
		about: "The ORDER BY of a query, by a number with nulls. Arrow never releases 8 bytes a row of what it allocates for this."},
	{name: "add", title: "Arrow: add", rows: 1 << 18, prepare: add,
		about: "The arithmetic of a query: a column that is the sum of two others."},
	{name: "csv-read", title: "Arrow: CSV read", rows: 1 << 17, prepare: csvRead,
		about: "Text becomes columns, of which the schema is known, 4,096 rows at a time."},
	{name: "parquet-write", title: "Arrow: Parquet write", rows: 1 << 18, prepare: parquetWrite,
		about: "A file of four row groups, compressed with Snappy, is written to memory."},
	{name: "parquet-read", title: "Arrow: Parquet read", rows: 1 << 18, prepare: parquetRead,
		about: "All columns of such a file are read from memory, side by side."},
}

// fixedSizeList is the program of 2023: many short lists, each with builders of its own.
func fixedSizeList(rows int) pass {
	return func(mem memory.Allocator, d *digest) {
		for i := range int64(rows) {
			b := array.NewFixedSizeListBuilder(mem, 3, arrow.PrimitiveTypes.Int64)
			values := b.ValueBuilder().(*array.Int64Builder)
			values.Reserve(10)
			for row := range int64(5) {
				if row == 1 || row == 4 {
					b.AppendNull()
					continue
				}
				b.Append(true)
				for j := range int64(3) {
					values.Append(i + 3*row + j)
				}
			}
			a := b.NewArray()
			d.array(a)
			a.Release()
			b.Release()
		}
	}
}

var triples = arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int64)

// fixedSizeListIn is fixedSizeList in an arena that is reset after every hundred lists.
func fixedSizeListIn(rows int) passIn {
	return func(a *arena.Arena, d *digest) {
		for i := range int64(rows) {
			values := build.NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 15)
			lists := build.NewList(a, triples, values)
			for row := range int64(5) {
				if row == 1 || row == 4 {
					lists.AppendNull()
					continue
				}
				lists.Append(true)
				for j := range int64(3) {
					values.Append(i + 3*row + j)
				}
			}
			d.array(lists.NewArray())
			if i%100 == 99 {
				a.Reset()
			}
		}
		a.Reset()
	}
}

// builds ingests rows, and makes a batch of every batch rows: a thousand, as a service that has to
// answer, all of them, as a service that writes files, or a few, as a service that has little to
// do.
func builds(batch int) func(rows int) pass {
	return func(rows int) pass {
		return func(mem memory.Allocator, d *digest) { buildWith(mem, rows, batch, d.record) }
	}
}

// buildsIn is builds in an arena that is reset after each batch.
func buildsIn(batch int) func(rows int) passIn {
	return func(rows int) passIn {
		return func(a *arena.Arena, d *digest) { buildIn(a, rows, batch, d.record) }
	}
}

// ipcRead is a service that gets its data from another one, here from memory: short streams, of one
// batch that the processor's cache has room for, or long ones, where copying through memory is most
// of the work.
func ipcRead(options ...ipc.Option) func(rows int) pass {
	return func(rows int) pass {
		var stream bytes.Buffer
		write(memory.NewGoAllocator(), &stream, records(rows, batchRows), options)
		return func(mem memory.Allocator, d *digest) {
			r := must(ipc.NewReader(bytes.NewReader(stream.Bytes()), ipc.WithAllocator(mem)))
			defer r.Release()
			for r.Next() {
				d.record(r.RecordBatch())
			}
			check(r.Err())
		}
	}
}

// ipcWrite is the service at the other end, here with memory that takes the stream.
func ipcWrite(options ...ipc.Option) func(rows int) pass {
	return func(rows int) pass {
		in := records(rows, batchRows)
		var stream bytes.Buffer
		write(memory.NewGoAllocator(), &stream, in, options)
		return func(mem memory.Allocator, d *digest) {
			stream.Reset()
			write(mem, &stream, in, options)
			d.bytes(stream.Bytes())
		}
	}
}

func write(mem memory.Allocator, to *bytes.Buffer, in []arrow.RecordBatch, options []ipc.Option) {
	w := ipc.NewWriter(to, append([]ipc.Option{ipc.WithSchema(schema), ipc.WithAllocator(mem)}, options...)...)
	for _, r := range in {
		check(w.Write(r))
	}
	check(w.Close())
}

// filter is the WHERE of a query, which keeps half of the rows.
func filter(rows int) pass {
	in := records(rows, batchRows)
	masks := make([]arrow.Array, len(in))
	for i, r := range in {
		b := array.NewBooleanBuilder(memory.NewGoAllocator())
		for j := range r.NumRows() {
			b.Append(random(int(j))%2 == 0)
		}
		masks[i] = b.NewArray()
	}
	return func(mem memory.Allocator, d *digest) {
		ctx := compute.WithAllocator(context.Background(), mem)
		for i, r := range in {
			out := must(compute.FilterRecordBatch(ctx, r, masks[i], compute.DefaultFilterOptions()))
			d.record(out)
			out.Release()
		}
	}
}

// take is what a join does: columns in the order that an index gives.
func take(rows int) pass {
	in := records(rows, rows)[0]
	b := array.NewInt64Builder(memory.NewGoAllocator())
	for i := range rows {
		b.Append(int64(random(i) % uint64(rows)))
	}
	indices := b.NewArray()
	return func(mem memory.Allocator, d *digest) {
		ctx := compute.WithAllocator(context.Background(), mem)
		for _, column := range in.Columns() {
			out := must(compute.TakeArray(ctx, column, indices))
			d.array(out)
			out.Release()
		}
	}
}

// sort is the ORDER BY of a query, by a number with nulls. Arrow never releases 8 bytes a row of
// what it allocates for this.
func sort(rows int) pass {
	in := records(rows, rows)[0]
	return func(mem memory.Allocator, d *digest) {
		ctx := compute.WithAllocator(context.Background(), mem)
		out := must(compute.SortIndicesArray(ctx, in.Column(1), compute.DefaultSortKey()))
		d.array(out)
		out.Release()
	}
}

// add is the arithmetic of a query: a column that is the sum of two others.
func add(rows int) pass {
	in := records(rows, rows)[0]
	column := compute.NewDatum(in.Column(0))
	return func(mem memory.Allocator, d *digest) {
		ctx := compute.WithAllocator(context.Background(), mem)
		sum := must(compute.Add(ctx, compute.ArithmeticOptions{}, column, column))
		if d != nil {
			a := sum.(*compute.ArrayDatum).MakeArray()
			d.array(a)
			a.Release()
		}
		sum.Release()
	}
}

// csvRead is an import: text becomes columns, of which the schema is known.
func csvRead(rows int) pass {
	var text bytes.Buffer
	for i := range rows {
		price := strconv.FormatFloat(price(i), 'g', -1, 64)
		if isNull(i) {
			price = ""
		}
		fmt.Fprintf(&text, "%d,%s,%s,%t\n", i, price, name(i), i%3 == 0)
	}
	flat := arrow.NewSchema(schema.Fields()[:4], nil)
	return func(mem memory.Allocator, d *digest) {
		r := csv.NewReader(bytes.NewReader(text.Bytes()), flat, csv.WithAllocator(mem), csv.WithChunk(4096), csv.WithNullReader(false))
		defer r.Release()
		for r.Next() {
			d.record(r.RecordBatch())
		}
		check(r.Err())
	}
}

// parquetWrite is what keeps data: four row groups, compressed with Snappy, here into memory.
func parquetWrite(rows int) pass {
	in := array.NewTableFromRecords(schema, records(rows, batchRows))
	var file bytes.Buffer
	writeParquet(memory.NewGoAllocator(), &file, in)
	return func(mem memory.Allocator, d *digest) {
		file.Reset()
		writeParquet(mem, &file, in)
		d.bytes(file.Bytes())
	}
}

// parquetRead is the scan of a query: all columns of such a file, side by side.
func parquetRead(rows int) pass {
	var file bytes.Buffer
	writeParquet(memory.NewGoAllocator(), &file, array.NewTableFromRecords(schema, records(rows, batchRows)))
	return func(mem memory.Allocator, d *digest) {
		table := must(pqarrow.ReadTable(context.Background(), bytes.NewReader(file.Bytes()), parquet.NewReaderProperties(mem),
			pqarrow.ArrowReadProperties{Parallel: true, BatchSize: batchRows}, mem))
		defer table.Release()
		for i := range int(table.NumCols()) {
			for _, a := range table.Column(i).Data().Chunks() {
				d.array(a)
			}
		}
	}
}

func writeParquet(mem memory.Allocator, to io.Writer, in arrow.Table) {
	group := (in.NumRows() + 3) / 4
	check(pqarrow.WriteTable(in, to, group,
		parquet.NewWriterProperties(parquet.WithAllocator(mem), parquet.WithCompression(compress.Codecs.Snappy), parquet.WithMaxRowGroupLength(group)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(mem))))
}

// batchRows is how many rows a batch of the input has, where a pass goes over batches.
const batchRows = 1 << 16

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "name", Type: arrow.BinaryTypes.String},
	{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
	{Name: "parts", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)},
}, nil)

// buildWith makes batches of at most size rows, one after the other, and gives them to f.
func buildWith(mem memory.Allocator, rows, size int, f func(arrow.RecordBatch)) {
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	id, prices, names := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Float64Builder), b.Field(2).(*array.StringBuilder)
	flags, lists := b.Field(3).(*array.BooleanBuilder), b.Field(4).(*array.ListBuilder)
	parts := lists.ValueBuilder().(*array.Int64Builder)
	for first := 0; first < rows; first += size {
		for i := first; i < min(first+size, rows); i++ {
			id.Append(int64(i))
			if isNull(i) {
				prices.AppendNull()
			} else {
				prices.Append(price(i))
			}
			names.Append(name(i))
			flags.Append(i%3 == 0)
			lists.Append(true)
			for j := range i % 4 {
				parts.Append(int64(i + j))
			}
		}
		r := b.NewRecordBatch()
		f(r)
		r.Release()
	}
}

// buildIn is buildWith in an arena that is reset after each batch.
func buildIn(a *arena.Arena, rows, size int, f func(arrow.RecordBatch)) {
	b := build.NewRecordBuilder(a, schema)
	id, prices, names := b.Field(0).(*build.Column[int64]), b.Field(1).(*build.Column[float64]), b.Field(2).(*build.Text)
	flags, lists := b.Field(3).(*build.Bools), b.Field(4).(*build.List)
	parts := lists.ValueBuilder().(*build.Column[int64])
	for first := 0; first < rows; first += size {
		for i := first; i < min(first+size, rows); i++ {
			id.Append(int64(i))
			if isNull(i) {
				prices.AppendNull()
			} else {
				prices.Append(price(i))
			}
			names.Append(name(i))
			flags.Append(i%3 == 0)
			lists.Append(true)
			for j := range i % 4 {
				parts.Append(int64(i + j))
			}
		}
		f(b.NewRecordBatch())
		a.Reset()
	}
}

// records returns the batches of buildWith, which are on the Go heap.
func records(rows, size int) (all []arrow.RecordBatch) {
	buildWith(memory.NewGoAllocator(), rows, size, func(r arrow.RecordBatch) {
		r.Retain()
		all = append(all, r)
	})
	return all
}

// random returns the number i of those that are in no order.
func random(i int) uint64 {
	x := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>31
}

func isNull(i int) bool { return i%10 == 9 }

func price(i int) float64 { return float64(random(i)%1_000_000) / 100 }

// name returns a text of 4 to 27 bytes.
func name(i int) string { return "nameless persons of no note"[:4+random(i)%24] }

// A digest is a number for all that was put into it, in this order. A nil one takes nothing.
type digest uint64

func (d *digest) record(r arrow.RecordBatch) {
	if d == nil {
		return
	}
	for _, a := range r.Columns() {
		d.array(a)
	}
}

func (d *digest) array(a arrow.Array) {
	if d == nil {
		return
	}
	d.number(uint64(a.Len()))
	for i := range a.Len() {
		d.value(a, i)
	}
}

func (d *digest) value(a arrow.Array, i int) {
	if a.IsNull(i) {
		d.number(math.MaxUint64)
		return
	}
	switch a := a.(type) {
	case *array.Int64:
		d.number(uint64(a.Value(i)))
	case *array.Uint64:
		d.number(a.Value(i))
	case *array.Float64:
		d.number(math.Float64bits(a.Value(i)))
	case *array.Boolean:
		if a.Value(i) {
			d.number(1)
		} else {
			d.number(0)
		}
	case *array.String:
		d.bytes([]byte(a.Value(i)))
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		d.number(uint64(to - from))
		for j := from; j < to; j++ {
			d.value(a.ListValues(), int(j))
		}
	default:
		panic(fmt.Sprintf("there is no digest of %T", a))
	}
}

var polynomial = crc64.MakeTable(crc64.ECMA)

func (d *digest) bytes(b []byte) {
	if d != nil {
		d.number(uint64(len(b)))
		d.number(crc64.Checksum(b, polynomial))
	}
}

func (d *digest) number(n uint64) {
	x := (uint64(*d) ^ n) * 0x9e3779b97f4a7c15
	*d = digest(x ^ x>>29)
}

// must returns v. An error ends the process: its output goes to that which has started it.
func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
