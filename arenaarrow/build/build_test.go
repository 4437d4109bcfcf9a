package build

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
)

// watched reports whether the program looks for uses after Free: with the race detector, -asan, or
// the tag arenadebug. Arenas have other objects then.
func watched() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return (s.Key == "-race" || s.Key == "-asan") && s.Value == "true" || s.Key == "-tags" && strings.Contains(s.Value, "arenadebug")
	})
}

func compare(t *testing.T, x, y arrow.Array) {
	t.Helper()
	if !array.Equal(x, y) || x.NullN() != y.NullN() || !arrow.TypeEqual(x.DataType(), y.DataType()) {
		t.Fatalf("%v: %.300v, want %.300v", x.DataType(), x.String(), y.String())
	}
	validate(t, x)
}

// validate looks into an array of a kind that can do so. Most can.
func validate(t *testing.T, x arrow.Array) {
	t.Helper()
	if v, ok := x.(interface{ ValidateFull() error }); ok {
		if err := v.ValidateFull(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMisuse(t *testing.T) {
	a := arena.NewArena()
	pairs := arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int64)
	pair := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String})
	dictionary := func(index, of arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: of}
	}
	sparse := arrow.SparseUnionOf(pair.Fields(), []arrow.UnionTypeCode{3, 5})
	dense := arrow.DenseUnionOf(pair.Fields(), []arrow.UnionTypeCode{3, 5})
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64)
	for name, f := range map[string]func(){
		"size":       func() { NewColumn[int32](a, arrow.PrimitiveTypes.Int64, 0) },
		"bools":      func() { NewColumn[uint8](a, arrow.FixedWidthTypes.Boolean, 0) },
		"text":       func() { NewColumn[int64](a, arrow.BinaryTypes.String, 0) },
		"fixed":      func() { NewColumn[int64](a, &arrow.FixedSizeBinaryType{ByteWidth: 8}, 0) },
		"dictionary": func() { NewColumn[int32](a, dictionary(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), 0) },
		"numbers":    func() { NewText(a, arrow.PrimitiveTypes.Int64) },
		"no list":    func() { NewList(a, arrow.PrimitiveTypes.Int64, NewText(a, arrow.BinaryTypes.String)) },
		"other list": func() { NewList(a, arrow.ListOf(arrow.PrimitiveTypes.Int64), NewText(a, arrow.BinaryTypes.String)) },
		"not empty": func() {
			v := NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 0)
			v.Append(1)
			NewList(a, arrow.ListOf(arrow.PrimitiveTypes.Int64), v)
		},
		"too few": func() {
			l := NewBuilder(a, pairs).(*List)
			l.Append(true)
			l.ValueBuilder().AppendNull()
			l.Append(true)
		},
		"too few at the end": func() {
			l := NewBuilder(a, pairs).(*List)
			l.Append(true)
			l.NewArray()
		},
		"bools of values":     func() { NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 0).AppendValues([]int64{1, 2}, []bool{true}) },
		"bools of bools":      func() { NewBools(a, 0).AppendValues([]bool{true}, []bool{true, false}) },
		"bools of text":       func() { NewText(a, arrow.BinaryTypes.String).AppendValues(nil, []bool{true}) },
		"width":               func() { NewText(a, &arrow.FixedSizeBinaryType{ByteWidth: 8}).Append("seven b") },
		"fields":              func() { b := NewBuilder(a, pair).(*Struct); b.FieldBuilder(0).AppendNull(); b.NewArray() },
		"code":                func() { NewBuilder(a, sparse).(*Union).Append(4) },
		"code below":          func() { NewBuilder(a, sparse).(*Union).Append(-1) },
		"no value":            func() { u := NewBuilder(a, sparse).(*Union); u.Append(3); u.Append(5) },
		"no dense value":      func() { u := NewBuilder(a, dense).(*Union); u.Append(3); u.Append(5) },
		"no value at the end": func() { u := NewBuilder(a, dense).(*Union); u.Append(3); u.NewArray() },
		"value too many":      func() { u := NewBuilder(a, sparse).(*Union); u.Child(0).AppendNull(); u.NewArray() },
		"large dictionary": func() {
			d := NewBuilder(a, dictionary(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64)).(*Dictionary[int64])
			for i := range int64(129) {
				d.Append(i)
			}
		},
		"large dictionary of text": func() {
			d := NewBuilder(a, dictionary(arrow.PrimitiveTypes.Uint8, arrow.BinaryTypes.String)).(*TextDictionary)
			for i := range 257 {
				d.Append(fmt.Sprint(i))
			}
		},
		"no run":      func() { NewBuilder(a, runs).(*Runs).Append(0) },
		"long run":    func() { NewBuilder(a, runs).(*Runs).Append(1 << 15) },
		"no last run": func() { NewBuilder(a, runs).(*Runs).ContinueRun(1) },
		"run":         func() { r := NewBuilder(a, runs).(*Runs); r.Append(1); r.NewArray() },
		"columns": func() {
			b := NewRecordBuilder(a, arrow.NewSchema(pair.Fields(), nil))
			b.Field(1).AppendNull()
			b.NewRecordBatch()
		},
	} {
		func() {
			defer func() {
				if v := recover(); !strings.HasPrefix(fmt.Sprint(v), "build: ") {
					t.Errorf("%s: %v", name, v)
				}
			}()
			f()
		}()
	}
}

// TestMuchText appends as much text as an array may have, where that is 1000 bytes, and then more.
// No append forgets to look.
func TestMuchText(t *testing.T) {
	defer func(most int) { maxText = most }(maxText)
	maxText = 1000
	for name, one := range map[string]func(*Text){
		"Append":       func(x *Text) { x.Append("hundred"[:5]) },
		"AppendBytes":  func(x *Text) { x.AppendBytes([]byte("bytes")) },
		"AppendInt":    func(x *Text) { x.AppendInt(12345) },
		"AppendValues": func(x *Text) { x.AppendValues([]string{"ab", "cde"}, nil) },
		"Reserve":      func(x *Text) { x.ReserveData(5); x.Append("other") },
	} {
		for _, dtype := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString} {
			for _, a := range []*arena.Arena{nil, arena.NewArena()} {
				b := NewRecordBuilder(a, arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype}}, nil))
				x := b.Field(0).(*Text)
				for range 2 { // The second batch gets at once what the first one had, and more.
					for range maxText / 5 {
						one(x)
					}
					if b.NewRecordBatch().NumRows() < int64(maxText)/5 {
						t.Fatal("rows are missing")
					}
				}
				for range maxText / 5 {
					one(x)
				}
				if why := caught(func() { one(x) }); (why == tooMuchText) != (dtype != arrow.BinaryTypes.LargeString) {
					t.Errorf("%s, %v: %q", name, dtype, why)
				}
			}
		}
	}
}

// TestNaN proves that a value that is not equal to itself is in a dictionary once, as Arrow's
// builders have it.
func TestNaN(t *testing.T) {
	d := NewBuilder(arena.NewArena(), &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Float64}).(*Dictionary[float64])
	for _, v := range []float64{1, math.NaN(), 2, math.NaN(), 1, 2} {
		d.Append(v)
	}
	x := d.NewArray().(*array.Dictionary)
	if got := fmt.Sprint(x.Dictionary(), x.Indices()); got != "[1 NaN 2] [0 1 2 1 0 2]" {
		t.Error(got)
	}
}

// TestMinusZero proves that a dictionary contains -0 next to 0, as with Arrow's builders.
func TestMinusZero(t *testing.T) {
	test := func(dtype arrow.DataType, append func(Builder, float64), theirs func(array.Builder, float64)) {
		of := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: dtype}
		ours, other := NewBuilder(arena.NewArena(), of), array.NewBuilder(memory.DefaultAllocator, of)
		for range 2 {
			for _, v := range []float64{1, math.Copysign(0, -1), 0, math.NaN(), math.Copysign(0, -1), 0, 1} {
				append(ours, v)
				theirs(other, v)
			}
			x, y := ours.NewArray().(*array.Dictionary), other.NewArray().(*array.Dictionary)
			resetDictionaries(other)
			for i := range x.Len() {
				if got, want := x.ValueStr(i), y.ValueStr(i); got != want {
					t.Errorf("%v: value %d is %s, want %s", dtype, i, got, want)
				}
			}
			if got := fmt.Sprint(x.Dictionary(), x.Indices()); got != "[1 -0 0 NaN] [0 1 2 3 1 2 0]" {
				t.Errorf("%v: %s", dtype, got)
			}
		}
	}
	test(arrow.PrimitiveTypes.Float64, func(b Builder, v float64) { b.(*Dictionary[float64]).Append(v) }, func(b array.Builder, v float64) { check(b.(*array.Float64DictionaryBuilder).Append(v)) })
	test(arrow.PrimitiveTypes.Float32, func(b Builder, v float64) { b.(*Dictionary[float32]).Append(float32(v)) }, func(b array.Builder, v float64) { check(b.(*array.Float32DictionaryBuilder).Append(float32(v))) })
}

// What follows is the program of 2023: one of many arrays of lists of three numbers.

var triples = arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int64)

func theirLists(mem memory.Allocator, i int64) arrow.Array {
	b := array.NewFixedSizeListBuilder(mem, 3, arrow.PrimitiveTypes.Int64)
	defer b.Release()
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
	return b.NewArray()
}

func ourLists(a *arena.Arena, i int64) arrow.Array {
	values := NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 15)
	lists := NewList(a, triples, values)
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
	return lists.NewArray()
}

// TestAllocs proves that what is left on the heap is one object for each array, here two, and one
// more.
func TestAllocs(t *testing.T) {
	a := arena.NewArena()
	compare(t, ourLists(a, 7), theirLists(memory.DefaultAllocator, 7))
	ours := testing.AllocsPerRun(1000, func() {
		ourLists(a, 1)
		a.Reset()
	})
	theirs := testing.AllocsPerRun(1000, func() { theirLists(memory.DefaultAllocator, 1).Release() })
	t.Logf("%v allocations, Arrow's builders %v", ours, theirs)
	if ours > 3 && !watched() {
		t.Errorf("%v allocations", ours)
	}
}

// TestBenchmarks compares the batches of what BenchmarkOrders measures.
func TestBenchmarks(t *testing.T) {
	all := orders(300)
	rows := must(NewRows[order](nil))
	theirs, ours := array.NewRecordBuilder(memory.DefaultAllocator, rows.Schema()), NewRecordBuilder(nil, rows.Schema())
	theirOrders(theirs, all)
	ourOrders(ours, all)
	rows.AppendSlice(all)
	want := theirs.NewRecordBatch()
	for _, got := range []arrow.RecordBatch{ours.NewRecordBatch(), must(rows.NewRecordBatch())} {
		if !array.RecordEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// TestBatchAllocs proves that a batch leaves on the heap three objects, and one for each array, of
// which lists and dictionaries have others within.
func TestBatchAllocs(t *testing.T) {
	if watched() {
		return
	}
	all := orders(1000)
	a := arena.NewArena()
	rows := must(NewRows[order](a))
	n := testing.AllocsPerRun(100, func() {
		rows.AppendSlice(all)
		must(rows.NewRecordBatch())
		a.Reset()
	})
	t.Log(n)
	if n > 13 {
		t.Errorf("%v allocations", n)
	}
}
