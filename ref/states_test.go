package ref_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// A spaceCall is a call with a Space, and its results.
type spaceCall struct {
	name    string
	prepare func(s ref.Space) func() any // makes the call
	want    any                          // the result in a Space that can be used
	freed   any                          // in one that was ended between prepare and the call
	zero    any                          // in the zero Space, if that is not want
}

// panics is the result of a call that panics with a text that has this in it.
type panics string

const (
	usedAfterFree = panics("is used after ")
	noMemory      = panics("the zero Space has none")
)

func spaceCalls() []spaceCall {
	do := func(f func(s ref.Space) any) func(ref.Space) func() any {
		return func(s ref.Space) func() any { return func() any { return f(s) } }
	}
	return []spaceCall{
		{name: "List.Len", prepare: do(func(s ref.Space) any { var l ref.List[int]; return l.Len() }), want: 0, freed: 0},
		{name: "List.Get", prepare: do(func(s ref.Space) any { var l ref.List[int]; return l.Get(s) }), want: []int{}, freed: []int{}},
		{name: "List.Append", prepare: do(func(s ref.Space) any { var l ref.List[int16]; l.Append(s, 7, 8); return l.Get(s) }), want: []int16{7, 8}, freed: usedAfterFree, zero: noMemory},
		{name: "List.Grow", prepare: do(func(s ref.Space) any { var l ref.List[int]; l.Grow(s, 7); return l.Len() }), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "List.Grow", prepare: do(func(s ref.Space) any { var l ref.List[int]; l.Grow(s, -1); return nil }), want: panics("negative"), freed: panics("negative")},

		{name: "New", prepare: do(func(s ref.Space) any { r, _ := ref.New[int](s); return r.Get(s) }), want: new(int), freed: usedAfterFree, zero: noMemory},
		{name: "NewSlice", prepare: do(func(s ref.Space) any { r, _ := ref.NewSlice[int16](s, 2); return r.Get(s) }), want: []int16{0, 0}, freed: usedAfterFree, zero: noMemory},
		{name: "NewSlice", prepare: do(func(s ref.Space) any { r, _ := ref.NewSlice[int](s, 0); return r.Get(s) }), want: []int{}, freed: usedAfterFree, zero: noMemory},
		{name: "NewString", prepare: do(func(s ref.Space) any { return ref.NewString(s, "abc").Get(s) }), want: "abc", freed: usedAfterFree, zero: noMemory},
		{name: "Copy", prepare: do(func(s ref.Space) any { var r ref.String; ref.Copy(s, &r, s, &r); return r.Len() }), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "Copy", prepare: do(func(s ref.Space) any {
			r := ref.NewString(s, "abc")
			ref.Copy(s, &r, s, &r)
			return r.Get(s)
		}), want: "abc", freed: usedAfterFree, zero: noMemory},
		{name: "At", prepare: do(func(s ref.Space) any { r, err := ref.At[int](s, 0); return r.IsNil() && err == nil }), want: true, freed: true},
		{name: "SlabOf", prepare: do(func(s ref.Space) any { return ref.SlabOf[int](s) != nil }), want: true, freed: usedAfterFree, zero: noMemory},
		{name: "Of.Get", prepare: do(func(s ref.Space) any { return ref.Of[int]{}.Get(s) == nil }), want: true, freed: true},
		{name: "Slice.Get", prepare: do(func(s ref.Space) any { return ref.Slice[int]{}.Get(s) }), want: []int{}, freed: []int{}},
		{name: "Slice.At", prepare: do(func(s ref.Space) any { r, _ := ref.NewSlice[int](s, 2); return r.At(s, 1) }), want: new(int), freed: usedAfterFree, zero: noMemory},
		{name: "String.Get", prepare: do(func(s ref.Space) any { return ref.String{}.Get(s) }), want: "", freed: ""},

		{name: "Of.Free", prepare: do(func(s ref.Space) any { ref.Of[int]{}.Free(s); return nil }), want: nil, freed: nil},
		{name: "Of.Free", prepare: func(s ref.Space) func() any {
			r, _ := ref.New[int](s)
			return func() any { r.Free(s); return nil }
		}, want: nil, freed: usedAfterFree, zero: noMemory},
		{name: "Slab.New", prepare: func(s ref.Space) func() any {
			slab := ref.SlabOf[int](s)
			return func() any { return slab.New().Get(s) }
		}, want: new(int), freed: usedAfterFree, zero: noMemory},
		{name: "Slab.New", prepare: func(s ref.Space) func() any {
			slab := ref.SlabOf[int32](s)
			slab.New() // there is room for more
			return func() any { return slab.New().Get(s) }
		}, want: new(int32), freed: usedAfterFree, zero: noMemory},
		{name: "Slab.New", prepare: do(func(s ref.Space) any { return new(ref.Slab[int]).New() }), want: panics("SlabOf has not returned"), freed: panics("SlabOf has not returned")},
		{name: "Map.Len", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; return m.Len() }), want: 0, freed: 0},
		{name: "Map.Get", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; _, ok := m.Get(s, 1); return ok }), want: false, freed: usedAfterFree},
		{name: "Map.Get", prepare: do(func(s ref.Space) any {
			var m ref.Map[int, int]
			m.Set(s, 1, 7)
			n, _ := m.Get(s, 1)
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "Map.Lookup", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; return m.Lookup(s, 1) == nil }), want: true, freed: usedAfterFree},
		{name: "Map.Set", prepare: do(func(s ref.Space) any {
			var m ref.Map[int, int]
			m.Set(s, 1, 7)
			return maps.Collect(m.All(s))
		}), want: map[int]int{1: 7}, freed: usedAfterFree, zero: noMemory},
		{name: "Map.Entry", prepare: do(func(s ref.Space) any {
			var m ref.Map[int, int]
			*m.Entry(s, 1) += 7
			return *m.Entry(s, 1)
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "Map.Delete", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; return m.Delete(s, 1) }), want: false, freed: usedAfterFree},
		{name: "Map.Delete", prepare: do(func(s ref.Space) any {
			var m ref.Map[int, int]
			m.Set(s, 1, 7)
			return m.Delete(s, 1)
		}), want: true, freed: usedAfterFree, zero: noMemory},
		{name: "Map.Grow", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; m.Grow(s, 0); return m.Len() }), want: 0, freed: usedAfterFree},
		{name: "Map.Grow", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; m.Grow(s, 100); return m.Len() }), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "Map.Grow", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; m.Grow(s, -1); return nil }), want: panics("negative"), freed: usedAfterFree},
		{name: "Map.Clear", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; m.Clear(s); return m.Len() }), want: 0, freed: usedAfterFree},
		{name: "Map.Clear", prepare: do(func(s ref.Space) any {
			var m ref.Map[int, int]
			m.Set(s, 1, 7)
			m.Clear(s)
			return m.Len()
		}), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "Map.All", prepare: do(func(s ref.Space) any { var m ref.Map[int, int]; return len(maps.Collect(m.All(s))) }), want: 0, freed: usedAfterFree},
		{name: "TextMap.Len", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; return m.Len() }), want: 0, freed: 0},
		{name: "TextMap.Get", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; _, ok := m.Get(s, "a"); return ok }), want: false, freed: usedAfterFree},
		{name: "TextMap.Get", prepare: do(func(s ref.Space) any {
			var m ref.TextMap[int]
			m.Set(s, "a", 7)
			n, _ := m.Get(s, "a")
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "TextMap.Lookup", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; return m.Lookup(s, "a") == nil }), want: true, freed: usedAfterFree},
		{name: "TextMap.Set", prepare: do(func(s ref.Space) any {
			var m ref.TextMap[int]
			m.Set(s, "a", 7)
			return maps.Collect(m.All(s))
		}), want: map[string]int{"a": 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextMap.Entry", prepare: do(func(s ref.Space) any {
			var m ref.TextMap[int]
			*m.Entry(s, "a") += 7
			return *m.Entry(s, "a")
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "TextMap.Delete", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; return m.Delete(s, "a") }), want: false, freed: usedAfterFree},
		{name: "TextMap.Delete", prepare: do(func(s ref.Space) any {
			var m ref.TextMap[int]
			m.Set(s, "a", 7)
			return m.Delete(s, "a")
		}), want: true, freed: usedAfterFree, zero: noMemory},
		{name: "TextMap.Grow", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; m.Grow(s, 0); return m.Len() }), want: 0, freed: usedAfterFree},
		{name: "TextMap.Grow", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; m.Grow(s, 100); return m.Len() }), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "TextMap.Grow", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; m.Grow(s, -1); return nil }), want: panics("negative"), freed: usedAfterFree},
		{name: "TextMap.Clear", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; m.Clear(s); return m.Len() }), want: 0, freed: usedAfterFree},
		{name: "TextMap.Clear", prepare: do(func(s ref.Space) any {
			var m ref.TextMap[int]
			m.Set(s, "a", 7)
			m.Clear(s)
			return m.Len()
		}), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "TextMap.All", prepare: do(func(s ref.Space) any { var m ref.TextMap[int]; return len(maps.Collect(m.All(s))) }), want: 0, freed: usedAfterFree},
		{name: "Tree.Len", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return m.Len() }), want: 0, freed: 0},
		{name: "Tree.Get", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; _, ok := m.Get(s, 1); return ok }), want: false, freed: usedAfterFree},
		{name: "Tree.Get", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			n, _ := m.Get(s, 1)
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Lookup", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return m.Lookup(s, 1) == nil }), want: true, freed: usedAfterFree},
		{name: "Tree.Set", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			return maps.Collect(m.All(s))
		}), want: map[int]int{1: 7}, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Entry", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			*m.Entry(s, 1) += 7
			return *m.Entry(s, 1)
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Delete", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return m.Delete(s, 1) }), want: false, freed: usedAfterFree},
		{name: "Tree.Delete", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			return m.Delete(s, 1)
		}), want: true, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Clear", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; m.Clear(s); return m.Len() }), want: 0, freed: usedAfterFree},
		{name: "Tree.Clear", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			m.Clear(s)
			return m.Len()
		}), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.All", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return len(maps.Collect(m.All(s))) }), want: 0, freed: usedAfterFree},
		{name: "Tree.Min", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; _, _, ok := m.Min(s); return ok }), want: false, freed: usedAfterFree},
		{name: "Tree.Max", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; _, _, ok := m.Max(s); return ok }), want: false, freed: usedAfterFree},
		{name: "Tree.Min", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			_, n, _ := m.Min(s)
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Max", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			_, n, _ := m.Max(s)
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Backward", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return len(maps.Collect(m.Backward(s))) }), want: 0, freed: usedAfterFree},
		{name: "Tree.Backward", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			return maps.Collect(m.Backward(s))
		}), want: map[int]int{1: 7}, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.From", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return len(maps.Collect(m.From(s, 1))) }), want: 0, freed: usedAfterFree},
		{name: "Tree.From", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			return maps.Collect(m.From(s, 1))
		}), want: map[int]int{1: 7}, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.BackwardFrom", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			return len(maps.Collect(m.BackwardFrom(s, 1)))
		}), want: 0, freed: usedAfterFree},
		{name: "Tree.BackwardFrom", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			return maps.Collect(m.BackwardFrom(s, 1))
		}), want: map[int]int{1: 7}, freed: usedAfterFree, zero: noMemory},
		{name: "Tree.Range", prepare: do(func(s ref.Space) any { var m ref.Tree[int, int]; return len(maps.Collect(m.Range(s, 1, 2))) }), want: 0, freed: usedAfterFree},
		{name: "Tree.Range", prepare: do(func(s ref.Space) any {
			var m ref.Tree[int, int]
			m.Set(s, 1, 7)
			return maps.Collect(m.Range(s, 1, 2))
		}), want: map[int]int{1: 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Len", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return m.Len() }), want: 0, freed: 0},
		{name: "TextTree.Get", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; _, ok := m.Get(s, "a"); return ok }), want: false, freed: usedAfterFree},
		{name: "TextTree.Get", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			n, _ := m.Get(s, "a")
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Lookup", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return m.Lookup(s, "a") == nil }), want: true, freed: usedAfterFree},
		{name: "TextTree.Set", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			return maps.Collect(m.All(s))
		}), want: map[string]int{"a": 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Entry", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			*m.Entry(s, "a") += 7
			return *m.Entry(s, "a")
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Delete", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return m.Delete(s, "a") }), want: false, freed: usedAfterFree},
		{name: "TextTree.Delete", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			return m.Delete(s, "a")
		}), want: true, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Clear", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; m.Clear(s); return m.Len() }), want: 0, freed: usedAfterFree},
		{name: "TextTree.Clear", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			m.Clear(s)
			return m.Len()
		}), want: 0, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.All", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return len(maps.Collect(m.All(s))) }), want: 0, freed: usedAfterFree},
		{name: "TextTree.Min", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; _, _, ok := m.Min(s); return ok }), want: false, freed: usedAfterFree},
		{name: "TextTree.Max", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; _, _, ok := m.Max(s); return ok }), want: false, freed: usedAfterFree},
		{name: "TextTree.Min", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			_, n, _ := m.Min(s)
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Max", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			_, n, _ := m.Max(s)
			return n
		}), want: 7, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Backward", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return len(maps.Collect(m.Backward(s))) }), want: 0, freed: usedAfterFree},
		{name: "TextTree.Backward", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			return maps.Collect(m.Backward(s))
		}), want: map[string]int{"a": 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.From", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return len(maps.Collect(m.From(s, "a"))) }), want: 0, freed: usedAfterFree},
		{name: "TextTree.From", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			return maps.Collect(m.From(s, "a"))
		}), want: map[string]int{"a": 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.BackwardFrom", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			return len(maps.Collect(m.BackwardFrom(s, "a")))
		}), want: 0, freed: usedAfterFree},
		{name: "TextTree.BackwardFrom", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			return maps.Collect(m.BackwardFrom(s, "a"))
		}), want: map[string]int{"a": 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Prefix", prepare: do(func(s ref.Space) any { var m ref.TextTree[int]; return len(maps.Collect(m.Prefix(s, "a"))) }), want: 0, freed: usedAfterFree},
		{name: "TextTree.Prefix", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "ab", 7)
			m.Set(s, "b", 8)
			return maps.Collect(m.Prefix(s, "a"))
		}), want: map[string]int{"ab": 7}, freed: usedAfterFree, zero: noMemory},
		{name: "TextTree.Range", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			return len(maps.Collect(m.Range(s, "a", "b")))
		}), want: 0, freed: usedAfterFree},
		{name: "TextTree.Range", prepare: do(func(s ref.Space) any {
			var m ref.TextTree[int]
			m.Set(s, "a", 7)
			return maps.Collect(m.Range(s, "a", "b"))
		}), want: map[string]int{"a": 7}, freed: usedAfterFree, zero: noMemory},
	}
}

// TestSpaceStates makes each call of the package in Spaces of all states: empty, Reset, ended in
// each way, and zero.
func TestSpaceStates(t *testing.T) {
	var pool arena.Pool
	same := func(got, want any) bool {
		if want, ok := want.(panics); ok {
			got, ok := got.(panics)
			return ok && ref.Ours(string(got)) && strings.Contains(string(got), string(want))
		}
		return reflect.DeepEqual(got, want)
	}
	result := func(f func() any) (r any) {
		defer func() {
			if v := recover(); v != nil {
				r = v
				if err, ok := v.(error); ok {
					r = panics(err.Error())
				} else if text, ok := v.(string); ok {
					r = panics(text)
				}
			}
		}()
		return f()
	}
	used := func() *arena.Arena {
		a := arena.NewArena()
		for range 3 {
			ref.NewString(ref.In(a), strings.Repeat("\xff", 5000))
			ref.New[[9]int](ref.In(a))
			a.Reset()
		}
		return a
	}
	names := map[string]bool{}
	for _, c := range spaceCalls() {
		names[c.name] = true
		check := func(state string, got, want any) {
			t.Helper()
			if !same(got, want) {
				t.Errorf("%s in a Space that is %s: %#v, not %#v", c.name, state, got, want)
			}
		}
		check("new", result(c.prepare(ref.In(arena.NewArena()))), c.want)
		check("used", result(c.prepare(ref.In(used()))), c.want)
		check("guarded", result(c.prepare(ref.In(arena.NewWith(arena.Options{Guard: true})))), c.want)
		zero := c.want
		if c.zero != nil {
			zero = c.zero
		}
		check("zero", result(func() any { return c.prepare(ref.Space{})() }), zero)
		g := arena.NewGroup()
		for state, end := range map[string]struct {
			a   *arena.Arena
			end func(a *arena.Arena)
		}{
			"freed": {arena.NewArena(), (*arena.Arena).Free}, "put": {pool.Get(), pool.Put}, "ended": {g.Arena(), func(*arena.Arena) { g.Reset() }},
		} {
			f := c.prepare(ref.In(end.a))
			end.end(end.a)
			check(state, result(f), c.freed)
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[*ref.Of[int]](), reflect.TypeFor[*ref.Slice[int]](), reflect.TypeFor[*ref.String](), reflect.TypeFor[*ref.List[int]](), reflect.TypeFor[*ref.Slab[int]](),
		reflect.TypeFor[*ref.Map[int, int]](), reflect.TypeFor[*ref.TextMap[int]](), reflect.TypeFor[*ref.Tree[int, int]](), reflect.TypeFor[*ref.TextTree[int]](),
	} {
		for i := range typ.NumMethod() {
			name, _, _ := strings.Cut(typ.Elem().Name(), "[")
			name += "." + typ.Method(i).Name
			switch typ.Method(i).Name {
			case "MarshalText", "UnmarshalText", "IsNil", "Offset", "Len", "Truncate", "Check":
				continue // they are not given a Space
			}
			if !names[name] {
				t.Errorf("%s is not tried", name)
			}
		}
	}
}

// A panicky Memory panics in Free as often as its field says.
type panicky struct{ panics int }

func (m *panicky) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }

func (m *panicky) Free([]byte) {
	if m.panics > 0 {
		m.panics--
		panic("a Memory that panics")
	}
}

// TestMemoryPanicsAtReset has a Reset give chunks back, and the Memory panic at that. The arena
// goes on with the chunk that it has kept.
func TestMemoryPanicsAtReset(t *testing.T) {
	for _, values := range []int{2, 100} { // with 2 there are slots left in the first chunk
		for panics := range 4 {
			m := &panicky{}
			a := arena.NewWith(arena.Options{Memory: m})
			s := ref.In(a)
			for range 3 {
				var all []ref.Of[int64]
				for i := range values {
					r, p := ref.New[int64](s)
					if *p != 0 {
						t.Fatalf("%d panics: a new value is %d", panics, *p)
					}
					*p = int64(i)
					all = append(all, r)
				}
				for i := range values {
					ref.NewSlice[int32](s, 1000*i)
				}
				for i, r := range all {
					if v := *r.Get(s); v != int64(i) {
						t.Fatalf("%d panics: value %d is %d", panics, i, v)
					}
				}
				m.panics = panics
				func() {
					defer func() { recover() }()
					a.Reset()
				}()
				m.panics = 0
			}
			a.Free()
			if s := a.Stats(); s.InUse != 0 || s.Reserved != 0 {
				t.Errorf("%d panics: %+v", panics, s)
			}
		}
	}
}
