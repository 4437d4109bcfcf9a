package build

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// flat are the types without children.
var flat = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64ns,
	arrow.FixedWidthTypes.Timestamp_s, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}, arrow.FixedWidthTypes.Duration_ms,
	arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
	&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: 2},
	&arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 2},
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.LargeBinary,
	arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: 5},
	extensions.NewUUIDType(), extensions.NewBool8Type(),
}

// extensionTypes is how many of flat are extension types: the last ones. In structs and unions
// Arrow's builders give those with builders of their own the storage type.
const extensionTypes = 2

// valuesOfDictionaries are the types for which Arrow has builders of dictionaries; that for Float16
// panics.
var valuesOfDictionaries = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64us,
	arrow.FixedWidthTypes.Timestamp_ns, arrow.FixedWidthTypes.Duration_ns,
	arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
	&arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 2},
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 5},
}

var indices = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
}

// A source makes random types, and random values of them.
type source struct {
	*rand.Rand
	nulls  bool
	single bool // Values are appended one by one.
}

func pick[T any](r *source, of []T) T { return of[r.IntN(len(of))] }

func (r *source) dtype(depth int) arrow.DataType {
	if depth == 0 || r.IntN(3) == 0 {
		if r.IntN(5) == 0 {
			return &arrow.DictionaryType{IndexType: pick(r, indices), ValueType: pick(r, valuesOfDictionaries)}
		}
		return pick(r, flat[:len(flat)-extensionTypes])
	}
	switch depth--; r.IntN(10) {
	case 0:
		return arrow.ListOf(r.dtype(depth))
	case 1:
		return arrow.LargeListOf(r.dtype(depth))
	case 2:
		return arrow.ListViewOf(r.dtype(depth))
	case 3:
		return arrow.LargeListViewOf(r.dtype(depth))
	case 4:
		return arrow.FixedSizeListOf(1+r.Int32N(4), r.dtype(depth))
	case 5:
		return arrow.MapOf(pick(r, []arrow.DataType{arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32}), r.dtype(depth))
	case 6:
		return arrow.SparseUnionOf(r.fields(depth), []arrow.UnionTypeCode{5, 0, 7})
	case 7:
		return arrow.DenseUnionOf(r.fields(depth), []arrow.UnionTypeCode{5, 0, 7})
	case 8:
		return arrow.RunEndEncodedOf(pick(r, []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}), r.dtype(depth))
	}
	return arrow.StructOf(r.fields(depth)...)
}

func (r *source) fields(depth int) (all []arrow.Field) {
	for i := range 3 {
		all = append(all, arrow.Field{Name: fmt.Sprint("field", i), Type: r.dtype(depth), Nullable: true})
	}
	return all
}

// text returns one of few short texts, or a longer one.
func (r *source) text() string {
	if r.IntN(3) == 0 {
		return strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(60))
	}
	return "abcdefgh"[:r.IntN(9)]
}

func (r *source) small() int64 { return r.Int64N(40) - 20 }

// add appends the same value to a builder of this package and to one of Arrow's.
func (r *source) add(o Builder, b array.Builder) {
	switch {
	case r.nulls && r.IntN(4) == 0:
		o.AppendNull()
		b.AppendNull()
		return
	case r.IntN(12) == 0 && !hasUnion(o.DataType()): // What an empty value of a union is, is left open.
		o.AppendEmptyValue()
		b.AppendEmptyValue()
		return
	case r.IntN(12) == 0:
		o.Reserve(r.IntN(100))
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		o.AppendNull()
		b.AppendNull()
	case *array.BooleanBuilder:
		bulk(r, func() bool { return r.IntN(2) == 0 }, o.(*Bools).Append, o.(*Bools).AppendValues, b.AppendValues)
	case *array.Int8Builder:
		number(r, o, func(n int64) int8 { return int8(n) }, b.AppendValues)
	case *array.Int16Builder:
		number(r, o, func(n int64) int16 { return int16(n) }, b.AppendValues)
	case *array.Int32Builder:
		number(r, o, func(n int64) int32 { return int32(n) }, b.AppendValues)
	case *array.Int64Builder:
		number(r, o, func(n int64) int64 { return n }, b.AppendValues)
	case *array.Uint8Builder:
		number(r, o, func(n int64) uint8 { return uint8(n) }, b.AppendValues)
	case *array.Uint16Builder:
		number(r, o, func(n int64) uint16 { return uint16(n) }, b.AppendValues)
	case *array.Uint32Builder:
		number(r, o, func(n int64) uint32 { return uint32(n) }, b.AppendValues)
	case *array.Uint64Builder:
		number(r, o, func(n int64) uint64 { return uint64(n) }, b.AppendValues)
	case *array.Float16Builder:
		number(r, o, func(n int64) float16.Num { return float16.New(float32(n)) }, b.AppendValues)
	case *array.Float32Builder:
		number(r, o, func(n int64) float32 { return float32(n) / 4 }, b.AppendValues)
	case *array.Float64Builder:
		number(r, o, func(n int64) float64 { return float64(n) / 4 }, b.AppendValues)
	case *array.Date32Builder:
		number(r, o, func(n int64) arrow.Date32 { return arrow.Date32(n) }, b.AppendValues)
	case *array.Date64Builder:
		number(r, o, func(n int64) arrow.Date64 { return arrow.Date64(n * 86_400_000) }, b.AppendValues)
	case *array.Time32Builder:
		number(r, o, func(n int64) arrow.Time32 { return arrow.Time32(n + 20) }, b.AppendValues)
	case *array.Time64Builder:
		number(r, o, func(n int64) arrow.Time64 { return arrow.Time64(n + 20) }, b.AppendValues)
	case *array.TimestampBuilder:
		number(r, o, func(n int64) arrow.Timestamp { return arrow.Timestamp(n) }, b.AppendValues)
	case *array.DurationBuilder:
		number(r, o, func(n int64) arrow.Duration { return arrow.Duration(n) }, b.AppendValues)
	case *array.MonthIntervalBuilder:
		number(r, o, func(n int64) arrow.MonthInterval { return arrow.MonthInterval(n) }, b.AppendValues)
	case *array.DayTimeIntervalBuilder:
		number(r, o, func(n int64) arrow.DayTimeInterval { return arrow.DayTimeInterval{Days: int32(n), Milliseconds: 5} }, b.AppendValues)
	case *array.MonthDayNanoIntervalBuilder:
		number(r, o, func(n int64) arrow.MonthDayNanoInterval {
			return arrow.MonthDayNanoInterval{Months: 3, Days: int32(n), Nanoseconds: n}
		}, b.AppendValues)
	case *array.Decimal32Builder:
		number(r, o, func(n int64) decimal.Decimal32 { return decimal.Decimal32(n) }, b.AppendValues)
	case *array.Decimal64Builder:
		number(r, o, func(n int64) decimal.Decimal64 { return decimal.Decimal64(n) }, b.AppendValues)
	case *array.Decimal128Builder:
		number(r, o, decimal128.FromI64, b.AppendValues)
	case *array.Decimal256Builder:
		number(r, o, decimal256.FromI64, b.AppendValues)
	case array.DictionaryBuilder:
		r.addToDictionary(o, b)
	case *array.FixedSizeBinaryBuilder:
		s := r.text() + "abcdefghijklmnop"
		o.(*Text).Append(s[:o.(*Text).width])
		b.Append([]byte(s[:o.(*Text).width]))
	case array.StringLikeBuilder:
		bulk(r, r.text, o.(*Text).Append, o.(*Text).AppendValues, func(v []string, valid []bool) {
			for i, s := range v {
				if valid != nil && !valid[i] {
					b.AppendNull()
				} else {
					b.Append(s)
				}
			}
		})
	case array.BinaryLikeBuilder:
		s := r.text()
		o.(*Text).AppendBytes([]byte(s))
		b.Append([]byte(s))
	case *array.FixedSizeListBuilder:
		o.(*List).Append(true)
		b.Append(true)
		for range o.(*List).size {
			r.add1(o.(*List).ValueBuilder(), b.ValueBuilder())
		}
	case *array.MapBuilder:
		o.(*Map).Append(true)
		b.Append(true)
		nulls := r.nulls
		for range r.IntN(4) {
			r.nulls = false
			r.add1(o.(*Map).KeyBuilder(), b.KeyBuilder())
			r.nulls = nulls
			r.add1(o.(*Map).ItemBuilder(), b.ItemBuilder())
		}
	case array.VarLenListLikeBuilder:
		n := r.IntN(4)
		o.(*List).Append(true)
		b.AppendWithSize(true, n)
		for range n {
			r.add1(o.(*List).ValueBuilder(), b.ValueBuilder())
		}
	case *array.StructBuilder:
		o.(*Struct).Append(true)
		b.Append(true)
		for i := range b.NumField() {
			r.add1(o.(*Struct).FieldBuilder(i), b.FieldBuilder(i))
		}
	case array.UnionBuilder:
		u := o.(*Union)
		i := r.IntN(u.NumChildren())
		code := u.of.TypeCodes()[i]
		u.Append(code)
		b.Append(code)
		for j := range u.NumChildren() {
			switch {
			case i == j:
				r.add1(u.Child(i), b.Child(i))
			case b.Mode() == arrow.SparseMode:
				// Both ways are right: by oneself, or not.
				b.Child(j).AppendEmptyValue()
			}
		}
	case *array.RunEndEncodedBuilder:
		n := 1
		if !r.single {
			n = 1 + r.IntN(3)
		}
		o.(*Runs).Append(n)
		b.Append(uint64(n))
		r.add1(o.(*Runs).ValueBuilder(), b.ValueBuilder())
		if !r.single && r.IntN(3) == 0 {
			o.(*Runs).ContinueRun(n)
			b.ContinueRun(uint64(n))
		}
	case *extensions.UUIDBuilder:
		r.add(o, b.Builder)
	case *extensions.Bool8Builder:
		r.add(o, b.Builder)
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

// add1 is add of exactly one value.
func (r *source) add1(o Builder, b array.Builder) {
	n := o.Len()
	many := r.single
	r.single = true
	r.add(o, b)
	r.single = many
	if o.Len() != n+1 {
		panic("more than one value")
	}
}

// number appends numbers, or the like, of which there are few different ones.
func number[T arrow.FixedWidthType](r *source, o Builder, value func(int64) T, theirs func([]T, []bool)) {
	bulk(r, func() T { return value(r.small()) }, o.(*Column[T]).Append, o.(*Column[T]).AppendValues, theirs)
}

// bulk appends a value, or some in a slice.
func bulk[T any](r *source, value func() T, one func(T), ours, theirs func([]T, []bool)) {
	if r.single || r.IntN(10) > 0 {
		v := value()
		one(v)
		theirs([]T{v}, nil)
		return
	}
	v := make([]T, r.IntN(50))
	var valid []bool
	if r.nulls {
		valid = make([]bool, len(v))
	}
	for i := range v {
		v[i] = value()
		if r.nulls {
			valid[i] = r.IntN(3) > 0
		}
	}
	ours(v, valid)
	theirs(v, valid)
}

func (r *source) addToDictionary(o Builder, b array.DictionaryBuilder) {
	switch b := b.(type) {
	case *array.BinaryDictionaryBuilder:
		s := r.text()
		o.(*TextDictionary).Append(s)
		check(b.AppendString(s))
	case *array.FixedSizeBinaryDictionaryBuilder:
		s := []byte(r.text() + "abcde")[:5]
		o.(*TextDictionary).AppendBytes(s)
		check(b.Append(s))
	case inDictionary[int8]:
		code(r, o, b, func(n int64) int8 { return int8(n) })
	case inDictionary[int16]:
		code(r, o, b, func(n int64) int16 { return int16(n) })
	case inDictionary[int32]:
		code(r, o, b, func(n int64) int32 { return int32(n) })
	case inDictionary[int64]:
		code(r, o, b, func(n int64) int64 { return n })
	case inDictionary[uint8]:
		code(r, o, b, func(n int64) uint8 { return uint8(n) })
	case inDictionary[uint16]:
		code(r, o, b, func(n int64) uint16 { return uint16(n) })
	case inDictionary[uint32]:
		code(r, o, b, func(n int64) uint32 { return uint32(n) })
	case inDictionary[uint64]:
		code(r, o, b, func(n int64) uint64 { return uint64(n) })
	case inDictionary[float16.Num]:
		code(r, o, b, func(n int64) float16.Num { return float16.New(float32(n)) })
	case inDictionary[float32]:
		code(r, o, b, func(n int64) float32 { return float32(n) / 4 })
	case inDictionary[float64]:
		code(r, o, b, func(n int64) float64 { return float64(n) / 4 })
	case inDictionary[arrow.Date32]:
		code(r, o, b, func(n int64) arrow.Date32 { return arrow.Date32(n) })
	case inDictionary[arrow.Date64]:
		code(r, o, b, func(n int64) arrow.Date64 { return arrow.Date64(n * 86_400_000) })
	case inDictionary[arrow.Time32]:
		code(r, o, b, func(n int64) arrow.Time32 { return arrow.Time32(n + 20) })
	case inDictionary[arrow.Time64]:
		code(r, o, b, func(n int64) arrow.Time64 { return arrow.Time64(n + 20) })
	case inDictionary[arrow.Timestamp]:
		code(r, o, b, func(n int64) arrow.Timestamp { return arrow.Timestamp(n) })
	case inDictionary[arrow.Duration]:
		code(r, o, b, func(n int64) arrow.Duration { return arrow.Duration(n) })
	case inDictionary[arrow.MonthInterval]:
		code(r, o, b, func(n int64) arrow.MonthInterval { return arrow.MonthInterval(n) })
	case inDictionary[arrow.DayTimeInterval]:
		code(r, o, b, func(n int64) arrow.DayTimeInterval { return arrow.DayTimeInterval{Days: int32(n)} })
	case inDictionary[arrow.MonthDayNanoInterval]:
		code(r, o, b, func(n int64) arrow.MonthDayNanoInterval { return arrow.MonthDayNanoInterval{Nanoseconds: n} })
	case inDictionary[decimal128.Num]:
		code(r, o, b, decimal128.FromI64)
	case inDictionary[decimal256.Num]:
		code(r, o, b, decimal256.FromI64)
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

// inDictionary is a builder of Arrow for dictionaries.
type inDictionary[T any] interface{ Append(T) error }

func code[T arrow.FixedWidthType](r *source, o Builder, b inDictionary[T], value func(int64) T) {
	v := value(r.small())
	o.(*Dictionary[T]).Append(v)
	check(b.Append(v))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// hasUnion reports whether a type has a union in it.
func hasUnion(t arrow.DataType) bool {
	switch t := t.(type) {
	case arrow.UnionType:
		return true
	case *arrow.StructType:
		for _, f := range t.Fields() {
			if hasUnion(f.Type) {
				return true
			}
		}
	case *arrow.RunEndEncodedType:
		return hasUnion(t.Encoded())
	case arrow.ListLikeType:
		return hasUnion(t.Elem())
	}
	return false
}

// TestRandomTypes builds arrays of random types and values by builders of this package and by
// Arrow's, and compares them.
func TestRandomTypes(t *testing.T) {
	seed := testrun.Seed(t)
	rounds := uint64(400)
	if !testrun.Long() {
		rounds = 100
	}
	for round := range rounds {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round))}
		var a *arena.Arena
		if r.IntN(5) > 0 {
			a = arena.NewArena()
		}
		var dtype arrow.DataType
		if i := int(round); i < len(flat) {
			dtype = flat[i]
		} else if i -= len(flat); i < len(valuesOfDictionaries) {
			dtype = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: valuesOfDictionaries[i]}
		} else {
			dtype = r.dtype(3)
		}
		ours, theirs := NewBuilder(a, dtype), array.NewBuilder(memory.DefaultAllocator, dtype)
		var kept, same []arrow.Array
		for range 3 {
			if r.IntN(4) == 0 {
				for range r.IntN(20) {
					r.add(ours, array.NewBuilder(memory.DefaultAllocator, dtype))
				}
				ours.Release()
			}
			r.nulls = r.IntN(2) == 0
			for range r.IntN(100) {
				if r.IntN(20) == 0 {
					r.nulls = !r.nulls
				}
				r.add(ours, theirs)
			}
			if ours.Len() != theirs.Len() ||
				dtype.ID() != arrow.RUN_END_ENCODED && ours.NullN() != theirs.NullN() {
				t.Fatalf("%v: %d values, %d nulls, want %d, %d", dtype, ours.Len(), ours.NullN(), theirs.Len(), theirs.NullN())
			}
			x, y := ours.NewArray(), theirs.NewArray()
			resetDictionaries(theirs)
			compare(t, x, y)
			if ours.Len() != 0 || ours.NullN() != 0 {
				t.Fatal("NewArray leaves values")
			}
			kept, same = append(kept, x), append(same, y)
		}
		if !watched() && a != nil { // What watches reports what is used after Free.
			a.Free()
			runtime.GC()
		}
		for i := range kept {
			compare(t, kept[i], same[i])
			kept[i].Release()
		}
	}
}

// TestRecordBuilder builds batches with one builder, in an arena that is reset after each of them,
// writes them as IPC streams, and compares what is read with the batches of array.RecordBuilder.
func TestRecordBuilder(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range uint64(60) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round))}
		a := arena.NewArena()
		var fields []arrow.Field
		for i := range 1 + r.IntN(6) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.dtype(2), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		ours, theirs := NewRecordBuilder(a, schema), array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range 5 {
			if r.IntN(4) == 0 {
				ours.Field(0).AppendEmptyValue()
				ours.Release()
			}
			r.nulls = r.IntN(2) == 0
			for range r.IntN(50) {
				for i, f := range ours.Fields() {
					r.add1(f, theirs.Field(i))
				}
			}
			x, y := ours.NewRecordBatch(), theirs.NewRecordBatch()
			for _, f := range theirs.Fields() {
				resetDictionaries(f)
			}
			for i, c := range x.Columns() {
				compare(t, c, y.Column(i))
			}
			ourStream, theirStream := stream(x), stream(y)
			x.Release()
			a.Reset()
			in, want := read(ourStream), read(theirStream)
			for i, c := range in.Columns() {
				if !array.Equal(c, want.Column(i)) { // ValidateFull panics for some of what Arrow reads.
					t.Fatalf("%.300v, want %.300v", c, want.Column(i))
				}
			}
		}
	}
}

// stream returns a batch as an IPC stream.
func stream(r arrow.RecordBatch) *bytes.Buffer {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(r.Schema()))
	check(w.Write(r))
	check(w.Close())
	return &b
}

// read returns the only batch of a stream.
func read(b *bytes.Buffer) arrow.RecordBatch {
	r, err := ipc.NewReader(b)
	check(err)
	if !r.Next() {
		panic(r.Err())
	}
	return r.RecordBatch()
}

// resetDictionaries empties the dictionaries of a builder, which otherwise keeps the dictionaries
// of earlier arrays.
func resetDictionaries(b array.Builder) {
	switch b := b.(type) {
	case array.DictionaryBuilder:
		b.ResetFull()
	case *array.StructBuilder:
		for i := range b.NumField() {
			resetDictionaries(b.FieldBuilder(i))
		}
	case array.UnionBuilder:
		for i := range b.Type().(arrow.UnionType).NumFields() {
			resetDictionaries(b.Child(i))
		}
	case *array.MapBuilder:
		resetDictionaries(b.ItemBuilder())
	case array.ListLikeBuilder:
		resetDictionaries(b.ValueBuilder())
	case *array.RunEndEncodedBuilder:
		resetDictionaries(b.ValueBuilder())
	}
}
