package arenahttptest_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp/arenahttptest"
)

// A fake is a test whose end and errors are seen by another.
type fake struct {
	testing.TB // the other
	name       string

	mu       sync.Mutex
	errors   []string
	cleanups []func()
}

func (f *fake) Name() string           { return f.name }
func (f *fake) Helper()                {}
func (f *fake) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }

func (f *fake) Error(args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintln(args...))
}

// end ends the fake and returns its errors.
func (f *fake) end() string {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.errors, "")
}

var discard = log.New(io.Discard, "", 0)

type bagKey struct{}

func withBag(ctx context.Context, bag *string) context.Context {
	return context.WithValue(ctx, bagKey{}, bag)
}
func bagOf(ctx context.Context) *string { bag, _ := ctx.Value(bagKey{}).(*string); return bag }

// TestHandler proves that correct handlers work as without guard mode, at the same time too, and that
// panics that are none of the arena's go on.
func TestHandler(t *testing.T) {
	srv := httptest.NewServer(arenahttptest.Handler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic(http.ErrAbortHandler)
		}
		b := arena.NewBuilder(arena.FromContext(r.Context()))
		b.WriteString(r.URL.Path)
		w.Header().Set("X-Path", b.String())
		io.WriteString(w, b.String())
	})))
	t.Cleanup(srv.Close)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				path := fmt.Sprint("/", i)
				resp, err := srv.Client().Get(srv.URL + path)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(b) != path || resp.Header.Get("X-Path") != path || err != nil {
					t.Errorf("%q %q %v", b, resp.Header, err)
				}
			}
		})
	}
	wg.Wait()
	if resp, err := srv.Client().Post(srv.URL+"/panic", "", nil); err == nil {
		t.Error("there is an answer of a handler that panics")
		resp.Body.Close()
	}
}

// TestLeak proves that an arena which is in use when the test ends is reported.
func TestLeak(t *testing.T) {
	f := &fake{TB: t, name: t.Name()}
	h := arenahttptest.Handler(f, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context())
		if got := f.end(); !strings.Contains(got, f.name) {
			t.Errorf("an arena that is in use when the test ends is not reported: %q", got)
		}
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}
