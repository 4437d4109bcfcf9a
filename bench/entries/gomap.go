package entries

import "strings"

// A goMap is Go's own.
type goMap[K comparable] map[K]uint64

func newGoMap[K comparable](int) table[K] { return goMap[K]{} }

func (m goMap[K]) set(k K, v uint64)           { m[k] = v }
func (m goMap[K]) get(k K) (v uint64, ok bool) { v, ok = m[k]; return v, ok }
func (m goMap[K]) wait()                       {}

// A textGoMap has keys of its own, as the others do.
type textGoMap struct{ goMap[string] }

func newTextGoMap(int) table[string] { return textGoMap{goMap[string]{}} }

func (m textGoMap) set(k string, v uint64) { m.goMap[strings.Clone(k)] = v }
