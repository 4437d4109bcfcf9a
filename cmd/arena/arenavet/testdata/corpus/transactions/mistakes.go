// Package transactions has mistakes with arenas in structs that one function returns and others
// end, and with values that a method sends.
package transactions

import (
	"bufio"
	"errors"
	"strings"

	"github.com/arena-go/arena"
)

type db struct{ pool arena.Pool }

type tx struct {
	db   *db
	a    *arena.Arena
	rows []string
}

var errLate = errors.New("late")

func (d *db) begin() *tx { return &tx{db: d, a: d.pool.Get()} }

func (t *tx) add(s string) { t.rows = arena.Push(t.a, t.rows, arena.String(t.a, s)) }

func (t *tx) commit() int {
	n := len(strings.Join(t.rows, ","))
	t.db.pool.Put(t.a)
	return n
}

func (t *tx) rollback() { t.db.pool.Put(t.a) }

func (d *db) run(names []string, late bool) (int, error) {
	t := d.begin() // want `lost: `
	for _, n := range names {
		if n == "" {
			t.rollback()
			return 0, errors.New("empty")
		}
		t.add(n)
	}
	if late {
		return 0, errLate
	}
	return t.commit(), nil
}

type lease struct {
	a    *arena.Arena
	name string
}

func newLease(p *arena.Pool, name string) lease {
	a := p.Get()
	return lease{a: a, name: arena.String(a, name)}
}

func (l lease) end(p *arena.Pool) { p.Put(l.a) }

func size(p *arena.Pool, name string) int {
	l := newLease(p, name) // want `lost: `
	if name == "" {
		return 0
	}
	n := len(l.name)
	l.end(p)
	return n
}

type hit struct{ host, path string }

type tail struct {
	in   *bufio.Scanner
	hits chan hit
}

func (t *tail) send(h hit) { t.hits <- h }

func split(line string) hit {
	host, path, _ := strings.Cut(line, " ")
	return hit{host, path}
}

func (t *tail) follow() {
	a := arena.NewArena()
	for t.in.Scan() {
		t.send(split(arena.String(a, t.in.Bytes()))) // want `outlives: `
		a.Reset()
	}
}

func (t *tail) one(line string) {
	a := arena.NewArena()
	t.send(hit{host: arena.String(a, line)}) // want `outlives: `
	a.Reset()
}
