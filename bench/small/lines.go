package small

import (
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

func lines(line string, n int) (sum int) {
	for range n {
		s := strings.ReplaceAll(strings.ToLower(line), "go+arena", "query")
		sum += len(s) + len(strings.Fields(s))
	}
	return sum
}

func linesIn(a *arena.Arena, line string, n int) (sum int) {
	for range n {
		s := arenastrings.ReplaceAll(a, arenastrings.ToLower(a, line), "go+arena", "query")
		sum += len(s) + len(arenastrings.Fields(a, s))
	}
	return sum
}
