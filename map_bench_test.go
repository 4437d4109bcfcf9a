package arena_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/arena-go/arena"
)

// onHeapMap is what keeps the maps of BenchmarkMap from the stack.
var onHeapMap any

// BenchmarkMap compares Go's map with a Map in one arena, which is Reset after each
// round. A round of set, of hint and of ref makes a map of n entries; hint with room for
// them, and ref counts each key twice. A round of get, miss, and all reads such a map.
func BenchmarkMap(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	ints, texts := make([]int, 2*sizes[len(sizes)-1]), make([]string, 2*sizes[len(sizes)-1])
	for i := range ints {
		ints[i] = int(r.Uint64())
		texts[i] = fmt.Sprintf("key-%d", r.Uint64N(1e9)*uint64(len(ints))+uint64(i))
	}
	benchMap(b, "int", ints)
	benchMap(b, "string", texts)
}

func benchMap[K comparable](b *testing.B, name string, keys []K) {
	run := func(op string, n int, impl string, round func() int, want int) {
		b.Run(fmt.Sprintf("op=%s/key=%s/impl=%s/n=%d", op, name, impl, n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := round(); got != want {
					b.Fatalf("sum is %d, want %d", got, want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/obj")
		})
	}
	a := arena.NewArena()
	for _, op := range []string{"set", "hint"} {
		for _, n := range sizes {
			hint := 0
			if op == "hint" {
				hint = n
			}
			run(op, n, "heap", func() int {
				m := make(map[K]int, hint)
				onHeapMap = m
				for i, k := range keys[:n] {
					m[k] = i
				}
				return len(m)
			}, n)
			run(op, n, "reset", func() int {
				m := arena.NewMap[K, int](a, hint)
				for i, k := range keys[:n] {
					m.Set(k, i)
				}
				n := m.Len()
				a.Reset()
				return n
			}, n)
		}
	}
	for _, n := range sizes {
		run("ref", n, "heap", func() int {
			m := map[K]int{}
			onHeapMap = m
			for range 2 {
				for _, k := range keys[:n] {
					m[k]++
				}
			}
			return len(m)
		}, n)
		run("ref", n, "reset", func() int {
			m := arena.NewMap[K, int](a, 0)
			for range 2 {
				for _, k := range keys[:n] {
					*m.Entry(k)++
				}
			}
			n := m.Len()
			a.Reset()
			return n
		}, n)
	}
	for _, n := range sizes {
		std, m := map[K]int{}, arena.NewMap[K, int](a, 0)
		onHeapMap = std
		for i, k := range keys[:n] {
			std[k] = i
			m.Set(k, i)
		}
		order := rand.New(rand.NewPCG(3, 4)).Perm(n)
		for _, c := range []struct {
			op   string
			from int
			want int
		}{{"get", 0, below(n)}, {"miss", n, 0}} {
			asked := make([]K, n) // in another order
			for i, at := range order {
				asked[i] = keys[c.from+at]
			}
			run(c.op, n, "heap", func() (sum int) {
				for _, k := range asked {
					sum += std[k]
				}
				return sum
			}, c.want)
			run(c.op, n, "reset", func() (sum int) {
				for _, k := range asked {
					v, _ := m.Get(k)
					sum += v
				}
				return sum
			}, c.want)
		}
		run("all", n, "heap", func() (sum int) {
			for _, v := range std {
				sum += v
			}
			return sum
		}, below(n))
		run("all", n, "reset", func() (sum int) {
			for _, v := range m.All() {
				sum += v
			}
			return sum
		}, below(n))
		runtime.KeepAlive(m)
		a.Reset()
	}
}
