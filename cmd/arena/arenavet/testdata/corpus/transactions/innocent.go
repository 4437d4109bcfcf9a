package transactions

import (
	"strings"

	"github.com/arena-go/arena"
)

func (d *db) count(names []string) int {
	t := d.begin()
	if len(names) == 0 {
		t.rollback()
		return 0
	}
	for _, n := range names {
		t.add(n)
	}
	return t.commit()
}

func (d *db) deferred(names []string) int {
	t := d.begin()
	defer t.rollback()
	if len(names) == 0 {
		return 0
	}
	t.add(names[0])
	return len(t.rows)
}

// Others have the transaction.
func (d *db) handed(late bool) *tx {
	t := d.begin()
	if late {
		return t
	}
	t.add("now")
	return t
}

type conn struct {
	d  *db
	tx *tx
}

func (c *conn) start(late bool) bool {
	t := c.d.begin()
	c.tx = t
	if late {
		return false
	}
	t.add("x")
	return true
}

func (d *db) all(n int) (all []*tx) {
	for range n {
		all = append(all, d.begin())
	}
	return all
}

func (d *db) either(other *db, on bool) int {
	t := d.begin()
	if on {
		t.rollback()
		t = other.begin()
	}
	return t.commit()
}

func (d *db) inLiteral(late bool) int {
	t := d.begin()
	end := func() { t.rollback() }
	if late {
		end()
		return 0
	}
	return t.commit()
}

func (d *db) connected(late bool) *conn {
	c := &conn{d: d, tx: d.begin()}
	if late {
		return nil
	}
	return c
}

func sizeOf(p *arena.Pool, name string) int {
	l := newLease(p, name)
	defer l.end(p)
	if name == "" {
		return 0
	}
	return len(l.name)
}

func leased(p *arena.Pool, name string) lease {
	l := newLease(p, name)
	if name == "" {
		return l
	}
	l.name = strings.ToUpper(name)
	return l
}

func (t *tail) sent(line string) {
	a := arena.NewArena()
	h := split(arena.String(a, line))
	t.send(hit{strings.Clone(h.host), strings.Clone(h.path)})
	a.Reset()
}

func (d *db) tryBegin(on bool) *tx {
	if !on {
		return nil
	}
	return d.begin()
}

func (d *db) tried(on bool) int {
	t := d.tryBegin(on)
	if t == nil {
		return 0
	}
	return t.commit()
}

func (d *db) open(on bool) (*tx, error) {
	if !on {
		return nil, errLate
	}
	return d.begin(), nil
}

func (d *db) opened(on bool) (int, error) {
	t, err := d.open(on)
	if err != nil {
		return 0, err
	}
	return t.commit(), nil
}

func end(t *tx, late bool) {
	if late {
		t.rollback()
	}
}

func (d *db) endedElsewhere(late bool) int {
	t := d.begin()
	end(t, late)
	if late {
		return 0
	}
	return t.commit()
}
