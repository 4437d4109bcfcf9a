// Package wrappers has mistakes with values of an arena that others wrap: errors, messages, contexts, copies, and containers.
package wrappers

import (
	"container/list"
	"container/ring"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"slices"
	"sync"

	"github.com/arena-go/arena"
)

var (
	pool    arena.Pool
	lastErr error
)

type badField struct {
	name  string
	cause error
}

func (e *badField) Error() string { return "bad field" }
func (e *badField) Unwrap() error { return e.cause }

type badLine struct{ text string }

func (e badLine) Error() string { return "bad line" }

func parse(a *arena.Arena, b []byte) error {
	return &badField{name: arena.String(a, b)}
}

func parseLine(a *arena.Arena, b []byte) error {
	return fmt.Errorf("line %d: %w", len(b), badLine{arena.String(a, b)})
}

func wraps(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Errorf("%s: %w", "read", parse(a, b)) // want `outlives: `
}

func wrapsTwice(b []byte) error {
	a := arena.NewArena()
	defer a.Reset()
	err := fmt.Errorf("inner: %w", parse(a, b))
	return fmt.Errorf("outer: %w", err) // want `outlives: `
}

func wrapsByValue(b []byte) error {
	a := arena.NewArena()
	err := parseLine(a, b)
	a.Reset()
	return err // want `outlives: `
}

func keepsWrapped(b []byte) {
	a := pool.Get()
	lastErr = fmt.Errorf("%w", parse(a, b)) // want `outlives: `
	pool.Put(a)
}

func joins(in [][]byte) error {
	a := arena.NewArena()
	var all error
	for _, b := range in {
		all = errors.Join(all, parse(a, b))
	}
	a.Reset()
	return all // want `outlives: `
}

func joinsSome(in [][]byte) error {
	var all []error
	for _, b := range in {
		a := pool.Get()
		all = append(all, parse(a, b))
		pool.Put(a)
	}
	return errors.Join(all...) // want `outlives: `
}

func looksInside(b []byte) {
	a := arena.NewArena()
	err := fmt.Errorf("%w", parse(a, b))
	a.Reset()
	var bad *badField
	if errors.As(err, &bad) {
		log.Println(bad.name) // want `stale: `
	}
}

func looksForType(b []byte) string {
	a := arena.NewArena()
	err := parseLine(a, b)
	a.Reset()
	if bad, ok := errors.AsType[badLine](err); ok {
		return bad.text // want `outlives: `
	}
	return ""
}

func looksInField(b []byte) {
	a := arena.NewArena()
	err := error(&badField{"x", parse(a, b)})
	a.Reset()
	var bad *badField
	if errors.As(err.(*badField).cause, &bad) {
		log.Println(bad.name) // want `stale: `
	}
}

func unwraps(b []byte) {
	a := arena.NewArena()
	err := fmt.Errorf("%w", parse(a, b))
	a.Reset()
	log.Println(errors.Unwrap(err).(*badField).name) // want `stale: `
}

// Messages.

type message struct {
	topic string
	lines []string
}

type envelope struct {
	to   int
	body *message
}

func sendsLines(out chan<- *message, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	m := &message{topic: "x"}
	m.lines = append(m.lines, arena.String(a, b))
	out <- m // want `outlives: `
}

func sendsValue(out chan<- message, b []byte) {
	a := arena.NewArena()
	out <- message{lines: []string{"first", arena.String(a, b)}} // want `outlives: `
	a.Reset()
}

func sendsEnvelope(out chan<- envelope, in [][]byte) {
	a := pool.Get()
	m := new(message)
	for _, b := range in {
		m.lines = append(m.lines, arena.String(a, b))
	}
	out <- envelope{len(in), m} // want `outlives: `
	pool.Put(a)
}

func sendsMap(out chan<- map[string]*message, b []byte) {
	a := arena.NewArena()
	out <- map[string]*message{"x": {topic: arena.String(a, b)}} // want `outlives: `
	a.Reset()
}

type total struct{ names *arena.Map[string, int] }

type totals struct {
	group *arena.Group
	mu    sync.Mutex
	all   []total
}

func (t *totals) add(a *arena.Arena, b []byte) {
	one := total{names: arena.NewMap[string, int](a, 4)}
	one.names.Set(arena.String(a, b), 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, one)
}

func (t *totals) end() {
	t.group.Wait()
	t.group.Reset()
}

func (t *totals) sum() (n int) {
	for _, one := range t.all {
		for _, k := range one.names.All() {
			n += k
		}
	}
	return n
}

func sums(in [][]byte) int {
	t := &totals{group: arena.NewGroup()}
	for _, b := range in {
		t.group.Go(func(a *arena.Arena) { t.add(a, b) })
	}
	t.end()
	return t.sum() // want `(stale|container): `
}

// Structs that a method returns.

type owner struct{ name string }

type account struct {
	id  int
	who owner
}

func (a *account) owner() owner { return a.who }

type bank struct{ owners map[int]owner }

func (b *bank) open(acc *account) { b.owners[acc.id] = acc.owner() }

func opensAll(in [][]byte) {
	b := bank{map[int]owner{}}
	a := arena.NewArena()
	for i, text := range in {
		b.open(&account{i, owner{arena.String(a, text)}})
		a.Reset()
	}
	for _, o := range b.owners {
		log.Println(o.name) // want `stale: `
	}
}

func firstOwner(text []byte) {
	a := arena.NewArena()
	o := (&account{1, owner{arena.String(a, text)}}).owner()
	a.Reset()
	log.Println(o.name) // want `stale: `
}

// Copies that a callee makes.

type record struct {
	id    int
	cells []string
}

type differ struct {
	arena *arena.Arena
	prev  *record
}

func (d *differ) scan(b []byte) *record {
	return arena.Ptr(d.arena, record{len(b), arena.SliceOf(d.arena, arena.String(d.arena, b))})
}

func (d *differ) keep(r *record) { d.prev = arena.Clone(r) }

func (d *differ) same(r *record) bool {
	return d.prev != nil && d.prev.cells[0] == r.cells[0]
}

func keepsCopy(b []byte) {
	d := &differ{arena: arena.NewArena()}
	d.keep(d.scan(b))
	d.arena.Reset()
	log.Println(d.prev.cells) // want `stale: `
}

func comparesCopy(in [][]byte) (n int) {
	d := &differ{arena: arena.NewArena()}
	for _, b := range in {
		r := d.scan(b)
		if d.same(r) { // a mistake that is found with -maybe
			n++
		}
		d.keep(r)
		d.arena.Reset()
	}
	return n
}

func cellsOf(r *record) []string { return slices.Clone(r.cells) }

func copiesCells(b []byte) []string {
	d := &differ{arena: arena.NewArena()}
	cells := cellsOf(d.scan(b))
	d.arena.Reset()
	return cells // want `outlives: `
}

func copyOf(r *record) *record {
	c := *r
	return &c
}

func copiesRecord(b []byte) *record {
	d := &differ{arena: arena.NewArena()}
	c := copyOf(d.scan(b))
	d.arena.Reset()
	return c // want `outlives: `
}

func labelsAgain() {
	l := &labels{arena: arena.NewArena()}
	log.Println(l.label(1))
	l.arena.Reset()
	log.Println(l.label(2)) // a mistake that is found with -maybe
}

// Pointers into a Map.

type tally struct{ hits, pairs int }

type ledger struct {
	rows *arena.Map[string, tally]
}

type spot struct {
	word string
	row  *tally
}

func (l *ledger) row(word string) *tally { return l.rows.Entry(word) }

func (l *ledger) spot(word string) spot { return spot{word, l.row(word)} }

func (l *ledger) hit(word string) { l.row(word).hits++ }

func (l *ledger) set(word string) { l.rows.Set(word, tally{}) }

func twoRows(a *arena.Arena) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	first := l.row("first")
	l.row("second").hits++
	first.hits++ // want `container: `
}

func rowBeforeSet(a *arena.Arena, word string) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	first := l.spot("first")
	l.set(word)
	first.row.hits++ // want `container: `
}

func rowBehindHits(a *arena.Arena, words []string) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	var prev spot
	for _, w := range words {
		l.hit(w)
		if prev.row != nil {
			prev.row.pairs++ // a mistake that is found with -maybe
		}
		prev = l.spot(w)
	}
}

func rowOf(m *arena.Map[string, tally], word string) *tally { return m.Entry(word) }

func directRow(a *arena.Arena) {
	m := arena.NewMap[string, tally](a, 0)
	first := rowOf(m, "first")
	m.Set("second", tally{})
	first.hits++ // want `container: `
}

func closedEarly(name []byte) {
	r, closing := opened(name)
	closing()
	log.Println(r.cells) // want `stale: `
}

func closedBehind(name []byte) *record {
	r, closing := opened(name)
	defer closing()
	return r // want `outlives: `
}

// Lists and rings.

func listed(in [][]byte) {
	a := arena.NewArena()
	l := list.New()
	for _, b := range in {
		l.PushFront(arena.String(a, b))
	}
	a.Reset()
	for e := l.Back(); e != nil; e = e.Prev() {
		log.Println(e.Value.(string)) // want `stale: `
	}
}

type backlog struct{ waiting list.List }

func (l *backlog) add(r *record) { l.waiting.PushBack(r) }

func (l *backlog) next() *record { return l.waiting.Remove(l.waiting.Front()).(*record) }

func addsToBacklog(b []byte) {
	d := &differ{arena: arena.NewArena()}
	var l backlog
	l.add(d.scan(b))
	d.arena.Reset()
	log.Println(l.next().cells) // want `stale: `
}

func inRing(in [][]byte) {
	a := pool.Get()
	r := ring.New(8)
	for _, b := range in {
		r.Value = arena.String(a, b)
		r = r.Next()
	}
	pool.Put(a)
	log.Println(r.Prev().Value.(string)) // want `stale: `
}

func doesRing(in [][]byte) (n int) {
	a := arena.NewArena()
	r := ring.New(8)
	for _, b := range in {
		r = r.Next()
		r.Value = arena.Ptr(a, record{id: len(b)})
	}
	a.Reset()
	r.Do(func(v any) { n += v.(*record).id }) // want `stale: `
	return n
}

// Contexts.

type userKey struct{}

func withName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, userKey{}, name)
}

func audit(ctx context.Context) { log.Println(ctx.Value(userKey{})) }

func auditsLater(w http.ResponseWriter, r *http.Request) {
	name := arena.String(arena.FromContext(r.Context()), r.URL.Path)
	ctx := context.WithValue(r.Context(), userKey{}, name)
	go audit(context.WithoutCancel(ctx)) // want `outlives: `
}

func auditsNamed(w http.ResponseWriter, r *http.Request) {
	name := arena.String(arena.FromContext(r.Context()), r.URL.Path)
	go audit(withName(r.Context(), name)) // want `outlives: `
}

func auditsBoth(w http.ResponseWriter, r *http.Request) {
	name := arena.String(arena.FromContext(r.Context()), r.URL.Path)
	ctx, cancel := context.WithCancel(withName(r.Context(), name))
	defer cancel()
	go audit(context.WithValue(ctx, "n", 1)) // want `outlives: `
}

func notes(w http.ResponseWriter, r *http.Request) {
	m := r.Context().Value(userKey{}).(*message)
	m.topic = arena.String(arena.FromContext(r.Context()), r.URL.Path) // a mistake that is found with -maybe
}

func rewritesPath(w http.ResponseWriter, r *http.Request) {
	r.URL.Path = arena.Concat(arena.FromContext(r.Context()), r.URL.Path, "/") // want `outlives: `
}

// Arenas that are kept.

type builder struct{ rows *arena.Slab[record] }

var shared builder

func lazyRows(n int) {
	a := pool.Get()
	defer pool.Put(a)
	if shared.rows == nil {
		shared.rows = arena.SlabOf[record](a) // want `outlives: `
	}
	shared.rows.New().id = n
}

type lazy struct{ rows *arena.Slab[record] }

func (b *lazy) lazyRow(n int) {
	a := pool.Get()
	if b.rows == nil {
		b.rows = arena.SlabOf[record](a) // want `outlives: `
	}
	b.rows.New().id = n
	pool.Put(a)
}

func (t *table) reload(b []byte) {
	t.arena.Reset() // a mistake that is found with -maybe
	t.names.Store(arena.Ptr(t.arena, record{id: len(b)}))
}
