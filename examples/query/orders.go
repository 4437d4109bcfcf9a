package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// orders is the schema of the file. Orders are there as they have come in, by id and by day.
var orders = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "customer", Type: customerType},
	{Name: "region", Type: arrow.BinaryTypes.String},
	{Name: "price", Type: arrow.PrimitiveTypes.Int64}, // of one, in cents
	{Name: "quantity", Type: arrow.PrimitiveTypes.Int32},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32},
}, nil)

var customerType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

var regions = []string{"Alps", "Baltic", "Benelux", "British Isles", "Danube", "Iberia", "Italy", "Nordic"}

// The orders are of two years.
var firstDay = arrow.Date32FromTime(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))

const days = 731

// rowGroup is how many orders a row group of the file has.
const rowGroup = 1 << 17

// makeOrders makes a file with rows orders, always the same, if there is no file.
func makeOrders(path string, rows int) error {
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "orders")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is not there under that name, if all went well
	b := bufio.NewWriterSize(f, 1<<16)
	err = writeOrders(b, rows)
	if err := errors.Join(err, b.Flush(), f.Close()); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}

// writeOrders writes a Parquet file. It is not what is measured, and uses the Go heap.
func writeOrders(w io.Writer, rows int) error {
	// The writer would close a file.
	out, err := pqarrow.NewFileWriter(orders, struct{ io.Writer }{w},
		parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithMaxRowGroupLength(rowGroup),
			parquet.WithDataPageSize(64<<10), parquet.WithDictionaryPageSizeLimit(64<<10)), // A reader has a page of each column in memory.
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())) // or the dictionary would be lost
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	customers := rand.NewZipf(random, 1.1, 50, uint64(rows/50))
	b := array.NewRecordBuilder(memory.NewGoAllocator(), orders)
	defer b.Release()
	for i := range rows {
		customer := customers.Uint64()
		home := int(customer * 7 % uint64(len(regions)))
		if random.IntN(20) == 0 { // a gift
			home = random.IntN(len(regions))
		}
		b.Field(0).(*array.Int64Builder).Append(int64(1_000_000 + i))
		if err := b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprintf("customer %06d", customer)); err != nil {
			return err
		}
		b.Field(2).(*array.StringBuilder).Append(regions[home])
		b.Field(3).(*array.Int64Builder).Append(int64(99 + 100*int(random.ExpFloat64()*80)))
		b.Field(4).(*array.Int32Builder).Append(int32(1 + random.ExpFloat64()))
		b.Field(5).(*array.Date32Builder).Append(firstDay + arrow.Date32(i*days/rows))
		if (i+1)%rowGroup == 0 || i+1 == rows {
			batch := b.NewRecordBatch()
			err := out.Write(batch)
			batch.Release()
			if err != nil {
				return err
			}
		}
	}
	return out.Close()
}
