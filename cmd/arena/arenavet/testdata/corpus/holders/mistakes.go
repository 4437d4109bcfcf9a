// Package holders has mistakes with types that have an arena, with shallow copies, and with containers of another package.
package holders

import (
	"container/heap"
	"container/list"
	"container/ring"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"

	"example.com/corpus/lru"
)

var (
	pool   arena.Pool
	cache  = lru.New[string, *page](100)
	seen   = lru.NewSet[string]()
	recent = lru.NewRing[string](8)
	store  sync.Map
	chain  = ring.New(4)
	queue  = list.New()
)

type page struct {
	title string
	links []string
	meta  map[string]string
}

// A parser has an arena of its own until it is closed.
type parser struct {
	a     *arena.Arena
	title string
	page  *page
	toks  []string
	err   error
}

func newParser(b []byte) *parser {
	p := &parser{a: pool.Get()}
	p.title = arena.String(p.a, b)
	p.page = arena.New[page](p.a)
	return p
}

func (p *parser) parse(b []byte) {
	p.title = arena.String(p.a, b)
	p.toks = arena.SliceOf(p.a, strings.Fields(p.title)...)
	p.page = arena.Ptr(p.a, page{title: p.title})
}

func (p *parser) Close() error {
	pool.Put(p.a)
	p.a = nil
	return p.err
}

func (p *parser) reset() { p.a.Reset() }

func (p *parser) text() string { return p.title }

func closedParser(b []byte) string {
	p := newParser(b)
	p.parse(b)
	p.Close()
	return p.title // want `outlives: `
}

func deferredClose(b []byte) string {
	p := newParser(b)
	defer p.Close()
	p.parse(b)
	return p.text() // want `outlives: `
}

func closedGiven(p *parser) {
	p.Close()
	fmt.Println(p.title) // want `stale: `
}

func (p *parser) next(b []byte) bool {
	old := p.page
	p.reset()
	p.parse(b)
	return old.title == p.title // want `stale: `
}

func resetGiven(p *parser, b []byte) (n int) {
	toks := p.toks
	p.reset()
	for _, t := range toks { // want `stale: `
		n += strings.Count(t, "x")
	}
	return n
}

func pageOf(b []byte) *page {
	p := newParser(b)
	p.parse(b)
	defer p.Close()
	return p.page // want `outlives: `
}

// A batch keeps what it was given until it is flushed.
type batch struct {
	arena *arena.Arena
	rows  []string
	names map[string]int
	w     io.Writer
}

func newBatch(w io.Writer) *batch {
	return &batch{arena: arena.NewArena(), names: map[string]int{}, w: w}
}

func (b *batch) add(line []byte) {
	s := arena.String(b.arena, line)
	b.rows = append(b.rows, s)
	b.names[s]++
}

func (b *batch) flush() error {
	for _, r := range b.rows {
		if _, err := io.WriteString(b.w, r); err != nil {
			return err
		}
	}
	b.rows = b.rows[:0]
	b.arena.Reset()
	return nil
}

func (b *batch) stop() { b.arena.Free() }

func flushed(b *batch, lines [][]byte) (map[string]int, error) {
	for _, l := range lines {
		b.add(l)
	}
	b.arena.Reset()
	return maps.Clone(b.names), nil // want `outlives: `
}

func lastRow(w io.Writer, line []byte) string {
	b := newBatch(w)
	b.add(line)
	rows := slices.Clone(b.rows)
	b.arena.Reset()
	return rows[0] // want `outlives: .* is returned after Reset`
}

type document struct {
	arena.Arena
	root *page
}

func (d *document) load(b []byte) {
	d.root = arena.Ptr(&d.Arena, page{title: arena.String(&d.Arena, b)})
}

func (d *document) Close() { d.Free() }

func (d *document) reload(b []byte) string {
	d.load(b)
	old := d.root
	d.Reset()
	d.load(b)
	return old.title // want `stale: `
}

func cloneList(a *arena.Arena, lines [][]byte) []string {
	out := arena.MakeSlice[string](a, 0, len(lines))
	for _, l := range lines {
		out = arena.Push(a, out, arena.String(a, l))
	}
	all := slices.Clone(out)
	a.Reset()
	return all // want `outlives: `
}

func appendCopy(a *arena.Arena, line []byte) []string {
	words := arena.SliceOf(a, strings.Fields(arena.String(a, line))...)
	kept := append([]string(nil), words...)
	a.Reset()
	return kept // want `outlives: `
}

func copied(a *arena.Arena, line []byte) []string {
	words := strings.Fields(arena.String(a, line))
	kept := make([]string, len(words))
	copy(kept, words)
	a.Reset()
	return kept // want `outlives: `
}

func cloneMap(line []byte) map[string]string {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]string{}
	k, v, _ := strings.Cut(arena.String(a, line), "=")
	m[k] = v
	return maps.Clone(m) // want `outlives: `
}

func copyMap(dst map[string]string, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]string{"line": arena.String(a, line)}
	maps.Copy(dst, m) // want `outlives: `
}

func structCopy(b []byte) page {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.New[page](a)
	p.title = arena.String(a, b)
	p.links = arena.SliceOf(a, "x")
	return *p // want `outlives: `
}

func heapCopy(a *arena.Arena, b []byte) *page {
	p := arena.Ptr(a, page{title: arena.String(a, b)})
	q := new(page)
	*q = *p
	a.Reset()
	return q // want `outlives: `
}

func concatCopy(a *arena.Arena, b []byte) []string {
	x, y := arena.SliceOf(a, arena.String(a, b)), []string{"end"}
	all := slices.Concat(x, y)
	a.Reset()
	return all // want `outlives: `
}

func insertCopy(a *arena.Arena, b []byte) []string {
	all := slices.Insert([]string{"begin", "end"}, 1, arena.String(a, b))
	a.Reset()
	return all // want `outlives: `
}

func shallow(a *arena.Arena, b []byte) *page {
	p := arena.Ptr(a, page{title: arena.String(a, b)})
	q := arena.Clone(p)
	a.Reset()
	return q // want `outlives: `
}

func cachePage(url string, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.Ptr(a, page{title: arena.String(a, b)})
	cache.Add(url, p) // want `outlives: `
}

func cacheKey(url []byte) *page {
	a := pool.Get()
	defer pool.Put(a)
	key := arena.String(a, url)
	if p, ok := cache.Get(key); ok {
		return p
	}
	p := &page{}
	cache.Add(key, p) // want `outlives: `
	return p
}

func mark(url []byte) {
	a := pool.Get()
	defer pool.Put(a)
	seen.Add(arena.String(a, url)) // want `outlives: `
}

func setOf(lines [][]byte) *lru.Set[string] {
	a := pool.Get()
	defer pool.Put(a)
	s := lru.NewSet[string]()
	for _, l := range lines {
		s.Add(arena.String(a, l))
	}
	return s // want `outlives: `
}

func ringed(b []byte) {
	a := pool.Get()
	recent.Put(arena.String(a, b)) // want `outlives: `
	pool.Put(a)
}

func ringLast(a *arena.Arena, b []byte) string {
	r := lru.NewRing[string](2)
	r.Put(arena.String(a, b))
	a.Reset()
	return r.Last() // want `outlives: `
}

func queued(lines [][]byte) string {
	a := pool.Get()
	defer pool.Put(a)
	q := lru.NewQueue(func(x, y string) bool { return x < y })
	for _, l := range lines {
		q.Push(arena.String(a, l))
	}
	return q.Pop() // a mistake that is not found
}

type byLen []string

func (h byLen) Len() int           { return len(h) }
func (h byLen) Less(i, j int) bool { return len(h[i]) < len(h[j]) }
func (h byLen) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byLen) Push(x any)        { *h = append(*h, x.(string)) }
func (h *byLen) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func shortest(lines [][]byte) string {
	a := pool.Get()
	defer pool.Put(a)
	h := &byLen{}
	for _, l := range lines {
		heap.Push(h, arena.String(a, l))
	}
	return heap.Pop(h).(string) // want `outlives: `
}

func stored(key string, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	store.LoadOrStore(key, arena.Ptr(a, page{title: arena.String(a, b)})) // want `outlives: `
}

func chained(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	chain.Value = arena.String(a, b) // want `outlives: `
	chain = chain.Next()
}

func front(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	e := queue.PushFront(string(b))
	queue.InsertAfter(arena.String(a, b), e) // want `outlives: `
}

// Maps that remember what was made before a Reset.

type memo struct {
	arena *arena.Arena
	known map[string]string
	order []string
}

func (m *memo) quoted(s string) string {
	if q, ok := m.known[s]; ok {
		return q
	}
	q := arena.Concat(m.arena, "'", s, "'")
	m.known[strings.Clone(s)] = q
	return q
}

func (m *memo) print(w io.Writer, pages [][]string) {
	for _, p := range pages {
		for _, s := range p {
			io.WriteString(w, m.quoted(s))
		}
		m.arena.Reset() // want `stale: m.known still has what it had before Reset`
	}
}

// startOver makes the same mistake, which is reported once.
func startOver(m *memo) {
	m.arena.Reset()
	m.quoted("")
}

// The keys of the map stay when the arena of the batch ends.
func keysStay(w io.Writer, lines [][]byte) error {
	b := newBatch(w)
	defer b.stop()
	for i, l := range lines {
		b.add(l) // want `stale: .* is a key of a map that is used after batch.flush`
		if i%100 == 99 {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	return b.flush()
}
