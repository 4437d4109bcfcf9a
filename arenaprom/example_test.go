package arenaprom_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/arenaprom"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// printMetrics prints what a scrape of the handler says of the named metrics.
func printMetrics(metrics http.Handler, names ...string) {
	w := httptest.NewRecorder()
	metrics.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		for _, name := range names {
			if strings.HasPrefix(line, name+"{") {
				fmt.Print(line)
			}
		}
	}
}

// A server has pools, which it registers under different names.
func ExampleNewPoolCollector() {
	requests := &arena.Pool{Options: arena.Options{Limit: 1 << 20}}
	batches := &arena.Pool{}

	registry := prometheus.NewRegistry()
	registry.MustRegister(
		arenaprom.NewPoolCollector("requests", requests),
		arenaprom.NewPoolCollector("batches", batches),
	)
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{}) // for /metrics

	for range 3 {
		requests.Do(func(a *arena.Arena) { arena.String(a, "a request") })
	}
	a := requests.Get()
	err := arena.Try(func() { arena.MakeSlice[byte](a, 1<<30, 1<<30) })
	fmt.Println(err != nil)
	requests.Put(a)

	printMetrics(metrics, "arena_pool_gets_total", "arena_pool_puts_total", "arena_pool_limit_errors_total")
	// Output:
	// true
	// arena_pool_gets_total{pool="batches"} 0
	// arena_pool_gets_total{pool="requests"} 4
	// arena_pool_limit_errors_total{pool="batches"} 0
	// arena_pool_limit_errors_total{pool="requests"} 1
	// arena_pool_puts_total{pool="batches"} 0
	// arena_pool_puts_total{pool="requests"} 4
}

// The goroutine that uses an arena stores its Stats after each round, and scrapes see the Stats of
// the last complete round.
func ExampleNewArenaCollector() {
	a := arena.NewArena()
	defer a.Free()
	var last atomic.Pointer[arena.Stats]
	last.Store(new(a.Stats()))

	registry := prometheus.NewRegistry()
	registry.MustRegister(arenaprom.NewArenaCollector("parser", func() arena.Stats { return *last.Load() }))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	for n := range 3 {
		arena.MakeSlice[byte](a, 100*n, 100*n)
		last.Store(new(a.Stats())) // before Reset, when the arena is full
		a.Reset()
	}

	printMetrics(metrics, "arena_in_use_bytes", "arena_peak_bytes", "arena_resets_total")
	// Output:
	// arena_in_use_bytes{arena="parser"} 200
	// arena_peak_bytes{arena="parser"} 200
	// arena_resets_total{arena="parser"} 2
}

// An arena that a lock guards may be asked under that lock.
func ExampleNewArenaCollector_lock() {
	var index struct {
		sync.Mutex
		arena arena.Arena
		words []string
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(arenaprom.NewArenaCollector("index", func() arena.Stats {
		index.Lock()
		defer index.Unlock()
		return index.arena.Stats()
	}))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	var wait sync.WaitGroup
	for _, word := range []string{"hay", "needle", "hay"} {
		wait.Go(func() {
			index.Lock()
			defer index.Unlock()
			index.words = arena.Append(&index.arena, index.words, arena.String(&index.arena, word))
		})
	}
	wait.Wait()

	printMetrics(metrics, "arena_resets_total", "arena_freed")
	// Output:
	// arena_freed{arena="index"} 0
	// arena_resets_total{arena="index"} 0
}

// The Stats of a Group are taken when its goroutines have ended.
func ExampleNewArenaTypesCollector() {
	type point struct{ X, Y int32 }
	g := arena.NewGroup()
	defer g.Free()
	var last atomic.Pointer[arena.Stats]
	last.Store(new(g.Stats()))

	registry := prometheus.NewRegistry()
	registry.MustRegister(arenaprom.NewArenaTypesCollector("import", func() arena.Stats { return *last.Load() }, 20))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	for range 4 {
		g.Go(func(a *arena.Arena) {
			arena.New[point](a)
			arena.String(a, "text")
		})
	}
	g.Wait()
	last.Store(new(g.Stats()))
	g.Reset()

	printMetrics(metrics, "arena_in_use_bytes", "arena_type_bytes", "arena_type_values")
	// Output:
	// arena_in_use_bytes{arena="import"} 48
	// arena_type_bytes{arena="import",type="arenaprom_test.point"} 32
	// arena_type_bytes{arena="import",type="other"} 0
	// arena_type_bytes{arena="import",type="text"} 16
	// arena_type_values{arena="import",type="arenaprom_test.point"} 4
	// arena_type_values{arena="import",type="other"} 0
	// arena_type_values{arena="import",type="text"} 4
}

// An allocator for Arrow has a child for each query. The figures of queries of one name are
// together.
func ExampleNewAllocatorCollector() {
	alloc := arenaarrow.New(arenaarrow.Options{Limit: 1 << 30, Names: 100})
	registry := prometheus.NewRegistry()
	registry.MustRegister(arenaprom.NewAllocatorCollector("queries", alloc))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	for _, size := range []int{1000, 3000, 2000} {
		q := alloc.Child("top customers")
		q.SetLimit(2500)
		b := q.Allocate(size)
		if !q.Exceeded() {
			q.Free(b) // The others leak it.
		}
		q.Close()
	}

	printMetrics(metrics, "arena_arrow_limit_bytes", "arena_arrow_peak_bytes", "arena_arrow_child_closed_total", "arena_arrow_child_exceeded_total",
		"arena_arrow_child_leaked_bytes_total", "arena_arrow_child_peak_bytes")
	// Output:
	// arena_arrow_child_closed_total{allocator="queries",child="other"} 0
	// arena_arrow_child_closed_total{allocator="queries",child="top customers"} 3
	// arena_arrow_child_exceeded_total{allocator="queries",child="other"} 0
	// arena_arrow_child_exceeded_total{allocator="queries",child="top customers"} 1
	// arena_arrow_child_leaked_bytes_total{allocator="queries",child="other"} 0
	// arena_arrow_child_leaked_bytes_total{allocator="queries",child="top customers"} 3000
	// arena_arrow_child_peak_bytes{allocator="queries",child="other"} 0
	// arena_arrow_child_peak_bytes{allocator="queries",child="top customers"} 3000
	// arena_arrow_limit_bytes{allocator="queries"} 1.073741824e+09
	// arena_arrow_peak_bytes{allocator="queries"} 3000
}
