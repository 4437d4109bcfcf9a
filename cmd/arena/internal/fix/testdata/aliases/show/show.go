// Package show describes what is left. It is apart, so that what is analyzed needs nothing of the
// standard library.
package show

import (
	"fmt"

	"example.com/aliases"
)

// Show describes what can be reached.
func Show(p *aliases.P) string {
	return fmt.Sprint(place(p, 3), aliases.Texts, len(aliases.Ints), values())
}

func values() (all []int) {
	for _, x := range aliases.Ints {
		if x != nil {
			all = append(all, *x)
		}
	}
	return all
}

func place(p *aliases.P, depth int) string {
	if p == nil || depth <= 0 {
		return "-"
	}
	s := fmt.Sprint("{A", node(p.A, depth), "B", node(p.B, depth), "T", node(&p.T, depth), "L", nodes(p.L, depth), "M", node(p.M["k"], depth), "in", place(p.In, depth-1))
	if n, ok := p.Any.(*aliases.N); ok {
		s += "any" + node(n, depth)
	}
	if p.Q != nil {
		s += "q" + node(*p.Q, depth)
	}
	return s + "}"
}

func node(n *aliases.N, depth int) string {
	if n == nil || depth <= 0 {
		return "-"
	}
	x := 0
	if n.X != nil {
		x = *n.X
	}
	return fmt.Sprint("(", n.S, " ", x, " ", node(n.Next, depth-1), nodes(n.Kids, depth-1), ")")
}

func nodes(l []*aliases.N, depth int) (s string) {
	for _, n := range l {
		s += node(n, depth-1)
	}
	return "[" + s + "]"
}
