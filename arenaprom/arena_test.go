package arenaprom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/prometheus/client_golang/prometheus"
)

// TestOwner scrapes an arena and a Group while their owners use them: each scrape is of
// one round, which says of itself in all figures which one it is.
func TestOwner(t *testing.T) {
	const scrapes = 100
	const int64s, others = `,type="int64"`, `,type="other"`
	a, g := arena.NewWith(arena.Options{Limit: 1 << 20}), arena.NewGroup()
	var ofArena, ofGroup atomic.Pointer[arena.Stats]
	ofArena.Store(new(a.Stats()))
	ofGroup.Store(new(g.Stats()))
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(
		NewArenaTypesCollector("arena", func() arena.Stats { return *ofArena.Load() }, 1),
		NewArenaTypesCollector("group", func() arena.Stats { return *ofGroup.Load() }, 1),
	)
	server := httptest.NewServer(handler(registry))
	defer server.Close()

	// check returns the round that the scrape saw of the arena.
	check := func() (round float64) {
		got := scrape(t, server.URL)
		for _, name := range []string{"arena", "group"} {
			get := func(metric, labels string) float64 {
				key := fmt.Sprintf("arena_%s{arena=%q%s}", metric, name, labels)
				v, ok := got[key]
				if !ok {
					t.Fatalf("no %s: %v", key, got)
				}
				return v
			}
			i := get("resets_total", "")
			n := math.Mod(i, 200)
			if i == 0 && get("in_use_bytes", "") == 0 {
				continue // before the first round, in which int64 becomes known
			}
			if v := get("type_values", int64s); v != n+1 {
				t.Errorf("%s: %v values in round %v", name, v, n)
			}
			if v := get("type_bytes", int64s); v != 8*(n+1) {
				t.Errorf("%s: %v bytes of values in round %v", name, v, n)
			}
			if v := get("type_bytes", others); v != 2*n {
				t.Errorf("%s: %v bytes of others in round %v", name, v, n)
			}
			if v := get("in_use_bytes", ""); v != 8*(n+1)+2*n || v > get("reserved_bytes", "") || v > get("peak_bytes", "") {
				t.Errorf("%s: %v bytes in use in round %v: %v", name, v, n, got)
			}
			if v := get("limit_errors_total", ""); name == "arena" && v != i+1 {
				t.Errorf("%s: %v limits in round %v", name, v, i)
			}
			if name == "arena" {
				round = i
			}
		}
		return round
	}

	var stop atomic.Bool
	var owners sync.WaitGroup
	defer owners.Wait()
	defer stop.Store(true)
	owners.Go(func() {
		for i := 0; !stop.Load(); i++ {
			n := i % 200
			for range n + 1 {
				arena.New[int64](a)
			}
			arena.MakeSlice[byte](a, n, n)
			arena.String(a, strings.Repeat("x", n))
			arena.Try(func() { arena.MakeSlice[byte](a, 2<<20, 2<<20) })
			ofArena.Store(new(a.Stats()))
			a.Reset()
		}
	})
	owners.Go(func() {
		for i := 0; !stop.Load(); i++ {
			n := i % 200
			g.Go(func(a *arena.Arena) { arena.MakeSlice[int64](a, n+1, n+1) })
			g.Go(func(a *arena.Arena) { arena.MakeSlice[byte](a, n, n) })
			g.Go(func(a *arena.Arena) { arena.String(a, strings.Repeat("x", n)) })
			g.Wait()
			ofGroup.Store(new(g.Stats()))
			g.Reset()
		}
	})
	seen := map[float64]bool{}
	for i := 0; i < scrapes || len(seen) < 2 && !t.Failed(); i++ {
		seen[check()] = true
	}
	stop.Store(true)
	owners.Wait()
	a.Free()
	ofArena.Store(new(a.Stats()))
	got := scrape(t, server.URL)
	if got[`arena_freed{arena="arena"}`] != 1 || got[`arena_freed{arena="group"}`] != 0 || got[`arena_in_use_bytes{arena="arena"}`] != 0 {
		t.Errorf("after Free: %v", got)
	}
}

// TestTypes plays random Types to a collector, several scrapes at a time, and
// checks that series are bounded, never go away, and sum up to all.
func TestTypes(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		var stats atomic.Pointer[arena.Stats]
		stats.Store(&arena.Stats{})
		most := 1 + r.IntN(6)
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(NewArenaTypesCollector("a", func() arena.Stats { return *stats.Load() }, most))
		known := map[string]bool{"other": true} // the model: which names have a series
		for range 20 {
			s := &arena.Stats{}
			want := map[string]float64{}
			for range r.IntN(8) {
				t := arena.TypeStats{Name: string(rune('a' + r.IntN(10))), Count: r.Int64N(9), Bytes: r.Int64N(1e15)}
				s.Types = append(s.Types, t)
				s.InUse += t.Bytes
				name := t.Name
				if !known[name] && len(known) <= most {
					known[name] = true
				}
				if !known[name] {
					name = "other"
				}
				want[fmt.Sprintf(`arena_type_bytes{arena="a",type=%q}`, name)] += float64(t.Bytes)
				want[fmt.Sprintf(`arena_type_values{arena="a",type=%q}`, name)] += float64(t.Count)
			}
			stats.Store(s)
			var scrapers sync.WaitGroup
			for range 3 {
				scrapers.Go(func() {
					sum, series := 0.0, 0
					for key, v := range gather(t, registry) {
						if strings.HasPrefix(key, "arena_type_") && v != want[key] {
							t.Errorf("%s = %v, want %v", key, v, want[key])
						}
						if strings.HasPrefix(key, "arena_type_bytes") {
							sum += v
							series++
						}
					}
					if sum != float64(s.InUse) || series != len(known) {
						t.Errorf("%d series with %v bytes, want %d with %d", series, sum, len(known), s.InUse)
					}
				})
			}
			scrapers.Wait()
		}
	}
}
