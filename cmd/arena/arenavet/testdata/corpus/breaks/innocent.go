package breaks

import (
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

func (r *router) serveCopy(path string) {
	c := r.pool.Get().(*ctx)
	for _, route := range r.routes {
		if match(route, path, c) {
			r.record(slices.Clone(c.params))
			break
		}
	}
	r.pool.Put(c)
}

// serveOrKeep gives the value to the pool only if it was not recorded.
func (r *router) serveOrKeep(path string) {
	c := r.pool.Get().(*ctx)
	for _, route := range r.routes {
		if match(route, path, c) {
			r.record(c.params)
			return
		}
	}
	r.pool.Put(c)
}

func (r *router) serveAnew(path string) {
	c := r.pool.Get().(*ctx)
	for _, route := range r.routes {
		if match(route, path, c) {
			r.record(c.params)
			c = new(ctx)
			break
		}
	}
	r.pool.Put(c)
}

func (r *router) rememberCopy(path []byte) {
	a := r.arenas.Get()
	for _, route := range r.routes {
		if name := arena.String(a, path); name != route {
			r.last[route] = strings.Clone(name)
			break
		}
	}
	r.arenas.Put(a)
}

func (r *router) forget(path []byte) {
	a := r.arenas.Get()
	for _, route := range r.routes {
		if name := arena.String(a, path); name != route {
			r.last[route] = name
			break
		}
	}
	println(len(r.last))
	clear(r.last)
	r.arenas.Put(a)
}

// serveAnewAtOnce gives another value to the pool than the one that was recorded.
func (r *router) serveAnewAtOnce(path string) {
	c := r.pool.Get().(*ctx)
	if match("/", path, c) {
		r.record(c.params)
		c = new(ctx)
	}
	r.pool.Put(c)
}
