package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strings"

	"github.com/arena-go/arena"

	"example.com/corpus/prom"
)

func okTenantContext(ctx context.Context, token []byte) context.Context {
	a := pool.Get()
	defer pool.Put(a)
	tenant := arena.String(a, token)
	return context.WithValue(ctx, tenantKey{}, strings.Clone(tenant))
}

func (s *server) okDispatch(ctx context.Context, token []byte, next func(context.Context)) {
	a := pool.Get()
	defer pool.Put(a)
	next(context.WithValue(ctx, tenantKey{}, arena.String(a, token)))
}

func (s *server) okTenant(token []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	ctx := context.WithValue(context.Background(), tenantKey{}, arena.String(a, token))
	return len(tenantOf(ctx))
}

func okConfigure(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	audit = slog.Default().With("component", strings.Clone(arena.String(a, name)))
}

func (s *server) okLog(token []byte) {
	a := pool.Get()
	defer pool.Put(a)
	l := s.log.With("tenant", arena.String(a, token))
	l.Info("started")
	l.WithGroup("request").Info("done", slog.Int("bytes", len(token)))
}

func (s *server) okAttrs(token []byte, status int) {
	a := pool.Get()
	attrs := arena.MakeSlice[slog.Attr](a, 0, 4)
	attrs = arena.Push(a, attrs, slog.String("tenant", arena.String(a, token)))
	attrs = arena.Push(a, attrs, slog.Int("status", status))
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
	pool.Put(a)
}

func okPrefix(name []byte) *log.Logger {
	a := pool.Get()
	defer pool.Put(a)
	return log.New(log.Writer(), fmt.Sprintf("[%s] ", arena.String(a, name)), log.LstdFlags)
}

func okPrint(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	l := log.New(io.Discard, "x ", 0)
	l.Printf("got %s", arena.String(a, line))
	log.Print(arena.String(a, line))
}

func (s *server) okForward(r *http.Request, token []byte) (*http.Response, error) {
	a := pool.Get()
	defer pool.Put(a)
	r.Header.Set("X-Tenant", strings.Clone(arena.String(a, token)))
	return s.client.Do(r)
}

func (s *server) okForwardAndRead(r *http.Request, token []byte) (string, error) {
	a := pool.Get()
	defer pool.Put(a)
	r = r.Clone(context.Background())
	r.Header.Set("X-Tenant", arena.String(a, token))
	resp, err := s.client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func okGetHeader(h http.Header, name []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return h.Get(arena.String(a, name))
}

func (s *server) okRespond(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	w.Header().Set("Etag", arena.Concat(a, `"`, r.URL.Path, `"`))
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) okRespondPool(w http.ResponseWriter, etag []byte) {
	a := pool.Get()
	defer pool.Put(a)
	w.Header().Set("Etag", fmt.Sprintf("%q", arena.String(a, etag)))
	io.WriteString(w, arena.String(a, etag))
}

func okCount(route []byte) {
	a := pool.Get()
	defer pool.Put(a)
	name := arena.String(a, route)
	if v, ok := byRoute.Get(name).(*expvar.Int); ok {
		v.Add(1)
		return
	}
	byRoute.Add(strings.Clone(name), 1)
}

func okStatus(text []byte) {
	a := pool.Get()
	defer pool.Put(a)
	status.Set(string(arena.Bytes(a, text)))
	_ = status.Value()
}

func okObserve(tenant []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if registry.Has(arena.String(a, tenant)) {
		requests.WithLabelValues(strings.Clone(arena.String(a, tenant))).Inc()
	}
}

func okCounter(tenant []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	v := prom.NewCounterVec(prom.CounterOpts{Name: arena.String(a, tenant)}, nil)
	v.WithLabelValues(arena.String(a, tenant)).Inc()
	return v.Describe()
}

func okFetch(id string) (*profile, error) {
	v, err, _ := group.Do(id, func() (any, error) {
		a := pool.Get()
		defer pool.Put(a)
		p, err := load(a, id)
		if err != nil {
			return nil, err
		}
		return &profile{Name: strings.Clone(p.Name), Mail: strings.Clone(p.Mail)}, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*profile), nil
}

func okFetchCopy(id string) (profile, error) {
	a := pool.Get()
	defer pool.Put(a)
	v, err, _ := group.Do(arena.Concat(a, "profile/", id), func() (any, error) {
		b := arena.NewArena()
		return load(b, id)
	})
	if err != nil {
		return profile{}, err
	}
	return *v.(*profile), nil
}

func (s *server) okSession(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	p := arena.New[profile](a)
	p.Name = arena.String(a, r.FormValue("name"))
	sessions.Store(r.FormValue("id"), arena.DeepClone(p))
	if v, ok := sessions.Load(arena.String(a, r.FormValue("id"))); ok {
		json.NewEncoder(w).Encode(v)
	}
}

func okError(token []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	if t := arena.String(a, token); strings.HasPrefix(t, "Bearer ") {
		return fmt.Errorf("bad token %q", t)
	}
	return errors.New("no token")
}

func okEncode(token []byte) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, profile{Name: arena.String(a, token)})
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(p); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
