package deadlines

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

func waitedAnyway(ctx context.Context, s string) (n int, err error) {
	a := arenas.Get()
	defer arenas.Put(a)
	ready := make(chan string, 1)
	go func() { ready <- work(a, s) }()
	select {
	case r := <-ready:
		return len(r), nil
	case <-ctx.Done():
		<-ready
		return 0, ctx.Err()
	}
}

func waitedBehind(ctx context.Context, s string) (late bool) {
	a := arenas.Get()
	var wg sync.WaitGroup
	ready := make(chan string, 1)
	wg.Go(func() { ready <- work(a, s) })
	select {
	case <-ready:
	case <-ctx.Done():
		late = true
	}
	wg.Wait()
	arenas.Put(a)
	return late
}

func putIfReady(ctx context.Context, s string) (n int, err error) {
	a := arenas.Get()
	ready := make(chan string, 1)
	go func() { ready <- work(a, s) }()
	select {
	case r := <-ready:
		n = len(r)
		arenas.Put(a)
		return n, nil
	case <-ctx.Done():
		arenas.Drop(a)
		return 0, ctx.Err()
	}
}

func putUnlessLate(s string) int {
	a := arenas.Get()
	late, ready := false, make(chan string, 1)
	go func() { ready <- work(a, s) }()
	select {
	case <-ready:
	case <-time.After(time.Second):
		late = true
	}
	if !late {
		arenas.Put(a)
	}
	return 1
}

func askedAgain(s string) int {
	a := arena.NewArena()
	ready := make(chan int, 1)
	go func() { ready <- len(work(a, s)) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case n := <-ready:
			a.Reset()
			return n
		case <-tick.C:
			println("still waiting")
		}
	}
}

func pollsUntilReady(s string) (n int) {
	a := arena.NewArena()
	ready := make(chan int, 1)
	go func() { ready <- len(work(a, s)) }()
	for n == 0 {
		select {
		case n = <-ready:
		default:
			time.Sleep(time.Millisecond)
		}
	}
	a.Reset()
	return n
}

// The goroutine itself ends the context.
func endsContext(ctx context.Context, s string) {
	ctx, cancel := context.WithCancel(ctx)
	a := arenas.Get()
	defer arenas.Put(a)
	go func() {
		defer cancel()
		println(work(a, s))
	}()
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
		panic("it hangs")
	}
}

// Another goroutine waits for the first one.
func inTurn(s string, stop chan struct{}) {
	a := arenas.Get()
	defer arenas.Put(a)
	var wg sync.WaitGroup
	wg.Go(func() { println(work(a, s)) })
	all := make(chan struct{})
	go func() {
		wg.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-stop:
	}
}

// What the goroutine has is its own.
func ownArena(ctx context.Context, s string) error {
	a := arenas.Get()
	defer arenas.Put(a)
	s = strings.Clone(s)
	ready := make(chan int, 1)
	go func() {
		a := arenas.Get()
		defer arenas.Put(a)
		ready <- len(work(a, s))
	}()
	select {
	case n := <-ready:
		println(work(a, s), n)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func givesAnswer(ctx context.Context, b *bytes.Buffer, page func(*bytes.Buffer)) bool {
	ready := make(chan bool)
	go func() {
		page(b)
		close(ready)
	}()
	select {
	case <-ready:
		return true
	case <-ctx.Done():
		return false
	}
}

func putIfAnswered(ctx context.Context, page func(*bytes.Buffer)) {
	b := buffers.Get().(*bytes.Buffer)
	if givesAnswer(ctx, b, page) {
		b.Reset()
		buffers.Put(b)
	}
}
