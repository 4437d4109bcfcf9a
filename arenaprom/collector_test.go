package arenaprom

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// distinct returns an S whose fields that are numbers are 1, 2 and so on, and those that
// are bools true.
func distinct[S any](t *testing.T) (s S) {
	n := int64(0)
	for _, v := range reflect.ValueOf(&s).Elem().Fields() {
		switch v.Kind() {
		case reflect.Int, reflect.Int64:
			n++
			v.SetInt(n)
		case reflect.Bool:
			v.SetBool(true)
		}
	}
	if n == 0 {
		t.Fatalf("%T has no numbers", s)
	}
	return s
}

func distinctPool(t *testing.T) *collector[arena.PoolStats] {
	stats := distinct[arena.PoolStats](t)
	return newCollector(func() arena.PoolStats { return stats }, metrics.Pool, prometheus.Labels{"pool": "p"})
}

func distinctArena(t *testing.T) func() arena.Stats {
	stats := distinct[arena.Stats](t)
	stats.Types = []arena.TypeStats{
		{Name: "[]string", Count: 101, Bytes: 1616},
		{Name: "main.Node", Count: 30, Bytes: 1440},
		{Name: "text", Count: 99, Bytes: 1234},
		{Name: "main.Node", Count: 2, Bytes: 16}, // of another package main, so to speak
		{Name: "main.Edge", Count: 1, Bytes: 8},
		{Name: "int32", Count: 1, Bytes: 4},
	}
	return func() arena.Stats { return stats }
}

func distinctAllocator(t *testing.T) *allocatorCollector {
	stats, byName := distinct[arenaarrow.Stats](t), map[string]arenaarrow.NameStats{"q": distinct[arenaarrow.NameStats](t), "other": {}}
	return newAllocatorCollector("a", func() arenaarrow.Stats { return stats }, func() map[string]arenaarrow.NameStats { return byName })
}

// TestExposition compares a scrape of each collector, whose figures are distinct, with a
// file, which is what a reader of the metrics sees, and has the names linted. When it fails
// it prints the lines that the file lacks.
func TestExposition(t *testing.T) {
	for file, c := range map[string]prometheus.Collector{
		"testdata/pool.txt":  distinctPool(t),
		"testdata/arena.txt": NewArenaCollector("a", distinctArena(t)),
		"testdata/types.txt": NewArenaTypesCollector("a", distinctArena(t), 3),

		"testdata/allocator.txt": distinctAllocator(t),
	} {
		want, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		// It is registered with a pedantic registry to be collected.
		if err := testutil.CollectAndCompare(c, want); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		problems, err := testutil.CollectAndLint(c)
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", file, problems, err)
		}
	}
}

// TestFields checks that each field is exported, alone, or known not to be.
func TestFields(t *testing.T) {
	testFields(t, metrics.Pool)
	testFields(t, metrics.Arena, "Types") // see NewArenaTypesCollector
	testFields(t, allocatorMetrics)
	testFields(t, childMetrics)
	types := &typesCollector{most: 1, names: map[string]bool{}}
	for f := range reflect.TypeFor[arena.TypeStats]().Fields() {
		if f.Name == "Name" || f.Name == "Type" { // the label, which has the name of the Type
			continue
		}
		var in arena.TypeStats
		setOne(t, reflect.ValueOf(&in).Elem().FieldByIndex(f.Index))
		if out := types.byName([]arena.TypeStats{in})[""]; out != in {
			t.Errorf("TypeStats.%s is not exported by NewArenaTypesCollector: %+v from %+v", f.Name, out, in)
		}
	}
}

func testFields[S any](t *testing.T, figures []metrics.Metric[S], except ...string) {
	exported := map[string]bool{}
	for f := range reflect.TypeFor[S]().Fields() {
		if slices.Contains(except, f.Name) {
			continue
		}
		var s S
		setOne(t, reflect.ValueOf(&s).Elem().FieldByIndex(f.Index))
		var names []string
		for _, m := range figures {
			if m.Value(s) != 0 {
				names = append(names, m.Name)
				exported[m.Name] = true
			}
		}
		if len(names) != 1 {
			t.Errorf("%T.%s is exported as %q, want one metric; add it to the table, or to the exceptions here", s, f.Name, names)
		}
	}
	for _, m := range figures {
		if !exported[m.Name] {
			t.Errorf("%s is of no field", m.Name)
		}
	}
}

func setOne(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Errorf("the test does not know how to set a %s", v.Type())
	}
}

// TestDescribe checks that Describe tells of just what Collect sends, when Types differ too.
func TestDescribe(t *testing.T) {
	for name, c := range map[string]prometheus.Collector{
		"pool":  NewPoolCollector("p", new(arena.Pool)),
		"arrow": NewAllocatorCollector("a", arenaarrow.New(arenaarrow.Options{Names: 1})),
		"arena": NewArenaCollector("a", distinctArena(t)),
		"types": NewArenaTypesCollector("a", distinctArena(t), 2),
		"empty": NewArenaTypesCollector("a", func() arena.Stats { return arena.Stats{} }, 2),
	} {
		described, collected := map[*prometheus.Desc]bool{}, map[*prometheus.Desc]bool{}
		descs := make(chan *prometheus.Desc)
		go func() { c.Describe(descs); close(descs) }()
		for d := range descs {
			if described[d] {
				t.Errorf("%s: %v is described twice", name, d)
			}
			described[d] = true
		}
		metrics := make(chan prometheus.Metric)
		go func() { c.Collect(metrics); close(metrics) }()
		for m := range metrics {
			collected[m.Desc()] = true
		}
		if !reflect.DeepEqual(described, collected) {
			t.Errorf("%s: %d metrics are described, and %d others collected", name, len(described), len(collected))
		}
	}
}

// TestOneSnapshot checks that a scrape takes one snapshot, and takes all from it.
func TestOneSnapshot(t *testing.T) {
	n := int64(0) // the number of snapshots
	pool := newCollector(func() (s arena.PoolStats) {
		n++
		for _, v := range reflect.ValueOf(&s).Elem().Fields() {
			v.SetInt(n)
		}
		return s
	}, metrics.Pool, prometheus.Labels{"pool": "p"})
	stats := func() arena.Stats {
		n++
		return arena.Stats{
			InUse: n, Reserved: n, Peak: n, Chunks: int(n), Resets: n, RefBytes: n, LimitHits: n, Freed: true,
			Types: []arena.TypeStats{{Name: "int", Count: n, Bytes: n}},
		}
	}
	for name, c := range map[string]prometheus.Collector{
		"pool":  pool,
		"arena": NewArenaCollector("a", stats),
		"types": NewArenaTypesCollector("a", stats, 1),
	} {
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(c)
		n = 0
		for scrape := range 3 {
			for key, v := range gather(t, r) {
				if v != float64(scrape+1) && !strings.HasPrefix(key, "arena_freed") && !strings.Contains(key, `"other"`) {
					t.Errorf("%s: scrape %d has %s = %v", name, scrape+1, key, v)
				}
			}
			if n != int64(scrape+1) {
				t.Fatalf("%s: %d snapshots were taken by %d scrapes", name, n, scrape+1)
			}
		}
	}
}

// TestNames checks which names can be registered together.
func TestNames(t *testing.T) {
	stats := func() arena.Stats { return arena.Stats{} }
	r := prometheus.NewPedanticRegistry()
	for _, name := range []string{"", "a", "b", `say "so"\` + "\n", "ä"} {
		for kind, make := range map[string]func() prometheus.Collector{
			"pool":  func() prometheus.Collector { return NewPoolCollector(name, nil) },
			"arena": func() prometheus.Collector { return NewArenaCollector(name, stats) },
		} {
			if err := r.Register(make()); err != nil {
				t.Errorf("%s %q: %v", kind, name, err)
			}
			var already prometheus.AlreadyRegisteredError
			if err := r.Register(make()); !errors.As(err, &already) {
				t.Errorf("%s %q again: %v, want an AlreadyRegisteredError", kind, name, err)
			}
		}
	}
	if err := r.Register(NewArenaTypesCollector("a", stats, 1)); err == nil {
		t.Error("the metrics of arena a were registered twice")
	}
	if err := r.Register(NewPoolCollector("\xff", nil)); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
	got := gather(t, r)
	if want := 5 * (len(metrics.Pool) + len(metrics.Arena)); len(got) != want {
		t.Errorf("%d metrics, want %d", len(got), want)
	}
	for key, v := range got {
		if v != 0 {
			t.Errorf("%s = %v, want 0", key, v)
		}
	}
}

// TestChildNames has children whose names are not UTF-8: a scrape has them, and those that become
// equal together.
func TestChildNames(t *testing.T) {
	byName := map[string]arenaarrow.NameStats{}
	a, b := distinct[arenaarrow.NameStats](t), distinct[arenaarrow.NameStats](t)
	a.Peak, b.Limit = 50, 60
	byName["tenant \xff"], byName["tenant \xfe\xfd"], byName["tenant"] = a, b, a
	both := arenaarrow.NameStats{Made: 2, Closed: 4, InUse: 6, Reserved: 8, Peak: 50, Limit: 60, Exceeded: 14, Refused: 16, Leaked: 18}
	want := map[string]arenaarrow.NameStats{"tenant \ufffd": both, "tenant": a}
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(newAllocatorCollector("a", func() arenaarrow.Stats { return arenaarrow.Stats{} }, func() map[string]arenaarrow.NameStats { return byName }))
	got := gather(t, r)
	n := len(allocatorMetrics)
	for name, s := range want {
		for _, m := range childMetrics {
			n++
			key := fmt.Sprintf("%s{allocator=\"a\",child=\"%s\"}", m.Name, name)
			if v, ok := got[key]; !ok || v != float64(m.Value(s)) {
				t.Errorf("%s is %v, %v, want %d", key, v, ok, m.Value(s))
			}
		}
	}
	if len(got) != n {
		t.Errorf("%d series, want %d", len(got), n)
	}

	root := arenaarrow.New(arenaarrow.Options{Names: 1})
	root.Child("\xff").Close()
	r = prometheus.NewPedanticRegistry()
	r.MustRegister(NewAllocatorCollector("root", root))
	if got := gather(t, r); got["arena_arrow_child_made_total{allocator=\"root\",child=\"\ufffd\"}"] != 1 {
		t.Errorf("%v", got)
	}
}

func TestPanics(t *testing.T) {
	stats := func() arena.Stats { return arena.Stats{} }
	for want, f := range map[string]func(){
		"arenaprom: NewArenaCollector with a nil function":      func() { NewArenaCollector("a", nil) },
		"arenaprom: NewArenaTypesCollector with a nil function": func() { NewArenaTypesCollector("a", nil, 1) },
		"arenaprom: NewAllocatorCollector with a nil allocator": func() { NewAllocatorCollector("a", nil) },
		"arenaprom: NewArenaTypesCollector of 0 types":          func() { NewArenaTypesCollector("a", stats, 0) },
		"arenaprom: NewArenaTypesCollector of -1 types":         func() { NewArenaTypesCollector("a", stats, -1) },
	} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, want+"; ") {
					t.Errorf("panic %q, want %q and what to do", r, want)
				}
			}()
			f()
		}()
	}
	// A panic of the function is an error of the scrape.
	r := prometheus.NewRegistry()
	r.MustRegister(NewArenaCollector("a", func() arena.Stats { panic("no stats") }))
	if _, err := r.Gather(); err == nil || !strings.Contains(err.Error(), "no stats") {
		t.Error(err)
	}
}

// TestDocNames checks that the package comment names metrics that exist.
func TestDocNames(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(distinctPool(t), NewArenaTypesCollector("a", distinctArena(t), 1), distinctAllocator(t))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"arena_": true, "arena_pool_": true, "arena_arrow_": true}
	for _, f := range families {
		known[f.GetName()] = true
	}
	names := regexp.MustCompile(`\barena_\w*`).FindAllString(string(doc), -1)
	if len(names) < 5 {
		t.Fatalf("only %q found", names)
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("doc.go: there is no metric %s", name)
		}
	}
}
