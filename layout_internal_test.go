package arena

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// Types of small trees, with and without pointers.
type (
	leaf   struct{ name string }
	number struct{ v, pos int }
	pair   struct{ x, y any }
	bits4  struct{ a, b, c, d uint64 }
	group3 struct {
		f    *leaf
		args []any
		ok   bool
	}
	wide struct {
		_    *wide
		_    [9]uint32
		text []string
	}
)

// A keptAlive value is one of a model program, with what must be in it.
type keptAlive struct {
	at   any // a pointer
	want any // what it points at, on the heap
}

func (k keptAlive) check() error {
	if got := reflect.ValueOf(k.at).Elem().Interface(); !reflect.DeepEqual(got, k.want) {
		return fmt.Errorf("%T is %v, want %v", k.at, got, k.want)
	}
	return nil
}

// keepNew makes a T by one of the ways there are, which must be zero, and writes v to it.
func keepNew[T any](a *Arena, r *rand.Rand, v T) (keptAlive, error) {
	var p *T
	switch r.IntN(4) {
	case 0:
		p = NewValue(a, reflect.TypeFor[T]()).Interface().(*T)
	case 1:
		p = SlabOf[T](a).New()
	case 2:
		p = &MakeSlice[T](a, 1+r.IntN(3), 4)[0]
	default:
		p = New[T](a)
	}
	if !reflect.ValueOf(p).Elem().IsZero() {
		return keptAlive{}, fmt.Errorf("a new %T is %v", *p, *p)
	}
	*p = v
	return keptAlive{p, v}, nil
}

// keepText makes a string, and returns it as one that is keptAlive.
func keepText(a *Arena, s string) (keptAlive, error) {
	t := String(a, s)
	return keptAlive{&t, strings.Clone(s)}, nil
}

// program is what the arenas of one kind do: how many values of which types.
func program(r *rand.Rand, kind int, a *Arena) (all []keptAlive, err error) {
	n := []int{1, 6, 25, 90, 400}[kind%5]
	if r.IntN(10) == 0 {
		n = 1 + r.IntN(3*n) // not all are alike
	}
	for i := range n {
		var k keptAlive
		heap := fmt.Sprint("heap ", i) // only the arena refers to it
		switch (i*(1+kind/5) + kind) % 7 {
		case 0:
			k, err = keepNew(a, r, leaf{heap})
		case 1:
			k, err = keepNew(a, r, number{i, -i})
		case 2:
			k, err = keepNew(a, r, pair{&heap, i})
		case 3:
			k, err = keepNew(a, r, bits4{1, 2, 3, uint64(i)})
		case 4:
			k, err = keepNew(a, r, group3{f: &leaf{heap}, args: []any{heap}, ok: true})
		case 5:
			k, err = keepNew(a, r, wide{text: []string{heap}})
		case 6:
			k, err = keepText(a, heap)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// freshLayouts makes what stores have learnt forgotten, for the time of the test.
func freshLayouts(t *testing.T) {
	was := layoutTypes.byKey
	layoutTypes.byKey = nil
	unused.simple = sync.Pool{}
	t.Cleanup(func() {
		layoutTypes.byKey = was
		unused.simple = sync.Pool{}
	})
}

// TestLayout runs programs that make, use and free arenas of several kinds, in several goroutines, and keep values
// of some: these must stay as they were, and all memory must come zeroed, whatever stores learn.
func TestLayout(t *testing.T) {
	freshLayouts(t)
	var wg sync.WaitGroup
	for g := range 4 {
		seed := rand.Uint64()
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			if err := runLayouts(r, g); err != nil {
				t.Errorf("seed %#x, goroutine %d: %v", seed, g, err)
			}
		})
	}
	wg.Wait()
}

// runLayouts goes on until an arena has begun with a layout: the collector may empty the pool of stores at any time.
func runLayouts(r *rand.Rand, g int) error {
	var old []keptAlive
	kind, began := g, 0
	for round := 0; round < few(3000) || began == 0; round++ {
		if round%50 == 0 {
			kind = r.IntN(15)
		}
		a := NewArena()
		if r.IntN(20) == 0 {
			a = NewWith(Options{Limit: 1 << 20})
		}
		all, err := program(r, kind, a)
		if err != nil {
			return fmt.Errorf("round %d: %v", round, err)
		}
		if _, err := a.stores.checkInvariants(); err != nil {
			return fmt.Errorf("round %d: %v", round, err)
		}
		if a.stores.layout != nil {
			began++
			if a.stores.unused != &unused.simple {
				return fmt.Errorf("round %d: an arena with a limit has a layout", round)
			}
		}
		if s := a.Stats(); s.InUse > s.Reserved || s.InUse == 0 {
			return fmt.Errorf("round %d: %d bytes of %d are in use", round, s.InUse, s.Reserved)
		}
		switch r.IntN(30) {
		case 0:
			a.Reset()
			if all, err = program(r, kind, a); err != nil {
				return fmt.Errorf("round %d, after Reset: %v", round, err)
			}
			if _, err := a.stores.checkInvariants(); err != nil {
				return fmt.Errorf("round %d, after Reset: %v", round, err)
			}
		case 1:
			continue // dropped
		}
		old = append(old, all[r.IntN(len(all))])
		a.Free()
		if len(old) > 100 {
			if round%8 == 0 {
				runtime.GC()
			}
			for _, k := range old {
				if err := k.check(); err != nil {
					return fmt.Errorf("round %d: a value that was keptAlive: %v", round, err)
				}
			}
			old = old[:0]
		}
	}
	return nil
}

// TestLayoutAllocs counts the allocations of a new arena.
func TestLayoutAllocs(t *testing.T) {
	if checking {
		t.Skip("Free notes where it was called, and sync.Pool drops some of what it gets, in programs that look for mistakes")
	}
	freshLayouts(t)
	round := func() {
		a := NewArena()
		for range 4 {
			New[leaf](a)
			New[number](a)
			New[pair](a).x = New[wide](a)
			New[group3](a).args = MakeSlice[any](a, 2, 2)
			String(a, "some text")
			NewValue(a, reflect.TypeFor[bits4]())
			MakeSlice[uint16](a, 3, 3) // in the memory of text
		}
		a.Free()
	}
	for range 10 * trial {
		round()
	}
	// AllocsPerRun rounds down, and stores whose layout did not suit have another one again for a while.
	const rounds = 10 * (maxWait + trial)
	if n := testing.AllocsPerRun(1, func() {
		for range rounds {
			round()
		}
	}); n > 2*rounds+rounds/100 {
		t.Errorf("an arena with values of eight types takes %v allocations, want 2: its own and one for all chunks", n/rounds)
	}
}

// TestLayoutOne checks the layouts with one part: each is a chunk that no type is made for. An arena that is freed has nothing of it any
// more, not even where SlabOf has given the slab away.
func TestLayoutOne(t *testing.T) {
	if checking {
		t.Skip("see TestLayoutAllocs")
	}
	freshLayouts(t)
	for name, use := range map[string]func(a *Arena) (any, int64){
		"New":      func(a *Arena) (any, int64) { return New[leaf](a), 16 },
		"NewValue": func(a *Arena) (any, int64) { return NewValue(a, reflect.TypeFor[pair]()).Interface(), 32 },
		"SlabOf":   func(a *Arena) (any, int64) { return SlabOf[group3](a).New(), 40 },
		"String":   func(a *Arena) (any, int64) { return []byte(String(a, "some text")), 9 },
	} {
		unused.simple = sync.Pool{}
		began := 0
		for range 4 * trial {
			a := NewArena()
			for i := range 3 {
				v, size := use(a)
				if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.Elem().IsZero() {
					t.Fatalf("%s: a new value is %v", name, p.Elem())
				}
				if v, ok := v.(*leaf); ok {
					v.name = name
				}
				if s := a.Stats(); wordSize == 8 && s.InUse != int64(i+1)*size {
					t.Fatalf("%s: %d bytes are in use after %d values of %d", name, s.InUse, i+1, size)
				}
			}
			st := a.stores
			if _, err := st.checkInvariants(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if st.layout != nil {
				began++
			}
			a.Free()
			for _, s := range st.all {
				if c := s.chunks; len(c.list) > 0 && !c.list[0].at.isNil() {
					t.Fatalf("%s: stores without an arena have a chunk", name)
				}
			}
			if len(st.plain.chunks.list) > 0 && !st.plain.chunks.list[0].at.isNil() || st.plain.buf != nil {
				t.Fatalf("%s: stores without an arena have plain memory", name)
			}
		}
		if began == 0 {
			t.Errorf("%s: no arena began with a layout", name)
		}
	}
	if n := len(layoutTypes.byKey); n != 0 {
		t.Errorf("%d types were made", n)
	}
}

// TestLayoutShared checks that arenas whose values are all plain, and which share an object, share no memory: values come zeroed and aligned, stay as they
// are when later arenas come, and lie in no two arenas.
func TestLayoutShared(t *testing.T) {
	if checking {
		t.Skip("there are no layouts")
	}
	freshLayouts(t)
	var st *stores
	type value struct {
		at   span
		ok   func() bool
		text bool
	}
	var all []value
	objects := map[pointer]bool{}
	began := 0
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		if i%100 == 0 {
			st = emptyStores(&unused.simple) // of nobody else
		}
		a := new(Arena)
		a.claim()
		a.stores, st.arena = st, a
		if st.layout != nil {
			st.begin()
			if l := st.layout; l != nil && l.shares {
				began++
				objects[st.shared.at] = true
				if l.count > maxPiece {
					t.Fatalf("a piece has %d words", l.count)
				}
			}
		}
		var mine []value
		for k := range []int{1, 4, 9, 60}[i/100%4] + r.IntN(2) { // the last are too large to share
			switch want := uint64(i*100 + k); (k + i/400) % 4 {
			case 0:
				v := New[[3]byte](a)
				mine = append(mine, value{at: spanOf(v), ok: func() bool { return *v == [3]byte{byte(want), 1, 2} }})
				if *v != ([3]byte{}) {
					t.Fatalf("arena %d: a new value is %v", i, *v)
				}
				*v = [3]byte{byte(want), 1, 2}
			case 1:
				v := New[number](a)
				mine = append(mine, value{at: spanOf(v), ok: func() bool { return uint64(v.v) == want }})
				if *v != (number{}) {
					t.Fatalf("arena %d: a new value is %v", i, *v)
				}
				v.v = int(want)
			case 2:
				v := MakeSlice[uint64](a, 1, 2)
				mine = append(mine, value{at: spanOf(&v[0]), ok: func() bool { return v[0] == want }})
				if v[0] != 0 {
					t.Fatalf("arena %d: a new slice has %v", i, v[0])
				}
				v[0] = want
			case 3:
				s := fmt.Sprint("text ", want)
				v := String(a, s)
				mine = append(mine, value{ok: func() bool { return v == s }, text: true, at: span{uintptr(unsafe.Pointer(unsafe.StringData(v))), uintptr(unsafe.Pointer(unsafe.StringData(v))) + uintptr(len(v))}})
			}
		}
		spans, err := st.checkInvariants()
		if err != nil {
			t.Fatalf("arena %d: %v", i, err)
		}
		for _, v := range mine {
			in := slices.ContainsFunc(spans, func(s span) bool { return s.contains(v.at) })
			if !in || !v.text && v.at.to-v.at.from >= 8 && v.at.from%wordSize != 0 {
				t.Fatalf("arena %d: a value is at %x, chunks are at %x", i, v.at, spans)
			}
		}
		all = append(all, mine...)
		bytes := st.closeMemory()
		if st.layout == nil {
			st.learn(bytes)
		}
		st.arena = nil
		if i%500 == 0 {
			runtime.GC()
		}
	}
	for i, v := range all {
		if !v.ok() {
			t.Fatalf("value %d has changed", i)
		}
	}
	slices.SortFunc(all, func(v, w value) int { return cmp.Compare(v.at.from, w.at.from) })
	for i := range all[1:] {
		if all[i].at.to > all[i+1].at.from {
			t.Fatalf("two values are at %x and %x", all[i].at, all[i+1].at)
		}
	}
	if began < 500 || len(objects) > began/4 {
		t.Errorf("%d arenas have shared %d objects", began, len(objects))
	}
	if n := len(layoutTypes.byKey); n != 0 {
		t.Errorf("%d types were made for objects without pointers", n)
	}
}

func spanOf[T any](p *T) span {
	at := uintptr(unsafe.Pointer(p))
	return span{at, at + unsafe.Sizeof(*p)}
}

// TestArenaSize checks that an Arena stays small: it is a good part of what an arena for a few values takes.
func TestArenaSize(t *testing.T) {
	if want := 2*wordSize + 8; unsafe.Sizeof(Arena{}) > want {
		t.Errorf("an Arena has %d bytes, want %d", unsafe.Sizeof(Arena{}), want)
	}
}

// TestLayoutShrinks checks that stores give up a layout of which little is used, and wait longer each time.
func TestLayoutShrinks(t *testing.T) {
	freshLayouts(t)
	st := emptyStores(&unused.simple) // of nobody else
	round := func(n int) (reserved int64) {
		a := new(Arena)
		a.claim()
		a.stores, st.arena = st, a
		if st.layout != nil {
			st.begin()
		}
		for range n {
			New[pair](a)
			New[number](a)
		}
		reserved = a.Stats().Reserved
		if used, held := a.Stats().InUse, st.reserved; st.layout != nil && held > maxLayout+used {
			t.Errorf("an arena with %d bytes in use holds %d", used, held)
		}
		bytes := st.closeMemory()
		if st.layout == nil {
			st.learn(bytes)
		}
		if want := int64(n) * int64(reflect.TypeFor[pair]().Size()+reflect.TypeFor[number]().Size()); bytes != want {
			t.Errorf("%d bytes were used, want %d", bytes, want)
		}
		st.arena = nil
		return reserved
	}
	settle := func(n int) (reserved int64) {
		for range 3 * trial {
			reserved = round(n)
		}
		return reserved
	}
	large, small := settle(50), settle(2)
	if st.layout == nil || small > large/4 {
		t.Errorf("arenas of 2 values hold %d bytes after those of 50 held %d; layout %v", small, large, st.layout != nil)
	}
	if l := st.layout; l != nil && int64(l.count)*int64(l.object.typ.Size()) != l.bytes {
		t.Errorf("the object of a layout with %d bytes of chunks has %d", l.bytes, l.object.typ.Size())
	}
	wait := st.lessons.wait
	for range 20 {
		settle(50)
		settle(2)
	}
	if st.lessons.wait <= wait {
		t.Errorf("stores whose arenas differ wait for %d arenas, at first %d", st.lessons.wait, wait)
	}
}

// TestLayoutTypes checks that a program does not make more than maxLayouts types, and that arenas without one of these
// are as good.
func TestLayoutTypes(t *testing.T) {
	freshLayouts(t)
	for i := range 2 * maxLayouts {
		unused.simple = sync.Pool{} // new stores, which learn of the first arena
		for range 3 {
			a := NewArena()
			st := a.open()
			for range i%8 + 1 {
				New[leaf](a).name = String(a, "text")
			}
			for range i/8%8 + 1 {
				New[number](a).v++
			}
			for range i/64 + 1 {
				New[pair](a).x = a
			}
			if _, err := st.checkInvariants(); err != nil {
				t.Fatal(err)
			}
			a.Free()
		}
	}
	if n := len(layoutTypes.byKey); n != maxLayouts {
		t.Errorf("%d types, want %d", n, maxLayouts)
	}
}

// TestLimitForgets proves that what an arena with a limit holds does not depend on what other arenas needed, which were freed.
func TestLimitForgets(t *testing.T) {
	opt := Options{Limit: 8 << 10}
	need := func() int64 {
		a := NewWith(opt)
		defer a.Free()
		New[m16](a)
		New[mName](a)
		NewValue(a, reflect.TypeFor[mNode]())
		MakeSlice[byte](a, 3000, 3000)
		return a.Stats().Reserved
	}
	want := need()
	for _, opt := range []Options{opt, {Name: "without a limit"}} {
		for range 20 { // sync.Pool forgets now and then
			for _, use := range []func(a *Arena){
				func(a *Arena) { New[m16](a) },
				func(a *Arena) { New[mName](a) },
				func(a *Arena) { NewValue(a, reflect.TypeFor[mNode]()) },
				func(a *Arena) { String(a, "some text") },
			} {
				a := NewWith(opt)
				for range 60 {
					use(a)
				}
				a.Free()
			}
			if got := need(); got != want {
				t.Fatalf("%d bytes are held, after other arenas; %d before", got, want)
			}
		}
	}
}
