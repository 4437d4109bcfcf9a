// Package ways has mistakes, and correct functions, that depend on which way a function takes, or on which turn of a loop made something.
package ways

import (
	"fmt"

	"github.com/arena-go/arena"
)

var pool arena.Pool

func allOfOne(in [][]byte) {
	a := arena.NewArena()
	var all []*conn
	for _, b := range in {
		all = append(all, &conn{name: arena.String(a, b)})
	}
	a.Reset()
	for _, c := range all {
		fmt.Println(c.name) // want `stale: the result of arena\.String \(line 16\) is used after Reset \(line 18\)`
	}
}

func callAllOfOne(in [][]byte) {
	a := arena.NewArena()
	var all []func()
	for _, b := range in {
		s := arena.String(a, b)
		all = append(all, func() { fmt.Println(s) })
	}
	a.Reset()
	for _, f := range all {
		f() // want `stale: the result of arena\.String \(line 28\) is used after Reset \(line 31\)`
	}
}

func sameTurn(in [][]byte) (all []*conn) {
	for _, b := range in {
		c := &conn{a: pool.Get()}
		c.name = arena.String(c.a, b)
		pool.Put(c.a)
		fmt.Println(c.name) // want `stale: the result of arena\.String \(line 40\) is used after Pool\.Put \(line 41\)`
		all = append(all, c)
	}
	return all
}

func returnsClosed() *arena.Arena {
	a := pool.Get()
	defer pool.Put(a)
	return a // want `outlives: what Pool\.Get returned \(line 49\) is returned after Pool\.Put \(line 50\)`
}

func useClosed() {
	a := returnsClosed() // which was reported
	fmt.Println(arena.New[int](a))
}

func returnsSlab() *arena.Slab[conn] {
	a := pool.Get()
	defer pool.Put(a)
	return arena.SlabOf[conn](a) // want `outlives: what Pool\.Get returned \(line 60\) is returned after Pool\.Put \(line 61\)`
}

func newArena() *arena.Arena { return pool.Get() }

func losesMade() {
	a := newArena() // want `lost: the arena of Pool\.Get is not given back`
	fmt.Println(arena.New[int](a))
}

func losesElements() {
	all := make([]*arena.Arena, 3)
	for i := range all {
		all[i] = pool.Get() // want `lost: the arena of Pool\.Get is not given back`
	}
}

func constantOrNot(n int) string {
	a := pool.Get()
	defer pool.Put(a)
	s := "zero"
	if n != 0 {
		s = arena.Itoa(a, n)
	}
	return s // want `outlives: the result of arena\.Itoa \(line 84\) is returned after Pool\.Put \(line 81\)`
}

func lastOfLoop(in [][]byte) (last *conn) {
	a := pool.Get()
	defer pool.Put(a)
	for _, b := range in {
		last = arena.Put(a, conn{name: string(b)})
	}
	return last // want `outlives: the result of arena\.Put \(line 93\) is returned after Pool\.Put \(line 91\)`
}

func notEmpty(a *arena.Arena, in [][]byte) {
	var s string
	for _, b := range in {
		if len(s) > 0 {
			fmt.Println(s) // want `stale: the result of arena\.String \(line 104\) is used after Reset \(line 105\)`
		}
		s = arena.String(a, b)
		a.Reset()
	}
}
