package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// A table is made of the saved run.
type table func(r *suite.Run) string

// newTables returns the tables that documents may have. Some use a part of the run that was made
// with an older Go; former is nil if there is none. Tables of runs that are measured apart are
// included if the runs exist.
func newTables(former *suite.Run) map[string]table {
	all := maps.Clone(tables)
	all["versions"] = func(r *suite.Run) string { return versionsTable(former, r) }
	for i := range apart {
		if a := &apart[i]; a.measured() {
			for name, t := range a.tables {
				all[name] = a.of(t)
			}
		}
	}
	return all
}

var tables = map[string]table{
	"run":     madeBy,
	"legend":  legendTable,
	"front":   frontTable,
	"objects": objectsTable,
	"peers":   peersTable,
	"trees":   treesTable,
	"live":    liveTable,
	"latency": latencyTable,
	"maps":    mapsTable,

	"entries":  entriesTable,
	"protobuf": func(r *suite.Run) string { return protobufTable(r, messages) },
	"kept":     keptTable,
	"arrow":    arrowTable,

	"published-trees":    publishedTrees,
	"published-person":   publishedPerson,
	"published-parallel": publishedParallel,
	"published-struct":   publishedStruct,
	"published-holder":   publishedHolder,
	"published-arrow":    publishedArrow,
}

// madeBy says which run the tables are of.
func madeBy(r *suite.Run) string {
	return fmt.Sprintf("%s, %s, %s: `%s`, medians of %d rounds%s%s.\n", r.Go, r.Machine, r.Date, r.Again(), r.Count, fewer(r), later(r))
}

// later says which workloads were measured again on another day, and when.
func later(r *suite.Run) string {
	names := map[string][]string{}
	for i := range r.Workloads {
		if m := &r.Workloads[i]; m.Date != "" && m.Date != r.Date && !slices.Contains(names[m.Date], m.Name) {
			names[m.Date] = append(names[m.Date], m.Name)
		}
	}
	text := ""
	for _, date := range slices.Sorted(maps.Keys(names)) {
		text += fmt.Sprintf("; `%s` again on %s", strings.Join(names[date], "`, `"), date)
	}
	return text
}

// fewer says which workloads have fewer rounds than the run, and how many. Those whose names begin
// alike stand together.
func fewer(r *suite.Run) string {
	names := map[int][]string{}
	for i := range r.Workloads {
		m := &r.Workloads[i]
		if n := rounds(m); n < r.Count {
			if name := family(r, m); !slices.Contains(names[n], name) {
				names[n] = append(names[n], name)
			}
		}
	}
	var text []string
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(names))) {
		text = append(text, fmt.Sprintf("%d of `%s`", n, strings.Join(names[n], "`, `")))
	}
	if text == nil {
		return ""
	}
	return ", but " + strings.Join(text, ", and ")
}

func rounds(m *suite.Measured) (n int) {
	for _, c := range m.Cells {
		n = max(n, len(c.Results))
	}
	return n
}

// family returns the shortest part of the name of m that only workloads with as many rounds begin
// with.
func family(r *suite.Run, m *suite.Measured) string {
	for i, c := range m.Name {
		begin := m.Name[:i+1]
		if c == '-' && !slices.ContainsFunc(r.Workloads, func(o suite.Measured) bool {
			return strings.HasPrefix(o.Name+"-", begin) && rounds(&o) != rounds(m)
		}) {
			return begin + "*"
		}
	}
	return m.Name
}

// overSizes returns a table with a row for each implementation of each workload, and a column for
// each n: how many times less CPU.
func overSizes(r *suite.Run, head string, workloads, implementations []named, sizes []int) string {
	g := grid{{head, "in"}}
	for _, n := range sizes {
		g[0] = append(g[0], suite.Thousands(n))
	}
	g[0][2] = "n = " + g[0][2]
	g[0] = append(g[0], "peak memory, largest n")
	for _, w := range workloads {
		title := w.title
		for _, i := range implementations {
			row, any, peak := []string{title, i.title}, false, ""
			for _, n := range sizes {
				m := r.Find(w.name, n)
				v := faster(m, i.name, suite.CPU)
				any = any || v != ""
				row = append(row, v)
				if v != "" {
					peak = faster(m, i.name, suite.Peak)
				}
			}
			if any {
				g, title = append(g, append(row, peak)), ""
			}
		}
	}
	return g.String()
}

var ways = []named{
	{"`Slab.New`, Reset", "slab-reset"},
	{"`New`, Reset", "arena-reset"},
	{"a new arena, `Slab.New`, Free", "slab-free"},
	{"a new arena, `New`, Free", "arena-free"},
	{"a nil arena", "arena-nil"},
	{"*sync.Pool of the values*", "sync.Pool"},
	{"*a slice of values, by hand*", "node-slice"},
	{"*heap with GOGC=400*", "heap-gogc400"},
}

func objectsTable(r *suite.Run) string {
	return overSizes(r, "work", []named{
		{"16 bytes without pointers, and a slice of pointers (`struct16`)", "struct16"},
		{"three strings, two integers (`person`)", "person"},
		{"strings of 1 to 256 bytes (`texts`)", "texts"},
		{"a struct that holds a slice (`holders`)", "holders"},
		{"append to eight slices in turn (`append`)", "append"},
		{"decode a batch of 6 MB into n objects (`batch`)", "batch"},
	}, ways, []int{10, 1000, 100_000, 1_000_000})
}

func mapsTable(r *suite.Run) string {
	return overSizes(r, "a map is built", []named{{"integers", "map-int"}, {"text", "map-text"}},
		[]named{{"`Map`, Reset", "arena-reset"}, {"`Map`, a new arena", "arena-free"}, {"`ref.Map`, `ref.TextMap`, Reset", "ref"}}, []int{10, 1000, 100_000, 1_000_000})
}

// compared are the implementations beside each other.
var compared = []named{
	{"Go heap", "heap"},
	{"Go heap, GOGC=400", "heap-gogc400"},
	{"**arena**, `Slab.New`, Reset", "slab-reset"},
	{"**arena**, `New`, Reset", "arena-reset"},
	{"**arena**, `New`, Free", "arena-free"},
	{"sync.Pool", "sync.Pool"},
	{"slices of values, by hand", "node-slice"},
	{"GOEXPERIMENT=arenas", "std"},
	{"wundergraph/go-arena", "wundergraph"},
	{"ortuman/nuke", "nuke"},
	{"ristretto z.Allocator", "ristretto"},
	{"modernc.org/memory", "modernc"},
}

func peersTable(r *suite.Run) string {
	columns := []struct {
		title, workload string
		n               int
	}{
		{"struct of 16 bytes, 1,000", "struct16", 1000}, {"1,000,000", "struct16", 1_000_000}, {"three strings, 1,000,000", "person", 1_000_000},
		{"strings of 1 to 256 bytes, 1,000", "texts", 1000}, {"batch of 100,000", "batch", 100_000}, {"binary trees, depth 16", "trees", 16},
	}
	g := grid{{"CPU for one, in ns"}}
	for _, c := range columns {
		g[0] = append(g[0], c.title)
	}
	g[0] = append(g[0], "peak memory, three strings", "heap strings in it")
	for _, i := range compared {
		row := []string{i.title}
		for _, c := range columns {
			text := ""
			if cell := r.Find(c.workload, c.n).Cell(i.name); cell != nil {
				text = fmt.Sprintf("%.3g", 1e9*cell.Spread(perUnit(c.n)).Median)
			}
			row = append(row, text)
		}
		g = append(g, append(row, median(r.Find("person", 1_000_000), i.name, suite.Peak, "B"), verdict(r, i.name, "heap-strings")))
	}
	return g.String()
}

// verdict returns the outcome of a test of soundness, in bold if it is bad.
func verdict(r *suite.Run, implementation, test string) string {
	name, _, _ := strings.Cut(implementation, "-gogc")
	for _, v := range r.Soundness {
		if v.Test == test && v.Implementation == name {
			if !v.Sound {
				return "**" + v.Outcome + "**"
			}
			return v.Outcome
		}
	}
	return ""
}

func treesTable(r *suite.Run) string {
	g := grid{{"binary trees, the whole program; CPU, C = 1", "depth 10", "12", "14", "16", "18", "20", "peak memory, depth 20"}}
	for _, i := range []named{
		{"C", "c"}, {"Rust, bumpalo", "bumpalo"}, {"`Slab.New`, Reset", "slab-reset"}, {"`Ref`, Reset", "ref"}, {"`New`, Reset", "arena-reset"},
		{"`New`, a new arena for each tree", "arena-free"}, {"slices of nodes, by hand", "node-slice"}, {"the bound: a pointer that moves on in such slices", "bump"}, {"sync.Pool", "sync.Pool"},
		{"GOEXPERIMENT=arenas", "std"}, {"heap with GOGC=400", "heap-gogc400"}, {"heap", "heap"},
	} {
		row, any := []string{i.title}, false
		for _, depth := range []int{10, 12, 14, 16, 18, 20} {
			m, text := r.Find("trees", depth), ""
			if c, base := m.Cell(i.name), m.Cell("c"); c != nil && base != nil {
				text, any = times(base.Ratio(c, suite.CPU).Median, 1), true
			}
			row = append(row, text)
		}
		if any {
			g = append(g, append(row, median(r.Find("trees", 20), i.name, suite.Peak, "B")))
		}
	}
	return g.String()
}

func liveTable(r *suite.Run) string {
	const n = 10_000_000
	g := grid{{"`runtime.GC()` with 10,000,000 nodes", "list", "longest", "tree", "longest"}}
	for _, i := range []named{
		{"heap", "heap"}, {"arena, `Slab.New`", "slab-reset"}, {"slices of nodes, by hand", "node-slice"}, {"GOEXPERIMENT=arenas", "std"},
		{"arena, `Ref`", "ref"}, {"arena, `Ref`, `offheap.Mmap`", "ref-mmap"},
	} {
		row := []string{i.title}
		for _, w := range []string{"live-list", "live-tree"} {
			for _, v := range []string{"collection", "longest collection"} {
				row = append(row, median(r.Find(w, n), i.name, suite.ValueOf(v), "s"))
			}
		}
		g = append(g, row)
	}
	return g.String()
}

func latencyTable(r *suite.Run) string {
	g := grid{{"", "requests beside a cache: p50", "p99", "p99.9", "longest", "CPU", "memory", "game: p99", "longest frame", "late frames"}}
	for _, i := range []named{
		{"heap", "heap"}, {"heap again", "heap-again"}, {"heap, GOGC=400", "heap-gogc400"}, {"heap, GOGC=off, GOMEMLIMIT=1GiB", "heap-1GiB"}, {"arena, `New`, Reset", "arena-reset"},
		{"arena, `Slab.New`, Reset", "slab-reset"}, {"the same, and the cache of `Ref`", "ref"}, {"sync.Pool", "sync.Pool"}, {"GOEXPERIMENT=arenas", "std"},
	} {
		cache, game := r.Find("cache", 1_000_000), r.Find("game", 200_000)
		if cache.Cell(i.name) == nil && game.Cell(i.name) == nil {
			continue // it came after the run
		}
		row := []string{i.title}
		for _, v := range []string{"p50", "p99", "p99.9", "longest"} {
			row = append(row, median(cache, i.name, suite.ValueOf(v), "s"))
		}
		row = append(row, median(cache, i.name, suite.CPU, "s"), median(cache, i.name, suite.Memory, "B"))
		for _, v := range []suite.Value{{Name: "p99", Unit: "s"}, {Name: "longest frame", Unit: "s"}, {Name: "late frames", Unit: "%"}} {
			row = append(row, median(game, i.name, suite.ValueOf(v.Name), v.Unit))
		}
		g = append(g, row)
	}
	return g.String()
}

func entriesTable(r *suite.Run) string {
	const n = 10_000_000
	g := grid{{"keys", "", "bytes per entry", "build", "lookup", "`runtime.GC()`, median"}}
	for _, w := range []named{{"`uint64`", "entries-int"}, {"text of 20 bytes", "entries-text"}} {
		title, m := w.title, r.Find(w.name, n)
		for _, i := range []named{
			{"Go's map", "gomap"}, {"`arena.Map`", "arena.Map"}, {"`ref.Map`", "RefMap"}, {"`ref.TextMap`", "RefTextMap"}, {"`ref.Tree`, ordered", "RefTree"},
			{"bigcache", "bigcache"}, {"freecache", "freecache"}, {"ristretto", "ristretto"},
		} {
			if c := m.Cell(i.name); c != nil {
				g = append(g, []string{title, i.title, fmt.Sprintf("%.1f", c.Spread(suite.ValueOf("memory")).Median), median(m, i.name, suite.ValueOf("build"), "s"),
					median(m, i.name, suite.ValueOf("hit"), "s"), median(m, i.name, suite.ValueOf("gc"), "s")})
				title = ""
			}
		}
	}
	return g.String()
}

// messages are the inputs of the workloads about protobuf.
var messages = []named{
	{"CPU profile, 726 kB", "profile-726kB"}, {"5.6 kB", "profile-6kB"}, {"2.8 kB", "profile-3kB"}, {"281 B", "profile-281B"},
	{"descriptor, 13.6 kB", "descriptor"}, {"log records, 19.7 kB", "logs"}, {"tree, 4.8 kB", "tree"}, {"40 mixed messages", "mixed"},
}

// moreMessages are the messages of a separate run.
var moreMessages = []named{{"log records, opaque API, 19.7 kB", "opaque"}, {"descriptors with options, 26.8 kB", "options"}, {"objects with small maps, 41.1 kB", "objects"}}

var moreProtobufTables = map[string]table{
	"protobuf-more-run": madeBy,
	"protobuf-more":     func(r *suite.Run) string { return protobufTable(r, moreMessages) },
}

func protobufTable(r *suite.Run, messages []named) string {
	g := grid{{""}}
	base := []string{"`proto.Unmarshal`, one message"}
	for _, m := range messages {
		g[0] = append(g[0], m.title)
		found := only(r, "protobuf-"+m.name)
		text := ""
		if c := found.Cell("proto.Unmarshal"); c != nil {
			text = quantity(c.Spread(perUnit(found.N)).Median, "s")
		}
		base = append(base, text)
	}
	memory := messages[len(messages)-1]
	peak := func(name string) string { return median(only(r, "protobuf-"+memory.name), name, suite.Peak, "B") }
	g[0] = append(g[0], "peak memory, "+memory.title)
	g = append(g, append(base, peak("proto.Unmarshal")))
	for _, i := range []named{
		{"the same, GOGC=400", "proto.Unmarshal-gogc400"}, {"vtprotobuf", "vtprotobuf"}, {"vtprotobuf with its pool, the same message again and again (mixed: not)", "vtprotobuf-pool"},
		{"hyperpb with Shared", "hyperpb-shared"}, {"the same, and all of it read", "hyperpb-read"},
		{"`arenapb`, Reset", "arenapb-reset"}, {"with AliasInput", "arenapb-alias"}, {"with an `arena.Pool`", "arenapb-pool"}, {"a new arena for each message, and Free", "arenapb-free"},
	} {
		row := []string{i.title}
		for _, m := range messages {
			row = append(row, faster(only(r, "protobuf-"+m.name), i.name, suite.CPU))
		}
		g = append(g, append(row, peak(i.name)))
	}
	return g.String()
}

func keptTable(r *suite.Run) string {
	g := grid{{"memory of messages that are kept, heap = 1"}}
	for _, m := range messages {
		g[0] = append(g[0], m.title)
	}
	for _, i := range []named{{"`arenapb`, an arena for each message", "arenapb-arenas"}, {"`arenapb`, all in one arena", "arenapb-arena"}, {"hyperpb", "hyperpb"}} {
		row := []string{i.title}
		for _, m := range messages {
			row = append(row, multiple(only(r, "protobuf-kept-"+m.name), i.name, suite.ValueOf("kept")))
		}
		g = append(g, row)
	}
	return g.String()
}

// only returns what was found for a workload with the one size that it has, or nil.
func only(r *suite.Run, workload string) *suite.Measured {
	for i := range r.Workloads {
		if m := &r.Workloads[i]; m.Name == workload {
			return m
		}
	}
	return nil
}

// multiple returns how many times as much of something an implementation takes as the first one.
func multiple(m *suite.Measured, implementation string, metric suite.Metric) string {
	if c := m.Cell(implementation); c != nil {
		return times(m.Cells[0].Ratio(c, metric).Median, 2)
	}
	return ""
}

func arrowTable(r *suite.Run) string {
	g := grid{{"", "`arenaarrow`", "memory", "collections", "arrays in an arena", "GOGC=400", "memory", "malloc (cgo)", "arenas of 2023", "memory"}}
	for _, w := range []named{
		{"100,000 arrays of five lists of three numbers (the program of 2023)", "fixed-size-list"}, {"1,000,000 rows in batches of 1,000", "build-1k"}, {"the same in one batch", "build-one"},
		{"the same in batches of 64", "build-64"}, {"IPC read, a stream that the processor's cache holds", "ipc-read"}, {"IPC read, a long stream", "ipc-read-long"}, {"IPC write", "ipc-write"},
		{"IPC read, zstd", "ipc-read-zstd"}, {"IPC write, zstd", "ipc-write-zstd"}, {"filter", "filter"}, {"take", "take"}, {"sort", "sort"}, {"add", "add"}, {"CSV read", "csv-read"},
		{"Parquet write", "parquet-write"}, {"Parquet read", "parquet-read"},
	} {
		m := only(r, "arrow-"+w.name)
		if m == nil {
			continue
		}
		each := func(name string) string {
			c := m.Cell(name)
			if c == nil {
				return ""
			}
			return fmt.Sprintf("%.2g", c.Spread(func(r *suite.Result) float64 { return float64(r.Collections) / float64(r.Rounds) }).Median)
		}
		g = append(g, []string{w.title, faster(m, "arenaarrow", suite.CPU), multiple(m, "arenaarrow", suite.Memory), each("GoAllocator") + " → " + each("arenaarrow"),
			faster(m, "arenaarrow-build", suite.CPU), faster(m, "GoAllocator-gogc400", suite.CPU), multiple(m, "GoAllocator-gogc400", suite.Memory), faster(m, "mallocator", suite.CPU),
			faster(m, "arenas2023", suite.CPU), multiple(m, "arenas2023", suite.Memory)})
	}
	return g.String()
}
