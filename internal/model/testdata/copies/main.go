// The program copies what must not be copied, for TestVetFindsCopies.
package main

import (
	"reflect"

	"github.com/arena-go/arena"
)

type service struct{ builder arena.Builder }

func main() {
	a := arena.NewArena()
	s, r, m, t := arena.SlabOf[int](a), arena.RefSlabOf[int](a), arena.NewMap[int, int](a, 0), arena.NewBuilder(a)
	g := arena.NewGroup()
	var pool arena.Pool
	var in service

	b := *a // a copy
	arena.New[int](&b)
	slab := *s // a copy
	slab.New()
	refs := *r // a copy
	refs.New()
	entries := *m // a copy
	entries.Len()
	text := *t // a copy
	text.Len()
	inside := in // a copy
	inside.builder.Len()
	second := pool // a copy
	second.Get()
	group := *g // a copy
	group.Wait()

	// These are handles, and may be copied.
	typ := arena.SlabOfType(a, reflect.TypeFor[int]())
	u := typ
	u.New()
	ref, _ := arena.NewRef[int](a)
	v := ref
	v.Get(a)
}
