package closed

import (
	"fmt"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

var pool arena.Pool

func putTwice(b []byte) {
	a := pool.Get()
	lib.Parse(a, b)
	pool.Put(a)
	pool.Put(a) // want `closed: Pool.Put of an arena that has ended before, by Pool.Put`
}

func deferredPut(b []byte) {
	a := pool.Get()
	defer pool.Put(a) // want `closed: Pool.Put`
	lib.Parse(a, b)
	pool.Put(a)
}

func usedAfterPut(b []byte) {
	a := pool.Get()
	pool.Put(a)
	lib.Parse(a, b) // want `closed: the arena is used after Pool.Put`
}

func usedAfterFree() *int {
	a := arena.NewArena()
	a.Free()
	return arena.New[int](a) // want `closed: the arena is used after Free`
}

func freedTwice() {
	a := arena.NewArena()
	defer a.Free() // want `closed: Free`
	fmt.Println(len(arena.MakeSlice[int](a, 3, 3)))
	a.Free()
}

func resetAfterPut() {
	a := pool.Get()
	pool.Put(a)
	a.Reset() // want `closed: the arena is Reset after Pool.Put`
}

func slabAfterFree() {
	a := arena.NewArena()
	s := arena.SlabOf[int](a)
	a.Free()
	s.New() // want `closed: the arena is used after Free`
}

func acrossTwice(b []byte) {
	a := lib.Get()
	lib.Parse(a, b)
	lib.Put(a)
	lib.Put(a) // want `closed: `
}

func insideDo(b []byte) {
	var kept *arena.Arena
	arena.Do(func(a *arena.Arena) { kept = a })
	lib.Parse(kept, b) // want `closed: the arena is used after arena.Do`
}

func putOnBoth(b []byte, ok bool) {
	a := pool.Get()
	if ok {
		lib.Parse(a, b)
		pool.Put(a)
	} else {
		pool.Put(a)
	}
	pool.Put(a) // want `closed: `
}

func groupTwice() {
	g := arena.NewGroup()
	a := g.Arena()
	g.Reset()
	arena.New[int](a) // want `closed: the arena is used after Group.Reset`
}

func loopPut(all [][]byte) {
	a := pool.Get()
	for _, b := range all {
		lib.Parse(a, b) // want `closed: .*`
		pool.Put(a)     // want `closed: .*`
	}
}
