//go:build race

package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
	"github.com/arena-go/arena/internal/child"
	"github.com/arena-go/arena/ref"
)

// staleReads are all functions of packages arena and arenastrings that read text which may lie in
// an arena: their names in api/next.txt, and behind a blank which text it is. Each gets an arena to
// work in, and a text which it has read before that became stale. What it returns is called with
// the text when that is stale.
func staleReads() map[string]func(b *arena.Arena, s string) func() {
	const other = "a text that is long enough" // equal to the stale one
	type fn = func(b *arena.Arena, s string) func()
	all := map[string]fn{}
	// now is for functions that get stale text.
	now := func(name string, f func(b *arena.Arena, s string)) {
		all[name] = func(b *arena.Arena, s string) func() { return func() { f(b, s) } }
	}
	now("arena.String", func(b *arena.Arena, s string) { arena.String(b, s) })
	now("arena.String heap", func(_ *arena.Arena, s string) { arena.String(nil, s) })
	now("arena.Bytes", func(b *arena.Arena, s string) { arena.Bytes(b, s) })
	now("arena.Clone", func(_ *arena.Arena, s string) { arena.Clone(s) })
	now("arena.Clone any", func(_ *arena.Arena, s string) { arena.Clone[any](s) })
	now("arena.DeepClone", func(_ *arena.Arena, s string) { arena.DeepClone([]string{s}) })
	now("arena.DeepClone key", func(_ *arena.Arena, s string) { arena.DeepClone([]any{[1]string{s}}) })
	now("arena.Concat", func(b *arena.Arena, s string) { arena.Concat(b, "a", s) })
	now("arena.Join", func(b *arena.Arena, s string) { arena.Join(b, []string{"a", s}, ",") })
	now("arena.Join separator", func(b *arena.Arena, s string) { arena.Join(b, []string{"a", "b"}, s) })
	now("arena.Sprintf", func(b *arena.Arena, s string) { arena.Sprintf(b, "%q", s) })
	now("arena.Sprintf format", func(b *arena.Arena, s string) { arena.Sprintf(b, s, 1) })
	now("arena/ref.NewString", func(b *arena.Arena, s string) { ref.NewString(ref.In(b), s) })
	builder := func(name string, f func(w *arena.Builder, s string)) {
		now("arena.Builder."+name, func(b *arena.Arena, s string) { f(arena.NewBuilder(b), s) })
	}
	builder("WriteString", func(w *arena.Builder, s string) { w.WriteString(s) })
	builder("WriteQuote", func(w *arena.Builder, s string) { w.WriteQuote(s) })
	builder("WriteJSONString", func(w *arena.Builder, s string) { w.WriteJSONString(s) })
	builder("Printf", func(w *arena.Builder, s string) { w.Printf("%q", s) })
	builder("Printf format", func(w *arena.Builder, s string) { w.Printf(s, 1) })

	staleMaps(all, "string", func(s string) string { return s })
	type text string
	staleMaps(all, "text", func(s string) text { return text(s) })
	type in struct {
		n int
		s string
	}
	staleMaps(all, "struct", func(s string) in { return in{1, s} })
	staleMaps(all, "array", func(s string) [2]string { return [2]string{"a", s} })
	staleMaps(all, "any", func(s string) any { return s })
	staleMaps(all, "nested", func(s string) [1]any { return [1]any{in{2, s}} })
	of := func(b *arena.Arena, s string) *arena.Map[string, int] {
		m := arena.NewMap[string, int](b, 9)
		m.Set(s, 1)
		m.Set("b", 2)
		return m
	}
	now("arena.LookupText", func(b *arena.Arena, s string) { arena.LookupText(of(b, other), s) })
	all["arena.LookupText key"] = func(b *arena.Arena, s string) func() {
		m := of(b, s)
		return func() { arena.LookupText(m, other) }
	}
	all["arena.SortedKeys"] = func(b *arena.Arena, s string) func() {
		m := of(b, s)
		return func() { arena.SortedKeys(b, m) }
	}
	now("arena.CollectMap", func(b *arena.Arena, s string) {
		arena.CollectMap(b, maps.All(map[int]string{1: s}))
		arena.CollectMap(b, one(s))
	})

	var words ref.TextMap[int]
	var tree ref.TextTree[int]
	refs := func(name string, f func(b *arena.Arena, s string)) {
		now(name, func(b *arena.Arena, s string) {
			words, tree = ref.TextMap[int]{}, ref.TextTree[int]{}
			words.Set(ref.In(b), other, 1)
			tree.Set(ref.In(b), other, 1)
			f(b, s)
		})
	}
	refs("arena/ref.TextMap.Get", func(b *arena.Arena, s string) { words.Get(ref.In(b), s) })
	refs("arena/ref.TextMap.Lookup", func(b *arena.Arena, s string) { words.Lookup(ref.In(b), s) })
	refs("arena/ref.TextMap.Set", func(b *arena.Arena, s string) { words.Set(ref.In(b), s, 1) })
	refs("arena/ref.TextMap.Entry", func(b *arena.Arena, s string) { words.Entry(ref.In(b), s) })
	refs("arena/ref.TextMap.Delete", func(b *arena.Arena, s string) { words.Delete(ref.In(b), s) })
	refs("arena/ref.TextTree.Get", func(b *arena.Arena, s string) { tree.Get(ref.In(b), s) })
	refs("arena/ref.TextTree.Lookup", func(b *arena.Arena, s string) { tree.Lookup(ref.In(b), s) })
	refs("arena/ref.TextTree.Set", func(b *arena.Arena, s string) { tree.Set(ref.In(b), s, 1) })
	refs("arena/ref.TextTree.Entry", func(b *arena.Arena, s string) { tree.Entry(ref.In(b), s) })
	refs("arena/ref.TextTree.Delete", func(b *arena.Arena, s string) { tree.Delete(ref.In(b), s) })
	refs("arena/ref.TextTree.From", func(b *arena.Arena, s string) { tree.From(ref.In(b), s)(none) })
	refs("arena/ref.TextTree.Prefix", func(b *arena.Arena, s string) { tree.Prefix(ref.In(b), s)(none) })
	refs("arena/ref.TextTree.BackwardFrom", func(b *arena.Arena, s string) { tree.BackwardFrom(ref.In(b), s)(none) })
	refs("arena/ref.TextTree.Range low", func(b *arena.Arena, s string) { tree.Range(ref.In(b), s, "z")(none) })
	refs("arena/ref.TextTree.Range high", func(b *arena.Arena, s string) { tree.Range(ref.In(b), "", s)(none) })

	const strs = "arena/arenastrings."
	for name, a := range map[string]bool{"": true, " heap": false} {
		in := func(what string, f func(b *arena.Arena, s string)) {
			now(strs+what+name, func(b *arena.Arena, s string) {
				if !a {
					b = nil
				}
				f(b, s)
			})
		}
		in("Quote", func(b *arena.Arena, s string) { arenastrings.Quote(b, s) })
		in("ToLower", func(b *arena.Arena, s string) { arenastrings.ToLower(b, s) })
		in("ToUpper", func(b *arena.Arena, s string) { arenastrings.ToUpper(b, s) })
		in("Map", func(b *arena.Arena, s string) { arenastrings.Map(b, unicode.ToLower, s) })
		in("Repeat", func(b *arena.Arena, s string) { arenastrings.Repeat(b, s, 2) })
		in("Replace", func(b *arena.Arena, s string) { arenastrings.Replace(b, s, "z", "y", 1) })
		in("ReplaceAll", func(b *arena.Arena, s string) { arenastrings.ReplaceAll(b, s, "z", "y") })
		in("ReplaceAll old", func(b *arena.Arena, s string) { arenastrings.ReplaceAll(b, other, s, "y") })
		in("ReplaceAll new", func(b *arena.Arena, s string) { arenastrings.ReplaceAll(b, other, "a", s) })
		in("Fields", func(b *arena.Arena, s string) { arenastrings.Fields(b, s) })
		in("FieldsFunc", func(b *arena.Arena, s string) { arenastrings.FieldsFunc(b, s, unicode.IsSpace) })
		in("Split", func(b *arena.Arena, s string) { arenastrings.Split(b, s, " ") })
		in("Split none", func(b *arena.Arena, s string) { arenastrings.Split(b, s, "z") })
		in("Split separator", func(b *arena.Arena, s string) { arenastrings.Split(b, other, s) })
		in("SplitN", func(b *arena.Arena, s string) { arenastrings.SplitN(b, s, " ", 2) })
		in("SplitAfter", func(b *arena.Arena, s string) { arenastrings.SplitAfter(b, s, " ") })
	}
	return all
}

// staleMaps adds what reads the keys of a Map of one type.
func staleMaps[K comparable](all map[string]func(b *arena.Arena, s string) func(), name string, key func(s string) K) {
	const other = "a text that is long enough"
	for what, f := range map[string]func(m *arena.Map[K, int], k K){
		"Get":    func(m *arena.Map[K, int], k K) { m.Get(k) },
		"Has":    func(m *arena.Map[K, int], k K) { m.Has(k) },
		"Lookup": func(m *arena.Map[K, int], k K) { m.Lookup(k) },
		"Set":    func(m *arena.Map[K, int], k K) { m.Set(k, 1) },
		"Entry":  func(m *arena.Map[K, int], k K) { m.Entry(k) },
		"Delete": func(m *arena.Map[K, int], k K) { m.Delete(k) },
		"Insert": func(m *arena.Map[K, int], k K) { m.Insert(one(k)) },
		"CopyFrom": func(m *arena.Map[K, int], k K) {
			clean := map[K]int{k: 1}
			m.CopyFrom(nil, &clean)
		},
	} {
		// An argument that is stale, and a key that is.
		all["arena.Map."+what+" "+name] = func(b *arena.Arena, s string) func() {
			m := arena.NewMap[K, int](b, 9)
			return func() { f(m, key(s)) }
		}
		all["arena.Map."+what+" key "+name] = func(b *arena.Arena, s string) func() {
			m := arena.NewMap[K, int](b, 9)
			m.Set(key(s), 1)
			return func() { f(m, key(other)) }
		}
	}
	for what, f := range map[string]func(m *arena.Map[K, int]){
		"CopyTo": func(m *arena.Map[K, int]) {
			to := map[K]int{}
			m.CopyTo(&to)
		},
		"Set growth":      func(m *arena.Map[K, int]) { m.Insert(keys(key)) },
		"MarshalJSON":     func(m *arena.Map[K, int]) { m.MarshalJSON() },
		"MarshalJSON fmt": func(m *arena.Map[K, int]) { _ = fmt.Sprint(m) },
		"UnmarshalJSON":   func(m *arena.Map[K, int]) { json.Unmarshal([]byte(`{"`+other+`":1}`), m) },
	} {
		if what == "UnmarshalJSON" && name != "string" && name != "text" {
			continue // no such keys
		}
		all["arena.Map."+what+" "+name] = func(b *arena.Arena, s string) func() {
			m := arena.NewMap[K, int](b, 0)
			m.Set(key(s), 1)
			return func() { f(m) }
		}
	}
}

// keys yields nine keys that are not stale.
func keys[K comparable](key func(string) K) func(yield func(K, int) bool) {
	return func(yield func(K, int) bool) {
		for i := range 9 {
			if !yield(key(fmt.Sprint(i)), i) {
				return
			}
		}
	}
}

// one yields one key.
func one[K any](k K) func(yield func(K, int) bool) {
	return func(yield func(K, int) bool) { yield(k, 1) }
}

func none(string, int) bool { return true }

// notRead says why a function with text among its arguments is not one of staleReads.
var notRead = map[string]string{
	"arena.Builder.Write":          "bytes, of which the compiler tells the detector",
	"arena/ref.Bool.UnmarshalJSON": "bytes",
}

// TestStaleReads checks that the race detector sees what functions of this module read, in a
// process of its own: text is read by functions in assembly, by way of interfaces and of unsafe, of
// which the compiler does not tell it. And it checks that the list is complete.
func TestStaleReads(t *testing.T) {
	all := staleReads()
	if os.Getenv("ARENA_TEST_STALE") != "" {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			a, b := arena.NewArena(), arena.NewArena()
			f := all[name](b, arena.String(a, "a text that is long enough"))
			before := runtime.RaceErrors()
			a.Reset()
			f()
			fmt.Printf("stale %s: %d\n", name, min(runtime.RaceErrors()-before, 1))
		}
		os.Exit(0)
	}
	out, err := child.Command(t.Context(), []string{"-test.run=^TestStaleReads$"}, "ARENA_TEST_STALE=1", "ARENA_TEST_WATCHED=1",
		"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0 exitcode=0 log_path="+os.DevNull).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name := range all {
		if !bytes.Contains(out, []byte("stale "+name+": 1\n")) {
			t.Errorf("%s: the race detector does not see that it reads stale text", name)
		}
	}

	listed := map[string]bool{}
	for name := range all {
		name, _, _ = strings.Cut(name, " ")
		listed[name] = true
	}
	api, err := os.ReadFile("../../api/next.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(api)) {
		m := regexp.MustCompile(`^((?:arena|arena/arenastrings|arena/ref)\.\S+) (?:func|method) (\[.*?\])?(?:\(\S+\) )?\((.*?)\)`).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, args := m[1], m[3]
		text := regexp.MustCompile(`\bstring\b|\bany\b|\[\]byte\b`).MatchString(args) || strings.Contains(m[2], "~string") ||
			strings.HasPrefix(name, "arena.Map.") && regexp.MustCompile(`\bK\b`).MatchString(args)
		if !text {
			continue
		}
		found++
		if !listed[name] && notRead[name] == "" && !strings.HasSuffix(name, ".UnmarshalText") {
			t.Errorf("%s reads text, and is not in the list of this test: %s", name, line)
		}
	}
	if found < 40 {
		t.Errorf("only %d functions in api/next.txt have arguments with text", found)
	}
}
