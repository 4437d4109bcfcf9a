package arenaarrow

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// looked returns how many lists and holdings f has looked at.
func (r *root) looked(f func()) looks {
	r.looks = &looks{}
	defer func() { r.looks = nil }()
	f()
	return *r.looks
}

// TestOwnBlocks counts what Stats, Leaks and Close look at: never more holdings than the allocator
// has blocks, however many others have, and never more lists than there are of it.
func TestOwnBlocks(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range 4 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		o := Options{}
		if round%2 == 1 {
			o.Memory = &testMemory{blocks: map[uintptr]int{}}
		}
		top := New(o)
		idle := top.Child("idle")
		type owner struct {
			*Allocator
			blocks [][]byte
		}
		owners := make([]*owner, 30)
		for i := range owners {
			owners[i] = &owner{Allocator: top.Child(fmt.Sprint("child ", i))}
		}
		step := func(n int) {
			for range n {
				c := owners[min(r.IntN(len(owners)), r.IntN(len(owners)))] // the first ones have more
				if i := len(c.blocks); i > 0 && r.IntN(3) == 0 {
					j := r.IntN(i)
					c.Free(c.blocks[j])
					c.blocks[j] = c.blocks[i-1]
					c.blocks = c.blocks[:i-1]
				} else {
					for range 1 + r.IntN(5) {
						c.blocks = append(c.blocks, c.Allocate(1+r.IntN(1<<r.IntN(17))))
					}
				}
			}
		}
		const lists = maxShards*slabClasses + 1
		check := func(what string, blocks int, f func()) {
			t.Helper()
			if n := top.looked(f); n.holdings > blocks || n.lists > lists {
				t.Errorf("%s looks at %d lists and %d holdings, for %d blocks", what, n.lists, n.holdings, blocks)
			}
		}
		step(20_000)
		all := 0
		for _, c := range owners {
			all += len(c.blocks)
		}
		if n := top.Stats().Blocks; n != all || all < 10_000 {
			t.Fatalf("%d blocks in all, want %d", n, all)
		}
		check("Stats of a child that has done nothing", 0, func() { idle.Stats() })
		idle.Free(idle.Allocate(100))
		idle.Free(idle.Allocate(1 << 20))
		check("Stats of one that has nothing", 0, func() { idle.Stats() })
		leak := idle.Allocate(100)
		check("Stats of one with a block", 1, func() { idle.Stats() })
		check("Close of one with a leak", 1, func() { idle.Close() })
		idle.Free(leak)
		for len(owners) > 0 {
			i := r.IntN(len(owners))
			c := owners[i]
			owners[i] = owners[len(owners)-1]
			owners = owners[:len(owners)-1]
			if s := c.Stats(); s.Blocks != len(c.blocks) {
				t.Errorf("%d blocks, want %d", s.Blocks, len(c.blocks))
			}
			check("Stats", len(c.blocks), func() { c.Stats() })
			check("leaks", len(c.blocks), func() { c.leaks() })
			check("Close", len(c.blocks), func() {
				if l := c.Close(); l != nil && l.Blocks != len(c.blocks) || l == nil && len(c.blocks) > 0 {
					t.Errorf("%v; want %d blocks", l, len(c.blocks))
				}
			})
			for _, b := range c.blocks {
				c.Free(b)
			}
			if len(owners) > 0 {
				step(100)
			}
		}
		if err := top.check(); err != nil {
			t.Error(err)
		}
		if s := top.Stats(); s.Blocks != 0 || s.Orphans != 0 || s.InUse != 0 {
			t.Errorf("%+v", s)
		}
		if n := len(top.family.children); n != 0 {
			t.Errorf("%d children are in the family when all are closed", n)
		}
		top.Close()
	}
}

// TestForgottenChildren has children that nobody closes: those that have nothing in use are not
// kept, and those that have are found.
func TestForgottenChildren(t *testing.T) {
	top := New(Options{})
	var lost, kept int
	var mu sync.Mutex
	for i := range 10_000 {
		c := top.Child("child").Child("part")
		b := c.Allocate(100)
		if i%100 == 0 {
			kept++
			continue
		}
		c.Free(b)
		runtime.AddCleanup(c, func(int) {
			mu.Lock()
			lost++
			mu.Unlock()
		}, 0)
	}
	if n := len(top.family.children); n > 3*kept+16 {
		t.Errorf("%d children are in the family, and %d have something in use", n, kept)
	}
	if n := top.Stats().Blocks; n != kept {
		t.Errorf("%d blocks, want %d", n, kept)
	}
	if !testrun.Collect(func() bool {
		mu.Lock()
		defer mu.Unlock()
		return lost >= 9000
	}) {
		t.Errorf("of 9900 children that are forgotten, with nothing in use, %d are gone", lost)
	}
	if l := top.Close(); l == nil || l.Blocks != kept {
		t.Errorf("%v; want %d blocks", l, kept)
	}
}

// TestForgetIdle has goroutines allocate by children, and by children of children, that are
// forgotten meanwhile, over and over. Each time that one of them has a block, and everybody waits,
// Stats finds it from above.
func TestForgetIdle(t *testing.T) {
	top := New(Options{})
	p := top.Child("parent")
	const goroutines, rounds = 6, 2000
	children := make([]*Allocator, goroutines)
	for i := range children {
		children[i] = p.Child(fmt.Sprint("child ", i))
		for range i % 3 {
			children[i] = children[i].Child("part")
		}
	}
	for round := range rounds {
		var wg sync.WaitGroup
		blocks := make([][]byte, goroutines)
		for i, c := range children {
			wg.Go(func() {
				for range 5 {
					c.Free(c.Allocate(64 << (round % 12)))
				}
				blocks[i] = c.Allocate(64 << (round % 12))
			})
		}
		wg.Go(func() {
			for range 20 {
				for _, a := range []*Allocator{p, top} {
					a.mu.Lock()
					a.forgetIdle()
					a.mu.Unlock()
				}
			}
		})
		wg.Wait()
		for _, a := range []*Allocator{p, top} {
			if n := a.Stats().Blocks; n != goroutines {
				t.Fatalf("round %d: %s has %d blocks, want %d", round, a, n, goroutines)
			}
		}
		for i, b := range blocks {
			children[i].Free(b)
		}
	}
	if l := top.Close(); l != nil {
		t.Error(l)
	}
}

// TestBooks has children of one parent come and go while that parent is surveyed and closed, and
// children of another have blocks meanwhile, in books that the first ones had. None of these may be
// counted, or made orphans, for the first parent.
func TestBooks(t *testing.T) {
	top := New(Options{})
	rounds := 300
	if !testrun.Long() {
		rounds = 100
	}
	for range rounds {
		var wg sync.WaitGroup
		closed := top.Child("closed")
		goes := make(chan struct{})
		wg.Go(func() {
			<-goes
			for i := range 60 {
				c := closed.Child("guest")
				b := c.Allocate(64 << (i % 8))
				c.Free(b)
				c.Close()
			}
		})
		wg.Go(func() {
			<-goes
			held := closed.Allocate(100) // so that Close looks for blocks
			for range 20 {
				closed.Stats()
			}
			closed.Close()
			top.Free(held)
		})
		wg.Go(func() {
			<-goes
			for range 10 {
				other := top.Child("other")
				var blocks [][]byte
				for i := range 8 {
					blocks = append(blocks, other.Allocate(64<<i))
				}
				if n := other.Stats().Blocks; n != 8 {
					t.Errorf("%d blocks, want 8", n)
				}
				for _, b := range blocks[1:] {
					other.Free(b)
				}
				if l := other.Close(); l == nil || l.Blocks != 1 || l.Bytes != 64 {
					t.Errorf("%v; want 1 block of 64 bytes", l)
				}
				top.Free(blocks[0])
			}
		})
		close(goes)
		wg.Wait()
		if s := top.Stats(); s.Blocks != 0 || s.InUse != 0 || s.Orphans != 0 {
			t.Fatalf("%+v", s)
		}
	}
	if err := top.check(); err != nil {
		t.Error(err)
	}
}

// TestBookOfAnother has a survey come to a book that has become another's since it began.
func TestBookOfAnother(t *testing.T) {
	top := New(Options{})
	c, other := top.Child("closed"), top.Child("other")
	c.Free(c.Allocate(64))
	b := c.book.Load()
	c.Close()
	if c.book.Load() != nil {
		t.Fatal("Close has left the book where it was")
	}
	other.book.Store(b)
	block := other.Allocate(64)
	for i := range top.shards {
		c.surveyShard(i, b, func(l *holdings, _ *class) { t.Errorf("sees %d blocks of another", l.blocks) })
	}
	if n := other.Stats().Blocks; n != 1 {
		t.Errorf("%d blocks, want 1", n)
	}
	other.Free(block)
}

// TestForgottenParent has an allocator forgotten by its parent while it has nothing in use: a child
// of it that it knows of, and that allocates later, is found from above all the same.
func TestForgottenParent(t *testing.T) {
	top := New(Options{})
	parent := top.Child("parent")
	child := parent.Child("child")
	child.Free(child.Allocate(100))
	for range 100 { // until top forgets those that have nothing in use
		c := top.Child("other")
		c.Free(c.Allocate(100))
	}
	if parent.joined.Load() {
		t.Fatal("top has not forgotten the parent; use more others")
	}
	child.Allocate(100)
	if n := top.Stats().Blocks; n != 1 {
		t.Errorf("Stats of top: %d blocks, want 1", n)
	}
	if l := top.Close(); l == nil || l.Blocks != 1 {
		t.Errorf("Close of top: %v, want one block", l)
	}
}
