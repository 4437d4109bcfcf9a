// Package service has mistakes in contexts, loggers, headers, metrics and shared calls of a server.
package service

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/textproto"
	"strings"
	"sync"

	"github.com/arena-go/arena"

	"example.com/corpus/flight"
	"example.com/corpus/prom"
)

var (
	pool     arena.Pool
	requests = prom.NewCounterVec(prom.CounterOpts{Name: "requests"}, []string{"tenant"})
	registry = prom.NewRegistry()
	byRoute  = expvar.NewMap("routes")
	status   = expvar.NewString("status")
	group    flight.Group
	audit    *slog.Logger
	defaults = http.Header{}
	sessions sync.Map
)

type tenantKey struct{}

type server struct {
	log    *slog.Logger
	client *http.Client
	base   context.Context
	extra  http.Header
}

// tenantContext gives the context a tenant of an arena that is put.
func tenantContext(ctx context.Context, token []byte) context.Context {
	a := pool.Get()
	defer pool.Put(a)
	tenant := arena.String(a, token)
	return context.WithValue(ctx, tenantKey{}, tenant) // want `outlives: `
}

func (s *server) dispatch(ctx context.Context, token []byte, next func(context.Context)) {
	a := pool.Get()
	ctx = context.WithValue(ctx, tenantKey{}, arena.String(a, token))
	pool.Put(a)
	next(ctx) // want `stale: `
}

func (s *server) rebase(token []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s.base = context.WithValue(context.Background(), tenantKey{}, arena.String(a, token)) // a mistake that is not found
	_ = s.base
}

func tenantOf(ctx context.Context) string {
	s, _ := ctx.Value(tenantKey{}).(string)
	return s
}

func (s *server) tenant(token []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	ctx := context.WithValue(context.Background(), tenantKey{}, arena.String(a, token))
	return tenantOf(ctx) // want `outlives: `
}

func configure(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	audit = slog.Default().With("component", arena.String(a, name)) // want `outlives: `
}

func (s *server) scoped(token []byte) *slog.Logger {
	a := pool.Get()
	defer pool.Put(a)
	return s.log.With(slog.String("tenant", arena.String(a, token))) // want `outlives: `
}

func (s *server) logAfter(token []byte) {
	a := pool.Get()
	l := s.log.With("tenant", arena.String(a, token))
	pool.Put(a)
	l.Info("done") // want `stale: `
}

func (s *server) grouped(name []byte) *slog.Logger {
	a := pool.Get()
	l := slog.New(s.log.Handler()).WithGroup(arena.String(a, name))
	pool.Put(a)
	return l // want `outlives: `
}

func prefixed(name []byte) *log.Logger {
	a := pool.Get()
	defer pool.Put(a)
	return log.New(log.Writer(), arena.String(a, name), log.LstdFlags) // want `outlives: `
}

func setPrefix(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	log.SetPrefix(arena.String(a, name)) // want `outlives: `
}

func (s *server) forward(r *http.Request, token []byte) (*http.Response, error) {
	a := pool.Get()
	r.Header.Set("X-Tenant", arena.String(a, token)) // want `outlives: `
	pool.Put(a)
	return s.client.Do(r)
}

func addDefault(name, value []byte) {
	a := pool.Get()
	defer pool.Put(a)
	defaults.Add(string(name), arena.String(a, value)) // want `outlives: `
}

func (s *server) respond(w http.ResponseWriter, etag []byte) {
	a := pool.Get()
	defer pool.Put(a)
	w.Header().Set("Etag", arena.Concat(a, `"`, string(etag), `"`)) // want `outlives: `
	w.WriteHeader(http.StatusNoContent)
}

func headers(lines []string) http.Header {
	a := pool.Get()
	defer pool.Put(a)
	h := make(http.Header)
	for _, line := range lines {
		k, v, _ := strings.Cut(arena.String(a, line), ":")
		h[textproto.CanonicalMIMEHeaderKey(k)] = append(h[k], v)
	}
	return h // want `outlives: `
}

func count(route []byte) {
	a := pool.Get()
	defer pool.Put(a)
	byRoute.Add(arena.String(a, route), 1) // want `outlives: `
}

func setStatus(text []byte) {
	a := pool.Get()
	defer pool.Put(a)
	status.Set(arena.String(a, text)) // want `outlives: `
}

func publish(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	expvar.Publish(arena.String(a, name), new(expvar.Int)) // want `outlives: `
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	requests.WithLabelValues(arena.String(a, r.Header.Get("X-Tenant"))).Inc() // want `outlives: `
	fmt.Fprintln(w, "ok")
}

func observe(tenant []byte) {
	a := pool.Get()
	defer pool.Put(a)
	requests.WithLabelValues(arena.String(a, tenant)).Inc() // want `outlives: `
}

func register(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.Concat(a, "app_", string(name))
	registry.Register(n, prom.NewCounterVec(prom.CounterOpts{}, nil)) // want `outlives: `
}

func newCounter(name []byte) *prom.CounterVec {
	a := pool.Get()
	defer pool.Put(a)
	return prom.NewCounterVec(prom.CounterOpts{Name: arena.String(a, name), Help: "requests"}, nil) // want `outlives: `
}

type profile struct{ Name, Mail string }

func load(a *arena.Arena, id string) (*profile, error) {
	p := arena.New[profile](a)
	return p, json.Unmarshal([]byte(id), p)
}

func fetch(id string) (*profile, error) {
	v, err, _ := group.Do(id, func() (any, error) { // want `outlives: `
		a := pool.Get()
		defer pool.Put(a)
		return load(a, id) // want `outlives: `
	})
	if err != nil {
		return nil, err
	}
	return v.(*profile), nil
}

func lookup(a *arena.Arena, id []byte) string {
	v, _, _ := group.Do(string(id), func() (any, error) { // want `outlives: `
		return arena.String(a, id), nil
	})
	a.Reset()
	return v.(string) // want `outlives: `
}

func (s *server) session(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	p := arena.New[profile](a)
	p.Name = arena.String(a, r.FormValue("name"))
	sessions.Store(r.FormValue("id"), p) // want `outlives: `
}
