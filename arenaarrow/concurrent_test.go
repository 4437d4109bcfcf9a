package arenaarrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// patterns has long runs of bytes that differ from place to place, and none that are zero.
var patterns = func() (all [1 << 21]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range all {
		all[i] = byte(1 + r.IntN(255))
	}
	return all
}()

// pattern returns size bytes, others for each n below 2^16.
func pattern(size int, n uint64) []byte {
	return patterns[n%(1<<16):][:size]
}

var zeros [1 << 21]byte

// stamp fills b with what only this block has, and stamped reports whether it is still there.
func stamp(b []byte, n uint64)        { copy(b, pattern(len(b), n)) }
func stamped(b []byte, n uint64) bool { return bytes.Equal(b, pattern(len(b), n)) }

// TestGoroutines has several goroutines allocate, and free what others have allocated, by children
// that are closed at any time.
func TestGoroutines(t *testing.T) {
	for _, o := range []Options{{}, {Retain: -1, StackRate: 1}, {Align: 4096, Memory: &testMemory{blocks: map[uintptr]int{}}}, {Debug: true}} {
		top := New(o)
		type message struct {
			b []byte
			n uint64
		}
		messages := make(chan message, 64)
		var numbers atomic.Uint64
		var wg sync.WaitGroup
		steps := 3000
		if o.Debug {
			steps = 100
		}
		var queries [4]atomic.Pointer[Allocator]
		for i := range queries {
			queries[i].Store(top.Child(fmt.Sprint("query ", i)))
		}
		for g := range 6 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for range steps {
					q := queries[r.IntN(len(queries))].Load()
					n := numbers.Add(1)
					b := q.Allocate(randomSize(r))
					if !bytes.Equal(b, zeros[:len(b)]) {
						t.Error("not zero")
						return
					}
					stamp(b, n)
					for r.IntN(2) == 0 {
						old := len(b)
						b = q.Reallocate(randomSize(r), b)
						if !stamped(b[:min(old, len(b))], n) {
							t.Error("Reallocate changed the contents")
							return
						}
						stamp(b, n)
					}
					select {
					case messages <- message{b, n}:
					default:
						if !stamped(b, n) {
							t.Error("another block has spoilt this one")
							return
						}
						top.Free(b)
					}
					if r.IntN(2) == 0 {
						select {
						case m := <-messages:
							if !stamped(m.b, m.n) {
								t.Error("another block has spoilt this one")
								return
							}
							q.Free(m.b)
						default:
						}
					}
					switch r.IntN(400) {
					case 0:
						old := queries[r.IntN(len(queries))].Swap(top.Child("another query"))
						_ = old.Close().String()
					case 1:
						top.Stats()
					case 2:
						runtime.GC()
					}
				}
			})
		}
		wg.Wait()
		close(messages)
		for m := range messages {
			if !stamped(m.b, m.n) {
				t.Error("another block has spoilt this one")
			}
			top.Free(m.b)
		}
		if err := top.check(); err != nil {
			t.Error(err)
		}
		if s := top.Stats(); s.InUse != 0 || s.Orphans != 0 || s.Blocks != 0 {
			t.Errorf("%+v", s)
		}
		if l := top.Close(); l != nil {
			t.Error(l)
		}
		if s := top.Stats(); s.Held != 0 || s.Cached != 0 {
			t.Errorf("%+v", s)
		}
		if m, _ := o.Memory.(*testMemory); m != nil && len(m.blocks) != 0 {
			t.Errorf("%d pieces of memory are left", len(m.blocks))
		}
	}
}

// TestOrphans proves that the collector takes what a child of an allocator on the heap has
// forgotten, but not before nobody uses it.
func TestOrphans(t *testing.T) {
	a := New(Options{})
	other := a.Child("other")
	var gone atomic.Int32
	for _, size := range []int{64, 1000, 100_000} {
		gone.Store(0)
		q := a.Child("q")
		shared := other.Allocate(size) // in a slab with those below
		stamp(shared, 7)
		forgotten := q.Allocate(size)
		kept := q.Allocate(size)
		stamp(kept, 9)
		runtime.AddCleanup(&forgotten[0], func(int) { gone.Add(1) }, 0)
		forgotten = nil
		if l := q.Close(); l.Blocks != 2 || l.Bytes != int64(2*size) {
			t.Fatal(l)
		}
		for range 3 {
			runtime.GC()
			for range 100 {
				b := other.Allocate(size)
				stamp(b, 1)
			}
			if !stamped(kept, 9) || !stamped(shared, 7) {
				t.Fatal("what is in use has been handed out again")
			}
		}
		late := &kept[0]
		q.Free(kept)
		mustPanic(t, "second Free", func() { q.Free(kept) })
		if *late != kept[0] || !stamped(kept, 9) {
			t.Fatal("Free of an orphan changed it")
		}
		other.Free(shared)
		kept, shared, late = nil, nil, nil
		if !testrun.Collect(func() bool { return gone.Load() > 0 }) {
			t.Fatalf("what was forgotten is held for ever; %+v", a.Stats())
		}
	}
	collectOrphans(t, a)
}

// TestForgotten proves that entries for memory that the collector has taken go away, or are
// replaced.
func TestForgotten(t *testing.T) {
	a := New(Options{})
	spans := func() (n int) {
		a.table.all(func(s *span) {
			if s.memory == nil {
				n++
			}
		})
		return n
	}
	for range 200 {
		q := a.Child("q")
		q.Allocate(100)
		q.Allocate(100_000)
		q.Close()
	}
	if !testrun.Collect(func() bool { return spans() <= 20 }) {
		t.Fatalf("%d entries are left", spans())
	}
	if n := a.stackCount(); n > 20 {
		t.Errorf("%d stacks are left", n)
	}
}

// TestDecay proves that a cache that nobody uses is given up.
func TestDecay(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A cycle would give something up before it is counted.
	m := &testMemory{blocks: map[uintptr]int{}}
	a := New(Options{Memory: m})
	defer a.Close()
	var all [][]byte
	for range 100 {
		all = append(all, a.Allocate(1<<20))
	}
	for _, b := range all {
		a.Free(b)
	}
	if n := a.Stats().Cached; n < 100<<20 {
		t.Fatalf("%d bytes are cached", n)
	}
	if !testrun.Collect(func() bool { return a.Stats().Cached <= 3<<20 }) {
		t.Fatalf("%+v", a.Stats())
	}
}

func TestLimits(t *testing.T) {
	a := New(Options{Name: "all", Limit: 10_000})
	q, other := a.Child("q"), a.Child("other")
	part := q.Child("part")
	q.SetLimit(5000)
	background := context.Background()
	contexts := map[string]context.Context{}
	for name, x := range map[string]*Allocator{"a": a, "q": q, "other": other, "part": part} {
		ctx, cancel := x.Context(background)
		defer cancel()
		contexts[name] = ctx
	}
	done, cancel := part.Context(background)
	cancel()
	if done.Err() != context.Canceled || context.Cause(done) != context.Canceled {
		t.Error(done.Err(), context.Cause(done))
	}
	expect := func(names string) {
		t.Helper()
		for name, x := range map[string]*Allocator{"a": a, "q": q, "other": other, "part": part} {
			want := strings.Contains(names, name+" ")
			if x.Exceeded() != want || (x.Err() != nil) != want || (contexts[name].Err() != nil) != want {
				t.Errorf("%s: %v, %v, %v; want %v", name, x.Exceeded(), x.Err(), contexts[name].Err(), want)
			}
		}
	}
	part.Allocate(5000)
	expect("")
	b := other.Allocate(5000)
	expect("")
	other.Free(b)
	b = part.Allocate(1)
	expect("q part ")
	for _, err := range []error{part.Err(), q.Err(), context.Cause(contexts["q"]), context.Cause(contexts["part"])} {
		var e *arena.LimitError
		if !errors.As(err, &e) || !errors.Is(err, arena.ErrLimit) || *e != (arena.LimitError{Name: "q", Limit: 5000, Reserved: 5000, Needed: 1, Option: "arenaarrow.Allocator.SetLimit"}) {
			t.Error(err)
		}
	}
	if ctx, cancel := q.Context(background); ctx.Err() == nil || context.Cause(ctx) != q.Err() {
		t.Error("a context made later is not cancelled")
	} else {
		cancel()
	}
	part.Free(b)
	c := other.Allocate(6000)
	expect("q part other ")
	if e := (*arena.LimitError)(nil); !errors.As(other.Err(), &e) || e.Name != "all" {
		t.Error(other.Err())
	}
	a.Allocate(1)
	expect("q part other a ")
	other.Free(c)
	for i, left := 0, 1; left > 0; i++ {
		left = 0
		for _, x := range []*Allocator{a, q, part, other} {
			x.mu.Lock()
			left += len(x.contexts)
			x.mu.Unlock()
		}
		if i == 60_000 {
			t.Fatalf("%d contexts are left", left)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestLimitSays checks that an error names the allocator whose limit it is, and what has set it.
func TestLimitSays(t *testing.T) {
	for _, hard := range []bool{false, true} {
		for level, name := range []string{"top", "q", "step"} {
			for _, set := range []bool{false, true} {
				o := Options{Name: "top", Hard: hard}
				option := "arenaarrow.Allocator.SetLimit"
				if level == 0 && !set {
					o.Limit, option = 100, "arenaarrow.Options.Limit"
				}
				top := New(o)
				q := top.Child("q")
				step := q.Child("step")
				if option != "arenaarrow.Options.Limit" {
					[]*Allocator{top, q, step}[level].SetLimit(100)
				}
				err := arena.Try(func() { step.Allocate(101) })
				if !hard {
					err = step.Err()
				}
				want := arena.LimitError{Name: name, Limit: 100, Needed: 101, Option: option}
				if e := (*arena.LimitError)(nil); !errors.As(err, &e) || *e != want ||
					e.Error() != "arena: limit exceeded: arena "+name+" holds 0 bytes, needs 101 more, and may hold 100 ("+option+")" {
					t.Errorf("hard %v, limit of %s, set %v: %v", hard, name, set, err)
				}
			}
		}
	}
}

// TestLimitOfSmaller has a query get blocks and make them smaller, which frees nothing: its limit
// is to notice, though little is in use.
func TestLimitOfSmaller(t *testing.T) {
	for _, debug := range []bool{false, true} {
		top := New(Options{Debug: debug})
		q := top.Child("q")
		q.SetLimit(10 << 10)
		var blocks [][]byte
		for i := range 11 {
			if q.Exceeded() {
				t.Errorf("exceeded by %d blocks of 1 KiB", i)
			}
			blocks = append(blocks, q.Reallocate(i, q.Allocate(1<<10)))
		}
		if s := q.Stats(); !q.Exceeded() || s.InUse != 55 || s.Blocks != 11 || s.Peak != 11<<10 {
			t.Errorf("%v, %+v", q.Exceeded(), s)
		}
		if l := q.Close(); l == nil || l.Blocks != 11 || l.Bytes != 55 || top.Stats().Orphans != 55 {
			t.Errorf("%v, %+v", l, top.Stats())
		}
		for _, b := range blocks {
			top.Free(b)
		}
		if s := top.Stats(); s.Orphans != 0 || s.InUse != 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestHardLimit(t *testing.T) {
	for _, debug := range []bool{false, true} {
		a := New(Options{Name: "all", Limit: 10_000, Hard: true, Debug: debug})
		q := a.Child("q")
		q.SetLimit(5000)
		b := q.Allocate(4000)
		stamp(b, 3)
		var e *arena.LimitError
		err := arena.Try(func() { q.Allocate(1001) })
		if !errors.As(err, &e) || *e != (arena.LimitError{Name: "q", Limit: 5000, Reserved: 4000, Needed: 1001, Option: "arenaarrow.Allocator.SetLimit"}) {
			t.Error(err)
		}
		for _, size := range []int{5001, 50_000} {
			err = arena.Try(func() { q.Reallocate(size, b) })
			if !errors.As(err, &e) || e.Name != "q" || !stamped(b, 3) {
				t.Error(err)
			}
		}
		if !debug {
			q.SetLimit(4050)
			b = q.Reallocate(4050, b)
			if err = arena.Try(func() { q.Reallocate(4090, b) }); !errors.As(err, &e) || e.Needed != 40 || e.Reserved != 4050 {
				t.Error(err)
			}
		}
		if s := q.Stats(); s.InUse != int64(len(b)) || s.Peak != int64(len(b)) && !debug || q.Exceeded() {
			t.Errorf("%+v", s)
		}
		q.Free(b)
		if s := a.Stats(); s.InUse != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestAssertSize compares with what memory.CheckedAllocator says.
func TestAssertSize(t *testing.T) {
	a := New(Options{StackRate: 1})
	b := a.Allocate(100)
	a.Allocate(200)
	a.Reallocate(50, b)
	var r recorder
	a.AssertSize(&r, 250)
	if r != "" {
		t.Error(r)
	}
	a.AssertSize(&r, 0)
	for _, part := range []string{"invalid memory size exp=0, got=250", "1 of 200 bytes", "1 of 50 bytes", "TestAssertSize", "concurrent_test.go:"} {
		if !strings.Contains(string(r), part) {
			t.Errorf("%q is not in %s", part, r)
		}
	}
	if a.CurrentAlloc() != 250 || a.AllocatedBytes() != 250 {
		t.Error(a.CurrentAlloc(), a.AllocatedBytes())
	}
}

type recorder string

func (r *recorder) Errorf(format string, args ...any) { *r += recorder(fmt.Sprintf(format, args...)) }
func (*recorder) Helper()                             {}

func TestMisuse(t *testing.T) {
	a, other := New(Options{Name: "a"}), New(Options{Name: "other"})
	mustPanic(t, "negative size", func() { a.Allocate(-1) })
	mustPanic(t, "negative size", func() { a.Reallocate(-1, nil) })
	mustPanic(t, "negative size", func() { a.Reallocate(-1, a.Allocate(10)) })
	mustPanic(t, "the heap's", func() { a.Free(make([]byte, 64)) })
	mustPanic(t, "another's", func() { a.Free(other.Allocate(100)) })
	mustPanic(t, "another's", func() { a.Reallocate(10, other.Allocate(100)) })
	mustPanic(t, "a static one", func() { a.Free(empty[:0:0]); a.Free([]byte("literal")) })
	mustPanic(t, "Align", func() { New(Options{Align: 32}) })
	mustPanic(t, "Align", func() { New(Options{Align: 96}) })
	mustPanic(t, "Align", func() { New(Options{Align: 8192}) })
	mustPanic(t, "Limit", func() { New(Options{Limit: -1}) })
	mustPanic(t, "SetLimit", func() { a.SetLimit(-1) })
	a.Free(nil)
	a.Free([]byte{})
	b := a.Allocate(1000)
	a.Free(b[:0])
	mustPanic(t, "second Free", func() { a.Free(b[:0]) })
	c := a.Allocate(970) // in the same place
	if &b[0] != &c[0] {
		t.Fatal("another place")
	}
	mustPanic(t, "Free of what was there before", func() { a.Free(b) })
	stamp(c, 1)
	d := a.Reallocate(900, c)
	if &d[0] != &c[0] || cap(d) != 970 || !stamped(d, 1) {
		t.Error("a block that was made smaller is not where it was, with what it had")
	}
	if d = a.Reallocate(1024, d); &d[0] != &c[0] || !stamped(d[:900], 1) || strings.Trim(string(d[900:]), "\x00") != "" {
		t.Error("growth in place leaves old bytes")
	}
}
