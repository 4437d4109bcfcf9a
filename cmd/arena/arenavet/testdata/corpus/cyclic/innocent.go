// Package cyclic has function literals that have captured themselves.
package cyclic

import (
	"sync"

	"github.com/arena-go/arena"
)

type codec struct {
	size func(string) int
	next *codec
}

var codecs sync.Map

func recursive(name string) *codec {
	c := new(codec)
	var visit func(s string) int
	visit = func(s string) int {
		if s == "" {
			return 0
		}
		return 1 + visit(s[1:]) + c.size(s[1:])
	}
	c.size = visit
	c.next = c
	v, _ := codecs.LoadOrStore(name, c)
	return v.(*codec)
}

func wrapped(c codec) *codec {
	size := c.size
	c.size = func(s string) int { return size(s) + c.size(s[:1]) }
	codecs.Store("wrapped", &c)
	return &c
}

func sized(a *arena.Arena, b []byte) int {
	return recursive("x").size(arena.String(a, b)) + wrapped(codec{}).size("y")
}
