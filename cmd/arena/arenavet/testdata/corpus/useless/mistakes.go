package useless

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

func conversion(a *arena.Arena, b []byte) string {
	return arena.String(a, string(b)) // want `useless: string makes a copy on the heap first: arena.String takes it as it is`
}

func toBytes(a *arena.Arena, s string) []byte {
	return arena.Bytes(a, []byte(s)) // want `useless: `
}

func sprintf(a *arena.Arena, n int) string {
	return arena.String(a, fmt.Sprintf("n=%d", n)) // want `useless: fmt.Sprintf makes the text on the heap first: use arena.Sprintf`
}

func itoa(a *arena.Arena, n int) string {
	return arena.String(a, strconv.Itoa(n)) // want `useless: .* use arenastrings.Itoa`
}

func join(a *arena.Arena, all []string) string {
	return arena.String(a, strings.Join(all, ",")) // want `useless: .* use arena.Join`
}

func constant(a *arena.Arena) string {
	return arena.String(a, "nothing") // want `useless: a constant`
}

func builder(a *arena.Arena, b []byte, n int) string {
	t := arena.NewBuilder(a)
	t.WriteString(string(b))                // want `useless: string makes a copy on the heap first: use Write`
	t.WriteString(fmt.Sprintf("n=%d\n", n)) // want `useless: .* use Printf`
	return t.String()
}

func quote(a *arena.Arena, s string) string {
	return arena.String(a, strconv.Quote(s)) // want `useless: .* use arenastrings.Quote`
}

func eachTurn(all [][]byte) (n int) {
	for _, b := range all {
		a := arena.NewArena() // want `useless: each turn of the loop makes an arena`
		n += len(lib.Parse(a, b).Title)
	}
	return n
}

func eachTurnFreed(all [][]byte) {
	for i := 0; i < len(all); i++ {
		a := arena.NewArena() // want `useless: each turn`
		d := lib.Parse(a, all[i])
		fmt.Println(d.Title)
		a.Free()
	}
}

// The Free of one turn would end the arena of all.
func eachTurnPerhapsFreed(all []string) (n int) {
	for _, s := range all {
		a := arena.NewArena() // want `useless: each turn`
		s := arena.Concat(a, s, ".")
		if s == "." {
			continue
		}
		n += len(s)
		a.Free()
	}
	return n
}

func eachTurnFreedLater(all []string) (n int) {
	for _, s := range all {
		a := arena.NewArena() // want `useless: each turn`
		defer a.Free()
		n += len(arena.Concat(a, s, "."))
	}
	return n
}

func length(a *arena.Arena, s string) int {
	defer a.Free()
	return len(strings.Fields(arena.Concat(a, s, ".")))
}

func eachTurnFreedByHelper(all []string) (n int) {
	for _, s := range all {
		a := arena.NewArena() // want `useless: each turn`
		if s != "" {
			n += length(a, s)
		}
	}
	return n
}

// In front of the loop the name would mean this arena behind it, too.
func eachTurnOfAName(a *arena.Arena, all []string) (n int) {
	for _, s := range all {
		a := arena.NewArena() // want `useless: each turn`
		n += len(arena.Concat(a, s, "."))
	}
	return n + len(arena.Sprintf(a, "%d", n))
}

func eachTurnOfALimit(all []string) (n int) {
	i := 10
	for i := range all {
		a := arena.NewWith(arena.Options{Limit: int64(i)}) // want `useless: each turn`
		n += len(arena.Concat(a, all[i], "."))
	}
	return n + i
}

func eachTurnWithAName(all []string) (n int) {
	for _, s := range all {
		a := arena.NewWith(arena.Options{Name: "turn"}) // want `useless: each turn`
		n += len(arena.Concat(a, s, "."))
	}
	return n
}

func upper(a *arena.Arena, s string) string {
	return arenastrings.ToUpper(a, s)
}
