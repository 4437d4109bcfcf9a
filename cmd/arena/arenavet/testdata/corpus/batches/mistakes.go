// Package batches has mistakes, and correct functions, of types that are filled and emptied again
// and again: batches, caches, stacks, workers.
package batches

import (
	"bufio"
	"errors"
	"go/ast"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

var pool arena.Pool

type item struct{ text string }

// A batch has items of its arena, in a slice that is not.
type batch struct {
	a     *arena.Arena
	items []*item
}

func (b *batch) add(text []byte) {
	b.items = append(b.items, arena.Ptr(b.a, item{arena.String(b.a, text)}))
}

func (b *batch) flush(send func([]*item)) (n int) {
	send(b.items)
	b.a.Reset()
	for _, it := range b.items {
		n += len(it.text) // want `stale: `
	}
	b.items = b.items[:0]
	return n
}

type table struct {
	a    *arena.Arena
	cols map[string]*item
}

func (t *table) col(name string) *item {
	c := t.cols[name]
	if c == nil {
		c = arena.Ptr(t.a, item{arena.String(t.a, name)})
		t.cols[c.text] = c
	}
	return c
}

func (t *table) last(name string) string {
	c := t.col(name)
	t.a.Reset()                    // want `stale: t.cols still has what it had before Reset`
	return strings.ToUpper(c.text) // want `stale: `
}

// A graph forgets to empty order.
type graph struct {
	a     *arena.Arena
	nodes map[string]*item
	order []*item
}

func (g *graph) node(name string) {
	n := arena.Ptr(g.a, item{arena.String(g.a, name)})
	g.nodes[n.text] = n
	g.order = append(g.order, n)
}

func (g *graph) reset() {
	clear(g.nodes)
	g.a.Reset() // want `stale: g.order still has`
}

func (g *graph) build(names []string) {
	g.reset()
	for _, n := range names {
		g.node(n)
	}
}

// A tree is filled through a pointer to one of its pointers.
type tree struct {
	a    *arena.Arena
	root *branch
}

type branch struct {
	key  string
	next *branch
}

func (t *tree) insert(k string) {
	p := &t.root
	for *p != nil {
		p = &(*p).next
	}
	*p = arena.Ptr(t.a, branch{key: arena.String(t.a, k)})
}

func (t *tree) clear() { t.a.Reset() }

func inserted(k string) string {
	t := &tree{a: arena.NewArena()}
	t.insert(k)
	t.clear()
	n := t.root
	return n.key // want `outlives: ` `stale: `
}

func load(latest map[string]string, r io.Reader) error {
	a := arena.NewArena()
	defer a.Reset()
	in := bufio.NewScanner(r)
	for in.Scan() {
		latest[arena.String(a, in.Bytes())] = "" // want `outlives: `
	}
	return in.Err()
}

type worker struct{ log *slog.Logger }

func (w *worker) start(id []byte) {
	a := pool.Get()
	defer pool.Put(a)
	w.log = w.log.With("worker", arena.String(a, id)) // want `outlives: `
	w.log.Info("started")
}

type option func(*config)

type config struct{ name string }

type service struct{ cfg config }

func withName(s string) option { return func(c *config) { c.name = s } }

func newService(all ...option) *service {
	s := new(service)
	for _, o := range all {
		o(&s.cfg)
	}
	return s
}

func named(env []byte) *service {
	a := arena.NewArena()
	defer a.Reset()
	return newService(withName(arena.String(a, env))) // want `outlives: `
}

func deferredInLoop(docs [][]byte) []string {
	var out []string
	for _, d := range docs {
		a := pool.Get()
		defer pool.Put(a)
		out = append(out, arena.String(a, d))
	}
	return out // want `outlives: `
}

func received(in [][]byte) (n int) {
	a := arena.NewArena()
	out := make(chan string, len(in))
	for _, b := range in {
		out <- arena.String(a, b) // want `outlives: `
	}
	close(out)
	a.Reset()
	for s := range out {
		n += strings.Count(s, ",") // want `stale: `
	}
	return n
}

func publish(subs []chan *item, it *item) {
	for _, s := range subs {
		s <- it
	}
}

func pump(subs []chan *item, in [][]byte) {
	a := arena.NewArena()
	for _, b := range in {
		publish(subs, arena.Ptr(a, item{arena.String(a, b)})) // want `outlives: `
		a.Reset()
	}
}

func shared(docs [][]byte, words func(*arena.Arena, []byte) []string) {
	a := arena.NewArena()
	defer a.Free()
	var wg sync.WaitGroup
	all := make([][]string, len(docs))
	for i, d := range docs {
		wg.Go(func() { all[i] = words(a, d) }) // want `shared: `
	}
	wg.Wait()
}

func memo(f func(string) int) func([]byte) int {
	seen := map[string]int{}
	a := arena.NewArena()
	return func(b []byte) int {
		defer a.Reset()
		k := arena.String(a, b)
		v, ok := seen[k]
		if !ok {
			v = f(k)
			seen[k] = v // want `outlives: `
		}
		return v
	}
}

type finder struct {
	a     *arena.Arena
	found map[string]*item
}

func (f *finder) Visit(n ast.Node) ast.Visitor {
	if id, ok := n.(*ast.Ident); ok {
		f.found[id.Name] = arena.Ptr(f.a, item{id.Name})
	}
	return f
}

func walked(file *ast.File) map[string]*item {
	a := arena.NewArena()
	defer a.Reset()
	f := &finder{a, map[string]*item{}}
	ast.Walk(f, file)
	return f.found // want `outlives: `
}

type cache[V any] struct{ m map[string]V }

func (c *cache[V]) getOr(k string, f func() (V, error)) (V, error) {
	if v, ok := c.m[k]; ok {
		return v, nil
	}
	v, err := f()
	if err == nil {
		c.m[k] = v
	}
	return v, err
}

var titles = cache[*item]{m: map[string]*item{}}

func title(url string, get func(string) ([]byte, error)) error {
	a := pool.Get()
	defer pool.Put(a)
	_, err := titles.getOr(url, func() (*item, error) { // want `outlives: `
		b, err := get(url)
		if err != nil {
			return nil, err
		}
		return arena.Ptr(a, item{arena.String(a, b)}), nil
	})
	return err
}

// A lexer keeps what it has peeked.
type lexer struct {
	a      *arena.Arena
	peeked *item
}

func (l *lexer) peek(b []byte) *item {
	if l.peeked == nil {
		l.peeked = arena.Ptr(l.a, item{arena.String(l.a, b)})
	}
	return l.peeked
}

func firsts(lines [][]byte) (n int) {
	l := &lexer{a: arena.NewArena()}
	for _, b := range lines {
		l.a.Reset()
		n += len(l.peek(b).text) // a mistake that is not found
	}
	return n
}

func problems(in [][]byte) error {
	a := arena.NewArena()
	var bad []error
	for _, b := range in {
		if len(b) == 0 {
			bad = append(bad, &problem{arena.New[item](a)})
		}
	}
	a.Reset()
	return errors.Join(bad...) // want `outlives: `
}

type problem struct{ it *item }

func (p *problem) Error() string { return p.it.text }
