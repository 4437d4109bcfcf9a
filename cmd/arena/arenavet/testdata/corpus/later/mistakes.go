// Package later hands functions to others, which call them when the arena may have ended.
package later

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

type visit struct {
	page string
	n    int
}

func (v *visit) forget() { fmt.Println("forgot", v.page, v.n) }

func background(f func()) { go f() }

func twice(f func()) { background(func() { f(); f() }) }

type clock struct{ wait time.Duration }

func (c clock) at(f func()) *time.Timer { return time.AfterFunc(c.wait, f) }

func (c clock) forget(v *visit) { c.at(v.forget) }

func with(s string, f func(string)) { go f(s) }

func methodLater(w http.ResponseWriter, r *http.Request) {
	v := arena.Ptr(arena.FromContext(r.Context()), visit{page: r.URL.Path})
	clock{time.Minute}.at(v.forget) // want `outlives: the handler returns`
}

func valueLater(w http.ResponseWriter, r *http.Request) {
	v := arena.Ptr(arena.FromContext(r.Context()), visit{page: r.URL.Path})
	clock{time.Minute}.forget(v) // want `outlives: the handler returns`
}

func literalLater(b []byte) {
	a := arena.NewArena()
	defer a.Free()
	s := arena.String(a, b)
	background(func() { fmt.Println(s) }) // want `outlives: a goroutine that nobody has waited for`
}

func literalTwice(b []byte, p *arena.Pool) {
	a := p.Get()
	s := arena.String(a, b)
	twice(func() { fmt.Println(s) }) // want `outlives: `
	p.Put(a)
}

func arenaLater(b []byte) {
	a := arena.NewArena()
	with("x", func(s string) { fmt.Println(arena.String(a, b), s) }) // want `outlives: `
	a.Reset()
}

func arenaInTwo(b []byte) {
	a := arena.NewArena()
	background(func() { fmt.Println(arena.String(a, b)) })
	background(func() { fmt.Println(arena.Sprintf(a, "%q", b)) }) // want `shared: `
}

type loop struct{ jobs chan func() }

func (l *loop) add(f func()) { l.jobs <- f }

func added(l *loop, b []byte) {
	a := arena.NewArena()
	s := arena.String(a, b)
	l.add(func() { fmt.Println(s) }) // want `outlives: `
	a.Reset()
}

func groupLater(all [][]byte, wg *sync.WaitGroup) {
	a := arena.NewArena()
	defer a.Free()
	for _, b := range all {
		s := arena.String(a, b)
		started(wg, func() { fmt.Println(s) }) // want `outlives: `
	}
}

func started(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
}
