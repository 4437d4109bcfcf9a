package arenaarrow

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// TestByName has children of some names work, and compares their figures with a model.
func TestByName(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range 20 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		top := New(Options{Names: 3, Debug: round == 0})
		want := map[string]*NameStats{"other": {}}
		type child struct {
			*Allocator
			s           *NameStats
			blocks      [][]byte
			used, spare int64
			limit       int64
			over        bool
		}
		var children []*child
		for range 300 {
			if len(children) == 0 || r.IntN(10) == 0 {
				name := fmt.Sprint("query ", r.IntN(6))
				if want[name] == nil && len(want) <= 3 {
					want[name] = &NameStats{}
				}
				s := want[name]
				if s == nil {
					s = want["other"]
				}
				s.Made++
				children = append(children, &child{Allocator: top.Child(name), s: s})
			}
			i := r.IntN(len(children))
			c := children[i]
			switch n := r.IntN(12); {
			case n == 0:
				c.limit = 1 + r.Int64N(1<<15)
				c.SetLimit(c.limit)
				c.s.Limit = c.limit
			case n == 1:
				n := r.Int64N(1 << 15)
				fits := n <= c.spare || c.limit == 0 || c.used+n <= c.limit
				if err := c.TryReserve(n); (err == nil) != fits {
					t.Fatalf("%v, want %v", err, fits)
				}
				if fits {
					c.s.Reserved += n - c.spare
					c.spare = n
				} else {
					c.s.Refused++
				}
			case n == 2:
				c.s.Leaked += c.used
				c.s.InUse -= c.used
				c.s.Reserved -= c.spare
				c.s.Closed++
				c.Close()
				for _, b := range c.blocks {
					c.Free(b)
				}
				children = append(children[:i], children[i+1:]...)
			case n < 6 && len(c.blocks) > 0:
				b := c.blocks[0]
				c.blocks = c.blocks[1:]
				c.Free(b)
				c.used -= int64(len(b))
				c.s.InUse -= int64(len(b))
			default:
				b := c.Allocate(1 + r.IntN(1<<r.IntN(14)))
				size := int64(len(b))
				use := min(size, c.spare)
				c.spare -= use
				c.s.Reserved -= use
				c.used += size
				c.s.InUse += size
				c.s.Peak = max(c.s.Peak, c.used)
				if !c.over && size > use && c.limit > 0 && c.used+c.spare > c.limit {
					c.over = true
					c.s.Exceeded++
				}
				c.blocks = append(c.blocks, b)
			}
			got := top.ByName()
			for name, s := range want {
				g := got[name]
				if g.Peak >= s.Peak && g.Peak <= s.Peak+int64(mostCredit(1)) {
					g.Peak = s.Peak
				}
				if g != *s {
					t.Fatalf("%s: %+v, want %+v", name, got[name], *s)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d names, want %d", len(got), len(want))
			}
		}
	}
	if top := New(Options{}); top.Child("x").ByName() != nil {
		t.Error("figures by name, and no Options.Names")
	}
}

// TestByNameAtOnce has children come and go on several goroutines while others ask for their
// figures.
func TestByNameAtOnce(t *testing.T) {
	const goroutines, rounds, size = 4, 500, 100
	top := New(Options{Names: 2})
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				c := top.Child(fmt.Sprint("query ", (g+i)%3))
				b := c.Allocate(size)
				for name, s := range top.ByName() {
					if s.InUse > goroutines*size || s.Made < s.Closed || s.Peak > size {
						t.Errorf("%s: %+v", name, s)
					}
				}
				top.Free(b)
				c.Close()
			}
		})
	}
	wg.Wait()
	sum := int64(0)
	for name, s := range top.ByName() {
		sum += s.Closed
		if s.InUse != 0 || s.Leaked != 0 || s.Made != s.Closed {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if sum != goroutines*rounds {
		t.Errorf("%d children were closed, want %d", sum, goroutines*rounds)
	}
}

// TestByNameNested has children with children, many deep. It compares their figures with a model,
// and proves that ByName looks at each child once.
func TestByNameNested(t *testing.T) {
	seed := testrun.Seed(t)
	for round := range 12 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		top := New(Options{Names: 10, Debug: round == 0})
		type child struct {
			*Allocator
			name   string
			up     *child
			blocks [][]byte
		}
		all := []*child{{Allocator: top}}
		for range 100 {
			up := all[max(len(all)-1-r.IntN(5), 0)] // one of the last ones
			name := fmt.Sprint("depth ", r.IntN(5))
			all = append(all, &child{Allocator: up.Child(name), name: name, up: up})
		}
		for range 20 {
			for range 100 {
				c := all[r.IntN(len(all))]
				switch n := len(c.blocks); {
				case n > 0 && r.IntN(2) == 0:
					c.Free(c.blocks[n-1])
					c.blocks = c.blocks[:n-1]
				case n > 0 && r.IntN(4) == 0: // The block counts to limits in full, and the rest of it is not in use.
					c.blocks[n-1] = c.Reallocate(1+r.IntN(cap(c.blocks[n-1])), c.blocks[n-1])
				default:
					c.blocks = append(c.blocks, c.Allocate(1+r.IntN(1<<r.IntN(14))))
				}
			}
			want := map[string]int64{}
			for _, c := range all {
				own := 0
				for _, b := range c.blocks {
					own += len(b)
				}
				for p := c; p.up != nil; p = p.up {
					want[p.name] += int64(own)
				}
			}
			var got map[string]NameStats
			once := top.looked(func() { top.inUse() })
			if n := top.looked(func() { got = top.ByName() }); n != once {
				t.Fatalf("ByName looks at %d lists and %d holdings; there are %d and %d", n.lists, n.holdings, once.lists, once.holdings)
			}
			for name, n := range want {
				if got[name].InUse != n {
					t.Fatalf("%s: %d bytes in use, want %d", name, got[name].InUse, n)
				}
			}
		}
		for _, c := range all {
			for _, b := range c.blocks {
				c.Free(b)
			}
		}
		for name, s := range top.ByName() {
			if s.InUse != 0 {
				t.Errorf("%s: %d bytes in use at the end", name, s.InUse)
			}
		}
	}
}

// BenchmarkByName asks for the figures of children that lie in one another.
func BenchmarkByName(b *testing.B) {
	for _, depth := range []int{1, 10, 100} {
		b.Run(fmt.Sprint("children=100/depth=", depth), func(b *testing.B) {
			top := New(Options{Names: 10})
			for range 100 / depth {
				for c := top; c.depth() < depth; {
					c = c.Child("query")
					c.Allocate(1000)
				}
			}
			for b.Loop() {
				top.ByName()
			}
		})
	}
}

func (a *Allocator) depth() (n int) {
	for ; a.parent != nil; a = a.parent {
		n++
	}
	return n
}
