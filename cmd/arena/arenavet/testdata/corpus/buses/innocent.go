package buses

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

type journal struct{ entries []message }

func (j *journal) enter(m message) { j.entries = append(j.entries, m) }

func journaledCopies(lines []string) {
	b := &bus{map[string][]func(message){}}
	var j journal
	b.listen("line", func(m message) { j.enter(message{m.subject, strings.Clone(m.text)}) })
	for _, l := range lines {
		arena.Do(func(a *arena.Arena) {
			b.send(message{"line", arena.String(a, l)})
		})
	}
	for _, m := range j.entries {
		fmt.Println(m.text)
	}
}

func hookedCopy(line string) {
	var last message
	h := hooks{func(m message) { last = message{m.subject, strings.Clone(m.text)} }}
	arena.Do(func(a *arena.Arena) {
		h.finish(message{"line", arena.String(a, line)})
	})
	fmt.Println(last.text)
}

func lastTry(read func() (string, error)) {
	a := arena.NewArena()
	last := ""
	tries(func() error {
		a.Reset()
		s, err := read()
		last = arena.String(a, s)
		return err
	})
	fmt.Println(last)
	a.Reset()
}

func eachTry(read func() (string, error)) {
	a := arena.NewArena()
	tries(func() error {
		defer a.Reset()
		s, err := read()
		fmt.Println(arena.String(a, s))
		return err
	})
}

func copiedTries(read func() (string, error)) (all []string) {
	a := arena.NewArena()
	tries(func() error {
		a.Reset()
		s, err := read()
		all = append(all, strings.Clone(arena.String(a, s)))
		return err
	})
	return all
}

func comparedCopies(read func() string) {
	a := arena.NewArena()
	last := ""
	tries(func() error {
		s := arena.String(a, read())
		if s == last {
			return nil
		}
		last = strings.Clone(s)
		a.Reset()
		return errAgain
	})
}

type parcel struct {
	a     *arena.Arena
	texts []string
}

func pack(out chan<- *parcel, pool *arena.Pool, lines []string) {
	defer close(out)
	for _, l := range lines {
		p := &parcel{a: pool.Get()}
		p.texts = append(p.texts, arena.String(p.a, l))
		out <- p
	}
}

// Each turn has another parcel.
func unpack(pool *arena.Pool, lines []string) (n int) {
	parcels := make(chan *parcel)
	go pack(parcels, pool, lines)
	for p := range parcels {
		for _, s := range p.texts {
			n += strings.Count(s, "x")
		}
		pool.Put(p.a)
	}
	return n
}
