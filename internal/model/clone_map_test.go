package model_test

import (
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
)

// TestDeepCloneArena proves that what a DeepClone copies no longer belongs to an
// arena, and that the copy of a Map finds its keys, those with pointers in them too.
func TestDeepCloneArena(t *testing.T) {
	type thing struct {
		arena *arena.Arena
		slab  *arena.Slab[string]
		build *arena.Builder
		text  string
		any   any
		inner struct {
			own   arena.Arena
			words *arena.Map[string, int]
		}
		keys  []*int
		byKey *arena.Map[*int, int]
		byAny *arena.Map[any, string]
	}
	a := arena.NewArena()
	x := arena.New[thing](a)
	x.arena, x.any = a, a
	x.slab = arena.SlabOf[string](a)
	x.build = arena.NewBuilder(a)
	x.build.WriteString("built")
	x.text = arena.String(a, "text")
	arena.New[int](&x.inner.own)
	x.inner.words = arena.NewMap[string, int](a, 0)
	x.byKey = arena.NewMap[*int, int](a, 0)
	x.byAny = arena.NewMap[any, string](a, 0)
	for i := range 100 {
		x.inner.words.Set(arena.Sprintf(a, "word %d", i), i)
		k := arena.Ptr(a, i)
		x.keys = arena.Append(a, x.keys, k)
		x.byKey.Set(k, i)
		x.byAny.Set(k, arena.Sprintf(a, "any %d", i))
		x.byAny.Set(i, "int")
	}
	before := a.Stats()
	y := arena.DeepClone(x)
	if after := a.Stats(); !reflect.DeepEqual(before, after) {
		t.Errorf("Stats of the arena were %+v, are %+v", before, after)
	}
	a.Reset()
	for range 1000 {
		arena.String(a, "overwritten")
		arena.Ptr(a, -1)
	}
	a.Free()
	if y.arena != nil || y.any != (*arena.Arena)(nil) || y.inner.own.Stats().InUse != 0 {
		t.Errorf("the copy refers to an arena: %v, %v", y.arena, y.any)
	}
	*y.slab.New() = "slab"
	y.build.WriteString(" on")
	if y.text != "text" || y.build.String() != "built on" {
		t.Errorf("copied text: %q, %q", y.text, y.build.String())
	}
	for i, k := range y.keys {
		n, _ := y.byKey.Get(k)
		s, _ := y.byAny.Get(k)
		word, _ := y.inner.words.Get(arena.Sprintf(nil, "word %d", i))
		if *k != i || n != i || word != i || s != arena.Sprintf(nil, "any %d", i) {
			t.Fatalf("key %d: %d, %d, %q, %d", i, *k, n, s, word)
		}
		y.byKey.Set(new(int), i) // grows, on the heap
	}
	if y.byKey.Len() != 200 || y.byAny.Len() != 200 {
		t.Errorf("lengths are %d and %d", y.byKey.Len(), y.byAny.Len())
	}
}

// TestDeepCloneShared proves that a pointer to a value of a Map points into the copy of the
// Map, and that Pools and Groups are not copied.
func TestDeepCloneShared(t *testing.T) {
	type thing struct {
		words *arena.Map[string, int]
		a     *int
		pool  *arena.Pool
		group *arena.Group
	}
	x := thing{arena.NewMap[string, int](nil, 0), nil, &arena.Pool{}, arena.NewGroup()}
	x.a = x.words.Entry("a")
	y := arena.DeepClone(x)
	*y.a = 5
	if y.words == x.words || y.words.Lookup("a") != y.a || *x.a != 0 {
		t.Errorf("the copy of the pointer is %p, of what it points at %p", y.a, y.words.Lookup("a"))
	}
	if y.pool != x.pool || y.group != x.group {
		t.Error("a Pool or a Group was copied")
	}
	y.pool.Put(y.pool.Get())
}

// TestDeepCloneMaps proves that the copies of Maps find their keys, which are pointers, also where
// they lie in each other, in maps of Go, in arrays, and in structs that embed them.
func TestDeepCloneMaps(t *testing.T) {
	type byKey = arena.Map[*int, int]
	type refers struct{ *byKey } // has the methods of a Map, and is none
	type embeds struct {
		byKey
		more [2]byKey
		ref  refers
	}
	type deep struct {
		inner arena.Map[*int, embeds]
		also  byKey
	}
	type all struct {
		first *byKey // in a value of outer
		keys  []*int
		outer arena.Map[*int, deep]
		std   map[string]embeds
	}
	x := all{std: map[string]embeds{}}
	numbers := map[*int]int{}
	for i := range 30 {
		k := &i
		x.keys = append(x.keys, k)
		numbers[k] = i
	}
	fill := func(e *embeds) {
		e.CopyFrom(nil, &numbers)
		e.more[0].CopyFrom(nil, &numbers)
		e.more[1].CopyFrom(nil, &numbers)
		e.ref.byKey = &e.more[0]
	}
	deeps, inners := map[*int]deep{}, map[*int]embeds{}
	for _, k := range x.keys {
		inners[k] = embeds{}
		deeps[k] = deep{}
	}
	x.outer.CopyFrom(nil, &deeps)
	for _, k := range x.keys {
		d := x.outer.Lookup(k)
		d.inner.CopyFrom(nil, &inners)
		for _, k := range x.keys {
			fill(d.inner.Lookup(k))
		}
		d.also.CopyFrom(nil, &numbers)
		x.first = &d.also
	}
	moved := new(embeds) // by package reflect, for go vet finds that a program does this
	fill(moved)
	reflect.ValueOf(x.std).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(moved).Elem())

	y := arena.DeepClone(&x)
	check := func(what string, m *byKey) {
		t.Helper()
		for i, k := range y.keys {
			if v, ok := m.Get(k); !ok || v != i {
				t.Fatalf("%s: key %d has %d, %v", what, i, v, ok)
			}
		}
	}
	each := func(what string, e *embeds) {
		check(what, &e.byKey)
		check(what, &e.more[0])
		check(what, &e.more[1])
	}
	check("first", y.first)
	for _, k := range y.keys {
		d := y.outer.Lookup(k)
		if d == nil {
			t.Fatalf("outer has no %d", *k)
		}
		check("also", &d.also)
		for _, k := range y.keys {
			e := d.inner.Lookup(k)
			if e == nil {
				t.Fatalf("inner has no %d", *k)
			}
			each("inner", e)
		}
	}
	reflect.ValueOf(moved).Elem().Set(reflect.ValueOf(y.std).MapIndex(reflect.ValueOf("a")))
	each("a map of Go", moved)
}

// TestDeepCloneKitSlab proves that the copy of an arenakit.Slab leads to nothing of the arena.
func TestDeepCloneKitSlab(t *testing.T) {
	type decoder struct {
		a *arena.Arena
		s arenakit.Slab
	}
	a := arena.NewArena()
	d := decoder{a, arenakit.SlabOf(a, reflect.TypeFor[[4]int]())}
	d.s.New()
	if c := arena.DeepClone(d); c != (decoder{}) {
		t.Errorf("the copy is %+v", c)
	}
}
