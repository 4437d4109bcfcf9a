// Package deadlines waits for goroutines, but not forever.
package deadlines

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

var (
	arenas  arena.Pool
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	errLate = errors.New("too late")
)

func work(a *arena.Arena, s string) string { return arena.Concat(a, s, "!") }

func answer(ctx context.Context, s string) (n int, err error) {
	a := arenas.Get()
	defer arenas.Put(a)
	ready := make(chan string, 1)
	go func() { ready <- work(a, s) }() // want `outlives: a goroutine that nobody has waited for`
	select {
	case r := <-ready:
		return len(r), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func answerSoon(s string) int {
	a := arenas.Get()
	n, ready := 0, make(chan struct{})
	go func() { // want `outlives: `
		defer close(ready)
		n = len(work(a, s))
	}()
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
	}
	arenas.Put(a)
	return n
}

func polled(s string) int {
	a := arena.NewArena()
	ready := make(chan int, 1)
	go func() { ready <- len(work(a, s)) }() // want `outlives: `
	n := 0
	select {
	case n = <-ready:
	default:
	}
	a.Reset()
	return n
}

func limited(ctx context.Context, all []string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	a := arenas.Get()
	defer arenas.Put(a)
	results := make(chan string)
	go func() { // want `outlives: `
		defer close(results)
		for _, s := range all {
			results <- work(a, s)
		}
	}()
	for range all {
		select {
		case r := <-results:
			println(len(r))
		case <-ctx.Done():
			return errLate
		}
	}
	return nil
}

func write(w http.ResponseWriter, quit <-chan struct{}, page func(*bytes.Buffer) error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	ready := make(chan error, 1)
	go func() { ready <- page(b) }() // want `syncpool: a goroutine that nobody has waited for`
	select {
	case <-quit:
		return
	case err := <-ready:
		if err == nil {
			w.Write(b.Bytes())
		}
	}
}

func handle(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	path := arena.String(a, r.URL.Path)
	ready := make(chan bool, 1)
	go func() { ready <- path == "/slow" }() // want `outlives: the handler returns`
	select {
	case <-ready:
	case <-time.After(time.Second):
		http.Error(w, "too late", http.StatusGatewayTimeout)
	}
}
