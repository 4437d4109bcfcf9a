package arenahttptest

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
)

// Mounted returns a handler that calls h, and fails t where a handler asks for an arena that has no [arenahttp.Middleware] around
// it. In a service that handler would use the heap, and nobody would notice. Here its [arena.FromContext], or the one after its
// [arena.Fork], fails t and panics. Mounted goes around the whole, with the middlewares inside. Any number of tests may use it at the same
// time. It is called by the goroutine of t.
func Mounted(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	u := &unmounted{t: t}
	t.Cleanup(u.end)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(arenascope.NewContext(r.Context(), u)))
	})
}

// unmounted is the Source of requests that no middleware has given another.
type unmounted struct {
	mu sync.Mutex
	t  testing.TB // nil when it has ended
}

func (u *unmounted) Arena() *arena.Arena {
	const what = "arenahttptest: a handler asks for an arena, and no arenahttp.Middleware is around it: it would use the heap; mount one, or " +
		"test the handler without Mounted"
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.t != nil {
		u.t.Error(what)
	}
	panic(what)
}

func (u *unmounted) Fork(ctx context.Context) context.Context { return ctx }

func (u *unmounted) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.t = nil
}
