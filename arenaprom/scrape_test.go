package arenaprom

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/metrics"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// gather returns the values of a scrape by the metric with its labels, as in the text format. It
// parses that text itself. Any goroutine may call it.
func gather(t *testing.T, g prometheus.Gatherer) map[string]float64 {
	w := httptest.NewRecorder()
	handler(g).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return parse(t, w.Result())
}

// scrape is gather over HTTP.
func scrape(t *testing.T, url string) map[string]float64 {
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return nil
	}
	return parse(t, resp)
}

func handler(g prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})
}

func parse(t *testing.T, resp *http.Response) map[string]float64 {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("scrape: %s: %s, %v", resp.Status, text, err)
		return nil
	}
	values := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		key := line[:max(i, 0)]
		v, err := strconv.ParseFloat(strings.TrimSpace(line[i+1:]), 64)
		if _, twice := values[key]; twice || err != nil {
			t.Errorf("scrape: bad line %s", line)
		}
		values[key] = v
	}
	return values
}

// A poolModel knows what was done with a pool, without asking it.
type poolModel struct {
	pool *arena.Pool

	mu                               sync.Mutex
	gets, puts, freed, dropped, lost int
	limits, resets, allocated, peak  int
	made                             map[weak.Pointer[arena.Arena]]bool
}

// step does something with an arena of the pool, and notes it.
func (m *poolModel) step(r *rand.Rand) {
	a := m.pool.Get()
	var bytes, limits, resets, peak, before int
	for range r.IntN(6) {
		if r.IntN(3) == 0 {
			a.Reset()
			resets++
			before += bytes
			peak = max(peak, bytes)
			bytes = 0
		}
		n := 1 + r.IntN(400)
		arena.MakeSlice[byte](a, n, n)
		bytes += n
		if r.IntN(4) == 0 {
			*arena.New[*int](a) = new(int)
			bytes += strconv.IntSize / 8
		}
		if arena.Try(func() { arena.MakeSlice[byte](a, 1<<16, 1<<16) }) != nil {
			limits++
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gets++
	m.limits += limits
	m.resets += resets
	m.allocated += before
	m.peak = max(m.peak, peak)
	ended := func() {
		m.allocated += bytes
		m.peak = max(m.peak, bytes)
	}
	m.made[weak.Make(a)] = true
	switch r.IntN(10) {
	case 0:
		a.Free()
		m.pool.Put(a) // does nothing
		m.freed++
		ended()
	case 1:
		m.pool.Drop(a)
		m.dropped++
	case 2:
		m.lost++
	default:
		m.pool.Put(a)
		m.puts++
		m.resets++
		ended()
	}
}

// want returns the metrics of the pool when it is at rest and the collector took all.
func (m *poolModel) want(name string) map[string]float64 {
	want := map[string]float64{}
	for metric, v := range map[string]int{
		"gets_total":            m.gets,
		"puts_total":            m.puts,
		"freed_total":           m.freed,
		"dropped_total":         m.dropped,
		"lost_total":            m.lost,
		"made_total":            len(m.made),
		"collected_total":       len(m.made) - m.freed - m.dropped - m.lost,
		"limit_errors_total":    m.limits,
		"resets_total":          m.resets,
		"allocated_bytes_total": m.allocated,
		"peak_bytes":            m.peak,
		"out_arenas":            0,
		"idle_arenas":           0,
		"reserved_bytes":        0,
		"retained_bytes":        0,
	} {
		want[fmt.Sprintf("arena_pool_%s{pool=%q}", metric, name)] = float64(v)
	}
	return want
}

// TestScrape scrapes two pools over HTTP, while goroutines use them and the collector
// runs: what only grows never goes back, and what one snapshot says fits together. At
// rest all is as the model has it.
func TestScrape(t *testing.T) {
	seed := testrun.Seed(t)
	models := map[string]*poolModel{
		"small": {pool: &arena.Pool{Options: arena.Options{Limit: 8 << 10}, Retain: 512}},
		"large": {pool: &arena.Pool{Options: arena.Options{Limit: 16 << 10}}},
	}
	registry := prometheus.NewPedanticRegistry()
	for name, m := range models {
		m.made = map[weak.Pointer[arena.Arena]]bool{}
		registry.MustRegister(NewPoolCollector(name, m.pool))
	}
	server := httptest.NewServer(handler(registry))
	defer server.Close()

	const scrapes, leastSteps = 120, 200
	var stop atomic.Bool
	var users sync.WaitGroup
	defer users.Wait()
	defer stop.Store(true)
	for i := range uint64(4) {
		users.Go(func() {
			r := rand.New(rand.NewPCG(seed, i))
			for n := 0; n < leastSteps || !stop.Load(); n++ {
				runtime.Gosched() // so that the scrapes get their turn, on one processor too
				models["small"].step(r)
				if r.IntN(3) == 0 {
					models["large"].step(r)
				}
			}
		})
	}

	last := map[string]float64{}
	check := func() map[string]float64 {
		now := scrape(t, server.URL)
		if len(now) != 2*len(metrics.Pool) {
			t.Fatalf("%d metrics, want %d", len(now), 2*len(metrics.Pool))
		}
		for key, v := range now {
			grows := strings.Contains(key, "_total{") || strings.Contains(key, "_peak_")
			if v < 0 || grows && v < last[key] {
				t.Errorf("%s = %v after %v", key, v, last[key])
			}
		}
		for name := range models {
			get := func(metric string) float64 { return now[fmt.Sprintf("arena_pool_%s{pool=%q}", metric, name)] }
			if get("retained_bytes") > get("reserved_bytes") {
				t.Errorf("%s: more bytes are retained than reserved: %v", name, now)
			}
			if get("idle_arenas")+get("out_arenas")+get("lost_total")+get("collected_total") > get("made_total") {
				t.Errorf("%s: there are more arenas than were made: %v", name, now)
			}
		}
		last = now
		return now
	}
	for i := range scrapes {
		if i%8 == 0 {
			runtime.GC()
		}
		check()
	}
	stop.Store(true)
	users.Wait()

	want := map[string]float64{}
	for name, m := range models {
		for key, v := range m.want(name) {
			want[key] = v
		}
		if m.freed == 0 || m.dropped == 0 || m.lost == 0 || m.limits == 0 || m.resets == m.puts {
			t.Errorf("%s: the program did not do all there is: %+v", name, m)
		}
	}
	// What is lost or idle is known when the collector has found it.
	settled := func(got map[string]float64) bool {
		for name := range models {
			metric := func(metric string) string { return fmt.Sprintf("arena_pool_%s{pool=%q}", metric, name) }
			for _, m := range []string{"out_arenas", "idle_arenas", "reserved_bytes"} {
				if got[metric(m)] != 0 {
					return false
				}
			}
		}
		return true
	}
	got := check()
	for !settled(got) && !t.Failed() {
		runtime.GC()
		got = check()
	}
	for key, v := range got {
		if v != want[key] {
			t.Errorf("%s = %v, want %v", key, v, want[key])
		}
	}
	runtime.KeepAlive(models)
}
