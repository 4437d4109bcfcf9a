package small

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/ref"
)

// CurveSizes are powers of two, and the numbers of entries just past a growth of a Map, which has
// room for six entries in each of a power of two of groups.
var CurveSizes = []int{8, 13, 64, 97, 512, 769, 4096, 6145, 32_768, 49_153, 65_536, 98_305, 262_144, 393_217, 1 << 20}

// A mapOf is a map as a curve measures it.
type mapOf[K any] struct {
	name  string
	fresh func() // Makes it empty.
	set   func(keys []K)
	get   func(keys []K) (sum uint64)
}

func numbers(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }
func words(i int) string   { return fmt.Sprintf("%020d", numbers(i)) }

// curve measures maps of one key type at many sizes.
func curve[K comparable](name, title string, key func(i int) K) suite.Workload {
	w := suite.Workload{
		Name: name, Title: title, Unit: "entries",
		About: "A map of n entries is built without a hint; then keys in another order, text as copies, are looked up that are there (\"hit\"), " +
			"that are not (\"miss\"), and set again (\"set\"). CPU is the time of building.",
		Sizes: CurveSizes, Quick: []int{512}, Rounds: 4,
		Values: []suite.Value{{Name: "build", Unit: "s"}, {Name: "hit", Unit: "s"}, {Name: "miss", Unit: "s"}, {Name: "set", Unit: "s"}},
	}
	for _, m := range []func() mapOf[K]{goMap[K], arenaMap[K], refMap[K]} {
		w.Implementations = append(w.Implementations, suite.Implementation{Name: m().name, Measure: func(n int, d time.Duration) suite.Result {
			return measureCurve(m(), n, d, key)
		}})
	}
	return w
}

// copied returns k, and where it is text a copy of it, as keys are that come from outside: Go's map
// does not compare text with itself.
func copied[K comparable](k K) K {
	if s, ok := any(k).(string); ok {
		k = any(strings.Clone(s)).(K)
	}
	return k
}

func measureCurve[K comparable](m mapOf[K], n int, d time.Duration, key func(i int) K) suite.Result {
	all := make([]K, 2*n)
	for i := range all {
		all[i] = key(i + 1)
	}
	keys, missing, asked := all[:n], all[n:], make([]K, n)
	for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		asked[i] = copied(keys[at])
	}
	values := map[string]float64{}
	// each measures f for a fifth of the time, and a hundred thousand entries at least.
	each := func(name string, f func()) {
		f()
		start, rounds := suite.CPUTime(), 0
		for end := time.Now().Add(d / 5); rounds*n < 100_000 || time.Now().Before(end); rounds++ {
			for range max(1, 1000/n) {
				f()
			}
		}
		values[name] = (suite.CPUTime() - start).Seconds() / float64(rounds*max(1, 1000/n)) / float64(n)
	}
	meter := suite.NewMeter()
	meter.Start()
	each("build", func() { m.fresh(); m.set(keys) })
	each("hit", func() { meter.Check = m.get(asked) })
	each("miss", func() { meter.Check += m.get(missing) })
	each("set", func() { m.set(asked) })
	meter.Rounds = 1
	meter.Stop()
	meter.CPU, meter.Values, meter.Check = values["build"]*float64(n), values, m.get(asked)
	return meter.Result
}

func goMap[K comparable]() mapOf[K] {
	var m map[K]uint64
	return mapOf[K]{"gomap", func() { m = map[K]uint64{} },
		func(keys []K) {
			for i, k := range keys {
				m[k] = uint64(i)
			}
		},
		func(keys []K) (sum uint64) {
			for _, k := range keys {
				sum += m[k]
			}
			return sum
		}}
}

func arenaMap[K comparable]() mapOf[K] {
	a := arena.NewArena()
	var m *arena.Map[K, uint64]
	return mapOf[K]{"arena.Map", func() { a.Reset(); m = arena.NewMap[K, uint64](a, 0) },
		func(keys []K) {
			for i, k := range keys {
				m.Set(k, uint64(i))
			}
		},
		func(keys []K) (sum uint64) {
			for _, k := range keys {
				v, _ := m.Get(k)
				sum += v
			}
			return sum
		}}
}

// refMap is a ref.Map, or a ref.TextMap, which copies its keys.
func refMap[K comparable]() mapOf[K] {
	a := arena.NewArena()
	s := ref.In(a)
	if _, text := any(*new(K)).(string); text {
		m := new(ref.TextMap[uint64])
		t := mapOf[string]{"RefTextMap", func() { a.Reset(); m = new(ref.TextMap[uint64]) },
			func(keys []string) {
				for i, k := range keys {
					m.Set(s, k, uint64(i))
				}
			},
			func(keys []string) (sum uint64) {
				for _, k := range keys {
					v, _ := m.Get(s, k)
					sum += v
				}
				return sum
			}}
		return any(t).(mapOf[K])
	}
	m := new(ref.Map[K, uint64])
	return mapOf[K]{"RefMap", func() { a.Reset(); m = new(ref.Map[K, uint64]) },
		func(keys []K) {
			for i, k := range keys {
				m.Set(s, k, uint64(i))
			}
		},
		func(keys []K) (sum uint64) {
			for _, k := range keys {
				v, _ := m.Get(s, k)
				sum += v
			}
			return sum
		}}
}
