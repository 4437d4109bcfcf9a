// Package pending keeps values in containers of others beside an arena.
package pending

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"weak"

	"github.com/arena-go/arena"
	"golang.org/x/sync/errgroup"

	"example.com/corpus/pending/bus"
)

type worker struct {
	a       *arena.Arena
	bus     *bus.Bus
	pending map[int]string
	total   int
}

func (w *worker) handle(r io.Reader) error {
	defer w.a.Reset()
	in := bufio.NewScanner(r)
	if !in.Scan() {
		return io.ErrUnexpectedEOF
	}
	name := arena.String(w.a, in.Bytes())
	w.bus.OnFlush(func() { println(name) }) // want `outlives: `
	w.total += len(arena.String(w.a, in.Bytes()))
	return in.Err()
}

func (w *worker) remember(lines [][]byte) {
	for n, l := range lines {
		key, value, _ := strings.Cut(arena.String(w.a, l), ",")
		w.bus.Add(key) // want `outlives: `
		w.total += len(value) + n
	}
	w.a.Reset()
}

func (w *worker) run(lines [][]byte) {
	for n, l := range lines {
		w.pending[n] = arena.String(w.a, l) // want `outlives: `
		w.a.Reset()
	}
}

func (w *worker) take(n int) string {
	s := w.pending[n]
	delete(w.pending, n)
	return s
}

type node struct{ children []*node }

type forest struct {
	a     *arena.Arena
	trees map[string]weak.Pointer[node]
}

func (w *forest) depth(path string) (n int) {
	root := w.trees[path].Value()
	if root == nil {
		root = arena.Ptr(w.a, node{})
		w.trees[path] = weak.Make(root)
	}
	for cur := root; len(cur.children) > 0; cur = cur.children[0] {
		n++
	}
	w.a.Reset() // want `stale: `
	return n
}

type index struct {
	group  *errgroup.Group
	arenas *arena.Pool
	mu     sync.Mutex
	n      int
}

func (x *index) count(lines []string) error {
	for _, l := range lines {
		x.mu.Lock()
		x.n += len(strings.Fields(l))
		x.mu.Unlock()
	}
	return nil
}

func (x *index) add(r io.Reader) error {
	a := x.arenas.Get()
	defer x.arenas.Put(a)
	in := bufio.NewScanner(r)
	var lines []string
	for in.Scan() {
		lines = arena.Push(a, lines, arena.String(a, in.Bytes()))
	}
	x.group.Go(func() error { return x.count(lines) }) // want `outlives: `
	return in.Err()
}
