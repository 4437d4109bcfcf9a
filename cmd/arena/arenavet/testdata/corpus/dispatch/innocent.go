package dispatch

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/arena-go/arena"
)

func okSave(key string, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	global.Put(key, &item{strings.Clone(arena.String(a, b))})
}

func okGet(key []byte) any {
	a := pool.Get()
	defer pool.Put(a)
	return global.Get(arena.String(a, key))
}

func (s *api) okLookup(key []byte) any {
	a := pool.Get()
	defer pool.Put(a)
	return s.store.Get(arena.String(a, key))
}

func okLocal(b []byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	s := NewStore()
	s.Put("first", arena.String(a, b))
	return len(s.Get("first").(string))
}

// A filter has two implementations; one keeps nothing.
type filter interface{ pass(line string) bool }

type prefixFilter struct{ prefix string }

func (f prefixFilter) pass(line string) bool { return strings.HasPrefix(line, f.prefix) }

type seenFilter struct{ seen map[string]bool }

func (f seenFilter) pass(line string) bool {
	if f.seen[line] {
		return false
	}
	f.seen[strings.Clone(line)] = true
	return true
}

func okFilter(f filter, lines [][]byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	for _, l := range lines {
		if f.pass(arena.String(a, l)) {
			n++
		}
	}
	return n
}

// A recorder keeps what it gets, or does nothing.
type recorder interface{ record(line string) }

type nop struct{}

func (nop) record(string) {}

type keeper struct{ last string }

func (k *keeper) record(line string) { k.last = line }

func okRecorder(r recorder, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	r.record(arena.String(a, b))
}

// A copier returns a copy, or a part.
type copier interface{ get(b []byte) []byte }

type cloning struct{}

func (cloning) get(b []byte) []byte { return bytes.Clone(b) }

type sharing struct{}

func (sharing) get(b []byte) []byte { return b }

func okCopier(c copier, b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return c.get(arena.Bytes(a, b))
}

func okDecode(c codec, b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	return len(c.decode(arena.Bytes(a, b)))
}

func okOwned(o owner, b []byte) string {
	s := strings.Clone(o.text(b))
	o.end()
	return s
}

func okParse(kind string, b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	if p, ok := parsers[kind]; ok {
		return strings.Clone(p(a, b))
	}
	return ""
}

var lengths = map[string]func(s string) string{
	"len":  func(s string) string { return fmt.Sprint(len(s)) },
	"copy": strings.Clone,
}

func okLengths(kind string, b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return lengths[kind](arena.String(a, b))
}

func okRun(quote bool, s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(choose(quote)(a, s))
}

func okPipeline(w io.Writer, s string) {
	a := pool.Get()
	defer pool.Put(a)
	for _, f := range []step{trimStep, quoteStep} {
		s = f(a, s)
	}
	io.WriteString(w, s)
}

func (w *worker) okDo(b []byte) {
	a := pool.Get()
	s := w.alloc(a, b)
	fmt.Println(s)
	w.free(a)
}

func okWork(w *worker, b []byte) {
	a := pool.Get()
	w.names = append(w.names, strings.Clone(w.alloc(a, b)))
	w.free(a)
}

func okExecute(w io.Writer, name, arg string) {
	a := pool.Get()
	defer pool.Put(a)
	for _, c := range commands {
		if c.name == name {
			io.WriteString(w, c.run(a, arg))
			a.Reset()
		}
	}
}

type sizeVisitor struct{ n int }

func (v *sizeVisitor) visit(n *item) { v.n += len(n.name) }

func okWalk(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	v := &sizeVisitor{}
	walk(v, []*item{{arena.String(a, b)}})
	return v.n
}

func okEmit(b []byte, w io.Writer) {
	a := pool.Get()
	defer pool.Put(a)
	s := &memSink{}
	s.emit(arena.String(a, b))
	for _, l := range s.lines {
		io.WriteString(w, l)
	}
}
