package holders

import (
	"container/heap"
	"container/list"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"

	"example.com/corpus/lru"
)

func okParser(b []byte) string {
	p := newParser(b)
	p.parse(b)
	s := strings.Clone(p.title)
	p.Close()
	return s
}

func okDeferredClose(b []byte) int {
	p := newParser(b)
	defer p.Close()
	p.parse(b)
	return len(p.text())
}

func okClosedErr(p *parser) error {
	p.Close()
	if p.err != nil {
		return fmt.Errorf("parse: %w", p.err)
	}
	return nil
}

func (p *parser) okNext(b []byte) bool {
	old := strings.Clone(p.title)
	p.reset()
	p.parse(b)
	return old == p.title
}

func (p *parser) okReuse(b []byte) string {
	p.reset()
	p.parse(b)
	return p.title
}

func okPage(b []byte) *page {
	p := newParser(b)
	defer p.Close()
	p.parse(b)
	return arena.DeepClone(p.page)
}

// A scanner's name is not of its arena.
type scanner struct {
	a    *arena.Arena
	name string
	line string
}

func (s *scanner) open(name string) { s.name = name }
func (s *scanner) scan(b []byte)    { s.line = arena.String(s.a, b) }
func (s *scanner) Close()           { pool.Put(s.a) }

func okScanner(s *scanner) {
	s.Close()
	fmt.Println("closed", s.name)
}

// An editor's text is of its arena, or of the heap.
type editor struct {
	a    *arena.Arena
	text string
}

func (e *editor) set(b []byte)   { e.text = arena.String(e.a, b) }
func (e *editor) title(s string) { e.text = s }
func (e *editor) detach()        { e.text = strings.Clone(e.text) }
func (e *editor) Close()         { e.a.Reset() }
func okEditor(e *editor) (s string) {
	e.Close()
	return e.text
}

func okDetach(e *editor) string {
	e.detach()
	e.Close()
	return e.text
}

func okNames(b *batch) map[string]int {
	out := make(map[string]int, len(b.names))
	for k, n := range b.names {
		out[strings.Clone(k)] = n
	}
	b.arena.Reset()
	return out
}

func (d *document) okReload(b []byte) string {
	d.Reset()
	d.load(b)
	return strings.Clone(d.root.title)
}

func okCloneInts(a *arena.Arena, in []int) []int {
	out := arena.SliceOf(a, in...)
	kept := slices.Clone(out)
	a.Reset()
	return kept
}

func okAppendInts(a *arena.Arena, in []byte) []byte {
	b := arena.Bytes(a, in)
	kept := append([]byte(nil), b...)
	a.Reset()
	return kept
}

func okCopyBytes(a *arena.Arena, in []byte) []byte {
	b := arena.Bytes(a, in)
	kept := make([]byte, len(b))
	copy(kept, b)
	a.Reset()
	return kept
}

func okCloneEach(a *arena.Arena, line []byte) []string {
	words := slices.Clone(arena.SliceOf(a, strings.Fields(arena.String(a, line))...))
	for i := range words {
		words[i] = strings.Clone(words[i])
	}
	a.Reset()
	return words
}

func okCloneMap(in map[string]int, b []byte) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	m := maps.Clone(in)
	delete(m, arena.String(a, b))
	return m
}

type point struct{ x, y int }

func okStructCopy(x, y int) point {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, point{x, y})
	return *p
}

func okHeapCopy(a *arena.Arena, b []byte) *page {
	p := arena.Ptr(a, page{title: arena.String(a, b)})
	q := new(page)
	*q = *p
	q.title = strings.Clone(q.title)
	a.Reset()
	return q
}

func okConcat(a *arena.Arena, in []int) []int {
	all := slices.Concat(arena.SliceOf(a, in...), []int{1})
	a.Reset()
	return all
}

func okCache(url []byte, b []byte) *page {
	a := pool.Get()
	defer pool.Put(a)
	key := arena.String(a, url)
	if p, ok := cache.Get(key); ok {
		return p
	}
	p := &page{title: string(b)}
	cache.Add(strings.Clone(key), p)
	return p
}

func okMark(url []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	if u := arena.String(a, url); !seen.Has(u) {
		seen.Add(strings.Clone(u))
		return true
	}
	return false
}

func okSet(lines [][]byte) int {
	a := pool.Get()
	defer pool.Put(a)
	s := lru.NewSet[string]()
	for _, l := range lines {
		s.Add(arena.String(a, l))
	}
	return s.Len()
}

func okRing(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	recent.Put(string(arena.Bytes(a, b)))
	return recent.Last()
}

func okQueue(lines [][]byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	q := lru.NewQueue(func(x, y string) bool { return x < y })
	for _, l := range lines {
		q.Push(arena.String(a, l))
	}
	for q.Len() > 0 {
		n += len(q.Pop())
	}
	return n
}

func okHeap(lines [][]byte) string {
	a := pool.Get()
	defer pool.Put(a)
	h := &byLen{}
	for _, l := range lines {
		heap.Push(h, arena.String(a, l))
	}
	return strings.Clone(heap.Pop(h).(string))
}

func okStore(key []byte) (any, bool) {
	a := pool.Get()
	defer pool.Put(a)
	return store.Load(arena.String(a, key))
}

func okLocalMap(b []byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	var m sync.Map
	m.Store(arena.String(a, b), arena.New[page](a))
	m.Range(func(k, v any) bool { n += len(k.(string)); return true })
	return n
}

func okList(lines [][]byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	l := list.New()
	for _, b := range lines {
		l.PushBack(arena.String(a, b))
	}
	for e := l.Front(); e != nil; e = e.Next() {
		n += len(e.Value.(string))
	}
	return n
}

type emptied struct {
	arena *arena.Arena
	known map[string]string
	all   []string
}

func (e *emptied) okQuoted(s string) string {
	if q, ok := e.known[s]; ok {
		return q
	}
	q := arena.Concat(e.arena, "'", s, "'")
	e.known[strings.Clone(s)] = q
	e.all = append(e.all, q)
	return q
}

func (e *emptied) okReset() {
	clear(e.known)
	e.all = nil
	e.arena.Reset()
}

type ownText struct {
	arena *arena.Arena
	known map[string]string
}

func (o *ownText) okQuoted(s string) string {
	if q, ok := o.known[s]; ok {
		return q
	}
	q := strings.Clone(arena.Concat(o.arena, "'", s, "'"))
	o.known[s] = q
	o.arena.Reset()
	return q
}

func (m *memo) okClose() {
	m.arena.Reset()
}
