package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A decodesAgain decodes its maps with the arena that is at work, and others on the heap.
type decodesAgain struct{ Inner, Heap map[string]map[int]string }

func (x *decodesAgain) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &x.Inner); err != nil {
		return err
	}
	return json.Unmarshal(b, &x.Heap)
}

func (x *decodesAgain) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	if err := arenajson.Unmarshal(a, b, &x.Inner); err != nil {
		return err
	}
	return arenajson.Unmarshal(nil, b, &x.Heap)
}

type mapPoint struct {
	X, Y int
	In   map[string]bool
}

// mapTypes are types with maps of every kind.
func mapTypes() []reflect.Type {
	type named map[string]any
	type maps struct {
		A map[string]string
		B map[string]any
		C named
		D map[string]map[string]int
	}
	type all struct {
		A map[string]string
		B map[string]any
		C map[int64]*mapPoint
		D map[string][]map[string]int
		E map[uint8]mapPoint
		F named
		G any
		H *map[string]map[string]map[string]string
		I map[textKey]int
		J map[string][40]int
	}
	return []reflect.Type{
		reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]any](), reflect.TypeFor[any](), reflect.TypeFor[named](),
		reflect.TypeFor[[]map[string]map[string]int](), reflect.TypeFor[map[string][]map[string]mapPoint](), reflect.TypeFor[map[int]mapPoint](),
		reflect.TypeFor[map[uint16][]byte](), reflect.TypeFor[map[textKey][]string](), reflect.TypeFor[map[string]*mapPoint](), reflect.TypeFor[[]decodesAgain](),
		reflect.TypeFor[map[string]decodesAgain](), reflect.TypeFor[[]map[string][40]int](), reflect.TypeFor[all](), reflect.TypeFor[[]all](), reflect.TypeFor[maps](),
		reflect.TypeFor[arena.Map[string, map[string]int]](),
	}
}

// eachMap calls f for the maps in v.
func eachMap(v reflect.Value, f func(m reflect.Value)) {
	switch v.Kind() {
	case reflect.Map:
		for _, k := range v.MapKeys() {
			eachMap(v.MapIndex(k), f)
		}
		if !v.IsNil() {
			f(v)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachMap(v.Elem(), f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachMap(v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachMap(v.Field(i), f)
			}
		}
	}
}

// TestMapsAgain decodes many values of an arena between one Reset and the next, right documents and
// wrong ones, keeps them until then while the collector runs and their owner changes the maps, and
// compares each with what encoding/json makes of the same and the owner does to it. No two values
// may have the same map. Values of an arena that was freed are kept for another round. Stale maps
// that their owner has emptied are decoded into again before others are.
func TestMapsAgain(t *testing.T) {
	rounds := 400
	if !testrun.Long() || watched {
		rounds = 80
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	types := mapTypes()
	var pool arena.Pool
	a := arena.NewArena()
	type kept struct{ got, want reflect.Value }
	var freed, emptied []kept
	for round := range rounds {
		var all []kept
		stale := emptied
		emptied = nil
		seen := map[uintptr]bool{}
		for range 1 + len(stale) + r.IntN(12) {
			typ := types[r.IntN(len(types))]
			in := document(r, typ)
			if r.IntN(20) == 0 {
				in = []byte(`{"B":{` + strings.TrimSuffix(strings.Repeat(`"x":{"y":1},`, 600), ",") + `},"A":{"` + strings.Repeat(`a":"b","`, r.IntN(300)) + `z":""}}`)
			}
			if r.IntN(30) == 0 {
				var b strings.Builder
				for i := range r.IntN(1200) {
					fmt.Fprintf(&b, `"%d":{"1":"x"},`, i)
				}
				in = []byte("{" + strings.TrimSuffix(b.String(), ",") + "}")
			}
			k := kept{reflect.New(typ), reflect.New(typ)}
			if n := len(stale); n > 0 {
				k, stale = stale[n-1], stale[:n-1]
				all = append(all, k)
				typ = k.got.Type().Elem()
				in = document(r, typ)
			} else if len(all) > 0 && r.IntN(4) == 0 { // into a value that has maps already
				k = all[r.IntN(len(all))]
				typ = k.got.Type().Elem()
				in = document(r, typ)
			} else {
				all = append(all, k)
			}
			gotErr := arenajson.Unmarshal(a, in, k.got.Interface())
			wantErr := json.Unmarshal(in, k.want.Interface())
			if !sameError(gotErr, wantErr) {
				t.Fatalf("round %d: %v of %s: %v, want %v", round, typ, in, gotErr, wantErr)
			}
			if r.IntN(3) == 0 { // The owner changes maps: the same ones of both values.
				grow, n := r.IntN(2) == 0, r.IntN(60)
				change := func(m reflect.Value) {
					if !grow {
						for _, key := range m.MapKeys() {
							m.SetMapIndex(key, reflect.Value{})
						}
						return
					}
					if m.Type().Key().Kind() == reflect.String {
						for i := range n {
							m.SetMapIndex(reflect.ValueOf(fmt.Sprint("own", i)).Convert(m.Type().Key()), reflect.Zero(m.Type().Elem()))
						}
					}
				}
				if m, w := k.got.Elem(), k.want.Elem(); m.Kind() == reflect.Map && !m.IsNil() {
					change(m)
					change(w)
				}
			}
			if r.IntN(6) == 0 { // a scope leaves alone what is older
				m := a.Mark()
				for range r.IntN(4) {
					typ := types[r.IntN(len(types))]
					arenajson.Unmarshal(a, document(r, typ), reflect.New(typ).Interface())
				}
				a.Rewind(m)
			}
			if r.IntN(40) == 0 {
				runtime.GC()
			}
		}
		all, freed = append(all, freed...), nil
		for _, k := range all {
			if !reflect.DeepEqual(plain(k.got), plain(k.want)) {
				t.Fatalf("round %d: %v is %s, want %s", round, k.got.Type().Elem(), show(k.got), show(k.want))
			}
			own := map[uintptr]bool{}
			eachMap(k.got.Elem(), func(m reflect.Value) { own[m.Pointer()] = true })
			for p := range own {
				if seen[p] {
					t.Fatalf("round %d: two values have the same map", round)
				}
				seen[p] = true
			}
		}
		switch r.IntN(12) {
		case 0:
			a.Free()
			if !watched { // a use after Free breaks nothing, but is a mistake
				freed = all
			}
			a = arena.NewArena()
			if r.IntN(2) == 0 {
				arena.New[int](a)
				a.Reset()
			}
		case 1:
			if round%2 == 0 {
				a.Reset()
				a = pool.Get()
				a.Free()
				a = arena.NewArena()
				break
			}
			fallthrough
		default:
			for _, k := range all {
				if m := k.got.Elem(); m.Kind() == reflect.Map && !m.IsNil() && r.IntN(3) == 0 {
					m.Clear()
					k.want.Elem().Clear()
					emptied = append(emptied, k)
				}
			}
			a.Reset()
			if len(all) > 0 && len(emptied) == 0 { // a mistake, from which others are to be safe
				if m := all[r.IntN(len(all))].got.Elem(); m.Type() == reflect.TypeFor[map[string]any]() && !m.IsNil() {
					m.SetMapIndex(reflect.ValueOf("written after Reset"), reflect.ValueOf(1))
				}
			}
		}
	}
}

// TestMapsAgainAllocs is that maps which are used again cost no allocations, whatever their types
// and sizes are.
func TestMapsAgainAllocs(t *testing.T) {
	if watched {
		return // nothing is used again
	}
	type named map[string]mapPoint
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `,"%d":{"In":{"a":true}}`, i)
	}
	in300 := []byte(`{"":{}` + b.String() + `}`)
	for _, typ := range []reflect.Type{
		reflect.TypeFor[any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[named](), reflect.TypeFor[map[string]*mapPoint](),
		reflect.TypeFor[map[string]map[string]mapPoint](), reflect.TypeFor[map[string]map[string]map[string]bool](), reflect.TypeFor[map[string]decodesInArena](),
	} {
		var pool arena.Pool
		var group arena.Group
		a := arena.NewArena()
		for name, in := range map[string]func(decode func(a *arena.Arena)){
			"Reset": func(decode func(a *arena.Arena)) { decode(a); a.Reset() },
			"Pool":  pool.Do,
			"Group": func(decode func(a *arena.Arena)) { group.Do(decode); group.Reset() },
		} {
			decode := func() {
				in(func(a *arena.Arena) {
					if err := arenajson.Unmarshal(a, in300, reflect.New(typ).Interface()); err != nil {
						t.Fatal(err)
					}
				})
			}
			for range 3 {
				decode()
			}
			// Where values have methods, what holds them until they are in the map is not used
			// again: some allocations for each doubling.
			if n := testing.AllocsPerRun(100, decode); n > 20 && typ != reflect.TypeFor[map[string]decodesInArena]() || n > 35 {
				t.Errorf("%s, %v: %v allocations for a document with 300 maps", name, typ, n)
			}
		}
	}
}

// A decodesInArena decodes its maps with the arena that is at work.
type decodesInArena struct{ In map[string]any }

func (x *decodesInArena) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &x.In) }
func (x *decodesInArena) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	return arenajson.Unmarshal(a, b, &x.In)
}

// staleMap is what the next UnmarshalJSONArena of a takesStale decodes into.
var staleMap map[string]any

// A takesStale has a map that was decoded before Reset: a mistake, from which others are to be
// safe.
type takesStale struct{ Stale map[string]any }

func (x *takesStale) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &x.Stale) }
func (x *takesStale) UnmarshalJSONArena(a *arena.Arena, b []byte) error {
	x.Stale = staleMap
	return arenajson.Unmarshal(a, b, &x.Stale)
}

// TestMapsAgainNested is that a method which decodes into a stale map has that map for itself.
func TestMapsAgainNested(t *testing.T) {
	if watched {
		return // the mistake is found
	}
	a := arena.NewArena()
	a.Reset()
	var old struct{ M map[string]any }
	for range 2 {
		old.M = nil
		if err := arenajson.Unmarshal(a, []byte(`{"M":{"a":1}}`), &old); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	}
	var v struct {
		T takesStale
		M map[string]any
	}
	staleMap = old.M
	if err := arenajson.Unmarshal(a, []byte(`{"T":{},"M":{"b":2}}`), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.T.Stale) != 0 || len(v.M) != 1 {
		t.Errorf("the maps are %v and %v", v.T.Stale, v.M)
	}
}

// heapAfter returns how many bytes of the heap are alive after f.
func heapAfter(f func()) int64 {
	f()
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMapsAgainGrown is that maps which their owner has made large, and emptied again, do not stay
// for ever.
func TestMapsAgainGrown(t *testing.T) {
	in := []byte(`{"a":{"b":"c"}}`)
	a := arena.NewArena()
	decode := func() (v map[string]map[string]string) {
		if err := arenajson.Unmarshal(a, in, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := heapAfter(func() { decode(); a.Reset() })
	after := heapAfter(func() {
		m := decode()["a"]
		for i := range 200_000 {
			m[fmt.Sprint(i)] = ""
		}
		for k := range m {
			if k != "b" {
				delete(m, k)
			}
		}
		a.Reset()
		for range 300 {
			decode()
			a.Reset()
		}
	})
	if after-before > 1<<20 {
		t.Errorf("%d bytes are kept", after-before)
	}
	runtime.KeepAlive(a)
}

// TestMapsAgainRetain is that a bound for the memory of an arena which nobody uses is one for its
// maps, too.
func TestMapsAgainRetain(t *testing.T) {
	in := []byte("[" + strings.Repeat(`{"a":{}},`, 10_000) + "{}]")
	for _, retain := range []int64{-1, 1 << 20, 0} {
		least, most := int64(-1<<18), max(retain, 0)+1<<18
		if retain == 0 {
			least, most = 3<<20, 12<<20
		}
		if watched {
			least = -1 << 18
		}
		decode := func(a *arena.Arena) {
			for range 2 {
				var v []map[string]map[string]int
				if err := arenajson.Unmarshal(a, in, &v); err != nil {
					t.Fatal(err)
				}
				arena.New[int](a)
			}
		}
		check := func(name string, kept int64) {
			if kept < least || kept > most {
				t.Errorf("%s: %d bytes are kept, where %d is the bound", name, kept, retain)
			}
		}
		pool := arena.Pool{Retain: retain}
		var a *arena.Arena
		before := heapAfter(func() { decode(nil) })
		check("Pool", max(least, heapAfter(func() { // The collector may take what lies in a Pool.
			a = pool.Get()
			decode(a)
			a.Reset()
			decode(a)
			pool.Put(a)
		})-before))
		runtime.KeepAlive(a)
		b := arena.NewWith(arena.Options{Retain: retain})
		a = nil
		before = heapAfter(func() { decode(nil) })
		check("Arena", heapAfter(func() {
			for range 2 {
				decode(b)
				b.Reset()
			}
		})-before)
		runtime.KeepAlive(b)
		g := &arena.Group{Options: arena.Options{Retain: retain}}
		b = nil
		before = heapAfter(func() { decode(nil) })
		check("Group", heapAfter(func() {
			for range 2 {
				g.Do(decode)
				g.Reset()
			}
		})-before)
		runtime.KeepAlive(g)
	}
}

// TestMapsAgainGuarded is that an arena in guard mode uses no map again, and that looking up what a
// stale one has is found.
func TestMapsAgainGuarded(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return // a fault would end the program
	}
	a := arena.NewWith(arena.Options{Guard: true, Report: func(*arena.Report) {}})
	defer a.Free()
	var all [3]map[string]int
	for i := range all {
		if err := arenajson.Unmarshal(a, []byte(`{"a long name of a member":1}`), &all[i]); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for i, m := range all {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("map %d: a key in stale text was found", i)
				}
			}()
			_ = m[strings.Clone("a long name of a member")]
		}()
	}
}
