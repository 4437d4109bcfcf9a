package arenaarrow

import (
	"errors"
	"testing"

	"github.com/arena-go/arena"
)

// TestGrowBeyondLimit has Reallocate exceed a limit in each of the ways in which a block grows:
// where it is or by moving, with few bytes or many, in a slab or alone. What is to be done about
// limits is done in all of them.
func TestGrowBeyondLimit(t *testing.T) {
	for _, c := range []struct{ from, to int }{{64, 128}, {130, 190}, {100, 30_000}, {5000, 9000}, {20_000, 60_000}, {40_000, 40_500}, {40_000, 100_000}} {
		for _, kind := range []string{"soft", "asked", "hard"} {
			top := New(Options{Hard: kind == "hard"})
			q := top.Child("query")
			b := q.Allocate(c.from)
			stamp(b, 1)
			q.SetLimit(int64(c.from + (c.to-c.from)/2))
			asked := 0
			if kind == "asked" {
				q.OnLimit(func(int64) bool { asked++; return true })
			}
			now := c.to
			if err := arena.Try(func() { b = q.Reallocate(c.to, b) }); kind == "hard" {
				now = c.from
				if !errors.Is(err, arena.ErrLimit) {
					t.Errorf("%v, %s: %v", c, kind, err)
				}
			} else if err != nil {
				t.Errorf("%v, %s: %v", c, kind, err)
			}
			if q.Exceeded() != (kind == "soft") || (asked == 1) != (kind == "asked") {
				t.Errorf("%v, %s: exceeded %v, asked %d times", c, kind, q.Exceeded(), asked)
			}
			for _, a := range []*Allocator{q, top} {
				if s := a.Stats(); s.InUse != int64(now) || s.Peak != int64(now) || s.Blocks != 1 || len(b) != now {
					t.Errorf("%v, %s, %s: %+v", c, kind, a, s)
				}
			}
			if !stamped(b[:c.from], 1) || kind != "hard" && string(b[c.from:]) != string(zeros[:c.to-c.from]) {
				t.Errorf("%v, %s: the contents are others", c, kind)
			}
			q.Free(b)
			if l := top.Close(); l != nil {
				t.Error(l)
			}
		}
	}
}
