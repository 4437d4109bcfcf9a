// Package contexts has mistakes with values that travel in contexts.
package contexts

import (
	"context"
	"fmt"

	"github.com/arena-go/arena"
)

type key int

const (
	userKey key = iota
	traceKey
)

type user struct{ name, mail string }

func withUser(ctx context.Context, u *user) context.Context {
	return context.WithValue(ctx, userKey, u)
}

func userOf(ctx context.Context) *user {
	u, _ := ctx.Value(userKey).(*user)
	return u
}

func inOneFunction(name string) int {
	a := arena.NewArena()
	ctx := context.WithValue(context.Background(), userKey, &user{name: arena.String(a, name)})
	a.Reset()
	u := ctx.Value(userKey).(*user)
	return find(u.name) // want `stale: `
}

func find(s string) int {
	for i := range len(s) {
		if s[i] == '@' {
			return i
		}
	}
	return -1
}

func byHelpers(p *arena.Pool, name string) string {
	a := p.Get()
	ctx := withUser(context.Background(), &user{name: arena.String(a, name)})
	p.Put(a)
	return "user " + userOf(ctx).name // want `stale: `
}

type session struct {
	ctx context.Context
	n   int
}

func (s *session) open(p *arena.Pool, id string) {
	a := p.Get()
	defer p.Put(a)
	s.ctx = context.WithValue(s.ctx, traceKey, arena.String(a, id)) // want `outlives: `
	s.n++
}

func (s *session) id() string {
	id, _ := s.ctx.Value(traceKey).(string)
	return id
}

type worker struct {
	a   *arena.Arena
	ctx context.Context
}

func (w *worker) run(names []string) {
	for _, n := range names {
		ctx := withUser(w.ctx, arena.Ptr(w.a, user{name: n}))
		w.a.Reset()
		fmt.Println(userOf(ctx).mail) // want `stale: `
	}
}

var background context.Context

func start(name string) {
	arena.Do(func(a *arena.Arena) {
		background = withUser(context.Background(), &user{mail: arena.String(a, name)}) // want `outlives: `
	})
}

type ctxKey struct{}

type request struct{ path string }

func pathOf(ctx context.Context) string {
	if r, ok := ctx.Value(ctxKey{}).(*request); ok {
		return r.path
	}
	return ""
}

func byStructKey(a *arena.Arena, path string) {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), ctxKey{}, &request{path: arena.String(a, path)}))
	defer cancel()
	a.Reset()
	fmt.Println(pathOf(ctx)) // want `stale: `
}
