package closed

import (
	"example.com/corpus/lib"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
)

func perTurn(all [][]byte) {
	for _, b := range all {
		a := pool.Get()
		lib.Parse(a, b)
		pool.Put(a)
	}
}

func taken(all [][]byte) {
	a := pool.Get()
	for _, b := range all {
		lib.Parse(a, b)
		pool.Put(a)
		a = pool.Get()
	}
	pool.Put(a)
}

func resetTwice(b []byte) {
	a := arena.NewArena()
	a.Reset()
	a.Reset()
	lib.Parse(a, b)
}

func orHeap(b []byte) *lib.Doc {
	a := arena.NewArena()
	a.Free()
	return lib.Parse(arenascope.OrHeap(a), b)
}

func either(ok bool, b []byte) {
	a := pool.Get()
	if ok {
		pool.Put(a)
		return
	}
	lib.Parse(a, b)
	pool.Put(a)
}

func freeThenNew(b []byte) {
	a := arena.NewArena()
	lib.Parse(a, b)
	a.Free()
	a = arena.NewArena()
	lib.Parse(a, b)
	a.Free()
}

func flagged(b []byte, done bool) {
	a := pool.Get()
	if done {
		pool.Put(a)
	}
	if !done {
		lib.Parse(a, b)
		pool.Put(a)
	}
}

func groupAgain() {
	g := arena.NewGroup()
	for range 3 {
		arena.New[int](g.Arena())
		g.Reset()
	}
	g.Free()
}

func slabAfterReset() *int {
	a := arena.NewArena()
	s := arena.SlabOf[int](a)
	a.Reset()
	return s.New()
}

func putFreed() {
	a := pool.Get()
	a.Free()
	pool.Put(a)
}

func nilled(b []byte) {
	a := pool.Get()
	defer func() {
		if a != nil {
			pool.Put(a)
		}
	}()
	lib.Parse(a, b)
	pool.Put(a)
	a = nil
}

func freeAll(all []*arena.Arena) {
	for _, a := range all {
		a.Free()
	}
}

type owner struct{ a *arena.Arena }

func (o *owner) free() { o.a.Free() }

func freeOwners(all []*owner, more chan *owner, named map[string]*owner) {
	for _, o := range all {
		o.free()
	}
	for o := range more {
		o.free()
	}
	for _, o := range named {
		o.a.Free()
	}
	all[0].free()
}

func nilAndNew() {
	for _, a := range []*arena.Arena{nil, new(arena.Arena)} {
		t := arena.NewBuilder(a)
		t.WriteString("x")
		a.Free()
	}
}
