package useless

import (
	"strconv"

	"github.com/arena-go/arena"
)

// There is no fix: the file does not import arenastrings.
func unimported(a *arena.Arena, n int) string {
	return arena.String(a, strconv.Itoa(n)) // want `useless: .* use arenastrings.Itoa`
}
