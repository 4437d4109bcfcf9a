package arenajson_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenajson"
)

// A handler reads a request into its arena, and answers with what lies there.
func ExampleRead() {
	type order struct {
		ID    int      `json:"id"`
		Notes []string `json:"notes"`
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		var o order
		if err := arenajson.Read(r, &o); err != nil {
			status := http.StatusInternalServerError
			var e *arenajson.RequestError
			if errors.As(err, &e) {
				status = e.Status
			}
			http.Error(w, err.Error(), status)
			return
		}
		o.Notes = arena.Append(arena.FromContext(r.Context()), o.Notes, "seen")
		if err := arenajson.Write(w, http.StatusCreated, &o); err != nil {
			http.Error(w, "cannot be encoded", http.StatusInternalServerError)
		}
	}
	server := arenahttp.Middleware(http.HandlerFunc(handler), arenahttp.Options{})

	for _, body := range []string{`{"id": 7, "notes": ["urgent"]}`, `{"id": 7`, `{"id": "7"}`} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String())[:14])
	}
	// Output:
	// 201 {"id":7,"notes
	// 400 unexpected end
	// 422 json: cannot u
}

// The text of a value, in an arena.
func ExampleMarshal() {
	a := arena.NewArena()
	defer a.Free()
	b, err := arenajson.Marshal(a, map[string]any{"name": "Gopher", "age": 17, "likes": []string{"arenas"}})
	fmt.Println(string(b), err)
	// Output: {"age":17,"likes":["arenas"],"name":"Gopher"} <nil>
}
