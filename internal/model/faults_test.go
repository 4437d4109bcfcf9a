package model_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// TestFaultsOfLimit has random programs fail at each chunk that they make, one after the
// other: with a limit that is too small for the first, then with one that is just enough
// for it, and so on until nothing fails any more. What fails must leave everything as it was, and
// nothing may be left when all is over.
func TestFaultsOfLimit(t *testing.T) {
	seed := testrun.Seed(t)
	for _, guard := range []bool{false, true} {
		for _, owner := range []string{"Arena", "Pool", "Group", "reset Group"} {
			name := fmt.Sprintf("%s/guard=%t", owner, guard)
			t.Run(name, func(t *testing.T) {
				programs := uint64(6)
				if guard || !testrun.Long() || builtWith("-race") {
					programs = 1
				}
				failures := 0
				for i := uint64(0); i < programs || failures < 5; i++ {
					failing, n := int64(1), 0
					for limit := int64(1); failing > 0; limit = failing {
						o := arena.Options{Name: name, Limit: limit, Guard: guard}
						failing = owners[owner](t, o, rand.New(rand.NewPCG(seed, i)))
						if n++; t.Failed() {
							t.Fatalf("program %d, limit %d", i, limit)
						}
						if n == testrun.Few(5000) {
							break // some programs fail at each byte more
						}
					}
					failures += n
				}
				for _, l := range arenadebug.Live() {
					if l.Name == name {
						t.Errorf("still listed: %v", l)
					}
				}
			})
		}
	}
}

// owners run a program in arenas with the given options, until its end, and return the limit
// with which its first failure would not be one, or 0 if there was none.
var owners = map[string]func(t *testing.T, o arena.Options, r *rand.Rand) int64{
	"Arena": func(t *testing.T, o arena.Options, r *rand.Rand) int64 {
		a := arena.NewWith(o)
		f := &faulty{t: t, r: r, limit: o.Limit, stats: a.Stats}
		for range 2 {
			f.round(a)
			a.Reset()
		}
		a.Free()
		if s := a.Stats(); s.Reserved != 0 || s.InUse != 0 || s.LimitHits != f.limits {
			t.Errorf("a freed arena with %d failures has %+v", f.limits, s)
		}
		return f.first
	},
	"Pool": func(t *testing.T, o arena.Options, r *rand.Rand) int64 {
		p := arena.Pool{Options: o, Retain: -1}
		f := &faulty{t: t, r: r, limit: o.Limit}
		for range 2 {
			a := p.Get()
			f.stats = a.Stats
			f.round(a)
			p.Put(a)
		}
		if s := p.Stats(); s.Reserved != 0 || s.Out != 0 || s.LimitHits != f.limits {
			t.Errorf("a Pool with %d failures, to which all came back, has %+v", f.limits, s)
		}
		return f.first
	},
	"Group":       func(t *testing.T, o arena.Options, r *rand.Rand) int64 { return useGroup(t, o, r, false) },
	"reset Group": func(t *testing.T, o arena.Options, r *rand.Rand) int64 { return useGroup(t, o, r, true) },
}

// useGroup is the owner that is a Group. If reset, it is Reset before it is used.
func useGroup(t *testing.T, o arena.Options, r *rand.Rand, reset bool) int64 {
	g := &arena.Group{Options: o}
	if reset {
		g.Reset()
	}
	f := &faulty{t: t, r: r, limit: o.Limit, stats: g.Stats}
	for range 2 {
		f.round(g.Arena(), g.Arena())
		g.Reset()
	}
	g.Free()
	if s := g.Stats(); s.Reserved != 0 || s.InUse != 0 || s.LimitHits != f.limits {
		t.Errorf("a freed Group with %d failures has %+v", f.limits, s)
	}
	return f.first
}

// A faulty is a program that goes on when something fails.
type faulty struct {
	t      *testing.T
	r      *rand.Rand
	limit  int64
	stats  func() arena.Stats
	first  int64          // the limit with which the first failure would not be one
	limits int64          // failures for the limit
	checks []func() error // of what was made since the last Reset
}

// round makes values in arenas, and checks all of them after each step.
func (f *faulty) round(arenas ...*arena.Arena) {
	f.checks = nil
	for range 30 {
		op := faultyOps[f.r.IntN(len(faultyOps))]
		a, r := arenas[f.r.IntN(len(arenas))], rand.New(rand.NewPCG(f.r.Uint64(), 0))
		before := f.stats()
		var check func() error
		err := try(func() { check = op(a, r) })
		after := f.stats()
		if after.Reserved > f.limit {
			f.t.Errorf("%d bytes are reserved, the limit is %d", after.Reserved, f.limit)
		}
		if err == nil {
			f.checks = append(f.checks, check)
		} else {
			var e *arena.LimitError
			limits := before.LimitHits
			switch {
			case errors.Is(err, errNone) && f.limit == math.MaxInt64:
			case !errors.As(err, &e) || e.Limit != f.limit || e.Reserved+e.Needed <= f.limit:
				f.t.Errorf("%v, with a limit of %d", err, f.limit)
			default:
				f.limits++
				limits++
				if f.first == 0 {
					f.first = e.Reserved + e.Needed
				}
			}
			// What an earlier round has left may be given up for what fails after all.
			if after.InUse != before.InUse || after.LimitHits != limits || after.Reserved > before.Reserved ||
				!slices.Equal(after.Types, before.Types) {
				f.t.Errorf("%v\nbefore %+v\nafter  %+v", err, before, after)
			}
		}
		for _, check := range f.checks {
			if err := check(); err != nil {
				f.t.Error(err)
			}
		}
		if f.t.Failed() {
			return
		}
	}
}

// try is arena.Try, also for a Memory that panics.
func try(f func()) (err error) {
	defer func() {
		if v := recover(); v == errNone {
			err = errNone
		} else if v != nil {
			panic(v)
		}
	}()
	return arena.Try(f)
}

// faultyOps make something in an arena, and return what checks it. Each asks the arena once.
var faultyOps = []func(a *arena.Arena, r *rand.Rand) func() error{
	func(a *arena.Arena, r *rand.Rand) func() error {
		return firstZero(a, arena.New[pair], pair{r.Int(), 1})
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return firstZero(a, arena.New[string], word(r.IntN(100)))
	},
	func(a *arena.Arena, r *rand.Rand) func() error { return firstZero(a, arena.New[any], any(r.Int())) },
	func(a *arena.Arena, r *rand.Rand) func() error {
		return firstZero(a, arena.New[[300]int], [300]int{299: 1})
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return firstZero(a, func(a *arena.Arena) *color {
			return arena.NewValue(a, reflect.TypeFor[color]()).Interface().(*color)
		}, color(1))
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return filled(arena.MakeSlice[int](a, 0, r.IntN(500)), 7)
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return filled(arena.MakeSlice[byte](a, 0, r.IntN(50)), 7)
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return filled(arena.MakeSlice[string](a, 0, r.IntN(100)), "x")
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return filled(arena.MakeSliceValue(a, reflect.TypeFor[[]bool](), 0, r.IntN(100)).Interface().([]bool), true)
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		want := strings.Repeat("text", r.IntN(200))
		got := arena.String(a, want)
		return func() error {
			if got != want {
				return fmt.Errorf("a text is %q, not %q", got, want)
			}
			return nil
		}
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		return firstZero(a, func(a *arena.Arena) *[9]int16 {
			_, p := ref.New[[9]int16](ref.In(a))
			return p
		}, [9]int16{8: 7})
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		_, s := ref.NewSlice[int32](ref.In(a), r.IntN(500))
		return filled(s, 7)
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		want := strings.Repeat("text", r.IntN(200))
		text := ref.NewString(ref.In(a), want)
		return func() error {
			if got := text.Get(ref.In(a)); got != want {
				return fmt.Errorf("a text with a reference is %q, not %q", got, want)
			}
			return nil
		}
	},
	func(a *arena.Arena, r *rand.Rand) func() error {
		s := []int{r.Int(), r.Int(), r.Int()}
		return sameItems(arena.Append(a, s, 1, 2, 3), append(slices.Clone(s), 1, 2, 3))
	},
}

// errNone is why a failingMemory has none.
var errNone = errors.New("none left")

// A failingMemory fails a number of calls of Alloc and Grow, beginning with the call numbered from.
type failingMemory struct {
	call, from, many int
	panics           bool // instead of returning an error
	live             map[*byte]int
	region           []byte
}

func (m *failingMemory) fail() bool {
	m.call++
	return m.from <= m.call && m.call < m.from+m.many
}

func (m *failingMemory) Alloc(size int) ([]byte, error) {
	if m.fail() {
		if m.panics {
			panic(errNone)
		}
		return nil, errNone
	}
	b := make([]byte, size)
	m.live[&b[0]] = size
	return b, nil
}

func (m *failingMemory) Free(b []byte) {
	if m.live[&b[0]] != len(b) {
		panic("Free of what is not in use")
	}
	delete(m.live, &b[0])
	for i := range b {
		b[i] = 0xEE
	}
}

// A failingRegion is a failingMemory for references, too.
type failingRegion struct{ failingMemory }

func (r *failingRegion) Grow(size int) ([]byte, error) {
	if r.region == nil {
		r.region = make([]byte, 1<<20)
	}
	if size > 0 && r.fail() {
		if r.panics {
			panic(errNone)
		}
		return nil, errNone
	}
	return r.region[:max(size, 8)], nil
}

// TestFaultsOfMemory has random programs use a Memory that fails: at the first call, at the second,
// and so on until nothing fails any more, once or many times. What fails must leave everything as
// it was, and what the Memory has given comes back.
func TestFaultsOfMemory(t *testing.T) {
	seed := testrun.Seed(t)
	for _, owner := range []string{"Arena", "Pool", "Group", "reset Group"} {
		for _, kind := range []string{"memory", "region"} {
			if owner != "Arena" && kind == "region" {
				continue // it is for one arena
			}
			t.Run(owner+"/"+kind, func(t *testing.T) {
				for i := range uint64(3) {
					for _, many := range []int{1, 3, 1000, -3} { // less than 0: it panics
						for n := 1; ; n++ {
							region := &failingRegion{failingMemory{from: n, many: max(many, -many), panics: many < 0, live: map[*byte]int{}}}
							m, o := &region.failingMemory, arena.Options{Limit: math.MaxInt64}
							if o.Memory = region; kind == "memory" {
								o.Memory = m
							}
							owners[owner](t, o, rand.New(rand.NewPCG(seed, i)))
							if len(m.live) > 0 {
								t.Errorf("%d blocks did not come back", len(m.live))
							}
							if t.Failed() {
								t.Fatalf("program %d, %d calls from %d on", i, many, n)
							}
							if m.call < n {
								break
							}
						}
					}
				}
			})
		}
	}
}

// firstZero checks that a new value is zero, and keeps another.
func firstZero[T comparable](a *arena.Arena, make func(a *arena.Arena) *T, v T) func() error {
	p := make(a)
	if *p != *new(T) {
		return func() error { return fmt.Errorf("a new value is %v", *p) }
	}
	*p = v
	return func() error {
		if *p != v {
			return fmt.Errorf("a value is %v, not %v", *p, v)
		}
		return nil
	}
}

// filled checks that the elements of a new slice are zero, and keep others.
func filled[T comparable](s []T, v T) func() error {
	s = s[:cap(s)]
	want := make([]T, len(s))
	if !slices.Equal(s, want) {
		return func() error { return fmt.Errorf("a new slice is %v", s) }
	}
	for i := range s {
		s[i], want[i] = v, v
	}
	return sameItems(s, want)
}

func sameItems[T comparable](s, want []T) func() error {
	return func() error {
		if !slices.Equal(s, want) {
			return fmt.Errorf("a slice is %v, not %v", s, want)
		}
		return nil
	}
}

// builtWith reports whether this test was built with a flag.
func builtWith(flag string) bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == flag && s.Value == "true"
	})
}
