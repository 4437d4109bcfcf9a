// Package leaks has ends of arenas after which something is left. The comment in the line of an end has a part of the reason.
package leaks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/arena-go/arena"
)

type node struct {
	name string
	next *node
	list []*node
}

var (
	global  string
	globals []*node
	cache   = map[string]int{}
	byID    = map[int]*node{}
	pool    arena.Pool
	queue   = make(chan *node, 1)
	hook    func() string
	anyone  any
	shared  sync.Map
	keeper  interface{ Keep(*node) }
)

func toGlobal(b []byte) {
	a := arena.NewArena()
	global = arena.String(a, b)
	a.Reset() // want "stored in something older"
}

func toGlobalList() {
	a := arena.NewArena()
	globals = append(globals, arena.New[node](a))
	a.Free() // want "stored in something older"
}

func toKey(b []byte) {
	a := pool.Get()
	cache[arena.String(a, b)]++
	pool.Put(a) // want "stored in something older"
}

func toElement(b []byte) {
	a := pool.Get()
	defer pool.Put(a) // want "stored in something older"
	byID[1] = arena.New[node](a)
}

func toField(n *node, b []byte) {
	a := arena.NewArena()
	n.name = arena.String(a, b)
	a.Reset() // want "stored in something older"
}

func throughOther(b []byte) {
	a := arena.NewArena()
	n := &node{name: arena.String(a, b)}
	globals = append(globals, n)
	a.Reset() // want "stored in something older"
}

func otherFirst(b []byte) {
	a := arena.NewArena()
	n := &node{}
	globals = append(globals, n)
	n.name = arena.String(a, b)
	a.Reset() // want "stored in something older"
}

func toChannel() {
	a := arena.NewArena()
	queue <- arena.New[node](a)
	a.Reset() // want "stored in something older"
}

func selectSend(c chan *node) {
	a := arena.NewArena()
	select {
	case c <- arena.New[node](a):
	default:
	}
	a.Reset() // want "stored in something older"
}

func toGoroutine() {
	a := arena.NewArena()
	n := arena.New[node](a)
	go func() { fmt.Println(n.name) }()
	a.Reset() // want "goroutine"
}

func toGoroutineArg() {
	a := arena.NewArena()
	go keep(arena.New[node](a))
	a.Reset() // want "goroutine"
}

func arenaToGoroutine() {
	a := arena.NewArena()
	go func() { global = arena.String(a, "x") }()
	a.Reset() // want "goroutine"
}

func keep(n *node) { globals = append(globals, n) }

func byCallee() {
	a := arena.NewArena()
	keep(arena.New[node](a))
	a.Reset() // want "stored in something older"
}

func returned(b []byte) string {
	a := arena.NewArena()
	s := arena.String(a, b)
	a.Reset() // want "used later"
	return s
}

func returnedDeferred(b []byte) *node {
	a := pool.Get()
	defer pool.Put(a) // want "used later"
	return &node{name: arena.String(a, b)}
}

func namedResult(b []byte) (s string, err error) {
	a := pool.Get()
	defer func() { pool.Put(a) }() // want "used later"
	s = arena.String(a, b)
	return s, nil
}

func usedLater(b []byte) int {
	a := arena.NewArena()
	s := arena.String(a, b)
	a.Reset() // want "used later"
	return len(s)
}

func nextTurn(all [][]byte) (n int) {
	a := arena.NewArena()
	last := ""
	for _, b := range all {
		if last != "" {
			n += len(last)
		}
		last = arena.String(a, b)
		a.Reset() // want "used later"
	}
	return n
}

func listAcrossTurns(all [][]byte) {
	a := arena.NewArena()
	var list []string
	for _, b := range all {
		list = append(list, arena.String(a, b))
		a.Reset() // want "used later"
	}
	fmt.Println(list)
}

func shallowClone(b []byte) []*node {
	a := arena.NewArena()
	list := arena.SliceOf(a, arena.New[node](a))
	list = slices.Clone(list)
	a.Reset() // want "used later"
	return list
}

func shallowStruct(b []byte) node {
	a := arena.NewArena()
	n := arena.Ptr(a, node{name: arena.String(a, b)})
	m := *n
	a.Reset() // want "used later"
	return m
}

func part(b []byte) string {
	a := arena.NewArena()
	s := strings.TrimSpace(arena.String(a, b))
	a.Reset() // want "used later"
	return s
}

func split(b []byte) []string {
	a := arena.NewArena()
	defer a.Free() // want "used later"
	return strings.Split(arena.String(a, b), ",")
}

func wrapped(b []byte) error {
	a := arena.NewArena()
	defer a.Free() // want "used later"
	return errors.New(arena.String(a, b))
}

type notFound struct{ name string }

func (e *notFound) Error() string { return e.name + " is not there" }

func wrappedTwice(b []byte) error {
	a := arena.NewArena()
	defer a.Free() // want "used later"
	return fmt.Errorf("reading: %w", &notFound{arena.String(a, b)})
}

func panics(b []byte) {
	a := arena.NewArena()
	defer a.Free() // want "panic"
	panic(arena.String(a, b))
}

func closure(b []byte) func() string {
	a := arena.NewArena()
	s := arena.String(a, b)
	a.Reset() // want "used later"
	return func() string { return s }
}

func closureKept(b []byte) {
	a := arena.NewArena()
	s := arena.String(a, b)
	hook = func() string { return s }
	a.Reset() // want "stored in something older"
}

func methodValue() func() string {
	a := arena.NewArena()
	n := arena.New[node](a)
	a.Reset() // want "used later"
	return n.text
}

func (n *node) text() string { return n.name }

func inInterface(b []byte) {
	a := arena.NewArena()
	anyone = arena.String(a, b)
	a.Reset() // want "stored in something older"
}

func unknownMethod() {
	a := arena.NewArena()
	keeper.Keep(arena.New[node](a))
	a.Reset() // want "Keep, which is not known here"
}

func unknownFunc(f func(*node)) {
	a := arena.NewArena()
	f(arena.New[node](a))
	a.Reset() // want "function that is not known"
}

func asNumber() uintptr {
	a := arena.NewArena()
	n := uintptr(unsafe.Pointer(arena.New[node](a)))
	a.Reset() // want "used later"
	return n
}

func timer() {
	a := arena.NewArena()
	n := arena.New[node](a)
	time.AfterFunc(time.Second, func() { n.name = "" })
	a.Reset() // want "not written in Go"
}

func inSyncMap(b []byte) {
	a := arena.NewArena()
	shared.Store(arena.String(a, b), 1)
	a.Reset() // want ""
}

func inContext(ctx context.Context, b []byte) context.Context {
	a := arena.NewArena()
	ctx = context.WithValue(ctx, "name", arena.String(a, b))
	a.Reset() // want "used later"
	return ctx
}

func callersArena(a *arena.Arena) {
	a.Reset() // want "comes from a caller"
}

type holder struct{ a *arena.Arena }

func (h *holder) Close() {
	h.a.Free() // want "comes from a caller"
}

func doKeeps(b []byte) {
	arena.Do(func(a *arena.Arena) { // want "stored in something older"
		global = arena.String(a, b)
	})
}

func doReturns(b []byte) (s string) {
	arena.Do(func(a *arena.Arena) { // want "used later"
		s = arena.String(a, b)
	})
	return s
}

func poolDo(p *arena.Pool, b []byte) string {
	var n node
	p.Do(func(a *arena.Arena) { n.name = arena.String(a, b) }) // want "used later"
	return n.name
}

func handler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context()) // want "stored in something older"
	cache[arena.String(a, r.URL.Path)]++
}

func header(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context()) // want "stored in something older"
	w.Header().Set("X-Name", arena.String(a, r.URL.Path))
}

func handlerStarts(w http.ResponseWriter, r *http.Request) {
	n := arena.New[node](arena.FromContext(r.Context())) // want "goroutine"
	go keep(n)
}

func contextInGoroutine(ctx context.Context) {
	go func() {
		n := arena.New[node](arena.FromContext(ctx)) // want "goroutine"
		n.name = ""
	}()
}

func groupReset(b []byte) string {
	g := arena.NewGroup()
	s := arena.String(g.Arena(), b)
	g.Reset() // want "used later"
	return s
}

func groupGoes() {
	g := arena.NewGroup()
	g.Go(func(a *arena.Arena) { arena.New[node](a) })
	g.Reset() // want "may still run"
}

func mapOfArena(b []byte) int {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	m.Set(arena.String(a, b), 1)
	a.Reset() // want "used later"
	n, _ := m.Get("x")
	return n
}

func fromMap(b []byte) *node {
	a := arena.NewArena()
	m := arena.NewMap[string, *node](a, 0)
	m.Set("x", arena.New[node](a))
	n, _ := m.Get("x")
	a.Reset() // want "used later"
	return n
}

func iterated(b []byte) (last string) {
	a := arena.NewArena()
	m := arena.NewMap[string, int](a, 0)
	m.Set(arena.String(a, b), 1)
	for k := range m.Keys() {
		last = k
	}
	a.Reset() // want "used later"
	return last
}

func built() string {
	a := arena.NewArena()
	b := arena.NewBuilder(a)
	b.WriteString("x")
	s := b.String()
	a.Reset() // want "used later"
	return s
}

func ofSlab() *node {
	a := arena.NewArena()
	s := arena.SlabOf[node](a)
	n := s.New()
	a.Reset() // want "used later"
	return n
}

func oldArenaOfLoop(all [][]byte) {
	a := arena.NewArena()
	var n node
	for _, b := range all {
		n.list = append(n.list, arena.Ptr(a, node{name: string(b)}))
		a.Reset() // want "used later"
	}
}

func conditional(b []byte, keep bool) string {
	a := arena.NewArena()
	s := arena.String(a, b)
	if keep {
		return s
	}
	a.Reset() // want "used later"
	if len(b) > 3 {
		return s
	}
	return ""
}

func deferredUse(b []byte) {
	a := arena.NewArena()
	n := arena.New[node](a)
	defer fmt.Println(n.name)
	defer func() { n.name = "" }()
	a.Free() // want "deferred call"
}

func inBuffer(b []byte) *bytes.Buffer {
	a := arena.NewArena()
	buf := bytes.NewBuffer(arena.Bytes(a, b))
	a.Reset() // want "used later"
	return buf
}

func genericBox[T any](v T) *struct{ v T } { return &struct{ v T }{v} }

func inGeneric() any {
	a := arena.NewArena()
	box := genericBox(arena.New[node](a))
	a.Reset() // want "used later"
	return box
}

func endsByValue() {
	a := arena.NewArena()
	f := a.Reset // want "function value"
	f()
}

func neverInstantiated[T any](a *arena.Arena) {
	arena.New[T](a)
	a.Reset() // want "type parameters"
}

func instantiated[T any](v T) *T {
	a := arena.NewArena()
	p := arena.Ptr(a, v)
	a.Reset() // want "used later"
	return p
}

var _ = instantiated(1)

func instantiatedByGeneric[T any](all []T) (last *[]T) {
	for range all {
		last = instantiatedByOther(all)
	}
	return last
}

func instantiatedByOther[T any](v T) *T {
	a := arena.NewArena()
	p := arena.Ptr(a, v)
	a.Reset() // want "type parameters"
	return p
}

func toGlobalInScope(b []byte) {
	a := arena.NewArena()
	m := a.Mark()
	global = arena.String(a, b)
	a.Rewind(m) // want "stored in something older"
}

func undo(a *arena.Arena, m arena.Mark) {
	a.Rewind(m) // want "stored in something older"
}

func undone(b []byte) {
	a := arena.NewArena()
	m := a.Mark()
	global = arena.String(a, b)
	undo(a, m)
}

// A scope ends by its method.
type scope struct {
	a *arena.Arena
	m arena.Mark
}

func (s *scope) end() {
	s.a.Rewind(s.m) // want "stored in something older"
}

func within(b []byte) {
	a := arena.NewArena()
	s := scope{a, a.Mark()}
	defer s.end()
	global = arena.String(a, b)
}

func usedAfterScope(b []byte) int {
	a := arena.NewArena()
	m := a.Mark()
	x := arena.String(a, b)
	a.Rewind(m) // want "used later"
	return len(x)
}

// ofLastTurn is made behind the Mark of the last turn, and older than the Mark of this one.
func ofLastTurn(all [][]byte) (n int) {
	a := arena.NewArena()
	var last *node
	for _, b := range all {
		m := a.Mark()
		x := arena.Ptr(a, node{name: arena.String(a, b)})
		a.Rewind(m) // want "used later"
		if last != nil {
			n += len(last.name)
		}
		last = x
	}
	return n
}

// grownInScope is older, and what is appended to it is not.
func grownInScope() int {
	a := arena.NewArena()
	list := arena.MakeSlice[int](a, 0, 10)
	m := a.Mark()
	list = arena.Append(a, list, 1)
	a.Rewind(m) // want "used later"
	return len(list)
}

// filledInScope is older, and refers to what is not.
func filledInScope(b []byte) string {
	a := arena.NewArena()
	x := arena.New[node](a)
	m := a.Mark()
	x.name = arena.String(a, b)
	a.Rewind(m) // want "used later"
	return strings.Clone(x.name)
}

// madeByCallee is made by a function that is called before the Mark and behind it.
func madeByCallee(b []byte) int {
	a := arena.NewArena()
	x := made(a, b)
	m := a.Mark()
	y := made(a, b)
	a.Rewind(m) // want "used later"
	return len(x.name) + len(y.name)
}

func made(a *arena.Arena, b []byte) *node { return arena.Ptr(a, node{name: arena.String(a, b)}) }

// endsInner ends the inner scope by the Mark of the outer one.
func endsInner(b []byte) int {
	a := arena.NewArena()
	outer := a.Mark()
	x := arena.New[node](a)
	inner := a.Mark()
	_ = arena.String(a, b)
	_ = inner
	a.Rewind(outer) // want "used later"
	return len(x.name)
}

// ofOtherTurn keeps the Mark of the first turn.
func ofOtherTurn(all [][]byte) (n int) {
	a := arena.NewArena()
	var m arena.Mark
	for i, b := range all {
		x := arena.String(a, b)
		if i == 0 {
			m = a.Mark()
		}
		if i == 9 {
			a.Rewind(m) // want "used later"
		}
		n += len(x)
	}
	return n
}

// counting returns a handler that keeps what its caller counts.
func counting() http.Handler {
	seen := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context()) // want "stored in something older"
		seen[arena.String(a, r.Method)]++
	})
}

// tried returns a handler that it has called itself, with a request of its own.
func tried(w http.ResponseWriter) http.HandlerFunc {
	h := func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context()) // want "stored in something older"
		r.Method = arena.String(a, r.URL.Path)
	}
	h(w, &http.Request{URL: &url.URL{Path: "/"}})
	return h
}

// methodOf is called by handlers of named, which is not the only one to call these.
func methodOf(r *http.Request) string {
	return arena.String(arena.FromContext(r.Context()), r.Method) // want "result"
}

func named() http.HandlerFunc {
	last := ""
	return func(w http.ResponseWriter, r *http.Request) { last += methodOf(r); last = methodOf(r) }
}
