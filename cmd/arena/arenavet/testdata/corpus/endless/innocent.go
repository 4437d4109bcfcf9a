package endless

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

func (c *counter) copied(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.seen[strings.Clone(arena.String(a, buf[:n]))]++
		a.Reset()
	}
}

// clearing has nothing of the turn before when it looks.
func (c *counter) clearing(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		clear(c.byLen)
		c.byLen[n] = arena.String(a, buf[:n])
		c.print()
		a.Reset()
	}
}

func (c *counter) print() {
	for _, s := range c.byLen {
		println(s)
	}
}

func (c *counter) clearingAtOnce(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.seen[arena.String(a, buf[:n])]++
		if n == len(buf) {
			println(len(c.seen))
		}
		clear(c.seen)
		a.Reset()
	}
}

// clearingDirty clears what the turn before has left, if it has left something.
func (c *counter) clearingDirty(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	dirty := false
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		if dirty {
			c.names, dirty = nil, false
		}
		if n > 10 {
			c.names, dirty = append(c.names, arena.String(a, buf[:n])), true
		}
		a.Reset()
	}
}

func (c *counter) deleting(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		name := arena.String(a, buf[:n])
		c.seen[name]++
		delete(c.seen, name)
		a.Reset()
	}
}

// An interp has variables for one line.
type interp struct {
	vars  map[string]string
	stack []string
	out   []byte
}

func (p *interp) eval() {
	p.out = append(p.out, p.vars["line"]...)
	p.out = append(p.out, p.vars["first"]...)
}

func (p *interp) set(name, value string) { p.vars[name] = value }

func (p *interp) run(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		p.vars["line"] = arena.String(a, buf[:n])
		p.set("first", arena.String(a, buf[:1]))
		p.eval()
		a.Reset()
	}
}

func (p *interp) stacked(r io.Reader) {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			panic(err)
		}
		p.stack = append(p.stack[:0], arena.String(a, buf[:n]))
		for line := range bytes.SplitSeq(buf[:n], []byte{'\n'}) {
			p.stack = append(p.stack, arena.String(a, line))
		}
		p.out = append(p.out, p.stack[len(p.stack)-1]...)
		a.Reset()
	}
}

// full keeps the arena until it is full, and clears the map with it.
func (c *counter) full(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.seen[arena.String(a, buf[:n])]++
		if len(c.seen) > 1000 {
			clear(c.seen)
			a.Reset()
		}
	}
}

func (l *lines) readOwn(r io.Reader) error {
	for {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		if _, err := io.CopyN(b, r, 100); err != nil {
			return err
		}
		l.all = append(l.all, bytes.Clone(b.Bytes()))
		buffers.Put(b)
	}
}

func (c *counter) taking(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.names = append(c.names, arena.String(a, buf[:n]))
		all := c.names
		c.names = nil
		println(strings.Join(all, " "))
		a.Reset()
	}
}

func (c *counter) anew(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		a.Reset()
		c.byLen = map[int]string{}
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.byLen[n] = arena.String(a, buf[:n])
		c.print()
	}
}

// alternating clears what it has kept of an arena before it uses that again.
func (c *counter) alternating(r io.Reader) error {
	cur, prev := arena.NewArena(), arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		cur, prev = prev, cur
		c.flush()
		cur.Reset()
		c.names = append(c.names, arena.String(cur, buf[:n]))
	}
}

func (c *counter) flush() {
	println(len(c.names))
	c.names = c.names[:0]
}

func (c *counter) flushing(r io.Reader) error {
	a := arena.NewArena()
	defer a.Free()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.names = append(c.names, arena.String(a, buf[:n]))
		if len(c.names) > 10 {
			c.flush()
			a.Reset()
		}
	}
}

type event struct {
	id   int
	text []byte
}

type board struct{ open map[int]*event }

func (b *board) serve(r io.Reader) {
	for n := 0; ; n++ {
		e := events.Get().(*event)
		e.id = n
		b.open[e.id] = e
		if _, err := r.Read(e.text); err != nil {
			panic(err)
		}
		delete(b.open, e.id)
		events.Put(e)
	}
}

// some keeps some events, and gives the others back.
func (b *board) some(r io.Reader) {
	for n := 0; ; n++ {
		e := events.Get().(*event)
		if _, err := r.Read(e.text); err == nil {
			b.open[n] = e
			continue
		}
		events.Put(e)
	}
}

var events = sync.Pool{New: func() any { return new(event) }}

// deferred closes the map when the loop ends.
func (c *counter) deferred(r io.Reader) error {
	a := arena.NewArena()
	defer clear(c.seen)
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.seen[arena.String(a, buf[:n])]++
		a.Reset()
		clear(c.seen)
	}
}
