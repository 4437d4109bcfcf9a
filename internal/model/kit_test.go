package model_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
	"github.com/arena-go/arena/offheap"
)

// TestKitSlabStays proves that an arenakit.Slab stays with the arena that it is of: while that is
// in a Pool, and after the Reset of its Group, it panics, and it never reaches the arena that has
// got the memory.
func TestKitSlabStays(t *testing.T) {
	typ := reflect.TypeFor[*int]()
	var p arena.Pool
	g := arena.NewGroup()
	stale := map[arenakit.Slab]string{}
	for round := range 20 {
		ended := map[arenakit.Slab]string{}
		free, pooled, member := arena.NewArena(), p.Get(), g.Arena()
		for a, want := range map[*arena.Arena]string{free: "after Free", pooled: "Pool.Put", member: "the Reset of its Group"} {
			s := arenakit.SlabOf(a, typ)
			for i := range 1 + round*10 {
				for s, want := range stale {
					if got := result(func() any { return s.New() }); i == 0 && !sameResult(got, panics(want)) {
						t.Fatalf("round %d: a stale handle gives %v", round, got)
					}
				}
				x := (**int)(s.New())
				if *x != nil {
					t.Fatal("New is not zero")
				}
				*x = new(int)
				y := (*[3]*int)(s.Slice(3))
				if *y != [3]*int{} {
					t.Fatal("Slice is not zero")
				}
				y[2] = new(int)
			}
			arena.New[*int](a)
			if s := a.Stats(); len(s.Types) != 1 || s.Types[0].Count != int64(4*(1+round*10)+1) {
				t.Fatalf("round %d: %+v", round, s)
			}
			if want != "Pool.Put" { // that may be given away again, and then its handles are good
				ended[s] = want
			}
		}
		s := arenakit.SlabOf(pooled, typ)
		free.Free()
		p.Put(pooled)
		g.Reset()
		maps.Copy(stale, ended)
		for range 2 { // there may be room, or not
			if got := result(func() any { return s.New() }); !sameResult(got, panics("Pool.Put")) {
				t.Fatalf("round %d: the handle of an arena in the Pool gives %v", round, got)
			}
		}
	}
}

// TestKitSlabFor runs random programs that call For with an arena on handles of all earlier arenas:
// For returns the result of SlabOf, or nothing.
func TestKitSlabFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	types := []reflect.Type{reflect.TypeFor[*int](), reflect.TypeFor[[]string](), reflect.TypeFor[int](), reflect.TypeFor[error]()}
	type known struct {
		arenakit.Slab
		of    *arena.Arena
		typ   reflect.Type
		ended bool
	}
	var all []*known
	var p arena.Pool
	g := arena.NewGroup()
	others := 0
	for round := range 300 {
		a, end := arena.NewArena(), (*arena.Arena).Free
		switch r.IntN(4) {
		case 0:
			a, end = p.Get(), p.Put
		case 1:
			a, end = g.Arena(), func(*arena.Arena) { g.Reset() }
		case 2:
			a = arena.NewWith(arena.Options{Limit: 1 << 20})
		}
		for _, k := range all[max(0, len(all)-20):] {
			got, ok := k.For(a)
			if want := arenakit.SlabOf(a, k.typ); ok && got != want || !ok && got != (arenakit.Slab{}) || !ok && k.of == a && !k.ended {
				t.Fatalf("round %d: For gives %v, %t, and SlabOf %v", round, got, ok, want)
			}
			if ok && k.of != a {
				others++
			}
		}
		for range r.IntN(5) {
			typ := types[r.IntN(len(types))]
			k := &known{arenakit.SlabOf(a, typ), a, typ, false}
			if got, ok := k.For(a); !ok || got != k.Slab {
				t.Fatalf("round %d: For of its own arena gives %v, %t", round, got, ok)
			}
			if x := reflect.NewAt(typ, k.New()).Elem(); !x.IsZero() {
				t.Fatal("New is not zero")
			}
			all = append(all, k)
		}
		end(a)
		for _, k := range all {
			k.ended = k.ended || k.of == a
		}
	}
	if others == 0 {
		t.Error("no arena has gone on with the slabs of another")
	}
	if _, ok := all[0].For(nil); ok {
		t.Error("the heap has the slab of an arena")
	}
	if _, ok := arenakit.SlabOf(nil, types[0]).For(arena.NewArena()); ok {
		t.Error("an arena has the slab of the heap")
	}
}

// TestKitSlabHeap proves that the heap has an arenakit.Slab, too, and what is no length.
func TestKitSlabHeap(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		s := arenakit.SlabOf(a, reflect.TypeFor[string]())
		x, y := (*string)(s.New()), (*[2]string)(s.Slice(2))
		if *x != "" || *y != [2]string{} || x == &y[0] {
			t.Errorf("%q, %q", *x, *y)
		}
		for _, n := range []int{0, -1} {
			if got := result(func() any { return s.Slice(n) }); !sameResult(got, panics("Slab.Slice of less than one value")) {
				t.Errorf("Slice(%d) gives %v", n, got)
			}
		}
		if got := result(func() any { return arenakit.SlabOf(a, nil) }); !sameResult(got, panics("the type is nil")) {
			t.Errorf("SlabOf(nil) gives %v", got)
		}
	}
}

// A tool is used by one arena after another.
type tool struct {
	owner *arena.Arena
	busy  bool
}

func (t *tool) ArenaIdle() bool { return !t.busy }

// TestLocalStays proves that a value of Local is nobody else's once it was given away: what a stale
// user writes to it is never seen by the user of another arena, nor by the next user of the same
// one. It goes on to others only if it has said that it may.
func TestLocalStays(t *testing.T) {
	type plain struct{ p *int }
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	var stale []*plain
	var busy []*tool
	var pool arena.Pool
	g := arena.NewGroup()
	travelled := 0
	for range 1000 {
		a, end := arena.NewArena(), func(a *arena.Arena) { a.Free() }
		switch r.IntN(3) {
		case 0:
			a, end = pool.Get(), pool.Put
		case 1:
			a, end = g.Arena(), func(*arena.Arena) { g.Reset() }
		}
		arena.New[int](a)
		for range r.IntN(3) {
			p, first := arenakit.Local[plain](a)
			if first != (p.p == nil) || slices.Contains(stale, p) == first {
				t.Fatalf("first is %t, of %v", first, p)
			}
			p.p = new(int)
			stale = append(stale, p)
		}
		if r.IntN(2) == 0 {
			v, first := arenakit.Local[tool](a)
			if slices.Contains(busy, v) || !first && v.owner != a {
				t.Fatalf("a tool that is in use goes to another arena, first is %t", first)
			}
			if first && v.owner != nil {
				travelled++
			}
			v.owner = a
			if v.busy = r.IntN(3) == 0; v.busy {
				busy = append(busy, v)
			}
		}
		end(a)
		for _, p := range stale {
			p.p = new(int)
		}
		for _, v := range busy {
			v.owner = nil
		}
	}
	if travelled == 0 {
		t.Error("no tool was used again")
	}
}

// TestLocal proves that an arena has one value of each type, which it keeps, and knows when it has
// another one's.
func TestLocal(t *testing.T) {
	type other struct{ owner *arena.Arena }
	var p arena.Pool
	g := arena.NewGroup()
	check := func(a *arena.Arena, asked bool) {
		t.Helper()
		v, first := arenakit.Local[tool](a)
		if first == asked || asked && v.owner != a {
			t.Fatalf("first is %t, of an arena that has been asked: %t", first, asked)
		}
		v.owner = a
		if again, first := arenakit.Local[tool](a); again != v || first {
			t.Fatal("the second time, there is another one")
		}
		if w, first := arenakit.Local[other](a); first != (!asked || w.owner == nil) {
			t.Fatal("types are not told apart")
		} else {
			w.owner = a
		}
	}
	owned := map[*arena.Arena]bool{}
	for range 10 {
		a, pooled, member := arena.NewArena(), p.Get(), g.Arena()
		arena.New[int](a)
		check(a, false)
		check(pooled, owned[pooled])
		check(member, false)
		owned[pooled] = true
		a.Reset()
		check(a, true)
		a.Free()
		p.Put(pooled)
		g.Reset()
	}
	if _, first := arenakit.Local[tool](nil); !first {
		t.Error("the heap keeps one")
	}
}

// TestKitSlabGrows runs random programs that make slices longer and shorter, and remember what they
// have written to each.
func TestKitSlabGrows(t *testing.T) {
	type part struct {
		at       unsafe.Pointer
		n, wrote int // wrote values are not zero
	}
	var extended, refused, shrunk int
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		a := arena.NewArena()
		if seed%4 == 3 {
			a = arena.NewWith(arena.Options{Limit: 1 << 20})
		}
		s := arenakit.SlabOf(a, reflect.TypeFor[*int]())
		for range 3 {
			var parts []part
			for range 300 {
				if len(parts) > 0 && r.IntN(3) > 0 {
					i := len(parts) - 1 - r.IntN(min(len(parts), 2))
					p := &parts[i]
					more := r.IntN(40) - 1
					switch ok := s.Extend(p.at, p.n, more); {
					case ok:
						extended++
						p.n += more
					case more >= 0:
						refused++
					}
					if ok := more < 0 || i < len(parts)-1; ok && s.Extend(p.at, p.n, -1) {
						t.Fatal("Extend by -1 succeeds")
					}
					before := a.Stats().Types[0].Count
					keep := p.wrote + r.IntN(p.n-p.wrote+1)
					s.Shrink(p.at, p.n, keep)
					if gone := before - a.Stats().Types[0].Count; gone > 0 {
						if int(gone) != p.n-keep {
							t.Fatalf("Shrink of %d to %d gives %d back", p.n, keep, gone)
						}
						p.n = keep
						shrunk++
					}
				} else {
					n := 1 + r.IntN(20)
					parts = append(parts, part{s.Slice(n), n, 0})
				}
				p := &parts[len(parts)-1]
				values := unsafe.Slice((**int)(p.at), p.n)
				for ; p.wrote < p.n && r.IntN(4) > 0; p.wrote++ {
					if values[p.wrote] != nil {
						t.Fatalf("seed %d: a new value is not zero", seed)
					}
					values[p.wrote] = new(int)
					*values[p.wrote] = len(parts)*1000 + p.wrote
				}
			}
			for i, p := range parts {
				for j, x := range unsafe.Slice((**int)(p.at), p.n) {
					if j < p.wrote && *x != (i+1)*1000+j || j >= p.wrote && x != nil {
						t.Fatalf("seed %d: value %d of part %d is another's", seed, j, i)
					}
				}
			}
			a.Reset()
		}
	}
	if heap := arenakit.SlabOf(nil, reflect.TypeFor[*int]()); heap.Extend(heap.Slice(1), 1, 0) {
		t.Error("the heap extends")
	}
	if extended == 0 && shrunk == 0 {
		return // built to find mistakes: nothing grows in place
	}
	if extended < 100 || refused < 100 || shrunk < 100 {
		t.Errorf("%d extended, %d refused, %d shrunk", extended, refused, shrunk)
	}
}

// A told is a value of Local that counts Resets.
type told struct{ again, not int }

func (v *told) ArenaReset(again bool) {
	if again {
		v.again++
	} else {
		v.not++
	}
}

// TestLocalReset proves that Reset tells the values of Local, and Free does not.
func TestLocalReset(t *testing.T) {
	var p arena.Pool
	g := arena.NewGroup()
	for name, a := range map[string]*arena.Arena{
		"plain": arena.NewArena(), "guarded": arena.NewWith(arena.Options{Guard: true}), "pooled": p.Get(), "member": g.Arena(),
	} {
		v, _ := arenakit.Local[told](a)
		arena.New[*int](a)
		if name != "member" {
			a.Reset()
			a.Reset()
		}
		want := 2
		switch name {
		case "pooled":
			p.Put(a)
			want = 3
		case "member":
			g.Reset()
			want = 1
		default:
			a.Free()
		}
		if v.again+v.not != want {
			t.Errorf("%s: told %d times, and not %d", name, v.again+v.not, want)
		}
		if name == "guarded" && v.again > 0 {
			t.Errorf("%s: what the arena has handed out was used again", name)
		}
	}
}

// TestKitSlabRoom fills slabs and plain memory up to many sizes: what an arena has from 8 kB on is
// little more than what is in it.
func TestKitSlabRoom(t *testing.T) {
	if builtWith("-race") || builtWith("-asan") || tools.Debugging {
		t.Log("such programs take more")
		return
	}
	for n := 8 << 10; n < 4<<20; n += n / 7 {
		a := arena.NewArena()
		s := arenakit.SlabOf(a, reflect.TypeFor[[2]*int]())
		for range n / 16 {
			s.New()
		}
		if st := a.Stats(); st.Reserved > st.InUse+st.InUse/4+4<<10 {
			t.Errorf("a slab takes %d bytes for %d", st.Reserved, st.InUse)
		}
		a.Free()
		a = arena.NewArena()
		for range n / 16 {
			arena.New[[2]int](a)
		}
		if st := a.Stats(); st.InUse > 32<<10 && st.Reserved > st.InUse+st.InUse/4+4<<10 { // below that chunks double
			t.Errorf("plain memory takes %d bytes for %d", st.Reserved, st.InUse)
		}
		a.Free()
	}
}

// TestKitSlabPointers resets slabs of pointers while the collector marks: pointers of before are
// nil, and what is behind new ones stays.
func TestKitSlabPointers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	a := arena.NewArena()
	defer a.Free()
	s := arenakit.SlabOf(a, reflect.TypeFor[*[4]int]())
	for round := range 2000 {
		all := unsafe.Slice((**[4]int)(s.Slice(1+round%300)), 1+round%300)
		for i, p := range all {
			if p != nil {
				t.Fatalf("round %d: a pointer of before", round)
			}
			all[i] = &[4]int{round, i}
		}
		for i, p := range all {
			if *p != [4]int{round, i} {
				t.Fatalf("round %d: %v at %d", round, *p, i)
			}
		}
		a.Reset()
	}
}

// TestLocalAfterFree keeps a handle of an arena that was freed: the values of Local, which may have
// memory of the arena in them, are gone.
func TestLocalAfterFree(t *testing.T) {
	type tool struct{ words []uint64 }
	a := arena.NewWith(arena.Options{Memory: new(offheap.Mmap)})
	s := arenakit.SlabOf(a, reflect.TypeFor[*int]())
	v, _ := arenakit.Local[tool](a)
	v.words = arena.MakeSlice[uint64](a, 8, 8)
	w := weak.Make(v)
	a.Free()
	v = nil
	waitFor(t, "what Local kept is gone", func() bool { return w.Value() == nil })
	runtime.KeepAlive(s)
}

// A keeper is a value of Local that keeps as much as it may.
type keeper struct{ has, told int64 }

func (k *keeper) ArenaRetain(most int64) int64 {
	k.told++
	k.has = min(k.has, most)
	return k.has
}

func (k *keeper) ArenaIdle() bool { return true }

// TestLocalRetain proves that the memory of Local's values is bounded by Retain minus the arena's
// own memory.
func TestLocalRetain(t *testing.T) {
	for _, retain := range []int64{-1, 0, 1, 1 << 20} {
		p := arena.Pool{Retain: retain}
		g := arena.Group{Options: arena.Options{Retain: retain}}
		for name, a := range map[string]*arena.Arena{"plain": arena.NewWith(arena.Options{Retain: retain}), "pooled": p.Get(), "member": g.Arena()} {
			k, _ := arenakit.Local[keeper](a)
			for k.has = 0; k.has < 10<<20; k.has += 8 << 10 {
				arena.New[[1 << 10]*int](a)
			}
			held := func() int64 { return a.Stats().Reserved }
			switch name {
			case "pooled":
				p.Put(a)
				held = func() int64 { return p.Stats().Retained }
			case "member":
				g.Reset()
				held = func() int64 { return g.Stats().Reserved }
			default:
				a.Reset()
			}
			switch most := max(retain, 0); {
			case retain == 0 && k.told > 0:
				t.Errorf("%s: told without a bound", name)
			case retain != 0 && held()+k.has > most:
				t.Errorf("%s: %d and %d bytes are kept, with a bound of %d", name, held(), k.has, retain)
			case retain > 1 && held()+k.has < most/2:
				t.Errorf("%s: only %d and %d bytes are kept, with a bound of %d", name, held(), k.has, retain)
			}
		}
	}
}
