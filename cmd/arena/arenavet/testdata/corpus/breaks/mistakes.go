// Package breaks has mistakes in front of the end of a loop.
package breaks

import (
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

type param struct{ key, value string }

type ctx struct{ params []param }

type visit struct{ params []param }

type router struct {
	pool   sync.Pool
	arenas arena.Pool
	visits []visit
	names  []string
	last   map[string]string
	routes []string
}

func newRouter() *router {
	r := new(router)
	r.pool.New = func() any { return &ctx{params: make([]param, 0, 8)} }
	return r
}

func match(route, path string, c *ctx) bool {
	rest, ok := strings.CutPrefix(path, route)
	c.params = append(c.params[:0], param{route, rest})
	return ok
}

func (r *router) record(params []param) { r.visits = append(r.visits, visit{params}) }

func (r *router) serve(path string) {
	c := r.pool.Get().(*ctx)
	for _, route := range r.routes {
		if match(route, path, c) {
			r.record(c.params) // want `syncpool: .* is stored in r.visits`
			break
		}
	}
	r.pool.Put(c)
}

func (r *router) serveDirectly(path string) {
	c := r.pool.Get().(*ctx)
	for n, route := range r.routes {
		if match(route, path, c) {
			r.visits = append(r.visits, visit{c.params}) // want `syncpool: .* is stored in the elements of r.visits`
			println(n)
			break
		}
	}
	r.pool.Put(c)
}

func (r *router) find(path []byte) {
	a := r.arenas.Get()
	for _, route := range r.routes {
		if name := arena.String(a, path); name != route {
			r.names = append(r.names, name) // want `outlives: .* is stored in the elements of r.names`
			break
		}
	}
	r.arenas.Put(a)
}

func (r *router) remember(path []byte) {
	a := r.arenas.Get()
	for _, route := range r.routes {
		if name := arena.String(a, path); name != route {
			r.last[route] = name // want `outlives: .* is stored in the elements of r.last`
			break
		}
	}
	r.arenas.Put(a)
}
