// Package innocent has ends of arenas after which nothing is left.
package innocent

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena"
)

type node struct {
	name string
	next *node
	list []*node
}

var (
	global string
	count  int
	sums   = map[string]int{}
	pool   arena.Pool
)

func numbers(b []byte) int {
	a := arena.NewArena()
	s := arena.String(a, b)
	n := len(s)
	a.Reset()
	return n
}

func deferred(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	return len(arena.String(a, b))
}

func cloned(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(arena.String(a, b))
}

func clonedByArena(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return arena.Clone(arena.String(a, b))
}

func deepCloned(b []byte) *node {
	a := pool.Get()
	defer pool.Put(a)
	return arena.DeepClone(arena.Ptr(a, node{name: arena.String(a, b)}))
}

func globalCopy(b []byte) {
	a := arena.NewArena()
	global = strings.Clone(arena.String(a, b))
	a.Free()
}

func bytesCopied(b []byte) []byte {
	a := arena.NewArena()
	defer a.Free()
	return []byte(arena.String(a, b))
}

func turns(all [][]byte) (n int) {
	a := arena.NewArena()
	defer a.Free()
	for _, b := range all {
		s := arena.String(a, b)
		n += len(s)
		a.Reset()
	}
	return n
}

func turnsOfLists(all [][]byte) (n int) {
	a := arena.NewArena()
	for _, b := range all {
		var list []*node
		for range b {
			list = arena.Push(a, list, arena.New[node](a))
		}
		n += len(list)
		a.Reset()
	}
	return n
}

func resetFirst(all [][]byte) (n int) {
	a := arena.NewArena()
	for _, b := range all {
		a.Reset()
		n += len(arena.String(a, b))
	}
	return n
}

func madeLater(b []byte) string {
	a := arena.NewArena()
	arena.New[node](a)
	a.Reset()
	return arena.String(a, b)
}

func parsed(b []byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	return strconv.Atoi(arena.String(a, b)) // its error has a copy
}

func formatted(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Sprintf("%s!", arena.String(a, b))
}

func errorOfText(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Errorf("bad: %s", arena.String(a, b))
}

func errorOfCopy(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return errors.New("bad: " + arena.String(a, b))
}

func build(a *arena.Arena, n int) *node {
	var list *node
	for range n {
		m := arena.New[node](a)
		m.next = list
		list = m
	}
	return list
}

func length(n *node) (l int) {
	for ; n != nil; n = n.next {
		l++
	}
	return l
}

func list(n int) int {
	a := arena.NewArena()
	l := length(build(a, n))
	a.Free()
	return l
}

type parser struct {
	a    *arena.Arena
	rest string
	top  *node
}

func (p *parser) parse() int {
	p.top = arena.Ptr(p.a, node{name: p.rest})
	for i := range p.rest {
		p.top.list = arena.Push(p.a, p.top.list, arena.Ptr(p.a, node{name: p.rest[i:]}))
	}
	return len(p.top.list)
}

func withParser(b []byte) int {
	a := arena.NewArena()
	defer a.Free()
	p := &parser{a: a, rest: arena.String(a, b)}
	return p.parse()
}

func sorted(b []byte) int {
	a := arena.NewArena()
	defer a.Free()
	list := arena.SliceOf(a, &node{name: "x"}, arena.New[node](a))
	slices.SortFunc(list, func(x, y *node) int { return strings.Compare(x.name, y.name) })
	return len(list)
}

func withDo(b []byte) (n int) {
	arena.Do(func(a *arena.Arena) { n = len(arena.String(a, b)) })
	return n
}

func withPoolDo(b []byte) {
	pool.Do(func(a *arena.Arena) {
		for _, s := range strings.Fields(arena.String(a, b)) {
			count += len(s)
		}
	})
}

func handler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	w.Write(arena.Bytes(a, r.URL.Path))
}

func helper(r *http.Request) *node {
	return arena.Ptr(arena.FromContext(r.Context()), node{name: r.URL.Path})
}

func handlerOfHelper(w http.ResponseWriter, r *http.Request) {
	n := helper(r)
	fmt.Fprintf(w, "%s", n.name)
}

func group(parts [][]byte) int {
	g := arena.NewGroup()
	n := 0
	for _, p := range parts {
		n += len(arena.String(g.Arena(), p))
	}
	g.Reset()
	return n
}

func groupWaits() {
	g := arena.NewGroup()
	g.Go(func(a *arena.Arena) { arena.New[node](a) })
	g.Wait()
	g.Reset()
}

func words(b []byte) (n int) {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	for _, w := range strings.Fields(arena.String(a, b)) {
		*m.Entry(w)++
	}
	for _, v := range m.All() {
		n += v
	}
	a.Free()
	return n
}

func copiedKeys(b []byte) {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	m.Set(arena.String(a, b), 1)
	for k, v := range m.All() {
		sums[strings.Clone(k)] += v
	}
	a.Free()
}

func numbersOf(b []byte) []int {
	a := arena.NewArena()
	defer a.Free()
	var all []int
	for _, w := range strings.Fields(arena.String(a, b)) {
		all = append(all, len(w))
	}
	return all
}

func buffered(b []byte) string {
	a := arena.NewArena()
	defer a.Free()
	var buf bytes.Buffer
	buf.WriteString(arena.String(a, b))
	return buf.String()
}

func builder(b []byte) string {
	a := arena.NewArena()
	defer a.Free()
	var buf strings.Builder
	buf.WriteString(arena.String(a, b))
	return buf.String()
}

func end(a *arena.Arena) { a.Free() }

func endedByHelper(b []byte) int {
	a := arena.NewArena()
	n := len(arena.String(a, b))
	end(a)
	return n
}

func nextOne(all [][]byte) (n int) {
	for _, b := range all {
		a := pool.Get()
		n += len(arena.String(a, b))
		pool.Put(a)
	}
	return n
}

func inOneGoroutine(all chan []byte) {
	go func() {
		a := arena.NewArena()
		for b := range all {
			count += len(arena.String(a, b))
			a.Reset()
		}
		a.Free()
	}()
}

func structOfHeap(b []byte) *node {
	a := arena.NewArena()
	defer a.Free()
	return &node{name: strings.Clone(arena.String(a, b))}
}

// rows rewinds for each row, and nothing of a row is used after it.
func rows(all [][]byte) (n int) {
	a := arena.NewArena()
	for _, b := range all {
		m := a.Mark()
		s := arena.String(a, b)
		n += len(s)
		a.Rewind(m)
	}
	return n
}

// older is made before the Mark, and used after the Rewind.
func older(all [][]byte) int {
	a := arena.NewArena()
	defer a.Free()
	sum := arena.New[node](a)
	for _, b := range all {
		m := a.Mark()
		count += len(arena.String(a, b))
		a.Rewind(m)
	}
	return len(sum.name)
}

// olderInTurn is made in each turn before the Mark, and used after the Rewind.
func olderInTurn(all [][]byte) (n int) {
	a := arena.NewArena()
	for _, b := range all {
		x := arena.New[node](a)
		m := a.Mark()
		n += len(arena.String(a, b))
		a.Rewind(m)
		n += len(x.name)
	}
	return n
}

// olderDeferred is used by a literal that runs when the scope has ended.
func olderDeferred(a *arena.Arena, b []byte) (n int) {
	x := arena.New[node](a)
	defer func() { n += len(x.name) }()
	defer a.Rewind(a.Mark())
	return len(arena.String(a, b))
}

func deferredInScope(b []byte) int { return olderDeferred(arena.NewArena(), b) }

// nested has a scope in a scope.
func nested(b []byte) (n int) {
	a := arena.NewArena()
	outer := a.Mark()
	x := arena.New[node](a)
	inner := a.Mark()
	n += len(arena.String(a, b))
	a.Rewind(inner)
	n += len(x.name)
	a.Rewind(outer)
	return n
}

// undo is given a Mark.
func undo(a *arena.Arena, m arena.Mark) { a.Rewind(m) }

func undone(b []byte) int {
	a := arena.NewArena()
	m := a.Mark()
	n := len(arena.String(a, b))
	undo(a, m)
	return n
}

// A scope ends by its method.
type scope struct {
	a *arena.Arena
	m arena.Mark
}

func (s *scope) end() {
	s.a.Rewind(s.m)
}

func within(b []byte) int {
	a := arena.NewArena()
	s := scope{a, a.Mark()}
	defer s.end()
	return len(arena.String(a, b))
}

// counts returns a handler with a map for each call.
func counts() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, seen := arena.FromContext(r.Context()), map[string]int{}
		seen[arena.String(a, r.Method)]++
	})
}

// twice has a literal, which returns what only the handler uses.
func twice(w http.ResponseWriter, r *http.Request) {
	text := func(s string) string { return arena.String(arena.FromContext(r.Context()), s) }
	w.Header().Set("Length", strconv.Itoa(len(text(r.Method))+len(text(r.URL.Path))))
}
