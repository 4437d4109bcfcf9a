package model_test

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// TestGroupStates proves that an arena of a Group that was reset cannot be used,
// that one of a Group that was freed is like any freed arena, and that neither can be
// ended by itself.
func TestGroupStates(t *testing.T) {
	g := &arena.Group{Options: arena.Options{Name: "build"}}
	closed(t, "Reset", g.Arena, func(*arena.Arena) { g.Reset() }, "arena build is used after the Reset of its Group")
	g = &arena.Group{Options: arena.Options{Name: "build"}}
	g.Reset()
	closed(t, "Reset, the second one,", g.Arena, func(*arena.Arena) { g.Reset() }, "arena build is used after the Reset of its Group")

	for i, c := range calls() {
		want := c.want
		switch c.name {
		case "Arena.Reset":
			want = panics("belongs to a Group; Reset the Group")
		case "Arena.Free":
			want = panics("belongs to a Group; Free the Group")
		}
		for before, begin := range map[string]func(g *arena.Group){
			"a new Group":            func(*arena.Group) {},
			"a Group that was Reset": func(g *arena.Group) { g.Reset() },
			"a Group that was Reset before it was used, and after": func(g *arena.Group) { g.Reset(); arena.New[string](g.Arena()); g.Reset() },
		} {
			g := arena.NewGroup()
			begin(g)
			if got := result(c.prepare(g.Arena())); !sameResult(got, want) {
				t.Errorf("call %d, %s, arena of %s: got %#v, want %#v", i, c.name, before, got, want)
			}
			do := c.prepare(g.Arena())
			g.Free()
			if got := result(do); !sameResult(got, c.freed) {
				t.Errorf("call %d, %s, arena of %s that is freed: got %#v, want %#v", i, c.name, before, got, c.freed)
			}
		}
	}
}

// TestGroupMisuse proves that a Group that is freed, or in use, refuses what it must.
func TestGroupMisuse(t *testing.T) {
	f := func(a *arena.Arena) { arena.New[int](a) }
	busy, freed := panics("while goroutines use its arenas"), panics("is used after Free")
	check := func(g *arena.Group, name string, want map[string]any) {
		t.Helper()
		for what, call := range map[string]func() any{
			"Arena": func() any { return g.Arena() != nil },
			"Do":    func() any { g.Do(f); return nil },
			"Go":    func() any { g.Go(f); return nil },
			"Wait":  func() any { g.Wait(); return nil },
			"Stats": func() any { return g.Stats().Freed },
			"Reset": func() any { g.Reset(); return nil },
			"Free":  func() any { g.Free(); return nil },
		} {
			if want, ok := want[what]; ok {
				if got := result(call); !sameResult(got, want) {
					t.Errorf("%s of %s: got %v, want %v", what, name, got, want)
				}
			}
		}
	}
	check(nil, "a nil Group", map[string]any{
		"Arena": false, "Do": nil, "Go": panics("nil Group"), "Wait": nil, "Stats": false, "Reset": nil, "Free": nil,
	})
	(*arena.Group)(nil).Do(func(a *arena.Arena) {
		if a != nil {
			t.Errorf("Do of a nil Group gives %p", a)
		}
	})
	for _, name := range []string{"", "build"} {
		text := map[string]string{"": "a group", "build": "group build"}[name]
		g := &arena.Group{Options: arena.Options{Name: name}}
		stop, started := make(chan bool), make(chan bool)
		g.Go(func(a *arena.Arena) { close(started); <-stop })
		<-started
		check(g, "a Group that Go uses", map[string]any{"Arena": true, "Do": nil, "Stats": busy, "Reset": busy, "Free": "" + panics(text) + " " + busy})
		close(stop)
		g.Wait()
		g.Do(func(a *arena.Arena) {
			x := arena.Ptr(a, 7)
			check(g, "a Group that Do uses", map[string]any{"Arena": true, "Do": nil, "Stats": busy, "Reset": busy, "Free": busy})
			g.Do(func(b *arena.Arena) {
				if a == b {
					t.Error("nested calls have the same arena")
				}
				arena.New[int](b)
			})
			if *x != 7 {
				t.Errorf("a refused Reset has changed a value to %d", *x)
			}
		})
		// A function that panics, or ends its goroutine, is not running any more.
		if got := result(func() any { g.Do(func(*arena.Arena) { panic("mine") }); return nil }); got != panics("mine") {
			t.Errorf("the panic of Do is %v", got)
		}
		g.Go(func(*arena.Arena) { runtime.Goexit() })
		g.Wait()
		check(g, "a Group that nobody uses", map[string]any{"Stats": false})
		g.Reset()
		f(g.Arena())
		g.Free()
		g.Free()
		check(g, "a freed Group", map[string]any{
			"Arena": panics(text) + " " + freed, "Do": freed, "Go": freed, "Wait": nil, "Stats": true, "Reset": freed, "Free": nil,
		})
	}
}

// TestGroupKeeps proves that Do and Go add to what is there, in arenas that nobody
// else uses meanwhile, and that it stays until Reset, and after Free.
func TestGroupKeeps(t *testing.T) {
	const goroutines, each, n = 8, 20, 50
	g := arena.NewGroup()
	var mu sync.Mutex
	arenas := map[*arena.Arena]bool{}
	for range 3 {
		var made [goroutines * each][]*mixture
		for i := range made {
			work := func(a *arena.Arena) {
				mu.Lock()
				arenas[a] = true
				mu.Unlock()
				for k := range n {
					made[i] = append(made[i], arena.Ptr(a, newMixture(i*n+k)))
				}
			}
			if i%2 == 0 {
				g.Go(work)
			} else {
				g.Do(work)
			}
		}
		g.Wait()
		intact := func(when string) {
			for i, all := range made {
				for k, m := range all {
					if !m.is(i*n + k) {
						t.Fatalf("%s: value %d of %d is %v", when, k, i, m)
					}
				}
			}
		}
		s := g.Stats()
		if want := reflect.TypeFor[mixture](); len(s.Types) != 1 || s.Types[0].Type != want || s.Types[0].Count != int64(len(made)*n) {
			t.Errorf("Stats are %+v", s)
		}
		intact("before Reset")
		if s.Resets == 2 {
			g.Free()
			overwrite(5000)
			intact("after Free")
			break
		}
		g.Reset()
		for a := range arenas {
			if got := result(func() any { return arena.New[int](a) }); !sameResult(got, panics("Reset of its Group")) {
				t.Fatalf("an arena after Reset: %v", got)
			}
		}
		clear(arenas)
	}
}

// TestGroupReuses proves that Do passes an arena on rather than making another, and
// that a round in what earlier rounds left allocates little.
func TestGroupReuses(t *testing.T) {
	g := arena.NewGroup()
	seen := map[*arena.Arena]bool{}
	for range 100 {
		g.Do(func(a *arena.Arena) { seen[a] = true })
	}
	if len(seen) != 1 {
		t.Errorf("100 calls of Do, one after the other, had %d arenas", len(seen))
	}
	round := func() {
		for range 4 {
			g.Do(func(a *arena.Arena) {
				for range 1000 {
					arena.New[person](a)
					arena.MakeSlice[byte](a, 100, 100)
				}
			})
			a := g.Arena()
			for range 1000 {
				arena.New[person](a)
				arena.String(a, "a text of some length")
			}
		}
		g.Reset()
	}
	for range 10 {
		round()
	}
	held := g.Stats().Reserved
	// An Arena for Do and four others, and the room to list them; and what the runtime needs now
	// and then.
	if n := testing.AllocsPerRun(100, round); n > 16 {
		t.Errorf("%v allocations for a round of 16,000", n)
	}
	if s := g.Stats(); s.Reserved > held {
		t.Errorf("%d bytes were held, %d are", held, s.Reserved)
	}
}

// TestGroupFanOut proves that the memory of many goroutines that were needed once is released
// within 64 Resets, and that the memory of the few that go on is kept.
func TestGroupFanOut(t *testing.T) {
	for skip := range 40 { // the many come at any time
		if skip%7 != 0 {
			continue
		}
		g := arena.NewGroup()
		round := func(n int) {
			for range n {
				arena.MakeSlice[byte](g.Arena(), 20_000, 20_000)
			}
			g.Reset()
		}
		for range skip {
			round(2)
		}
		round(1000)
		if s := g.Stats(); s.Reserved < 1000*20_000 {
			t.Fatalf("a Group of 1000 has kept %d bytes", s.Reserved)
		}
		for i := range 200 {
			round(2)
			s := g.Stats()
			if s.Reserved < 2*20_000 {
				t.Fatalf("round %d: the two that are needed have %d bytes", i, s.Reserved)
			}
			if i >= 64 && s.Reserved > 4*20_000 {
				t.Fatalf("%d rounds before the many, %d after: %d bytes are kept", skip, i, s.Reserved)
			}
		}
	}
}

// TestGroupLimit proves that the Limit is of all arenas of a Group together, to the
// byte, that memory which nobody uses is given up for it, and that what failed is counted.
func TestGroupLimit(t *testing.T) {
	const limit, goroutines, size = 100_000, 8, 1000
	g := &arena.Group{Options: arena.Options{Name: "together", Limit: limit}}
	for round := range 50 {
		var mu sync.Mutex
		var made, failed int64
		var errs []error
		for range goroutines {
			g.Go(func(a *arena.Arena) {
				for {
					err := arena.Try(func() {
						// In chunks of their own: what they hold is what they need.
						arena.MakeSlice[byte](a, size, size)
						mu.Lock()
						made++
						mu.Unlock()
					})
					if err != nil {
						mu.Lock()
						failed++
						errs = append(errs, err)
						mu.Unlock()
						return
					}
				}
			})
		}
		g.Wait()
		s := g.Stats()
		if s.Reserved > limit || s.InUse != made*size || s.LimitHits != int64(round+1)*failed || failed != goroutines || made < limit/size/2 {
			t.Fatalf("round %d: %d made, %d failed, Stats are %+v", round, made, failed, s)
		}
		for _, err := range errs {
			if e := err.(*arena.LimitError); e.Name != "together" || e.Limit != limit || e.Reserved > limit || e.Reserved+e.Needed <= limit {
				t.Fatalf("the error is %+v", e)
			}
		}
		g.Reset()
	}

	// One goroutine needs all that the others have left, for other types.
	for _, use := range []func(a *arena.Arena){
		func(a *arena.Arena) { arena.MakeSlice[byte](a, limit, limit) },
		func(a *arena.Arena) { arena.MakeSlice[*int32](a, limit/8, limit/8) },
		func(a *arena.Arena) { arena.MakeSliceValue(a, reflect.TypeFor[[]any](), limit/16, limit/16) },
		func(a *arena.Arena) {
			for range limit / 2 / 32 {
				arena.New[[4]int64](a)
			}
		},
	} {
		for range 3 {
			if err := arena.Try(func() { use(g.Arena()) }); err != nil {
				t.Fatal(err)
			}
			g.Reset()
		}
	}

	// An arena that Do has used and nobody uses now gives up what it kept.
	arena.MakeSlice[byte](g.Arena(), limit-size, limit-size)
	g.Reset()
	g.Do(func(a *arena.Arena) { arena.New[byte](a) })
	a := g.Arena()
	if err := arena.Try(func() { arena.MakeSlice[byte](a, limit/2, limit/2) }); err != nil {
		t.Error(err)
	}
}

// TestGroupRetain proves that Retain bounds what all arenas of a Group keep together.
func TestGroupRetain(t *testing.T) {
	for _, retain := range []int64{-1, 1, 50_000, 1_000_000} {
		g := &arena.Group{Options: arena.Options{Retain: retain}}
		for range 40 {
			for range 10 {
				a := g.Arena()
				for range 20 {
					arena.MakeSlice[byte](a, 1000, 1000)
					arena.New[person](a)
				}
			}
			before := g.Stats().Reserved
			g.Reset()
			after := g.Stats().Reserved
			if want := min(before, max(retain, 0)); after > want || retain == 1_000_000 && after != before {
				t.Fatalf("Retain %d: %d bytes before Reset, %d after", retain, before, after)
			}
		}
	}
}

// TestGroupConcurrent proves that any goroutine may call Arena, Do and Go at any
// time, functions of the Group among them, and that each value has its own place.
func TestGroupConcurrent(t *testing.T) {
	g := arena.NewGroup()
	var mu sync.Mutex
	var all []*int
	keep := func(p *int) {
		mu.Lock()
		defer mu.Unlock()
		*p = len(all)
		all = append(all, p)
	}
	var spawn func(depth int) func(a *arena.Arena)
	spawn = func(depth int) func(a *arena.Arena) {
		return func(a *arena.Arena) {
			for range 10 {
				keep(arena.New[int](a))
			}
			if depth > 0 {
				g.Go(spawn(depth - 1))
				g.Do(spawn(depth - 1))
				keep(arena.New[int](g.Arena()))
				keep(arena.New[int](a))
			}
		}
	}
	for range 5 {
		all = nil
		for range 4 {
			g.Go(spawn(4))
		}
		g.Wait()
		for i, p := range all {
			if *p != i {
				t.Fatalf("value %d is %d", i, *p)
			}
		}
		if want := 4 * (31*10 + 15*2); len(all) != want || g.Stats().InUse != int64(want)*int64(reflect.TypeFor[int]().Size()) {
			t.Fatalf("%d values, want %d; Stats are %+v", len(all), want, g.Stats())
		}
		g.Reset()
	}
}

// TestGroupWait proves that Go and Wait may be called by several goroutines at the same time.
func TestGroupWait(t *testing.T) {
	g := arena.NewGroup()
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for range 500 {
				done := false
				g.Go(func(a *arena.Arena) { arena.New[int](a); done = true })
				g.Wait()
				if !done {
					t.Error("Wait returned before the function of Go did")
				}
			}
		})
	}
	users.Wait()
	g.Free()
}

// TestGroupSlab proves that a handle from SlabOf stays with the arena that it is of: after
// the Group's Reset it does not reach the arena that has got the memory.
func TestGroupSlab(t *testing.T) {
	g := arena.NewGroup()
	var stale []*arena.Slab[*int]
	for round := range 10 {
		var handles []*arena.Slab[*int]
		for range 3 {
			a := g.Arena()
			for _, s := range stale {
				if got := result(func() any { return s.New() }); !sameResult(got, panics("after the Reset of its Group")) {
					t.Fatalf("round %d: a stale handle gives %v", round, got)
				}
			}
			if n := a.Stats().InUse; n != 0 {
				t.Fatalf("round %d: a new arena has %d bytes in use", round, n)
			}
			s := arena.SlabOf[*int](a)
			for range 1 + round*50 {
				if p := s.New(); *p != nil {
					t.Fatal("not zero")
				} else {
					*p = new(int)
				}
			}
			arena.New[*int](a)
			if s := a.Stats(); s.Types[0].Count != int64(2+round*50) {
				t.Fatalf("round %d: %+v", round, s)
			}
			handles = append(handles, s)
		}
		g.Reset()
		stale = append(stale, handles...)
	}
	held := g.Stats().Reserved
	for range 5 {
		arena.SlabOf[*int](g.Arena()).New()
		g.Reset()
	}
	if now := g.Stats().Reserved; now > held {
		t.Errorf("%d bytes are reserved, after %d: the memory of handles is not used again", now, held)
	}
}

// TestFreeSlab proves the same of Free: a handle does not reach the arena that has got the slabs,
// and tells whose it was.
func TestFreeSlab(t *testing.T) {
	for _, name := range []string{"", "work"} {
		var stale []*arena.Slab[*int]
		for range 10 {
			a := arena.NewArena()
			if name != "" {
				a = arena.NewWith(arena.Options{Name: name})
			}
			for i, s := range stale {
				want := panics(name + " is used after Free")
				if got := result(func() any { return s.New() }); !sameResult(got, want) {
					t.Fatalf("a stale handle of round %d gives %v, not %v", i, got, want)
				}
			}
			s := arena.SlabOf[*int](a)
			for range 100 {
				p := s.New()
				if *p != nil {
					t.Fatal("not zero")
				}
				*p = new(int)
			}
			if s := a.Stats(); len(s.Types) != 1 || s.Types[0].Count != 100 {
				t.Fatalf("%+v", s)
			}
			a.Free()
			stale = append(stale, s)
		}
	}
}

// TestGroupAbsurd proves that what can never fit costs nothing that Reset has kept.
func TestGroupAbsurd(t *testing.T) {
	g := arena.Group{Options: arena.Options{Limit: 1 << 20}}
	arena.MakeSlice[byte](g.Arena(), 900_000, 900_000)
	g.Reset()
	a := arena.NewWith(g.Options)
	arena.MakeSlice[byte](a, 900_000, 900_000)
	a.Reset()
	for name, a := range map[string]*arena.Arena{"Group": g.Arena(), "Arena": a} {
		if arena.Try(func() { arena.MakeSlice[byte](a, 1<<21, 1<<21) }) == nil {
			t.Errorf("%s: no limit", name)
		}
	}
	if s, r := g.Stats(), a.Stats().Reserved; s.Reserved < 900_000 || r < 900_000 {
		t.Errorf("%d and %d bytes are left", s.Reserved, r)
	}
}

// A bomb is a value of Local that panics at a Reset.
type bomb struct{ armed bool }

func (b *bomb) ArenaReset(bool) {
	if b.armed {
		panic(b)
	}
}

// TestGroupResetPanics has values of Local panic while a Group is Reset, in small and in large
// arenas, of which some are emptied by other goroutines. Reset panics with the same value, and can
// be called again.
func TestGroupResetPanics(t *testing.T) {
	g := arena.NewGroup()
	for round := range 6 {
		var bombs []*bomb
		for i := range 3 {
			a := g.Arena()
			arena.MakeSlice[string](a, 100_000*(round/3)+1, 100_000*(round/3)+1)
			b, _ := arenakit.Local[bomb](a)
			b.armed = i == round%3
			bombs = append(bombs, b)
		}
		want := bombs[round%3]
		if got := result(func() any { g.Reset(); return nil }); got != any(want) {
			t.Errorf("round %d: got %v, want the value of the panic", round, got)
		}
		want.armed = false
		g.Reset()
	}
}

// A brokenMemory frees the memory that it provided, and still panics.
type brokenMemory struct{ live int }

func (m *brokenMemory) Alloc(size int) ([]byte, error) { m.live++; return make([]byte, size), nil }
func (m *brokenMemory) Free([]byte)                    { m.live--; panic("it panics") }

// TestGroupFreePanics proves that Free of a Group ends all arenas, including arenas of previous
// rounds, when each of them panics, and that a Reset which trims does so as well.
func TestGroupFreePanics(t *testing.T) {
	panicking := func(f func()) {
		t.Helper()
		if got := result(func() any { f(); return nil }); got != panics("it panics") {
			t.Errorf("got %v, want the panic of the Memory", got)
		}
	}
	m := new(brokenMemory)
	g := &arena.Group{Options: arena.Options{Memory: m}}
	round := func(n int) {
		for range n {
			arena.String(g.Arena(), "text")
		}
	}
	round(5)
	if !watched() {
		g.Reset()
		round(2)
		if m.live != 5 {
			t.Fatalf("%d arenas have memory, want 5", m.live)
		}
		for range 100 { // one of these lets three of them go
			if got := result(func() any { g.Reset(); return nil }); got != nil && got != panics("it panics") {
				t.Fatalf("Reset: %v", got)
			}
			round(2)
		}
		if s := g.Stats(); m.live != 2 || s.Reserved != 2*4096 {
			t.Fatalf("%d arenas have memory, want 2; Stats are %+v", m.live, s)
		}
		round(3)
	}
	panicking(g.Free)
	if s := g.Stats(); m.live != 0 || s.Reserved != 0 || !s.Freed {
		t.Errorf("%d arenas have memory after Free; Stats are %+v", m.live, s)
	}
	g.Free()
}
