package build

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/array/arreflect"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
)

// An order is a row as programs have it.
type order struct {
	ID    int64     `arrow:"id" json:"id"`
	Price *float64  `arrow:"price" json:"price"`
	Name  string    `arrow:"name" json:"name"`
	Shop  string    `arrow:"shop,dict" json:"shop"`
	Flag  bool      `arrow:"flag" json:"flag"`
	At    time.Time `arrow:"at" json:"at"`
	Parts []int64   `arrow:"parts" json:"parts"`
}

func orders(n int) []order {
	all := make([]order, n)
	for i := range all {
		o := order{ID: int64(i), Name: "nameless persons of no note"[:4+i*7%24], Shop: fmt.Sprint("shop ", i%17), Flag: i%3 == 0, At: time.Unix(int64(i), 5).UTC(), Parts: make([]int64, i%4)}
		if i%10 < 9 {
			price := float64(i*31%1000) / 10
			o.Price = &price
		}
		for j := range o.Parts {
			o.Parts[j] = int64(i + j)
		}
		all[i] = o
	}
	return all
}

// theirOrders appends orders to a builder of Arrow, as programs do by hand.
func theirOrders(b *array.RecordBuilder, rows []order) {
	ids, prices, names := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Float64Builder), b.Field(2).(*array.StringBuilder)
	shops, flags, at := b.Field(3).(*array.BinaryDictionaryBuilder), b.Field(4).(*array.BooleanBuilder), b.Field(5).(*array.TimestampBuilder)
	lists := b.Field(6).(*array.ListBuilder)
	parts := lists.ValueBuilder().(*array.Int64Builder)
	for i := range rows {
		o := &rows[i]
		ids.Append(o.ID)
		if o.Price == nil {
			prices.AppendNull()
		} else {
			prices.Append(*o.Price)
		}
		names.Append(o.Name)
		check(shops.AppendString(o.Shop))
		flags.Append(o.Flag)
		at.Append(arrow.Timestamp(o.At.UnixNano()))
		lists.Append(true)
		for _, p := range o.Parts {
			parts.Append(p)
		}
	}
}

// ourOrders is theirOrders with the builders of this package.
func ourOrders(b *RecordBuilder, rows []order) {
	ids, prices, names := b.Field(0).(*Column[int64]), b.Field(1).(*Column[float64]), b.Field(2).(*Text)
	shops, flags, at := b.Field(3).(*TextDictionary), b.Field(4).(*Bools), b.Field(5).(*Column[arrow.Timestamp])
	lists := b.Field(6).(*List)
	parts := lists.ValueBuilder().(*Column[int64])
	for i := range rows {
		o := &rows[i]
		ids.Append(o.ID)
		if o.Price == nil {
			prices.AppendNull()
		} else {
			prices.Append(*o.Price)
		}
		names.Append(o.Name)
		shops.Append(o.Shop)
		flags.Append(o.Flag)
		at.Append(arrow.Timestamp(o.At.UnixNano()))
		lists.Append(true)
		for _, p := range o.Parts {
			parts.Append(p)
		}
	}
}

// BenchmarkOrders makes batches of structs.
func BenchmarkOrders(b *testing.B) {
	for _, n := range []int{64, 1000, 100_000} {
		all := orders(n)
		schema := must(NewRows[order](nil)).Schema()
		theirs := func(mem memory.Allocator) func(*testing.B) {
			return func(b *testing.B) {
				r := array.NewRecordBuilder(mem, schema)
				for b.Loop() {
					theirOrders(r, all)
					r.NewRecordBatch().Release()
					r.Field(3).(*array.BinaryDictionaryBuilder).ResetFull() // A dictionary for each batch, as the others make it.
				}
			}
		}
		b.Run(fmt.Sprintf("rows=%d/impl=array.RecordBuilder", n), theirs(memory.NewGoAllocator()))
		b.Run(fmt.Sprintf("rows=%d/impl=arenaarrow", n), theirs(arenaarrow.New(arenaarrow.Options{})))
		b.Run(fmt.Sprintf("rows=%d/impl=arreflect", n), func(b *testing.B) {
			for b.Loop() {
				must(arreflect.RecordFromSlice(all, memory.DefaultAllocator)).Release()
			}
		})
		b.Run(fmt.Sprintf("rows=%d/impl=build.RecordBuilder", n), func(b *testing.B) {
			a := arena.NewArena()
			r := NewRecordBuilder(a, schema)
			for b.Loop() {
				ourOrders(r, all)
				r.NewRecordBatch()
				a.Reset()
			}
		})
		b.Run(fmt.Sprintf("rows=%d/impl=build.Rows", n), func(b *testing.B) {
			a := arena.NewArena()
			r := must(NewRows[order](a))
			for b.Loop() {
				r.AppendSlice(all)
				must(r.NewRecordBatch())
				a.Reset()
			}
		})
	}
}

// BenchmarkBulk makes batches of columns that are there as slices.
func BenchmarkBulk(b *testing.B) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String},
	}, nil)
	for _, n := range []int{64, 1000, 100_000} {
		ids, prices, names, valid := make([]int64, n), make([]float64, n), make([]string, n), make([]bool, n)
		for i := range n {
			ids[i], prices[i], names[i], valid[i] = int64(i), float64(i)/3, "nameless persons of no note"[:4+i*7%24], i%10 < 9
		}
		theirs := func(mem memory.Allocator) func(*testing.B) {
			return func(b *testing.B) {
				r := array.NewRecordBuilder(mem, schema)
				for b.Loop() {
					r.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
					r.Field(1).(*array.Float64Builder).AppendValues(prices, valid)
					r.Field(2).(*array.StringBuilder).AppendValues(names, nil)
					r.NewRecordBatch().Release()
				}
			}
		}
		b.Run(fmt.Sprintf("rows=%d/impl=array.RecordBuilder", n), theirs(memory.NewGoAllocator()))
		b.Run(fmt.Sprintf("rows=%d/impl=arenaarrow", n), theirs(arenaarrow.New(arenaarrow.Options{})))
		b.Run(fmt.Sprintf("rows=%d/impl=build.RecordBuilder", n), func(b *testing.B) {
			a := arena.NewArena()
			r := NewRecordBuilder(a, schema)
			for b.Loop() {
				r.Field(0).(*Column[int64]).AppendValues(ids, nil)
				r.Field(1).(*Column[float64]).AppendValues(prices, valid)
				r.Field(2).(*Text).AppendValues(names, nil)
				r.NewRecordBatch()
				a.Reset()
			}
		})
	}
}

// BenchmarkJSON makes batches of JSON, one object a line.
func BenchmarkJSON(b *testing.B) {
	const n = 1000
	var text bytes.Buffer
	for _, o := range orders(n) {
		check(json.NewEncoder(&text).Encode(o))
	}
	schema := must(NewRows[order](nil)).Schema()
	theirs := func(mem memory.Allocator) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				r := array.NewJSONReader(bytes.NewReader(text.Bytes()), schema, array.WithChunk(n), array.WithAllocator(mem))
				for r.Next() {
				}
				check(r.Err())
				r.Release()
			}
		}
	}
	b.Run("impl=array.NewJSONReader", theirs(memory.NewGoAllocator()))
	b.Run("impl=arenaarrow", theirs(arenaarrow.New(arenaarrow.Options{})))
	b.Run("impl=build.Rows", func(b *testing.B) {
		a := arena.NewArena()
		r := must(NewRows[order](a))
		for b.Loop() {
			for in := json.NewDecoder(bytes.NewReader(text.Bytes())); ; {
				var o order
				if err := in.Decode(&o); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
				r.Append(o)
			}
			must(r.NewRecordBatch())
			a.Reset()
		}
	})
}

// BenchmarkCSV makes 20 batches of CSV.
func BenchmarkCSV(b *testing.B) {
	const n, batches = 1000, 20
	var one strings.Builder
	for _, o := range orders(n) {
		fmt.Fprintf(&one, "%d,%v,%s,%t\n", o.ID, float64(o.ID)/4, o.Name, o.Flag)
	}
	text := strings.Repeat(one.String(), batches)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64},
		{Name: "name", Type: arrow.BinaryTypes.String},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
	}, nil)
	theirs := func(mem memory.Allocator) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				r := csv.NewReader(strings.NewReader(text), schema, csv.WithChunk(n), csv.WithAllocator(mem), csv.WithNullReader(false))
				for r.Next() {
				}
				check(r.Err())
				r.Release()
			}
		}
	}
	b.Run("impl=csv.NewReader", theirs(memory.NewGoAllocator()))
	b.Run("impl=arenaarrow", theirs(arenaarrow.New(arenaarrow.Options{})))
	b.Run("impl=build.RecordBuilder", func(b *testing.B) {
		a := arena.NewArena()
		r := NewRecordBuilder(a, schema)
		ids, prices, names, flags := r.Field(0).(*Column[int64]), r.Field(1).(*Column[float64]), r.Field(2).(*Text), r.Field(3).(*Bools)
		for b.Loop() {
			in := stdcsv.NewReader(strings.NewReader(text))
			in.ReuseRecord = true
			for {
				fields, err := in.Read()
				if err == io.EOF {
					break
				}
				check(err)
				ids.Append(must(strconv.ParseInt(fields[0], 10, 64)))
				prices.Append(must(strconv.ParseFloat(fields[1], 64)))
				names.Append(fields[2])
				flags.Append(must(strconv.ParseBool(fields[3])))
				if flags.Len() == n {
					r.NewRecordBatch()
					a.Reset()
				}
			}
		}
	})
}

// BenchmarkLists makes the arrays of the program of 2023.
func BenchmarkLists(b *testing.B) {
	theirs := func(mem memory.Allocator) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				theirLists(mem, 1).Release()
			}
		}
	}
	b.Run("impl=array", theirs(memory.NewGoAllocator()))
	b.Run("impl=arenaarrow", theirs(arenaarrow.New(arenaarrow.Options{})))
	b.Run("impl=build", func(b *testing.B) {
		a := arena.NewArena()
		for n := 1; b.Loop(); n++ {
			ourLists(a, 1)
			if n%100 == 0 {
				a.Reset()
			}
		}
	})
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
