package arenaarrow_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// numberTypes are those that arithmetic, sorting and casts are tried with.
var numberTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
}

// flatTypes are those that CSV has.
var flatTypes = append([]arrow.DataType{
	arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
	arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Second},
}, numberTypes...)

// fileTypes are those without children that Parquet has.
var fileTypes = append([]arrow.DataType{
	arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 5},
	&arrow.Decimal128Type{Precision: 20, Scale: 2}, arrow.FixedWidthTypes.Time64us,
}, flatTypes...)

// plainTypes have no children.
var plainTypes = append([]arrow.DataType{
	arrow.BinaryTypes.LargeBinary, arrow.FixedWidthTypes.Duration_ms,
	arrow.FixedWidthTypes.Float16, arrow.FixedWidthTypes.MonthDayNanoInterval, arrow.Null,
}, fileTypes...)

// fileType returns one that Parquet has.
func fileType(r *rand.Rand) arrow.DataType {
	t := any1(r, fileTypes...)
	switch r.IntN(6) {
	case 0:
		return arrow.ListOf(t)
	case 1:
		return arrow.StructOf(arrow.Field{Name: "a", Type: t, Nullable: true}, arrow.Field{Name: "b", Type: any1(r, fileTypes...), Nullable: true})
	}
	return t
}

// selectableType returns one that compute filters and takes from.
func selectableType(r *rand.Rand) arrow.DataType {
	t := any1(r, fileTypes...)
	switch r.IntN(6) {
	case 0:
		return arrow.ListOf(any1(r, numberTypes...)) // Texts in lists, all of which are empty, panic.
	case 1:
		return arrow.FixedSizeListOf(3, t)
	case 2:
		return arrow.StructOf(arrow.Field{Name: "a", Type: t, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true})
	}
	return t
}

// anyType returns one of all types, with children down to the given depth.
func anyType(r *rand.Rand, depth int) arrow.DataType {
	if depth == 0 || r.IntN(2) == 0 {
		if r.IntN(6) == 0 {
			return any1[arrow.DataType](r, arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
				&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String},
				&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int64})
		}
		return any1(r, plainTypes...)
	}
	t := anyType(r, depth-1)
	fields := []arrow.Field{{Name: "a", Type: t, Nullable: true}, {Name: "b", Type: anyType(r, depth-1), Nullable: true}}
	switch r.IntN(9) {
	case 0:
		return arrow.ListOf(t)
	case 1:
		return arrow.LargeListOf(t)
	case 2:
		return arrow.ListViewOf(t)
	case 3:
		return arrow.FixedSizeListOf(2, t)
	case 4:
		return arrow.MapOf(arrow.BinaryTypes.String, t)
	case 5:
		return arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{0, 1})
	case 6:
		return arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{0, 1})
	case 7:
		return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, any1(r, flatTypes...))
	default:
		return arrow.StructOf(fields...)
	}
}

func any1[T any](r *rand.Rand, v ...T) T { return v[r.IntN(len(v))] }

// randomText returns a text that is empty, short, or longer than a view has in itself.
func randomText(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return strings.Repeat("long text ", r.IntN(20))
	}
	return fmt.Sprint(r.IntN(100))
}

// build returns an array of n values.
func build(r *rand.Rand, mem memory.Allocator, t arrow.DataType, n int) arrow.Array {
	b := array.NewBuilder(mem, t)
	defer b.Release()
	appendValues(r, b, n)
	return b.NewArray()
}

// appendValues appends n values, some of them null.
func appendValues(r *rand.Rand, b array.Builder, n int) {
	if r.IntN(2) == 0 {
		b.Reserve(n)
	}
	for range n {
		if r.IntN(10) == 0 {
			b.AppendNull()
		} else {
			appendValue(r, b)
		}
	}
}

// appendValue appends one value, which is not null.
func appendValue(r *rand.Rand, b array.Builder) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(r.IntN(100)))
	case *array.Int16Builder:
		b.Append(int16(r.IntN(100)))
	case *array.Int32Builder:
		b.Append(int32(r.IntN(100)))
	case *array.Int64Builder:
		b.Append(int64(r.IntN(100)))
	case *array.Uint8Builder:
		b.Append(uint8(r.IntN(100)))
	case *array.Uint16Builder:
		b.Append(uint16(r.IntN(100)))
	case *array.Uint32Builder:
		b.Append(uint32(r.IntN(100)))
	case *array.Uint64Builder:
		b.Append(uint64(r.IntN(100)))
	case *array.Float16Builder:
		b.Append(float16.New(float32(r.IntN(100))))
	case *array.Float32Builder:
		b.Append(float32(r.IntN(100)))
	case *array.Float64Builder:
		b.Append(float64(r.IntN(100)))
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.StringBuilder:
		b.Append(randomText(r))
	case *array.LargeStringBuilder:
		b.Append(randomText(r))
	case *array.StringViewBuilder:
		b.Append(randomText(r))
	case *array.BinaryBuilder:
		b.Append([]byte(randomText(r)))
	case *array.BinaryViewBuilder:
		b.Append([]byte(randomText(r)))
	case *array.FixedSizeBinaryBuilder:
		b.Append(fmt.Appendf(nil, "%05d", r.IntN(1e5)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(r.IntN(20000)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(r.IntN(1e9)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(r.IntN(20000) * 86400000))
	case *array.Time32Builder:
		b.Append(arrow.Time32(r.IntN(86400)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(r.IntN(1e9)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(r.IntN(1e9)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(r.Int64N(1e9)))
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(arrow.MonthDayNanoInterval{Months: int32(r.IntN(9)), Days: int32(r.IntN(9)), Nanoseconds: r.Int64N(9)})
	case *array.MonthIntervalBuilder:
		b.Append(arrow.MonthInterval(r.IntN(9)))
	case *array.DayTimeIntervalBuilder:
		b.Append(arrow.DayTimeInterval{Days: int32(r.IntN(9)), Milliseconds: int32(r.IntN(9))})
	case *array.Decimal32Builder:
		b.Append(decimal.Decimal32(r.IntN(1e6)))
	case *array.Decimal64Builder:
		b.Append(decimal.Decimal64(r.IntN(1e9)))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromI64(r.Int64N(1e9)))
	case *extensions.UUIDBuilder:
		must(b.AppendValueFromString(fmt.Sprintf("%08x-0000-4000-8000-000000000000", r.Uint32())))
	case *extensions.Bool8Builder:
		b.Append(r.IntN(2) == 0)
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BinaryDictionaryBuilder:
		must(b.AppendString(randomText(r)))
	case *array.Int64DictionaryBuilder:
		must(b.Append(r.Int64N(50)))
	case *array.Date32DictionaryBuilder:
		must(b.Append(arrow.Date32(r.IntN(50))))
	case *array.FixedSizeBinaryDictionaryBuilder:
		must(b.Append(fmt.Appendf(nil, "%05d", r.IntN(50))))
	case *array.Decimal128DictionaryBuilder:
		must(b.Append(decimal128.FromI64(r.Int64N(50))))
	case *array.Float64DictionaryBuilder:
		must(b.Append(float64(r.IntN(50))))
	case *array.RunEndEncodedBuilder:
		b.Append(1)
		appendValue(r, b.ValueBuilder())
	case *array.MapBuilder:
		b.Append(true)
		for i := range r.IntN(4) {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint("key ", i))
			appendValues(r, b.ItemBuilder(), 1)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		appendValues(r, b.ValueBuilder(), int(b.Type().(*arrow.FixedSizeListType).Len()))
	case array.VarLenListLikeBuilder:
		n := r.IntN(5)
		b.AppendWithSize(true, n)
		appendValues(r, b.ValueBuilder(), n)
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendValues(r, b.FieldBuilder(i), 1)
		}
	case *array.DenseUnionBuilder:
		child := r.IntN(2)
		b.Append(arrow.UnionTypeCode(child))
		appendValues(r, b.Child(child), 1)
	case *array.SparseUnionBuilder:
		child := r.IntN(2)
		b.Append(arrow.UnionTypeCode(child))
		appendValues(r, b.Child(child), 1)
		b.Child(1 - child).AppendEmptyValue()
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

// must panics if there is an error that cannot be.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// must1 is must for a function that returns a value too.
func must1[T any](v T, err error) T {
	must(err)
	return v
}
