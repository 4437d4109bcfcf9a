// Package exits has mistakes in functions that are left in several ways.
package exits

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

var (
	pool   arena.Pool
	errBad = errors.New("bad")
)

type reminder struct {
	at    time.Time
	title string
}

func parse(a *arena.Arena, line []byte) (*reminder, error) {
	r := arena.New[reminder](a)
	for part := range strings.SplitSeq(arena.String(a, line), ",") {
		r.title = part
	}
	if r.title == "" {
		return nil, errBad
	}
	return r, nil
}

type service struct {
	mu     sync.Mutex
	timers []*time.Timer
	notify func(string)
}

func (s *service) schedule(r *reminder) {
	t := time.AfterFunc(time.Until(r.at), func() { s.notify(r.title) })
	s.mu.Lock()
	s.timers = append(s.timers, t)
	s.mu.Unlock()
}

func (s *service) load(in io.Reader) error {
	a := arena.NewArena()
	defer a.Reset()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		r, err := parse(a, lines.Bytes())
		if err != nil {
			return err
		}
		s.schedule(r) // want `outlives: `
	}
	return lines.Err()
}

func ask(s string) string { return s }

func hedged(w http.ResponseWriter, r *http.Request) {
	thing := arena.String(arena.FromContext(r.Context()), r.FormValue("thing"))
	answers := make(chan string, 3)
	for range 3 {
		go func() { answers <- ask(thing) }() // want `outlives: `
	}
	late := time.After(time.Second)
	for range 3 {
		select {
		case s := <-answers:
			io.WriteString(w, s)
		case <-late:
			http.Error(w, "late", http.StatusGatewayTimeout)
			return
		}
	}
}

func (s *service) audit(r *reminder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify(r.title)
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	e := arena.New[reminder](arena.FromContext(r.Context()))
	f, err := http.Dir(".").Open("x")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	go s.audit(e) // want `outlives: `
}

func (s *service) others(events []*reminder) {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	for _, old := range events {
		e := arena.New[reminder](a)
		e.at = old.at
		go s.audit(e) // want `outlives: `
		wg.Go(func() { s.notify(e.title) })
	}
	wg.Wait()
}

func batches(in [][]byte, out chan<- []*reminder) error {
	a := arena.NewArena()
	batch := arena.MakeSlice[*reminder](a, 0, 8)
	for _, line := range in {
		r, err := parse(a, line)
		if err != nil {
			continue
		}
		if batch = arena.Push(a, batch, r); len(batch) == 8 {
			out <- batch // want `outlives: `
			a.Reset()
			batch = arena.MakeSlice[*reminder](a, 0, 8)
		}
	}
	return nil
}

type header struct {
	kind string
	rest []byte
}

func rest(b []byte) (*header, error) {
	a := pool.Get()
	defer pool.Put(a)
	h := new(header)
	line := arena.Bytes(a, b)
	if len(line) < 4 {
		return nil, errBad
	}
	if len(line) > 4 {
		h.rest = line[4:]
	}
	if h.kind = string(line[:4]); h.kind == "" {
		return nil, errBad
	}
	return h, nil // want `outlives: `
}

func rejected(in [][]byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	var bad []string
	for _, b := range in {
		if s := arena.String(a, b); len(s) > 3 {
			bad = append(bad, s)
		}
	}
	return append(bad, errBad.Error()) // want `outlives: `
}

type profiles struct{ names map[string]string }

func (p *profiles) add(s string) { p.names[s] = s }

func fill(p *profiles, in [][]byte) (err error) {
	arena.Do(func(a *arena.Arena) {
		for _, b := range in {
			if len(b) == 0 {
				err = errBad
				return
			}
			p.names["x"] = arena.String(a, b) // want `outlives: `
		}
	})
	return err
}

func counts(in [][]byte) map[string]int {
	all := map[string]int{}
	a := arena.NewArena()
	for _, b := range in {
		if len(b) == 0 {
			all["none"]++ // want `stale: `
			continue
		}
		all[arena.String(a, b)]++
		a.Reset()
	}
	return all // want `outlives: `
}

func newest(in [][]byte) (map[int]*reminder, error) {
	all := map[int]*reminder{}
	a := arena.NewArena()
	for n, b := range in {
		a.Reset()
		r, err := parse(a, b)
		if err != nil {
			return nil, err
		}
		all[n*2] = r
	}
	return all, nil // want `outlives: `
}

func titles(in [][]byte) (all []string) {
	a := arena.NewArena()
	for _, b := range in {
		a.Reset()
		if s := arena.String(a, b); s != "" {
			all = append(all, s)
		}
	}
	return all // want `outlives: `
}
