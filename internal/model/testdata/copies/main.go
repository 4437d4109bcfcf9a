// The program copies what must not be copied, for TestVetFindsCopies.
package main

import (
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/ref"
)

type service struct{ builder arena.Builder }

func main() {
	a := arena.NewArena()
	in := ref.In(a)
	s, r, m, t := arena.SlabOf[int](a), ref.SlabOf[int](in), arena.NewMap[int, int](a, 0), arena.NewBuilder(a)
	g := arena.NewGroup()
	var pool arena.Pool
	var one service

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
	inside := one // a copy
	inside.builder.Len()
	second := pool // a copy
	second.Get()
	group := *g // a copy
	group.Wait()

	// These are handles, and may be copied.
	typ := arenakit.SlabOf(a, reflect.TypeFor[int]())
	u := typ
	u.New()
	number, _ := ref.New[int](in)
	v := number
	v.Get(in)
}
