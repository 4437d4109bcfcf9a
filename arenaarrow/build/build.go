/*
Package build makes Arrow arrays and record batches in an [arena.Arena]: the values, and the buffers and slices that Arrow's own builders
take from the heap for each array. What is left on the heap is one object for each array, three for each batch, and dictionaries that are other ones than in
the batch before.

A [Rows] makes batches of structs, by the arrow tags of their fields:

	type Order struct {
		ID    int64    `arrow:"id"`
		Price *float64 `arrow:"price"`
		Shop  string   `arrow:"shop,dict"`
	}

	a := arena.NewArena()
	defer a.Free()
	rows, err := build.NewRows[Order](a)
	...
	for orders := range batches {
		rows.AppendSlice(orders)
		batch, err := rows.NewRecordBatch()
		...
		write(batch)
		a.Reset()
	}

A [RecordBuilder] makes batches of a schema, column by column. It is used as array.RecordBuilder is, and its fields are these:

	type                                                     builder          instead of
	numbers, decimals, times, dates, durations, intervals    Column[T]        Int64Builder, TimestampBuilder, …
	bool                                                     Bools            BooleanBuilder
	text and bytes: large, views, and of fixed size, too     Text             StringBuilder, BinaryViewBuilder, …
	lists: large, views, and of fixed size, too              List             ListBuilder, FixedSizeListBuilder, …
	map                                                      Map              MapBuilder
	struct                                                   Struct           StructBuilder
	dictionary of text or bytes                              TextDictionary   BinaryDictionaryBuilder
	dictionary of other values                               Dictionary[T]    Int64DictionaryBuilder, …
	dense and sparse union                                   Union            DenseUnionBuilder, SparseUnionBuilder
	run-end encoded                                          Runs             RunEndEncodedBuilder
	null                                                     Nulls            NullBuilder

A builder of an extension type is the builder of its storage type: it takes values as they are
stored, and its arrays have the extension type. Each builder can be made by itself, too:

	prices := build.NewColumn[float64](a, arrow.PrimitiveTypes.Float64, len(orders))
	for _, order := range orders {
		prices.Append(order.Price)
	}
	write(prices.NewArray())

Where it pays is in many small arrays, and in appending value by value. For large arrays of values that are there as a slice, Arrow's builders with
the allocator of package arenaarrow are as fast.

With a nil arena, all is on the Go heap.

# Limits

An append panics with an [*arena.LimitError] where it would take the arena over its limit, and with an [*arena.MemoryError] where there is no memory. [arena.Try] makes
an error of that. A part of a row may be missing then, so the builder refuses to go on, and so does all that it is a part of: NewArray and NewRecordBatch panic, and
appends may, until Release has given up what was appended. The same goes for a NewArray that such a panic has ended, and for an append that panics because a value is
not one of the type. It does not go for Reserve of a RecordBuilder or Rows, which comes before a row.

# Lifetime

An array is valid until its arena is Reset or until its last Release. Release is optional, and may also come after the Reset, when other arrays are where this one
was: what counts references is on the heap. So are dictionaries, because an ipc.Writer compares the next one with the one that it has written. Free leaves arrays as they are, like other values in an arena on the Go heap, but programs that look for mistakes report their use. What reads an array after Reset reads other
values. To keep an array for longer, copy it with [Copy], or a batch with [CopyBatch].

A [RecordBuilder] and a [Rows] are on the heap: they are used again after each Reset, and make room for as many values as the batch before had. All other
builders are in the arena, and end with its Reset. What was appended, and is not in an array yet, is gone with a Reset. A RecordBuilder or Rows that had rows then panics until
Release, in place of making a batch of other values.

Builders are for one goroutine, that of the arena. Arrays may be read by several. The arena must have no Options.Memory for arrays that outlive its
Free.
*/
package build

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
)

// alignment is that of buffers in bytes, as Arrow recommends it.
const alignment = 64

// A Builder is one of the builders of this package, for one array after the other.
type Builder interface {
	// DataType returns that of the array.
	DataType() arrow.DataType

	// Len returns how many values were appended, nulls included.
	Len() int

	// NullN returns how many of them are null.
	NullN() int

	// Reserve makes room for n more values. Text and lists get room for their ends only.
	Reserve(n int)

	// AppendNull adds a null.
	AppendNull()

	// AppendEmptyValue adds a value that is zero, or of length zero.
	AppendEmptyValue()

	// NewArray returns what was appended, and makes the builder empty. Release of the array is allowed, and not needed. NewArray panics if a child has
	// not as many values as it needs.
	NewArray() arrow.Array

	// Release gives up what was appended and is in no array. The builder is empty then.
	Release()

	// reserve is Reserve, and the builder goes on after a panic within it.
	reserve(n int)

	// newData returns what NewArray is made of, in the parts: as many as nparts says.
	newData(all []part) *array.Data

	// broken returns why the builder, or one below it, does not go on, or "".
	broken() string
}

// NewBuilder returns a builder in the arena for a type, as the table of the package says. It panics if there is none for it.
func NewBuilder(a *arena.Arena, dtype arrow.DataType) Builder { return inside(a).builder(dtype) }

// A place is where a builder is, and where its values are. Either may be nil, the heap.
type place struct {
	home, arena *arena.Arena
	life        *life // of the values
}

// inside is that of a builder in the arena.
func inside(a *arena.Arena) place { return place{a, a, lasting} }

func (p place) gate() gate { return gate{life: p.life} }

func (p place) builder(dtype arrow.DataType) Builder {
	switch id := storage(dtype).ID(); id {
	case arrow.NULL:
		n := arena.New[Nulls](p.home)
		*n = Nulls{arena: p.arena, dtype: dtype, gate: p.gate()}
		return n
	case arrow.BOOL:
		return newBools(p, dtype, 0)
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return newText(p, dtype)
	case arrow.LIST, arrow.LARGE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.FIXED_SIZE_LIST:
		return newList(p, dtype, p.builder(storage(dtype).(arrow.ListLikeType).Elem()))
	case arrow.MAP:
		return newMap(p, dtype)
	case arrow.STRUCT:
		return newStruct(p, dtype, storage(dtype).(*arrow.StructType))
	case arrow.DENSE_UNION, arrow.SPARSE_UNION:
		return newUnion(p, dtype)
	case arrow.DICTIONARY:
		return p.dictionary(dtype)
	case arrow.RUN_END_ENCODED:
		return newRuns(p, dtype)
	default:
		return makerFor(id, dtype).column(p, dtype)
	}
}

// A maker makes the builders for one type of numbers, decimals, times or the like: of T.
type maker interface {
	column(p place, dtype arrow.DataType) Builder
	dictionary(p place, dtype arrow.DataType) Builder
}

type of[T arrow.FixedWidthType] struct{}

func (of[T]) column(p place, dtype arrow.DataType) Builder     { return newColumn[T](p, dtype, 0) }
func (of[T]) dictionary(p place, dtype arrow.DataType) Builder { return newDictionary[T](p, dtype) }

// makerFor returns the maker for a type with an id. It panics, and names dtype, if there is none.
func makerFor(id arrow.Type, dtype arrow.DataType) maker {
	switch id {
	case arrow.INT8:
		return of[int8]{}
	case arrow.INT16:
		return of[int16]{}
	case arrow.INT32:
		return of[int32]{}
	case arrow.INT64:
		return of[int64]{}
	case arrow.UINT8:
		return of[uint8]{}
	case arrow.UINT16:
		return of[uint16]{}
	case arrow.UINT32:
		return of[uint32]{}
	case arrow.UINT64:
		return of[uint64]{}
	case arrow.FLOAT16:
		return of[float16.Num]{}
	case arrow.FLOAT32:
		return of[float32]{}
	case arrow.FLOAT64:
		return of[float64]{}
	case arrow.DATE32:
		return of[arrow.Date32]{}
	case arrow.DATE64:
		return of[arrow.Date64]{}
	case arrow.TIME32:
		return of[arrow.Time32]{}
	case arrow.TIME64:
		return of[arrow.Time64]{}
	case arrow.TIMESTAMP:
		return of[arrow.Timestamp]{}
	case arrow.DURATION:
		return of[arrow.Duration]{}
	case arrow.INTERVAL_MONTHS:
		return of[arrow.MonthInterval]{}
	case arrow.INTERVAL_DAY_TIME:
		return of[arrow.DayTimeInterval]{}
	case arrow.INTERVAL_MONTH_DAY_NANO:
		return of[arrow.MonthDayNanoInterval]{}
	case arrow.DECIMAL32:
		return of[decimal.Decimal32]{}
	case arrow.DECIMAL64:
		return of[decimal.Decimal64]{}
	case arrow.DECIMAL128:
		return of[decimal128.Num]{}
	case arrow.DECIMAL256:
		return of[decimal256.Num]{}
	}
	panic(fmt.Sprintf("build: there is no builder for the type %v", dtype))
}

// storage returns the type itself, or that in which an extension type is stored.
func storage(dtype arrow.DataType) arrow.DataType {
	for {
		e, ok := dtype.(arrow.ExtensionType)
		if !ok {
			return dtype
		}
		dtype = e.StorageType()
	}
}

// heap is where arrays are without an arena.
var heap = memory.NewGoAllocator()

// A cell is what buffers consist of.
type cell interface {
	arrow.FixedWidthType | arrow.ViewHeader
}

// grown returns s with room for n more, and for at least least.
func grown[T cell](a *arena.Arena, s []T, n, least int) []T {
	return grownTo(a, s, n, least, math.MaxInt)
}

// grownTo is grown, to a capacity of most. There is room for n more in that.
func grownTo[T cell](a *arena.Arena, s []T, n, least, most int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	c := min(max(2*cap(s), len(s)+n, least, alignment), most)
	var next []T
	if a != nil {
		next = arena.MakeSliceAligned[T](a, len(s), c, alignment)
	} else {
		next = arrow.GetData[T](heap.Allocate(c * size[T]()))[:len(s)]
	}
	copy(next, s)
	return next
}

// size returns how many bytes a T takes.
func size[T cell]() int { return len(arrow.GetBytes(make([]T, 1))) }

// again returns for how many values the next array gets room, if this one has n.
func again(n int) int { return n + n/8 }
