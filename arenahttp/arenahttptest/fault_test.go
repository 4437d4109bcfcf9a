//go:build linux && (amd64 || arm64) && !race && !asan && !arenadebug

package arenahttptest_test

import (
	"fmt"
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

// TestFaultWithoutServer proves that a mistake that a test finds with a recorder is an error of the
// test, and does not end the program.
func TestFaultWithoutServer(t *testing.T) {
	f := fake.New(t, t.Name())
	var kept string
	h := arenahttptest.Handler(f, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Count(kept, "x"))
		kept = arena.String(arena.FromContext(r.Context()), "xyz")
	}))
	for range 3 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	if got := f.End(); !strings.Contains(got, "arena: use after Reset: arena "+f.Name()) {
		t.Errorf("the errors are %q", got)
	}
}

type lengthOf string

func (s lengthOf) String() string { return fmt.Sprint(strings.Count(string(s), "x")) }

// TestFaults proves that the use of text of a former request fails the test, whoever recovers the
// panic, and that correct handlers do not.
func TestFaults(t *testing.T) {
	recoverer := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { recover() }()
			h.ServeHTTP(w, r)
		})
	}
	plain := func(t testing.TB, h http.Handler) http.Handler { return arenahttptest.Handler(t, h) }
	for _, test := range []struct {
		name string
		wrap func(t testing.TB, h http.Handler) http.Handler
		use  func(s string) string
		want bool
	}{
		{"kept", plain, func(s string) string { return fmt.Sprint(strings.Count(s, "x")) }, true},
		{"copied", plain, nil, false},
		{"Recoverer inside", func(t testing.TB, h http.Handler) http.Handler { return arenahttptest.Handler(t, recoverer(h)) },
			func(s string) string { return fmt.Sprint(strings.Count(s, "x")) }, true},
		{"Recoverer around the middleware", func(t testing.TB, h http.Handler) http.Handler {
			return arenahttptest.Watch(t, recoverer(arenahttp.Middleware(h, arenahttptest.Options(t))))
		}, func(s string) string { return fmt.Sprint(strings.Count(s, "x")) }, true},
		{"fmt", plain, func(s string) string { return fmt.Sprintf("%v", lengthOf(s)) }, true},
		{"the access log", func(t testing.TB, h http.Handler) http.Handler {
			inner := arenahttp.Middleware(h, arenahttptest.Options(t))
			return arenahttptest.Watch(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				field := new(string)
				r.Header = http.Header{} // for the bag
				inner.ServeHTTP(w, r.WithContext(withBag(r.Context(), field)))
				strings.Count(*field, "x")
			}))
		}, func(s string) string { return "" }, true},
	} {
		f := fake.New(t, t.Name()+"/"+test.name)
		var kept string
		srv := httptest.NewServer(test.wrap(f, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			if bag := bagOf(r.Context()); bag != nil {
				*bag = arena.String(a, "xyz")
			}
			if kept != "" && test.use != nil {
				io.WriteString(w, test.use(kept))
			}
			if kept = arena.String(a, "xyz"); test.use == nil {
				kept = strings.Clone(kept)
			}
			io.WriteString(w, kept)
		})))
		srv.Config.ErrorLog = discard
		for range 3 {
			resp, err := srv.Client().Post(srv.URL, "", nil)
			if err != nil {
				continue
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		srv.Close()
		got := f.End()
		if (got != "") != test.want || test.want && !strings.Contains(got, f.Name()) {
			t.Errorf("%s: the errors are %q", test.name, got)
		}
	}
}
