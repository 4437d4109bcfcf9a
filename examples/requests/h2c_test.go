//lint:file-ignore SA1019 package h2c is deprecated, and programs that use it get their requests through it

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

// TestH2C proves that requests of one connection do not share an arena where package h2c takes over
// the connection, with the middleware around it, inside it, and both.
func TestH2C(t *testing.T) {
	const clients, requests = 40, 20
	around := func(h http.Handler) http.Handler { return arenahttp.Middleware(h, arenahttp.Options{}) }
	upgrade := func(h http.Handler) http.Handler { return h2c.NewHandler(h, &http2.Server{}) }
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"around": func(h http.Handler) http.Handler { return around(upgrade(h)) },
		"inside": func(h http.Handler) http.Handler { return upgrade(around(h)) },
		"both":   func(h http.Handler) http.Handler { return around(upgrade(around(h))) },
	} {
		srv := httptest.NewServer(wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			if (a == nil) != (name == "around") {
				t.Errorf("%s: the arena is %p", name, a)
			}
			b := arena.NewBuilder(a)
			for range 200 {
				b.WriteString(arena.Concat(a, r.URL.Path, ";"))
			}
			io.WriteString(w, b.String())
		})))
		tr := &http.Transport{Protocols: new(http.Protocols)}
		tr.Protocols.SetUnencryptedHTTP2(true)
		client := &http.Client{Transport: tr}
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				for i := range requests {
					path := fmt.Sprintf("/%d", c*requests+i)
					resp, err := client.Get(srv.URL + path)
					if err != nil {
						t.Error(err)
						return
					}
					body, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					if err != nil || resp.ProtoMajor != 2 || string(body) != strings.Repeat(path+";", 200) {
						t.Errorf("%s, %s: %s %v %.100q", name, path, resp.Proto, err, body)
						return
					}
				}
			})
		}
		wg.Wait()
		tr.CloseIdleConnections()
		srv.Close()
	}
}
