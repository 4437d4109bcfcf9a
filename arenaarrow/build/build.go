/*
Package build makes Arrow arrays and record batches in an [arena.Arena]: the values, and the buffers
and slices that Arrow's own builders allocate on the heap for each array. Only one object for each
array, three for each batch, and dictionaries that differ from the previous batch remain on the
heap.

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

A [RecordBuilder] makes batches of a schema, column by column. It is used as array.RecordBuilder is,
and its fields are these:

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

A builder of an extension type is the builder of its storage type: it appends values of the storage
type, and its arrays have the extension type. Each builder can also be made by itself:

	prices := build.NewColumn[float64](a, arrow.PrimitiveTypes.Float64, len(orders))
	for _, order := range orders {
		prices.Append(order.Price)
	}
	write(prices.NewArray())

It pays for many small arrays, and for appending value by value. If the values of large arrays are
already in a slice, Arrow's builders with the allocator of package arenaarrow are as fast.

With a nil arena, everything is on the Go heap.

# Limits

An append panics with an [*arena.LimitError] if the arena would exceed its limit, and with an
[*arena.MemoryError] if there is no memory. [arena.Try] makes the panic an error. A part of a row
may be missing then, so the builder refuses to go on, and so do all builders that contain it.
NewArray and NewRecordBatch panic, and appends may, until Release has discarded the appended values.
The same applies after such a panic in NewArray, and after a panic of an append whose value does not
fit the type. It does not apply to Reserve of a RecordBuilder or Rows, which precedes a row.

# Lifetime

An array is valid until its arena is Reset or until its last Release. Release is optional, and may
also follow the Reset, when other arrays use the memory: the reference counts are on the heap. So
are dictionaries, because an ipc.Writer compares the next dictionary with the last one that it has
written. Free leaves arrays unchanged, like other values in an arena on the Go heap, but programs
that look for mistakes report their use. A read of an array after Reset returns other values. To
keep an array for longer, copy it with [Copy], or a batch with [CopyBatch].

A [RecordBuilder] and a [Rows] are on the heap: they are reused after each Reset, and make room for
as many values as the previous batch had. All other builders are in the arena, and end with its
Reset. A Reset discards appended values that are not in an array yet. A RecordBuilder or Rows that
had rows then panics until Release, instead of making a batch of other values. A Rewind does the
same to a RecordBuilder or Rows, whatever its age. Other builders that have values, or room for
some, are stale after a Rewind. Arrays that are older than the Mark stay valid.

Only one goroutine, which uses the arena, may use a builder. Several may read arrays. The arena must
have no Options.Memory for arrays that outlive its Free.
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

// alignment is the alignment of buffers in bytes, as Arrow recommends it.
const alignment = 64

// A Builder is a builder of this package. It makes one array after the other.
type Builder interface {
	// DataType returns the type of the array.
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

	// NewArray returns what was appended, and makes the builder empty. Release of the array is
	// allowed, and not needed. NewArray panics if a child has not as many values as it needs.
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

// NewBuilder returns a builder in the arena for a type, as the table of the package says. It panics
// if there is none for it.
func NewBuilder(a *arena.Arena, dtype arrow.DataType) Builder { return inside(a).builder(dtype) }

// A place is where a builder is, and where its values are. Either may be nil, the heap.
type place struct {
	home, arena *arena.Arena
	life        *life // of the values
}

// inside is the place of a builder in the arena.
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
