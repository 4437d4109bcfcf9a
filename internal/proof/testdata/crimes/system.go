package main

import (
	"fmt"
	"runtime/debug"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

// unguarded writes to stale values of an arena that guard mode cannot have made inaccessible, and
// looks for that. It goes on with the arena, too.
func unguarded() {
	a := arena.NewWith(options())
	s := arena.SliceOf(a, 1, 2, 3)
	p := arena.Ptr(a, point{1, 2})
	n := newNode(a)
	t := arena.String(a, "some text")
	if s[1] != 2 || p.y != 2 || n.name+n.name != t+t {
		panic("values are not what they were made")
	}
	a.Reset()
	s[1], p.x, n.n = 7, 8, 9
	arenadebug.CheckQuarantine()
	for i := range 20 {
		m := newNode(a)
		m.list = arena.Append(a, m.list, make([]int, i*100)...)
		if m.n != 1 || m.name != "some text" || m.next.y != 2 || len(m.list) != 3+i*100 {
			panic(fmt.Sprintf("a node is %+v", m))
		}
		a.Reset()
	}
	scene = a
}

// noWards uses guard mode up.
func noWards() {
	debug.SetGCPercent(-1)
	var all []*arena.Arena
	for range 9000 / 200 {
		a := arena.NewWith(options())
		for range 200 {
			arena.MakeSlice[byte](a, 1, 1)
		}
		all = append(all, a)
	}
	unguarded()
	scene = []any{scene, all}
}
