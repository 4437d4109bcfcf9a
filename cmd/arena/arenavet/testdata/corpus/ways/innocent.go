package ways

import (
	"fmt"

	"github.com/arena-go/arena"
)

type conn struct {
	a    *arena.Arena
	name string
	next *conn
}

func resetEach() {
	var all []*conn
	for range 3 {
		c := &conn{a: arena.NewArena()}
		c.name = arena.Concat(c.a, "x", "y")
		all = append(all, c)
	}
	for _, c := range all {
		fmt.Println(c.name)
		c.a.Reset()
	}
}

func putEach() {
	var all []*conn
	for range 3 {
		all = append(all, &conn{a: pool.Get()})
	}
	for _, c := range all {
		pool.Put(c.a)
	}
}

func putEachOfMap(in [][]byte) {
	all := map[string]*conn{}
	for _, b := range in {
		c := &conn{a: arena.NewArena()}
		c.name = arena.String(c.a, b)
		all[string(b)] = c
	}
	for k, c := range all {
		fmt.Println(k, c.name)
		c.a.Reset()
	}
}

func putList() {
	var head *conn
	for range 3 {
		head = &conn{a: pool.Get(), next: head}
	}
	for c := head; c != nil; c = c.next {
		pool.Put(c.a)
	}
}

func resetOldest(in [][]byte) {
	var all []*conn
	for _, b := range in {
		c := &conn{a: arena.NewArena()}
		c.name = arena.String(c.a, b)
		all = append(all, c)
		if len(all) > 10 {
			all[0].a.Reset()
			all = all[1:]
		}
		fmt.Println(all[len(all)-1].name)
	}
}

func putStack(n int, b []byte) {
	var stack []*conn
	for range n {
		c := &conn{a: pool.Get()}
		c.name = arena.String(c.a, b)
		stack = append(stack, c)
	}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		fmt.Println(c.name)
		pool.Put(c.a)
	}
}

func callEach(in [][]byte) {
	var all []func()
	for _, b := range in {
		a := pool.Get()
		s := arena.String(a, b)
		all = append(all, func() { fmt.Println(s); pool.Put(a) })
	}
	for _, f := range all {
		f()
	}
}

func fillEach(in [][]byte) {
	a, b := arena.NewArena(), arena.NewArena()
	var all []*conn
	for range in {
		all = append(all, &conn{})
	}
	all[0].name = arena.String(a, in[0])
	all[1].name = arena.String(b, in[1])
	b.Reset()
	fmt.Println(all[0].name)
}
