package bodies

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/arena-go/arena"

	"example.com/corpus/bodies/tree"
)

func (o *outline) okSections(text string) []entry {
	defer o.a.Reset()
	var all []entry
	for line := range strings.Lines(text) {
		if depth := strings.Count(line, "="); depth > 0 {
			all = arena.Push(o.a, all, entry{depth, line})
		}
	}
	return slices.Clone(all)
}

func okCheck(text string) (n int, err error) {
	a := pool.Get()
	defer pool.Put(a)
	for line := range strings.SplitSeq(text, "\n") {
		full := arena.Concat(a, "/", line)
		if line == "" {
			return n, &lineError{n, line, errEmpty}
		}
		if strings.Contains(full, "//") {
			return n, &lineError{n, strings.Clone(full), nil}
		}
		if len(full) > 100 {
			return n, fmt.Errorf("line %d is long: %s", n, full)
		}
		n++
	}
	return n, nil
}

func okFind(text, word string) (string, bool) {
	a := pool.Get()
	defer pool.Put(a)
	for line := range strings.Lines(text) {
		if s := arena.Concat(a, "/", line); strings.Contains(s, word) {
			return line, true
		}
	}
	return "", false
}

func (o *outline) okName(s string) int {
	name := o.name(s)
	n := len(name)
	o.a.Reset()
	return n
}

func pick(a *arena.Arena, copied bool, s string) string {
	if copied {
		return arena.Concat(a, s)
	}
	return s
}

func okPick(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return pick(a, false, s)
}

func (o *outline) okEntry(s string) entry {
	var e entry
	o.set(&e, s)
	e.name = strings.Clone(e.name)
	o.a.Reset()
	return e
}

func (p *parser) okPrimary() (*node, error) {
	m := p.a.Mark()
	n, ok := p.call()
	if ok {
		return n, nil
	}
	count := len(n.args)
	p.a.Rewind(m)
	if p.next() == "" {
		return nil, fmt.Errorf("no name behind %d arguments", count)
	}
	return arena.Ptr(p.a, node{name: p.next()}), nil
}

func okRequest(ctx context.Context, url string, user []byte) (*http.Request, error) {
	a := pool.Get()
	defer pool.Put(a)
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	name := arena.String(a, user)
	r.Header.Set("X-User", strings.Clone(name))
	r.ContentLength = int64(len(name))
	return r, nil
}

func okSigned(url string) (*http.Request, error) {
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	arena.Do(func(a *arena.Arena) {
		r.Header.Set("X-Signature", strings.Clone(arena.Concat(a, r.Method, " ", r.URL.Path)))
	})
	return r, nil
}

func okUser(all map[string]string, user []byte) map[string]string {
	a := pool.Get()
	defer pool.Put(a)
	all = maps.Clone(all)
	all["user"] = arena.String(a, user)
	delete(all, "user")
	return all
}

func okUsers(all map[string]string, user []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	all = maps.Clone(all)
	all["user"] = arena.String(a, user)
	return len(all)
}

func okAccept(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithValue(context.WithoutCancel(r.Context()), userKey{}, strings.Clone(r.UserAgent()))
	queue = append(queue, waiting{arena.NewContext(ctx, nil), "x"})
}

type counter struct{ n, depth int }

func (c *counter) Enter(n *tree.Node, depth int) bool {
	c.n += len(n.Name)
	c.depth = max(c.depth, depth)
	return true
}

func okVisit(name []byte) int {
	c := &counter{}
	arena.Do(func(a *arena.Arena) {
		tree.Walk(c, arena.Ptr(a, tree.Node{Name: arena.String(a, name)}))
	})
	return c.n
}

func okNodes(name []byte) int {
	c := &collector{}
	arena.Do(func(a *arena.Arena) {
		tree.Walk(c, arena.Ptr(a, tree.Node{Name: arena.String(a, name)}))
	})
	return len(c.all)
}

func okHeader(c cursor) int {
	defer c.close()
	if !c.next() {
		return 0
	}
	return c.row().depth
}

func okReceive(next func() ([]byte, error)) error {
	a := arena.NewArena()
	for {
		b, err := next()
		if err != nil {
			return err
		}
		a.Reset()
		if s := arena.String(a, b); s != "" {
			counts[strings.Clone(s)]++
		}
	}
}

// okLatest replaces what the turn before has left.
func okLatest(next func() []byte) {
	a := arena.NewArena()
	names := map[string]string{}
	latest = names
	for b := next(); b != nil; b = next() {
		a.Reset()
		names["last"] = arena.String(a, b)
	}
}

var latest map[string]string
