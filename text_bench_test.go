package arena_test

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

var sinkText string
var sinkParts []string
var sinkAny any
var sinkBytes []byte

// BenchmarkText makes 100 texts or slices a round, on the heap and in an arena that is Reset after each round.
func BenchmarkText(b *testing.B) {
	short, long := "Some Words of one line", strings.Repeat("Some Words of one line, ", 20)
	bytes, reader := []byte(short), strings.NewReader(long)
	counts, ours := map[string]int{}, arena.NewMap[string, int](arena.NewArena(), 0)
	lines := make([][]byte, 100)
	for i := range lines {
		lines[i] = []byte("/a/path/of/a/request/" + strconv.Itoa(i*7919))
	}
	numbers := slices.Repeat([]int{1, 2, 3}, 20)
	for _, w := range []struct {
		name        string
		heap, arena func(a *arena.Arena, i int)
	}{
		{"String of bytes", func(a *arena.Arena, i int) { sinkText = string(bytes) }, func(a *arena.Arena, i int) { sinkText = arena.String(a, bytes) }},
		{"Itoa", func(a *arena.Arena, i int) { sinkText = strconv.Itoa(i * 7919) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Itoa(a, i*7919) }},
		{"Itoa, small", func(a *arena.Arena, i int) { sinkText = strconv.Itoa(i) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Itoa(a, i) }},
		{"FormatInt, 16", func(a *arena.Arena, i int) { sinkText = strconv.FormatInt(int64(i)*7919, 16) }, func(a *arena.Arena, i int) { sinkText = arenastrings.FormatInt(a, int64(i)*7919, 16) }},
		{"FormatFloat", func(a *arena.Arena, i int) { sinkText = strconv.FormatFloat(float64(i)/7, 'g', -1, 64) }, func(a *arena.Arena, i int) { sinkText = arenastrings.FormatFloat(a, float64(i)/7, 'g', -1, 64) }},
		{"FormatFloat, f", func(a *arena.Arena, i int) { sinkText = strconv.FormatFloat(float64(i)/7, 'f', 2, 64) }, func(a *arena.Arena, i int) { sinkText = arenastrings.FormatFloat(a, float64(i)/7, 'f', 2, 64) }},
		{"Quote", func(a *arena.Arena, i int) { sinkText = strconv.Quote(short) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Quote(a, short) }},
		{"Quote, long", func(a *arena.Arena, i int) { sinkText = strconv.Quote(long) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Quote(a, long) }},
		{"ToLower", func(a *arena.Arena, i int) { sinkText = strings.ToLower(short) }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, short) }},
		{"ToLower, long", func(a *arena.Arena, i int) { sinkText = strings.ToLower(long) }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, long) }},
		{"ToLower, unchanged", func(a *arena.Arena, i int) { sinkText = strings.ToLower("some words of one line") }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, "some words of one line") }},
		{"ToLower, not ASCII", func(a *arena.Arena, i int) { sinkText = strings.ToLower("Söme Words of one line") }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, "Söme Words of one line") }},
		{"ToUpper", func(a *arena.Arena, i int) { sinkText = strings.ToUpper(short) }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToUpper(a, short) }},
		{"Repeat", func(a *arena.Arena, i int) { sinkText = strings.Repeat("ab", 20) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Repeat(a, "ab", 20) }},
		{"ReplaceAll", func(a *arena.Arena, i int) { sinkText = strings.ReplaceAll(short, "o", "00") }, func(a *arena.Arena, i int) { sinkText = arenastrings.ReplaceAll(a, short, "o", "00") }},
		{"Fields", func(a *arena.Arena, i int) { sinkParts = strings.Fields(short) }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Fields(a, short) }},
		{"Fields, long", func(a *arena.Arena, i int) { sinkParts = strings.Fields(long) }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Fields(a, long) }},
		{"Fields, not ASCII", func(a *arena.Arena, i int) { sinkParts = strings.Fields("Söme Words of one line") }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Fields(a, "Söme Words of one line") }},
		{"Split", func(a *arena.Arena, i int) { sinkParts = strings.Split(short, " ") }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Split(a, short, " ") }},
		{"Split, long", func(a *arena.Arena, i int) { sinkParts = strings.Split(long, ", ") }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Split(a, long, ", ") }},
		{"ReadAll", func(a *arena.Arena, i int) { reader.Reset(long); sinkBytes, _ = io.ReadAll(reader) }, func(a *arena.Arena, i int) { reader.Reset(long); sinkBytes, _ = arena.ReadAll(a, reader) }},
		{"EntryText, there", func(a *arena.Arena, i int) { counts[string(lines[i])]++ }, func(a *arena.Arena, i int) { *arena.EntryText(ours, lines[i])++ }},
		{"EntryText, new", func(a *arena.Arena, i int) {
			if i == 0 {
				clear(counts)
			}
			counts[string(lines[i])]++
		}, func(a *arena.Arena, i int) {
			if i == 0 {
				ours.Clear()
			}
			*arena.EntryText(ours, lines[i])++
		}},
		{"Collect", func(a *arena.Arena, i int) { numbers = slices.Collect(slices.Values(numbers[:60])) }, func(a *arena.Arena, i int) { numbers = arena.Collect(a, slices.Values(numbers[:60])) }},
		{"Box of an int", func(a *arena.Arena, i int) { sinkAny = i + 1000 }, func(a *arena.Arena, i int) { sinkAny = arena.Box(a, i+1000) }},
		{"Box of a string", func(a *arena.Arena, i int) { sinkAny = short[:i%20+1] }, func(a *arena.Arena, i int) { sinkAny = arena.Box(a, short[:i%20+1]) }},
		{"Box of a struct", func(a *arena.Arena, i int) { sinkAny = struct16{int64(i), 2} }, func(a *arena.Arena, i int) { sinkAny = arena.Box(a, struct16{int64(i), 2}) }},
	} {
		for i := range lines {
			counts[string(lines[i])]++
			*arena.EntryText(ours, lines[i])++
		}
		for impl, f := range maps.All(map[string]func(*arena.Arena, int){"heap": w.heap, "arena": w.arena}) {
			b.Run("op="+w.name+"/impl="+impl, func(b *testing.B) {
				a := arena.NewArena()
				for b.Loop() {
					for i := range 100 {
						f(a, i)
					}
					a.Reset()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/obj")
			})
		}
	}
}
