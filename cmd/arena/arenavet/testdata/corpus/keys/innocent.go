package keys

import (
	"maps"
	"strings"

	"github.com/arena-go/arena"
)

func numbersOfAll(lines [][]byte) (sum int) {
	all, line := arena.NewArena(), arena.NewArena()
	t := &table{ids: arena.NewMap[string, int](all, 0)}
	for _, l := range lines {
		sum += t.number(arena.Bytes(line, l), textIn(all))
		line.Reset()
	}
	return sum
}

func differentCopies(lines []string) (n int) {
	line := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		word := arena.String(line, l)
		if !known[word] {
			known[strings.Clone(word)] = true
			n++
		}
		line.Reset()
	}
	return n
}

func inEachLine(lines [][]string) (n int) {
	a := arena.NewArena()
	for _, l := range lines {
		known := map[string]bool{}
		for _, w := range l {
			known[arena.String(a, w)] = true
		}
		n += len(known)
		a.Reset()
	}
	return n
}

func emptied(lines [][]string) (n int) {
	a := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		for _, w := range l {
			known[arena.String(a, w)] = true
		}
		n += len(known)
		clear(known)
		a.Reset()
	}
	return n
}

func emptiedWhenFull(lines []string, most int) (n int) {
	a := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		full := len(known) == most
		if full {
			clear(known)
		}
		if full {
			a.Reset()
		}
		known[arena.String(a, l)] = true
	}
	return len(known)
}

func emptiedIfAny(lines []string) (n int) {
	a := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		a.Reset()
		if len(known) > 0 {
			clear(known)
		}
		known[arena.String(a, l)] = true
		n += len(known)
	}
	return n
}

func anewWhenFull(lines []string, most int) (n int) {
	a := arena.NewArena()
	f := filter{seen: map[string]struct{}{}}
	for _, l := range lines {
		if len(f.seen) == most {
			a.Reset()
			f.seen = map[string]struct{}{}
		}
		if f.isNew(arena.String(a, l)) {
			n++
		}
	}
	return n
}

// addresses are compared, and not what lies there.
func visited(lines []string) (n int) {
	a := arena.NewArena()
	all := map[*point]bool{}
	for n, l := range lines {
		all[arena.Ptr(a, point{l, n})] = true
	}
	a.Reset()
	return len(all)
}

type epoch struct {
	a    *arena.Arena
	seen map[string]bool
	n    int
}

func (e *epoch) begin() {
	clear(e.seen)
	e.a.Reset()
}

func (e *epoch) add(s string) bool {
	if e.n++; e.n%100 == 0 {
		e.begin()
	}
	if e.seen[s] {
		return false
	}
	e.seen[arena.String(e.a, s)] = true
	return true
}

func epochs(lines []string) (n int) {
	e := epoch{a: arena.NewArena(), seen: map[string]bool{}}
	for _, l := range lines {
		if e.add(l) {
			n++
		}
	}
	return n
}

func epochsOfLines(lines [][]string) (n int) {
	e := epoch{a: arena.NewArena(), seen: map[string]bool{}}
	for _, l := range lines {
		for _, w := range l {
			if !e.seen[w] {
				e.seen[arena.String(e.a, w)] = true
			}
		}
		n += len(e.seen)
		e.begin()
	}
	return n
}

func deletedOneByOne(lines []string) (n int) {
	a := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		known[arena.String(a, l)] = true
	}
	for k := range known {
		delete(known, k)
	}
	a.Reset()
	for _, l := range lines {
		if known[l] {
			n++
		}
	}
	return n
}

func deletedByFunc(lines []string) bool {
	a := arena.NewArena()
	known := map[string]bool{}
	for _, l := range lines {
		known[arena.String(a, l)] = true
	}
	maps.DeleteFunc(known, func(string, bool) bool { return true })
	a.Reset()
	return known["x"]
}
