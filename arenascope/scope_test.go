package arenascope_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/testrun"
)

// limit is the limit of arenas in these tests.
const limit = 1 << 20

// A unit is a Scope in a test, with its Pool, and the Summary when it has ended.
type unit struct {
	arenascope.Scope
	options arenascope.Options
	pool    *arena.Pool
	sums    []arenascope.Summary
}

func newUnit(ctx context.Context) *unit {
	u := &unit{pool: &arena.Pool{Options: arena.Options{Limit: limit}}}
	u.options = arenascope.Options{Pool: u.pool, Text: true}
	u.Start(ctx, &u.options)
	return u
}

func (u *unit) end() { u.End(func(s arenascope.Summary) { u.sums = append(u.sums, s) }) }

// take asks for the arena, and returns text in it.
func take(ctx context.Context) string { return arena.Concat(arena.FromContext(ctx), "te", "xt") }

// panics returns what f panics with, or nil. If f ends its goroutine, that is an error.
func panics(f func()) (v any) {
	done := make(chan bool)
	go func() {
		defer close(done)
		v = errors.New("Goexit")
		defer func() {
			if r := recover(); r != nil {
				v = r
			}
		}()
		f()
		v = nil
	}()
	<-done
	return v
}

// errs is an error of memory, and one that is none.
var (
	errMemory = arena.Try(func() { arena.MakeSlice[byte](arena.NewWith(arena.Options{Limit: 1}), 100, 100) })
	errOther  = errors.New("other")
)

// TestEnds has units end in each of the ways that the package comment names: the reason, what
// becomes of the arena, and what Run does.
func TestEnds(t *testing.T) {
	run := func(f func(u *unit) error) func(*unit) error {
		return func(u *unit) error { return u.Run(u, func() error { return f(u) }) }
	}
	taken := func(f func(u *unit) error) func(*unit) error {
		return run(func(u *unit) error { take(u); return f(u) })
	}
	nothing := func(*unit) error { return nil }
	const freed = arenascope.ReasonFreed
	for _, test := range []struct {
		name   string
		do     func(u *unit) error
		reason arenascope.Reason
		err    error // of Run
		panic  string
		limit  bool
	}{
		{name: "nil", do: taken(nothing)},
		{name: "unused", do: run(nothing), reason: arenascope.ReasonUnused},
		{name: "unused, an error", do: run(func(*unit) error { return errOther }), reason: arenascope.ReasonUnused, err: errOther},
		{name: "unused, a limit", do: run(func(*unit) error { return errMemory }), reason: arenascope.ReasonLimit, err: errMemory, limit: true},
		{name: "unused, kept", do: run(func(u *unit) error { arenascope.Keep(u); return nil }), reason: arenascope.ReasonUnused},
		{name: "freed", do: run(func(u *unit) error { arena.FromContext(u).Free(); return nil }), reason: freed},
		{name: "panic", do: taken(func(*unit) error { panic("oh") }), reason: arenascope.ReasonPanic, panic: "oh"},
		{name: "panic with an error", do: taken(func(*unit) error { panic(errOther) }), reason: arenascope.ReasonPanic, panic: "other"},
		{name: "Goexit", do: taken(func(*unit) error { runtime.Goexit(); return nil }), reason: arenascope.ReasonPanic, panic: "Goexit"},
		{name: "panic with a limit", do: taken(func(u *unit) error {
			arena.MakeSlice[byte](arena.FromContext(u), 2*limit, 2*limit)
			return nil
		}), reason: arenascope.ReasonLimit, err: arena.ErrLimit, limit: true},
		{name: "limit", do: taken(func(*unit) error { return fmt.Errorf("a query: %w", errMemory) }), reason: arenascope.ReasonLimit, err: errMemory, limit: true},
		{name: "memory", do: taken(func(*unit) error { panic(&arena.MemoryError{Err: errOther}) }), reason: arenascope.ReasonLimit, err: errOther},
		{name: "error", do: taken(func(*unit) error { return errOther }), reason: arenascope.ReasonError, err: errOther},
		{name: "done", do: func(u *unit) error {
			ctx, cancel := context.WithCancel(u)
			return u.Run(ctx, func() error { take(ctx); cancel(); return nil })
		}, reason: arenascope.ReasonDone},
		{name: "running", do: func(u *unit) error {
			started := make(chan bool)
			go u.Run(u, func() error { take(u); close(started); <-t.Context().Done(); return nil })
			<-started
			return nil
		}, reason: arenascope.ReasonRunning},
		{name: "entered", do: func(u *unit) error {
			u.Enter()
			take(u)
			return u.Run(u, func() error { return nil })
		}, reason: arenascope.ReasonRunning},
		{name: "left", do: func(u *unit) error {
			u.Enter()
			take(u)
			u.Leave()
			return u.Run(u, func() error { return nil })
		}},
		{name: "answered", do: func(u *unit) error {
			return u.Try(func() error { take(u); return nil })
		}, reason: arenascope.ReasonAnswered},
		{name: "refused", do: func(u *unit) error {
			return u.Try(func() error { take(u); return errOther })
		}, reason: arenascope.ReasonError, err: errOther},
		{name: "panic around", do: func(u *unit) error {
			return u.Try(func() error { take(u); panic("oh") })
		}, reason: arenascope.ReasonPanic, panic: "oh"},
		{name: "limit around", do: func(u *unit) error {
			return u.Try(func() error { take(u); panic(errMemory) })
		}, reason: arenascope.ReasonLimit, err: errMemory, limit: true},
		{name: "kept", do: taken(func(u *unit) error { arenascope.Keep(context.WithoutCancel(u)); return nil }), reason: arenascope.ReasonKept},
		{name: "of the adapter, then an error", do: taken(func(u *unit) error { u.Drop("mine"); return errOther }), reason: "mine", err: errOther},
		{name: "abandoned", do: taken(func(u *unit) error {
			u.Drop("mine")
			u.Abandon("many")
			if arena.FromContext(u) != nil || arena.FromContext(arena.Fork(u)) != nil || u.Take() != nil {
				return errors.New("an abandoned unit has an arena")
			}
			return nil
		}), reason: "many"},
		{name: "adopted", do: run(func(u *unit) error { u.Adopt(u.pool.Get()); return nil })},
		{name: "adopted too late", do: taken(func(u *unit) error { u.Adopt(u.pool.Get()); return nil })},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := newUnit(t.Context())
			var err error
			v := panics(func() { err = test.do(u) })
			if (v != nil) != (test.panic != "") || v != nil && fmt.Sprint(v) != test.panic {
				t.Errorf("the panic is %v, want %q", v, test.panic)
			}
			if !errors.Is(err, test.err) || err != nil && test.err == nil {
				t.Errorf("the error is %v, want %v", err, test.err)
			}
			u.end()
			u.end()
			if len(u.sums) != 1 {
				t.Fatalf("%d summaries", len(u.sums))
			}
			s := u.sums[0]
			if s.Reason != test.reason || s.Reused != (test.reason == "") || (s.Limit != nil) != test.limit || s.Reused != (s.Stats.InUse > 0 || test.name == "adopted") {
				t.Errorf("the summary is %+v", s)
			}
			st := u.pool.Stats()
			if want := st.Gets; st.Out != 0 || s.Reused && st.Puts != want || !s.Reused && s.Reason != freed && st.Dropped != want {
				t.Errorf("the pool: %+v", st)
			}
			// Nothing more begins, and a goroutine that asks only now gets the heap.
			if err := u.Run(u, func() error { t.Error("a handler is run after the end"); return nil }); err != arenascope.ErrEnded {
				t.Errorf("Run after the end: %v", err)
			}
			if u.Enter() || u.Taken() || u.Take() != nil || arena.FromContext(arena.Fork(u)) != nil {
				t.Error("there is an arena after the end")
			}
			if s.Reused && u.Arena() != nil {
				t.Error("an arena that may have another user is found")
			}
			v = panics(func() { arenascope.Keep(u) })
			if (v != nil) != (u.Reason() == "") {
				t.Errorf("Keep after the end: %v", v)
			}
			if got := u.pool.Stats().Gets; got != st.Gets {
				t.Errorf("%d arenas are taken after the end", got-st.Gets)
			}
		})
	}
}

// TestObservePanics proves that arenas are returned if the observer panics.
func TestObservePanics(t *testing.T) {
	u := newUnit(t.Context())
	u.Run(u, func() error { take(u); return nil })
	if v := panics(func() { u.End(func(arenascope.Summary) { panic("oh") }) }); v != "oh" {
		t.Errorf("the panic is %v", v)
	}
	if st := u.pool.Stats(); st.Out != 0 || st.Puts != 1 {
		t.Errorf("the pool: %+v", st)
	}
}

// A failing Memory panics when it gets memory back.
type failing struct{}

func (failing) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (failing) Free([]byte)                    { panic("no memory is taken back") }

// TestMemoryPanics ends a unit whose arenas have a Memory that panics. Each arena is given up.
func TestMemoryPanics(t *testing.T) {
	pool := &arena.Pool{Retain: -1, Options: arena.Options{Memory: failing{}}}
	s := new(arenascope.Scope)
	s.Start(t.Context(), &arenascope.Options{Pool: pool})
	s.Run(s, func() error {
		for range 3 {
			arena.String(arena.FromContext(arena.Fork(s)), "text")
		}
		return nil
	})
	func() {
		defer func() {
			if v := recover(); v == nil {
				t.Error("the panic of the Memory is lost")
			}
		}()
		s.End(nil)
	}()
	if stats := pool.Stats(); stats.Out != 0 || stats.Dropped != 3 {
		t.Errorf("%+v", stats)
	}
}

// TestNested proves that Keep applies to the units around, and that the inner one is found.
func TestNested(t *testing.T) {
	outer := newUnit(t.Context())
	inner := newUnit(context.WithValue(outer, contextKey{}, 1))
	take(outer)
	take(inner)
	if arena.FromContext(inner) == arena.FromContext(outer) || inner.Value(contextKey{}) != 1 || outer.Value(contextKey{}) != nil {
		t.Error("the contexts are mixed up")
	}
	arenascope.Keep(inner)
	if outer.Reason() != arenascope.ReasonKept || inner.Reason() != arenascope.ReasonKept || !outer.Kept() || !inner.Kept() {
		t.Errorf("the reasons are %q and %q", outer.Reason(), inner.Reason())
	}
	//lint:ignore SA1012 this is what is tested
	arenascope.Keep(nil)
	arenascope.Keep(t.Context())
}

type contextKey struct{}

// TestNoPool proves that a Scope without a Pool uses the heap.
func TestNoPool(t *testing.T) {
	s := new(arenascope.Scope)
	s.Start(t.Context(), &arenascope.Options{})
	err := s.Run(s, func() error { take(s); take(arena.Fork(s)); return nil })
	if s.Taken() || err != nil {
		t.Errorf("there is an arena; %v", err)
	}
	s.End(func(sum arenascope.Summary) {
		if sum.Reason != arenascope.ReasonUnused {
			t.Errorf("the summary is %+v", sum)
		}
	})
}

// TestHolds proves that text of all arenas of a unit is found until its end, and nothing else, and
// nothing without Options.Text.
func TestHolds(t *testing.T) {
	for _, text := range []bool{true, false} {
		u := newUnit(t.Context())
		u.options.Text = text
		other := newUnit(t.Context())
		texts := []string{take(u), take(arena.Fork(u)), arena.String(u.Take(), "text"), "heap", take(other), ""}
		a := u.pool.Get()
		u.Adopt(a)
		texts = append(texts, arena.String(a, "adopted"))
		for i, s := range texts {
			if got, want := u.Holds(s), text && (i < 3 || i == 6); got != want {
				t.Errorf("text %d is held: %t, want %t", i, got, want)
			}
		}
		list := arena.MakeSlice[string](u.Arena(), 0, 1)
		if u.HoldsSlice(list) != text || u.HoldsSlice([]string{texts[0]}) || u.HoldsSlice(nil) {
			t.Error("a slice is found that is not there, or one is not found")
		}
		u.end()
		if u.Holds(texts[0]) || u.HoldsSlice(list) {
			t.Error("text is found after the end")
		}
	}
}

// TestConcurrent has goroutines ask, fork, enter, keep and drop while the unit ends: no arena is
// used by two of them or lost, none that may be in use is used again, and what is reused has no
// user.
func TestConcurrent(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	ends := map[arenascope.Reason]int{}
	for round := 0; round < 3000 || ends[""] == 0 || ends[arenascope.ReasonRunning] == 0; round++ {
		u := newUnit(t.Context())
		var wg sync.WaitGroup
		worker := func(kind int) {
			defer wg.Done()
			entered := u.Enter()
			defer u.Leave()
			if !entered {
				return
			}
			ctx := context.Context(u)
			switch kind {
			case 0:
				ctx = arena.Fork(ctx)
			case 1:
				arenascope.Keep(u)
				ctx = arena.Fork(ctx)
			case 2:
				u.Drop("mine")
				ctx = arena.Fork(ctx)
			case 3:
				if a := u.Take(); a != nil {
					arena.String(a, "taken")
				}
				return
			}
			for range 10 {
				runtime.Gosched() // so that the unit ends meanwhile with one processor, too
				if s := take(ctx); s != "text" {
					t.Errorf("the text is %q", s)
				}
			}
		}
		n := rnd.IntN(4)
		wg.Add(n)
		for range n {
			go worker(rnd.IntN(4))
		}
		u.Run(u, func() error {
			if rnd.IntN(2) == 0 {
				take(u)
			}
			if rnd.IntN(2) == 0 {
				wg.Wait()
			}
			runtime.Gosched()
			return nil
		})
		u.end()
		sum := u.sums[0]
		ends[sum.Reason]++
		st := u.pool.Stats()
		// A goroutine may put back an arena that it got when the unit had ended: nobody has used
		// that one.
		if sum.Reused && (st.Out != 0 || st.Puts != st.Gets) || !sum.Reused && st.Allocated != 0 {
			t.Fatalf("round %d: %+v; the pool: %+v", round, sum, st)
		}
		wg.Wait()
		if st := u.pool.Stats(); st.Out != 0 || st.Lost != 0 {
			t.Fatalf("round %d: %+v; arenas are missing: %+v", round, sum, st)
		}
	}
	t.Log(ends)
}

// TestPending proves that arenas of requests come to those who claim them, and are dropped where
// nobody does, if there are too many, and where the message is decoded anew.
func TestPending(t *testing.T) {
	pool := &arena.Pool{}
	p := &arenascope.Pending{Pool: pool}
	m := new([100]int)
	a := pool.Get()
	why, another := arenascope.Note{Memory: errors.New("why")}, arenascope.Note{Failure: errors.New("another")}
	p.Put(m, a, why, 10)
	if got, note, ok := p.Claim(m); got != a || note != why || !ok || p.Len() != 0 {
		t.Errorf("Claim: %p %v %t", got, note, ok)
	}
	if _, _, ok := p.Claim(m); ok {
		t.Error("an arena is claimed twice")
	}
	pool.Put(a)
	p.Put(m, nil, why, 10)
	p.Put(m, pool.Get(), another, 10)
	if _, note, _ := p.Claim(m); note != another {
		t.Errorf("the note is %v", note)
	}
	large := func() *arena.Arena {
		a := pool.Get()
		arena.String(a, strings.Repeat("x", arenascope.MostPending*2/3))
		return a
	}
	first, second := new([100]int), new([100]int)
	p.Put(first, large(), arenascope.Note{}, 1<<20)
	p.Put(second, large(), arenascope.Note{}, 1<<20)
	if _, _, ok := p.Claim(second); ok {
		t.Error("more waits than may")
	}
	before := pool.Stats().Dropped
	runtime.KeepAlive(first)
	first = nil
	for p.Len() > 0 {
		runtime.GC()
	}
	for pool.Stats().Dropped == before {
		runtime.Gosched()
	}
}

// TestReceive calls Receive without a stream, and with an invalid Lifetime.
func TestReceive(t *testing.T) {
	single := new(arenascope.Call)
	single.Start(t.Context(), new(arenascope.Options))
	for _, ctx := range []context.Context{nil, t.Context(), single} {
		arenascope.Receive(ctx, arenascope.PerMessage)
		for _, l := range []arenascope.Lifetime{arenascope.Heap - 1, arenascope.PerMessage + 1} {
			func() {
				defer func() {
					if s, _ := recover().(string); !strings.HasPrefix(s, "arenascope: Receive: there is no Lifetime of ") {
						t.Errorf("panic of %q", s)
					}
				}()
				arenascope.Receive(ctx, l)
				t.Errorf("no panic of a Lifetime of %d", l)
			}()
		}
	}
}

// TestAbandon has a unit go on for long after Abandon, as a WebSocket does. It does not keep its
// arenas alive.
func TestAbandon(t *testing.T) {
	pool := &arena.Pool{}
	o := arenascope.Options{Pool: pool, Text: true}
	s := new(arenascope.Scope)
	s.Start(context.Background(), &o)
	forked := arena.Fork(s)
	var gone [2]weak.Pointer[[1000]*int]
	for i, ctx := range []context.Context{s, forked} {
		gone[i] = weak.Make(arena.New[[1000]*int](arena.FromContext(ctx)))
	}
	s.Abandon("many")
	if arena.FromContext(s) != nil || arena.FromContext(forked) != nil {
		t.Error("there is an arena after Abandon")
	}
	if st := pool.Stats(); st.Dropped != 2 || st.Out != 0 {
		t.Errorf("%+v", st)
	}
	if !testrun.Collect(func() bool { return gone[0].Value() == nil && gone[1].Value() == nil }) {
		t.Error("the arenas are not collected")
	}
	s.End(func(sum arenascope.Summary) {
		if sum.Reused || sum.Reason != "many" {
			t.Errorf("%+v", sum)
		}
	})
	if st := pool.Stats(); st.Dropped != 2 || st.Out != 0 {
		t.Errorf("%+v", st)
	}
	runtime.KeepAlive(forked)
}
