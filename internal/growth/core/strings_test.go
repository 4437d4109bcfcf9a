package core_test

import (
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
	"github.com/arena-go/arena/internal/growth"
)

// texts are of length n or so, and have what functions look for in them in each way.
var texts = map[string]func(n int) string{
	"words":         func(n int) string { return strings.Repeat("some words, ", n/10) },
	"no separator":  func(n int) string { return strings.Repeat("x", n) },
	"separators":    func(n int) string { return strings.Repeat(", ", n/2) },
	"half of one":   func(n int) string { return strings.Repeat(",", n) },
	"other letters": func(n int) string { return strings.Repeat("É, ü", n/5) },
	"broken":        func(n int) string { return strings.Repeat("\xff, \xc3", n/4) },
	"upper at end":  func(n int) string { return strings.Repeat("x", n) + "X" },
	"longer":        func(n int) string { return strings.Repeat("ȺȾ", n/4) }, // lower case takes more bytes
}

// splitLoop cuts one part at a time off s, as parsers do.
func splitLoop(split func(s, sep string, n int) []string, s, sep string) {
	for {
		parts := split(s, sep, 2)
		if len(parts) < 2 {
			return
		}
		s = parts[1]
	}
}

// stringRows contain each function, next to its counterpart in package strings.
func stringRows() (rows []growth.Row) {
	vowel := func(c rune) bool { return strings.ContainsRune("aeiou", c) }
	next := func(c rune) rune {
		if c == 'x' {
			return -1
		}
		return c + 1
	}
	for function, f := range map[string][2]func(a *arena.Arena, s string){
		"Fields":     {func(a *arena.Arena, s string) { arenastrings.Fields(a, s) }, func(_ *arena.Arena, s string) { strings.Fields(s) }},
		"FieldsFunc": {func(a *arena.Arena, s string) { arenastrings.FieldsFunc(a, s, vowel) }, func(_ *arena.Arena, s string) { strings.FieldsFunc(s, vowel) }},
		"Map":        {func(a *arena.Arena, s string) { arenastrings.Map(a, next, s) }, func(_ *arena.Arena, s string) { _ = strings.Map(next, s) }},
		"Repeat":     {func(a *arena.Arena, s string) { arenastrings.Repeat(a, s, 3) }, func(_ *arena.Arena, s string) { _ = strings.Repeat(s, 3) }},
		"Replace":    {func(a *arena.Arena, s string) { arenastrings.Replace(a, s, ", ", "-", 1) }, func(_ *arena.Arena, s string) { _ = strings.Replace(s, ", ", "-", 1) }},
		"ReplaceAll": {func(a *arena.Arena, s string) { arenastrings.ReplaceAll(a, s, ", ", "---") }, func(_ *arena.Arena, s string) { _ = strings.ReplaceAll(s, ", ", "---") }},
		"ReplaceAll of nothing": {func(a *arena.Arena, s string) { arenastrings.ReplaceAll(a, s, "", "-") },
			func(_ *arena.Arena, s string) { _ = strings.ReplaceAll(s, "", "-") }},
		"Split":            {func(a *arena.Arena, s string) { arenastrings.Split(a, s, ", ") }, func(_ *arena.Arena, s string) { strings.Split(s, ", ") }},
		"Split by nothing": {func(a *arena.Arena, s string) { arenastrings.Split(a, s, "") }, func(_ *arena.Arena, s string) { strings.Split(s, "") }},
		"SplitAfter":       {func(a *arena.Arena, s string) { arenastrings.SplitAfter(a, s, ", ") }, func(_ *arena.Arena, s string) { strings.SplitAfter(s, ", ") }},
		"SplitN":           {func(a *arena.Arena, s string) { arenastrings.SplitN(a, s, ", ", 3) }, func(_ *arena.Arena, s string) { strings.SplitN(s, ", ", 3) }},
		"SplitN of a byte": {func(a *arena.Arena, s string) { arenastrings.SplitN(a, s, ",", 3) }, func(_ *arena.Arena, s string) { strings.SplitN(s, ",", 3) }},
		"SplitN in a loop": {func(a *arena.Arena, s string) {
			splitLoop(func(s, sep string, n int) []string { return arenastrings.SplitN(a, s, sep, n) }, s, ", ")
		}, func(_ *arena.Arena, s string) { splitLoop(strings.SplitN, s, ", ") }},
		"SplitN of a byte in a loop": {func(a *arena.Arena, s string) {
			splitLoop(func(s, sep string, n int) []string { return arenastrings.SplitN(a, s, sep, n) }, s, ",")
		}, func(_ *arena.Arena, s string) { splitLoop(strings.SplitN, s, ",") }},
		"Replace in a loop": {func(a *arena.Arena, s string) {
			for range 5 {
				s = arenastrings.Replace(a, s, ", ", "-", 1)
			}
		}, func(_ *arena.Arena, s string) {
			for range 5 {
				s = strings.Replace(s, ", ", "-", 1)
			}
		}},
		"ToLower": {func(a *arena.Arena, s string) { arenastrings.ToLower(a, s) }, func(_ *arena.Arena, s string) { _ = strings.ToLower(s) }},
		"ToUpper": {func(a *arena.Arena, s string) { arenastrings.ToUpper(a, s) }, func(_ *arena.Arena, s string) { _ = strings.ToUpper(s) }},
	} {
		for title, text := range texts {
			rows = append(rows, growth.Row{Name: function + "/" + title, N: 2000,
				// The reference may return its argument, and allocate nothing. The arena's chunks
				// begin with some KiB.
				New: func(n int) growth.Work {
					s := text(n)
					a := arena.NewArena()
					return growth.Work{Input: len(s), Reference: func() { f[1](nil, s) }, Ours: []growth.Way{
						{Name: "arena", Arena: true, Do: func() { f[0](a, s) }}, {Name: "heap", Do: func() { f[0](nil, s) }}}}
				}})
		}
	}
	return rows
}
