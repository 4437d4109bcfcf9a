package useless

import (
	"fmt"
	"strconv"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

func direct(a *arena.Arena, b []byte, s string) (string, []byte) {
	return arena.String(a, b), arena.Bytes(a, s)
}

func inArena(a *arena.Arena, n int) string {
	return arena.Sprintf(a, "n=%d", n) + arenastrings.Itoa(a, n)
}

type name string

func named(a *arena.Arena, n name) string {
	return arena.String(a, string(n))
}

func fromRune(a *arena.Arena, r rune) string {
	return arena.String(a, string(r))
}

func heap(n int) string { return strconv.Itoa(n) }

func fromFunction(a *arena.Arena, n int) string {
	return arena.String(a, heap(n))
}

func kept(all [][]byte) (docs []*lib.Doc) {
	for _, b := range all {
		a := arena.NewArena()
		docs = append(docs, lib.Parse(a, b))
	}
	return docs
}

func oneForAll(all [][]byte) (n int) {
	a := arena.NewArena()
	for _, b := range all {
		n += len(lib.Parse(a, b).Title)
		a.Reset()
	}
	return n
}

func found(all [][]byte) *lib.Doc {
	for _, b := range all {
		a := arena.NewArena()
		if d := lib.Parse(a, b); d.Title != "" {
			return d
		}
	}
	return nil
}

func goroutines(all [][]byte) {
	for _, b := range all {
		a := arena.NewArena()
		go lib.Parse(a, b)
	}
}

func stored(all map[int]*arena.Arena) {
	for i := range all {
		all[i] = arena.NewArena()
	}
}

func last(all [][]byte) string {
	var d *lib.Doc
	for _, b := range all {
		a := arena.NewArena()
		d = lib.Parse(a, b)
	}
	return fmt.Sprint(d.Title)
}

func limited(f func(*arena.Arena)) {
	for range 3 {
		f(arena.NewWith(arena.Options{Limit: 10}))
	}
}

type register interface {
	add(s string)
	count() int
}

// A registered is a register that nothing of this package calls, and so is a second type.
type registered struct{ all []string }

func (r *registered) add(s string) { r.all = append(r.all, s) }
func (r *registered) count() int   { return len(r.all) }

type counted struct{ n int }

func (c *counted) add(string) { c.n++ }
func (c *counted) count() int { return c.n }

func toFunction(lines []string, f func(string)) {
	for _, line := range lines {
		a := arena.NewArena()
		f(arena.Concat(a, "<", line, ">"))
	}
}

func toMethod(r register, lines []string) int {
	for _, line := range lines {
		a := arena.NewArena()
		r.add(arena.Concat(a, "<", line))
	}
	return r.count()
}

func give(f func(string), s string) { f(s) }

func toHelper(lines []string, f func(string)) {
	for _, line := range lines {
		a := arena.NewArena()
		give(f, arena.Concat(a, "<", line))
	}
}

func inLiteral(all [][]byte) {
	var later []func()
	for _, b := range all {
		a := arena.NewArena()
		s := arena.String(a, b)
		later = append(later, func() { fmt.Print(s) })
	}
	for _, f := range later {
		f()
	}
}

func deferredCall(all [][]byte) {
	for _, b := range all {
		a := arena.NewArena()
		s := arena.String(a, b)
		defer fmt.Print(s)
	}
}

func deferredLiteral(all [][]byte) {
	for _, b := range all {
		a := arena.NewArena()
		s := arena.String(a, b)
		defer func() { fmt.Print(s) }()
	}
}

func sent(all [][]byte, ch chan<- string) {
	for _, b := range all {
		a := arena.NewArena()
		ch <- arena.String(a, b)
	}
}

func selected(all [][]byte, ch chan<- string, done <-chan bool) {
	for _, b := range all {
		a := arena.NewArena()
		select {
		case ch <- arena.String(a, b):
		case <-done:
		}
	}
}

func printedLater(all [][]byte) {
	for _, b := range all {
		a := arena.NewArena()
		s := arena.String(a, b)
		go func() { fmt.Print(s) }()
	}
}

type line struct {
	text string
	next *line
}

func throughPointer(all [][]byte) []*line {
	result := make([]*line, len(all))
	for i := range result {
		result[i] = new(line)
	}
	for i, b := range all {
		a := arena.NewArena()
		l := result[i]
		l.text = arena.String(a, b)
	}
	return result
}

func throughOneOfTwo(all [][]byte, first, second *line) {
	for i, b := range all {
		a := arena.NewArena()
		l := first
		if i > 0 {
			l = second
		}
		l.text = arena.String(a, b)
	}
}

func rename(l *line, s string) {
	for ; l != nil; l = l.next {
		l.text = s
	}
}

func throughHelper(all [][]byte, lines []*line) {
	for i, b := range all {
		a := arena.NewArena()
		rename(lines[i], arena.String(a, b))
	}
}

func filledLater(all [][]byte, keep func(*line)) {
	for _, b := range all {
		a := arena.NewArena()
		l := new(line)
		keep(l)
		l.text = arena.String(a, b)
	}
}

func innerLoop(all [][][]byte) (n int) {
	for _, some := range all {
		var texts []string
		for _, b := range some {
			a := arena.NewArena()
			texts = append(texts, arena.String(a, b))
		}
		n += len(fmt.Sprint(texts))
	}
	return n
}
