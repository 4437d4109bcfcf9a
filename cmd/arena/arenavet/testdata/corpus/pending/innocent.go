package pending

import (
	"bufio"
	"io"
	"strings"

	"github.com/arena-go/arena"
	"golang.org/x/sync/errgroup"
)

// once keeps the function until the bus has been cleared.
func (w *worker) once(r io.Reader) error {
	defer w.a.Reset()
	in := bufio.NewScanner(r)
	in.Scan()
	name := arena.String(w.a, in.Bytes())
	w.bus.OnFlush(func() { println(name) })
	w.bus.Clear()
	return in.Err()
}

func (w *worker) cleared(lines [][]byte) {
	for _, l := range lines {
		w.bus.Add(arena.String(w.a, l))
	}
	w.end()
	w.a.Reset()
}

func (w *worker) end() { w.bus.Clear() }

func (w *worker) cloned(lines [][]byte) {
	for n, l := range lines {
		w.pending[n] = strings.Clone(arena.String(w.a, l))
		w.a.Reset()
	}
}

// answered takes each value before the arena is Reset.
func (w *worker) answered(lines [][]byte) (size int) {
	for n, l := range lines {
		w.pending[n] = arena.String(w.a, l)
		size += len(w.take(n))
		w.a.Reset()
	}
	return size
}

func (w *worker) local(lines [][]byte) (size int) {
	for n, l := range lines {
		w.pending[n] = arena.String(w.a, l)
		size += len(w.pending[n])
		delete(w.pending, n)
		w.a.Reset()
	}
	return size
}

func (x *index) now(r io.Reader) error {
	a := x.arenas.Get()
	defer x.arenas.Put(a)
	in := bufio.NewScanner(r)
	var lines []string
	for in.Scan() {
		lines = arena.Push(a, lines, arena.String(a, in.Bytes()))
	}
	var g errgroup.Group
	g.Go(func() error { return x.count(lines) })
	if err := g.Wait(); err != nil {
		return err
	}
	return in.Err()
}
