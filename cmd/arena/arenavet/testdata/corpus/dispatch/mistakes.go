// Package dispatch has mistakes behind interfaces and function values.
package dispatch

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

var pool arena.Pool

// A Store keeps values; a memory is the one there is.
type Store interface {
	Put(key string, v any)
	Get(key string) any
}

type memory struct {
	mu sync.Mutex
	m  map[string]any
}

func (s *memory) Put(key string, v any) { s.mu.Lock(); s.m[key] = v; s.mu.Unlock() }
func (s *memory) Get(key string) any    { s.mu.Lock(); defer s.mu.Unlock(); return s.m[key] }

func NewStore() Store { return &memory{m: map[string]any{}} }

var global Store = NewStore()

type item struct{ name string }

func save(key string, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	global.Put(key, arena.Ptr(a, item{arena.String(a, b)})) // want `outlives: `
}

type api struct {
	store Store
	log   sink
	hook  func(name string)
	codec codec
}

func (s *api) save(key []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s.store.Put(arena.String(a, key), 1) // want `outlives: `
}

func newStoreOf(b []byte) Store {
	a := pool.Get()
	defer pool.Put(a)
	s := NewStore()
	s.Put("first", arena.String(a, b))
	return s // want `outlives: `
}

// A sink has two implementations, and both keep what they get.
type sink interface{ emit(line string) }

type memSink struct{ lines []string }

func (s *memSink) emit(line string) { s.lines = append(s.lines, line) }

type lastSink struct {
	last string
	n    int
}

func (s *lastSink) emit(line string) { s.last, s.n = line, s.n+1 }

func (s *api) note(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s.log.emit(arena.String(a, b)) // want `outlives: `
}

func sinkOf(quiet bool) sink {
	if quiet {
		return &lastSink{}
	}
	return &memSink{}
}

func emitted(quiet bool, b []byte) sink {
	a := pool.Get()
	defer pool.Put(a)
	s := sinkOf(quiet)
	s.emit(arena.String(a, b))
	return s // want `outlives: `
}

// A codec has two implementations, and both return a part of what they get.
type codec interface {
	decode(b []byte) []byte
}

type trimCodec struct{}

func (trimCodec) decode(b []byte) []byte { return b[1:] }

type headCodec struct{ n int }

func (c headCodec) decode(b []byte) []byte { return b[:c.n] }

func (s *api) unpack(b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return s.codec.decode(arena.Bytes(a, b)) // want `outlives: `
}

func decodeWith(c codec, a *arena.Arena, b []byte) int {
	out := c.decode(arena.Bytes(a, b))
	a.Reset()
	return int(out[0]) // want `stale: `
}

// An owner ends its arena.
type owner interface {
	text(b []byte) string
	end()
}

type poolOwner struct{ a *arena.Arena }

func (o *poolOwner) text(b []byte) string { return arena.String(o.a, b) }
func (o *poolOwner) end()                 { pool.Put(o.a) }

func owned(o owner, b []byte) {
	s := o.text(b)
	o.end()
	fmt.Println(s) // want `stale: `
}

// parsers are functions by name.
var parsers = map[string]func(a *arena.Arena, b []byte) string{
	"trim": func(a *arena.Arena, b []byte) string { return strings.TrimSpace(arena.String(a, b)) },
	"text": func(a *arena.Arena, b []byte) string { return arena.String(a, b) },
}

func parseAs(kind string, b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return parsers[kind](a, b) // want `outlives: `
}

type step func(a *arena.Arena, s string) string

func trimStep(a *arena.Arena, s string) string  { return strings.TrimSpace(arena.String(a, s)) }
func quoteStep(a *arena.Arena, s string) string { return arena.Concat(a, `"`, s, `"`) }

func choose(quote bool) step {
	if quote {
		return quoteStep
	}
	return trimStep
}

func run(quote bool, s string) string {
	a := pool.Get()
	defer pool.Put(a)
	f := choose(quote)
	return f(a, s) // want `outlives: `
}

func pipeline(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	for _, f := range []step{trimStep, quoteStep} {
		s = f(a, s)
	}
	return s // want `outlives: `
}

type worker struct {
	alloc func(a *arena.Arena, b []byte) string
	free  func(a *arena.Arena)
	names []string
}

func newWorker() *worker {
	return &worker{
		alloc: func(a *arena.Arena, b []byte) string { return arena.String(a, b) },
		free:  func(a *arena.Arena) { pool.Put(a) },
	}
}

func (w *worker) do(b []byte) {
	a := pool.Get()
	s := w.alloc(a, b)
	w.free(a)
	fmt.Println(s) // a mistake that is not found
}

func work(b []byte) string {
	w := newWorker()
	a := pool.Get()
	s := w.alloc(a, b)
	w.free(a)
	return s // want `outlives: `
}

type command struct {
	name string
	run  func(a *arena.Arena, arg string) string
}

var commands = []command{
	{"echo", func(a *arena.Arena, arg string) string { return arena.Concat(a, arg, "\n") }},
	{"trim", func(a *arena.Arena, arg string) string { return strings.TrimSpace(arena.String(a, arg)) }},
}

func execute(w io.Writer, name, arg string) {
	a := pool.Get()
	for _, c := range commands {
		if c.name == name {
			out := c.run(a, arg)
			a.Reset()
			io.WriteString(w, out) // want `stale: `
		}
	}
	pool.Put(a)
}

type visitor interface{ visit(n *item) }

type nameVisitor struct{ names []string }

func (v *nameVisitor) visit(n *item) { v.names = append(v.names, n.name) }

func walk(v visitor, items []*item) {
	for _, n := range items {
		v.visit(n)
	}
}

func namesOf(b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	v := &nameVisitor{}
	walk(v, []*item{{arena.String(a, b)}})
	return v.names // want `outlives: `
}
