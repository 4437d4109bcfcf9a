package model_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/kept"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// A holding is a value that a program may keep, with an address in it.
type holding struct {
	value  any
	addr   uintptr
	shared bool // it lies in memory of an arena that all references to small values share
}

type keptFlag struct{ _ bool }

type linked struct {
	next *linked
	text string
}

func at[T any](p *T) holding { return holding{value: p, addr: uintptr(unsafe.Pointer(p))} }
func textHeld(s string) holding {
	return holding{value: s, addr: uintptr(unsafe.Pointer(unsafe.StringData(s)))}
}
func slice[E any](s []E) holding {
	return holding{value: s, addr: uintptr(unsafe.Pointer(unsafe.SliceData(s)))}
}

// holdings make values of all kinds. None of them refers to another one that is kept.
var holdings = map[string]func(a *arena.Arena, r *rand.Rand) holding{
	"String": func(a *arena.Arena, r *rand.Rand) holding {
		return textHeld(arena.String(a, strings.Repeat("x", 1+r.IntN(50))))
	},
	"Sprintf": func(a *arena.Arena, r *rand.Rand) holding {
		return textHeld(arena.Sprintf(a, "%d of %d", r.Int(), r.Int()))
	},
	"Bytes":   func(a *arena.Arena, r *rand.Rand) holding { return slice(arena.Bytes(a, "some bytes")[r.IntN(9):]) },
	"Join":    func(a *arena.Arena, _ *rand.Rand) holding { return textHeld(arena.Concat(a, "a", "b")) },
	"byte":    func(a *arena.Arena, _ *rand.Rand) holding { return at(arena.New[byte](a)) },
	"bool":    func(a *arena.Arena, _ *rand.Rand) holding { return at(arena.New[keptFlag](a)) },
	"int64":   func(a *arena.Arena, _ *rand.Rand) holding { return at(arena.New[int64](a)) },
	"pointer": func(a *arena.Arena, _ *rand.Rand) holding { return at(arena.New[*int](a)) },
	"array":   func(a *arena.Arena, _ *rand.Rand) holding { return at(&arena.New[[999]int32](a)[998]) },
	"linked":  func(a *arena.Arena, _ *rand.Rand) holding { return at(arena.Ptr(a, linked{text: "on the heap"})) },
	"chain": func(a *arena.Arena, _ *rand.Rand) holding {
		p := arena.New[linked](a)
		arena.Ptr(a, linked{next: p, text: arena.String(a, "in the arena")}) // what refers to a kept value is none
		return at(p)
	},
	"field": func(a *arena.Arena, _ *rand.Rand) holding { return at(&arena.New[linked](a).text) },
	"value": func(a *arena.Arena, _ *rand.Rand) holding {
		return at(arena.NewValue(a, reflect.TypeFor[[3]string]()).Interface().(*[3]string))
	},
	"slab": func(a *arena.Arena, _ *rand.Rand) holding { return at(arena.SlabOf[linked](a).New()) },
	"ints": func(a *arena.Arena, r *rand.Rand) holding {
		return slice(arena.MakeSlice[int32](a, 1+r.IntN(2000), 2000))
	},
	"strings": func(a *arena.Arena, r *rand.Rand) holding { return slice(arena.MakeSlice[string](a, 1, 1+r.IntN(20))) },
	"values": func(a *arena.Arena, _ *rand.Rand) holding {
		return slice(arena.MakeSliceValue(a, reflect.TypeFor[[]*byte](), 3, 3).Interface().([]*byte))
	},
	"aligned": func(a *arena.Arena, _ *rand.Rand) holding { return slice(arena.MakeSliceAligned[float64](a, 4, 4, 64)) },
	"append": func(a *arena.Arena, _ *rand.Rand) holding {
		var s []int16
		for i := range int16(100) {
			s = arena.Append(a, s, i)
		}
		return slice(s)
	},
	"box": func(a *arena.Arena, r *rand.Rand) holding {
		v := arena.Box(a, 1000+r.IntN(1000))
		return holding{value: v, addr: (*[2]uintptr)(unsafe.Pointer(&v))[1]}
	},
	"entry": func(a *arena.Arena, _ *rand.Rand) holding {
		m := arena.NewMap[string, linked](a, 3)
		return at(m.Entry("key"))
	},
	"number": func(a *arena.Arena, _ *rand.Rand) holding {
		m := arena.NewMap[int, int](a, 0)
		for i := range 40 {
			m.Set(i, i)
		}
		return at(m.Entry(7))
	},
	"reference": func(a *arena.Arena, _ *rand.Rand) holding {
		s := ref.In(a)
		_, p := ref.New[int64](s)
		return holding{value: p, addr: at(p).addr, shared: true}
	},
}

// fillKept makes up to most values in a, and returns some of them, at most as many as may be kept.
func fillKept(a *arena.Arena, r *rand.Rand, most, keeps int) (all []holding) {
	names := slices.Sorted(maps.Keys(holdings))
	for range r.IntN(most) {
		h := holdings[names[r.IntN(len(names))]](a, r)
		if len(all) < keeps && r.IntN(4) == 0 {
			all = append(all, h)
		}
	}
	return all
}

// pieces returns in how many pieces of memory values of an arena lie.
func pieces(all []holding) (n int) {
	shared := false
	for _, h := range all {
		if !h.shared || !shared {
			n++
		}
		shared = shared || h.shared
	}
	return n
}

// keptEnds are the ways to end an arena. Each returns what f has kept, after the end.
var keptEnds = map[string]func(o arena.Options, f func(a *arena.Arena) []holding) []holding{
	"Free": func(o arena.Options, f func(a *arena.Arena) []holding) []holding {
		a := arena.NewWith(o)
		defer a.Free()
		return f(a)
	},
	"Reset": func(o arena.Options, f func(a *arena.Arena) []holding) []holding {
		a := arena.NewWith(o)
		all := f(a)
		a.Reset()
		all = append(all, f(a)...)
		a.Reset()
		runtime.AddCleanup(a, func(int) {}, 0) // a is there until here
		a.Free()
		return all
	},
	"Put": func(o arena.Options, f func(a *arena.Arena) []holding) (all []holding) {
		p := arena.Pool{Options: o}
		p.Do(func(a *arena.Arena) { all = f(a) })
		p.Do(func(a *arena.Arena) { all = append(all, f(a)...) })
		return all
	},
	"Group": func(o arena.Options, f func(a *arena.Arena) []holding) (all []holding) {
		g := arena.Group{Options: o}
		defer g.Free()
		for range 2 {
			all = append(all, f(g.Arena())...)
			all = append(all, f(g.Arena())...)
			g.Reset()
		}
		return append(all, f(g.Arena())...)
	},
	"goroutine": func(o arena.Options, f func(a *arena.Arena) []holding) (all []holding) {
		var wg sync.WaitGroup
		wg.Go(func() {
			a := arena.NewWith(o)
			all = f(a)
			a.Free()
		})
		wg.Wait()
		return all
	},
}

// keptOf checks arenas in guard mode with a name, and returns what is kept.
func keptOf(name string) (all []kept.Survivor) {
	guard.LetGo(name)
	for _, s := range kept.Check(func(n string) bool { return n == name }) {
		if !s.Passing {
			all = append(all, s)
		}
	}
	return all
}

// compareKept returns an error if what was found is not what is kept.
func compareKept(found []kept.Survivor, all []holding) error {
	has := func(s kept.Survivor, h holding) bool { return s.Addr <= h.addr && h.addr < s.Addr+uintptr(s.Size) }
	for _, h := range all {
		n := 0
		for _, s := range found {
			if has(s, h) {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("a %T that is kept was found %d times", h.value, n)
		}
	}
	for _, s := range found {
		n := 0
		for _, h := range all {
			if has(s, h) {
				n++
			}
		}
		if n == 0 {
			return fmt.Errorf("found what nobody keeps: %v", s.Error())
		}
	}
	return nil
}

// TestKept keeps some of the values of random programs in a slice, and checks that just these are
// found, whatever ends the arena.
func TestKept(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for end, run := range keptEnds {
		t.Run(end, func(t *testing.T) {
			total := 0
			for i := 0; i < testrun.Times(5, 50) || total < 10; i++ {
				o := arena.Options{Name: t.Name(), Guard: true, Report: func(r *arena.Report) { t.Error(r) }}
				all := run(o, func(a *arena.Arena) []holding { return fillKept(a, r, 60, 60) })
				total += len(all)
				if err := compareKept(keptOf(t.Name()), all); err != nil {
					t.Fatal(err)
				}
				runtime.KeepAlive(all)
			}
		})
	}
}

// TestKeptEach checks of each kind of value that it is found, and what the report says.
func TestKeptEach(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range holdings {
		t.Run(name, func(t *testing.T) {
			a := arena.NewWith(arena.Options{Name: t.Name(), Guard: true})
			h := f(a, r)
			f(a, r)
			a.Free()
			found := keptOf(t.Name())
			if name == "reference" && len(found) == 1 {
				return
			}
			if err := compareKept(found, []holding{h}); err != nil {
				t.Fatal(err)
			}
			report := found[0].Error().(*arena.Report)
			if report.Mistake != arena.Kept || report.Arena != t.Name() || !strings.HasPrefix(report.Unit, "number ") || report.Addr != found[0].Addr ||
				!strings.Contains(report.Allocated.String(), "kept_test.go") || !strings.Contains(report.Ended.String(), "(*Arena).Free") {
				t.Errorf("the report is %v", report)
			}
			t.Log(report.Detail)
			runtime.KeepAlive(h)
		})
	}
}

// TestKeptNothing checks that nothing is found if nothing is kept.
func TestKeptNothing(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for end, run := range keptEnds {
		t.Run(end, func(t *testing.T) {
			for range testrun.Times(100, 1000) {
				run(arena.Options{Name: t.Name(), Guard: true}, func(a *arena.Arena) []holding { fillKept(a, r, 30, 30); return nil })
			}
			if found := keptOf(t.Name()); len(found) > 0 {
				t.Errorf("%d are kept: %v", len(found), found[0].Error())
			}
		})
	}
}

// TestKeepEvery has a Pool look for what is kept in a sample of its arenas, and checks that just
// that is reported.
func TestKeepEvery(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	var reports []*arena.Report
	p := arena.Pool{KeepEvery: 3, Options: arena.Options{Name: t.Name(), Memory: noMemory{}, Report: func(r *arena.Report) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, r)
	}}}
	total := 0
	for i := range testrun.Times(30, 300) {
		all := []holding{}
		p.Do(func(a *arena.Arena) {
			if i%3 == 0 { // The arena of the first Get is one, and of each third after that.
				all = fillKept(a, r, 20, 7)
				if held := a.Stats().Reserved; p.Stats().Guarded != held {
					t.Errorf("%d bytes are guarded, and the arena has %d", p.Stats().Guarded, held)
				}
			}
		})
		testrun.Collect(func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(reports) >= pieces(all)
		})
		total += pieces(all)
		runtime.KeepAlive(all)
		mu.Lock()
		for _, h := range all {
			n := 0
			for _, r := range reports {
				if r.Mistake == arena.Kept && r.Addr <= h.addr && h.addr-r.Addr < 64<<10 {
					n++
				}
			}
			if n == 0 {
				t.Errorf("a %T that is kept was not reported", h.value)
			}
		}
		if len(reports) != pieces(all) {
			t.Errorf("%d reports of %d values that are kept: %v", len(reports), len(all), reports)
		}
		reports = nil
		mu.Unlock()
	}
	if s := p.Stats(); s.Kept != int64(total) || s.Sampled != s.Gets/3 || s.Out != 0 || s.Guarded != 0 {
		t.Errorf("%d values were kept: %+v", total, s)
	}
}

// noMemory is a Memory that fails.
type noMemory struct{}

func (noMemory) Alloc(int) ([]byte, error) { return nil, errors.New("no memory") }
func (noMemory) Free([]byte)               {}

// TestKeptMany makes more values than are noted one by one, and checks that those after them are
// found, too.
func TestKeptMany(t *testing.T) {
	reports := make(chan *arena.Report, 100)
	p := arena.Pool{KeepEvery: 1, Options: arena.Options{Name: t.Name(), Report: func(r *arena.Report) { reports <- r }}}
	var last holding
	p.Do(func(a *arena.Arena) {
		for range kept.MaxValues + 1000 {
			arena.New[linked](a)
		}
		last = at(arena.New[linked](a))
	})
	if !testrun.Collect(func() bool { return len(reports) > 0 }) {
		t.Fatal("nothing was found")
	}
	if r := <-reports; p.Stats().Kept != 1 || !strings.HasPrefix(r.Detail, "some of ") || r.Addr > last.addr {
		t.Errorf("%d values are kept: %v", p.Stats().Kept, r)
	}
	runtime.KeepAlive(last)
}
