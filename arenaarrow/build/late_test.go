package build

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/testrun"
)

// TestStreams writes batches with one ipc.Writer, which holds the dictionaries that it has written,
// and resets the arena after each. The stream equals the stream of builders without an arena.
func TestStreams(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range uint64(60) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round))}
		fields := []arrow.Field{{Name: "code", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: pick(r, valuesOfDictionaries)}, Nullable: true}}
		for i := range r.IntN(4) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.dtype(2), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		write := func(a *arena.Arena) []byte {
			r := &source{Rand: rand.New(rand.NewPCG(seed, 1000+round))}
			b, other := NewRecordBuilder(a, schema), array.NewRecordBuilder(memory.DefaultAllocator, schema)
			var out bytes.Buffer
			w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(round%2 == 0))
			for range 8 {
				r.nulls = r.IntN(2) == 0
				again := uint64(r.IntN(3)) // The next batch may have the same values.
				values := &source{Rand: rand.New(rand.NewPCG(seed, again)), nulls: r.nulls}
				for range 5 {
					for i, f := range b.Fields() {
						values.add1(f, other.Field(i))
					}
				}
				batch := b.NewRecordBatch()
				check(w.Write(batch))
				if r.IntN(2) == 0 {
					batch.Release()
				} else {
					defer batch.Release()
				}
				a.Reset()
			}
			check(w.Close())
			return out.Bytes()
		}
		if got, want := write(arena.NewArena()), write(nil); !bytes.Equal(got, want) {
			t.Fatalf("%v: another stream than without an arena", schema)
		}
	}
}

// TestStreamOfDictionaries reads what TestStreams writes, for values that are known. A file has one
// dictionary.
func TestStreamOfDictionaries(t *testing.T) {
	type row struct {
		Shop string  `arrow:"shop,dict"`
		Size float64 `arrow:"size,dict"`
	}
	batches := [][]row{{{"Rome", 1}, {"Oslo", 2}}, {{"Bonn", 3}, {"Lima", 4}}, {{"Bonn", 3}, {"Lima", 4}}, {{"Kiev", 5}, {"Bern", 6}}, {{"Kiev", 5}, {"Bern", 6}, {"Cork", 7}}}
	a := arena.NewArena()
	rows := must(NewRows[row](a))
	var out, file bytes.Buffer
	w, f := ipc.NewWriter(&out, ipc.WithSchema(rows.Schema())), must(ipc.NewFileWriter(&file, ipc.WithSchema(rows.Schema())))
	for i, all := range batches {
		rows.AppendSlice(all)
		batch := must(rows.NewRecordBatch())
		check(w.Write(batch))
		a.Reset()
		rows.AppendSlice(batches[min(i, 4)/4])
		if err := f.Write(must(rows.NewRecordBatch())); (err == nil) != (i < 4) {
			t.Errorf("batch %d in a file: %v", i, err)
		}
		a.Reset()
	}
	check(w.Close())
	in := must(ipc.NewReader(&out))
	for _, all := range batches {
		if !in.Next() {
			t.Fatal(in.Err())
		}
		got := in.RecordBatch()
		for i, want := range all {
			if shop, size := got.Column(0).ValueStr(i), got.Column(1).ValueStr(i); shop != want.Shop || size != fmt.Sprint(want.Size) {
				t.Errorf("%s %s, want %v", shop, size, want)
			}
		}
	}
}

// TestLateRelease releases batches, their columns and slices of both after the Reset of their
// arena, when the next batch is there.
func TestLateRelease(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range uint64(60) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round)), nulls: round%2 == 0}
		var fields []arrow.Field
		for i := range 1 + r.IntN(4) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.dtype(2), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		a := arena.NewArena()
		ours := NewRecordBuilder(a, schema)
		var late []interface{ Release() }
		for range 6 {
			theirs := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for range 5 {
				for i, f := range ours.Fields() {
					r.add1(f, theirs.Field(i))
				}
			}
			x, y := ours.NewRecordBatch(), theirs.NewRecordBatch()
			for _, old := range late {
				old.Release()
			}
			for i, c := range x.Columns() {
				compare(t, c, y.Column(i))
				compare(t, array.MakeFromData(c.Data()), y.Column(i))
			}
			late = []interface{ Release() }{x, x.NewSlice(1, 3)}
			for _, c := range x.Columns() {
				c.Retain()
				late = append(late, c, array.NewSlice(c, 1, 4), array.NewSliceData(c.Data(), 1, 4))
			}
			a.Reset()
		}
	}
}

// TestSlots proves that an arena does not keep the slots of very many arrays, and what they lead
// to, for longer than until its Reset.
func TestSlots(t *testing.T) {
	a := arena.NewArena()
	for range 3 {
		for range 1000 {
			ourLists(a, 1)
		}
		a.Reset()
		l, _ := arenakit.Local[lives](a)
		n := 0
		for _, c := range l.chunks {
			n += len(c)
			for i := range c {
				for j := range c[i].headers {
					if c[i].headers[j].Buf() != nil {
						t.Fatal("a slot holds memory of the arena")
					}
				}
			}
		}
		if n > 400 || n == 0 && !watched() {
			t.Errorf("%d slots", n)
		}
	}
}
