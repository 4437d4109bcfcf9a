package model_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/testrun"
)

// waitFor waits until what the collector does has made ok true.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !testrun.Collect(ok) {
		t.Fatalf("still not true after many collections: %s", what)
	}
}

// raceDetector reports whether the tests run under the race detector, with which sync.Pool forgets
// at random.
var raceDetector = sync.OnceValue(func() bool {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-race" && s.Value == "true" {
			return true
		}
	}
	return false
})

// closed makes all calls of the package with arenas that get opens and end closes, with
// handles taken before that. want is the panic of an arena that is used after end.
func closed(t *testing.T, name string, get func() *arena.Arena, end func(a *arena.Arena), want panics) {
	t.Helper()
	for i, c := range calls() {
		a := get()
		do := c.prepare(a)
		end(a)
		expect := c.freed
		switch {
		case expect == usedAfterFree:
			expect = want
		case c.name == "Arena.Free":
			expect = want
		case c.name == "Arena.Stats":
			expect = false
		}
		if c.stale != nil {
			expect = c.stale
		} else if strings.HasPrefix(c.name, "Builder.") {
			expect = c.want // a stale Builder is an empty one, on the heap
		}
		if got := result(do); !sameResult(got, expect) {
			t.Errorf("%s: call %d, %s: got %#v, want %#v", name, i, c.name, got, expect)
		}
		if s := a.Stats(); s.InUse != 0 || s.Reserved != 0 || s.Freed {
			t.Errorf("%s: call %d, %s: Stats of a closed arena are %+v", name, i, c.name, s)
		}
		if a := get(); a.Stats().InUse != 0 {
			t.Errorf("%s: call %d, %s: the next arena is not empty: %+v", name, i, c.name, a.Stats())
		}
	}
}

// TestPoolStates proves that an arena which is in a Pool cannot be used.
func TestPoolStates(t *testing.T) {
	var p arena.Pool
	closed(t, "Put", p.Get, p.Put, "used after Pool.Put")
	p = arena.Pool{Options: arena.Options{Name: "requests"}}
	closed(t, "Put", p.Get, p.Put, "arena requests is used after Pool.Put")
}

// TestPoolMisuse proves what Put and Drop say of arenas that they do not accept.
func TestPoolMisuse(t *testing.T) {
	var p, other arena.Pool
	var none *arena.Pool
	var g arena.Group
	state := func(f func(a *arena.Arena)) func() *arena.Arena {
		return func() *arena.Arena {
			a := p.Get()
			arena.New[int](a)
			f(a)
			return a
		}
	}
	for _, c := range []struct {
		name string
		get  func() *arena.Arena
		put  any // the result of Put, and of Drop
	}{
		{"nil", func() *arena.Arena { return nil }, nil},
		{"freed", state((*arena.Arena).Free), nil},
		{"freed twice", state(func(a *arena.Arena) { a.Free(); a.Free() }), nil},
		{"put", state(p.Put), panics("lies in the Pool already")},
		{"dropped", state(p.Drop), panics("was dropped")},
		{"of NewArena", arena.NewArena, panics("not from this Pool")},
		{"of NewWith", func() *arena.Arena { return arena.NewWith(arena.Options{Name: "mine"}) }, panics("arena mine that is not from this Pool")},
		{"freed, of NewArena", func() *arena.Arena { a := arena.NewArena(); a.Free(); return a }, panics("not from this Pool")},
		{"of another Pool", other.Get, panics("not from this Pool")},
		{"of a Group", g.Arena, panics("not from this Pool")},
	} {
		for name, put := range map[string]func(*arena.Arena){"Put": p.Put, "Drop": p.Drop} {
			a := c.get()
			before := p.Stats()
			if got := result(func() any { put(a); return nil }); !sameResult(got, c.put) {
				t.Errorf("%s of an arena that is %s: got %v, want %v", name, c.name, got, c.put)
			}
			if after := p.Stats(); before.Puts != after.Puts || before.Dropped != after.Dropped || before.Idle < after.Idle {
				t.Errorf("%s of an arena that is %s: Stats were %+v, are %+v", name, c.name, before, after)
			}
			if strings.Contains(c.name, "of ") && !a.Stats().Freed {
				if arena.New[int](a); a.Stats().InUse != 8 && a.Stats().InUse != 4 {
					t.Errorf("%s of an arena that is %s has changed it: %+v", name, c.name, a.Stats())
				}
			}
		}
	}

	if a := none.Get(); a != nil {
		t.Errorf("a nil Pool gives %v", a)
	}
	none.Put(nil)
	none.Drop(nil)
	none.Do(func(a *arena.Arena) {
		if a != nil {
			t.Errorf("Do of a nil Pool gives %v", a)
		}
	})
	if s := none.Stats(); s != (arena.PoolStats{}) {
		t.Errorf("Stats of a nil Pool: %+v", s)
	}
	for _, a := range []*arena.Arena{arena.NewArena(), p.Get()} {
		if got := result(func() any { none.Put(a); return nil }); !sameResult(got, panics("not from this Pool")) {
			t.Errorf("Put into a nil Pool: %v", got)
		}
	}
}

// TestPoolTwice proves that if several goroutines Put one arena at the same time, exactly one
// succeeds, and the others panic.
func TestPoolTwice(t *testing.T) {
	var p arena.Pool
	var puts, drops int64
	for range 2000 {
		a := p.Get()
		*arena.New[int](a) = 1
		start := make(chan bool)
		var wg sync.WaitGroup
		got := make([]any, 3)
		for i, f := range []func(*arena.Arena){p.Put, p.Put, p.Drop} {
			wg.Go(func() {
				<-start
				got[i] = result(func() any { f(a); return nil })
			})
		}
		close(start)
		wg.Wait()
		ok := 0
		for i, r := range got {
			switch {
			case r == nil:
				if ok++; i < 2 {
					puts++
				} else {
					drops++
				}
			case !sameResult(r, panics("lies in the Pool already")) && !sameResult(r, panics("was dropped")):
				t.Fatalf("got %v", r)
			}
		}
		if ok != 1 {
			t.Fatalf("%d of 3 gave back the same arena: %v", ok, got)
		}
	}
	if s := p.Stats(); s.Puts != puts || s.Dropped != drops || s.Gets != 2000 {
		t.Errorf("%d Puts, %d Drops; Stats are %+v", puts, drops, s)
	}
}

// TestPoolAllocates proves that an arena from a Pool, and Do, cost no allocation.
func TestPoolAllocates(t *testing.T) {
	if raceDetector() {
		return // sync.Pool forgets at random
	}
	var p arena.Pool
	use := func(a *arena.Arena) {
		arena.New[person](a).age++
		arena.String(a, "text")
	}
	for name, f := range map[string]func(){
		"Get, Put": func() { a := p.Get(); use(a); p.Put(a) },
		"Pool.Do":  func() { p.Do(use) },
		"Do":       func() { arena.Do(use) },
		"Do, closure": func() {
			n := 0
			arena.Do(func(a *arena.Arena) { use(a); n++ })
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestPoolRetain proves that Retain bounds what arenas bring back, but not what
// they keep over a Reset by their user.
func TestPoolRetain(t *testing.T) {
	for _, retain := range []int64{-1, 1, 5000, 100_000} {
		p := arena.Pool{Retain: retain}
		a := p.Get()
		for range 200 {
			arena.New[person](a)
			arena.MakeSlice[byte](a, 1000, 1000)
		}
		held := a.Stats().Reserved
		if a.Reset(); a.Stats().Reserved != held {
			t.Errorf("Retain %d: Reset keeps %d bytes of %d", retain, a.Stats().Reserved, held)
		}
		p.Put(a)
		if s := p.Stats(); s.Idle == 1 && (s.Retained > max(retain, 0) || s.Reserved != s.Retained) {
			t.Errorf("Retain %d: Stats are %+v", retain, s)
		}
	}
}

// TestPoolIdle proves that arenas which nobody uses leave the Pool, and that a
// Pool that nobody uses leaves memory, with its arenas.
func TestPoolIdle(t *testing.T) {
	var arenas []weak.Pointer[arena.Arena]
	p := new(arena.Pool)
	const n = 20
	func() {
		var out [n]*arena.Arena
		for i := range out {
			out[i] = p.Get()
			arena.MakeSlice[byte](out[i], 10_000, 10_000)
			arenas = append(arenas, weak.Make(out[i]))
		}
		for _, a := range out {
			p.Put(a)
		}
	}()
	waitFor(t, "idle arenas leave the Pool", func() bool {
		s := p.Stats()
		return s.Collected == n && s.Idle == 0 && s.Reserved == 0 && s.Retained == 0
	})
	if s := p.Stats(); s.Gets != n || s.Puts != n || s.Made != n || s.Lost != 0 || s.Out != 0 {
		t.Errorf("Stats are %+v", s)
	}
	pool := weak.Make(p)
	func() {
		for i := range n {
			a := p.Get()
			arena.New[int](a)
			arenas = append(arenas, weak.Make(a))
			switch i % 4 {
			case 0:
				p.Put(a)
			case 1:
				p.Drop(a)
			case 2:
				a.Free()
			}
		}
	}()
	p = nil
	waitFor(t, "a Pool and all of its arenas are collected", func() bool {
		for _, a := range arenas {
			if a.Value() != nil {
				return false
			}
		}
		return pool.Value() == nil
	})
}

// TestPoolLost proves that an arena which is forgotten is counted, and that what
// was allocated from it stays.
func TestPoolLost(t *testing.T) {
	var p arena.Pool
	var kept []*mixture
	for i := range 50 {
		kept = append(kept, arena.Ptr(p.Get(), newMixture(i)))
	}
	waitFor(t, "arenas without Put are lost", func() bool { return p.Stats().Lost == 50 })
	if s := p.Stats(); s.Out != 0 || s.Reserved != 0 {
		t.Errorf("Stats are %+v", s)
	}
	overwrite(5000)
	for i, m := range kept {
		if !m.is(i) {
			t.Errorf("value %d of a lost arena is %v", i, m)
		}
	}
}

// TestPoolLimit proves that the Limit is of each arena of a Pool, and that what
// failed for it is counted.
func TestPoolLimit(t *testing.T) {
	const goroutines, rounds = 4, 50
	p := arena.Pool{Options: arena.Options{Name: "limited", Limit: 10_000}}
	var wg sync.WaitGroup
	errs := make(chan error, goroutines*rounds)
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				a := p.Get()
				arena.MakeSlice[byte](a, 9000, 9000)
				errs <- arena.Try(func() { arena.MakeSlice[byte](a, 5000, 5000) })
				p.Put(a)
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err == nil || !strings.Contains(err.Error(), "arena limited holds") {
			t.Fatalf("got %v", err)
		}
	}
	if s := p.Stats(); s.LimitHits != goroutines*rounds || s.Puts != goroutines*rounds || s.Peak != 9000 || s.Allocated != 9000*goroutines*rounds {
		t.Errorf("Stats are %+v", s)
	}
}

// TestDo proves what Do does when f returns, panics, ends its goroutine, frees its arena, or calls
// Do: values of f in a panic stay unchanged.
func TestDo(t *testing.T) {
	var p arena.Pool
	expect := func(name string, gets, puts, dropped, freed int64) {
		t.Helper()
		if s := p.Stats(); s.Gets != gets || s.Puts != puts || s.Dropped != dropped || s.Freed != freed || s.Out+s.Lost != 0 {
			t.Errorf("%s: Stats are %+v", name, s)
		}
	}
	p.Do(func(a *arena.Arena) {
		x := arena.Ptr(a, "outer")
		p.Do(func(b *arena.Arena) {
			arena.Ptr(b, "inner")
			if a == b {
				t.Error("nested calls have the same arena")
			}
		})
		if *x != "outer" {
			t.Errorf("after a nested call: %q", *x)
		}
	})
	expect("nested", 2, 2, 0, 0)

	p.Do((*arena.Arena).Free)
	expect("freed", 3, 2, 0, 1)

	// The value of a panic is in the arena, and refers to more there.
	var used *arena.Arena
	value := result(func() any {
		p.Do(func(a *arena.Arena) {
			used = a
			panic(arena.Ptr(a, struct{ err error }{fmt.Errorf("%s", arena.String(a, "broken"))}))
		})
		return nil
	})
	expect("panic", 4, 2, 1, 1)
	for range 100 {
		p.Do(func(a *arena.Arena) {
			if a == used {
				t.Fatal("an arena that may be in use is given away")
			}
			for range 100 {
				*arena.New[struct{ err error }](a) = struct{ err error }{fmt.Errorf("other")}
				arena.String(a, "other!")
			}
		})
	}
	runtime.GC()
	if got := value.(*struct{ err error }).err.Error(); got != "broken" {
		t.Errorf("the value of a panic was broken, is %q", got)
	}
	arena.New[int](used) // whoever has it may go on

	done := make(chan bool)
	go func() {
		defer close(done)
		p.Do(func(a *arena.Arena) { runtime.Goexit() })
	}()
	<-done
	if s := p.Stats(); s.Dropped != 2 || s.Out != 0 {
		t.Errorf("Goexit: Stats are %+v", s)
	}

	err := arena.Try(func() {
		q := arena.Pool{Options: arena.Options{Limit: 100}}
		q.Do(func(a *arena.Arena) { arena.MakeSlice[int](a, 100, 100) })
	})
	if err == nil {
		t.Error("a *LimitError does not go through Do")
	}

	// The common Pool.
	ran := false
	arena.Do(func(a *arena.Arena) {
		ran = a != nil && reflect.DeepEqual(a.Stats().Types, []arena.TypeStats(nil))
		arena.New[int](a)
	})
	if !ran {
		t.Error("Do did not call f with an empty arena")
	}
}

// TestSetDoPool swaps the Pool of Do while goroutines call Do, and checks that each arena goes back
// to where it came from.
func TestSetDoPool(t *testing.T) {
	own := arena.SetDoPool(nil)
	defer arena.SetDoPool(own)
	if own == nil {
		t.Fatal("Do had no Pool")
	}
	arena.Do(func(a *arena.Arena) {
		if a != nil {
			t.Error("without a Pool Do has an arena")
		}
	})
	pools := []*arena.Pool{{Options: arena.Options{Name: "p"}}, {Options: arena.Options{Name: "q"}}, nil}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i := range 1000 {
				arena.Do(func(a *arena.Arena) {
					if p := arena.SetDoPool(pools[i%3]); p == own {
						t.Error("Do has a Pool that nobody has set")
					}
					arena.New[int](a)
				})
			}
		})
	}
	wait.Wait()
	for _, p := range pools[:2] {
		if s := p.Stats(); s.Gets != s.Puts || s.Out != 0 {
			t.Errorf("a Pool of Do has Stats %+v", s)
		}
	}
}

// TestPoolDrop proves that Drop may come before Free or at the same time, as with a timeout and the
// handler that it cuts short, and in a function that Do calls.
func TestPoolDrop(t *testing.T) {
	var p arena.Pool
	for range 1000 {
		a := p.Get()
		freed := make(chan any)
		go func() { freed <- result(func() any { a.Free(); return nil }) }()
		p.Drop(a)
		if got := <-freed; got != nil {
			t.Fatalf("Free of an arena that is dropped: %v", got)
		}
	}
	for name, f := range map[string]func(a *arena.Arena){"Drop": p.Drop, "Free": (*arena.Arena).Free} {
		if got := result(func() any { p.Do(f); return nil }); got != nil {
			t.Errorf("%s in Do: %v", name, got)
		}
		if got := result(func() any {
			p.Do(func(a *arena.Arena) { f(a); panic("mine") })
			return nil
		}); got != panics("mine") {
			t.Errorf("%s and a panic in Do: %v", name, got)
		}
	}
	if s := p.Stats(); s.Out != 0 || s.Lost != 0 || s.Gets != s.Dropped+s.Freed {
		t.Errorf("Stats are %+v", s)
	}
}

// TestPoolEmbedded proves that a Pool which is a part of what has an arena of it does not
// keep that alive.
func TestPoolEmbedded(t *testing.T) {
	type conn struct {
		pool arena.Pool
		a    *arena.Arena
	}
	w := func() weak.Pointer[conn] {
		c := new(conn)
		c.a = c.pool.Get()
		return weak.Make(c)
	}()
	waitFor(t, "the collector takes the struct", func() bool { return w.Value() == nil })
}

// TestPoolStatsOfArena proves that an arena from a Pool says nothing of its former users.
func TestPoolStatsOfArena(t *testing.T) {
	p := arena.Pool{Options: arena.Options{Limit: 1000}}
	for range 3 {
		a := p.Get()
		if s := a.Stats(); s.Peak != 0 || s.Resets != 0 || s.LimitHits != 0 || s.InUse != 0 {
			t.Fatalf("Stats of an arena from the Pool are %+v", s)
		}
		arena.MakeSlice[byte](a, 100, 100)
		a.Reset()
		if arena.Try(func() { arena.MakeSlice[byte](a, 2000, 2000) }) == nil {
			t.Fatal("no limit")
		}
		p.Put(a)
	}
	if s := p.Stats(); s.LimitHits != 3 || s.Peak != 100 || s.Resets != 6 {
		t.Errorf("Stats of the Pool are %+v", s)
	}
}

// TestActivatedBySlice proves that a slab which a slice of plain values has put on the list of
// those in use goes on with the chunk that it has kept, and not with another.
func TestActivatedBySlice(t *testing.T) {
	round := func(a *arena.Arena) error {
		return arena.Try(func() {
			s := arena.SlabOf[int64](a)
			arena.MakeSlice[int64](a, 1, 1)
			for range 12_000 {
				s.New()
			}
		})
	}
	o := arena.Options{Limit: 130_000}
	p := arena.Pool{Options: o}
	a := arena.NewWith(o)
	g := arena.Group{Options: o}
	for i := range 5 {
		pooled := p.Get()
		err := errors.Join(round(pooled), round(a), round(g.Arena()))
		p.Put(pooled)
		a.Reset()
		a.Reset() // without a round in between
		g.Reset()
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
}

// TestPutPanics has a value of Local, and a Memory, panic in Put. The arena is a dropped one then.
func TestPutPanics(t *testing.T) {
	for name, p := range map[string]*arena.Pool{
		"Local":  {},
		"Memory": {Retain: -1, Options: arena.Options{Memory: panickyMemory{}}},
	} {
		a := p.Get()
		arena.New[int64](a)
		if name == "Local" {
			v, _ := arenakit.Local[panickyValue](a)
			v.panics = true
		}
		put := func() (v any) {
			defer func() { v = recover() }()
			p.Put(a)
			return nil
		}
		if v := put(); v != "it panics" {
			t.Errorf("%s: Put panics with %v", name, v)
		}
		if s := p.Stats(); s.Puts != 0 || s.Dropped != 1 || s.Idle != 0 || s.Out != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		if v := put(); !strings.Contains(fmt.Sprint(v), "was dropped") {
			t.Errorf("%s: the second Put panics with %v", name, v)
		}
		if b := p.Get(); b == a {
			t.Errorf("%s: the arena comes again", name)
		}
	}
}

type panickyValue struct{ panics bool }

func (v *panickyValue) ArenaReset(bool) {
	if v.panics {
		panic("it panics")
	}
}

type panickyMemory struct{}

func (panickyMemory) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (panickyMemory) Free([]byte)                    { panic("it panics") }
