package several

import (
	"errors"
	"slices"
	"strings"

	"github.com/arena-go/arena"
)

func scalar(b []byte, c bool) int {
	a := arena.NewArena()
	var e *entry
	if c {
		e = &entry{key: arena.String(a, b), n: 1}
	} else {
		e = &entry{key: arena.String(a, b), n: 2}
	}
	a.Reset()
	return e.n
}

func cleaned(b []byte, c bool) *entry {
	a := pool.Get()
	defer pool.Put(a)
	var e *entry
	if c {
		e = &entry{key: arena.String(a, b), n: 1}
	} else {
		e = &entry{key: arena.String(a, b), n: 2}
	}
	e.key = strings.Clone(e.key)
	return e
}

func longestKept(all [][]byte) *entry {
	var best *entry
	pool.Do(func(a *arena.Arena) {
		for _, b := range all {
			if s := arena.String(a, b); best == nil || len(s) > best.n {
				best = &entry{s, len(s)}
			}
		}
		if best != nil {
			best.key = strings.Clone(best.key)
		}
	})
	return best
}

func clean(e *entry) { e.key = strings.Clone(e.key) }

func cleanedElsewhere(all [][]byte) *entry {
	var best *entry
	pool.Do(func(a *arena.Arena) {
		for _, b := range all {
			if s := arena.String(a, b); best == nil || len(s) > best.n {
				best = &entry{s, len(s)}
			}
		}
		clean(best)
	})
	return best
}

func errorOnHeap(all []string) error {
	var err error
	pool.Do(func(a *arena.Arena) {
		for _, s := range all {
			if e := check(a, s); e != nil {
				err = errors.Join(err, errors.New(strings.Clone(e.Error())))
			}
		}
	})
	return err
}

func (c *cache) last(all [][]byte) {
	a := pool.Get()
	defer pool.Put(a)
	var e *entry
	for _, b := range all {
		e = &entry{arena.String(a, b), e.n + 1}
	}
	c.entries["last"] = &entry{n: e.n}
}

func lentLength(b []byte) string {
	return with(func(a *arena.Arena) string { return strings.Clone(arena.String(a, b)) })
}

func sortedOnHeap(all [][]byte) (top []string) {
	pool.Do(func(a *arena.Arena) {
		for _, b := range all {
			s := strings.Clone(arena.String(a, b))
			top = slices.Insert(top, len(top)/2, s)
		}
	})
	return top
}

type pair struct {
	door, card string
	owner      *entry
}

type ring struct {
	pairs [8]pair
	n     int
}

func (r *ring) add(p pair) {
	p.door, p.card = strings.Clone(p.door), strings.Clone(p.card)
	r.pairs[r.n%len(r.pairs)] = p
	r.n++
}

func (r *ring) open(b []byte) {
	arena.Do(func(a *arena.Arena) {
		s := arena.String(a, b)
		r.add(pair{door: s, card: s})
	})
}
