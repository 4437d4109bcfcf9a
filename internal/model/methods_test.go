//go:build go1.27

package model

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/arena-go/arena"
)

// A way makes the same values by functions or by methods.
type way map[string]func(a *arena.Arena) any

type leaf struct {
	name string
	next *leaf
}

var (
	byFunction = way{
		"New":    func(a *arena.Arena) any { return arena.New[leaf](a) },
		"Ptr":    func(a *arena.Arena) any { return arena.Ptr(a, leaf{name: "x"}) },
		"Box":    func(a *arena.Arena) any { return arena.Box(a, leaf{name: "x"}) },
		"SlabOf": func(a *arena.Arena) any { return arena.SlabOf[leaf](a).New() },
		"NewMap": func(a *arena.Arena) any {
			m := arena.NewMap[string, int](a, 9)
			m.Set("x", 1)
			return maps.Collect(m.All())
		},
		"MakeSlice": func(a *arena.Arena) any { return arena.MakeSlice[leaf](a, 2, 5) },
		"SliceOf":   func(a *arena.Arena) any { return arena.SliceOf(a, 1, 2, 3) },
		"Append":    func(a *arena.Arena) any { return arena.Append(a, []string{"x"}, "y", "z") },
		"Push":      func(a *arena.Arena) any { return arena.Push(a, []string{"x"}, "y") },
		"Grow":      func(a *arena.Arena) any { return arena.Grow(a, []string{"x"}, 9) },
		"Collect":   func(a *arena.Arena) any { return arena.Collect(a, slices.Values([]int{1, 2, 3})) },
		"String":    func(a *arena.Arena) any { return arena.String(a, []byte("some text")) },
		"Bytes":     func(a *arena.Arena) any { return arena.Bytes(a, "some text") },
	}
	byMethod = way{
		"New":       func(a *arena.Arena) any { return a.New[leaf]() },
		"Ptr":       func(a *arena.Arena) any { return a.Ptr(leaf{name: "x"}) },
		"Box":       func(a *arena.Arena) any { return a.Box(leaf{name: "x"}) },
		"SlabOf":    func(a *arena.Arena) any { return a.SlabOf[leaf]().New() },
		"NewMap":    func(a *arena.Arena) any { m := a.NewMap[string, int](9); m.Set("x", 1); return maps.Collect(m.All()) },
		"MakeSlice": func(a *arena.Arena) any { return a.MakeSlice[leaf](2, 5) },
		"SliceOf":   func(a *arena.Arena) any { return a.SliceOf(1, 2, 3) },
		"Append":    func(a *arena.Arena) any { return a.Append([]string{"x"}, "y", "z") },
		"Push":      func(a *arena.Arena) any { return a.Push([]string{"x"}, "y") },
		"Grow":      func(a *arena.Arena) any { return a.Grow([]string{"x"}, 9) },
		"Collect":   func(a *arena.Arena) any { return a.Collect(slices.Values([]int{1, 2, 3})) },
		"String":    func(a *arena.Arena) any { return a.String([]byte("some text")) },
		"Bytes":     func(a *arena.Arena) any { return a.Bytes("some text") },
	}
)

// TestMethods checks that methods make what the functions make, in as much memory, and panic as
// they do.
func TestMethods(t *testing.T) {
	run := func(make func(a *arena.Arena) any, a *arena.Arena) (v, panicked any) {
		defer func() { panicked = recover() }()
		return make(a), nil
	}
	for name, function := range byFunction {
		fresh, again, freed := [2]*arena.Arena{}, [2]*arena.Arena{}, [2]*arena.Arena{}
		for i := range fresh {
			fresh[i], again[i], freed[i] = arena.NewArena(), arena.NewArena(), arena.NewArena()
			arena.New[leaf](again[i])
			again[i].Reset()
			freed[i].Free()
		}
		for _, in := range [][2]*arena.Arena{{}, fresh, again, freed} {
			want, wantPanic := run(function, in[0])
			got, gotPanic := run(byMethod[name], in[1])
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotPanic, wantPanic) {
				t.Errorf("%s: %v, panic %v; the function: %v, panic %v", name, got, gotPanic, want, wantPanic)
			}
			if got, want := in[1].Stats(), in[0].Stats(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v; the function: %+v", name, got, want)
			}
		}
	}
}
