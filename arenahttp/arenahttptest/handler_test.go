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
	"github.com/arena-go/arena/internal/fake"
)

var discard = log.New(io.Discard, "", 0)

type bagKey struct{}

func withBag(ctx context.Context, bag *string) context.Context {
	return context.WithValue(ctx, bagKey{}, bag)
}
func bagOf(ctx context.Context) *string { bag, _ := ctx.Value(bagKey{}).(*string); return bag }

// TestHandler proves that correct handlers work as without guard mode, at the same time too, and
// that panics that are none of the arena's go on.
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
	f := fake.New(t, t.Name())
	h := arenahttptest.Handler(f, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context())
		if got := f.End(); !strings.Contains(got, f.Name()) {
			t.Errorf("an arena that is in use when the test ends is not reported: %q", got)
		}
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}
