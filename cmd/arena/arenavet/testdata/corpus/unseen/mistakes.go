// Package unseen has mistakes, and correct functions, of programs whose authors did not know the
// analyzer.
package unseen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/arena-go/arena"
	"golang.org/x/sync/singleflight"
)

var pool arena.Pool

func host(a *arena.Arena, raw []byte) string {
	h, _, err := net.SplitHostPort(arena.String(a, raw))
	if err != nil {
		h = "none"
	}
	a.Reset()
	return h // want `outlives: `
}

func choose(big bool, raw []byte) string {
	small, large := arena.NewArena(), arena.NewArena()
	a := small
	if big {
		a = large
	}
	s := arena.String(a, raw)
	a.Reset()
	return s // want `outlives: `
}

func either(tmp, perm *arena.Arena, keep bool, raw []byte) string {
	a := tmp
	if keep {
		a = perm
	}
	s := arena.String(a, raw)
	tmp.Reset()
	perm.Reset()
	return s // want `outlives: `
}

func perhapsHeap(use bool, raw []byte) string {
	var a *arena.Arena
	if use {
		a = arena.NewArena()
	}
	s := arena.String(a, raw)
	a.Reset()
	return s // want `outlives: `
}

func ownOrTheirs(ctx context.Context, raw []byte) string {
	a := arena.FromContext(ctx)
	if a == nil {
		a = pool.Get()
		defer pool.Put(a)
	}
	return arena.String(a, raw) // want `outlives: .* is returned after Pool\.Put`
}

type entry struct{ key string }

func expire(e *entry) func() { return func() { log.Println("gone", e.key) } }

func timer(raw []byte) {
	a := arena.NewArena()
	e := arena.New[entry](a)
	e.key = arena.String(a, raw)
	time.AfterFunc(time.Second, expire(e)) // want `outlives: a goroutine that nobody has waited for`
	a.Reset()
}

type mailer struct{ send func(string) }

func (m *mailer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	go m.send(arena.Sprintf(a, "hello %s", r.FormValue("name"))) // want `outlives: the handler returns`
	fmt.Fprintln(w, "ok")
}

func audit(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	line := arena.Concat(a, r.Method, " ", r.URL.Path)
	go func() { log.Println(line) }() // want `outlives: the handler returns`
	w.WriteHeader(http.StatusNoContent)
}

func submit(jobs chan func(), a *arena.Arena, raw []byte) {
	s := arena.String(a, raw)
	jobs <- func() { fmt.Println(s) } // want `outlives: a value of the arena is sent`
	a.Reset()
}

func proxy(next http.RoundTripper, a *arena.Arena, in *http.Request) (*http.Response, error) {
	out := in.Clone(in.Context())
	out.Header = http.Header{"X-Via": {arena.Concat(a, "gw ", in.Host)}}
	a.Reset()
	return next.RoundTrip(out) // want `stale: `
}

type tenantKey struct{}

func inContext(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := pool.Get()
	t := &entry{arena.String(a, r.Host)}
	r2 := r.WithContext(context.WithValue(r.Context(), tenantKey{}, t.key))
	pool.Put(a)
	next.ServeHTTP(w, r2) // want `stale: `
}

type loader struct{ g singleflight.Group }

func (l *loader) load(ctx context.Context, k string) (*entry, error) {
	v, err, _ := l.g.Do(k, func() (any, error) { // want `outlives: .* is stored in what other callers wait for, which lives longer than the arena of the request`
		a := arena.FromContext(ctx)
		e := arena.New[entry](a)
		e.key = arena.String(a, k)
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*entry), nil
}

type server struct{ name string }

type option func(*server) error

func named(a *arena.Arena, b []byte) option {
	n := arena.String(a, b)
	return func(s *server) error {
		if n == "" {
			return errors.New("empty")
		}
		s.name = n
		return nil
	}
}

func newServer(opts ...option) (*server, error) {
	s := new(server)
	for _, o := range opts {
		if err := o(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func start(b []byte) *server {
	a := arena.NewArena()
	s, _ := newServer(named(a, b))
	a.Reset()
	return s // want `outlives: `
}

type decoder struct {
	a     *arena.Arena
	pool  *arena.Pool
	stack []*entry
}

func open(p *arena.Pool) *decoder { return &decoder{pool: p, a: p.Get()} }

func (d *decoder) push(b []byte) {
	e := arena.New[entry](d.a)
	e.key = arena.String(d.a, b)
	d.stack = append(d.stack, e)
}

func (d *decoder) top() *entry { return d.stack[len(d.stack)-1] }

func (d *decoder) Close() error {
	d.pool.Put(d.a)
	return nil
}

func decode(w io.Writer, b []byte) {
	d := open(&pool)
	d.push(b)
	d.Close()
	io.WriteString(w, d.top().key) // want `stale: `
}

func lines(raw []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	var out []string
	for l := range strings.Lines(arena.String(a, raw)) {
		if l != "\n" {
			out = append(out, strings.TrimRight(l, "\n"))
		}
	}
	return out // want `outlives: `
}

func tokens(src []string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		arena.Do(func(a *arena.Arena) {
			for i, b := range src {
				if !yield(i, arena.String(a, b)) {
					return
				}
			}
		})
	}
}

func longest(src []string) string {
	var longest string
	for _, t := range tokens(src) {
		if len(t) > len(longest) {
			longest = t
		}
	}
	return longest // want `outlives: `
}

type reader struct {
	a  *arena.Arena
	in []string
}

func (r *reader) entries() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, s := range r.in {
			e := arena.New[entry](r.a)
			e.key = arena.String(r.a, s)
			if !yield(e) {
				return
			}
			r.a.Reset()
		}
	}
}

func all(r *reader) []*entry {
	out := make([]*entry, 0, 10)
	for e := range r.entries() {
		out = append(out, e)
	}
	return out // want `outlives: `
}

func each(in []string, f func(string) bool) {
	for _, s := range in {
		if f(s) {
			return
		}
	}
}

func joined(in []string) (out []string) {
	each(in, func(s string) bool {
		a := pool.Get()
		out = append(out, arena.Concat(a, s, ";"))
		pool.Put(a)
		return false
	})
	return out // want `outlives: `
}

type problems struct{ all []error }

func (p *problems) add(err error) { p.all = append(p.all, err) }

func validate(p *problems, raws [][]byte) {
	for _, r := range raws {
		a := pool.Get()
		p.add(&os.PathError{Op: "open", Path: arena.String(a, r), Err: os.ErrNotExist}) // want `outlives: `
		pool.Put(a)
	}
}

type settings struct {
	name string
	env  map[string]string
}

func (s *settings) clone() *settings {
	c := *s
	c.env = maps.Clone(s.env)
	return &c
}

func load(raw []byte) *settings {
	a := arena.NewArena()
	s := arena.New[settings](a)
	s.name = arena.String(a, raw)
	c := s.clone()
	a.Reset()
	return c // want `outlives: `
}

type worker struct{ ctx context.Context }

func (w *worker) start(user []byte) {
	a := pool.Get()
	w.ctx = context.WithValue(context.Background(), tenantKey{}, arena.String(a, user)) // want `outlives: .* is stored in w\.ctx`
	pool.Put(a)
}

func renamed(addr string) func(*server) { return func(s *server) { s.name = addr } }

func built(with ...func(*server)) (s server) {
	for _, w := range with {
		w(&s)
	}
	return
}

func build(raw []byte) server {
	a := pool.Get()
	defer pool.Put(a)
	return built(renamed(arena.String(a, raw))) // want `outlives: `
}
