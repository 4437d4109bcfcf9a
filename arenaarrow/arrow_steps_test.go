package arenaarrow_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// An env is what a step works with: an allocator, and the arrays that there are. What a step does
// depends on nothing else but r.
type env struct {
	mem    memory.Allocator
	arrays []arrow.Array
	most   int // values of an array

	// part calls f with an allocator that it closes then, for what arrow itself never releases some
	// memory of.
	part func(f func(mem memory.Allocator))
}

// A step returns new arrays, and bytes that it has written.
type step struct {
	name string
	part bool // needs env.part
	do   func(e *env, r *rand.Rand) ([]arrow.Array, []byte)
}

var steps = []step{
	{"build", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		n := e.size(r)
		return one(build(r, e.mem, anyType(r, 2), n))
	}},
	{"builder that is used again", false, func(e *env, r *rand.Rand) (list []arrow.Array, _ []byte) {
		t := anyType(r, 1)
		b := array.NewBuilder(e.mem, t)
		defer b.Release()
		for range 2 + r.IntN(2) {
			appendValues(r, b, e.size(r))
			list = append(list, b.NewArray())
		}
		if !contains(t, isView) { // Their Release forgets that.
			appendValues(r, b, e.size(r))
		}
		return list, nil
	}},
	{"slice", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		if len(e.arrays) == 0 {
			return nil, nil
		}
		return one(slice(r, any1(r, e.arrays...)))
	}},
	{"concatenate", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		if len(e.arrays) == 0 {
			return nil, nil
		}
		a := any1(r, e.arrays...)
		if contains(a.DataType(), isUnion) {
			return nil, nil
		}
		parts := []arrow.Array{slice(r, a), slice(r, a), slice(r, a)}
		defer releaseAll(parts)
		return one(must1(array.Concatenate(parts, e.mem)))
	}},
	{"filter", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		n := 1 + e.size(r) // Selecting from no texts panics in a goroutine of arrow.
		values := build(r, e.mem, selectableType(r), n)
		mask := build(r, e.mem, arrow.FixedWidthTypes.Boolean, n)
		defer values.Release()
		defer mask.Release()
		o := compute.FilterOptions{NullSelection: any1(r, compute.SelectionDropNulls, compute.SelectionEmitNulls)}
		return one(must1(compute.FilterArray(e.context(), values, mask, o)))
	}},
	{"filter of a batch", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		rec := e.batch(r, schemaOf(r, func() arrow.DataType { return selectableType(r) }), 1+e.size(r))
		defer rec.Release()
		mask := build(r, e.mem, arrow.FixedWidthTypes.Boolean, int(rec.NumRows()))
		defer mask.Release()
		out := must1(compute.FilterRecordBatch(e.context(), rec, mask, compute.DefaultFilterOptions()))
		defer out.Release()
		return columns(out), nil
	}},
	{"take", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		n := 1 + e.size(r)
		values := build(r, e.mem, selectableType(r), n)
		defer values.Release()
		indices := e.indices(r, n)
		defer indices.Release()
		return one(must1(compute.TakeArray(e.context(), values, indices)))
	}},
	{"sort", true, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		values := build(r, e.mem, any1(r, append(numberTypes, arrow.BinaryTypes.String)...), 1+e.size(r))
		defer values.Release()
		key := compute.DefaultSortKey()
		key.Order = any1(r, compute.SortOrderAscending, compute.SortOrderDescending)
		var sorted arrow.Array
		e.part(func(mem memory.Allocator) {
			indices := must1(compute.SortIndicesArray(compute.WithAllocator(context.Background(), mem), values, key))
			defer indices.Release()
			sorted = must1(compute.TakeArray(e.context(), values, indices))
		})
		return one(sorted)
	}},
	{"arithmetic", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		n, t := e.size(r), any1(r, numberTypes...)
		x, y := build(r, e.mem, t, n), build(r, e.mem, t, n)
		defer x.Release()
		defer y.Release()
		do := any1(r, compute.Add, compute.Subtract, compute.Multiply)
		d := must1(do(e.context(), compute.ArithmeticOptions{NoCheckOverflow: true}, compute.NewDatumWithoutOwning(x), compute.NewDatumWithoutOwning(y)))
		defer d.Release()
		return one(d.(*compute.ArrayDatum).MakeArray())
	}},
	{"cast", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		values := build(r, e.mem, any1(r, numberTypes...), e.size(r))
		defer values.Release()
		return one(must1(compute.CastToType(e.context(), values, any1(r, numberTypes...))))
	}},
	{"cast to text", true, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		values := build(r, e.mem, any1(r, numberTypes...), e.size(r))
		defer values.Release()
		var copied arrow.Array
		e.part(func(mem memory.Allocator) {
			text := must1(compute.CastToType(compute.WithAllocator(context.Background(), mem), values, any1[arrow.DataType](r, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString)))
			defer text.Release()
			copied = must1(array.Concatenate([]arrow.Array{text}, e.mem))
		})
		return one(copied)
	}},
	{"ipc stream", false, func(e *env, r *rand.Rand) (list []arrow.Array, _ []byte) {
		schema := anySchema(r)
		var buf bytes.Buffer
		w := ipc.NewWriter(&buf, e.ipcOptions(r, schema)...)
		for range 1 + r.IntN(3) {
			e.write(r, w, schema)
		}
		must(w.Close())
		rd := must1(ipc.NewReader(bytes.NewReader(buf.Bytes()), ipc.WithAllocator(e.mem), ipc.WithDelayReadSchema(r.IntN(2) == 0)))
		defer rd.Release()
		for rd.Next() {
			list = append(list, columns(rd.RecordBatch())...)
		}
		must(rd.Err())
		return list, buf.Bytes()
	}},
	{"ipc file", false, func(e *env, r *rand.Rand) (list []arrow.Array, _ []byte) {
		schema := anySchema(r)
		var buf bytes.Buffer
		w := must1(ipc.NewFileWriter(&buf, e.ipcOptions(r, schema)...))
		batches := 1 + r.IntN(3)
		if slices.ContainsFunc(schema.Fields(), func(f arrow.Field) bool { return contains(f.Type, isDictionary) }) {
			batches = 1 // A file has one dictionary.
		}
		for range batches {
			e.write(r, w, schema)
		}
		must(w.Close())
		rd := must1(ipc.NewFileReader(bytes.NewReader(buf.Bytes()), ipc.WithAllocator(e.mem)))
		for i := range rd.NumRecords() {
			rec := must1(rd.RecordBatchAt(i))
			list = append(list, columns(rec)...)
			rec.Release()
		}
		must(rd.Close())
		return list, buf.Bytes()
	}},
	{"csv", false, func(e *env, r *rand.Rand) (list []arrow.Array, _ []byte) {
		schema := schemaOf(r, func() arrow.DataType { return any1(r, flatTypes...) })
		var buf bytes.Buffer
		w := csv.NewWriter(&buf, schema, csv.WithHeader(true), csv.WithNullWriter("NULL"))
		e.write(r, w, schema)
		must(w.Flush())
		must(w.Error())
		rd := csv.NewReader(bytes.NewReader(buf.Bytes()), schema, csv.WithAllocator(e.mem), csv.WithHeader(true),
			csv.WithChunk(any1(r, -1, 0, 1, 10, 1000)), csv.WithNullReader(true, "NULL"))
		defer rd.Release()
		for rd.Next() && len(list) < 50 {
			list = append(list, columns(rd.RecordBatch())...)
		}
		must(rd.Err())
		return list, buf.Bytes()
	}},
	{"parquet", false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		file := e.parquet(r)
		t := must1(pqarrow.ReadTable(context.Background(), bytes.NewReader(file), parquet.NewReaderProperties(e.mem),
			pqarrow.ArrowReadProperties{Parallel: r.IntN(2) == 0, BatchSize: any1[int64](r, 0, 10, 1000)}, e.mem))
		defer t.Release()
		rd := array.NewTableReader(t, any1[int64](r, 0, 100))
		defer rd.Release()
		var list []arrow.Array
		for rd.Next() && len(list) < 50 {
			list = append(list, columns(rd.RecordBatch())...)
		}
		return list, file
	}},
	{throughCName, false, func(e *env, r *rand.Rand) ([]arrow.Array, []byte) {
		if len(e.arrays) == 0 || throughC == nil {
			return nil, nil
		}
		return one(throughC(any1(r, e.arrays...)))
	}},
}

// throughC exports an array to C and imports it from there. It is nil without cgo.
var throughC func(arrow.Array) arrow.Array

const throughCName = "C data interface"

func one(a arrow.Array) ([]arrow.Array, []byte) { return []arrow.Array{a}, nil }

func releaseAll(list []arrow.Array) {
	for _, a := range list {
		a.Release()
	}
}

// size returns how many values an array is to have.
func (e *env) size(r *rand.Rand) int { return r.IntN(1 + r.IntN(1+r.IntN(1+e.most))) }

func (e *env) context() context.Context { return compute.WithAllocator(context.Background(), e.mem) }

func slice(r *rand.Rand, a arrow.Array) arrow.Array {
	from := r.IntN(a.Len() + 1)
	return array.NewSlice(a, int64(from), int64(from+r.IntN(a.Len()-from+1)))
}

// contains reports whether is is true for t or a child of it.
func contains(t arrow.DataType, is func(arrow.DataType) bool) bool {
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if contains(f.Type, is) {
				return true
			}
		}
	}
	return is(t)
}

// isUnion is for those that cannot be concatenated.
func isUnion(t arrow.DataType) bool { _, ok := t.(arrow.UnionType); return ok }

// isUnsliced reports whether ipc writes no slices of arrays of the type.
func isUnsliced(t arrow.DataType) bool {
	id := t.ID()
	return id == arrow.LIST_VIEW || id == arrow.RUN_END_ENCODED || isUnion(t)
}

func isDictionary(t arrow.DataType) bool { return t.ID() == arrow.DICTIONARY }

func isView(t arrow.DataType) bool { _, ok := t.(arrow.BinaryViewDataType); return ok }

// indices returns numbers below n, some of them null.
func (e *env) indices(r *rand.Rand, n int) arrow.Array {
	b := array.NewInt64Builder(e.mem)
	defer b.Release()
	for range e.size(r) {
		if r.IntN(10) == 0 {
			b.AppendNull()
		} else {
			b.Append(r.Int64N(int64(n)))
		}
	}
	return b.NewArray()
}

// schemaOf returns a schema of some types.
func schemaOf(r *rand.Rand, of func() arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, 1+r.IntN(4))
	for i := range fields {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: of(), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

func anySchema(r *rand.Rand) *arrow.Schema {
	return schemaOf(r, func() arrow.DataType { return anyType(r, 2) })
}

// batch returns n rows.
func (e *env) batch(r *rand.Rand, schema *arrow.Schema, n int) arrow.RecordBatch {
	b := array.NewRecordBuilder(e.mem, schema)
	defer b.Release()
	for _, f := range b.Fields() {
		appendValues(r, f, n)
	}
	return b.NewRecordBatch()
}

// write writes a batch, or a part of one.
func (e *env) write(r *rand.Rand, w interface{ Write(arrow.RecordBatch) error }, schema *arrow.Schema) {
	rec := e.batch(r, schema, e.size(r))
	defer rec.Release()
	whole := slices.ContainsFunc(schema.Fields(), func(f arrow.Field) bool { return contains(f.Type, isUnsliced) })
	if from := int64(r.IntN(5)); from < rec.NumRows() && !whole {
		part := rec.NewSlice(from, rec.NumRows())
		defer part.Release()
		rec = part
	}
	must(w.Write(rec))
}

// columns returns the columns of a batch, retained.
func columns(rec arrow.RecordBatch) (list []arrow.Array) {
	for _, c := range rec.Columns() {
		c.Retain()
		list = append(list, c)
	}
	return list
}

func (e *env) ipcOptions(r *rand.Rand, schema *arrow.Schema) []ipc.Option {
	o := []ipc.Option{ipc.WithAllocator(e.mem), ipc.WithSchema(schema)}
	switch r.IntN(3) {
	case 0:
		o = append(o, ipc.WithZstd(), ipc.WithCompressConcurrency(r.IntN(3)))
	case 1:
		o = append(o, ipc.WithLZ4(), ipc.WithCompressConcurrency(r.IntN(3)))
	}
	return o
}

// parquet returns a file.
func (e *env) parquet(r *rand.Rand) []byte {
	schema := schemaOf(r, func() arrow.DataType { return fileType(r) })
	var buf bytes.Buffer
	w := must1(pqarrow.NewFileWriter(schema, &buf,
		parquet.NewWriterProperties(parquet.WithAllocator(e.mem), parquet.WithDictionaryDefault(r.IntN(2) == 0),
			parquet.WithCompression(any1(r, compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd)),
			parquet.WithDataPageSize(any1[int64](r, 1<<10, 1<<20))),
		pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(e.mem), pqarrow.WithStoreSchema())))
	write := w.Write
	if r.IntN(2) == 0 {
		write = w.WriteBuffered
	}
	for range 1 + r.IntN(2) {
		e.write(r, writeFunc(write), schema)
	}
	must(w.Close())
	return buf.Bytes()
}

type writeFunc func(arrow.RecordBatch) error

func (f writeFunc) Write(rec arrow.RecordBatch) error { return f(rec) }
