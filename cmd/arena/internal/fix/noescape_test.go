package fix

import "testing"

// TestNoescape: a function in another language keeps nothing if it says so, and may have part of
// what it is given in its result, and in the rest.
func TestNoescape(t *testing.T) {
	t.Parallel()
	parseAsCommented(t, written(t, `
-- p.go --
package m

type N struct{ next *N }

//go:noescape
//go:generate something

func sum(b []byte) uint64

func sumOf(b []byte) uint64

//go:noescape
func first(list []*N) *N

//go:noescape
func link(a, b *N)

var g *N

func Parse(n int) (all []*N, hash uint64) {
	a := make([]byte, n) // moves: a slice
	b := make([]byte, n) // stays: a slice
	c := &N{} // stays: a value
	g = first([]*N{c})
	d := &N{} // stays: a value
	e := &N{} // stays: a value
	link(d, e)
	g = e.next
	f := &N{} // moves: a value
	h := &N{} // moves: a value
	link(f, h)
	return append(all, c, d, e, f, h, h.next), sum(a) + sumOf(b)
}
-- p.s --
`))
}
