// Package requests has mistakes of handlers: closures that stay, and pages that several goroutines
// fill.
package requests

import (
	"fmt"
	"net/http"

	"github.com/arena-go/arena"

	"example.com/corpus/requests/topics"
)

var onClose func()

func register(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	name := arena.String(a, r.FormValue("name"))
	onClose = func() { fmt.Println("closed", name) } // want `outlives: `
}

type alarms struct {
	topic topics.List[int]
	hooks []func(int)
}

type limit struct {
	name string
	most int
}

func notify(l *limit) func(int) {
	return func(n int) {
		if n > l.most {
			fmt.Println(l.name)
		}
	}
}

func (s *alarms) watch(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	l := arena.Ptr(a, limit{name: r.FormValue("name")})
	s.topic.Add("limits", notify(l)) // want `outlives: `
}

func (s *alarms) hook(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	l := &limit{name: arena.String(a, r.FormValue("name"))}
	s.hooks = append(s.hooks, notify(l)) // want `outlives: `
}

type page struct {
	title string
	links []string
}

func titles(urls []string) (all []string) {
	g := arena.NewGroup()
	pages := make([]page, len(urls))
	for i, u := range urls {
		g.Go(func(a *arena.Arena) { pages[i] = page{title: arena.String(a, u)} })
	}
	g.Wait()
	g.Reset()
	for _, p := range pages {
		all = append(all, "<"+p.title+">") // want `stale: `
	}
	return all
}

type site struct {
	group *arena.Group
	done  int
}

func (s *site) load(a *arena.Arena, u string) page {
	return page{title: arena.String(a, u), links: []string{u}}
}

func (s *site) finish() {
	s.done++
	s.group.Reset()
}

func (s *site) round(urls []string) int {
	pages := make([]page, len(urls))
	for i, u := range urls {
		s.group.Go(func(a *arena.Arena) { pages[i] = s.load(a, u) })
	}
	s.group.Wait()
	s.finish()
	n := 0
	for _, p := range pages {
		n += find(p.title) // want `stale: `
	}
	return n
}

func find(s string) int {
	for i := range len(s) {
		if s[i] == '@' {
			return i
		}
	}
	return -1
}
