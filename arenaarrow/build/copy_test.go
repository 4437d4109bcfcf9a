package build

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// TestCopy copies arrays of all types, and slices of them, and resets the arena. The next arrays
// change nothing of the copies, which have memory of the allocator only.
func TestCopy(t *testing.T) {
	seed := testrun.Seed(t)
	types := append([]arrow.DataType{}, flat...)
	for _, v := range valuesOfDictionaries {
		types = append(types, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: v})
	}
	for round := range 3 * len(types) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, uint64(round)))}
		var dtype arrow.DataType
		if round < len(types) {
			dtype = types[round]
		} else {
			dtype = r.dtype(3)
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype, Nullable: true}}, nil)
		a, mem := arena.NewArena(), memory.NewCheckedAllocator(memory.DefaultAllocator)
		b := NewRecordBuilder(a, schema)
		var copies, want []arrow.Array
		for range 4 {
			theirs := array.NewBuilder(memory.DefaultAllocator, dtype)
			r.nulls = r.IntN(2) == 0
			for range 4 + r.IntN(30) {
				r.add1(b.Field(0), theirs)
			}
			batch, y := b.NewRecordBatch(), theirs.NewArray()
			i, j := int64(1+r.IntN(2)), int64(4)
			copied := CopyBatch(batch, mem)
			copied.Column(0).Retain()
			copies = append(copies, copied.Column(0), Copy(array.NewSlice(batch.Column(0), i, j), mem))
			want = append(want, y, array.NewSlice(y, i, j))
			copied.Release()
			a.Reset()
		}
		for i, c := range copies {
			if !array.Equal(c, want[i]) || c.NullN() != want[i].NullN() {
				t.Fatalf("%v: %.300v, want %.300v", dtype, c, want[i])
			}
			c.Release()
		}
		mem.AssertSize(t, 0)
	}
}

// TestCopyBatch copies what belongs to a batch and not to its columns.
func TestCopyBatch(t *testing.T) {
	meta := arrow.NewMetadata([]string{"origin"}, []string{"here"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int8}}, &meta)
	b := NewRecordBuilder(arena.NewArena(), schema)
	b.Field(0).AppendEmptyValue()
	if got := CopyBatch(b.NewRecordBatch(), memory.DefaultAllocator); got.NumRows() != 1 || !got.Schema().Equal(schema) || fmt.Sprint(got.Schema().Metadata()) != fmt.Sprint(meta) {
		t.Error(got)
	}
	none := array.NewRecordBatchWithMetadata(arrow.NewSchema(nil, nil), nil, 7, meta)
	if got := CopyBatch(none, memory.DefaultAllocator); got.NumRows() != 7 || got.(arrow.RecordBatchWithMetadata).Metadata().Len() != 1 {
		t.Error(got)
	}
}
