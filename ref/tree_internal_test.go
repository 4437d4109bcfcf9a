package ref

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
)

// Check returns how many leaves and inner nodes t has, those on the lists included, and what is
// wrong with it.
func (t *Tree[K, V]) Check(s Space) (leaves, inners int, err error) {
	return t.nodes.check(s, cmp.Compare[K])
}

// Check returns what Check of a Tree does.
func (t *TextTree[V]) Check(s Space) (leaves, inners int, err error) {
	return t.nodes.check(s, func(x, y treeText) int {
		if text := y.text.Get(s); y.prefix == prefixOf(text) {
			return cmp.Compare(x.text.Get(s), text)
		}
		return 1 // which is an error
	})
}

func (t *treeNodes[K, V]) check(s Space, compare func(x, y K) int) (leaves, inners int, err error) {
	seen := map[uint32]bool{}
	see := func(r uint32) {
		if seen[r] {
			panic(fmt.Sprintf("node %d is there twice", r))
		}
		seen[r] = true
	}
	ordered := func(low *K, keys []K, high *K) {
		for i := range keys {
			if low != nil && compare(*low, keys[i]) >= 0 {
				panic(fmt.Sprintf("key %v is not less than %v", *low, keys[i]))
			}
			low = &keys[i]
		}
		if high != nil && low != nil && compare(*low, *high) > 0 {
			panic(fmt.Sprintf("key %v is greater than %v", *low, *high))
		}
	}
	entries := 0
	// visit visits the nodes between first and last of the depth, with keys in (low, high].
	var visit func(r uint32, height int, first, last bool, low, high *K)
	visit = func(r uint32, height int, first, last bool, low, high *K) {
		see(r)
		if height == 0 {
			l := t.leaf(s, r)
			n := int(l.n)
			if n < 1 || !first && !last && n < leafLeast {
				panic(fmt.Sprintf("leaf with %d entries", n))
			}
			ordered(low, l.keys[:n], high)
			entries += n
			leaves++
			return
		}
		in := t.inner(s, r)
		n := int(in.n)
		if n < 2 || !first && !last && n < innerLeast {
			panic(fmt.Sprintf("inner node with %d kids", n))
		}
		inners++
		ordered(low, in.keys[:n-1], high)
		for i, kid := range in.kids[:n] {
			l, h := low, high
			if i > 0 {
				l = &in.keys[i-1]
			}
			if i < n-1 {
				h = &in.keys[i]
			}
			visit(kid, height-1, first && i == 0, last && i == n-1, l, h)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if t.root != 0 {
		visit(t.root, t.depth(), true, true, nil, nil)
	} else if t.height != 0 {
		panic("no root, but a height")
	}
	if entries != int(t.n) {
		panic(fmt.Sprintf("%d entries, want %d", entries, t.n))
	}
	for r := t.leaves; !r.IsNil(); r = r.Get(s).free {
		see(r.Offset())
		leaves++
		if r.Get(s).n != notUsed {
			panic("a leaf on the list is in use")
		}
	}
	for r := t.inners; !r.IsNil(); r = r.Get(s).free {
		see(r.Offset())
		inners++
		if r.Get(s).n != notUsed {
			panic("an inner node on the list is in use")
		}
	}
	return leaves, inners, nil
}

// TestTreeHeight checks that maxHeight is enough for all nodes that an arena has room for.
func TestTreeHeight(t *testing.T) {
	// The smallest leaf that can be there so often is of uint32 keys without values.
	leaves := float64(1<<35) / float64(mem.SizeOf[treeLeaf[uint32, struct{}]]())
	for height := 0; ; height++ {
		if leaves <= 1 {
			if height > maxHeight {
				t.Errorf("a tree can be %d high, maxHeight is %d", height, maxHeight)
			}
			return
		}
		leaves = leaves/innerLeast + 2 // and those at both edges
		if leaves < 4 {
			leaves = 1
		}
	}
}

// TestTreeCircle checks that a tree whose inner nodes are their own kids, at any height, ends each
// operation, with a panic of this package or without.
func TestTreeCircle(t *testing.T) {
	for _, height := range []uint32{1, 2, 3, maxHeight, maxHeight + 1, 20, 1 << 31, 1<<32 - 1} {
		for name, f := range map[string]func(*arena.Arena, *Tree[uint64, int]){
			"Get":    func(a *arena.Arena, tree *Tree[uint64, int]) { tree.Get(In(a), 70) },
			"Set":    func(a *arena.Arena, tree *Tree[uint64, int]) { tree.Set(In(a), 70, 1); tree.Set(In(a), 1e6, 1) },
			"Delete": func(a *arena.Arena, tree *Tree[uint64, int]) { tree.Delete(In(a), 70) },
			"Min":    func(a *arena.Arena, tree *Tree[uint64, int]) { tree.Min(In(a)) },
			"Clear":  func(a *arena.Arena, tree *Tree[uint64, int]) { tree.Clear(In(a)) },
			"All": func(a *arena.Arena, tree *Tree[uint64, int]) {
				tree.All(In(a))(func(uint64, int) bool { return true })
			},
			"Backward": func(a *arena.Arena, tree *Tree[uint64, int]) {
				tree.Backward(In(a))(func(uint64, int) bool { return true })
			},
		} {
			for _, leaf := range []bool{false, true} { // whether the first kid stays a leaf
				a := arena.NewWith(arena.Options{Limit: 1 << 20})
				s := In(a)
				var tree Tree[uint64, int]
				for i := range uint64(500) {
					tree.Set(s, i, 1)
				}
				in := tree.nodes.inner(s, tree.nodes.root)
				for i := range in.kids {
					if i > 0 || !leaf {
						in.kids[i] = tree.nodes.root
					}
				}
				tree.nodes.height = height
				func() {
					defer func() {
						r := recover()
						if err, _ := r.(error); r != nil && !errors.Is(err, errTree) && !errors.Is(err, region.ErrBad) {
							t.Errorf("%s at height %d: panic %v", name, height, r)
						}
					}()
					f(a, &tree)
				}()
			}
		}
	}
}

// TestTreeSearch checks search, which finds keys without halving, with arrays of any
// contents: the result is right where the keys are in order, and an index everywhere.
func TestTreeSearch(t *testing.T) {
	for _, size := range []int{7, leafSize, innerSize - 1} {
		keys := make([]int, size)
		for n := range size + 1 {
			for i := range keys {
				keys[i] = 2 * i
				if i >= n {
					keys[i] = i * 7 % 5 // what is behind the keys does not matter
				}
			}
			for k := -1; k <= 2*n+1; k++ {
				want := max(min((k+1)/2, n), 0)
				if got := search(keys, n, k); got != want {
					t.Fatalf("search of %d in %d of %d keys is %d, want %d", k, n, size, got, want)
				}
				if got := rankIn(keys[:n], k, false); got != want {
					t.Fatalf("rankIn(%d, %d keys) is %d, want %d", k, n, got, want)
				}
				want = max(min((k+2)/2, n), 0)
				if got := rankIn(keys[:n], k, true); got != want {
					t.Fatalf("rankIn(%d, %d keys, orEqual) is %d, want %d", k, n, got, want)
				}
			}
			for i := range keys {
				keys[i] = i * 31 % 17
			}
			for k := range 18 {
				if got := search(keys, n, k); got < 0 || got > n {
					t.Fatalf("search in %d keys without order is %d", n, got)
				}
			}
		}
	}
}

// TestTreeCount iterates over trees that say they have fewer entries than there are: it ends with
// the last of these.
func TestTreeCount(t *testing.T) {
	a := arena.NewArena()
	s := In(a)
	var tree Tree[int, int]
	var texts TextTree[int]
	for i := range 500 {
		tree.Set(s, i, i)
		texts.Set(s, strings.Repeat("x", i), i)
	}
	for _, n := range []uint64{0, 1, 31, 499} {
		tree.nodes.n, texts.nodes.n = n, n
		steps := uint64(0)
		for what, f := range map[string]func(){
			"All": func() {
				for range tree.All(s) {
					steps++
				}
			},
			"Backward": func() {
				for range tree.Backward(s) {
					steps++
				}
			},
			"text": func() {
				for range texts.All(s) {
					steps++
				}
			},
		} {
			steps = 0
			func() {
				defer func() {
					if r := recover(); r != errTree || steps != n {
						t.Errorf("%s of %d entries: %d steps, %v", what, n, steps, r)
					}
				}()
				f()
			}()
		}
	}

	// Texts that are all of the memory, each of them: to compare them would take the square of the
	// time.
	texts = TextTree[int]{}
	for i := range 20 {
		texts.Set(s, fmt.Sprintf("%03d", i), i)
	}
	long := NewString(s, strings.Repeat("y", int(a.Stats().Reserved)))
	leaf := texts.nodes.leaf(s, texts.nodes.root)
	for i := range leaf.n {
		leaf.keys[i].text = long
	}
	defer func() {
		if r := recover(); r != errTree {
			t.Errorf("texts that are longer than memory: %v", r)
		}
	}()
	for range texts.All(s) {
	}
	t.Error("texts that are longer than memory are no error")
}
