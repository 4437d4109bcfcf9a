package wrappers

import (
	"container/list"
	"container/ring"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/arena-go/arena"
)

func okText(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Errorf("bad: %v", parse(a, b))
}

func okPercent(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Errorf("100%% of %s: %q, %w", parse(a, b), arena.String(a, b), errors.ErrUnsupported)
}

func okPrinted(b []byte) {
	a := arena.NewArena()
	err := fmt.Errorf("line: %w", parseLine(a, b))
	a.Reset()
	log.Println(err, err.Error())
}

func okIs(b []byte) bool {
	a := arena.NewArena()
	err := parseLine(a, b)
	a.Reset()
	return errors.Is(err, errors.ErrUnsupported)
}

func okAs(b []byte) (name string) {
	a := arena.NewArena()
	err := fmt.Errorf("%w", parse(a, b))
	var bad *badField
	if errors.As(err, &bad) {
		name = strings.Clone(bad.name)
	}
	a.Reset()
	return name
}

func okOther(b []byte) string {
	a := arena.NewArena()
	err := fmt.Errorf("%s: %w", parse(a, b), badLine{string(b)})
	a.Reset()
	if bad, ok := errors.AsType[badLine](err); ok {
		return bad.text
	}
	return ""
}

func okAnotherType(b []byte) string {
	a := arena.NewArena()
	err := errors.Join(parse(a, b), badLine{string(b)})
	a.Reset()
	var bad badLine
	if errors.As(err, &bad) {
		return bad.text
	}
	return ""
}

func okJoined(in [][]byte) error {
	a := arena.NewArena()
	defer a.Reset()
	var all []error
	for _, b := range in {
		if err := parse(a, b); err != nil {
			all = append(all, errors.New(err.Error()))
		}
	}
	return errors.Join(all...)
}

func okClosing(b []byte, closing func() error) error {
	a := arena.NewArena()
	err := parse(a, b)
	log.Println(err)
	a.Reset()
	return errors.Join(closing(), errors.ErrUnsupported)
}

func okUnwrapped(b []byte) {
	a := arena.NewArena()
	err := fmt.Errorf("%w", parse(a, b))
	log.Println(errors.Unwrap(err).(*badField).name)
	a.Reset()
}

func okSent(out chan<- *message, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	m := &message{topic: "x"}
	m.lines = append(m.lines, strings.Clone(arena.String(a, b)))
	out <- m
}

func okAnswered(out chan<- *message, done <-chan bool, b []byte) {
	a := arena.NewArena()
	m := &message{lines: []string{arena.String(a, b)}}
	out <- m
	<-done
	a.Reset()
}

func okFilledBehind(out chan<- envelope, b []byte) int {
	a := arena.NewArena()
	m := &message{topic: "x"}
	out <- envelope{1, m}
	own := &message{lines: []string{arena.String(a, b)}}
	n := len(own.lines[0])
	a.Reset()
	return n
}

func okSums(in [][]byte) int {
	t := &totals{group: arena.NewGroup()}
	for _, b := range in {
		t.group.Go(func(a *arena.Arena) { t.add(a, b) })
	}
	t.group.Wait()
	n := t.sum()
	t.end()
	return n
}

func okOwners(in [][]byte) {
	b := bank{map[int]owner{}}
	a := arena.NewArena()
	for i, text := range in {
		acc := &account{i, owner{arena.String(a, text)}}
		acc.who.name = strings.Clone(acc.who.name)
		b.open(acc)
		a.Reset()
	}
	for _, o := range b.owners {
		log.Println(o.name)
	}
}

func okOwner(text []byte) {
	a := arena.NewArena()
	acc := &account{1, owner{arena.String(a, text)}}
	n := len(acc.owner().name)
	acc.who = owner{"nobody"}
	a.Reset()
	log.Println(acc.owner().name, n)
}

func okKeeps(b []byte) {
	d := &differ{arena: arena.NewArena()}
	d.keep(d.scan(b))
	d.prev.cells = nil
	d.arena.Reset()
	log.Println(d.prev.id, d.prev.cells)
}

func okKeepsDeep(b []byte) {
	d := &differ{arena: arena.NewArena()}
	d.keep(arena.DeepClone(d.scan(b)))
	d.arena.Reset()
	log.Println(d.prev.cells)
}

func okNumber(b []byte) int {
	d := &differ{arena: arena.NewArena()}
	d.keep(d.scan(b))
	d.arena.Reset()
	return d.prev.id
}

func deepCopyOf(r *record) *record {
	c := arena.Clone(r)
	c.cells = nil
	for _, cell := range r.cells {
		c.cells = append(c.cells, strings.Clone(cell))
	}
	return c
}

func okCopied(b []byte) *record {
	d := &differ{arena: arena.NewArena()}
	c := deepCopyOf(d.scan(b))
	d.arena.Reset()
	return c
}

// What a callee has returned before.

type labels struct {
	arena *arena.Arena
	first string
	all   map[int]string
}

func (l *labels) label(n int) string {
	if l.first == "" {
		l.first = arena.Sprintf(l.arena, "%d", n)
	}
	return l.first
}

func (l *labels) reset() {
	l.arena.Reset()
	l.first = ""
}

func okLabels() {
	l := &labels{arena: arena.NewArena()}
	log.Println(l.label(1), l.label(2))
	l.reset()
	log.Println(l.label(3))
}

func okRows(a *arena.Arena, words []string) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	for _, w := range words {
		row := l.row(w)
		row.hits++
		row.pairs++
		l.hit(w)
	}
}

func okSameRow(a *arena.Arena) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	first := l.row("first")
	l.hit("first")
	first.pairs++
}

func okSameWord(a *arena.Arena, word string) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	first := l.spot(word)
	again := l.spot(word)
	first.row.pairs += again.row.hits
}

func (l *ledger) known(word string) *tally { return l.row(strings.ToLower(word)) }

func okKnown(a *arena.Arena) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	first, second := l.known("first"), l.known("FIRST")
	first.hits += second.hits
}

func okTwoMaps(a *arena.Arena) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	other := &ledger{arena.NewMap[string, tally](a, 0)}
	first := l.row("first")
	other.row("second").hits++
	first.hits++
}

func okAgain(a *arena.Arena) {
	l := &ledger{arena.NewMap[string, tally](a, 0)}
	first := l.row("first")
	first.hits++
	l.set("second")
	first = l.row("first")
	first.hits++
}

// Functions that end an arena later.

func open(name []byte) (*record, func(), error) {
	if len(name) == 0 {
		return nil, func() {}, errors.ErrUnsupported
	}
	a := arena.NewArena()
	r := arena.Ptr(a, record{cells: arena.SliceOf(a, arena.String(a, name))})
	return r, func() { a.Reset() }, nil
}

func okOpen(name []byte) (string, error) {
	r, closing, err := open(name)
	defer closing()
	if err != nil {
		return "", err
	}
	return strings.Clone(r.cells[0]), nil
}

func opened(name []byte) (r *record, closing func()) {
	a := arena.NewArena()
	return arena.Ptr(a, record{cells: arena.SliceOf(a, arena.String(a, name))}), func() { a.Reset() }
}

func okOpened(name []byte) int {
	r, closing := opened(name)
	n := len(r.cells[0])
	closing()
	return n
}

func okListed(in [][]byte) (n int) {
	a := arena.NewArena()
	l := list.New()
	for _, b := range in {
		l.PushFront(arena.String(a, b))
	}
	for e := l.Back(); e != nil; e = e.Prev() {
		n += len(e.Value.(string))
	}
	l.Init()
	a.Reset()
	for e := l.Front(); e != nil; e = e.Next() {
		n += len(e.Value.(string))
	}
	return n
}

func okBacklog(in [][]byte) (n int) {
	d := &differ{arena: arena.NewArena()}
	var l backlog
	for _, b := range in {
		l.add(d.scan(b))
		n += len(l.next().cells)
		d.arena.Reset()
	}
	return n
}

func okRing(in [][]byte) (n int) {
	a := arena.NewArena()
	r := ring.New(8)
	for _, b := range in {
		r.Value = strings.Clone(arena.String(a, b))
		r = r.Next()
	}
	a.Reset()
	r.Do(func(v any) { n += len(v.(string)) })
	return n
}

func okTwoLists(in [][]byte) (n int) {
	a := arena.NewArena()
	texts, sizes := list.New(), list.New()
	for _, b := range in {
		texts.PushBack(arena.String(a, b))
		sizes.PushBack(len(b))
	}
	a.Reset()
	for e := sizes.Front(); e != nil; e = e.Next() {
		n += e.Value.(int)
	}
	return n
}

func okNext(r *ring.Ring, b []byte) {
	a := arena.NewArena()
	r.Value = arena.String(a, b)
	a.Reset()
	log.Println(r.Next().Value)
	r.Value = nil
}

func okAudit(w http.ResponseWriter, r *http.Request) {
	name := arena.String(arena.FromContext(r.Context()), r.URL.Path)
	audit(withName(r.Context(), name))
	go audit(context.WithoutCancel(withName(r.Context(), strings.Clone(name))))
}

func okWaits(w http.ResponseWriter, r *http.Request) {
	ctx := withName(r.Context(), arena.String(arena.FromContext(r.Context()), r.URL.Path))
	done := make(chan bool)
	go func() {
		audit(context.WithoutCancel(ctx))
		done <- true
	}()
	<-done
}

type otherKey struct{}

func okValues(ctx context.Context, b []byte) {
	a := arena.NewArena()
	m := ctx.Value(userKey{}).(*message)
	m.topic = arena.String(a, b)
	log.Println(m.topic)
	m.topic = ""
	a.Reset()
	log.Println(ctx.Value(userKey{}), ctx.Value(otherKey{}))
}

type worker struct {
	arena *arena.Arena
	rows  *arena.Slab[record]
}

func (w *worker) okRun(n int) {
	w.arena = pool.Get()
	defer pool.Put(w.arena)
	w.rows = arena.SlabOf[record](w.arena)
	w.rows.New().id = n
}

var rowsOfAll *arena.Slab[record]

func okLazy(n int) {
	if rowsOfAll == nil {
		rowsOfAll = arena.SlabOf[record](arena.NewArena())
	}
	rowsOfAll.New().id = n
}

func (w *worker) okCleared(n int) {
	a := pool.Get()
	if w.rows == nil {
		w.rows = arena.SlabOf[record](a)
	}
	w.rows.New().id = n
	w.rows = nil
	pool.Put(a)
}

type backlogSlice struct{ all []*record }

func (l *backlogSlice) add(r *record) { l.all = append(l.all, r) }

func (l *backlogSlice) rest(f func([]string)) {
	l.all = l.all[1:]
	for _, r := range l.all {
		f(r.cells)
	}
}

func okRest(b []byte) {
	d := &differ{arena: arena.NewArena()}
	var l backlogSlice
	l.add(d.scan(b))
	d.arena.Reset()
	l.rest(func(cells []string) { log.Println(cells) })
}

// What is published.

type table struct {
	arena *arena.Arena
	names atomic.Pointer[record]
}

func (t *table) okReload(b []byte) {
	t.names.Store(nil)
	t.arena.Reset()
	t.names.Store(arena.Ptr(t.arena, record{id: len(b)}))
}

type half struct{ text string }

type halves struct{ left, right half }

func (h halves) half(first bool) half {
	if first {
		return h.left
	}
	return h.right
}

func oneHalf(a *arena.Arena, s string) {
	h := halves{half{arena.String(a, s)}, half{s}}
	a.Reset()
	fmt.Println(h.half(false).text)
}

// okOneOf stores in a field of one of two structs.
func okOneOf(first bool, b []byte) {
	x, y := &table{arena: arena.NewArena()}, &table{arena: arena.NewArena()}
	t := x
	if first {
		t = y
	}
	t.names.Store(&record{id: len(b)})
	t.arena.Reset()
}
