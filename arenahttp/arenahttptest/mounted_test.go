package arenahttptest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenahttp/arenahttptest"
	"github.com/arena-go/arena/internal/fake"
)

// TestMounted proves that a handler which asks for an arena fails the test where it has no
// middleware around it, and only there.
func TestMounted(t *testing.T) {
	t.Parallel()
	asks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, arena.Concat(arena.FromContext(r.Context()), "a", "b"))
	})
	forks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { arena.FromContext(arena.Fork(r.Context())) })
	for _, test := range []struct {
		name string
		h    http.Handler
		want bool // to fail
	}{
		{"asks", asks, true},
		{"forks", forks, true},
		{"asks inside", arenahttp.Middleware(asks, arenahttptest.Options(t)), false},
		{"forks inside", arenahttp.Middleware(forks, arenahttptest.Options(t)), false},
		{"does not ask", http.NotFoundHandler(), false},
	} {
		f := fake.New(t, t.Name())
		h := arenahttptest.Mounted(f, test.h)
		serve := func() (p any) {
			defer func() { p = recover() }()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			return nil
		}
		p := serve()
		errors := f.End()
		if (p != nil) != test.want || strings.Contains(errors, "no arenahttp.Middleware is around it") != test.want {
			t.Errorf("%s: the panic is %v, the errors are %q", test.name, p, errors)
		}
		if p := serve(); (p != nil) != test.want { // too late for the errors
			t.Errorf("%s: the panic after the end of the test is %v", test.name, p)
		}
		if f.End() != errors {
			t.Errorf("%s: an error is told after the end of the test", test.name)
		}
	}
}

func ExampleMounted() {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, arena.Concat(arena.FromContext(r.Context()), "Hello, ", r.FormValue("name")))
	})
	routes := http.NewServeMux()
	routes.Handle("/page", page) // The middleware has been forgotten.
	_ = func(t *testing.T) {
		srv := httptest.NewServer(arenahttptest.Mounted(t, routes)) // GET /page fails the test.
		t.Cleanup(srv.Close)
	}
}
