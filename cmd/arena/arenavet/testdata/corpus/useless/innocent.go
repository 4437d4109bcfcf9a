package useless

import (
	"fmt"
	"strconv"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

func direct(a *arena.Arena, b []byte, s string) (string, []byte) {
	return arena.String(a, b), arena.Bytes(a, s)
}

func inArena(a *arena.Arena, n int) string {
	return arena.Sprintf(a, "n=%d", n) + arena.Itoa(a, n)
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
