package arena_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/arena-go/arena"
)

// BenchmarkRefTree compares a RefTree with Go's map, where that is fair: a map is not in order, so op=all sorts the
// keys first. A round is of n entries: it sets them in random order in a new tree, op=append in order of their
// keys, looks each up, walks over all, or deletes each and sets another one. op=gc is one runtime.GC().
func BenchmarkRefTree(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		keys := make([]uint64, 2*n)
		for i := range keys {
			keys[i] = r.Uint64()
		}
		order := r.Perm(n)
		run := func(op, impl string, round func() int, want int) {
			b.Run(fmt.Sprintf("op=%s/impl=%s/n=%d", op, impl, n), func(b *testing.B) {
				for b.Loop() {
					if got := round(); got != want {
						b.Fatalf("got %d, want %d", got, want)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/obj")
			})
		}
		a := arena.NewArena()
		run("set", "reftree", func() int {
			a.Reset()
			var t arena.RefTree[uint64, int]
			for i, k := range keys[:n] {
				t.Set(a, k, i)
			}
			return t.Len()
		}, n)
		run("set", "map", func() int {
			m := map[uint64]int{}
			for i, k := range keys[:n] {
				m[k] = i
			}
			return len(m)
		}, n)
		run("append", "reftree", func() int {
			a.Reset()
			var t arena.RefTree[uint64, int]
			for i := range n {
				t.Set(a, uint64(i), i)
			}
			return t.Len()
		}, n)

		a.Reset()
		var t arena.RefTree[uint64, int]
		var text arena.RefTextTree[int]
		m, texts := map[uint64]int{}, make([]string, n)
		for i, k := range keys[:n] {
			t.Set(a, k, i)
			m[k] = i
			texts[i] = fmt.Sprintf("key-%d", k)
			text.Set(a, texts[i], i)
		}
		run("get", "reftree", func() (sum int) {
			for _, i := range order {
				v, _ := t.Get(a, keys[i])
				sum += v
			}
			return sum
		}, below(n))
		run("get", "map", func() (sum int) {
			for _, i := range order {
				sum += m[keys[i]]
			}
			return sum
		}, below(n))
		run("get", "reftexttree", func() (sum int) {
			for _, i := range order {
				v, _ := text.Get(a, texts[i])
				sum += v
			}
			return sum
		}, below(n))
		run("all", "reftree", func() (sum int) {
			for _, v := range t.All(a) {
				sum += v
			}
			return sum
		}, below(n))
		run("all", "map", func() (sum int) {
			for _, k := range slices.Sorted(maps.Keys(m)) {
				sum += m[k]
			}
			return sum
		}, below(n))
		b.Run(fmt.Sprintf("op=gc/impl=reftree/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				runtime.GC()
			}
		})
		in, out := keys[:n], keys[n:]
		run("replace", "reftree", func() int {
			for i, k := range in {
				t.Delete(a, k)
				t.Set(a, out[i], i)
			}
			in, out = out, in
			return t.Len()
		}, n)
		a.Free()
	}
}
