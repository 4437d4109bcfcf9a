package carriers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

func embeddedAgain(l *lexer, b []byte) {
	t := l.token(b)
	fmt.Println(t.text)
	l.Reset()
	t = l.token(b)
	fmt.Println(t.text)
}

func slabAgain(all [][]byte) {
	b := newBuilder()
	for range all {
		t := b.s.New()
		t.text = "x"
		b.done()
	}
}

func twoCarriers(b, c *builder, text []byte) {
	s := arena.String(b.a, text)
	c.a.Reset()
	fmt.Println(s)
}

func carrierRenewed(b *builder, text []byte) {
	old := b.a
	s := arena.String(old, text)
	b.a = arena.NewArena()
	b.a.Reset()
	fmt.Println(s)
}

func nestedOther(o, p *outer, b []byte) {
	s := o.text(b)
	p.in.a.Reset()
	fmt.Println(s)
}

func pushedAgain(a *arena.Arena, rounds [][][]byte) {
	for _, all := range rounds {
		var list []string
		for _, b := range all {
			list = arena.Push(a, list, arena.String(a, b))
		}
		fmt.Println(list)
		a.Reset()
	}
}

func lengthOfPushed(a *arena.Arena, all []int) int {
	var list []int
	for _, n := range all {
		list = arena.Push(a, list, n)
	}
	a.Reset()
	return len(list)
}

func fieldReset(a *arena.Arena, t *token, b []byte) {
	t.args = arena.Push(a, t.args, arena.String(a, b))
	fmt.Println(t.args)
	t.args = nil
	a.Reset()
	for _, s := range t.args {
		fmt.Println(s)
	}
}

func mapCopied(a *arena.Arena, b []byte) map[string]int {
	m := arena.NewMap[string, int](a, 0)
	m.Set(arena.String(a, b), 1)
	all := map[string]int{}
	for k, v := range m.All() {
		all[strings.Clone(k)] = v
	}
	a.Reset()
	return all
}

func scalarsOfMap(a *arena.Arena, b []byte) int {
	m := arena.NewMap[string, int](a, 0)
	*m.Entry(arena.String(a, b)) += 2
	n, _ := m.Get("x")
	a.Reset()
	return n
}

func heapKeyInMap(a *arena.Arena, k string) string {
	m := arena.NewMap[string, string](a, 0)
	m.Set(k, "x")
	s, _ := m.Get(k)
	a.Reset()
	return s
}

func entryLoop(m *arena.Map[string, int], all []string) {
	for _, s := range all {
		p := m.Entry(s)
		*p++
		if *p > 10 {
			*p = 0
		}
	}
}

func entryOfFound(m *arena.Map[string, int], k string) int {
	if p := m.Lookup(k); p != nil {
		*p++
		return *p
	}
	m.Set(k, 1)
	return 1
}

func entryThenClear(m *arena.Map[string, int]) {
	*m.Entry("x") = 1
	m.Clear()
	*m.Entry("y") = 1
}

func builderCopied(p *arena.Pool, b []byte) string {
	a := p.Get()
	defer p.Put(a)
	t := arena.NewBuilder(a)
	t.Write(b)
	return strings.Clone(t.String())
}

func builderToWriter(p *arena.Pool, w *bytes.Buffer, b []byte) {
	a := p.Get()
	defer p.Put(a)
	t := arena.NewBuilder(a)
	t.Write(b)
	w.Write(t.Bytes())
}

func refHere(a *arena.Arena) int {
	s := ref.In(a)
	var m ref.Map[int, int]
	m.Set(s, 1, 1)
	return *m.Lookup(s, 1)
}

func listHere(all []int) int {
	s := ref.In(arena.NewArena())
	var l ref.List[int]
	l.Append(s, all...)
	return l.Get(s)[0]
}

func listOfEach(a, b *arena.Arena) int {
	var l ref.List[int]
	l.Append(ref.In(a), 1)
	x := l.Get(ref.In(a))[0]
	l = ref.List[int]{}
	l.Append(ref.In(b), 1)
	return x + l.Get(ref.In(b))[0]
}

func spaceAgain(a *arena.Arena) int {
	s := ref.In(a)
	var l ref.List[int]
	for range 3 {
		l = ref.List[int]{}
		l.Append(s, 1)
		a.Reset()
	}
	l = ref.List[int]{}
	l.Append(s, 1)
	return l.Get(s)[0]
}

func structCloned(a *arena.Arena, b []byte) token {
	t := arena.Ptr(a, token{text: arena.String(a, b)})
	c := *t
	c.text = strings.Clone(c.text)
	a.Reset()
	return c
}

func deepCloned(a *arena.Arena, all [][]byte) *token {
	var head *token
	for _, b := range all {
		head = arena.Ptr(a, token{text: arena.String(a, b), next: head})
	}
	c := arena.DeepClone(head)
	a.Reset()
	return c
}

func clonedEach(a *arena.Arena, b []byte) []string {
	list := arena.SliceOf(a, arena.String(a, b))
	c := make([]string, len(list))
	for i, s := range list {
		c[i] = strings.Clone(s)
	}
	a.Reset()
	return c
}

func numbersCloned(a *arena.Arena, n int) []int {
	s := arena.MakeSlice[int](a, n, n)
	c := slices.Clone(s)
	a.Reset()
	return c
}

func otherElement(a *arena.Arena, b []byte) {
	var all [4]token
	all[1].text = arena.String(a, b)
	all[2].text = "heap"
	a.Reset()
	fmt.Println(all[2].text)
}

func cachedCopy(p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	t := arena.Ptr(a, token{text: arena.String(a, b)})
	tokens.put("x", arena.DeepClone(t))
}

func registeredCopy(r *registry, p *arena.Pool, b []byte) {
	a := p.Get()
	defer p.Put(a)
	r.add(strings.Clone(arena.String(a, b)))
}

func registryOfArena(p *arena.Pool, b []byte) int {
	a := p.Get()
	defer p.Put(a)
	r := arena.New[registry](a)
	r.add(arena.String(a, b))
	return len(r.names)
}

func localRegistry(p *arena.Pool, b []byte) int {
	a := p.Get()
	defer p.Put(a)
	var r registry
	r.add(arena.String(a, b))
	return len(r.names)
}

func joined(p *arena.Pool, b []byte) string {
	a := p.Get()
	defer p.Put(a)
	return strings.Join(strings.Split(arena.String(a, b), ","), ";")
}

func freedOnce(m arena.Memory, b []byte) {
	a := arena.NewWith(arena.Options{Memory: m})
	defer a.Free()
	fmt.Println(arena.String(a, b))
	a.Reset()
}

func groupRounds(g *arena.Group, rounds [][][]byte) {
	for _, all := range rounds {
		for _, b := range all {
			g.Go(func(a *arena.Arena) { fmt.Println(arena.String(a, b)) })
		}
		g.Wait()
		g.Reset()
	}
}

type session struct {
	a    *arena.Arena
	name string
}

func (s *session) begin(b []byte) {
	s.a.Reset()
	s.name = arena.String(s.a, b)
}

func (s *session) greet() string { return "hello " + s.name }

func sessions(s *session, all [][]byte) {
	for _, b := range all {
		s.begin(b)
		fmt.Println(s.greet())
	}
}

func swappedFields(s *session, p *arena.Pool, b []byte) {
	old := s.a
	s.a = p.Get()
	s.name = arena.String(s.a, b)
	p.Put(old)
	fmt.Println(s.name)
}
