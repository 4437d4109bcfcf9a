// Package bodies has loops over sequences, functions with several returns, and functions that call
// each other.
package bodies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/arena-go/arena"

	"example.com/corpus/bodies/tree"
)

var pool arena.Pool

type entry struct {
	depth int
	name  string
}

type outline struct{ a *arena.Arena }

func (o *outline) sections(text string) []entry {
	defer o.a.Reset()
	var all []entry
	for line := range strings.Lines(text) {
		if depth := strings.Count(line, "="); depth > 0 {
			all = arena.Push(o.a, all, entry{depth, arena.Concat(o.a, "#", line)})
		}
	}
	return slices.Clone(all) // want `outlives: `
}

// A lineError says which line is wrong.
type lineError struct {
	line int
	text string
	err  error
}

func (e *lineError) Error() string { return fmt.Sprint(e.line, e.text, e.err) }

var errEmpty = errors.New("empty")

func check(text string) (n int, err error) {
	a := pool.Get()
	defer pool.Put(a)
	for line := range strings.SplitSeq(text, "\n") {
		full := arena.Concat(a, "/", line)
		if line == "" {
			return n, &lineError{n, line, errEmpty}
		}
		if strings.Contains(full, "//") {
			return n, &lineError{n, full, nil} // want `outlives: `
		}
		n++
	}
	return n, nil
}

func find(text []byte, word string) (string, bool) {
	a := pool.Get()
	defer pool.Put(a)
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("#")) {
			return word, true
		}
		if s := arena.String(a, line); strings.Contains(s, word) {
			return s, true // want `outlives: `
		}
	}
	return "", false
}

// A function that returns something of the arena on one of several ways.

func (o *outline) name(s string) string {
	if strings.HasPrefix(s, "#") {
		return s
	}
	return arena.Concat(o.a, "#", s)
}

func (o *outline) one(s string) string {
	name := o.name(s)
	o.a.Reset()
	return name // want `outlives: `
}

func (o *outline) set(e *entry, s string) {
	if len(s) < 3 {
		e.name = s
		return
	}
	e.name = arena.Concat(o.a, "#", s)
}

func (o *outline) entryOf(s string) entry {
	var e entry
	o.set(&e, s)
	o.a.Reset()
	return e // want `outlives: `
}

// Functions that call each other.

type parser struct {
	a    *arena.Arena
	text []string
	pos  int
}

type node struct {
	name string
	args []*node
}

func (p *parser) next() string {
	p.pos++
	return p.text[p.pos-1]
}

func (p *parser) call() (*node, bool) {
	n := arena.New[node](p.a)
	n.name = p.next()
	if p.next() != "(" {
		return n, false
	}
	for p.next() != ")" {
		arg, err := p.primary()
		if err != nil {
			return n, false
		}
		n.args = arena.Append(p.a, n.args, arg)
	}
	return n, true
}

func (p *parser) primary() (*node, error) {
	start, m := p.pos, p.a.Mark()
	n, ok := p.call()
	if ok {
		return n, nil
	}
	p.a.Rewind(m)
	p.pos = start
	if p.next() == "" {
		return nil, fmt.Errorf("no name behind %d arguments", len(n.args)) // want `stale: `
	}
	return arena.Ptr(p.a, node{name: p.next()}), nil
}

// Elements of what others have filled, too.

func request(ctx context.Context, url string, user []byte) (*http.Request, error) {
	a := pool.Get()
	defer pool.Put(a)
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-User", arena.String(a, user))
	return r, nil // want `outlives: `
}

func signed(url string) (*http.Request, error) {
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	arena.Do(func(a *arena.Arena) {
		r.Header.Set("X-Signature", arena.Concat(a, r.Method, " ", r.URL.Path))
	})
	return r, nil // want `outlives: `
}

func withUser(all map[string]string, user []byte) map[string]string {
	a := pool.Get()
	defer pool.Put(a)
	all = maps.Clone(all)
	all["user"] = arena.String(a, user)
	return all // want `outlives: `
}

// Contexts.

type userKey struct{}

type waiting struct {
	ctx  context.Context
	name string
}

var queue []waiting

func accept(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	user := arena.Ptr(a, entry{name: r.UserAgent()})
	ctx := context.WithValue(context.WithoutCancel(r.Context()), userKey{}, user)
	ctx = arena.NewContext(ctx, nil)
	queue = append(queue, waiting{ctx, "x"}) // want `outlives: `
}

func inContext(ctx context.Context, text []byte) string {
	a := arena.NewArena()
	ctx = arena.NewContext(ctx, a)
	s := arena.String(arena.FromContext(ctx), text)
	a.Reset()
	return s // want `outlives: `
}

// Visitors of another package.

type collector struct{ all []*tree.Node }

func (c *collector) Enter(n *tree.Node, depth int) bool {
	c.all = append(c.all, n)
	return depth < 10
}

func nodes(name []byte) []*tree.Node {
	c := &collector{}
	arena.Do(func(a *arena.Arena) {
		tree.Walk(c, arena.Ptr(a, tree.Node{Name: arena.String(a, name)}))
	})
	return c.all // want `outlives: `
}

type lister struct{ names []string }

func (l *lister) Enter(n *tree.Node, _ int) bool {
	l.names = append(l.names, n.Name)
	return true
}

func listed(a *arena.Arena, name []byte) {
	var l lister
	tree.Walk(&l, &tree.Node{Name: arena.String(a, name)})
	a.Reset()
	fmt.Println(l.names) // want `stale: `
}

// Methods of embedded structs.

type cursor interface {
	next() bool
	row() *entry
	close()
}

type base struct {
	mem  *arena.Arena
	last *entry
}

func (b *base) row() *entry { return b.last }
func (b *base) close()      { pool.Put(b.mem) }

type commas struct {
	base
	text []string
}

func (c *commas) next() bool {
	c.last = arena.Ptr(c.mem, entry{name: arena.Join(c.mem, c.text, ",")})
	return true
}

type blanks struct {
	base
	n int
}

func (b *blanks) next() bool {
	b.last = arena.Ptr(b.mem, entry{depth: b.n})
	return b.n > 0
}

func header(c cursor) *entry {
	defer c.close()
	if !c.next() {
		return nil
	}
	return c.row() // want `outlives: `
}

// What stays when the next turn of a loop ends the arena.

var counts = map[string]int{}

func receive(next func() ([]byte, error)) error {
	a := arena.NewArena()
	for {
		b, err := next()
		if err != nil {
			return err
		}
		a.Reset()
		if s := arena.String(a, b); s != "" {
			counts[s]++ // want `outlives: `
		}
	}
}

// An assignment replaces the key, too, if it is text.
func known(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	if _, ok := counts[s]; !ok {
		return 0
	}
	counts[s]++ // want `outlives: .* in the keys of counts`
	return counts[s]
}

func knownToo(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	if n, ok := counts[s]; ok && n > 0 {
		counts[s] = n - 1 // want `outlives: .* in the keys of counts`
	} else {
		counts[strings.Clone(s)] = 1
	}
}

type hall struct{ rooms map[string]int }

func (h *hall) enter(w http.ResponseWriter, r *http.Request) {
	room := arena.Concat(arena.FromContext(r.Context()), "/", r.URL.Path)
	if _, ok := h.rooms[room]; ok {
		h.rooms[room]++ // want `outlives: .* in the keys of h.rooms`
	}
}

func routes(h *hall) http.Handler { return http.HandlerFunc(h.enter) }
