package ref_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// BenchmarkCopyRefs copies a map whose keys and values are text.
func BenchmarkCopyRefs(b *testing.B) {
	for _, n := range []int{20_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var m, fresh ref.TextMap[ref.String]
			a, to := arena.NewArena(), arena.NewArena()
			inTo := ref.In(to)
			s := ref.In(a)
			defer a.Free()
			defer to.Free()
			for i := range n {
				m.Set(s, fmt.Sprint("key ", i), ref.NewString(s, fmt.Sprint("value ", i)))
			}
			for b.Loop() {
				to.Reset()
				ref.Copy(inTo, &fresh, s, &m)
			}
		})
	}
}

var mapEntries = flag.Int("map.n", 0, "number of entries of TestMapLarge, such as 100000000, which take 2.4 GB")

// BenchmarkMap compares a Map with a Map and with Go's map. A round of set makes a map of n
// entries, one of hint one that has room for them, in an arena that is Reset after it; a round of
// get, miss, and all reads such a map.
func BenchmarkMap(b *testing.B) {
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
			s := ref.In(a)
			run(op, n, "refmap", func() uint64 {
				var m ref.Map[uint64, uint64]
				if hint > 0 {
					m.Grow(s, hint)
				}
				for _, k := range keys {
					m.Set(s, k, k)
				}
				a.Reset()
				return uint64(m.Len())
			}, uint64(n))
			a.Free()
		}

		a := arena.NewArena()
		s := ref.In(a)
		std, plain, refs := map[uint64]uint64{}, arena.NewMap[uint64, uint64](a, 0), ref.Map[uint64, uint64]{}
		onHeapMap = std
		sum := uint64(0)
		for _, k := range keys {
			std[k] = k
			plain.Set(k, k)
			refs.Set(s, k, k)
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
					v, _ := refs.Get(s, k)
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
			for _, v := range refs.All(s) {
				sum += v
			}
			return sum
		}, sum)
		a.Free()
	}
}

// TestMapLarge measures a map of as many entries as -map.n says.
func TestMapLarge(t *testing.T) {
	n := *mapEntries
	if n == 0 {
		n = 100_000
	}
	key := func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }
	since := func(start time.Time) string {
		return fmt.Sprintf("%.0f ns", float64(time.Since(start).Nanoseconds())/float64(n))
	}
	a := arena.NewArena()
	space := ref.In(a)
	var m ref.Map[uint64, uint64]
	start := time.Now()
	worst := time.Duration(0)
	for i := range n {
		if i%1000 == 0 {
			before := time.Now()
			m.Set(space, key(i), uint64(i))
			worst = max(worst, time.Since(before))
			continue
		}
		m.Set(space, key(i), uint64(i))
	}
	t.Logf("Set: %s", since(start))
	start = time.Now()
	for i := range n {
		at := int(uint64(i) * 0x9e3779b1 % uint64(n))
		if v, ok := m.Get(space, key(at)); !ok || v != uint64(at) {
			t.Fatalf("%d is %d, %v", at, v, ok)
		}
	}
	t.Logf("Get: %s", since(start))
	start = time.Now()
	for i := range n {
		if _, ok := m.Get(space, key(n+i)); ok {
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

// BenchmarkTree compares a Tree with Go's map, where that is fair: a map is not in order, so op=all
// sorts the keys first. A round is of n entries: it sets them in random order in a new tree,
// op=append in order of their keys, looks each up, walks over all, or deletes each and sets another
// one. op=gc is one runtime.GC().
func BenchmarkTree(b *testing.B) {
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
		s := ref.In(a)
		run("set", "reftree", func() int {
			a.Reset()
			var t ref.Tree[uint64, int]
			for i, k := range keys[:n] {
				t.Set(s, k, i)
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
			var t ref.Tree[uint64, int]
			for i := range n {
				t.Set(s, uint64(i), i)
			}
			return t.Len()
		}, n)

		a.Reset()
		var t ref.Tree[uint64, int]
		var text ref.TextTree[int]
		m, texts := map[uint64]int{}, make([]string, n)
		for i, k := range keys[:n] {
			t.Set(s, k, i)
			m[k] = i
			texts[i] = fmt.Sprintf("key-%d", k)
			text.Set(s, texts[i], i)
		}
		run("get", "reftree", func() (sum int) {
			for _, i := range order {
				v, _ := t.Get(s, keys[i])
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
				v, _ := text.Get(s, texts[i])
				sum += v
			}
			return sum
		}, below(n))
		run("all", "reftree", func() (sum int) {
			for _, v := range t.All(s) {
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
				t.Delete(s, k)
				t.Set(s, out[i], i)
			}
			in, out = out, in
			return t.Len()
		}, n)
		a.Free()
	}
}

var sizes = []int{10, 100, 1000, 10_000, 100_000, 1_000_000}

// onHeapMap is what keeps maps of Go's from the stack.
var onHeapMap any

// below returns the sum of the numbers below n.
func below(n int) int { return n * (n - 1) / 2 }
