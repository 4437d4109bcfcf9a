package model_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/share"
	"github.com/arena-go/arena/internal/testrun"
)

// A call is a function or method of the package, called in every state that an
// arena can be in.
type call struct {
	name string
	// prepare takes what the call needs, such as a handle, from an arena that
	// is open, and returns the call.
	prepare func(a *arena.Arena) func() any

	want   any  // the result of the call, in each state but these:
	freed  any  // in a freed arena; panics represents the panic
	onHeap any  // with a nil arena, if that is not want
	closed any  // in an arena that is in a Pool, or whose Group was Reset, if that is not what freed says
	stale  any  // after a Reset since prepare, if that is not want
	none   bool // it needs no memory, so that a limit does not matter
}

// panics is the result of a call that panics, with a string that begins with "arena: ".
type panics string

const (
	usedAfterFree  = panics("used after Free")
	usedAfterReset = panics("was Reset")
	usedAfterPut   = panics("used after Pool.Put")
	usedAfterRound = panics("used after the Reset of its Group")
)

func calls() []call {
	// do makes a call of a function that is given the arena, and nothing else.
	do := func(f func(a *arena.Arena) any) func(*arena.Arena) func() any {
		return func(a *arena.Arena) func() any { return func() any { return f(a) } }
	}
	// build makes a call of a method of a Builder of the arena.
	build := func(f func(b *arena.Builder) any) func(*arena.Arena) func() any {
		return func(a *arena.Arena) func() any {
			b := arena.NewBuilder(a)
			return func() any { return f(b) }
		}
	}
	str := func(f func(b *arena.Builder)) func(*arena.Arena) func() any {
		return build(func(b *arena.Builder) any { f(b); return b.String() })
	}
	// inMap makes a call of a method of a Map in the arena.
	inMap := func(f func(m *arena.Map[string, int]) any) func(*arena.Arena) func() any {
		return func(a *arena.Arena) func() any {
			m := arena.NewMap[string, int](a, 0)
			return func() any { return f(m) }
		}
	}
	seven, words := 7, []string{"a", "b"}
	return []call{
		{name: "Arena.Free", prepare: do(func(a *arena.Arena) any { a.Free(); return nil }), closed: panics("used after"), none: true},
		{name: "Arena.Reset", prepare: do(func(a *arena.Arena) any { a.Reset(); return nil }), freed: usedAfterFree, none: true},
		{name: "Arena.Mark", prepare: do(func(a *arena.Arena) any { a.Mark(); return nil }), freed: usedAfterFree, none: true},
		{name: "Arena.Rewind", prepare: do(func(a *arena.Arena) any { a.Rewind(a.Mark()); return nil }), freed: usedAfterFree, none: true},
		{name: "Arena.Stats", prepare: do(func(a *arena.Arena) any { return a.Stats().Freed }), want: false, freed: true, closed: false, none: true},

		{name: "New", prepare: do(func(a *arena.Arena) any { return arena.New[int](a) }), want: new(int), freed: usedAfterFree},
		{name: "New", prepare: do(func(a *arena.Arena) any { return arena.New[error](a) }), want: new(error), freed: usedAfterFree},
		{name: "New", prepare: do(func(a *arena.Arena) any { return arena.New[struct{}](a) }), want: new(struct{}), freed: usedAfterFree, none: true},
		{name: "Ptr", prepare: do(func(a *arena.Arena) any { return arena.Ptr(a, 7) }), want: &seven, freed: usedAfterFree},
		{name: "NewValue", prepare: do(func(a *arena.Arena) any { return arena.NewValue(a, reflect.TypeFor[int]()).Interface() }), want: new(int), freed: usedAfterFree},
		{name: "NewValue", prepare: do(func(a *arena.Arena) any { return arena.NewValue(a, reflect.TypeFor[[]int]()).Interface() }), want: new([]int), freed: usedAfterFree},
		{name: "SlabOf", prepare: do(func(a *arena.Arena) any { return arena.SlabOf[int](a) != nil }), want: true, freed: usedAfterFree, none: true},
		{name: "arenakit.Local", prepare: do(func(a *arena.Arena) any { v, first := arenakit.Local[int](a); *v++; return first }), want: true, freed: usedAfterFree, none: true},
		{name: "arenakit.SlabOf", prepare: do(func(a *arena.Arena) any { return arenakit.SlabOf(a, reflect.TypeFor[int]()) != arenakit.Slab{} }), want: true, freed: usedAfterFree, none: true},
		{name: "arenakit.Slab.For", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[int]())
			return func() any { _, ok := s.For(a); return ok }
		}, want: true, onHeap: false, freed: usedAfterFree, none: true},
		{name: "arenakit.Slab.New", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[int]())
			return func() any { return (*int)(s.New()) }
		}, want: new(int), freed: usedAfterFree},
		{name: "arenakit.Slab.New", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[error]())
			s.New() // there is room for more
			return func() any { return (*error)(s.New()) }
		}, want: new(error), freed: usedAfterFree},
		{name: "arenakit.Slab.Expect", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[error]())
			return func() any { s.Expect(10); return nil }
		}, freed: usedAfterFree, none: true},
		{name: "arenakit.Slab.Slice", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[error]())
			return func() any { return (*[3]error)(s.Slice(3)) }
		}, want: new([3]error), freed: usedAfterFree},
		{name: "arenakit.Slab.Extend", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[error]())
			return func() any { return s.Extend(nil, 1, 1) } // of a slice that is not from the slab
		}, want: false, freed: false, none: true},
		{name: "arenakit.Slab.Shrink", prepare: func(a *arena.Arena) func() any {
			s := arenakit.SlabOf(a, reflect.TypeFor[error]())
			return func() any { s.Shrink(nil, 2, 1); return nil }
		}, none: true},
		{name: "Slab.New", prepare: func(a *arena.Arena) func() any {
			s := arena.SlabOf[int](a)
			return func() any { return s.New() }
		}, want: new(int), freed: usedAfterFree},
		{name: "Slab.New", prepare: func(a *arena.Arena) func() any {
			s := arena.SlabOf[string](a)
			s.New()
			return func() any { return s.New() }
		}, want: new(string), freed: usedAfterFree},

		{name: "MakeSlice", prepare: do(func(a *arena.Arena) any { return arena.MakeSlice[int](a, 1, 3) }), want: []int{0}, freed: usedAfterFree},
		{name: "MakeSlice", prepare: do(func(a *arena.Arena) any { return arena.MakeSlice[any](a, 1, 3) }), want: []any{nil}, freed: usedAfterFree},
		{name: "MakeSlice", prepare: do(func(a *arena.Arena) any { return arena.MakeSlice[int](a, 0, 0) }), want: []int{}, freed: usedAfterFree, none: true},
		{name: "MakeSlice", prepare: do(func(a *arena.Arena) any { return arena.MakeSlice[struct{}](a, 2, 2) }), want: make([]struct{}, 2), freed: usedAfterFree, none: true},
		{name: "MakeMap", prepare: do(func(a *arena.Arena) any { return arena.MakeMap[map[string]int](a, 3) }), want: map[string]int{}, freed: usedAfterFree, none: true},
		{name: "MakeSliceAligned", prepare: do(func(a *arena.Arena) any { return arena.MakeSliceAligned[int](a, 1, 3, 64) }), want: []int{0}, freed: usedAfterFree, onHeap: panics("nil")},
		{name: "MakeSliceAligned", prepare: do(func(a *arena.Arena) any { return arena.MakeSliceAligned[bool](a, 1, 1, 64) }), want: panics("use MakeSlice"), freed: usedAfterFree, onHeap: panics("nil"), none: true},
		{name: "MakeSliceAligned", prepare: do(func(a *arena.Arena) any { return arena.MakeSliceAligned[any](a, 0, 0, 64) }), want: panics("interface {}"), freed: usedAfterFree, onHeap: panics("nil"), none: true},
		{name: "MakeSliceValue", prepare: do(func(a *arena.Arena) any {
			return arena.MakeSliceValue(a, reflect.TypeFor[[]int](), 1, 3).Interface()
		}), want: []int{0}, freed: usedAfterFree},
		{name: "MakeSliceValue", prepare: do(func(a *arena.Arena) any {
			return arena.MakeSliceValue(a, reflect.TypeFor[[]any](), 1, 3).Interface()
		}), want: []any{nil}, freed: usedAfterFree},
		{name: "MakeSliceValue", prepare: do(func(a *arena.Arena) any {
			return arena.MakeSliceValue(a, reflect.TypeFor[[]any](), 0, 0).Interface()
		}), want: []any{}, freed: usedAfterFree, none: true},
		{name: "SliceOf", prepare: do(func(a *arena.Arena) any { return arena.SliceOf(a, words...) }), want: words, freed: usedAfterFree},
		{name: "SliceOf", prepare: do(func(a *arena.Arena) any { return arena.SliceOf[int](a) }), want: []int{}, freed: usedAfterFree, none: true},
		{name: "Append", prepare: do(func(a *arena.Arena) any { return arena.Append(a, words[:1:1], "b") }), want: words, freed: usedAfterFree},
		{name: "Append", prepare: do(func(a *arena.Arena) any { return arena.Append(a, []int(nil), 7) }), want: []int{7}, freed: usedAfterFree},
		{name: "Append", prepare: do(func(a *arena.Arena) any { return arena.Append(a, words[:1], "b") }), want: words, freed: words, none: true},
		{name: "Append", prepare: do(func(a *arena.Arena) any { return arena.Append(a, []int(nil)) }), want: []int(nil), freed: []int(nil), none: true},
		{name: "Append", prepare: do(func(a *arena.Arena) any { return arena.Append(a, []struct{}(nil), struct{}{}) }), want: make([]struct{}, 1), freed: usedAfterFree, none: true},

		{name: "String", prepare: do(func(a *arena.Arena) any { return arena.String(a, "abc") }), want: "abc", freed: usedAfterFree},
		{name: "String", prepare: do(func(a *arena.Arena) any { return arena.String(a, "") }), want: "", freed: usedAfterFree, none: true},
		{name: "Bytes", prepare: do(func(a *arena.Arena) any { return arena.Bytes(a, []byte("abc")) }), want: []byte("abc"), freed: usedAfterFree},
		{name: "Bytes", prepare: do(func(a *arena.Arena) any { return arena.Bytes(a, []byte(nil)) }), want: []byte(nil), freed: usedAfterFree, none: true},
		{name: "Bytes", prepare: do(func(a *arena.Arena) any { return arena.Bytes(a, []byte{}) }), want: []byte{}, freed: usedAfterFree, none: true},
		{name: "String", prepare: do(func(a *arena.Arena) any { return arena.String(a, []byte("abc")) }), want: "abc", freed: usedAfterFree},
		{name: "String", prepare: do(func(a *arena.Arena) any { return arena.String(a, []byte(nil)) }), want: "", freed: usedAfterFree, none: true},
		{name: "Bytes", prepare: do(func(a *arena.Arena) any { return arena.Bytes(a, "abc") }), want: []byte("abc"), freed: usedAfterFree},
		{name: "Bytes", prepare: do(func(a *arena.Arena) any { return arena.Bytes(a, "") }), want: []byte{}, freed: usedAfterFree, none: true},
		{name: "ReadAll", prepare: do(func(a *arena.Arena) any { b, _ := arena.ReadAll(a, strings.NewReader("abc")); return b }), want: []byte("abc"), freed: usedAfterFree},
		{name: "ReadAllLimit", prepare: do(func(a *arena.Arena) any { b, _ := arena.ReadAllLimit(a, strings.NewReader("abc"), 2); return b }), want: []byte("ab"), freed: usedAfterFree},
		{name: "ReadAllLimit", prepare: do(func(a *arena.Arena) any { b, _ := arena.ReadAllLimit(a, nil, -1); return b }), want: panics("negative"), freed: panics("negative"), none: true},

		{name: "Grow", prepare: do(func(a *arena.Arena) any { return cap(arena.Grow(a, words[:1:1], 7)) > 7 }), want: true, freed: usedAfterFree},
		{name: "Grow", prepare: do(func(a *arena.Arena) any { return arena.Grow(a, words, 0) }), want: words, freed: words, none: true},
		{name: "Collect", prepare: do(func(a *arena.Arena) any { return arena.Collect(a, slices.Values(words)) }), want: words, freed: usedAfterFree},
		{name: "Collect", prepare: do(func(a *arena.Arena) any { return arena.Collect(a, slices.Values(words[:0])) }), want: []string(nil), freed: []string(nil), none: true},
		{name: "Push", prepare: do(func(a *arena.Arena) any { return arena.Push(a, words[:1:1], "b") }), want: words, freed: usedAfterFree},
		{name: "Push", prepare: do(func(a *arena.Arena) any { return arena.Push(a, []int(nil), 7) }), want: []int{7}, freed: usedAfterFree},
		{name: "Push", prepare: do(func(a *arena.Arena) any { return arena.Push(a, words[:1], "b") }), want: words, freed: words, none: true},
		{name: "Push", prepare: do(func(a *arena.Arena) any { return arena.Push(a, []struct{}(nil), struct{}{}) }), want: make([]struct{}, 1), freed: usedAfterFree, none: true},
		{name: "AppendSeq", prepare: do(func(a *arena.Arena) any { return arena.AppendSeq(a, words[:1:1], slices.Values(words[1:])) }), want: words, freed: usedAfterFree},
		{name: "CollectMap", prepare: do(func(a *arena.Arena) any { return maps.Collect(arena.CollectMap(a, slices.All(words)).All()) }), want: map[int]string{0: "a", 1: "b"}, freed: usedAfterFree},
		{name: "SortedKeys", prepare: func(a *arena.Arena) func() any {
			m := arena.NewMap[string, int](nil, 0)
			m.Set("b", 1)
			m.Set("a", 2)
			return func() any { return arena.SortedKeys(a, m) }
		}, want: words, freed: usedAfterFree},
		{name: "Box", prepare: do(func(a *arena.Arena) any { return arena.Box(a, 1000) }), want: 1000, freed: usedAfterFree},
		{name: "Box", prepare: do(func(a *arena.Arena) any { return arena.Box(a, 7) }), want: 7, freed: 7, none: true},
		{name: "Arena.Internal", prepare: do(func(a *arena.Arena) any { s := share.SpaceOf(a.Internal()); return share.SpaceOf(a.Internal()) == s }), want: true, freed: usedAfterFree, none: true},
		{name: "Arena.Limit", prepare: do(func(a *arena.Arena) any { return a.Limit() >= 0 }), want: true, freed: true, none: true},
		{name: "Arena.Internal", prepare: do(func(a *arena.Arena) any { return share.IsOpen(a.Internal()) }), want: true, freed: false, closed: false, none: true},

		{name: "Concat", prepare: do(func(a *arena.Arena) any { return arena.Concat(a, "a", "", "b") }), want: "ab", freed: usedAfterFree},
		{name: "Concat", prepare: do(func(a *arena.Arena) any { return arena.Concat(a) }), want: "", freed: usedAfterFree, none: true},
		{name: "Join", prepare: do(func(a *arena.Arena) any { return arena.Join(a, words, ", ") }), want: "a, b", freed: usedAfterFree},
		{name: "Join", prepare: do(func(a *arena.Arena) any { return arena.Join(a, nil, ", ") }), want: "", freed: usedAfterFree, none: true},
		{name: "Sprintf", prepare: do(func(a *arena.Arena) any { return arena.Sprintf(a, "%04d", 7) }), want: "0007", freed: usedAfterFree},
		{name: "Sprintf", prepare: do(func(a *arena.Arena) any { return arena.Sprintf(a, "") }), want: "", freed: usedAfterFree, none: true},

		{name: "NewContext", prepare: do(func(a *arena.Arena) any {
			return arena.FromContext(arena.NewContext(context.Background(), a)) == a
		}), want: true, freed: true, none: true},

		{name: "NewMap", prepare: do(func(a *arena.Arena) any { return arena.NewMap[string, int](a, 0).Len() }), want: 0, freed: usedAfterFree},
		{name: "NewMap", prepare: do(func(a *arena.Arena) any { return arena.NewMap[string, int](a, 100).Len() }), want: 0, freed: usedAfterFree},
		{name: "NewMap", prepare: do(func(a *arena.Arena) any { return arena.NewMap[string, int](a, -1) }), want: panics("negative"), freed: panics("negative"), none: true},
		{name: "Map.Len", prepare: inMap(func(m *arena.Map[string, int]) any { return m.Len() }), want: 0, freed: 0},
		{name: "Map.Get", prepare: inMap(func(m *arena.Map[string, int]) any { _, ok := m.Get("a"); return ok }), want: false, freed: false},
		{name: "Map.Lookup", prepare: inMap(func(m *arena.Map[string, int]) any { return m.Lookup("a") }), want: (*int)(nil), freed: (*int)(nil)},
		{name: "Map.Entry", prepare: inMap(func(m *arena.Map[string, int]) any { *m.Entry("a") += 7; return *m.Entry("a") }), want: 7, freed: usedAfterFree, stale: usedAfterReset},
		{name: "Map.Set", prepare: inMap(func(m *arena.Map[string, int]) any { m.Set("a", 7); return maps.Collect(m.All()) }), want: map[string]int{"a": 7}, freed: usedAfterFree, stale: usedAfterReset},
		{name: "Map.Delete", prepare: inMap(func(m *arena.Map[string, int]) any { return m.Delete("a") }), want: false, freed: false},
		{name: "Map.Clear", prepare: inMap(func(m *arena.Map[string, int]) any { m.Clear(); return nil })},
		{name: "Map.All", prepare: inMap(func(m *arena.Map[string, int]) any { return len(maps.Collect(m.All())) }), want: 0, freed: 0},
		{name: "Map.Keys", prepare: inMap(func(m *arena.Map[string, int]) any { return len(slices.Collect(m.Keys())) }), want: 0, freed: 0},
		{name: "Map.Values", prepare: inMap(func(m *arena.Map[string, int]) any { return len(slices.Collect(m.Values())) }), want: 0, freed: 0},

		{name: "Map.Has", prepare: inMap(func(m *arena.Map[string, int]) any { return m.Has("a") }), want: false, freed: false},
		{name: "Map.Insert", prepare: inMap(func(m *arena.Map[string, int]) any { m.Insert(maps.All(map[string]int{"a": 7})); return m.Len() }), want: 1, freed: usedAfterFree, stale: usedAfterReset},
		{name: "LookupText", prepare: inMap(func(m *arena.Map[string, int]) any { return arena.LookupText(m, []byte("a")) == nil }), want: true, freed: true},

		{name: "Map.MarshalJSON", prepare: inMap(func(m *arena.Map[string, int]) any { b, _ := m.MarshalJSON(); return string(b) }), want: "{}", freed: "{}"},
		{name: "Map.UnmarshalJSON", prepare: inMap(func(m *arena.Map[string, int]) any {
			err := m.UnmarshalJSON([]byte(`{"a": 7}`))
			return []any{m.Len(), err != nil}
		}), want: []any{1, false}, freed: usedAfterFree, stale: []any{1, false}},
		{name: "Map.CopyFrom", prepare: inMap(func(m *arena.Map[string, int]) any { m.CopyFrom(nil, &map[string]int{"a": 7}); return m.Len() }), want: 1, freed: usedAfterFree, stale: 1},
		{name: "Map.CopyTo", prepare: inMap(func(m *arena.Map[string, int]) any {
			entries := map[string]int{}
			m.CopyTo(&entries)
			return len(entries)
		}), want: 0, freed: 0},
		{name: "Map.MarshalText", prepare: inMap(func(m *arena.Map[string, int]) any { _, err := m.MarshalText(); return err != nil }), want: true, freed: true},
		{name: "Map.UnmarshalText", prepare: inMap(func(m *arena.Map[string, int]) any { return m.UnmarshalText(nil) != nil }), want: true, freed: true},
		{name: "Map.Format", prepare: inMap(func(m *arena.Map[string, int]) any { return fmt.Sprintf("%v %#v", m, m) }), want: "map[] map[string]int{}", freed: "map[] map[string]int{}"},

		{name: "NewBuilder", prepare: do(func(a *arena.Arena) any { return arena.NewBuilder(a).String() }), want: "", freed: usedAfterFree},
		{name: "Builder.String", prepare: str(func(b *arena.Builder) {}), want: "", freed: ""},
		{name: "Builder.MarshalText", prepare: build(func(b *arena.Builder) any { t, err := b.MarshalText(); return []any{len(t), err} }), want: []any{0, nil}, freed: []any{0, nil}},
		{name: "Builder.UnmarshalText", prepare: str(func(b *arena.Builder) { b.UnmarshalText([]byte("abc")) }), want: "abc", freed: usedAfterFree},
		{name: "Builder.Bytes", prepare: build(func(b *arena.Builder) any { return len(b.Bytes()) }), want: 0, freed: 0},
		{name: "Builder.Len", prepare: build(func(b *arena.Builder) any { return b.Len() }), want: 0, freed: 0},
		{name: "Builder.Cap", prepare: build(func(b *arena.Builder) any { return b.Cap() }), want: 0, freed: 0},
		{name: "Builder.Available", prepare: build(func(b *arena.Builder) any { return b.Available() }), want: 0, freed: 0},
		{name: "Builder.AvailableBuffer", prepare: build(func(b *arena.Builder) any { return len(b.AvailableBuffer()) }), want: 0, freed: 0},
		{name: "Builder.Truncate", prepare: str(func(b *arena.Builder) { b.Truncate(0) }), want: "", freed: ""},
		{name: "Builder.Truncate", prepare: str(func(b *arena.Builder) { b.Truncate(1) }), want: panics("are to stay"), freed: panics("are to stay")},
		{name: "Builder.ReadFrom", prepare: str(func(b *arena.Builder) { b.ReadFrom(strings.NewReader("abc")) }), want: "abc", freed: usedAfterFree},
		{name: "Builder.WriteJSONString", prepare: str(func(b *arena.Builder) { b.WriteJSONString("a\x00") }), want: `"a\u0000"`, freed: usedAfterFree},
		{name: "Builder.Reset", prepare: str(func(b *arena.Builder) { b.Reset() }), want: "", freed: ""},
		{name: "Builder.Grow", prepare: build(func(b *arena.Builder) any { b.Grow(100); return b.Cap()-b.Len() >= 100 }), want: true, freed: usedAfterFree},
		{name: "Builder.Grow", prepare: build(func(b *arena.Builder) any { b.Grow(0); return b.Cap() }), want: 0, freed: 0},
		{name: "Builder.Grow", prepare: build(func(b *arena.Builder) any { b.Grow(-1); return nil }), want: panics("negative"), freed: panics("negative")},
		{name: "Builder.Write", prepare: str(func(b *arena.Builder) { b.Write([]byte("abc")) }), want: "abc", freed: usedAfterFree},
		{name: "Builder.WriteString", prepare: str(func(b *arena.Builder) { b.WriteString("abc") }), want: "abc", freed: usedAfterFree},
		{name: "Builder.WriteString", prepare: str(func(b *arena.Builder) { b.WriteString("") }), want: "", freed: ""},
		{name: "Builder.WriteByte", prepare: str(func(b *arena.Builder) { b.WriteByte('a') }), want: "a", freed: usedAfterFree},
		{name: "Builder.WriteRune", prepare: str(func(b *arena.Builder) { b.WriteRune('世') }), want: "世", freed: usedAfterFree},
		{name: "Builder.WriteInt", prepare: str(func(b *arena.Builder) { b.WriteInt(math.MinInt64, 2) }), want: "-1" + strings.Repeat("0", 63), freed: usedAfterFree},
		{name: "Builder.WriteUint", prepare: str(func(b *arena.Builder) { b.WriteUint(math.MaxUint64, 16) }), want: "ffffffffffffffff", freed: usedAfterFree},
		{name: "Builder.WriteFloat", prepare: str(func(b *arena.Builder) { b.WriteFloat(1.5, 'g', -1, 64) }), want: "1.5", freed: usedAfterFree},
		{name: "Builder.WriteBool", prepare: str(func(b *arena.Builder) { b.WriteBool(true) }), want: "true", freed: usedAfterFree},
		{name: "Builder.WriteQuote", prepare: str(func(b *arena.Builder) { b.WriteQuote("a\x00") }), want: `"a\x00"`, freed: usedAfterFree},
		{name: "Builder.Printf", prepare: str(func(b *arena.Builder) { b.Printf("%d%%", 7) }), want: "7%", freed: usedAfterFree},
		{name: "Builder.WriteString", prepare: func(a *arena.Arena) func() any {
			b := arena.NewBuilder(a)
			b.Grow(10)
			return func() any { b.WriteString("room"); return b.String()[:4] }
		}, want: "room", freed: "room"},
	}
}

// TestStates proves that each function and method does what its comment says in each state of an
// arena: with a nil one what the heap does, the same in a zero one, one in use, and after Reset; in
// a freed one it panics, or does what the comment of Arena allows, and so it does in one that is in
// a Pool, and in one whose Group was Reset. In guard mode all is the same, but that what is stale
// may be a fault. A stale Builder is an empty one.
func TestStates(t *testing.T) {
	use := func(a *arena.Arena) *arena.Arena {
		arena.New[int](a)
		arena.MakeSlice[string](a, 100, 100)
		arena.SliceOf(a, 1, 2, 3)
		arena.String(a, "abc")
		arena.NewValue(a, reflect.TypeFor[[]int]())
		arena.NewBuilder(a)
		return a
	}
	for i, c := range calls() {
		check := func(state string, want any, f func() any) {
			t.Helper()
			if got := result(f); !sameResult(got, want) {
				t.Errorf("call %d, %s, arena %s: got %#v, want %#v", i, c.name, state, got, want)
			}
		}
		want := c.want
		if c.onHeap != nil {
			want = c.onHeap
		}
		check("nil", want, func() any { return c.prepare(nil)() })
		check("zero", c.want, c.prepare(new(arena.Arena)))
		check("made", c.want, c.prepare(arena.NewArena()))
		check("used", c.want, c.prepare(use(new(arena.Arena))))

		a := new(arena.Arena)
		do := c.prepare(a)
		a.Reset()
		stale := c.want
		if c.stale != nil {
			stale = c.stale
		}
		check("reset, handle first", stale, do)
		a = use(new(arena.Arena))
		do = c.prepare(a)
		a.Reset()
		check("reset", stale, do)
		a = use(new(arena.Arena))
		a.Reset()
		a.Reset()
		do = c.prepare(use(a))
		a.Reset()
		check("used, reset", stale, do)

		for _, a := range []*arena.Arena{new(arena.Arena), use(new(arena.Arena)), a} {
			do := c.prepare(a)
			a.Free()
			check("freed", c.freed, do)
			a.Free() // does nothing
			if s := a.Stats(); !s.Freed || s.InUse != 0 || s.Reserved != 0 || s.Chunks != 0 || s.Types != nil {
				t.Errorf("%s: Stats of a freed arena: %+v", c.name, s)
			}
			use(new(arena.Arena)) // takes over what the freed one left
			check("freed and recycled", c.freed, do)
		}

		// What is in the arena is stale when that is closed by a Reset; all else notes that it is
		// closed.
		inside := strings.HasPrefix(c.name, "Builder.") || strings.HasPrefix(c.name, "Map.") || c.name == "LookupText"
		closed := func(why panics) any {
			switch {
			case inside:
				return stale
			case c.closed != nil:
				return c.closed
			case c.freed == any(usedAfterFree):
				return why
			}
			return c.freed
		}
		for _, use := range []func(*arena.Arena) *arena.Arena{func(a *arena.Arena) *arena.Arena { return a }, use} {
			var p arena.Pool
			a = use(p.Get())
			do = c.prepare(a)
			p.Put(a)
			check("pooled", closed(usedAfterPut), do)
			g := arena.NewGroup()
			a = use(g.Arena())
			do = c.prepare(a)
			g.Reset()
			check("of a Group that was Reset", closed(usedAfterRound), do)
			do = c.prepare(g.Arena())
			g.Free()
			check("of a Group that was freed", c.freed, do)
		}

		guarded := func() *arena.Arena { return use(arena.NewWith(arena.Options{Guard: true})) }
		watched := func(state string, want any, f func() any) {
			t.Helper()
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			got := result(f)
			if _, fault := got.(runtime.Error); !sameResult(got, want) && !(fault && inside) {
				t.Errorf("call %d, %s, guarded arena %s: got %#v, want %#v", i, c.name, state, got, want)
			}
		}
		watched("used", c.want, c.prepare(guarded()))
		a = guarded()
		do = c.prepare(a)
		a.Reset()
		watched("reset", stale, do)
		a = guarded()
		a.Reset()
		watched("reset, handle after", c.want, c.prepare(a))
		a = guarded()
		do = c.prepare(a)
		a.Free()
		watched("freed", c.freed, do)

		// An arena at its limit: the call panics with a *LimitError, and nothing changes.
		a = arena.NewWith(arena.Options{Limit: 1})
		for range 2 {
			before := a.Stats()
			switch got := result(func() any { return c.prepare(a)() }).(type) {
			case *arena.LimitError:
				after := a.Stats()
				if before.LimitHits++; c.none || !errors.Is(got, arena.ErrLimit) || !reflect.DeepEqual(before, after) {
					t.Errorf("call %d, %s, arena at its limit: %v; Stats %+v, then %+v", i, c.name, got, before, after)
				}
			default:
				if !c.none {
					t.Errorf("call %d, %s, arena at its limit: got %#v, want a *LimitError", i, c.name, got)
				}
			}
		}
	}
}

// triedElsewhere are the functions and methods that are given an arena, or have one, but are no
// calls that can be made in each of its states, with the reason.
var triedElsewhere = map[string]string{
	"NewArena": "it makes the arena", "NewWith": "it makes the arena", "NewGroup": "it has no arena yet", "FromContext": "NewContext is tried",
	"Do": "it makes the arena", "Pool.Do": "it makes the arena", "Group.Do": "it makes the arena", "Group.Go": "it makes the arena",
	"Pool.Get": "pool_test.go has a model of the states", "Pool.Put": "as Pool.Get", "Pool.Drop": "as Pool.Get", "Pool.Stats": "as Pool.Get",
	"Group.Arena": "group_test.go has a model of the states", "Group.Reset": "as Group.Arena", "Group.Free": "as Group.Arena",
	"Group.Wait": "as Group.Arena", "Group.Stats": "as Group.Arena",
	"Group.NewContext": "as Group.Arena", "SetDoPool": "it has a Pool, and no arena yet",
	"Map.MarshalJSONTo": "only Go 1.27 has it; encoding_v2_test.go", "Map.UnmarshalJSONFrom": "only Go 1.27 has it; encoding_v2_test.go",
}

// TestStatesComplete proves that TestStates knows all functions and methods
// that are given an arena, or have one.
func TestStatesComplete(t *testing.T) {
	known, kit := map[string]bool{}, map[string]bool{}
	for _, c := range calls() {
		if name, ok := strings.CutPrefix(c.name, "arenakit."); ok {
			kit[name] = true
		} else {
			known[c.name] = true
		}
	}
	for name := range triedElsewhere {
		if known[name] {
			t.Errorf("%s is in the table of calls, and need not be tried elsewhere", name)
		}
		known[name] = true
	}
	for _, complaint := range untried(coreFiles(t), known) {
		t.Error(complaint)
	}
	for _, complaint := range untried(kitFiles(t), kit) {
		t.Errorf("arenakit: %s", complaint)
	}
}

// TestStatesCompleteFinds checks that TestStatesComplete finds what it is there for.
func TestStatesCompleteFinds(t *testing.T) {
	const types = `package arena
		type Arena struct{}; type stores struct { arena *Arena }; type base struct { stores *stores }
		type Handle[T any] struct { base; v T }; type Map struct { table }; type table struct { a *Arena }
		type Tree struct { root uint32 }; type other struct{ a *Arena }
		`
	for source, want := range map[string]string{
		"func F(a *Arena) {}":                     "F is not",
		"func F[T any](x int, a ...*Arena) {}":    "F is not",
		"func F() (int, func(*Arena)) {}":         "F is not",
		"func F(h []*Handle[int]) {}":             "F is not",
		"func (a *Arena) M() {}":                  "Arena.M is not",
		"func (h Handle[T]) M() {}":               "Handle.M is not",
		"func (m *Map) M() {}":                    "Map.M is not",
		"func (table) M() {}":                     "Map.M is not",
		"func (*Tree) M(k, v int, a *Arena) {}":   "Tree.M is not",
		"func (*Tree) M() {}":                     "",
		"func (*other) M() {}":                    "",
		"func F(n int) {}":                        "",
		"func f(a *Arena) {}":                     "",
		"func (*Tree) Known(a *Arena) {}":         "",
		"func (*Tree) Known() {}\nfunc Known(){}": "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", types+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		if strings.Contains(source, "Known") {
			known["Tree.Known"] = true
		}
		got := strings.Join(untried(map[string]*ast.File{"": f}, known), "; ")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
	if got := untried(nil, map[string]bool{"Gone": true}); len(got) != 1 {
		t.Errorf("a name that is not in the package: %q", got)
	}
}

// untried returns complaints: about each exported function, and method of an exported type, that is
// given an arena, returns one, or belongs to what has one, and is not among the known ones; and
// about known ones that do not exist.
func untried(files map[string]*ast.File, known map[string]bool) (complaints []string) {
	has := havingArenas(files)
	// Methods of what is embedded in an exported type are that one's.
	promoted := map[string][]string{}
	eachType(files, func(name string, s *ast.TypeSpec) {
		if st, ok := s.Type.(*ast.StructType); ok && token.IsExported(name) {
			for _, f := range st.Fields.List {
				if len(f.Names) == 0 {
					inner := firstName(f.Type)
					promoted[inner] = append(promoted[inner], name)
				}
			}
		}
	})
	exists := map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			names, touches := []string{f.Name.Name}, mentions(f.Type, has)
			if f.Recv != nil {
				typ := firstName(f.Recv.List[0].Type)
				touches = touches || has[typ]
				if names = []string{typ + "." + f.Name.Name}; !token.IsExported(typ) {
					names = nil
					for _, outer := range promoted[typ] {
						names = append(names, outer+"."+f.Name.Name)
					}
				}
			}
			for _, name := range names {
				exists[name] = true
				if touches && !known[name] {
					complaints = append(complaints, name+" is not in the table of calls")
				}
			}
		}
	}
	for name := range known {
		if !exists[name] {
			complaints = append(complaints, name+" is in the table of calls, but not in the package")
		}
	}
	slices.Sort(complaints)
	return complaints
}

// havingArenas returns the types of files that have an arena: Arena, and structs with a field that
// mentions one that has.
func havingArenas(files map[string]*ast.File) map[string]bool {
	has := map[string]bool{"Arena": true}
	for n := 0; n != len(has); {
		n = len(has)
		eachType(files, func(name string, s *ast.TypeSpec) {
			if st, ok := s.Type.(*ast.StructType); ok && !has[name] && mentions(st, has) {
				has[name] = true
			}
		})
	}
	return has
}

func eachType(files map[string]*ast.File, f func(name string, s *ast.TypeSpec)) {
	for _, file := range files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						f(s.Name.Name, s)
					}
				}
			}
		}
	}
}

// mentions reports whether a type contains one of names, other than as the name of a field or
// parameter.
func mentions(typ ast.Node, names map[string]bool) (found bool) {
	ast.Inspect(typ, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			found = found || mentions(n.Type, names)
			return false
		case *ast.SelectorExpr:
			return false // of another package
		case *ast.Ident:
			found = found || names[n.Name]
		}
		return true
	})
	return found
}

// firstName returns the first name in a type: the name of a receiver's type, or of an embedded
// field's.
func firstName(typ ast.Node) (name string) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// coreFiles parses package arena.
func coreFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	//lint:ignore SA1019 this package has no files that only some systems have its functions in
	packages, err := parser.ParseDir(token.NewFileSet(), "../..", func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go") && f.Name() != "methods.go" // which is for Go 1.27
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return packages["arena"].Files
}

// kitFiles parses package arenakit, as if Arena were one of its types.
func kitFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("../../arenakit/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), name, strings.ReplaceAll(string(source), "arena.Arena", "Arena"), 0)
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// result returns what f returns, or the value with which it panics: panics, or any other value
// unchanged.
func result(f func() any) (r any) {
	defer func() {
		if e := recover(); e != nil {
			r = e
			if s, ok := e.(string); ok {
				r = panics(s)
			}
		}
	}()
	return f()
}

// sameResult compares results; a wanted panic is a part of the text of the one got.
func sameResult(got, want any) bool {
	if want, ok := want.(panics); ok {
		got, ok := got.(panics)
		return ok && ours(string(got)) && strings.Contains(string(got), string(want))
	}
	return reflect.DeepEqual(got, want)
}

// TestNames proves that the name of an arena is in the text of its panics.
func TestNames(t *testing.T) {
	a := arena.NewWith(arena.Options{Name: "requests", Limit: 100})
	err := arena.Try(func() { arena.MakeSlice[string](a, 1000, 1000) })
	if err == nil || !strings.HasPrefix(err.Error(), "arena: ") || !strings.Contains(err.Error(), "requests") {
		t.Errorf("limit: %v", err)
	}
	a.Free()
	if got := result(func() any { return arena.New[int](a) }); !sameResult(got, panics("arena requests is used after Free")) {
		t.Errorf("freed: %v", got)
	}
	if got := result(func() any { return arena.Try(func() { panic("other") }) }); got != panics("other") {
		t.Errorf("Try caught %v", got)
	}
}

// TestNilIsHeap proves that with a nil arena everything is as large as on the
// heap, and that handles from it go on after what would be Reset and Free.
func TestNilIsHeap(t *testing.T) {
	var a *arena.Arena
	if s := arena.MakeSlice[int32](a, 2, 5); len(s) != 2 || cap(s) != 5 {
		t.Errorf("MakeSlice(2, 5): length %d, capacity %d", len(s), cap(s))
	}
	if v := arena.MakeSliceValue(a, reflect.TypeFor[[]any](), 2, 5); v.Len() != 2 || v.Cap() != 5 {
		t.Errorf("MakeSliceValue(2, 5): length %d, capacity %d", v.Len(), v.Cap())
	}
	var ours, builtin []string
	for i := range 1000 {
		ours, builtin = arena.Append(a, ours, text(i)), append(builtin, text(i))
		if onHeap = builtin; cap(ours) != cap(builtin) {
			t.Fatalf("Append: capacity %d at length %d, append has %d", cap(ours), len(ours), cap(builtin))
		}
	}
	b, s := arena.NewBuilder(a), arena.SlabOf[int](a)
	for i := range 100 {
		p := s.New()
		if b.WriteString("x"); b.Len() != i+1 || *p != 0 {
			t.Fatal("a handle on the heap went wrong")
		}
		*p = 1
		a.Reset()
		a.Free()
	}
	var zeroSlab arena.Slab[int]
	var zeroBuilder arena.Builder
	if zeroBuilder.WriteInt(7, 10); *zeroSlab.New() != 0 || zeroBuilder.String() != "7" {
		t.Error("a zero handle is not on the heap")
	}
	if got := a.Stats(); !reflect.DeepEqual(got, arena.Stats{}) {
		t.Errorf("Stats: %+v", got)
	}
	if _, ok := result(func() any { return arena.New[[1 << 10]byte](a) }).(*[1 << 10]byte); !ok {
		t.Error("New")
	}
	for _, a := range []*arena.Arena{nil, new(arena.Arena)} {
		for _, f := range []func(){
			func() { arena.NewValue(a, nil) },
			func() { arena.MakeSliceValue(a, nil, 0, 0) },
			func() { arena.MakeSliceValue(a, reflect.TypeFor[[3]int](), 0, 0) },
		} {
			if got := result(func() any { f(); return nil }); !sameResult(got, panics("")) {
				t.Errorf("a bad type: %v", got)
			}
		}
	}
}

var onHeap any // what is stored here is not on the stack, where append grows otherwise

// TestBuilderKeepsStrings proves that a string from a Builder stays as it was
// returned, whatever the Builder is used for then, and in whichever state the arena is.
func TestBuilderKeepsStrings(t *testing.T) {
	for _, a := range []*arena.Arena{nil, new(arena.Arena)} {
		b := arena.NewBuilder(a)
		var got, want []string
		for i := range 100 {
			b.WriteString(text(i))
			got, want = append(got, b.String()), append(want, strings.Clone(b.String()))
			if i%10 == 9 {
				b.Reset()
			}
		}
		a.Free()
		if !slices.Equal(got, want) {
			t.Errorf("strings from a Builder were %q, are %q", want, got)
		}
	}
}

// maxBytes is the most that a slice can have: see limit.go.
const maxBytes = 1<<(31+16*(^uint(0)>>63)) - 1

// TestLengths proves that bad lengths panic with a text that says so, in every
// state, and before anything is touched.
func TestLengths(t *testing.T) {
	badLengths[byte](t)
	badLengths[int64](t)
	badLengths[[3]byte](t)
	badLengths[string](t)
	badLengths[[1 << 12]bool](t)
	badLengths[[1 << 20]int](t)

	// Values of no size take no memory.
	for _, a := range []*arena.Arena{nil, new(arena.Arena)} {
		s := arena.MakeSlice[struct{}](a, math.MaxInt, math.MaxInt)
		v := arena.MakeSliceValue(a, reflect.TypeFor[[][0]string](), 1, math.MaxInt)
		if len(s) != math.MaxInt || v.Cap() != math.MaxInt {
			t.Errorf("values of no size: %d, %d", len(s), v.Cap())
		}
		badLength(t, a, "Append of no size", func() { arena.Append(a, s, s...) }, a == nil)
		badLength(t, a, "MakeSlice of no size", func() { arena.MakeSlice[struct{}](a, -1, 1) }, a == nil)
	}

	a := new(arena.Arena)
	for _, align := range []int{0, -1, -64, 3, 65, 8192, math.MaxInt, math.MinInt} {
		badLength(t, a, fmt.Sprint("align ", align), func() { arena.MakeSliceAligned[int](a, 1, 1, align) }, false)
	}
	badLength(t, a, "cap near the end", func() { arena.MakeSliceAligned[byte](a, 0, maxBytes, 4096) }, false)

	b := arena.NewBuilder(a)
	b.WriteString("abc")
	badLength(t, a, "Grow", func() { b.Grow(-1) }, false)
	badLength(t, a, "Grow", func() { b.Grow(math.MinInt) }, false)
	badLength(t, a, "Grow", func() { b.Grow(math.MaxInt) }, false)
	badLength(t, a, "Grow", func() { b.Grow(maxBytes) }, false)

	const long = 1 << 26
	many := make([]string, maxBytes/long+1) // with more than maxBytes bytes
	many[0] = string(make([]byte, long))
	for i := range many {
		many[i] = many[0]
	}
	badLength(t, a, "Concat", func() { arena.Concat(a, many...) }, false)
	badLength(t, a, "Join", func() { arena.Join(a, many, many[0]) }, false)
}

func badLengths[T any](t *testing.T) {
	size := int(reflect.TypeFor[T]().Size())
	typ := reflect.TypeFor[[]T]()
	used := new(arena.Arena)
	arena.MakeSlice[T](used, 3, 3)
	arena.String(used, "abc")
	kept := new(arena.Arena)
	arena.MakeSlice[T](kept, 3, 3)
	kept.Reset()
	for _, a := range []*arena.Arena{nil, new(arena.Arena), used, kept} {
		for _, n := range [][2]int{
			{-1, 0}, {-1, -1}, {0, -1}, {1, 0}, {2, 1}, {math.MinInt, 0}, {0, math.MinInt}, {math.MaxInt, 0}, {math.MinInt, math.MaxInt},
			{0, maxBytes/size + 1}, {maxBytes/size + 1, maxBytes/size + 1},
			{0, math.MaxInt/size + size/2}, {0, math.MaxInt - 1}, {math.MaxInt, math.MaxInt},
		} {
			len, cap := n[0], n[1]
			if len >= 0 && len <= cap && cap <= maxBytes/size {
				continue // on 32 bits
			}
			what := fmt.Sprintf("of %v, length %d, capacity %d", typ, len, cap)
			badLength(t, a, "MakeSlice "+what, func() { arena.MakeSlice[T](a, len, cap) }, a == nil)
			badLength(t, a, "MakeSliceAligned "+what, func() { arena.MakeSliceAligned[T](a, len, cap, 64) }, false)
			badLength(t, a, "MakeSliceValue "+what, func() { arena.MakeSliceValue(a, typ, len, cap) }, false)
		}
	}
}

// badLength checks that f panics as it should and leaves a unchanged. On the heap the panic may be
// the runtime's.
func badLength(t *testing.T, a *arena.Arena, what string, f func(), runtimes bool) {
	t.Helper()
	before := a.Stats()
	got := result(func() any { f(); return nil })
	if _, ok := got.(error); !sameResult(got, panics("")) && !(ok && runtimes) {
		t.Errorf("%s: got %v, want a panic that begins with arena:", what, got)
	}
	if after := a.Stats(); !reflect.DeepEqual(before, after) {
		t.Errorf("%s: Stats were %+v, are %+v", what, before, after)
	}
}

// TestLimitOf proves that Limit returns the limit of the options of an arena, of its Pool, and of
// its Group, also when the arena was freed.
func TestLimitOf(t *testing.T) {
	o := arena.Options{Limit: 1000}
	pool, group := arena.Pool{Options: o}, arena.Group{Options: o}
	for want, arenas := range map[int64][]*arena.Arena{
		0:    {nil, new(arena.Arena), arena.NewWith(arena.Options{Name: "without"}), new(arena.Pool).Get(), arena.NewGroup().Arena()},
		1000: {arena.NewWith(o), pool.Get(), group.Arena()},
	} {
		for i, a := range arenas {
			if got := a.Limit(); got != want {
				t.Errorf("%d: %d, want %d", i, got, want)
			}
		}
		arenas[0].Free()
		if got := arenas[0].Limit(); got != want {
			t.Errorf("freed: %d, want %d", got, want)
		}
	}
}

// TestLimitKeepsStats proves that an allocation that fails for the limit changes
// nothing, when there is memory in use and when there is memory kept by Reset.
func TestLimitKeepsStats(t *testing.T) {
	for name, f := range map[string]func(a *arena.Arena){
		"MakeSlice of bytes":   func(a *arena.Arena) { arena.MakeSlice[byte](a, 1e6, 1e6) },
		"MakeSlice of strings": func(a *arena.Arena) { arena.MakeSlice[string](a, 1e6, 1e6) },
		"MakeSliceAligned":     func(a *arena.Arena) { arena.MakeSliceAligned[byte](a, 1e6, 1e6, 4096) },
		"MakeSliceValue of bytes": func(a *arena.Arena) {
			arena.MakeSliceValue(a, reflect.TypeFor[[]byte](), 1e6, 1e6)
		},
		"MakeSliceValue of any": func(a *arena.Arena) { arena.MakeSliceValue(a, reflect.TypeFor[[]any](), 1e6, 1e6) },
		"New":                   func(a *arena.Arena) { arena.New[[1e6]*int](a) },
		"NewValue":              func(a *arena.Arena) { arena.NewValue(a, reflect.TypeFor[[1e6]error]()) },
		"Append":                func(a *arena.Arena) { arena.Append(a, []any(nil), make([]any, 1e6)...) },
		"String":                func(a *arena.Arena) { arena.String(a, strings.Repeat("x", 1e6)) },
		"Sprintf":               func(a *arena.Arena) { arena.Sprintf(a, "%1000000d", 1) },
		"NewMap":                func(a *arena.Arena) { arena.NewMap[string, int](a, 1e6) },
	} {
		a := arena.NewWith(arena.Options{Limit: 100_000})
		for _, reset := range []bool{false, true} {
			arena.New[int](a)
			arena.Ptr(a, "abc")
			arena.MakeSlice[any](a, 10, 10)
			arena.MakeSliceValue(a, reflect.TypeFor[[]any](), 10, 10)
			arena.Bytes(a, make([]byte, 10_000))
			if reset {
				a.Reset()
			}
			inUse := a.Stats()
			inUse.LimitHits++
			err := arena.Try(func() { f(a) })
			got := a.Stats()
			if reset { // what was kept may be given up
				got.Reserved, got.Chunks, inUse.Reserved, inUse.Chunks = 0, 0, 0, 0
			}
			var limit *arena.LimitError
			if !errors.As(err, &limit) || limit.Limit != 100_000 || limit.Needed < 1e6 || limit.Reserved+limit.Needed <= limit.Limit {
				t.Errorf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(got, inUse) {
				t.Errorf("%s, reset %v: Stats were %+v, are %+v", name, reset, inUse, got)
			}
		}
	}
}

// A freer frees its arena while it is printed.
type freer struct{ a *arena.Arena }

func (f freer) String() string {
	f.a.Free()
	return "freed"
}

// TestFreeInSprintf proves that an arena that is freed by an argument of Sprintf is
// used after Free like any other, and that no other arena gets the text.
func TestFreeInSprintf(t *testing.T) {
	for range 10 { // sync.Pool forgets now and then
		a := new(arena.Arena)
		var other *arena.Arena
		got := result(func() any {
			return arena.Sprintf(a, "%v %v", freer{a}, lazily(func() {
				other = new(arena.Arena)
				arena.Ptr(other, 7)
			}))
		})
		if !sameResult(got, usedAfterFree) {
			t.Fatalf("got %v, want the panic of a freed arena", got)
		}
		if s := other.Stats(); len(s.Types) != 1 {
			t.Fatalf("the text went to another arena: %+v", s)
		}
	}
}

// lazily calls itself when it is printed.
type lazily func()

func (f lazily) String() string { f(); return "" }

// TestRecycling proves that arenas which take over the bookkeeping of freed ones have nothing else
// in common with them: programs that make and free many arenas, of different types and interleaved,
// see no value twice, and an arena or handle that was freed panics forever, even when its
// bookkeeping serves another arena by now.
func TestRecycling(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	type live struct {
		a    *arena.Arena
		slab *arena.Slab[pair]
		kept []func() error // each checks a value of the arena
	}
	open := make([]live, 8)
	var freed []live
	serial := 0
	for step := range 30_000 {
		l := &open[r.IntN(len(open))]
		if l.a == nil {
			l.a = new(arena.Arena)
		}
		k := serial
		serial++
		same := func(got, want any) error {
			if got != want {
				return fmt.Errorf("step %d, seed %d: got %v, want %v", step, seed, got, want)
			}
			return nil
		}
		switch r.IntN(14) {
		case 0, 1:
			p := arena.Ptr(l.a, k)
			l.kept = append(l.kept, func() error { return same(*p, k) })
		case 2:
			p := arena.Ptr(l.a, text(k))
			l.kept = append(l.kept, func() error { return same(*p, text(k)) })
		case 3:
			p := arena.Ptr[any](l.a, k)
			l.kept = append(l.kept, func() error { return same(*p, k) })
		case 4:
			s := arena.SliceOf(l.a, text(k), text(k+1))
			l.kept = append(l.kept, func() error { return same(s[0]+s[1], text(k)+text(k+1)) })
		case 5:
			s := arena.String(l.a, text(k))
			l.kept = append(l.kept, func() error { return same(s, text(k)) })
		case 6:
			p := arena.NewValue(l.a, reflect.TypeFor[[2]int]()).Interface().(*[2]int)
			p[1] = k
			l.kept = append(l.kept, func() error { return same(*p, [2]int{0, k}) })
		case 7:
			if r.IntN(10) == 0 {
				l.slab = arena.SlabOf[pair](l.a)
			}
		case 8:
			if l.slab != nil {
				p := l.slab.New()
				*p = pair{k, -k}
				l.kept = append(l.kept, func() error { return same(*p, pair{k, -k}) })
			}
		case 9:
			n := r.IntN(2000)
			s := arena.MakeSlice[int32](l.a, n, n)
			for i := range s {
				s[i] += int32(k)
			}
			l.kept = append(l.kept, func() error {
				for _, v := range s {
					if v != int32(k) {
						return same(v, int32(k))
					}
				}
				return nil
			})
		case 10:
			if r.IntN(4) == 0 {
				for _, check := range l.kept {
					if err := check(); err != nil {
						t.Fatal(err)
					}
				}
				l.a.Reset()
				l.kept = nil
			}
		case 11, 12:
			l.a.Free()
			for _, check := range l.kept { // what was allocated stays valid
				if err := check(); err != nil {
					t.Fatal(err)
				}
			}
			if len(freed) < 50 {
				freed = append(freed, *l)
			} else {
				freed[r.IntN(len(freed))] = *l
			}
			*l = live{}
		case 13:
			if len(freed) == 0 {
				break
			}
			l := freed[r.IntN(len(freed))]
			uses := []func(){
				func() { arena.New[int](l.a) },
				func() { arena.New[pair](l.a) },
				func() { arena.MakeSlice[string](l.a, 1, 1) },
				func() { arena.String(l.a, "abc") },
				func() { arena.NewValue(l.a, reflect.TypeFor[[2]int]()) },
				func() { arena.SlabOf[pair](l.a) },
				l.a.Reset,
			}
			if l.slab != nil {
				uses = append(uses, func() { l.slab.New() })
			}
			l.a.Free()
			i := r.IntN(len(uses))
			if got := result(func() any { uses[i](); return nil }); !sameResult(got, usedAfterFree) {
				t.Fatalf("step %d, seed %d: use %d of a freed arena: %v", step, seed, i, got)
			}
			for _, check := range l.kept {
				if err := check(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
