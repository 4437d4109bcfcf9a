package unseen

import (
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/arena-go/arena"
)

func copyOfTemporary(keep *arena.Arena, raw []byte) string {
	t := pool.Get()
	a := keep
	if len(raw) > 10 {
		a = t
	}
	s := arena.String(a, raw)
	if a == t {
		s = strings.Clone(s)
	}
	pool.Put(t)
	return s
}

func ownIsCopied(use bool, raw []byte) string {
	var a *arena.Arena
	if use {
		a = arena.NewArena()
	}
	s := arena.String(a, raw)
	if a != nil {
		s = strings.Clone(s)
	}
	a.Reset()
	return s
}

func crossed(big bool, s string) int {
	small, large := arena.NewArena(), arena.NewArena()
	a, b := small, large
	if big {
		a, b = large, small
	}
	l := arena.String(a, s)
	b.Reset()
	n := len(strings.ToUpper(l))
	a.Reset()
	return n
}

func waitedFor(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	line := arena.Concat(a, r.Method, " ", r.URL.Path)
	done := make(chan struct{})
	go func() { defer close(done); log.Println(line) }()
	<-done
	w.WriteHeader(http.StatusNoContent)
}

func (l *loader) length(r *http.Request) int {
	v, _, _ := l.g.Do(r.FormValue("id"), func() (any, error) {
		b, err := arena.ReadAll(arena.FromContext(r.Context()), r.Body)
		return len(b), err
	})
	return v.(int)
}

func (l *loader) copied(r *http.Request) []byte {
	v, _, _ := l.g.Do(r.FormValue("id"), func() (any, error) {
		b, err := arena.ReadAll(arena.FromContext(r.Context()), r.Body)
		return arena.Clone(b), err
	})
	return v.([]byte)
}

func mapCopiesItself(b []byte) map[string]string {
	a := arena.NewArena()
	m := map[string]string{"x": arena.String(a, b)}
	for k, v := range m {
		m[k] = strings.Clone(v)
	}
	a.Reset()
	return m
}

func sameKeyAgain(b []byte) map[string]string {
	a := arena.NewArena()
	m := map[string]string{}
	m["x"] = arena.String(a, b)
	m["x"] = strings.Clone(m["x"])
	a.Reset()
	return m
}

func listCopiesItself(b []byte) []string {
	a := arena.NewArena()
	m := []string{arena.String(a, b), "x"}
	for i := 0; i < len(m); i++ {
		m[i] = strings.Clone(m[i])
	}
	a.Reset()
	return m
}

func fieldsAreCopied(b []byte) []*entry {
	a := arena.NewArena()
	all := []*entry{{arena.String(a, b)}}
	for _, e := range all {
		e.key = strings.Clone(e.key)
	}
	a.Reset()
	return all
}

func structsAreCopied(b []byte) map[string]entry {
	a := arena.NewArena()
	m := map[string]entry{"x": {arena.String(a, b)}}
	for k, e := range m {
		e.key = strings.Clone(e.key)
		m[k] = e
	}
	a.Reset()
	return m
}

func headerIsSetTwice(h http.Header, b []byte) {
	a := arena.NewArena()
	h.Set("X-Id", arena.String(a, b))
	fmt.Println(h)
	h.Set("X-Id", string(b))
	a.Reset()
}

func entryIsSetTwice(b []byte, m map[string]string) {
	a := arena.NewArena()
	defer a.Reset()
	m["x"] = arena.String(a, b)
	if len(b) > 3 {
		m["x"] = string(b)
		return
	}
	delete(m, "x")
}

func firstOf(r *reader) (first *entry) {
	for e := range r.entries() {
		if len(e.key) > 3 {
			first = e
			break
		}
	}
	return first
}

func copiesOf(src []string) (out []string) {
	for _, t := range tokens(src) {
		if t != "" {
			out = append(out, strings.Clone(t))
		}
	}
	return out
}

func lastTurn(lines [][]byte) (s string, done bool) {
	a := arena.NewArena()
	for i, l := range lines {
		a.Reset()
		t := arena.String(a, l)
		if i == len(lines)-1 {
			s, done = t, true
		}
	}
	return s, done
}

func (s *settings) deep() *settings {
	c := *s
	c.name = strings.Clone(s.name)
	return &c
}

func loadDeep(raw []byte) *settings {
	a := arena.NewArena()
	s := arena.New[settings](a)
	s.name = arena.String(a, raw)
	c := s.deep()
	a.Reset()
	return c
}

type words struct {
	buf []byte
	n   int
}

func (w *words) count() int { return len(w.buf) }

// The field serves the method only.
func (w *words) scratch(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	w.buf = arena.Bytes(a, b)
	w.n += len(b)
	return w.count()
}

func (w *words) deferred(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	defer func() { w.n += w.count() }()
	w.buf = arena.Bytes(a, b)
}
