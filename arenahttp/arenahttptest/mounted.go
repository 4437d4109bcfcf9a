package arenahttptest

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
)

// Mounted returns a handler that calls h. It fails t if a handler asks for an arena and has no
// [arenahttp.Middleware] around it. In a service that handler would use the heap, and nobody would
// notice. Here its [arena.FromContext] fails t and panics, also after an [arena.Fork]. Put Mounted
// around the whole stack, with the middlewares inside. Any number of tests may use it at the same
// time. Call it on the goroutine of t.
func Mounted(t testing.TB, h http.Handler) http.Handler {
	t.Helper()
	u := &unmounted{t: t}
	t.Cleanup(u.end)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(arenascope.NewContext(r.Context(), u)))
	})
}

// unmounted is the Source of requests to which no middleware has given another Source.
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
