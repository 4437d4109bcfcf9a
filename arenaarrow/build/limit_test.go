package build

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/fake"
	"github.com/arena-go/arena/internal/testrun"
)

// tried calls f. It returns a panic of the arena as an error, and a panic of a builder that refuses
// to go on as errCut. It fails the test for others.
func tried(t *testing.T, f func()) (err error) {
	t.Helper()
	defer func() {
		switch e := recover().(type) {
		case nil:
		case string:
			if err = errRefused; e != cut {
				t.Fatal(e)
			}
		default:
			panic(e)
		}
	}()
	return arena.Try(f)
}

var errRefused = errors.New(cut)

// eachLimit calls f with arenas whose limit is such that the first allocation fails, and then the
// second one, and so on, until f returns nil. Then it does so with a Memory that panics. f returns
// the first *LimitError that it met. eachLimit returns how many there were.
func eachLimit(t *testing.T, f func(a *arena.Arena) error) (limits int) {
	t.Helper()
	for limit := int64(1); ; limits++ {
		a := arena.NewWith(arena.Options{Limit: limit})
		err := f(a)
		if held := a.Stats().Reserved; held > limit {
			t.Fatalf("%d bytes, where the limit is %d", held, limit)
		}
		a.Free()
		if err == nil {
			break
		}
		var l *arena.LimitError
		if !errors.As(err, &l) || l.Limit != limit {
			t.Fatal(err)
		}
		limit = max(limit+1, l.Reserved+l.Needed)
	}
	for calls := 0; ; calls++ {
		m := &fake.Memory{Calls: calls}
		a := arena.NewWith(arena.Options{Memory: m})
		err := f(a)
		a.Free()
		if m.Blocks != 0 {
			t.Fatalf("%d blocks of the Memory were not given back", m.Blocks)
		}
		if err == nil {
			return limits + calls
		}
	}
}

// TestLimit has a limit end appends, and the making of a batch, at each allocation. The program
// goes on all the same: no batch lacks a value.
func TestLimit(t *testing.T) {
	seed := testrun.Seed(t)
	rounds, limits := uint64(60), 0
	if !testrun.Long() {
		rounds = 20
	}
	for round := range rounds {
		types := &source{Rand: rand.New(rand.NewPCG(seed, round))}
		var fields []arrow.Field
		for i := range 1 + types.IntN(4) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: types.dtype(2), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		rows := 1 + types.IntN(100)
		limits += eachLimit(t, func(a *arena.Arena) error {
			r := &source{Rand: rand.New(rand.NewPCG(round, seed)), nulls: round%3 > 0, single: true}
			ours := NewRecordBuilder(a, schema)
			make := func(rows int, meanwhile func()) error {
				theirs := array.NewRecordBuilder(memory.DefaultAllocator, schema)
				var batch arrow.RecordBatch
				err := tried(t, func() {
					for range rows {
						for i, f := range ours.Fields() {
							r.add(f, theirs.Field(i))
						}
					}
					meanwhile()
					batch = ours.NewRecordBatch()
				})
				if err == nil {
					want := theirs.NewRecordBatch()
					for i := range fields {
						compare(t, batch.Column(i), want.Column(i))
					}
				}
				return err
			}
			err := make(rows, func() {
				tried(t, func() { ours.Reserve(1 << 20) }) // It fails, in most cases, and nothing else does.
			})
			if err == nil {
				return nil
			}
			if err == errRefused {
				t.Fatal("a builder refuses to go on, for no reason")
			}
			if again := make(3, func() {}); again == nil {
				t.Fatalf("%v: there is a batch after %v", schema, err)
			}
			if again := tried(t, func() { ours.NewRecordBatch() }); again != errRefused {
				t.Fatalf("%v: %v, after %v", schema, again, err)
			}
			ours.Release()
			a.Reset()
			if again := make(2, func() {}); again == errRefused {
				t.Fatalf("%v: Release has not helped after %v", schema, err)
			}
			return err
		})
	}
	if limits < 300 {
		t.Errorf("only %d limits were met", limits)
	}
}

// TestRowsLimit is TestLimit for Rows.
func TestRowsLimit(t *testing.T) {
	seed := testrun.Seed(t)
	r := &source{Rand: rand.New(rand.NewPCG(seed, 0))}
	all := make([]everything, 100)
	for i := range all {
		r.fill(reflect.ValueOf(&all[i]).Elem())
	}
	wanted := must(NewRows[everything](nil))
	wanted.AppendSlice(all)
	want := lines(must(wanted.NewRecordBatch()))
	limits := eachLimit(t, func(a *arena.Arena) error {
		rows := must(NewRows[everything](a))
		batch := func() (b arrow.RecordBatch, err error) {
			if limit := tried(t, func() { b, err = rows.NewRecordBatch() }); limit != nil {
				err = limit
			}
			return b, err
		}
		err := tried(t, func() {
			for i := 0; i < len(all); i += 7 {
				rows.AppendSlice(all[i:min(i+7, len(all))])
			}
		})
		var b arrow.RecordBatch
		if err == nil {
			b, err = batch()
		}
		if err == nil {
			if got := lines(b); strings.Join(got, "") != strings.Join(want, "") {
				t.Fatalf("%v, want %v", got, want)
			}
			return nil
		}
		if again := tried(t, func() { rows.Append(all[0]) }); again != errRefused {
			t.Fatalf("%v, after %v", again, err)
		}
		if b, again := batch(); again == nil || again.Error() != cut {
			t.Fatalf("%v, %v, after %v", b, again, err)
		}
		a.Reset()
		again := tried(t, func() { rows.Append(all[1]) })
		if again == nil {
			b, again = batch()
		}
		if again == nil {
			if got := lines(b); got[0] != want[1] {
				t.Fatalf("%v, want %v", got, want[1])
			}
		} else if !errors.Is(again, arena.ErrLimit) {
			t.Fatal(again)
		}
		return err
	})
	if limits < 100 {
		t.Errorf("only %d limits were met", limits)
	}
}

// lines returns a batch as lines of JSON.
func lines(batch arrow.RecordBatch) []string {
	var text strings.Builder
	check(array.RecordToJSON(batch, &text))
	all := strings.SplitAfter(text.String(), "\n")
	return all[:len(all)-1]
}

// TestRefused has builders refuse values in the middle of a list. Who goes on all the same gets no
// list that lacks one.
func TestRefused(t *testing.T) {
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}
	union := arrow.DenseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int8}}, []arrow.UnionTypeCode{3})
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64)
	for name, c := range map[string]struct {
		of     arrow.DataType
		append func(Builder)
	}{
		"width":          {&arrow.FixedSizeBinaryType{ByteWidth: 8}, func(b Builder) { b.(*Text).Append("seven b") }},
		"bools":          {arrow.PrimitiveTypes.Int64, func(b Builder) { b.(*Column[int64]).AppendValues([]int64{1, 2}, []bool{true}) }},
		"bools of text":  {arrow.BinaryTypes.String, func(b Builder) { b.(*Text).AppendValues([]string{"a"}, []bool{true, true}) }},
		"code":           {union, func(b Builder) { b.(*Union).Append(4) }},
		"no run":         {runs, func(b Builder) { b.(*Runs).Append(0) }},
		"a run, no more": {runs, func(b Builder) { b.(*Runs).ContinueRun(1) }},
		"dictionary": {dictionary, func(b Builder) {
			for i := range 257 {
				b.(*TextDictionary).Append(fmt.Sprint(i))
			}
		}},
	} {
		l := NewBuilder(nil, arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: c.of, Nullable: true}))).(*List)
		of := l.ValueBuilder().(*Struct)
		begin := func() {
			l.Append(true)
			of.Append(true)
		}
		refused := func(f func()) (why string) {
			defer func() { why, _ = recover().(string) }()
			f()
			return ""
		}
		begin()
		if why := refused(func() { c.append(of.FieldBuilder(0)) }); why == "" || why == cut {
			t.Errorf("%s: %q", name, why)
		}
		if why := refused(func() { of.FieldBuilder(0).AppendNull() }); why != cut {
			t.Errorf("%s: an append after it: %q", name, why)
		}
		if why := refused(func() { l.NewArray() }); why != cut {
			t.Errorf("%s: NewArray after it: %q", name, why)
		}
		l.Release()
		begin()
		of.FieldBuilder(0).AppendEmptyValue()
		if x := l.NewArray(); x.Len() != 1 {
			t.Errorf("%s: %v", name, x)
		}
	}
}

// TestReleasedValues releases the values of lists, and not the lists.
func TestReleasedValues(t *testing.T) {
	for _, dtype := range []arrow.DataType{arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.LargeListOf(arrow.PrimitiveTypes.Int8), arrow.ListViewOf(arrow.PrimitiveTypes.Int8)} {
		l := NewBuilder(nil, dtype).(*List)
		for range 3 {
			l.Append(true)
			l.ValueBuilder().AppendEmptyValue()
		}
		l.ValueBuilder().Release()
		func() {
			defer func() {
				if e, _ := recover().(string); !strings.HasPrefix(e, "build: lists need 2 values") {
					t.Error(e)
				}
			}()
			t.Error(l.NewArray())
		}()
	}
}
