package guard

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/vm"
)

type wide struct {
	_ int8
	_ complex128
	_ [9]uint16
}

type big struct{ xs [300]int64 }

// TestPointerWords compares what pointerWords says of types with what they are.
func TestPointerWords(t *testing.T) {
	type odd struct {
		_ int8
		_ string
		_ bool
		_ [0]*int
		_ [2]struct {
			n int32
			e any
		}
		_ map[int]int
	}
	size := func(n uintptr) uintptr { return n * (4 << (^uintptr(0) >> 63)) }
	got := pointerWords(nil, reflect.TypeFor[odd](), 0)
	want := []pointerWord{
		{offset: size(1), reach: 1, lengths: 1},
		{offset: size(4), count: 2, stride: size(3), elem: []pointerWord{{offset: size(1), isInterface: true}}},
		{offset: size(10)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := pointerWords(nil, reflect.TypeFor[wide](), 0); len(got) != 0 {
		t.Errorf("a plain type has pointers at %v", got)
	}
	if got := pointerWords(nil, reflect.TypeFor[[1 << 20]*big](), 0); len(got) != 1 || got[0].elem[0].reach != 8*300 {
		t.Errorf("a large array has pointers at %v", got)
	}
}

// TestTrap checks that nothing can be reached through stale values but what is inaccessible, even
// if the values refer to something very large, and there is no ward for them.
func TestTrap(t *testing.T) {
	type holder struct {
		ints  []int64
		bytes []byte
		big   *[1 << 20]int64
		bigs  []big
		text  string
		few   [2][]string
	}
	for _, crowded := range []bool{false, true} {
		Empty()
		wardsLeft(t, 0)
		a := newArena(MaxFenced)
		h := put(a, holder{})
		h.ints = make([]int64, 1<<20)
		h.bytes = make([]byte, 1<<20)
		h.big = new([1 << 20]int64)
		h.bigs = make([]big, 100)
		h.text = strings.Repeat("x", 1<<20)
		h.few = [2][]string{1: make([]string, 1000)}
		var crowd []*ward
		for crowded {
			w := new(ward)
			if !w.enlist() {
				break
			}
			crowd = append(crowd, w)
		}
		a.end(Reset)
		touched := 0
		for name, s := range map[string]struct {
			n   int
			use func(i int)
		}{
			"ints":  {len(h.ints), func(i int) { h.ints[i]++ }},
			"bytes": {cap(h.bytes), func(i int) { h.bytes[:cap(h.bytes)][i]++ }},
			"bigs":  {cap(h.bigs), func(i int) { h.bigs[:cap(h.bigs)][i].xs[299]++ }},
			"text":  {len(h.text), func(i int) { touched += int(h.text[i]) }},
			"few":   {cap(h.few[1]), func(i int) { h.few[1][:cap(h.few[1])][i] = "x" }},
		} {
			if (s.n == 0) != crowded {
				t.Errorf("%s has %d elements, crowded %t", name, s.n, crowded)
			}
			for i := range s.n {
				if i%97 == 0 || i == s.n-1 {
					if f, ok := faults(func() { s.use(i) }); !ok || f.End.Event != Reset {
						t.Fatalf("%s[%d] of %d: %t, %+v", name, i, s.n, ok, f)
					}
				}
			}
		}
		if h.big != nil || len(h.few[0]) != 0 {
			t.Errorf("a pointer to what is larger than a trap is %p", h.big)
		}
		for _, w := range crowd {
			w.release(nil)
		}
		a.end(Free)
	}
	Empty()
	wardsLeft(t, 0)
}

// TestTraps has arenas end while there are too few wards, and while the system refuses to protect
// pages or to give them back, and checks that no pointer in what they held ever leads to memory
// that can be accessed: all pointers of a type share a trap, which would be memory of many types.
func TestTraps(t *testing.T) {
	Empty()
	wardsLeft(t, 0)
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	type value struct {
		a *[2]uintptr
		b *string
		c []byte
		d []string
		e string
		f *value
		g map[int]int
		h [2]*any
	}
	var refused atomic.Int32 // one in this number of requests
	refuse := func(f func([]byte) error, r *rand.Rand) func([]byte) error {
		return func(b []byte) error { // wards is locked
			if n := refused.Load(); n > 0 && r.Int32N(n) == 0 {
				return fmt.Errorf("refused")
			}
			return f(b)
		}
	}
	system := func(protect, unprotect func([]byte) error) {
		wards.Lock()
		defer wards.Unlock()
		protectPages, unprotectPages = protect, unprotect
	}
	system(refuse(vm.Protect, rand.New(rand.NewPCG(seed, 1))), refuse(vm.Unprotect, rand.New(rand.NewPCG(seed, 2))))
	var crowd []*ward // takes the room of others
	defer func() {
		system(vm.Protect, vm.Unprotect)
		wards.Lock()
		defer wards.Unlock()
		for _, mem := range stuck {
			if err := vm.Unprotect(mem); err != nil {
				t.Error(err)
			}
			for i, w := range wards.all {
				if w != nil && w.lo == address(mem) {
					wards.table[i].Set(0, 0, nil)
					wards.all[i] = nil
					wards.free = append(wards.free, i)
				}
			}
		}
		stuck = nil
	}()
	leave := func(n int) {
		wards.Lock()
		defer wards.Unlock()
		for ; n > 0 && len(crowd) > 0; n-- {
			w := crowd[len(crowd)-1]
			crowd = crowd[:len(crowd)-1]
			wards.all[w.slot] = nil
			wards.free = append(wards.free, w.slot)
		}
	}
	check := func(v *value) {
		t.Helper()
		s := ""
		for name, p := range map[string]struct {
			isNil bool
			use   func()
		}{
			"a": {v.a == nil, func() { v.a[0]++ }},
			"b": {v.b == nil, func() { s = strings.Clone(*v.b) }},
			"c": {len(v.c) == 0, func() { v.c[len(v.c)-1]++ }},
			"d": {len(v.d) == 0, func() { s = strings.Clone(v.d[len(v.d)-1]) }},
			"e": {len(v.e) == 0, func() { s = strings.Clone(v.e) }},
			"f": {v.f == nil, func() { s = strings.Clone(v.f.e) }},
			"g": {v.g == nil, func() { v.g[1]++ }},
			"h": {v.h[1] == nil, func() { *v.h[1] = 1 }},
		} {
			if p.isNil {
				continue
			}
			if _, ok := faults(p.use); !ok {
				t.Fatalf("%s leads to memory that can be accessed, %q", name, s)
			}
		}
		wards.Lock()
		defer wards.Unlock()
		for _, w := range wards.all {
			if w != nil && w.lo != 0 && w.lo == uintptr(unsafe.Pointer(v.a)) {
				t.Fatal("a pointer is aimed at the start of an object, whose finalizer it can take away")
			}
		}
	}
	var stale []*value
	var owners []*owner
	rounds := 300
	if !testrun.Long() {
		rounds = 20
	}
	for range rounds {
		switch r.IntN(4) {
		case 0:
			for n := r.IntN(MaxWards); n > 0; n-- {
				w := &ward{owner: new(owner)}
				if !w.enlist() {
					break
				}
				crowd = append(crowd, w)
			}
		case 1:
			leave(r.IntN(MaxWards))
		}
		refused.Store(r.Int32N(4))
		a := newArena(MaxFenced)
		for n := r.IntN(3); n >= 0; n-- {
			x := any(n)
			text := a.bytes(4)
			copy(text, "text")
			stale = append(stale, put(a, value{
				new([2]uintptr), new(string), make([]byte, 5), []string{"x"}, stringOf(text), put(a, value{}), map[int]int{}, [2]*any{&x, &x},
			}))
			a.bytes(80)
		}
		a.end(Event(r.IntN(2)))
		owners = append(owners, a.owner)
		if r.IntN(3) == 0 {
			Empty()
		}
		if r.IntN(10) == 0 {
			runtime.GC()
		}
		if n := len(stale); n > 30 {
			stale = stale[n-30:]
		}
		for _, v := range stale {
			check(v)
		}
	}
	Empty()
	for _, v := range stale {
		check(v)
	}
	for _, o := range owners {
		if len(o.found) > 0 {
			t.Fatalf("found: %+v", o.found)
		}
	}
	stale, owners = nil, nil
	leave(MaxWards)
	refused.Store(0)
	wards.Lock()
	kept := len(stuck)
	wards.Unlock()
	wardsLeft(t, kept)
}
