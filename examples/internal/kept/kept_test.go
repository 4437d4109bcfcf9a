package kept

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp/arenahttptest"
	"github.com/arena-go/arena/internal/fake"
	"github.com/arena-go/arena/internal/testrun"
)

// What the handlers keep by.
var (
	cache   *lru.Cache[string, int]
	flight  *singleflight.Group
	counter *prometheus.CounterVec
)

// anew makes what the handlers keep by.
func anew() {
	cache, _ = lru.New[string, int](10)
	flight = new(singleflight.Group)
	counter = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "visits_total"}, []string{"name"})
}

// keepers are handlers that keep a text of the request, or a copy. The path to the text has a name
// in it.
var keepers = []struct {
	name string
	path string
	keep func(name string)
}{
	{"lru", "kept.cache", func(name string) { cache.Add(name, 1) }},
	{"label of a metric", "kept.counter", func(name string) { counter.WithLabelValues(name).Inc() }},
	{"singleflight", "kept.flight", func(name string) {
		flight.DoChan(name, func() (any, error) {
			select {} // it would delete the key
		})
	}},
}

// stacks are the ways to a handler that others have made.
var stacks = map[string]func(handle func(r *http.Request)) http.Handler{
	"net/http": func(handle func(r *http.Request)) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { handle(r) })
	},
	"gin": func(handle func(r *http.Request)) http.Handler {
		gin.SetMode(gin.ReleaseMode)
		engine := gin.New()
		engine.GET("/:name", func(c *gin.Context) { handle(c.Request) })
		return engine
	},
	"echo": func(handle func(r *http.Request)) http.Handler {
		e := echo.New()
		e.GET("/:name", func(c echo.Context) error {
			handle(c.Request())
			return nil
		})
		return e
	},
}

// TestOthers proves that what caches of other modules keep is found by one request, behind routers
// of other modules, and that copies are silent.
func TestOthers(t *testing.T) {
	anew()
	for stack, build := range stacks {
		if stack != "gin" && !testrun.Long() {
			continue
		}
		for _, k := range keepers {
			for _, copied := range []bool{true, false} {
				f := fake.New(t, t.Name()+stack+k.name)
				h := arenahttptest.Handler(f, build(func(r *http.Request) {
					name := arena.Concat(arena.FromContext(r.Context()), "name ", r.URL.Path[1:])
					if copied {
						name = strings.Clone(name)
					}
					k.keep(name)
				}))
				srv := httptest.NewServer(h)
				resp, err := srv.Client().Get(srv.URL + "/" + stack[:3])
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				srv.Close()
				got := f.End()
				anew() // and not emptied: to look at a stale key is a fault
				switch {
				case copied && got != "":
					t.Errorf("%s, %s: a copy is reported: %s", stack, k.name, got)
				case copied:
				case !strings.Contains(got, string(arena.Kept)) || !strings.Contains(got, `text "name `):
					t.Errorf("%s, %s: it is not found: %s", stack, k.name, got)
				case strings.Contains(got, "heapdump: "):
					testrun.Need(t, "the go command, which builds this program again for the names of its variables")
				case !strings.Contains(got, k.path):
					t.Errorf("%s, %s: the path has no %s: %s", stack, k.name, k.path, got)
				}
			}
		}
	}
}
