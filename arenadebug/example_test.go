package arenadebug_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

// The page is mounted next to the pages of net/http/pprof, on a port that only the operators of the
// service reach.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/debug/arena/", arenadebug.Handler(arenadebug.Options{AllowTrack: true}))
	// http.ListenAndServe("localhost:6060", mux)

	a := arena.NewWith(arena.Options{Name: "cache", Track: true})
	arena.MakeSlice[byte](a, 1<<20, 1<<20)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/arena/?debug=1", nil))
	line, _, _ := strings.Cut(w.Body.String(), "\n")
	fmt.Println(line)
	a.Free()
	// Output: 1 arena tracked, 1.0 MiB, from 1 place
}
