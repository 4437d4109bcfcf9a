package exits

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

func (s *service) loadCopies(in io.Reader) error {
	a := arena.NewArena()
	defer a.Reset()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		r, err := parse(a, lines.Bytes())
		if err != nil {
			return err
		}
		s.schedule(&reminder{r.at, strings.Clone(r.title)})
	}
	return lines.Err()
}

func gathered(w http.ResponseWriter, r *http.Request) {
	thing := arena.String(arena.FromContext(r.Context()), r.FormValue("thing"))
	answers := make(chan string, 3)
	for range 3 {
		go func() { answers <- ask(thing) }()
	}
	for range 3 {
		io.WriteString(w, <-answers)
	}
}

func gatheredLate(w http.ResponseWriter, r *http.Request) {
	thing := arena.String(arena.FromContext(r.Context()), r.FormValue("thing"))
	var wg sync.WaitGroup
	defer wg.Wait()
	answers := make(chan string, 3)
	for range 3 {
		wg.Go(func() { answers <- ask(thing) })
	}
	late := time.After(time.Second)
	for range 3 {
		select {
		case s := <-answers:
			io.WriteString(w, s)
		case <-late:
			return
		}
	}
}

func (s *service) joined(events []*reminder) {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	for _, old := range events {
		e := arena.New[reminder](a)
		e.at = old.at
		wg.Add(1)
		go s.auditDone(e, wg.Done)
	}
	wg.Wait()
}

func (s *service) auditDone(r *reminder, done func()) {
	defer done()
	s.notify(r.title)
}

func restCopied(b []byte) (*header, error) {
	a := pool.Get()
	defer pool.Put(a)
	h := new(header)
	line := arena.Bytes(a, b)
	if len(line) > 4 {
		h.rest = slices.Clone(line[4:])
	}
	if h.kind = string(line); h.kind == "" {
		return nil, errBad
	}
	return h, nil
}

func failsWithIt(b []byte) (*header, error) {
	a := pool.Get()
	defer pool.Put(a)
	h := new(header)
	if h.rest = arena.Bytes(a, b); len(h.rest) < 4 {
		return nil, errBad
	}
	h.kind = string(h.rest[:4])
	h.rest = nil
	return h, nil
}

func taken(in [][]byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	var bad []string
	for _, b := range in {
		if s := arena.String(a, b); len(s) > 3 {
			bad = append(bad, s)
		}
	}
	return append(bad[:0], errBad.Error())
}

func fillCopies(p *profiles, in [][]byte) (err error) {
	arena.Do(func(a *arena.Arena) {
		for _, b := range in {
			if len(b) == 0 {
				err = errBad
				return
			}
			p.add(strings.Clone(arena.String(a, b)))
		}
	})
	return err
}

func retried(in [][]byte) map[string]*reminder {
	all := map[string]*reminder{}
	a := arena.NewArena()
	for _, b := range in {
		a.Reset()
		all["last"], _ = parse(a, b)
		if all["last"] != nil {
			return all
		}
	}
	return nil
}

func lastTitles(in [][]byte) (all []string) {
	a := arena.NewArena()
	for _, b := range in {
		a.Reset()
		all = all[:0]
		for part := range strings.SplitSeq(arena.String(a, b), ",") {
			all = append(all, part)
		}
	}
	return all
}

func lastColumns(in [][]byte, columns []string) map[string]string {
	all := map[string]string{}
	a := arena.NewArena()
	for _, b := range in {
		a.Reset()
		for _, c := range columns {
			all[c] = arena.String(a, b)
		}
	}
	return all
}

func countsCopied(in [][]byte) map[string]int {
	all := map[string]int{}
	a := arena.NewArena()
	for _, b := range in {
		all[strings.Clone(arena.String(a, b))]++
		a.Reset()
	}
	return all
}
