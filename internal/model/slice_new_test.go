package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arena-go/arena"
)

// TestAppendNew appends to slices and changes the results by turns, with AppendNew, PushNew and the builtin: all have the same elements, whichever share them.
func TestAppendNew(t *testing.T) {
	a := arena.NewArena()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		// Slices that are full, so that the builtin copies them for certain.
		want, got := [][]*int{{}}, [][]*int{{}}
		for range 20 {
			i, n := r.IntN(len(want)), r.IntN(5)
			v := make([]*int, n)
			for i := range v {
				v[i] = new(r.Int())
			}
			w := append(slices.Clip(want[i]), v...)
			g := slices.Clip(got[i])
			if n == 1 {
				g = arena.PushNew(a, g, v[0])
			} else {
				g = arena.AppendNew(a, g, v...)
			}
			if n > 0 && len(w) > 0 {
				p := new(r.Int())
				j := r.IntN(len(w))
				w[j], g[j] = p, p
			}
			want, got = append(want, w), append(got, g)
			for i := range want {
				if !slices.Equal(want[i], got[i]) {
					t.Fatalf("%v, want %v", got[i], want[i])
				}
			}
		}
		a.Reset()
	}
}
