package arenafasthttp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

// handle answers with the words of the query, backwards. It makes them in the arenas of the
// request.
func handle(ctx context.Context, r *fasthttp.RequestCtx) {
	a := arena.FromContext(ctx)
	q := r.QueryArgs().Peek("q") // which fasthttp overwrites with the next request
	switch string(q) {
	case "large":
		arena.MakeSlice[byte](a, 2<<20, 2<<20)
	case "panic":
		panic("a panic")
	}
	words := strings.Fields(arena.String(a, q))
	answer := arena.MakeSlice[string](a, len(words), len(words))
	var all sync.WaitGroup
	for i, word := range words {
		all.Go(func() {
			own := arena.FromContext(arena.Fork(ctx))
			answer[len(words)-1-i] = arena.Concat(own, "<", word, ">")
		})
	}
	all.Wait()
	r.SetBodyString(arena.Join(a, answer, " "))
	r.Response.Header.Set("X-Words", arena.Sprintf(a, "%d", len(words)))
}

// TestHandler has a server and clients, which ask for different words at the same time.
func TestHandler(t *testing.T) {
	pool := &arena.Pool{Options: arena.Options{Limit: 1 << 20}}
	server := &fasthttp.Server{Handler: Handler(handle, &arenascope.Options{Pool: pool})}
	l := fasthttputil.NewInmemoryListener()
	served := make(chan error)
	go func() { served <- server.Serve(l) }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.Dial() }}}
	get := func(q string) (status int, body, words string) {
		resp, err := client.Get("http://x/?q=" + q)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return resp.StatusCode, string(b), resp.Header.Get("X-Words")
	}
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			for i := range 100 {
				want := fmt.Sprintf("<c> <%d> <%d>", c, i)
				if status, got, words := get(fmt.Sprintf("%d+%d+c", i, c)); status != 200 || got != want || words != "3" {
					t.Errorf("status %d: %q, want %q, %s words", status, got, want, words)
				}
			}
		})
	}
	clients.Wait()
	if status, got, _ := get("large"); status != fasthttp.StatusRequestEntityTooLarge || !strings.Contains(got, "too much memory") {
		t.Error(status, got)
	}
	client.CloseIdleConnections()
	if err := server.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}

	before := pool.Stats()
	if before.Out != 0 || before.Dropped == 0 || before.Puts != before.Gets-before.Dropped {
		t.Errorf("%+v", before)
	}
	func() {
		defer func() {
			if p := recover(); p != "a panic" {
				t.Error(p)
			}
		}()
		r := new(fasthttp.RequestCtx)
		r.QueryArgs().Set("q", "panic")
		server.Handler(r)
	}()
	if after := pool.Stats(); after.Dropped != before.Dropped+1 || after.Out != 0 {
		t.Errorf("after a panic: %+v", after)
	}
}
