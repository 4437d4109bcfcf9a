package model_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// scopeSeeds are the random programs of a test.
func scopeSeeds(t *testing.T, programs int, run func(r *rand.Rand)) {
	seed := testrun.Seed(t)
	if !testrun.Long() {
		programs = max(programs/10, 1)
	}
	for i := range uint64(programs) {
		run(rand.New(rand.NewPCG(seed, i)))
	}
}

// A scoped is something in an arena that a program of scopes uses, with a model of it on the heap.
type scoped interface {
	step(r *rand.Rand, a *arena.Arena)
	check() error
}

// A scopedMap is a Map of pointers and text, which are on the heap: what is older than a scope may
// refer to nothing in it.
type scopedMap[K comparable, V comparable] struct {
	m    *arena.Map[K, V]
	want map[K]V
	key  func(r *rand.Rand) K
	val  func(r *rand.Rand) V
}

func (s *scopedMap[K, V]) step(r *rand.Rand, _ *arena.Arena) {
	for range r.IntN(40) {
		k, v := s.key(r), s.val(r)
		s.m.Set(k, v)
		s.want[k] = v
		if r.IntN(4) == 0 {
			k := s.key(r)
			s.m.Delete(k)
			delete(s.want, k)
		}
	}
	if r.IntN(100) == 0 {
		s.m.Clear()
		clear(s.want)
	}
}

func (s *scopedMap[K, V]) check() error {
	if got := maps.Collect(s.m.All()); !maps.Equal(got, s.want) || s.m.Len() != len(s.want) {
		return fmt.Errorf("a Map has %v, want %v", got, s.want)
	}
	return nil
}

// A scopedBuilder is a Builder.
type scopedBuilder struct {
	b    *arena.Builder
	want strings.Builder
}

func (s *scopedBuilder) step(r *rand.Rand, _ *arena.Arena) {
	switch text := strings.Repeat(text(r.IntN(1000)), 1+r.IntN(5)); r.IntN(5) {
	case 0:
		s.b.Grow(r.IntN(100))
	case 1:
		s.b.Printf("%s.", text)
		s.want.WriteString(text + ".")
	case 2:
		if s.b.String() != s.want.String() { // lent, so that Bytes copies
			panic("a Builder has another String")
		}
		if string(s.b.Bytes()) != s.want.String() {
			panic("a Builder has other Bytes")
		}
	default:
		s.b.WriteString(text)
		s.want.WriteString(text)
	}
}

func (s *scopedBuilder) check() error {
	if got := s.b.String(); got != s.want.String() {
		return fmt.Errorf("a Builder has %q, want %q", got, s.want.String())
	}
	return nil
}

// A scopedSlice is a slice that grows by Append, and is as it was when the scope ends in which it
// has.
type scopedSlice[T comparable] struct {
	s, want []T
	val     func(r *rand.Rand) T
}

func (s *scopedSlice[T]) step(r *rand.Rand, a *arena.Arena) {
	for range r.IntN(30) {
		v := s.val(r)
		s.s = arena.Append(a, s.s, v)
		s.want = append(s.want, v)
	}
}

func (s *scopedSlice[T]) check() error {
	if !slices.Equal(s.s, s.want) {
		return fmt.Errorf("a slice has %v, want %v", s.s, s.want)
	}
	return nil
}

// TestScopes runs random programs that nest scopes: Maps, Builders and references that are older
// than a scope stay, with what was put into them in it; slices are as they were before it; so are
// values. New values are zero.
func TestScopes(t *testing.T) {
	options := []arena.Options{{}, {Limit: 4 << 20}, {Retain: -1}, {Guard: true, Report: func(r *arena.Report) { panic(r) }}}
	scopeSeeds(t, 60, func(r *rand.Rand) {
		a := arena.NewWith(options[r.IntN(len(options))])
		for range 1 + r.IntN(3) {
			scopeProgram(t, r, a)
			a.Reset()
		}
		a.Free()
	})
}

func scopeProgram(t *testing.T, r *rand.Rand, a *arena.Arena) {
	number := func(r *rand.Rand) int { return r.IntN(500) }
	word := func(r *rand.Rand) string { return text(r.IntN(500)) }
	pointer := func(r *rand.Rand) *leaf { return newLeaf(r.IntN(500)) }
	type scope struct {
		mark   arena.Mark
		things int
		slices []func()
	}
	var scopes []scope
	var things []scoped
	var refs []func() bool
	space := ref.In(a)
	for range 400 {
		switch r.IntN(16) {
		case 0, 1:
			s := scope{mark: a.Mark(), things: len(things)}
			for _, one := range things {
				switch one := one.(type) {
				case *scopedSlice[*leaf]:
					was := *one
					s.slices = append(s.slices, func() { *one = was })
				case *scopedSlice[byte]:
					was := *one
					s.slices = append(s.slices, func() { *one = was })
				}
			}
			scopes = append(scopes, s)
		case 2, 3:
			if len(scopes) == 0 {
				break
			}
			n := len(scopes) - 1 - r.IntN(min(3, len(scopes)))
			a.Rewind(scopes[n].mark)
			things = things[:scopes[n].things]
			for _, restore := range scopes[n].slices {
				restore()
			}
			scopes = scopes[:n]
		case 4:
			things = append(things, &scopedMap[int, int]{arena.NewMap[int, int](a, r.IntN(9)), map[int]int{}, number, number})
		case 5:
			things = append(things, &scopedMap[string, *leaf]{arena.NewMap[string, *leaf](a, r.IntN(9)), map[string]*leaf{}, word, pointer})
		case 6:
			things = append(things, &scopedBuilder{b: arena.NewBuilder(a)})
		case 7:
			things = append(things, &scopedSlice[*leaf]{val: pointer}, &scopedSlice[byte]{val: func(r *rand.Rand) byte { return byte(r.Uint32()) }})
		case 8:
			n := r.IntN(1000)
			x, _ := ref.New[int](space)
			*x.Get(space) = n
			refs = append(refs, func() bool { return *x.Get(space) == n })
		case 9:
			n := r.IntN(300)
			for _, p := range arena.MakeSlice[*int](a, n, n) {
				if p != nil {
					t.Fatal("a new slice is not zero")
				}
			}
			for _, b := range arena.MakeSlice[byte](a, 0, 20*n)[:20*n] {
				if b != 0 {
					t.Fatal("new bytes are not zero")
				}
			}
		case 10:
			for range r.IntN(50) {
				p := arena.New[person](a)
				if *p != (person{}) || *arena.New[int](a) != 0 {
					t.Fatal("a new value is not zero")
				}
				p.age = 1
				arena.String(a, "rubbish")
			}
		default:
			if len(things) > 0 {
				things[r.IntN(len(things))].step(r, a)
			}
		}
		for _, one := range things {
			if err := one.check(); err != nil {
				t.Fatalf("%d scopes are open: %v", len(scopes), err)
			}
		}
	}
	for _, good := range refs {
		if !good() {
			t.Fatal("a reference leads to something else")
		}
	}
}

// TestScopeMarks proves which Marks Rewind takes.
func TestScopeMarks(t *testing.T) {
	a, b := arena.NewArena(), arena.NewArena()
	first := a.Mark()
	second := a.Mark()
	a.Rewind(second)
	for name, m := range map[string]arena.Mark{"used": second, "of another": b.Mark(), "zero": {}} {
		if got := result(func() any { a.Rewind(m); return nil }); !sameResult(got, panics("Mark")) {
			t.Errorf("a Mark that is %s: %v", name, got)
		}
	}
	inner := a.Mark()
	a.Rewind(first)
	if got := result(func() any { a.Rewind(inner); return nil }); !sameResult(got, panics("used already")) {
		t.Errorf("a Mark of a scope that has ended: %v", got)
	}
	old := a.Mark()
	a.Reset()
	a.Mark()
	if got := result(func() any { a.Rewind(old); return nil }); !sameResult(got, panics("older than a Reset")) {
		t.Errorf("a Mark from before a Reset: %v", got)
	}
	m := a.Mark()
	a.Free()
	for _, f := range []func(){func() { a.Rewind(m) }, func() { a.Mark() }} {
		if got := result(func() any { f(); return nil }); !sameResult(got, panics("after Free")) {
			t.Errorf("after Free: %v", got)
		}
	}
	var pool arena.Pool
	p := pool.Get()
	m = p.Mark()
	pool.Put(p)
	if q := pool.Get(); q == p {
		q.Mark()
		if got := result(func() any { q.Rewind(m); return nil }); !sameResult(got, panics("used already")) {
			t.Errorf("a Mark from before a Put: %v", got)
		}
	}
	var heap *arena.Arena
	heap.Rewind(heap.Mark())
	heap.Rewind(m)
	g := arena.NewGroup()
	c := g.Arena()
	m = c.Mark()
	arena.New[int](c)
	c.Rewind(m)
	if n := c.Stats().InUse; n != 0 {
		t.Errorf("%d bytes are in use", n)
	}
	g.Free()
}

// TestScopeMemory proves that the memory of a scope is used next, and that Stats say so, and that
// Mark and Rewind allocate nothing when there were as many.
func TestScopeMemory(t *testing.T) {
	if watched() {
		t.Skip("no memory is used again")
	}
	a := arena.NewArena()
	arena.New[person](a)
	before := a.Stats()
	m := a.Mark()
	p, s := arena.New[person](a), arena.MakeSlice[*int](a, 3, 3)
	peak := a.Stats().InUse
	p.age, s[0] = 1, new(int)
	a.Rewind(m)
	if got := a.Stats(); got.InUse != before.InUse || got.Peak != peak {
		t.Errorf("Stats are %+v, want %d in use and a peak of %d", got, before.InUse, peak)
	}
	if *p != (person{}) || s[0] != nil {
		t.Error("the memory still refers to values")
	}
	if q := arena.New[person](a); p != q {
		t.Error("the memory is not used next")
	}
	work := func() {
		m := a.Mark()
		for range 300 {
			arena.New[person](a)
			arena.String(a, "some text")
			arena.MakeSlice[*int](a, 10, 10)
			arena.MakeSlice[int](a, 1000, 1000)
		}
		inner := a.Mark()
		arena.MakeSlice[*int](a, 100_000, 100_000)
		a.Rewind(inner)
		a.Rewind(m)
	}
	work()
	work()
	reserved := a.Stats().Reserved
	if n := testing.AllocsPerRun(100, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := a.Stats().Reserved; got != reserved {
		t.Errorf("%d bytes are reserved, were %d", got, reserved)
	}
}

// TestScopeDepth proves that scopes nest deeper than Maps count them.
func TestScopeDepth(t *testing.T) {
	a := arena.NewArena()
	first := a.Mark()
	m := arena.NewMap[int, int](a, 0)
	var late *arena.Map[int, int]
	var at arena.Mark
	for i := range 70_000 {
		if i == 69_000 {
			late = arena.NewMap[int, int](a, 0)
			at = a.Mark()
		} else {
			a.Mark()
		}
	}
	for i := range 100 {
		m.Set(i, i)
		late.Set(i, i)
	}
	a.Rewind(at)
	for i := range 1000 {
		arena.MakeSlice[int](a, i, i)
	}
	for i := range 100 {
		if *m.Lookup(i) != i || *late.Lookup(i) != i {
			t.Fatal("a Map has lost what was put into it")
		}
	}
	a.Rewind(first)
	if n := a.Stats().InUse; n != 0 {
		t.Errorf("%d bytes are in use", n)
	}
}

// A listener learns of the ends of values.
type listener struct{ again []bool }

func (l *listener) ArenaReset(again bool) { l.again = append(l.again, again) }

// TestScopeLocals proves that a value of Local learns of Rewind.
func TestScopeLocals(t *testing.T) {
	a := arena.NewArena()
	l, _ := arenakit.Local[listener](a)
	a.Rewind(a.Mark())
	a.Reset()
	if want := []bool{false, !watched()}; !slices.Equal(l.again, want) {
		t.Errorf("it was told %v, want %v", l.again, want)
	}
	if same, first := arenakit.Local[listener](a); same != l || first {
		t.Error("it is another one")
	}
}

// TestScopeShrink proves that a slice of arenakit that is older than a scope keeps its memory when
// it is made shorter in it.
func TestScopeShrink(t *testing.T) {
	a := arena.NewArena()
	s := arenakit.SlabOf(a, reflect.TypeFor[*int]())
	p := s.Slice(8)
	m := a.Mark()
	s.Shrink(p, 8, 2)
	q := s.Slice(4)
	*(**int)(q) = new(int)
	a.Rewind(m)
	for i, v := range unsafe.Slice((**int)(s.Slice(16)), 16) {
		if v != nil {
			t.Fatalf("value %d is not zero", i)
		}
	}
}

// TestScopeTorture proves that the collector sees what values of scopes point at, and older values,
// while scopes come and go: fresh heap memory that is reachable through the arena only is read back
// exactly while another goroutine collects without pause.
func TestScopeTorture(t *testing.T) {
	collect(t)
	a := arena.NewArena()
	var scope func(depth, seed int)
	scope = func(depth, seed int) {
		m := a.Mark()
		single := arena.New[*leaf](a)
		*single = newLeaf(seed)
		many := arena.MakeSlice[mixture](a, 20, 20)
		for i := range many {
			many[i] = newMixture(seed + i)
		}
		words := arena.NewMap[int, *leaf](a, 0)
		for i := range 30 {
			words.Set(i, newLeaf(seed+i))
			if i == 10 && depth > 0 {
				scope(depth-1, seed+1000)
			}
		}
		for range 2 {
			if depth > 0 {
				inner := a.Mark()
				for i := range 30 {
					words.Set(i, newLeaf(seed+i))
					words.Set(seed+i, newLeaf(seed+i))
				}
				scope(depth-1, seed+2000)
				a.Rewind(inner)
			}
		}
		if **single != *newLeaf(seed) {
			t.Fatalf("a value is %v", **single)
		}
		for i := range many {
			if !many[i].is(seed + i) {
				t.Fatalf("element %d is %v", i, many[i])
			}
		}
		for i := range 30 {
			if got := *words.Lookup(i); *got != *newLeaf(seed + i) {
				t.Fatalf("entry %d is %v", i, *got)
			}
		}
		a.Rewind(m)
	}
	for i := range max(howMany()/2000, 3) {
		scope(5, i)
	}
	a.Free()
}

// TestScopeZeros proves that new values are zero after a Rewind and after a Reset, and that older
// values and slices stay. The types are of all sizes and kinds.
func TestScopeZeros(t *testing.T) {
	n, next := 1, new(int)
	a := arena.NewArena()
	for range 3 {
		zerosOf(t, a, true)
		zerosOf(t, a, byte(1))
		zerosOf(t, a, [3]byte{1, 2, 3})
		zerosOf(t, a, uint32(1))
		zerosOf(t, a, [3]uint32{1, 2, 3})
		zerosOf(t, a, 1)
		zerosOf(t, a, [3]int{1, 2, 3})
		zerosOf(t, a, [20]int{1, 2, 3, 19: 20})
		zerosOf(t, a, "text")
		zerosOf(t, a, [2]string{"text", "more"})
		zerosOf(t, a, struct {
			n *int
			b bool
		}{&n, true})
		zerosOf(t, a, struct {
			b bool
			n *int
		}{true, &n})
		zerosOf(t, a, next)
		zerosOf(t, a, any(1))
		zerosOf(t, a, struct {
			text string
			next *int
		}{"text", next})
		a.Reset()
	}
}

// zerosOf is TestScopeZeros for the type of a value that is not zero.
func zerosOf[T any](t *testing.T, a *arena.Arena, one T) {
	t.Helper()
	var zero T
	newOne := func() *T {
		p := arena.New[T](a)
		if any(*p) != any(zero) {
			t.Fatalf("%T: a new value is %v", zero, *p)
		}
		*p = one
		return p
	}
	for count := range 40 {
		old, list := newOne(), arena.MakeSlice[T](a, 5, 5)
		for i := range list {
			list[i] = one
		}
		for range 10 {
			m := a.Mark()
			for range count {
				newOne()
			}
			a.Rewind(m)
			if any(*old) != any(one) || slices.ContainsFunc(list, func(v T) bool { return any(v) != any(one) }) {
				t.Fatalf("%T: a value that is older than a scope of %d has become %v, a slice %v", zero, count, *old, list)
			}
		}
		if count%8 == 0 {
			a.Reset()
		}
	}
}

// TestScopesAgain has arenas of a Pool, which have had scopes before, nest more and fewer of them.
func TestScopesAgain(t *testing.T) {
	var pool arena.Pool
	for _, depth := range []int{3, 1, 5, 4, 9} {
		a := pool.Get()
		var marks []arena.Mark
		for range depth {
			marks = append(marks, a.Mark())
			*arena.New[int](a) = 1
		}
		for _, m := range slices.Backward(marks) {
			a.Rewind(m)
			if *arena.New[int](a) != 0 {
				t.Error("a new value is not zero")
			}
		}
		pool.Put(a)
	}
}

// TestScopeMoves has chunks change in inner scopes only, and proves that the Rewind of the outer
// scope knows of it: everything is free again, and the next round needs no more memory.
func TestScopeMoves(t *testing.T) {
	if watched() {
		t.Skip("no memory is used again")
	}
	a := arena.NewArena()
	arena.New[*int](a)
	arena.New[string](a)
	a.Reset()
	old := arena.New[*int](a)
	arena.String(a, "text")
	for i := range 10 { // so that the types of both Maps are in use
		arena.NewMap[int, *int](a, 0).Set(i, *old)
		arena.NewMap[int, int](a, 0).Set(i, i)
	}
	before := a.Stats()
	for round := range 30 {
		outer := a.Mark()
		words := arena.NewMap[int, *int](a, 0)
		numbers := arena.NewMap[int, int](a, 0)
		for range 3 {
			inner := a.Mark()
			for i := range 300 {
				words.Set(i, *old)
				numbers.Set(i, i)
				arena.New[*int](a)
				arena.New[string](a)
				arena.String(a, "some text")
			}
			a.Rewind(inner)
		}
		a.Rewind(outer)
		got := a.Stats()
		if got.InUse != before.InUse || !reflect.DeepEqual(got.Types, before.Types) {
			t.Fatalf("after Rewind there is %+v, want %+v", got, before)
		}
		if round == 2 {
			before = got
		}
		if round > 2 && got.Reserved != before.Reserved {
			t.Fatalf("round %d: %d bytes are reserved, after the first rounds %d", round, got.Reserved, before.Reserved)
		}
	}
}
