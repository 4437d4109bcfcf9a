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

// caught returns what f panics with, if that is a text, or "".
func caught(f func()) (why string) {
	defer func() { why, _ = recover().(string) }()
	f()
	return ""
}

// TestStale has random programs Reset arenas at random places, also where a builder has rows that
// are in no batch. Then there is no batch until Release. All other batches have their rows.
func TestStale(t *testing.T) {
	seed := testrun.Seed(t)
	refused, made := 0, 0
	for round := range uint64(200) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round)), nulls: round%2 == 0, single: true}
		fields := []arrow.Field{{Name: "first", Type: pick(r, flat[1:]), Nullable: true}} // All types except Null have memory.
		for i := range r.IntN(4) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.dtype(2), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		a := arena.NewArena()
		ours, theirs := NewRecordBuilder(a, schema), array.NewRecordBuilder(memory.DefaultAllocator, schema)
		has, gone := false, false // Rows; and a Reset has taken them.
		forget := func() {
			has, gone = false, false
			theirs = array.NewRecordBuilder(memory.DefaultAllocator, schema)
		}
		for range 60 {
			switch r.IntN(10) {
			default:
				why := caught(func() {
					for range 1 + r.IntN(10) {
						for i, f := range ours.Fields() {
							r.add(f, theirs.Field(i))
						}
					}
				})
				if why != "" && (why != stale || !gone) || why == "" && gone {
					t.Fatalf("%v: an append: %s", schema, why)
				}
				has = !gone
			case 0:
				ours.Release()
				forget()
			case 1:
				a.Reset()
				gone, has = gone || has, false
			case 2:
				if why := caught(func() { ours.Reserve(r.IntN(20)) }); (why == stale) != gone {
					t.Fatalf("%v: Reserve: %q", schema, why)
				}
			case 3: // The columns one by one.
				if gone {
					continue
				}
				for i, f := range ours.Fields() {
					x := f.NewArray()
					y := theirs.Field(i).NewArray()
					compare(t, x, y)
				}
				forget()
			case 4, 5:
				var batch arrow.RecordBatch
				if why := caught(func() { batch = ours.NewRecordBatch() }); gone {
					refused++
					if why != stale {
						t.Fatalf("%v: a batch after a Reset: %v %q", schema, batch, why)
					}
					continue
				} else if why != "" {
					t.Fatalf("%v: no batch: %s", schema, why)
				}
				want := theirs.NewRecordBatch()
				for i := range fields {
					compare(t, batch.Column(i), want.Column(i))
				}
				made++
				forget()
			}
		}
	}
	if refused < 200 || made < 300 {
		t.Errorf("%d batches were refused, and %d made", refused, made)
	}
}

// TestStaleRows is about Rows, which refuses to append, too.
func TestStaleRows(t *testing.T) {
	a := arena.NewArena()
	rows := must(NewRows[order](a))
	all := orders(3)
	for name, before := range map[string]func(){"rows": func() { rows.AppendSlice(all) }, "rows and room": func() { rows.Append(all[0]); rows.Reserve(5) }} {
		before()
		a.Reset()
		for what, f := range map[string]func(){"Append": func() { rows.Append(all[0]) }, "Reserve": func() { rows.Reserve(1) }, "NewRecordBatch": func() { rows.NewRecordBatch() }} {
			if why := caught(f); why != stale {
				t.Errorf("%s after Reset with %s: %q", what, name, why)
			}
		}
		rows.Release()
		rows.Append(all[1])
		if b := must(rows.NewRecordBatch()); b.NumRows() != 1 || b.Column(0).(*array.Int64).Value(0) != 1 {
			t.Errorf("%v", b)
		}
	}
	// An arena of a Pool serves another builder then.
	var pool arena.Pool
	a = pool.Get()
	old := must(NewRows[order](a))
	old.AppendSlice(all)
	pool.Put(a)
	if pool.Get() == a {
		if why := caught(func() { old.NewRecordBatch() }); why != stale {
			t.Errorf("NewRecordBatch after Put: %q", why)
		}
	}
}

// TestRewind has random programs nest scopes, and checks at the end of each that the batches that
// are older have their rows, with all buffers.
func TestRewind(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range uint64(100) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round)), nulls: round%2 == 0, single: true}
		fields := []arrow.Field{}
		for i := range 1 + r.IntN(4) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.dtype(2), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		a := arena.NewArena()
		ours, theirs := NewRecordBuilder(a, schema), array.NewRecordBuilder(memory.DefaultAllocator, schema)
		type pair struct{ got, want arrow.RecordBatch }
		type scope struct {
			mark  arena.Mark
			pairs int
		}
		var pairs []pair
		var scopes []scope
		for range 40 {
			switch n := len(scopes); {
			default:
				for range 1 + r.IntN(10) {
					for i, f := range ours.Fields() {
						r.add(f, theirs.Field(i))
					}
				}
				pairs = append(pairs, pair{ours.NewRecordBatch(), theirs.NewRecordBatch()})
				theirs = array.NewRecordBuilder(memory.DefaultAllocator, schema)
			case r.IntN(3) == 0:
				scopes = append(scopes, scope{a.Mark(), len(pairs)})
			case n > 0 && r.IntN(2) == 0:
				a.Rewind(scopes[n-1].mark)
				pairs, scopes = pairs[:scopes[n-1].pairs], scopes[:n-1]
				for _, p := range pairs {
					for i := range fields {
						compare(t, p.got.Column(i), p.want.Column(i))
					}
					if b := CopyBatch(p.got, memory.DefaultAllocator); !array.RecordEqual(b, p.want) {
						t.Fatalf("a batch that is older than a scope is %v, want %v", b, p.want)
					}
				}
			}
		}
	}
}
