package build

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
)

// pair is a builder of this package and one of Arrow's, to which the same is appended.
type pair struct {
	ours   Builder
	theirs array.Builder
	append func(r *rand.Rand, nulls bool)
}

func numbers[T Number](a *arena.Arena, dtype arrow.DataType, add func(b array.Builder, v T)) *pair {
	c := NewColumn[T](a, dtype, 0)
	b := array.NewBuilder(memory.DefaultAllocator, dtype)
	return &pair{c, b, func(r *rand.Rand, nulls bool) {
		switch {
		case nulls && r.IntN(3) == 0:
			c.AppendNull()
			b.AppendNull()
		case r.IntN(20) == 0:
			var all []T
			for range r.IntN(50) {
				all = append(all, T(r.IntN(100)))
				add(b, all[len(all)-1])
			}
			c.AppendSlice(all)
		default:
			v := T(r.IntN(100))
			c.Append(v)
			add(b, v)
		}
	}}
}

func newPair(a *arena.Arena, r *rand.Rand) *pair {
	switch r.IntN(6) {
	case 0:
		return numbers(a, arrow.PrimitiveTypes.Int64, func(b array.Builder, v int64) { b.(*array.Int64Builder).Append(v) })
	case 1:
		return numbers(a, arrow.PrimitiveTypes.Uint8, func(b array.Builder, v uint8) { b.(*array.Uint8Builder).Append(v) })
	case 2:
		return numbers(a, arrow.PrimitiveTypes.Float32, func(b array.Builder, v float32) { b.(*array.Float32Builder).Append(v) })
	case 3:
		return numbers(a, arrow.FixedWidthTypes.Timestamp_ns, func(b array.Builder, v arrow.Timestamp) { b.(*array.TimestampBuilder).Append(v) })
	case 4:
		c, b := NewBools(a, r.IntN(100)), array.NewBooleanBuilder(memory.DefaultAllocator)
		return &pair{c, b, func(r *rand.Rand, nulls bool) {
			if nulls && r.IntN(3) == 0 {
				c.AppendNull()
				b.AppendNull()
				return
			}
			v := r.IntN(2) == 0
			c.Append(v)
			b.Append(v)
		}}
	default:
		t, b := NewText(a, arrow.BinaryTypes.String), array.NewStringBuilder(memory.DefaultAllocator)
		return &pair{t, b, func(r *rand.Rand, nulls bool) {
			n := r.IntN(1000)
			switch {
			case nulls && n < 200:
				t.AppendNull()
				b.AppendNull()
			case n%3 == 0:
				t.AppendInt(int64(n))
				b.Append(fmt.Sprint(n))
			case n%3 == 1:
				t.Append(strings.Repeat("x", n/10))
				b.Append(strings.Repeat("x", n/10))
			default:
				t.AppendBytes([]byte{'a', byte('a' + n%26)})
				b.Append(string([]byte{'a', byte('a' + n%26)}))
			}
		}}
	}
}

func TestArrays(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	for round := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, round))
		a := arena.NewArena()
		var kept, same []arrow.Array
		for range 3 {
			p := newPair(a, r)
			nulls := r.IntN(2) == 0
			for range 1 + r.IntN(3) {
				if r.IntN(2) == 0 {
					nulls = !nulls
				}
				for range r.IntN(300) {
					p.append(r, nulls)
				}
				x, y := p.ours.NewArray(), p.theirs.NewArray()
				compare(t, x, y)
				if p.ours.Len() != 0 {
					t.Fatal("NewArray leaves values")
				}
				kept, same = append(kept, x), append(same, y)
			}
		}
		for i := range kept {
			compare(t, kept[i], same[i])
		}
		if !racing() { // The race detector reports what is used after Free.
			a.Free()
			runtime.GC()
		}
		for i := range kept {
			compare(t, kept[i], same[i])
			kept[i].Release()
		}
	}
}

// racing tells whether the race detector looks at this program.
func racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func compare(t *testing.T, x, y arrow.Array) {
	t.Helper()
	if !array.Equal(x, y) || x.NullN() != y.NullN() || !arrow.TypeEqual(x.DataType(), y.DataType()) {
		t.Fatalf("%v, want %v", x, y)
	}
	if v, ok := x.(interface{ ValidateFull() error }); ok {
		if err := v.ValidateFull(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLists compares lists, lists of lists and lists of fixed size with what Arrow's builders make of the same JSON.
func TestLists(t *testing.T) {
	a := arena.NewArena()
	for _, c := range []struct {
		dtype arrow.DataType
		json  string
		make  func() arrow.Array
	}{
		{arrow.ListOf(arrow.PrimitiveTypes.Int64), `[[1, null, 3], null, [], [4]]`, func() arrow.Array {
			v := NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 0)
			l := NewList(a, arrow.ListOf(arrow.PrimitiveTypes.Int64), v)
			v.Append(1)
			v.AppendNull()
			v.Append(3)
			l.Append()
			l.AppendNull()
			l.Append()
			v.Append(4)
			l.Append()
			return l.NewArray()
		}},
		{arrow.ListOf(arrow.ListOf(arrow.BinaryTypes.String)), `[[["a", "bc"], []], [], [null, ["d"]]]`, func() arrow.Array {
			v := NewText(a, arrow.BinaryTypes.String)
			inner := NewList(a, arrow.ListOf(arrow.BinaryTypes.String), v)
			l := NewList(a, arrow.ListOf(arrow.ListOf(arrow.BinaryTypes.String)), inner)
			v.Append("a")
			v.Append("bc")
			inner.Append()
			inner.Append()
			l.Append()
			l.Append()
			inner.AppendNull()
			v.Append("d")
			inner.Append()
			l.Append()
			return l.NewArray()
		}},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64), `[[1, 2], null, [5, 6]]`, func() arrow.Array {
			v := NewColumn[float64](a, arrow.PrimitiveTypes.Float64, 3)
			l := NewList(a, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64), v)
			v.AppendSlice([]float64{1, 2})
			l.Append()
			v.AppendSlice([]float64{3, 4})
			l.AppendNull()
			v.AppendSlice([]float64{5, 6})
			l.Append()
			return l.NewArray()
		}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int64), `[]`, func() arrow.Array {
			v := NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 0)
			return NewList(a, arrow.ListOf(arrow.PrimitiveTypes.Int64), v).NewArray()
		}},
	} {
		want, _, err := array.FromJSON(memory.DefaultAllocator, c.dtype, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, c.make(), want)
	}
}

func TestMisuse(t *testing.T) {
	a := arena.NewArena()
	for name, f := range map[string]func(){
		"size":  func() { NewColumn[int32](a, arrow.PrimitiveTypes.Int64, 0) },
		"bools": func() { NewColumn[uint8](a, arrow.FixedWidthTypes.Boolean, 0) },
		"text":  func() { NewColumn[int64](a, arrow.BinaryTypes.String, 0) },
		"dictionary": func() {
			NewColumn[int32](a, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, 0)
		},
		"numbers":    func() { NewText(a, arrow.PrimitiveTypes.Int64) },
		"no list":    func() { NewList(a, arrow.PrimitiveTypes.Int64, NewText(a, arrow.BinaryTypes.String)) },
		"other list": func() { NewList(a, arrow.ListOf(arrow.PrimitiveTypes.Int64), NewText(a, arrow.BinaryTypes.String)) },
		"not empty": func() {
			v := NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 0)
			v.Append(1)
			NewList(a, arrow.ListOf(arrow.PrimitiveTypes.Int64), v)
		},
		"too few": func() {
			l := NewList(a, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int64), NewColumn[int64](a, arrow.PrimitiveTypes.Int64, 0))
			l.Append()
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
		for j := range int64(3) {
			values.Append(i + 3*row + j)
		}
		if row == 1 || row == 4 {
			lists.AppendNull()
		} else {
			lists.Append()
		}
	}
	return lists.NewArray()
}

// TestAllocs proves that what is left on the heap is one object for each array, here two.
func TestAllocs(t *testing.T) {
	a := arena.NewArena()
	compare(t, ourLists(a, 7), theirLists(memory.DefaultAllocator, 7))
	ours := testing.AllocsPerRun(1000, func() {
		ourLists(a, 1)
		a.Reset()
	})
	theirs := testing.AllocsPerRun(1000, func() { theirLists(memory.DefaultAllocator, 1).Release() })
	t.Logf("%v allocations, Arrow's builders %v", ours, theirs)
	if ours > 2 && !racing() {
		t.Errorf("%v allocations", ours)
	}
}

func BenchmarkLists(b *testing.B) {
	b.Run("heap", func(b *testing.B) {
		mem := memory.NewGoAllocator()
		for b.Loop() {
			theirLists(mem, 1).Release()
		}
	})
	b.Run("allocator", func(b *testing.B) {
		mem := arenaarrow.New(arenaarrow.Options{})
		for b.Loop() {
			theirLists(mem, 1).Release()
		}
	})
	b.Run("build", func(b *testing.B) {
		a := arena.NewArena()
		for n := 1; b.Loop(); n++ {
			ourLists(a, 1)
			if n%100 == 0 {
				a.Reset()
			}
		}
	})
}
