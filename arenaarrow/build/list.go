package build

import (
	"cmp"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// A List builds an array of lists. As with Arrow's builders, Append begins a list, and values that
// are appended to the builder of the values belong to it until the next list begins.
type List struct {
	arena  *arena.Arena
	dtype  arrow.DataType
	values Builder
	kind   listKind
	size   int // of each list, where it is fixed

	starts []int32
	large  []int64
	length int // where the size is fixed

	least int // There is room for this number of lists.
	gate
	validity
}

type listKind uint8

const (
	listStarts listKind = iota
	listLarge
	listViews
	listLargeViews
	listFixed
)

const tooManyValues = "build: more than 2^31 values in the lists of one array; make a batch of fewer rows, or one of a large type"

// NewList returns an empty List in the arena. Its lists consist of the values that are appended to
// values, which must be empty as well. dtype must be a type of lists of their type, including large
// lists, views and lists of fixed size; NewList panics otherwise.
func NewList(a *arena.Arena, dtype arrow.DataType, values Builder) *List {
	return newList(inside(a), dtype, values)
}

func newList(p place, dtype arrow.DataType, values Builder) *List {
	l := arena.New[List](p.home)
	*l = List{arena: p.arena, dtype: dtype, values: values, gate: p.gate()}
	s := storage(dtype)
	switch s := s.(type) {
	case *arrow.ListType, *arrow.MapType:
	case *arrow.LargeListType:
		l.kind = listLarge
	case *arrow.ListViewType:
		l.kind = listViews
	case *arrow.LargeListViewType:
		l.kind = listLargeViews
	case *arrow.FixedSizeListType:
		l.kind, l.size = listFixed, int(s.Len())
	}
	if t, ok := s.(arrow.ListLikeType); !ok || !arrow.TypeEqual(t.Elem(), values.DataType()) || values.Len() != 0 {
		panic(fmt.Sprintf("build: NewList of %v with %d values of %v; want lists of that type, and no values yet", dtype, values.Len(), values.DataType()))
	}
	return l
}

// ValueBuilder returns the builder of the values.
func (l *List) ValueBuilder() Builder { return l.values }

// Append begins a list, or adds a null if valid is false. It panics if the size of lists is fixed
// and the previous list has another number of values. If the size is fixed, a null has values as
// well: AppendNull appends them, and the caller of Append must.
func (l *List) Append(valid bool) {
	n := l.values.Len()
	switch l.kind {
	case listStarts, listViews:
		if !valid || cap(l.starts)-len(l.starts) < 2 || n > math.MaxInt32 {
			l.begin(valid, n)
		}
		l.starts = append(l.starts, int32(n))
	case listFixed:
		l.checkSize(n)
		l.begin(valid, n)
		l.length++
	default:
		l.begin(valid, n)
		l.large = append(l.large, int64(n))
	}
}

// begin makes room for a list that begins with value n, and makes it null if it is not valid.
func (l *List) begin(valid bool, n int) {
	l.enter()
	if n > math.MaxInt32 && (l.kind == listStarts || l.kind == listViews) {
		panic(tooManyValues)
	}
	if l.kind != listFixed {
		l.reserve(1)
	}
	if !valid {
		l.null(l.arena, l.Len())
	}
	l.leave()
}

// checkSize panics unless n is the number of the lists' values.
func (l *List) checkSize(n int) {
	if n != l.length*l.size {
		checkOpen(l)
		panic(fmt.Sprintf("build: %d lists of %d values need %d values, and there are %d", l.length, l.size, l.length*l.size, n))
	}
}

func (l *List) AppendNull() {
	l.Append(false)
	for range l.size {
		l.values.AppendNull()
	}
}

func (l *List) AppendEmptyValue() {
	l.Append(true)
	for range l.size {
		l.values.AppendEmptyValue()
	}
}

func (l *List) Reserve(n int) {
	l.enter()
	l.reserve(n)
	l.leave()
}

func (l *List) reserve(n int) {
	l.use()
	switch l.kind {
	case listStarts, listViews:
		l.starts = grown(l.arena, l.starts, n+1, l.least) // One more for the end.
	case listLarge, listLargeViews:
		l.large = grown(l.arena, l.large, n+1, l.least)
	case listFixed:
		l.values.reserve(n * l.size)
	}
}

func (l *List) DataType() arrow.DataType { return l.dtype }

func (l *List) Len() int {
	switch l.kind {
	case listStarts, listViews:
		return len(l.starts)
	case listFixed:
		return l.length
	}
	return len(l.large)
}

func (l *List) NewArray() arrow.Array { return newArray(l) }

func (l *List) newData(all []part) (d *array.Data) {
	n, values := l.Len(), l.values.Len()
	if last := l.lastStart(); last > int64(values) {
		panic(fmt.Sprintf("build: lists need %d values and more, and there are %d; leave what was appended in the builder of the values", last, values))
	}
	if l.kind == listFixed {
		l.checkSize(values)
	} else if l.kind != listLarge && l.kind != listLargeViews && values > math.MaxInt32 {
		panic(tooManyValues)
	}
	l.enter()
	child := newChildren(all, l.values)
	switch l.kind {
	case listStarts:
		d = newData(all, l.arena, l.dtype, n, &l.validity, child, arrow.GetBytes(withEnd(l.arena, l.starts, values)))
	case listLarge:
		d = newData(all, l.arena, l.dtype, n, &l.validity, child, arrow.GetBytes(withEnd(l.arena, l.large, values)))
	case listViews:
		starts, sizes := views(l.arena, l.starts, values)
		d = newData(all, l.arena, l.dtype, n, &l.validity, child, arrow.GetBytes(starts), arrow.GetBytes(sizes))
	case listLargeViews:
		starts, sizes := views(l.arena, l.large, values)
		d = newData(all, l.arena, l.dtype, n, &l.validity, child, arrow.GetBytes(starts), arrow.GetBytes(sizes))
	case listFixed:
		d = newData(all, l.arena, l.dtype, n, &l.validity, child)
	}
	l.least = again(n) + 1
	l.drop()
	return d
}

// lastStart returns where the last list begins, or 0.
func (l *List) lastStart() int64 {
	if n := len(l.starts); n > 0 {
		return int64(l.starts[n-1])
	}
	if n := len(l.large); n > 0 {
		return l.large[n-1]
	}
	return 0
}

// withEnd returns starts, of lists or of text, and the end of the last one.
func withEnd[T int32 | int64](a *arena.Arena, starts []T, end int) []T {
	return append(grown(a, starts, 1, 0), T(end))
}

// views returns the starts and sizes of lists.
func views[T int32 | int64](a *arena.Arena, starts []T, end int) (_, sizes []T) {
	sizes = grown[T](a, nil, len(starts), 0)[:len(starts)]
	ends := withEnd(a, starts, end)
	for i := range sizes {
		sizes[i] = ends[i+1] - ends[i]
	}
	return starts, sizes
}

func (l *List) broken() string { return cmp.Or(l.gate.broken(), l.values.broken()) }

func (l *List) Release() {
	l.values.Release()
	l.drop()
}

func (l *List) drop() {
	l.starts, l.large, l.length, l.validity = nil, nil, 0, validity{}
	l.empty()
}

// A Map builds an array of maps. Append begins a map, and keys and items that are then appended to
// their builders belong to it until the next map begins. Equal keys are not detected. NewBuilder
// returns a Map.
type Map struct {
	List
	entries *Struct
}

func newMap(p place, dtype arrow.DataType) *Map {
	t := storage(dtype).(*arrow.MapType).Elem().(*arrow.StructType)
	m := arena.New[Map](p.home)
	m.entries = newStruct(p, t, t)
	m.entries.implied = true
	m.List = *newList(p, dtype, m.entries)
	return m
}

// KeyBuilder returns the builder of the keys.
func (m *Map) KeyBuilder() Builder { return m.entries.fields[0] }

// ItemBuilder returns the builder of the items.
func (m *Map) ItemBuilder() Builder { return m.entries.fields[1] }
