// Package reads sends on what it has read from requests.
package reads

import (
	"net/http"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type event struct {
	user string
	tags []string
	n    int
}

type server struct {
	events chan event
	last   event
}

func (s *server) plain(w http.ResponseWriter, r *http.Request) {
	var ev event
	if err := arenajson.Read(r, &ev); err != nil {
		return
	}
	s.events <- ev // want `outlives: a value of the arena is sent`
}

func (s *server) selected(w http.ResponseWriter, r *http.Request) {
	var ev event
	if err := arenajson.Read(r, &ev); err != nil {
		return
	}
	select {
	case s.events <- ev: // want `outlives: a value of the arena is sent`
	default:
	}
}

func (s *server) started(w http.ResponseWriter, r *http.Request) {
	var ev event
	if err := arenajson.Read(r, &ev); err != nil {
		return
	}
	go func() { println(ev.user) }() // want `outlives: the handler returns`
}

func (s *server) partly(a *arena.Arena, data []byte) {
	var ev event
	if err := arenajson.Unmarshal(a, data, &ev); err != nil {
		return
	}
	c := ev
	c.tags = nil
	s.events <- c // want `outlives: a value of the arena is sent`
	a.Reset()
}
