package fix

import (
	"fmt"
	"slices"
	"testing"
)

// TestIterators: what an iterator makes moves if loops range over it at once, and do not keep what
// it yields.
func TestIterators(t *testing.T) {
	for _, twice := range []bool{false, true} {
		o := Options{Dir: original(t, "iterators"), Roots: []string{"iterators.Run"}, Twice: twice}
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		var moved []string
		for _, s := range r.Sites {
			if s.Kind == kindValue && s.Why == "" {
				moved = append(moved, fmt.Sprintf("%s:%d", s.File, s.Line))
			}
		}
		for line, says := range comments(t, o.Dir) {
			if want := slices.Contains(says, "moves: "+kindValue); want != slices.Contains(moved, line) {
				t.Errorf("%s: moves: %v, want %v", line, !want, want)
			}
		}
	}
}
