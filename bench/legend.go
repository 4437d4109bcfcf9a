package main

import (
	"slices"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// legend says what the names of implementations mean. A name is a stem, and endings that say how it
// is used.
var legend = []named{
	{"Go's heap", "heap"}, {"the heap once more: how far two equal processes differ", "heap-again"}, {"the heap with GOGC=off and GOMEMLIMIT=1GiB", "heap-1GiB"},
	{"the heap, and runtime.GC() in each round", "heap-collected"}, {"the values come from a sync.Pool", "sync.Pool"}, {"slices of values, by hand", "node-slice"},
	{"a pointer that moves through such slices", "bump"}, {"`New` and the other functions of package arena", "arena"}, {"`Slab.New`, which is inlined", "slab"},
	{"arenas of a Group", "group"}, {"references of package ref", "ref"}, {"arenas of GOEXPERIMENT=arenas", "std"},
	{"ortuman/nuke", "nuke"}, {"wundergraph/go-arena", "wundergraph"}, {"ristretto: z.Allocator, or its cache", "ristretto"}, {"modernc.org/memory", "modernc"},
	{"Rust's bumpalo", "bumpalo"}, {"Rust's bump-scope 2", "bump-scope"}, {"a heap of mimalloc 3 for each round or scope, from Rust", "mimalloc"},
	{"a bump allocator in C", "c"}, {"C++'s pmr::monotonic_buffer_resource", "pmr"}, {"Zig's ArenaAllocator", "zig"},
	{"the least that the work can cost, by hand", "bound"}, {"the same for a library that learns types at run time", "bound-types"}, {"an encoder for just that type", "by-hand"},
	{"a request without the middleware", "plain"}, {"a request with it", "middleware"}, {"a value in the context, and nothing else", "context"},
	{"Go's map", "gomap"}, {"`arena.Map`", "arena.Map"}, {"`ref.Map`", "RefMap"}, {"`ref.TextMap`", "RefTextMap"}, {"`ref.Tree`", "RefTree"}, {"bigcache", "bigcache"}, {"freecache", "freecache"},
	{"arrow's allocator on Go's heap", "GoAllocator"}, {"arrow's allocator over malloc", "mallocator"}, {"an allocator over GOEXPERIMENT=arenas", "arenas2023"},
	{"the allocator of arenaarrow", "arenaarrow"}, {"arrays in an arena, package build", "arenaarrow-build"},
	{"proto.Unmarshal", "proto.Unmarshal"}, {"protojson.Unmarshal", "protojson.Unmarshal"}, {"vtprotobuf", "vtprotobuf"}, {"hyperpb", "hyperpb"}, {"arenapb", "arenapb"},
	{"arenapb, all messages in one arena", "arenapb-arena"}, {"arenapb, an arena for each message", "arenapb-arenas"},
	{"encoding/json", "encoding-json"}, {"go-json", "go-json"}, {"sonic, ConfigStd", "sonic-std"}, {"encoding/json/v2; Go 1.26 has it as go-json-experiment", "go-json-experiment"},
	{"segmentio", "segmentio"}, {"easyjson", "easyjson"}, {"jx", "jx"}, {"simdjson-go", "simdjson-go"}, {"arenajson", "arenajson"},
}

// endings say how what is before them is used.
var endings = []named{
	{"one arena, and Reset", "-reset"}, {"a new arena for each round, and Free", "-free"}, {"a new one for each round", "-fresh"}, {"from an `arena.Pool`, or vtprotobuf's pool", "-pool"},
	{"a nil arena", "-nil"}, {"Mark and Rewind", "-scope"}, {"AliasInput", "-alias"}, {"memory from offheap.Mmap", "-mmap"}, {"GOGC=400", "-gogc400"},
	{"one hyperpb.Shared", "-shared"}, {"the same, and all fields are read", "-read"}, {"the handler makes ten values", "-used"},
}

// meaning returns what a name means, or "" if the legend does not say. It marks the parts of the
// name in used.
func meaning(name string, used map[string]bool) string {
	var stem named
	for _, l := range legend {
		if rest, ok := strings.CutPrefix(name, l.name); ok && (rest == "" || rest[0] == '-') && len(l.name) > len(stem.name) {
			stem = l
		}
	}
	if stem.name == "" {
		return ""
	}
	rest, text := name[len(stem.name):], stem.title
	used[stem.name] = true
	for rest != "" {
		k := slices.IndexFunc(endings, func(e named) bool { return strings.HasPrefix(rest, e.name) })
		if k < 0 {
			return ""
		}
		used[endings[k].name] = true
		rest, text = rest[len(endings[k].name):], text+"; "+endings[k].title
	}
	return text
}

// legendTable has all names, whatever a run measures.
func legendTable(*suite.Run) string {
	g := grid{{"name", "what it is"}}
	for _, l := range slices.Concat(legend, endings) {
		g = append(g, []string{"`" + l.name + "`", l.title})
	}
	return g.String()
}
