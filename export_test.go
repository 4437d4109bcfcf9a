package arena

import "reflect"

// Looking tells tests outside of the package that textIsRead does something: then text that was made of bytes for a
// call has to be on the heap.
const Looking = looking

// Few is few for tests outside of the package.
var Few = few

// Debugging is the tag arenadebug.
const Debugging = debugging

// StartRefMap makes m, which is zero, a map with the given seed.
func StartRefMap[K comparable, V any](m *RefMap[K, V], seed uint64) {
	m.start("RefMap", refHashOf(reflect.TypeFor[K]()))
	m.seed = seed
}

// RefEnd returns the number behind those of the values that a has handed out.
func RefEnd(a *Arena) uint32 { return a.refs.next }

// Watched tells whether arenas use no memory again after Reset.
func Watched() bool { return (&stores{}).watched() }
