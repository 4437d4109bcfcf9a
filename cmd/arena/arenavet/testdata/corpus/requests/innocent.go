package requests

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/arena-go/arena"
)

func registerCopy(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	name := strings.Clone(arena.String(a, r.FormValue("name")))
	onClose = func() { fmt.Println("closed", name) }
}

func (s *alarms) watchCopy(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	l := arena.Ptr(a, limit{name: r.FormValue("name")})
	s.topic.Add("limits", notify(&limit{strings.Clone(l.name), l.most}))
}

// Nobody keeps the function.
func (s *alarms) once(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	f := notify(&limit{name: arena.String(a, r.FormValue("name"))})
	f(1)
}

func titlesBefore(urls []string) (all []string) {
	g := arena.NewGroup()
	pages := make([]page, len(urls))
	for i, u := range urls {
		g.Go(func(a *arena.Arena) { pages[i] = page{title: arena.String(a, u)} })
	}
	g.Wait()
	for _, p := range pages {
		all = append(all, "<"+p.title+">")
	}
	g.Reset()
	return all
}

func counted(urls []string) (n int) {
	g := arena.NewGroup()
	type result struct {
		title string
		n     int
	}
	pages := make([]result, len(urls))
	for i, u := range urls {
		g.Go(func(a *arena.Arena) {
			s := arena.String(a, u)
			pages[i] = result{strings.Clone(s), len(s)}
		})
	}
	g.Wait()
	g.Reset()
	for _, p := range pages {
		n += p.n + len(p.title)
	}
	return n
}
