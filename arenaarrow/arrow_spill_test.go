package arenaarrow_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/testrun"
)

var spillSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "parts", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)},
}, nil)

func spillText(id int64) string { return strings.Repeat(string(rune('a'+id%26)), int(id%40)) }

// A spiller is a query that keeps batches of its rows, and writes them elsewhere when memory is
// short.
type spiller struct {
	*arenaarrow.Allocator
	name  string
	mu    sync.Mutex
	kept  []arrow.RecordBatch
	files [][]byte
	calls int
}

// spill needs the lock.
func (s *spiller) spill() bool {
	if len(s.kept) == 0 {
		return false
	}
	var file bytes.Buffer
	w := ipc.NewWriter(&file, ipc.WithSchema(spillSchema))
	for _, b := range s.kept {
		must(w.Write(b))
		b.Release()
	}
	must(w.Close())
	s.files, s.kept = append(s.files, file.Bytes()), nil
	return true
}

// batch returns one of the rows from first on. It panics at a hard limit.
func (s *spiller) batch(first, rows int64) arrow.RecordBatch {
	b := array.NewRecordBuilder(s, spillSchema)
	defer b.Release()
	ids, texts, parts := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.StringBuilder), b.Field(2).(*array.ListBuilder)
	for id := first; id < first+rows; id++ {
		ids.Append(id)
		if id%7 == 0 {
			texts.AppendNull()
		} else {
			texts.Append(spillText(id))
		}
		parts.Append(true)
		for i := range id % 5 {
			parts.ValueBuilder().(*array.Int64Builder).Append(id + i)
		}
	}
	return b.NewRecordBatch()
}

// countRows marks the rows of a batch as seen, and returns what is wrong with them.
func countRows(b arrow.RecordBatch, seen map[int64]bool) error {
	ids, texts, parts := b.Column(0).(*array.Int64), b.Column(1).(*array.String), b.Column(2).(*array.List)
	values := parts.ListValues().(*array.Int64)
	for i := range int(b.NumRows()) {
		id := ids.Value(i)
		if seen[id] {
			return fmt.Errorf("row %d is there twice", id)
		}
		seen[id] = true
		if texts.IsNull(i) != (id%7 == 0) || texts.IsValid(i) && texts.Value(i) != spillText(id) {
			return fmt.Errorf("row %d has the text %q", id, texts.Value(i))
		}
		from, to := parts.ValueOffsets(i)
		if to-from != id%5 || to > from && values.Value(int(to-1)) != id+to-from-1 {
			return fmt.Errorf("row %d has the parts %d to %d", id, from, to)
		}
	}
	return nil
}

// TestSpillPrograms has queries in goroutines build batches below limits, hard and soft ones, and
// spill when they are asked or refused. No row is lost, no hard limit is exceeded at any time, and
// nothing counts in the end.
func TestSpillPrograms(t *testing.T) {
	seed := testrun.Seed(t)
	rounds := uint64(24)
	if !testrun.Long() {
		rounds = 8
	}
	spills, limits, asked, cleared := 0, 0, 0, 0
	var mu sync.Mutex // of these
	few := func() bool { return spills < 50 || limits < 50 || asked < 50 || cleared < 20 }
	for round := uint64(0); round < rounds || few() && round < 10*rounds; round++ { // What happens depends on the scheduler, too.
		r := rand.New(rand.NewPCG(seed, round))
		hard := round%2 == 0
		limit := int64(100_000 + r.IntN(300_000))
		top := arenaarrow.New(arenaarrow.Options{Name: "top", Limit: limit, Hard: hard, Fair: round%4 < 2})
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, round<<8|uint64(g)+1))
				s := &spiller{name: fmt.Sprint("query ", g)}
				s.Allocator = top.Child(s.name)
				if r.IntN(2) == 0 {
					s.SetLimit(int64(60_000 + r.IntN(100_000)))
				}
				if err := s.SetShare(arenaarrow.Share{Minimum: int64(r.IntN(2)) * 10_000, Priority: r.IntN(2)}); err != nil && !errors.Is(err, arena.ErrLimit) {
					t.Error(err)
				}
				s.OnLimit(func(need int64) bool {
					if need <= 0 {
						t.Errorf("asked for %d bytes", need)
					}
					if !s.mu.TryLock() {
						return false
					}
					defer s.mu.Unlock()
					s.calls++
					return s.spill()
				})
				refused, soft := 0, 0
				spill := func(err error) { // because of an error
					var e *arena.LimitError
					if !errors.As(err, &e) || e.Name != "top" && e.Name != s.name || e.Limit <= 0 {
						t.Errorf("%v", err)
					}
					s.mu.Lock()
					s.spill()
					s.mu.Unlock()
				}
				next := int64(0)
				for range 60 {
					rows := int64(1 + r.IntN(300))
					if r.IntN(3) == 0 {
						if err := s.TryReserve(int64(r.IntN(30_000))); err != nil {
							refused++
							spill(err)
						}
					}
					var b arrow.RecordBatch
					s.mu.Lock() // Its function cannot spill in the middle of an append of its own, or of others.
					err := arena.Try(func() { b = s.batch(next, rows) })
					s.mu.Unlock()
					if err != nil {
						if !hard {
							t.Errorf("a soft limit: %v", err)
						}
						refused++
						spill(err) // and try again, with other rows
						continue
					}
					next += rows
					s.mu.Lock()
					s.kept = append(s.kept, b)
					s.mu.Unlock()
					if s.Exceeded() {
						if hard {
							t.Error("Exceeded, with hard limits")
						}
						soft++
						spill(s.Err())
						s.ClearExceeded()
					}
					st := s.Stats()
					if st.InUse < 0 || st.Reserved < 0 || hard && top.Stats().Peak > limit {
						t.Errorf("%+v, %+v", st, top.Stats())
					}
					if r.IntN(20) == 0 {
						if c := s.Child("step"); c.TryReserve(1000) == nil {
							_ = arena.Try(func() { c.Free(c.Allocate(5000)) })
							if l := c.Close(); l != nil {
								t.Error(l)
							}
						} else {
							c.Close()
						}
					}
				}
				s.OnLimit(nil)
				s.mu.Lock() // A call of the function may be under way.
				defer s.mu.Unlock()
				seen := map[int64]bool{}
				for _, b := range s.kept {
					if err := countRows(b, seen); err != nil {
						t.Error(err)
					}
					b.Release()
				}
				for _, f := range s.files {
					in := must1(ipc.NewReader(bytes.NewReader(f)))
					for in.Next() {
						if err := countRows(in.RecordBatch(), seen); err != nil {
							t.Error(err)
						}
					}
					must(in.Err())
					in.Release()
				}
				if int64(len(seen)) != next {
					t.Errorf("%d rows, want %d", len(seen), next)
				}
				if l := s.Close(); l != nil {
					t.Error(l)
				}
				mu.Lock()
				defer mu.Unlock()
				spills, limits, asked, cleared = spills+len(s.files), limits+refused, asked+s.calls, cleared+soft
			})
		}
		wg.Wait()
		if st := top.Stats(); st.InUse != 0 || st.Reserved != 0 || st.Blocks != 0 || st.Orphans != 0 {
			t.Errorf("round %d: %+v", round, st)
		}
		if l := top.Close(); l != nil {
			t.Error(l)
		}
		if st := top.Stats(); st.Held != 0 || st.Cached != 0 {
			t.Errorf("round %d: %+v", round, st)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d files, %d refused, %d calls of functions, %d cleared", spills, limits, asked, cleared)
	if few() {
		t.Error("too few")
	}
}
