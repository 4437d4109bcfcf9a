// Package carriers has mistakes with structs that have arenas, or values of them, and with containers.
package carriers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

type token struct {
	text string
	args []string
	next *token
}

type lexer struct {
	arena.Arena
	last *token
}

func (l *lexer) token(b []byte) *token {
	return arena.Ptr(&l.Arena, token{text: arena.String(&l.Arena, b)})
}

func embeddedValue(l *lexer, b []byte) {
	t := l.token(b)
	l.Reset()
	fmt.Println(t.text) // want `stale: `
}

type builder struct {
	a *arena.Arena
	s *arena.Slab[token]
	m *arena.Map[string, *token]
}

func newBuilder() *builder {
	a := arena.NewArena()
	return &builder{a, arena.SlabOf[token](a), arena.NewMap[string, *token](a, 0)}
}

func (b *builder) done() { b.a.Reset() }

func slabOfCarrier() {
	b := newBuilder()
	t := b.s.New()
	b.done()
	t.text = "x" // want `stale: `
}

func mapOfCarrier() int {
	b := newBuilder()
	b.m.Set("x", b.s.New())
	b.a.Reset()
	return b.m.Len() // want `container: `
}

func copyOfCarrier(b builder, text []byte) {
	c := b
	s := arena.String(c.a, text)
	b.a.Reset()
	fmt.Println(s) // want `stale: `
}

type outer struct{ in inner }
type inner struct{ a *arena.Arena }

func (o *outer) text(b []byte) string { return o.in.text(b) }
func (i inner) text(b []byte) string  { return arena.String(i.a, b) }

func nestedCarrier(o *outer, b []byte) {
	s := o.text(b)
	o.in.a.Reset()
	fmt.Println(s) // want `stale: `
}

func pushed(a *arena.Arena, all [][]byte) {
	var list []string
	for _, b := range all {
		list = arena.Push(a, list, string(b))
	}
	a.Reset()
	fmt.Println(list[0]) // want `stale: `
}

func pushedInto(a *arena.Arena, t *token, b []byte) {
	t.args = arena.Push(a, t.args, arena.String(a, b)) // want `outlives: `
	a.Reset()
	for _, s := range t.args { // want `stale: `
		fmt.Println(s)
	}
}

func grown(a *arena.Arena, list []string) {
	grown := arena.Grow(a, []string(nil), len(list))
	grown = grown[:len(list)]
	copy(grown, list)
	a.Reset()
	fmt.Println(grown[0]) // want `stale: `
}

func repeated(a *arena.Arena) int {
	s := arena.SliceOf(a, []int{1, 2, 3, 4}...)
	a.Reset()
	return s[3] // want `stale: `
}

func sortedKeys(a *arena.Arena, m *arena.Map[string, int]) {
	keys := arena.SortedKeys(a, m)
	a.Reset()
	fmt.Println(keys) // want `stale: `
}

func mapValue(a *arena.Arena, b []byte) {
	m := arena.NewMap[int, string](a, 0)
	m.Set(1, arena.String(a, b))
	s, _ := m.Get(1)
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func mapKeys(a *arena.Arena, b []byte) {
	m := arena.NewMap[string, int](a, 0)
	m.Set(arena.String(a, b), 1)
	var keys []string
	for k := range m.All() {
		keys = append(keys, k)
	}
	a.Reset()
	fmt.Println(keys) // want `stale: `
}

func keysSeq(a *arena.Arena, m *arena.Map[string, int], b []byte) {
	n := arena.NewMap[string, int](a, 0)
	n.Set(arena.String(a, b), 1)
	seq := n.Keys()
	a.Reset()
	for k := range seq { // want `container: `
		fmt.Println(k)
	}
}

func lookupAfterInsert(m, n *arena.Map[string, int]) int {
	p := m.Lookup("x")
	m.Insert(n.All())
	return *p // want `container: `
}

func entryInStruct(m *arena.Map[string, int]) {
	c := struct{ n *int }{m.Entry("x")}
	m.Set("y", 1)
	*c.n = 2 // want `container: `
}

func entryOfText(m *arena.Map[string, int], b, c []byte) {
	p := arena.LookupText(m, b)
	m.Set(string(c), 2)
	*p = 1 // want `container: `
}

func builderText(a *arena.Arena, b []byte) {
	t := arena.NewBuilder(a)
	t.Write(b)
	s := t.String()
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func builderBytes(p *arena.Pool, b []byte) []byte {
	a := p.Get()
	defer p.Put(a)
	t := arena.NewBuilder(a)
	t.Write(b)
	return t.Bytes() // want `outlives: `
}

func refInOther() int {
	a, b := arena.NewArena(), arena.NewArena()
	var m ref.Map[int, int]
	m.Set(ref.In(a), 1, 1)
	return *m.Lookup(ref.In(b), 1) // want `container: `
}

func listInOther() int {
	a, b := ref.In(arena.NewArena()), ref.In(arena.NewArena())
	var l ref.List[int]
	l.Append(a, 1, 2)
	return l.Get(b)[0] // want `container: `
}

func listAfterReset(a *arena.Arena) int {
	s := ref.In(a)
	var l ref.List[int]
	l.Append(s, 1, 2)
	all := l.Get(s)
	a.Reset()
	return all[0] // want `stale: `
}

func listAfterFree() int {
	a := arena.NewArena()
	s := ref.In(a)
	var l ref.List[int]
	l.Append(s, 1, 2)
	a.Free()
	l.Append(s, 3) // want `closed: `
	return l.Len()
}

func structInSlice(a *arena.Arena, all [][]byte) {
	var list []token
	for _, b := range all {
		list = append(list, token{text: arena.String(a, b)})
	}
	a.Reset()
	for _, t := range list {
		fmt.Println(t.text) // want `stale: `
	}
}

func structInMap(a *arena.Arena, b []byte) {
	m := map[int]token{1: {text: arena.String(a, b)}}
	a.Reset()
	fmt.Println(m[1].text) // want `stale: `
}

func pointerInStruct(a *arena.Arena) int {
	type box struct{ n *int }
	x := box{arena.Ptr(a, 1)}
	y := &x
	a.Reset()
	return *y.n // want `stale: `
}

func listOfNodes(a *arena.Arena, all [][]byte) {
	var head *token
	for _, b := range all {
		head = arena.Ptr(a, token{text: arena.String(a, b), next: head})
	}
	a.Reset()
	for t := head; t != nil; t = t.next { // want `stale: `
		fmt.Println(t.text) // want `stale: `
	}
}

func arrayOfStructs(a *arena.Arena, b []byte) {
	var all [4]token
	all[1].text = arena.String(a, b)
	c := all
	a.Reset()
	fmt.Println(c[1].text) // want `stale: `
}

func shallowCopy(a *arena.Arena, b []byte) string {
	t := arena.Ptr(a, token{text: arena.String(a, b)})
	c := *t
	a.Reset()
	return "x" + c.text // want `stale: `
}

func shallowClone(a *arena.Arena, b []byte) {
	list := arena.SliceOf(a, arena.String(a, b))
	c := slices.Clone(list)
	a.Reset()
	fmt.Println(c[0]) // want `stale: `
}

func appendedToHeap(a *arena.Arena, b []byte) {
	c := append([]string(nil), arena.SliceOf(a, arena.String(a, b))...)
	a.Reset()
	fmt.Println(c[0]) // want `stale: `
}

func trimmedBytes(a *arena.Arena, b []byte) byte {
	c := bytes.TrimSpace(arena.Bytes(a, b))
	a.Reset()
	return c[0] // want `stale: `
}

type cache struct {
	mu sync.Mutex
	m  map[string]*token
}

var tokens cache

func (c *cache) put(k string, t *token) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = t
}

func cached(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	tokens.put("x", arena.Ptr(a, token{})) // want `outlives: `
}

type registry struct{ names []string }

func (r *registry) add(s string) { r.names = append(r.names, s) }

func registered(r *registry, p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	r.add(arena.String(a, b)) // want `outlives: `
}

func variadic(p *arena.Pool, b []byte) []string {
	a := p.Get()
	defer p.Put(a)
	return list(arena.String(a, b), "x") // want `outlives: `
}

func list(all ...string) []string { return all }

func splitText(p *arena.Pool, b []byte) []string {
	a := p.Get()
	defer p.Put(a)
	return strings.Split(arena.String(a, b), ",") // want `outlives: `
}

func freedTwice(m arena.Memory) {
	a := arena.NewWith(arena.Options{Memory: m})
	defer a.Free() // want `closed: `
	fmt.Println(arena.Sprintf(a, "%d", 1))
	a.Free()
}

func groupAfterFree(g *arena.Group) {
	g.Free()
	g.Arena() // want `closed: `
}

func slabAfterPut(p *arena.Pool) int {
	a := p.Get()
	s := arena.SlabOf[int](a)
	p.Put(a)
	return *s.New() // want `closed: `
}
