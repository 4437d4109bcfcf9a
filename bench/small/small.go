// Package small has the workloads that show what an arena costs where it can bring little: without
// an arena, for a handful of objects, in a request, and in maps of each size.
//
// A round does its work a hundred times, because once takes no longer than a look at the clock.
package small

import (
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/bench/internal/suite"
)

// Workloads returns all of them.
func Workloads() (all []suite.Workload) {
	all = append(all, without()...)
	all = append(all, fresh()...)
	all = append(all, texts()...)
	return append(all, requests(), curve("curve-int", "Maps of 64-bit numbers, by size", numbers), curve("curve-text", "Maps of text, by size", words))
}

const times = 100

// repeat returns an implementation whose rounds call work repeatedly, each time with an arena from
// open, and then end.
func repeat(name string, open func() *arena.Arena, end func(a *arena.Arena), work func(a *arena.Arena, n int) int) suite.Implementation {
	return suite.Implementation{Name: name, Open: func(n int) func() uint64 {
		return func() (sum uint64) {
			for range times {
				a := open()
				sum += uint64(work(a, n))
				end(a)
			}
			return sum
		}
	}}
}

func noArena() *arena.Arena { return nil }
func nothing(*arena.Arena)  {}

// inArenas are the ways to have an arena for work, beside onHeap, which does the same without one.
func inArenas(onHeap func(n int) int, work func(a *arena.Arena, n int) int) []suite.Implementation {
	pool, reused := new(arena.Pool), arena.NewArena()
	return []suite.Implementation{
		repeat("heap", noArena, nothing, func(_ *arena.Arena, n int) int { return onHeap(n) }),
		repeat("arena-nil", noArena, nothing, work),
		repeat("arena-free", arena.NewArena, (*arena.Arena).Free, work),
		repeat("arena-pool", pool.Get, pool.Put, work),
		repeat("arena-reset", func() *arena.Arena { return reused }, (*arena.Arena).Reset, work),
	}
}

// texts holds functions of package strings next to functions of arenastrings, and keys that come as
// bytes.
func texts() []suite.Workload {
	line := strings.Repeat("GET /Index.html?q=Go+Arena HTTP/1.1 host=Example.org agent=curl/8.5 ", 3)
	var keys [][]byte
	for i := range 1000 {
		keys = append(keys, []byte("/path/of/page/"+string(rune('a'+i*7%26))+string(rune('a'+i*3%23))))
	}
	return []suite.Workload{
		{
			Name: "strings", Title: "Functions of package strings", Unit: "lines",
			About: "Lines of 200 bytes are changed to lower case, one word in them is replaced, and they are split into fields.",
			Sizes: []int{10, 100}, Quick: []int{10},
			Implementations: inArenas(func(n int) (sum int) { return lines(line, n) }, func(a *arena.Arena, n int) (sum int) { return linesIn(a, line, n) }),
		},
		{
			Name: "map-bytes", Title: "Words that come as bytes are counted", Unit: "words",
			About: "n words, of which some come again, are counted in a map with text as keys: m[string(b)]++, and arena.LookupText, which finds a key in bytes.",
			Sizes: []int{10, 1000}, Quick: []int{10},
			Implementations: inArenas(
				func(n int) int {
					m := map[string]int{}
					for _, k := range keys[:n] {
						m[string(k)]++
					}
					return len(m)
				},
				func(a *arena.Arena, n int) int {
					m := arena.NewMap[string, int](a, 0)
					for _, k := range keys[:n] {
						if count := arena.LookupText(m, k); count != nil {
							*count++
						} else {
							m.Set(arena.String(a, k), 1)
						}
					}
					return m.Len()
				}),
		},
	}
}
