// Package ways has mistakes, and correct functions, that depend on which way a function takes, or on which turn of a loop made something.
package ways

import (
	"fmt"
	"net/http"

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
		fmt.Println(c.name) // want `stale: the result of arena\.String \(line 17\) is used after Reset \(line 19\)`
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
		f() // want `stale: the result of arena\.String \(line 29\) is used after Reset \(line 32\)`
	}
}

func sameTurn(in [][]byte) (all []*conn) {
	for _, b := range in {
		c := &conn{a: pool.Get()}
		c.name = arena.String(c.a, b)
		pool.Put(c.a)
		fmt.Println(c.name) // want `stale: the result of arena\.String \(line 41\) is used after Pool\.Put \(line 42\)`
		all = append(all, c)
	}
	return all // want `outlives: `
}

func returnsClosed() *arena.Arena {
	a := pool.Get()
	defer pool.Put(a)
	return a // want `outlives: what Pool\.Get returned \(line 50\) is returned after Pool\.Put \(line 51\)`
}

func useClosed() {
	a := returnsClosed() // which was reported
	fmt.Println(arena.New[int](a))
}

func returnsSlab() *arena.Slab[conn] {
	a := pool.Get()
	defer pool.Put(a)
	return arena.SlabOf[conn](a) // want `outlives: what Pool\.Get returned \(line 61\) is returned after Pool\.Put \(line 62\)`
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
		s = arena.Sprintf(a, "%d", n)
	}
	return s // want `outlives: the result of arena\.Sprintf \(line 85\) is returned after Pool\.Put \(line 82\)`
}

func lastOfLoop(in [][]byte) (last *conn) {
	a := pool.Get()
	defer pool.Put(a)
	for _, b := range in {
		last = arena.Ptr(a, conn{name: string(b)})
	}
	return last // want `outlives: the result of arena\.Ptr \(line 94\) is returned after Pool\.Put \(line 92\)`
}

func notEmpty(a *arena.Arena, in [][]byte) {
	var s string
	for _, b := range in {
		if len(s) > 0 {
			fmt.Println(s) // want `stale: the result of arena\.String \(line 105\) is used after Reset \(line 106\)`
		}
		s = arena.String(a, b)
		a.Reset()
	}
}

var (
	paths  []string
	byName = map[string]*conn{}
)

func keptByGlobals(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	paths = append(paths, arena.String(a, r.URL.Path))     // want `outlives: the result of arena\.String \(line 117\) is stored in the elements of paths, which lives longer than the arena of the request`
	byName["x"] = &conn{name: arena.String(a, r.URL.Path)} // want `outlives: the result of arena\.String \(line 118\) is stored in`
}

type server struct {
	paths []string
	last  *conn
	sent  chan string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	s.paths = append(s.paths, arena.String(a, r.URL.Path)) // want `outlives: the result of arena\.String \(line 129\) is stored in the elements of s\.paths`
	s.last = &conn{name: arena.String(a, r.URL.Path)}      // want `outlives: the result of arena\.String \(line 130\) is stored in`
	s.sent <- arena.String(a, r.URL.Path)                  // want `outlives: a value of the arena is sent, and the handler returns, which ends the arena: nobody waits for the receiver`
}

func allocatesLater(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	go func() { fmt.Println(arena.Concat(a, "x", r.URL.Path)) }() // want `outlives: the handler returns, which ends the arena, and a goroutine that nobody has waited for may still use it`
}

func mayStart(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	s := arena.String(a, r.URL.Path)
	if r.Method == "POST" {
		go fmt.Println(s) // want `outlives: the handler returns, which ends the arena, and a goroutine that nobody has waited for may still use it`
	}
}

func startsBeforeDeferred(b []byte, c bool) {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	if c {
		go fmt.Println(s) // want `outlives: a goroutine that nobody has waited for may use the arena when it ends, by Pool\.Put \(line 149\)`
	}
}

func sendsBeforeDeferred(b []byte, ch chan string) {
	a := pool.Get()
	defer pool.Put(a)
	select {
	case ch <- arena.String(a, b): // want `outlives: a value of the arena is sent, and nobody waits for the receiver before Pool\.Put \(line 158\)`
		fmt.Println("sent")
	default:
	}
}

func literalWithArena(in [][]byte) (last string) {
	for _, b := range in {
		func() {
			a := pool.Get()
			defer pool.Put(a)
			last = arena.String(a, b)
		}()
	}
	return last // want `outlives: what a function has made \(line 172\) is returned after the end of the arena in a function`
}

func triedWithArena(b []byte) (s string, err error) {
	err = arena.Try(func() {
		a := arena.NewArena()
		s = arena.String(a, b)
		a.Reset()
	})
	return s, err // want `outlives: what the function literal of arena\.Try has made \(line 178\) is returned after the end of the arena in what arena\.Try calls`
}
