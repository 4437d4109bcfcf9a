package core_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/growth"
	"github.com/arena-go/arena/ref"
)

// A dict is a map of some kind.
type dict[K any] interface {
	set(K, int)
	get(K) bool
	del(K)
	all() iter.Seq2[K, int]
	clear()
	len() int
}

type goMap[K comparable] map[K]int

func (m goMap[K]) set(k K, v int)         { m[k] = v }
func (m goMap[K]) get(k K) bool           { _, ok := m[k]; return ok }
func (m goMap[K]) del(k K)                { delete(m, k) }
func (m goMap[K]) all() iter.Seq2[K, int] { return maps.All(m) }
func (m goMap[K]) clear()                 { clear(m) }
func (m goMap[K]) len() int               { return len(m) }

type ourMap[K comparable] struct{ *arena.Map[K, int] }

func (m ourMap[K]) set(k K, v int)         { m.Set(k, v) }
func (m ourMap[K]) get(k K) bool           { return m.Has(k) }
func (m ourMap[K]) del(k K)                { m.Delete(k) }
func (m ourMap[K]) all() iter.Seq2[K, int] { return m.All() }
func (m ourMap[K]) clear()                 { m.Clear() }
func (m ourMap[K]) len() int               { return m.Len() }

// refs is a ref.Map, a ref.TextMap, a ref.Tree or a ref.TextTree.
type refs[K any] interface {
	Set(ref.Space, K, int)
	Get(ref.Space, K) (int, bool)
	Delete(ref.Space, K) bool
	All(ref.Space) iter.Seq2[K, int]
	Clear(ref.Space)
	Len() int
}

type refDict[K any] struct {
	a *arena.Arena
	m refs[K]
}

func (d refDict[K]) set(k K, v int)         { d.m.Set(ref.In(d.a), k, v) }
func (d refDict[K]) get(k K) bool           { _, ok := d.m.Get(ref.In(d.a), k); return ok }
func (d refDict[K]) del(k K)                { d.m.Delete(ref.In(d.a), k) }
func (d refDict[K]) all() iter.Seq2[K, int] { return d.m.All(ref.In(d.a)) }
func (d refDict[K]) clear()                 { d.m.Clear(ref.In(d.a)) }
func (d refDict[K]) len() int               { return d.m.Len() }

// A script is what a program does with a map of n entries, which key makes.
type script[K any] func(m dict[K], n int, key func(i int) K)

func build[K any](m dict[K], n int, key func(i int) K) {
	for i := range n {
		m.set(key(i), i)
	}
}

// first returns the first key of m.
func first[K any](m dict[K]) (k K) {
	for k := range m.all() {
		return k
	}
	return k
}

// scripts are what is done with maps, and ends in each way.
func scripts[K any]() map[string]script[K] {
	return map[string]script[K]{
		"build": build[K],
		"build and read": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for i := range 2 * n {
				m.get(key(i))
			}
		},
		"set again": func(m dict[K], n int, key func(int) K) { build(m, n, key); build(m, n, key) },
		"delete in order": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for i := range n {
				m.del(key(i))
			}
		},
		"delete backwards": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for i := range n {
				m.del(key(n - 1 - i))
			}
		},
		"delete the first of All": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for m.len() > 0 {
				m.del(first(m))
			}
		},
		"delete the first of All, and add one": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for i := range n {
				m.del(first(m))
				m.set(key(n+i), i)
			}
		},
		"delete while All goes on": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for k := range m.all() {
				m.del(k)
			}
		},
		"delete and add while All goes on": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			i := n
			for k := range m.all() {
				if m.del(k); i < 2*n {
					m.set(key(i), i)
				}
				i++
			}
		},
		"All of what is nearly empty": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			for i := range n - 1 {
				m.del(key(i))
			}
			for range 100 {
				for range m.all() {
				}
			}
		},
		"a queue": func(m dict[K], n int, key func(int) K) {
			for i := range n {
				m.set(key(i), i)
				if i >= 10 {
					m.del(key(i - 10))
				}
			}
			for range m.all() {
			}
		},
		"a queue with All": func(m dict[K], n int, key func(int) K) {
			for i := range n {
				m.set(key(i), i)
				if i >= 10 {
					m.del(key(i - 10))
				}
				for range m.all() {
				}
			}
		},
		"a queue by All": func(m dict[K], n int, key func(int) K) {
			for i := range n {
				m.set(key(i), i)
				if i >= 10 {
					m.del(first(m))
				}
			}
		},
		"few after many": func(m dict[K], n int, key func(int) K) {
			build(m, n, key)
			m.clear()
			for i := range n / 10 {
				m.set(key(i), i)
			}
			for range m.all() {
			}
		},
		"clear again and again": func(m dict[K], n int, key func(int) K) {
			for i := range n {
				m.set(key(i), i)
				if i%10 == 0 {
					m.clear()
				}
			}
		},
		"All of two": func(m dict[K], n int, key func(int) K) {
			m.set(key(1), 1)
			m.set(key(2), 2)
			for range n {
				for range m.all() {
				}
			}
		},
	}
}

// dicts adds rows for keys of a type.
func dicts[K comparable](rows []growth.Row, name string, key func(i int) K, refs map[string]func() refs[K]) []growth.Row {
	for what, do := range scripts[K]() {
		rows = append(rows, growth.Row{Name: name + "/" + what, N: 1000, Unseen: true,
			// Go's map becomes small again when it is empty, and where nothing is allocated its
			// slack is ours. An iteration over a map of references copies a group.
			Rules: map[growth.Measure]growth.Rule{
				growth.Bytes: {Times: 8, Slack: 64 << 10, Grow: 2},
				growth.Kept:  {Times: 4, Slack: 64 << 10, Grow: 2},
				growth.CPU:   {Times: 6, Slack: 250_000, Grow: 2.5},
			},
			New: func(n int) growth.Work {
				g := goMap[K]{}
				work := growth.Work{Reference: func() { do(g, n, key) }}
				a := arena.NewArena()
				m := ourMap[K]{arena.NewMap[K, int](a, 0)}
				work.Ours = append(work.Ours, growth.Way{Name: "Map", Arena: true, Do: func() { do(m, n, key) }})
				for name, make := range refs {
					d := refDict[K]{arena.NewArena(), make()}
					work.Ours = append(work.Ours, growth.Way{Name: name, Arena: true, Do: func() { do(d, n, key) }})
				}
				slices.SortFunc(work.Ours, func(x, y growth.Way) int { return strings.Compare(x.Name, y.Name) })
				return work
			}})
	}
	return rows
}

func mapRows() (rows []growth.Row) {
	number := func(i int) int { return i }
	rows = dicts(rows, "numbers", number, map[string]func() refs[int]{
		"RefMap":  func() refs[int] { return new(ref.Map[int, int]) },
		"RefTree": func() refs[int] { return new(ref.Tree[int, int]) },
	})
	rows = dicts(rows, "numbers that are far apart", func(i int) int { return i << 20 }, map[string]func() refs[int]{
		"RefMap":  func() refs[int] { return new(ref.Map[int, int]) },
		"RefTree": func() refs[int] { return new(ref.Tree[int, int]) },
	})
	rows = dicts(rows, "text", func(i int) string { return fmt.Sprintf("%08d", i) }, map[string]func() refs[string]{
		"RefTextMap":  func() refs[string] { return new(ref.TextMap[int]) },
		"RefTextTree": func() refs[string] { return new(ref.TextTree[int]) },
	})
	rows = dicts(rows, "structs", func(i int) [2]uint64 { return [2]uint64{uint64(i)} }, map[string]func() refs[[2]uint64]{
		"RefMap": func() refs[[2]uint64] { return new(ref.Map[[2]uint64, int]) },
	})
	rows = dicts(rows, "interfaces", func(i int) any { return i }, nil)

	rows = append(rows, growth.Row{Name: "SortedKeys", N: 2000, Unseen: true, New: func(n int) growth.Work {
		a := arena.NewArena()
		m := arena.NewMap[int, int](a, 0)
		for i := range n {
			m.Set(i*7919%n, i)
		}
		return growth.Work{Ours: []growth.Way{{Do: func() { arena.SortedKeys(a, m) }}}}
	}})
	for name, do := range map[string]func(m *ref.Tree[int, int], a *arena.Arena, n int){
		"From": func(m *ref.Tree[int, int], a *arena.Arena, n int) {
			for i := range n {
				for range m.From(ref.In(a), i) {
					break
				}
			}
		},
		"BackwardFrom": func(m *ref.Tree[int, int], a *arena.Arena, n int) {
			for i := range n {
				for range m.BackwardFrom(ref.In(a), i) {
					break
				}
			}
		},
		"Range": func(m *ref.Tree[int, int], a *arena.Arena, n int) {
			for i := range n {
				for range m.Range(ref.In(a), i, i+3) {
				}
			}
		},
		"Min and Max are deleted": func(m *ref.Tree[int, int], a *arena.Arena, n int) {
			for m.Len() > 1 {
				k, _, _ := m.Min(ref.In(a))
				m.Delete(ref.In(a), k)
				k, _, _ = m.Max(ref.In(a))
				m.Delete(ref.In(a), k)
			}
		},
	} {
		rows = append(rows, growth.Row{Name: "RefTree/" + name, N: 1000, New: func(n int) growth.Work {
			a, m := arena.NewArena(), new(ref.Tree[int, int])
			s := ref.In(a)
			for i := range n {
				m.Set(s, i, i)
			}
			return growth.Work{Ours: []growth.Way{{Do: func() { do(m, a, n) }}}}
		}})
	}
	return rows
}
