package fix

import (
	"strings"

	"golang.org/x/tools/go/packages"
)

// A getter is a function that is written into a package, for what package arena has no function.
type getter struct {
	pkg  *packages.Package
	name string
}

// bodies has the functions that may be written. The builtin append copies a slice that has no room,
// and others may read the elements there. arena.Append grows such a slice where it lies, if it can.
// The compiler inlines arenaPush and arenaAppend: one condition more would cost too much for that.
var bodies = map[string]string{
	"arenaGet": `
// arenaGet returns the value of a key, or zero.
func arenaGet[K comparable, V any](m *arena.Map[K, V], k K) V {
	v, _ := m.Get(k)
	return v
}
`,
	"arenaPush": `
// arenaPush is append of one element. If s has no room, the result is a copy in ar. Nil is the heap.
func arenaPush[E any, S ~[]E](ar *arena.Arena, s S, e E) S {
	if len(s) == cap(s) {
		s = arenaMove[E](ar, s, 1)
	}
	return append(s, e)
}
`,
	"arenaAppend": `
// arenaAppend is append. If s has no room, the result is a copy in ar. Nil is the heap.
func arenaAppend[E any, S ~[]E](ar *arena.Arena, s S, v ...E) S {
	if ar != nil {
		s = arenaMove[E](ar, s, len(v))
	}
	return append(s, v...)
}
`,
	"arenaMove": `
// arenaMove returns s if it has room for n more elements, or ar is nil, and else a copy in ar that has.
//
//go:noinline
func arenaMove[E any, S ~[]E](ar *arena.Arena, s S, n int) S {
	if ar == nil || cap(s)-len(s) >= n {
		return s
	}
	moved := arena.MakeSlice[E](ar, len(s), max(len(s)+n, 2*cap(s)))
	copy(moved, s)
	return moved
}
`,
}

// written returns the name that a function of bodies has in the package of a file, where it is
// written unless it is there.
func (p *program) written(f *file, function string) string {
	key := getter{f.pkg, function}
	if name := p.getters[key]; name != "" {
		return name
	}
	name := function
	for f.pkg.Types.Scope().Lookup(name) != nil || p.identsOf(f.pkg)[name] || p.beside[f.pkg].declared[name] {
		name += "_"
	}
	p.getters[key] = name
	names := []string{function, name, "arena.", f.arena() + "."}
	if function != "arenaMove" && strings.Contains(bodies[function], "arenaMove") {
		names = append(names, "arenaMove", p.written(f, "arenaMove"))
	}
	f.tail = append(f.tail, strings.NewReplacer(names...).Replace(bodies[function]))
	return name
}
