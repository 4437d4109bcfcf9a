// Package maps has mistakes with maps that stay with a pooled struct.
package maps

import "sync"

type ctx struct {
	params map[string]string
	keys   map[string]any
}

var pool = sync.Pool{New: func() any { return &ctx{params: map[string]string{}} }}

func take() *ctx {
	c := pool.Get().(*ctx)
	clear(c.params)
	c.keys = nil
	return c
}

type router struct{ failed map[string]map[string]string }

func (r *router) serve(path string) {
	c := take()
	defer pool.Put(c)
	c.params["path"] = path
	r.failed[path] = c.params // want `syncpool: .* is stored in the elements of r.failed`
}

func params(path string) map[string]string {
	c := take()
	defer pool.Put(c)
	c.params["path"] = path
	return c.params // want `syncpool: .* is returned after`
}
