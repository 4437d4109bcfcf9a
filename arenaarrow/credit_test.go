package arenaarrow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

// mostCredit returns the maximum credit of this number of allocators.
func mostCredit(allocators int) int {
	classes, _ := classOf(maxCreditBlock, 6)
	return allocators * (classes + 1) * runtime.GOMAXPROCS(0) * maxCredit
}

// credit returns the credit of a and its children.
func (a *Allocator) credit() (n int) {
	a.survey(func(l *holdings, _ *class) { n += l.credit })
	return n
}

// A creditor is an allocator of a program, with what a model says of it: what counts, and nothing
// else.
type creditor struct {
	*Allocator
	parent   *creditor
	used     int
	limit    int
	exceeded bool
	blocks   [][]byte
}

func (c *creditor) add(n int) {
	for ; c != nil; c = c.parent {
		c.used += n
	}
}

// over returns the first of c and its parents that n bytes more take beyond its limit.
func (c *creditor) over(n int) *creditor {
	for ; c != nil; c = c.parent {
		if c.limit > 0 && c.used+n > c.limit {
			return c
		}
	}
	return nil
}

// needs makes c need n more bytes, for which f is called, and checks the outcome. It reports
// whether c got them.
func (c *creditor) needs(t *testing.T, hard bool, n int, f func()) bool {
	over := c.over(n)
	err := arena.Try(f)
	if hard && over != nil {
		if e := (*arena.LimitError)(nil); !errors.As(err, &e) || e.Name != over.Name() || e.Reserved != int64(over.used) {
			t.Fatalf("%s needs %d bytes more, for which %s has no room: %v", c, n, over, err)
		}
		return false
	}
	if err != nil {
		t.Fatalf("%s needs %d bytes more, for which there is room: %v", c, n, err)
	}
	for q := c; over != nil; q = q.parent { // As documented: all up to the one whose limit it is, but not the root for its children.
		if q.parent != nil || q == c {
			q.exceeded = true
		}
		if q == over {
			break
		}
	}
	c.add(n)
	return true
}

// TestCreditPrograms runs random programs of one goroutine with small blocks, children and limits,
// and compares with a model that knows of no credit: each limit is exceeded when it is in the
// model.
func TestCreditPrograms(t *testing.T) {
	t.Run("seed", func(t *testing.T) { creditPrograms(t, testrun.Seed(t)) })
	// An allocation exceeds the limits of a child and of its parent: then others of the parent have
	// no credit, either.
	t.Run("two limits", func(t *testing.T) { creditPrograms(t, 594136017810828713) })
}

func creditPrograms(t *testing.T, seed uint64) {
	t.Log("seed ", seed)
	rounds, credit, exceeded := 100, 0, 0
	if !testrun.Long() {
		rounds = 20
	}
	for round := 0; round < rounds || credit < 1000 || exceeded < 100; round++ {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		hard := round%2 == 0
		top := &creditor{Allocator: New(Options{Name: "top", Hard: hard})}
		all := []*creditor{top}
		child := func() {
			p := all[r.IntN(len(all))]
			all = append(all, &creditor{Allocator: p.Child(fmt.Sprint("child ", len(all))), parent: p})
		}
		for range 5 {
			child()
		}
		for step := range 2000 {
			c := all[r.IntN(len(all))]
			switch n := r.IntN(100); {
			case n < 45:
				size := 1 + r.IntN(1<<r.IntN(13))
				var b []byte
				if c.needs(t, hard, size, func() { b = c.Allocate(size) }) {
					c.blocks = append(c.blocks, b)
				}
			case n < 65 && len(c.blocks) > 0:
				b := &c.blocks[r.IntN(len(c.blocks))]
				size := cap(*b) + 1 + r.IntN(1<<r.IntN(11))
				c.needs(t, hard, size-cap(*b), func() { *b = c.Reallocate(size, *b) })
			case n < 95 && len(c.blocks) > 0:
				i := r.IntN(len(c.blocks))
				b := c.blocks[i]
				c.blocks[i] = c.blocks[len(c.blocks)-1]
				c.blocks = c.blocks[:len(c.blocks)-1]
				all[r.IntN(len(all))].Free(b)
				c.add(-cap(b))
			case n < 97:
				c.limit = r.IntN(100_000)
				if r.IntN(3) == 0 {
					c.limit = max(c.used+r.IntN(3)-1, 0)
				}
				c.SetLimit(int64(c.limit))
			case n < 98:
				c.ClearExceeded()
				c.exceeded = false
			case n < 99:
				top.allowCredit()
			case len(all) < 12:
				child()
			}
			look := all
			if step%40 != 0 {
				look = []*creditor{all[r.IntN(len(all))]}
			}
			for _, c := range look {
				credit = max(credit, c.credit())
				if n := c.CurrentAlloc(); n != c.used || c.bytes.Load() != int64(n+c.credit()) || c.Exceeded() != (c.exceeded && !hard) {
					t.Fatalf("round %d: %s has %d bytes, of which %d are credit, and %d count; want %d. Exceeded is %v, want %v",
						round, c, n, c.credit(), c.bytes.Load(), c.used, c.Exceeded(), c.exceeded)
				}
				if c.exceeded {
					exceeded++
				}
			}
		}
		for _, c := range all { // Parents come first.
			l := c.Close()
			if closed := c.parent != nil; !closed && l == nil != (c.used == 0) || l != nil && l.Bytes != int64(c.used) {
				t.Fatalf("%v, want %d bytes", l, c.used)
			}
		}
		if n := top.bytes.Load(); n != 0 {
			t.Fatalf("%d bytes count when all are closed", n)
		}
	}
}

// TestCreditFits has goroutines allocate just what fits, by a count of their own: nothing is
// refused, and no limit exceeded, whatever credit others have.
func TestCreditFits(t *testing.T) {
	const limit = 20_000 // of which one goroutine alone needs twice as much
	for _, o := range []Options{{Hard: true, Limit: limit}, {Limit: limit}} {
		top := New(o)
		var used, full atomic.Int64
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 3))
				for range 30 {
					q := top.Child("query")
					step := q.Child("step")
					var blocks [][]byte
					free := func(i int) {
						b := blocks[i]
						blocks[i] = blocks[len(blocks)-1]
						blocks = blocks[:len(blocks)-1]
						step.Free(b)
						used.Add(-int64(cap(b)))
					}
					for range 200 {
						size := 1 + r.IntN(1<<r.IntN(12))
						if used.Add(int64(size)) > limit {
							used.Add(-int64(size))
							full.Add(1)
							if len(blocks) > 0 {
								free(r.IntN(len(blocks)))
							}
							continue
						}
						if err := arena.Try(func() { blocks = append(blocks, step.Allocate(size)) }); err != nil || step.Exceeded() {
							t.Errorf("%d bytes fit: %v, exceeded %v", size, err, step.Exceeded())
							return
						}
						if r.IntN(3) == 0 {
							free(r.IntN(len(blocks)))
						}
						if r.IntN(100) == 0 {
							q.SetLimit(limit)
							top.allowCredit()
						}
					}
					for len(blocks) > 0 {
						free(0)
					}
					if l := q.Close(); l != nil {
						t.Error(l)
					}
				}
			})
		}
		wg.Wait()
		if s := top.Stats(); o.Hard && s.Peak > limit || s.InUse != 0 || top.bytes.Load() != int64(top.credit()) || full.Load() == 0 {
			t.Errorf("%+v, %d bytes count, full %d times", s, top.bytes.Load(), full.Load())
		}
		if err := top.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestCreditIsUsed has a child allocate and free small blocks in turns: what it counts at its
// parents does not change.
func TestCreditIsUsed(t *testing.T) {
	top := New(Options{})
	q := top.Child("query")
	q.Free(q.Allocate(100))
	before := top.bytes.Load()
	for range 100 {
		b := q.Allocate(70)
		if top.bytes.Load() != before || top.CurrentAlloc() != 70 || q.Stats().InUse != 70 {
			t.Fatalf("%d bytes count, want %d; in use are %d", top.bytes.Load(), before, top.CurrentAlloc())
		}
		q.Free(b)
	}
	if l := q.Close(); l != nil || top.bytes.Load() != 0 {
		t.Errorf("%v, %d bytes count", l, top.bytes.Load())
	}
}
