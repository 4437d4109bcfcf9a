package endless

import (
	"bytes"
	"io"
	"strings"

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
