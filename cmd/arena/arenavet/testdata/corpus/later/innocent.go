package later

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

func waits(f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	<-done
}

func waited(b []byte) {
	a := arena.NewArena()
	defer a.Free()
	s := arena.String(a, b)
	waits(func() { fmt.Println(s) })
}

func waitedInTurn(b []byte) {
	a := arena.NewArena()
	waits(func() { fmt.Println(arena.String(a, b)) })
	waits(func() { fmt.Println(arena.Sprintf(a, "%q", b)) })
	a.Reset()
}

func copied(w http.ResponseWriter, r *http.Request) {
	v := arena.Ptr(arena.FromContext(r.Context()), visit{page: r.URL.Path})
	kept := &visit{strings.Clone(v.page), v.n}
	clock{time.Minute}.at(kept.forget)
	clock{time.Minute}.forget(kept)
}

func waitedForAll(all [][]byte) {
	a := arena.NewArena()
	var wg sync.WaitGroup
	for _, b := range all {
		s := arena.String(a, b)
		started(&wg, func() { fmt.Println(s) })
	}
	wg.Wait()
	a.Reset()
}

func ownArenas(all [][]byte, p *arena.Pool) {
	for _, b := range all {
		background(func() {
			a := p.Get()
			defer p.Put(a)
			fmt.Println(arena.String(a, b))
		})
	}
}

func calls(f func()) { f() }

func calledAtOnce(b []byte) {
	a := arena.NewArena()
	s := arena.String(a, b)
	calls(func() { fmt.Println(s) })
	a.Reset()
}

// One goroutine does all jobs, one after the other.
func inOneLoop(l *loop, b []byte) {
	a := arena.NewArena()
	done := make(chan bool)
	l.add(func() { fmt.Println(arena.String(a, b)) })
	l.add(func() { fmt.Println(arena.Sprintf(a, "%q", b)) })
	l.add(func() { done <- true })
	<-done
	a.Reset()
}

func stopped(b []byte) {
	a := arena.NewArena()
	s := arena.String(a, b)
	t := clock{time.Hour}.at(func() { fmt.Println(s) })
	if t.Stop() {
		a.Reset()
	}
}
