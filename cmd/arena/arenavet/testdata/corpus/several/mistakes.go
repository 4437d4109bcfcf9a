// Package several has mistakes with pointers to one of several things, and with results of functions
// that are given.
package several

import (
	"errors"
	"slices"

	"github.com/arena-go/arena"
)

var pool arena.Pool

type entry struct {
	key string
	n   int
}

type textError struct{ text string }

func (e *textError) Error() string { return e.text }

func check(a *arena.Arena, s string) error {
	if len(s) > 3 {
		return &textError{arena.String(a, s)}
	}
	return nil
}

func longest(all [][]byte) *entry {
	var best *entry
	pool.Do(func(a *arena.Arena) {
		for _, b := range all {
			if s := arena.String(a, b); best == nil || len(s) > best.n {
				best = &entry{s, len(s)}
			}
		}
	})
	return best // want `outlives: `
}

func lastError(all []string) error {
	var err error
	pool.Do(func(a *arena.Arena) {
		for _, s := range all {
			err = check(a, s)
		}
	})
	return err // want `outlives: `
}

func allErrors(all []string) error {
	var err error
	pool.Do(func(a *arena.Arena) {
		for _, s := range all {
			err = errors.Join(err, check(a, s))
		}
	})
	return err // want `outlives: `
}

type cache struct{ entries map[string]*entry }

func (c *cache) count(all [][]byte) {
	a := pool.Get()
	defer pool.Put(a)
	for _, b := range all {
		e, ok := c.entries[string(b)]
		if !ok {
			e = &entry{key: arena.String(a, b)}
			c.entries[string(b)] = e // want `outlives: `
		}
		e.n++
	}
}

func with(f func(*arena.Arena) string) string {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

func lent(b []byte) string {
	return with(func(a *arena.Arena) string { return arena.String(a, b) }) // want `outlives: `
}

func sortedIn(all [][]byte) (top []string) {
	a := pool.Get()
	defer pool.Put(a)
	for _, b := range all {
		if s := arena.String(a, b); s != "" {
			top = slices.Insert(top, len(top)/2, s)
		}
	}
	return top // want `outlives: `
}

func appended(all [][]byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.MakeSlice[string](a, 0, len(all))
	for _, b := range all {
		list = append(list, string(b))
	}
	return list // want `outlives: `
}
