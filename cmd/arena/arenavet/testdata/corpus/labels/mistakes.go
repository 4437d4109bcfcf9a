// Package labels gives text to metrics, which keep it.
package labels

import (
	"github.com/arena-go/arena"
	"github.com/prometheus/client_golang/prometheus"
)

var pool arena.Pool

type recorder struct{ errors *prometheus.CounterVec }

func (r *recorder) failed(tenant string) { r.errors.WithLabelValues(tenant, "read").Inc() }

func counted(vec *prometheus.CounterVec, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	vec.WithLabelValues(arena.String(a, line)).Inc() // want `outlives: `
}

func countedByHelper(r *recorder, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	r.failed(arena.String(a, line)) // want `outlives: `
}

func countedByMap(vec *prometheus.CounterVec, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	vec.With(prometheus.Labels{"tenant": arena.String(a, line)}).Inc() // want `outlives: `
}

type field struct {
	key, text string
	n         int
}

func text(key, text string) field    { return field{key: key, text: text} }
func number(key string, n int) field { return field{key: key, n: n} }

type scope struct{ fields []field }

func (s *scope) tag(fields ...field) { s.fields = append(s.fields, fields...) }

func tagged(s *scope, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s.tag(text("line", arena.String(a, line)), number("len", len(line))) // want `outlives: `
}

func taggedLast(s *scope, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s.tag(number("len", len(line)), field{key: "line", text: arena.String(a, line)}) // want `outlives: `
}
