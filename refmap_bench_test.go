package arena_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/arena-go/arena"
)

var refMapN = flag.Int("refmap.n", 0, "number of entries of TestRefMapLarge, such as 100000000, which take 2.4 GB")

// BenchmarkRefMap compares a RefMap with a Map and with Go's map. A round of set makes a map of n entries,
// one of hint one that has room for them, in an arena that is Reset after it; a round of get, miss, and all reads such a map.
func BenchmarkRefMap(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]uint64, 2*sizes[len(sizes)-1])
	for i := range all {
		all[i] = r.Uint64()
	}
	run := func(op string, n int, impl string, round func() uint64, want uint64) {
		b.Run(fmt.Sprintf("op=%s/impl=%s/n=%d", op, impl, n), func(b *testing.B) {
			for b.Loop() {
				if got := round(); got != want {
					b.Fatalf("sum is %d, want %d", got, want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/obj")
		})
	}
	for _, n := range sizes {
		keys := all[:n]
		for _, op := range []string{"set", "hint"} {
			hint := 0
			if op == "hint" {
				hint = n
			}
			run(op, n, "gomap", func() uint64 {
				m := make(map[uint64]uint64, hint)
				onHeapMap = m
				for _, k := range keys {
					m[k] = k
				}
				return uint64(len(m))
			}, uint64(n))
			a := arena.NewArena()
			run(op, n, "map", func() uint64 {
				m := arena.NewMap[uint64, uint64](a, hint)
				for _, k := range keys {
					m.Set(k, k)
				}
				defer a.Reset()
				return uint64(m.Len())
			}, uint64(n))
			a.Free()
			a = arena.NewArena()
			run(op, n, "refmap", func() uint64 {
				var m arena.RefMap[uint64, uint64]
				if hint > 0 {
					m.Grow(a, hint)
				}
				for _, k := range keys {
					m.Set(a, k, k)
				}
				a.Reset()
				return uint64(m.Len())
			}, uint64(n))
			a.Free()
		}

		a := arena.NewArena()
		std, plain, ref := map[uint64]uint64{}, arena.NewMap[uint64, uint64](a, 0), arena.RefMap[uint64, uint64]{}
		onHeapMap = std
		sum := uint64(0)
		for _, k := range keys {
			std[k] = k
			plain.Set(k, k)
			ref.Set(a, k, k)
			sum += k
		}
		for _, c := range []struct {
			op   string
			from int
			want uint64
		}{{"get", 0, sum}, {"miss", n, 0}} {
			asked := make([]uint64, n) // in another order
			for i, at := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
				asked[i] = all[c.from+at]
			}
			run(c.op, n, "gomap", func() (sum uint64) {
				for _, k := range asked {
					sum += std[k]
				}
				return sum
			}, c.want)
			run(c.op, n, "map", func() (sum uint64) {
				for _, k := range asked {
					v, _ := plain.Get(k)
					sum += v
				}
				return sum
			}, c.want)
			run(c.op, n, "refmap", func() (sum uint64) {
				for _, k := range asked {
					v, _ := ref.Get(a, k)
					sum += v
				}
				return sum
			}, c.want)
		}
		run("all", n, "gomap", func() (sum uint64) {
			for _, v := range std {
				sum += v
			}
			return sum
		}, sum)
		run("all", n, "map", func() (sum uint64) {
			for _, v := range plain.All() {
				sum += v
			}
			return sum
		}, sum)
		run("all", n, "refmap", func() (sum uint64) {
			for _, v := range ref.All(a) {
				sum += v
			}
			return sum
		}, sum)
		a.Free()
	}
}

// TestRefMapLarge measures a map of as many entries as -refmap.n says.
func TestRefMapLarge(t *testing.T) {
	n := *refMapN
	if n == 0 {
		n = 100_000
	}
	key := func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }
	since := func(start time.Time) string {
		return fmt.Sprintf("%.0f ns", float64(time.Since(start).Nanoseconds())/float64(n))
	}
	a := arena.NewArena()
	var m arena.RefMap[uint64, uint64]
	start := time.Now()
	worst := time.Duration(0)
	for i := range n {
		if i%1000 == 0 {
			before := time.Now()
			m.Set(a, key(i), uint64(i))
			worst = max(worst, time.Since(before))
			continue
		}
		m.Set(a, key(i), uint64(i))
	}
	t.Logf("Set: %s", since(start))
	start = time.Now()
	for i := range n {
		at := int(uint64(i) * 0x9e3779b1 % uint64(n))
		if v, ok := m.Get(a, key(at)); !ok || v != uint64(at) {
			t.Fatalf("%d is %d, %v", at, v, ok)
		}
	}
	t.Logf("Get: %s", since(start))
	start = time.Now()
	for i := range n {
		if _, ok := m.Get(a, key(n+i)); ok {
			t.Fatalf("%d is there", n+i)
		}
	}
	t.Logf("Get of a key that is not there: %s", since(start))
	start = time.Now()
	runtime.GC()
	t.Logf("GC: %v", time.Since(start))
	s := a.Stats()
	t.Logf("%.1f bytes used, %.1f reserved", float64(s.InUse)/float64(n), float64(s.Reserved)/float64(n))
}
