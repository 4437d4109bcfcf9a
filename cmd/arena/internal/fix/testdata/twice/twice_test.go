package twice

import (
	"slices"
	"testing"
)

func TestBuild(t *testing.T) {
	for range 3 {
		x := Build("to be or not to be")
		if got := x.Places; len(got) != 9 || !slices.Equal(got["be"], []int{1, 5}) || !slices.Equal(got["n"], []int{3, -3}) || !slices.Equal(got["many"], []int{2, 3, 4, 5}) {
			t.Error(got)
		}
		if got := x.marked["to"]; len(got) != 2 || *got[0] != 0 || *got[1] != 4 {
			t.Error(got)
		}
		if got := x.chain; got.left != 5 || got.right != "r" || got.next.left != "to, again" || got.next.next.left != 5 || len(got.next.next.next.right.([]string)) < 6 {
			t.Error(got)
		}
		for i, got := range x.counts {
			if want := []counted{{7, 1, 2, 2}, {3, 1, 3 + 2, 3}, {before: 7, first: 4}, {before: 7, first: 4}}[i%4]; *got != want {
				t.Error(i, *got)
			}
		}
		if got := x.last; got.next.left != 2 || got.next.next.left != 1 || got.next.next.next.left != 3 || got.right.(*pair).left != 5 || x.half != nil {
			t.Error(got, x.half)
		}
		if got := *x.both; got != (both{6, 2}) {
			t.Error(got)
		}
		if got := chain(1, "a"); got.left != 1 || got.right != nil || got.next.left != "a" || got.next.next.left != 1 {
			t.Error(got)
		}
		if got := x.Names[:6]; !slices.Equal(got, []string{"to, again", `"to"`, "a", "toto", "to", "to!"}) {
			t.Error(got)
		}
	}
}
