package fix

import (
	"strings"
	"testing"
)

const full = `
-- a.go --
package m

import "slices"

type Node struct{ N int }

// Root appends to slices that are full, and changes the results: the slices stay as they were.
func Root(n int) (wrong int) {
	arenaMove := 0 // a name that what is written has, too
	for more := range 5 {
		all, numbers := [][]*Node{{}}, [][]int{{}}
		for i := range n {
			from := i // the newest, or an older one
			if i%3 == 2 {
				from = i / 2
			}
			p, v := slices.Clip(all[from]), slices.Clip(numbers[from])
			was, wasNumbers := values(p), slices.Clone(v)
			switch more {
			case 1:
				p, v = append(p, &Node{i}), append(v, i)
			case 2:
				p, v = append(p, &Node{i}, &Node{n}), append(v, i, n)
			default:
				p, v = append(p, all[from]...), append(v, wasNumbers...)
			}
			for j := range v {
				v[j] = -i - 1
				p[j] = &Node{-i - 1}
			}
			if !slices.Equal(values(all[from]), was) || !slices.Equal(numbers[from], wasNumbers) {
				wrong++
			}
			all, numbers = append(all, p), append(numbers, v)
		}
	}
	return wrong + arenaMove
}

func values(list []*Node) (all []int) {
	for _, p := range list {
		all = append(all, p.N)
	}
	return all
}
-- a_test.go --
package m

import "testing"

func Test(t *testing.T) {
	if n := Root(40); n != 0 {
		t.Errorf("%d slices have changed with their copies", n)
	}
}
`

// TestAppendCopies: what append copies on the heap is copied in an arena, also if the slice could
// grow where it lies.
func TestAppendCopies(t *testing.T) {
	_, src := rewritten(t, full, Options{Roots: []string{"m.Root"}})
	for _, want := range []string{"arenaPush(ar, ", "arenaAppend(ar, ", "arenaClone(ar, v)", "func arenaMove_["} {
		if strings.Count(src, want) == 0 {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
	if n := strings.Count(src, "\nfunc arena"); n != 4 {
		t.Errorf("%d functions are written, want 4", n)
	}
	testedLong(t, full, Options{Roots: []string{"m.Root"}})
}
