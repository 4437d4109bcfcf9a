// Package endless has mistakes in loops that only an error ends.
package endless

import (
	"bytes"
	"io"
	"sync"

	"github.com/arena-go/arena"
)

type counter struct {
	seen   map[string]int
	byLen  map[int]string
	names  []string
	online sync.Map
}

func (c *counter) untilError(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.seen[arena.String(a, buf[:n])]++ // want `outlives: .* is stored in the keys of c.seen`
		a.Reset()
	}
}

func (c *counter) forever(r io.Reader) {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			continue
		}
		c.byLen[n] = arena.String(a, buf[:n]) // want `outlives: .* is stored in the elements of c.byLen`
		a.Reset()
	}
}

func (c *counter) untilPanic(r io.Reader) {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			panic(err)
		}
		c.names = append(c.names, arena.String(a, buf[:n])) // want `outlives: .* is stored in the elements of c.names`
		a.Reset()
	}
}

func (c *counter) stored(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		c.online.Store(arena.String(a, buf[:n]), n) // want `outlives: .* is stored in the keys of c.online`
		a.Reset()
	}
}

func (c *counter) touch(name string) { c.seen[name]++ }

func (c *counter) each(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		for line := range bytes.SplitSeq(buf[:n], []byte{'\n'}) {
			if len(line) > 0 {
				c.touch(arena.String(a, line)) // want `outlives: .* is stored in the keys of c.seen`
			}
		}
		a.Reset()
	}
}

var pool arena.Pool

func (c *counter) selecting(in, more chan []byte) {
	for {
		select {
		case b := <-in:
			a := pool.Get()
			c.touch(arena.String(a, b)) // want `outlives: .* is stored in the keys of c.seen`
			pool.Put(a)
		case b := <-more:
			c.names = append(c.names, string(b))
		}
	}
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type lines struct{ all [][]byte }

func (l *lines) read(r io.Reader) error {
	for {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		if _, err := io.CopyN(b, r, 100); err != nil {
			return err
		}
		l.all = append(l.all, b.Bytes()) // want `syncpool: .* is stored in the elements of l.all`
		buffers.Put(b)
	}
}

// A table is read by others.
type table struct {
	mu   sync.Mutex
	last map[string]string
}

func (t *table) get(key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last[key]
}

func (t *table) serve(r io.Reader) error {
	a := arena.NewArena()
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		t.mu.Lock()
		t.last["line"] = arena.String(a, buf[:n]) // want `outlives: .* is stored in the elements of t.last`
		t.mu.Unlock()
		a.Reset()
	}
}
