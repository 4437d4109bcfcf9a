package arena

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/testrun"
)

// TestTrack runs a random program with tracked arenas of all kinds, and compares Live and the reports of leaks
// with a model: a list of the arenas that are open.
func TestTrack(t *testing.T) {
	before := len(books.Live())
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	leaks := map[string]int{}
	options := func(name string) Options {
		return Options{Name: name, Track: true, Report: func(r *Report) {
			mu.Lock()
			defer mu.Unlock()
			if r.Mistake != Leak || !strings.Contains(r.Made.String(), "TestTrack") {
				panic(r)
			}
			leaks[r.Arena]++
		}}
	}
	pool := &Pool{Options: options("pool")}
	group := &Group{Options: options("group")}
	type open struct {
		name string
		a    *Arena
	}
	var model []open
	lost := map[string]int{}
	for step := range 3000 {
		switch op := r.IntN(10); {
		case op == 9 && r.IntN(20) == 0 || step == 2999:
			testrun.Collect(func() bool {
				mu.Lock()
				defer mu.Unlock()
				return fmt.Sprint(leaks) == fmt.Sprint(lost)
			})
			mu.Lock()
			if fmt.Sprint(leaks) != fmt.Sprint(lost) {
				t.Fatalf("step %d: leaks %v, want %v", step, leaks, lost)
			}
			mu.Unlock()
			var got, want []string
			for _, l := range books.Live() {
				name := l.Name
				if name == "" && strings.Contains(Stack(l.Made).String(), "TestTrack") {
					name = "zero"
				}
				if !slices.Contains([]string{"single", "pool", "group", "zero"}, name) {
					continue
				}
				if age := time.Since(l.Time); age < 0 || age > time.Hour || l.Guarded {
					t.Fatalf("step %d: %+v", step, l)
				}
				var inUse int64
				stats := l.Stats().(*Stats)
				for _, ty := range stats.Types {
					inUse += ty.Bytes
				}
				if reserved := l.Reserved(); inUse != stats.InUse || stats.Reserved > reserved+reserved/8 {
					t.Fatalf("step %d: %+v", step, l)
				}
				got = append(got, fmt.Sprint(name, l.Reserved()))
			}
			for _, o := range model {
				want = append(want, fmt.Sprint(o.name, o.a.Stats().Reserved))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("step %d: Live has\n%v\nwant\n%v", step, got, want)
			}
		case op < 3:
			kind := r.IntN(4)
			o := open{name: []string{"single", "pool", "group", "zero"}[kind]}
			switch kind {
			case 0:
				o.a = NewWith(options("single"))
			case 1:
				o.a = pool.Get()
			case 2:
				o.a = group.Arena()
			case 3:
				books.Track(1)
				o.a = new(Arena)
				New[int](o.a)
				books.Track(0)
			}
			model = append(model, o)
		case op < 7 && len(model) > 0:
			o := &model[r.IntN(len(model))]
			n := 1 + r.IntN(100_000)
			MakeSlice[byte](o.a, n, n)
		case op == 7 && len(model) > 0:
			i := r.IntN(len(model))
			o := model[i]
			switch o.name {
			case "group":
				group.Reset()
				model = slices.DeleteFunc(model, func(o open) bool { return o.name == "group" })
				continue
			case "pool":
				if r.IntN(2) == 0 {
					pool.Put(o.a)
				} else {
					pool.Drop(o.a)
				}
			default:
				o.a.Free()
			}
			model = slices.Delete(model, i, i+1)
		case op == 8 && len(model) > 0:
			i := r.IntN(len(model))
			if name := model[i].name; name != "group" && name != "zero" {
				lost[name]++
				model = slices.Delete(model, i, i+1)
			}
		}
	}
	group.Free()
	for _, o := range model {
		switch o.name {
		case "pool":
			pool.Put(o.a)
		case "single", "zero":
			o.a.Free()
		}
	}
	if n := len(books.Live()) - before; n > 0 {
		t.Errorf("%d arenas are live in the end", n)
	}
}

// TestTrackEvery counts what Track chooses.
func TestTrackEvery(t *testing.T) {
	defer books.Track(0)
	var pool Pool
	for _, every := range []int{0, 1, 2, 7, 100, -1} {
		books.Track(every)
		before := len(books.Live())
		var arenas, pooled []*Arena
		for range 700 {
			a := NewArena()
			New[int](a)
			arenas = append(arenas, a)
			pooled = append(pooled, pool.Get())
		}
		want := 0
		if every > 0 {
			want = 1400 / every
		}
		if got := len(books.Live()) - before; got != want {
			t.Errorf("Track(%d): %d arenas of 1400 are tracked", every, got)
		}
		for _, a := range arenas {
			a.Free()
		}
		for _, a := range pooled {
			pool.Put(a)
		}
		if n := len(books.Live()) - before; n != 0 {
			t.Errorf("%d arenas are left", n)
		}
	}
}

// TestGuardEvery counts the arenas in guard mode that a Pool gives away, and what its Stats say of them.
func TestGuardEvery(t *testing.T) {
	for _, every := range []int{0, 1, 3, 1000} {
		p := &Pool{GuardEvery: every}
		guarded := map[*Arena]bool{}
		var n int64
		for i := range 3000 {
			a := p.Get()
			New[mNode](a)
			String(a, "text")
			if guarded[a] {
				t.Fatal("an arena in guard mode is given away again")
			}
			if a.stores.guard != nil {
				guarded[a] = true
				n++
			}
			if i%10 == 9 {
				p.Drop(a)
				continue
			}
			p.Put(a)
			if err := panicOfCall(func() { New[int](a) }); !strings.Contains(err, "Pool.Put") {
				t.Fatalf("used after Put: %q", err)
			}
		}
		want := int64(0)
		if every > 0 {
			want = 3000 / int64(every)
		}
		if n != want {
			t.Errorf("GuardEvery %d: %d of 3000", every, n)
		}
		s := p.Stats()
		if s.Gets != 3000 || s.Puts != 2700 || s.Dropped != 300 || s.Lost != 0 || s.Out != 0 || s.Made-s.Collected-s.Idle < n-300 {
			t.Errorf("GuardEvery %d: %+v", every, s)
		}
		runtime.KeepAlive(guarded)
	}
}

func panicOfCall(f func()) (s string) {
	defer func() { s = fmt.Sprint(recover()) }()
	f()
	return ""
}
