package arena_test

import (
	"testing"

	"github.com/arena-go/arena"
)

type refNode struct{ left, right arena.Ref[refNode] }

func refTree(a *arena.Arena, s *arena.RefSlab[refNode], depth int) arena.Ref[refNode] {
	if depth == 0 {
		return s.New()
	}
	left, right := refTree(a, s, depth-1), refTree(a, s, depth-1)
	r := s.New()
	n := r.Get(a)
	n.left, n.right = left, right
	return r
}

func refCount(a *arena.Arena, r arena.Ref[refNode]) int {
	n := r.Get(a)
	if n.left.IsNil() {
		return 1
	}
	return 1 + refCount(a, n.left) + refCount(a, n.right)
}

func refTrees(n int) int {
	sum := 0
	tree := func(a *arena.Arena, depth int) arena.Ref[refNode] {
		return refTree(a, arena.RefSlabOf[refNode](a), depth)
	}
	var stretch, long, a arena.Arena
	sum += refCount(&stretch, tree(&stretch, n+1))
	stretch.Free()
	root := tree(&long, n)
	for d := 4; d <= n; d += 2 {
		for range 1 << (n - d + 4) {
			sum += refCount(&a, tree(&a, d))
			a.Reset()
		}
	}
	return sum + refCount(&long, root)
}

func BenchmarkRefTrees(b *testing.B) {
	for b.Loop() {
		if refTrees(18) < 0 {
			b.Fatal()
		}
	}
}

func TestRefSmoke(t *testing.T) {
	a := arena.NewArena()
	r, p := arena.NewRef[int](a)
	*p = 5
	if *r.Get(a) != 5 {
		t.Fatal()
	}
	s, v := arena.NewRefSlice[int32](a, 100000)
	v[99999] = 7
	if *s.At(a, 99999) != 7 {
		t.Fatal()
	}
	x := arena.NewRefString(a, "hello")
	if x.Get(a) != "hello" {
		t.Fatal()
	}
	if refTrees(10) == 0 {
		t.Fatal()
	}
	t.Log(a.Stats())
}
