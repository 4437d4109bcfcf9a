package arenahttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
)

// words answers with the words of the query q, one in a line. It allocates in the arena of the
// request, or on the heap if there is none.
func words(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	b := arena.NewBuilder(a)
	for word := range strings.FieldsSeq(r.FormValue("q")) {
		b.WriteString(word)
		b.WriteByte('\n')
	}
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, b.String())
}

func Example() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /words", words)
	h := arenahttp.Middleware(mux, arenahttp.Options{}) // the one line

	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/words?q=arenas+for+requests", nil))
	fmt.Print(w.Body)
	// Output:
	// arenas
	// for
	// requests
}

func ExampleOptions() {
	h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.MakeSlice[byte](arena.FromContext(r.Context()), 2<<20, 2<<20)
	}), arenahttp.Options{
		Limit: 1 << 20,
		Observe: func(r *http.Request, s arenascope.Summary) {
			fmt.Println(r.URL.Path, "reused:", s.Reused, "reason:", s.Reason)
		},
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/large", nil))
	fmt.Println(w.Code)
	// Output:
	// /large reused: false reason: limit
	// 503
}

func ExampleKeep() {
	done := make(chan bool)
	h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := arena.Sprintf(arena.FromContext(r.Context()), "%s was asked for", r.URL.Path)
		arenahttp.Keep(r.Context())
		go func() {
			fmt.Println(text)
			done <- true
		}()
	}), arenahttp.Options{})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/words", nil))
	<-done
	// Output: /words was asked for
}

func ExampleNew() {
	// Routers and chains of handlers accept it: router.Use(withArena).
	withArena := arenahttp.New(arenahttp.Options{Limit: 64 << 20})
	mux := http.NewServeMux()
	mux.Handle("/words", withArena(http.HandlerFunc(words)))
	mux.Handle("/terms", withArena(http.HandlerFunc(words))) // Both share one Pool.

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/terms?q=to+be", nil))
	fmt.Print(w.Body)
	// Output:
	// to
	// be
}
