package outlives

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"example.com/corpus/lib"
	"github.com/arena-go/arena"
)

var (
	cache   = map[string]int{}
	names   = map[int]string{}
	shared  sync.Map
	current string
	list    []string
	pool    arena.Pool
)

func returned(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return arena.String(a, b) // want `outlives: the result of arena.String .* is returned after Pool.Put`
}

func returnedField(b []byte) *lib.Doc {
	a := arena.NewArena()
	d := &lib.Doc{Title: arena.String(a, b)}
	a.Reset()
	return d // want `outlives: `
}

func named(b []byte) (s string, err error) {
	a := pool.Get()
	defer func() { pool.Put(a) }()
	s = arena.String(a, b)
	return s, nil // want `outlives: `
}

func key(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	cache[arena.String(a, b)]++ // want `outlives: .* is stored in the keys of cache`
}

func value(p *arena.Pool, n int, b []byte) {
	a := p.Get()
	names[n] = arena.String(a, b) // want `outlives: .* is stored in the elements of names`
	p.Put(a)
}

func global(p *arena.Pool, b []byte) {
	a := p.Get()
	current = arena.String(a, b) // want `outlives: .* is stored in current`
	p.Put(a)
}

func appended(a *arena.Arena, lines [][]byte) {
	for _, line := range lines {
		list = append(list, arena.String(a, line)) // want `outlives: .* is stored in the elements of list`
		a.Reset()
	}
}

func syncMap(b []byte) {
	arena.Do(func(a *arena.Arena) {
		shared.Store(arena.String(a, b), 1) // want `outlives: `
	})
}

func handler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	name := arena.String(a, r.URL.Path)
	cache[name] = 1 // want `outlives: .* is stored in the keys of cache, which lives longer than the arena of the request`
}

func greet(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	shared.LoadOrStore(arena.String(a, r.URL.Path), arena.Sprintf(a, "Hello %s", r.URL.Path)) // want `outlives: `
}

type server struct {
	byName map[string]int
	last   string
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	s.byName[arena.String(a, r.URL.Path)] = 1 // want `outlives: `
}

func inContext(ctx context.Context, b []byte) {
	a := arena.FromContext(ctx)
	current = arena.String(a, b) // want `outlives: `
}

func failed(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return errors.New(arena.Concat(a, "bad: ", string(b))) // want `outlives: `
}

func withValue(ctx context.Context, b []byte) context.Context {
	a := pool.Get()
	defer pool.Put(a)
	return context.WithValue(ctx, "name", arena.String(a, b)) // want `outlives: `
}

func channel(in <-chan []byte, out chan<- *lib.Doc) {
	a := arena.NewArena()
	for b := range in {
		out <- lib.Parse(a, b) // want `outlives: .* is sent`
		a.Reset()
	}
}

func goroutine(b []byte) {
	a := pool.Get()
	s := arena.String(a, b)
	go func() { lib.Remember(s) }() // want `outlives: a goroutine`
	pool.Put(a)
}

func acrossRemember(p *arena.Pool, b []byte) {
	a := p.Get()
	lib.Remember(arena.String(a, b)) // want `outlives: .* is stored in the keys of`
	p.Put(a)
}

func acrossKeep(a *arena.Arena, b []byte) {
	lib.Keep(lib.Parse(a, b)) // want `outlives: .* is stored in lib.Last`
	a.Reset()
}

func fill(d *lib.Doc, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	d.Title = arena.String(a, b) // want `outlives: .* is stored in d.Title`
}

func outOfDo(b []byte) (d *lib.Doc) {
	arena.Do(func(a *arena.Arena) {
		d = lib.Parse(a, b)
	})
	return d // want `outlives: .* is returned after arena.Do`
}

func boxed(b []byte) any {
	a := pool.Get()
	defer pool.Put(a)
	return arena.Box(a, len(b)) // want `outlives: `
}

func elements(lines [][]byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	var all []string
	for _, line := range lines {
		all = append(all, arena.String(a, line))
	}
	return all // want `outlives: `
}

func groupNotWaited(parts [][]byte) {
	g := arena.NewGroup()
	for _, part := range parts {
		g.Go(func(a *arena.Arena) { lib.Parse(a, part) }) // want `outlives: a goroutine that nobody has waited for`
	}
	g.Reset()
}

func keepsNot(w http.ResponseWriter, r *http.Request) {
	text := arena.Sprintf(arena.FromContext(r.Context()), "%s was asked for", r.URL.Path)
	go func() { lib.Remember(text) }() // want `outlives: the handler returns`
}

var docs []*lib.Doc

func appendedTwo(b, c []byte) {
	a := pool.Get()
	defer pool.Put(a)
	docs = append(docs, lib.Parse(a, b), lib.Parse(a, c)) // want `outlives: .* is stored in the elements of docs`
}

func appendedOneOfTwo(other *lib.Doc, c []byte) {
	a := pool.Get()
	defer pool.Put(a)
	docs = append(docs, other, lib.Parse(a, c)) // want `outlives: .* is stored in the elements of docs`
}

func appendedSlice(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	list = append(list, arena.SliceOf(a, arena.String(a, b), arena.String(a, b))...) // want `outlives: .* is stored in the elements of list`
}
