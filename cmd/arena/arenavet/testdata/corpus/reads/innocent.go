package reads

import (
	"net/http"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

func (s *server) replaced(w http.ResponseWriter, r *http.Request) {
	var ev event
	if err := arenajson.Read(r, &ev); err != nil {
		return
	}
	c := ev
	c.user = strings.Clone(c.user)
	c.tags = slices.Clone(c.tags)
	for i := range c.tags {
		c.tags[i] = strings.Clone(c.tags[i])
	}
	s.events <- c
}

func (s *server) emptied(a *arena.Arena, data []byte) {
	var ev event
	if err := arenajson.Unmarshal(a, data, &ev); err != nil {
		return
	}
	c := ev
	c.user, c.tags = strings.Clone(c.user), nil
	s.events <- c
	a.Reset()
}

func (s *server) counted(w http.ResponseWriter, r *http.Request) {
	var ev event
	if err := arenajson.Read(r, &ev); err != nil {
		return
	}
	s.events <- event{n: len(ev.tags)}
}

func (s *server) copied(w http.ResponseWriter, r *http.Request) {
	var ev event
	if err := arenajson.Read(r, &ev); err != nil {
		return
	}
	s.events <- arena.DeepClone(ev)
}
