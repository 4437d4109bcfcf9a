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
	"arenaAppendText": `
// arenaAppendText is append of text to bytes. If s has no room, the result is a copy in ar. Nil is the heap.
func arenaAppendText[S ~[]byte, T ~string](ar *arena.Arena, s S, t T) S {
	if ar != nil {
		s = arenaMove[byte](ar, s, len(t))
	}
	return append(s, t...)
}
`,
	"arenaMake": `
// arenaMake is make of a slice in ar. Nil is the heap.
func arenaMake[E any, N ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](ar *arena.Arena, n N) []E {
	if ar == nil || int(n) < 0 || N(int(n)) != n {
		return make([]E, n)
	}
	return arena.MakeSlice[E](ar, int(n), int(n))
}
`,
	"arenaRunes": `
// arenaRunes returns the runes of a text in ar. Nil is the heap.
func arenaRunes[T ~string](ar *arena.Arena, t T) []rune {
	if ar == nil {
		return []rune(t)
	}
	n := 0
	for range t {
		n++
	}
	all := arena.MakeSlice[rune](ar, 0, n)
	for _, r := range t {
		all = append(all, r)
	}
	return all
}
`,
	"arenaText": `
// arenaText returns the text of runes in ar. Nil is the heap.
func arenaText(ar *arena.Arena, runes []rune) string {
	if ar == nil {
		return string(runes)
	}
	b := arena.NewBuilder(ar)
	b.Grow(len(runes))
	for _, r := range runes {
		b.WriteRune(r)
	}
	return b.String()
}
`,
	"arenaReadAll": `
// arenaReadAll is io.ReadAll in ar. Nil is the heap.
func arenaReadAll(ar *arena.Arena, r io.Reader) ([]byte, error) {
	if ar == nil {
		return io.ReadAll(r)
	}
	return arena.ReadAll(ar, r)
}
`,
	"arenaClone": `
// arenaClone is slices.Clone in ar. Nil is the heap.
func arenaClone[S ~[]E, E any](ar *arena.Arena, s S) S {
	if ar == nil || s == nil {
		return slices.Clone(s)
	}
	return append(S(arena.MakeSlice[E](ar, 0, len(s))), s...)
}
`,
	"arenaCloneMap": `
// arenaCloneMap is maps.Clone in ar. Nil is the heap.
func arenaCloneMap[M ~map[K]V, K comparable, V any](ar *arena.Arena, m M) M {
	if ar == nil || m == nil {
		return maps.Clone(m)
	}
	c := arena.MakeMap[M](ar, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}
`,
	"arenaConcat": `
// arenaConcat is slices.Concat in ar. Nil is the heap.
func arenaConcat[S ~[]E, E any](ar *arena.Arena, list ...S) (all S) {
	n := 0
	for _, s := range list {
		n += len(s)
	}
	if ar == nil || n <= 0 {
		return slices.Concat(list...)
	}
	all = arena.MakeSlice[E](ar, 0, n)
	for _, s := range list {
		all = append(all, s...)
	}
	return all
}
`,
	"arenaGrow": `
// arenaGrow is slices.Grow. If s has no room, the result is a copy in ar. Nil is the heap.
func arenaGrow[S ~[]E, E any](ar *arena.Arena, s S, n int) S {
	if ar == nil || n <= cap(s)-len(s) {
		return slices.Grow(s, n)
	}
	return arenaMove[E](ar, s[:cap(s)], n-(cap(s)-len(s)))[:len(s)]
}
`,
	"arenaInsert": `
// arenaInsert is slices.Insert. If s has no room, the result is a copy in ar. Nil is the heap.
func arenaInsert[S ~[]E, E any](ar *arena.Arena, s S, i int, v ...E) S {
	if ar != nil && uint(i) <= uint(len(s)) {
		s = arenaMove[E](ar, s, len(v))
	}
	return slices.Insert(s, i, v...)
}
`,
	"arenaPut": `
// arenaPut sets an entry of a map, and returns the map.
func arenaPut[K comparable, V any, M ~map[K]V](m M, k K, v V) M {
	m[k] = v
	return m
}
`,
	"arenaRef": `
// arenaRef returns a pointer to a copy of v.
func arenaRef[T any](v T) *T { return &v }
`,
	"arenaMove": `
// arenaMove returns s if it has room for n more elements, or ar is nil, and else a copy in ar that has.
//
//go:noinline
func arenaMove[E any, S ~[]E](ar *arena.Arena, s S, n int) S {
	if ar == nil || cap(s)-len(s) >= n {
		return s
	}
	room := 2 * cap(s)
	if room < len(s)+n {
		room = len(s) + n
	}
	moved := arena.MakeSlice[E](ar, len(s), room)
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
	for _, builtin := range []string{"any", "append", "byte", "cap", "copy", "int", "len", "make", "nil", "rune", "string", "uint"} {
		f.hidden = f.hidden || f.pkg.Types.Scope().Lookup(builtin) != nil
	}
	names := []string{function, name, "arena.", f.arena() + "."}
	if function != "arenaMove" && strings.Contains(bodies[function], "arenaMove") {
		names = append(names, "arenaMove", p.written(f, "arenaMove"))
	}
	for _, path := range []string{"io", "maps", "slices"} {
		if strings.Contains(bodies[function], path+".") {
			names = append(names, path+".", f.use(path, path)+".")
		}
	}
	f.tail = append(f.tail, strings.NewReplacer(names...).Replace(bodies[function]))
	return name
}
