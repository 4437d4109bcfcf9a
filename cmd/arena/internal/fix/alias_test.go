package fix

import "testing"

// TestAliases: what is stored by a second name of what is kept is kept, too. Comments in the
// sources say what becomes of what is made.
func TestAliases(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		// Names in the function that keeps something.
		"names": `
type N struct {
	name string
	x    *int
	next *N
	kids []*N
}

type P struct {
	tok  N
	a, b *N
	st   []*N
	arr  [3]*N
	any  any
	q    **N
	all  map[string]*N
}

var (
	g   *N
	gs  []*N
	gp  P
	gm  map[string]*N
	gx  []*int
	gt  string
	any1 any
)

func Parse(s string) *N {
	loaded()
	pushed(s)
	looped(s)
	typed()
	pointed(s)
	copied(s)
	listed(s)
	mapped(s)
	embedded()
	called()
	sent(nil)
	kept := free(s) // and nothing of it
	return kept
}

func loaded() {
	p := &P{}
	p.a = &N{} // stays: a value
	b := p.a
	b.x = new(int) // stays: a value
	p.b = p.a
	p.b.next = &N{} // stays: a value
	g = p.a
}

func pushed(s string) {
	root := &N{} // stays: a value
	st := []*N{root}
	for range s {
		n := &N{} // stays: a value
		top := st[len(st)-1]
		top.kids = append(top.kids, n) // stays: append
		st = append(st, n)
	}
	g = root
}

func looped(s string) {
	p := &P{}
	p.st = append(p.st, &N{}) // stays: append, a value
	for _, n := range p.st {
		n.x = new(int) // stays: a value
	}
	gs = p.st
	var head *N
	tail := &head
	for range s {
		*tail = &N{} // stays: a value
		tail = &(*tail).next
	}
	gs = []*N{head} // stays: a slice
}

func typed() {
	p := &P{any: &N{}} // stays: a value
	switch n := p.any.(type) {
	case *N:
		n.x = new(int) // stays: a value
	}
	any1 = p.any
}

func pointed(s string) {
	p := &P{}
	t := &p.tok
	t.name = s + "t" // stays: text
	gt = p.tok.name
	p.q = &p.a
	*p.q = &N{} // stays: a value
	g = p.a
	list := make([]N, 2)
	last := &list[1]
	last.name = s + "l" // stays: text
	last.x = new(int) // stays: a value
	for _, n := range list {
		gx = append(gx, n.x)
		gt = n.name
	}
	arr := &P{}
	part := arr.arr[:]
	part[0] = &N{} // stays: a value
	gp = *arr
}

func copied(s string) {
	o := N{}
	o.name = s + "o" // stays: text
	saved := o
	saved.x = new(int) // moves: a value
	gt = saved.name
	w := &P{}
	w.a = &N{} // stays: a value
	c := *w
	c.a.x = new(int) // stays: a value
	g = w.a
}

func listed(s string) {
	kids := make([]*N, 0, 4) // stays: a slice
	more := kids[:1]
	more[0] = &N{} // stays: a value
	gs = kids
	n := &N{} // stays: a value
	held := []P{{a: n}}
	for _, p := range held {
		p.a.x = new(int) // stays: a value
	}
	g = n
}

func mapped(s string) {
	m := map[string]*N{s: {}} // stays: a map, a value
	n := m[s]
	n.x = new(int) // stays: a value
	gm = m
	p := &P{all: map[string]*N{}} // stays: a map
	k := &N{} // stays: a value
	p.all[s] = k
	p.a = k
	p.a.x = new(int) // stays: a value
	gm = p.all
}

type W struct {
	*N
	n int
}

func embedded() {
	n := &N{} // stays: a value
	w := W{n, 1}
	w.x = new(int) // stays: a value
	v := &W{N: n}
	v.N.next = &N{} // stays: a value
	g = n
}

func called() {
	n := &N{} // stays: a value
	get := func() *N { return n }
	get().x = new(int) // stays: a value
	pick(nil, n).next = &N{} // stays: a value
	add := func(n *N) {
		n.next = &N{next: n} // stays: a value
	}
	add(n)
	g = n
}

func pick(a, b *N) *N {
	if a != nil {
		return a
	}
	return b
}

var queue = make(chan *N, 1)

func sent(ch chan *N) {
	p := &P{a: &N{}} // stays: a value
	n := p.a
	n.x = new(int) // stays: a value
	if ch != nil {
		queue <- p.a
	}
}

func free(s string) *N {
	p := &P{}
	p.a = &N{name: s + "a"} // stays: text
	b := p.a
	b.next = &N{} // moves: a value
	p.b = &N{} // stays: a value
	g = p.b
	for _, t := range []N{{name: s + "b"}} { // stays: text
		b.kids = append(b.kids, &N{next: t.next}) // moves: append, a value
		gt = t.name
	}
	gt = b.name
	return b
}
`,
		// Functions that return a part, or move it from one field to another.
		"functions": `
import "slices"

type N struct {
	name string
	x    *int
	next *N
}

type P struct {
	a, b *N
	st   []*N
	all  map[string]*N
	tok  tok
	prev tok
	toks []tok
}

type tok struct {
	text string
	kids []tok
}

var (
	g  *N
	gs []*N
	gm map[string]*N
	gt string
)

func Parse(s string) *N {
	returned()
	registered(s)
	entered(s)
	swapped()
	given()
	chained()
	texts(s)
	return nil
}

func (p *P) top() *N { return p.st[len(p.st)-1] }

func (p *P) fill() { p.top().x = new(int) } // stays: a value

func returned() {
	p := &P{}
	p.st = append(p.st, &N{}) // stays: append, a value
	p.fill()
	n := p.top()
	n.next = &N{} // stays: a value
	gs = p.st
}

func (p *P) made(s string) *N {
	n := &N{} // stays: a value
	p.all[s] = n
	return n
}

func registered(s string) {
	p := &P{all: map[string]*N{}} // stays: a map
	n := p.made(s)
	n.x = new(int) // stays: a value
	gm = p.all
}

func (p *P) enter(s string) { p.a = p.all[s] }

func (p *P) put() { p.a.x = new(int) } // stays: a value

func entered(s string) {
	p := &P{all: map[string]*N{}} // stays: a map
	p.all[s] = &N{} // stays: a value
	p.enter(s)
	p.put()
	gm = p.all
}

func (p *P) swap() { p.a, p.b = p.b, p.a }

func swapped() {
	p := &P{a: &N{}} // stays: a value
	p.swap()
	p.a.x = new(int) // stays: a value
	g = p.b
}

func each(list []*N, f func(n *N)) {
	for _, n := range list {
		f(n)
	}
}

func given() {
	p := &P{}
	p.st = append(p.st, &N{}) // stays: a value
	each(p.st, func(n *N) {
		n.x = new(int) // stays: a value
	})
	i := slices.IndexFunc(p.st, func(n *N) bool { // stays: what a library allocates
		n.next = &N{} // stays: a value
		return true
	})
	g = p.st[i]
}

func (p *P) set(n *N) *P { p.a = n; return p }

func (p *P) deep() *P { p.a.x = new(int); return p } // stays: a value

func chained() {
	n := &N{} // stays: a value
	p := &P{}
	p.set(n).deep()
	g = n
}

func lex(s string) (all []tok) {
	all = append(all, tok{text: s + "x"}) // stays: text
	return all
}

func (p *P) shift(s string) {
	p.prev = p.tok
	p.tok = tok{text: s + "y"} // stays: text
}

func (p *P) next() tok {
	t := p.toks[0]
	p.toks = p.toks[1:]
	return t
}

func texts(s string) {
	for _, t := range lex(s) {
		gt = t.text
	}
	p := &P{}
	p.shift(s)
	gt = p.prev.text
	p.toks = []tok{{text: s + "z"}} // stays: text
	t := p.next()
	gt = t.text
}
`,
		// Errors go back to the caller of the root.
		"errors": `
type failure struct {
	text string
	at   *int
}

func (f *failure) Error() string { return f.text }

type P struct {
	err *failure
	n   int
}

func Parse(s string) (*P, error) {
	p := &P{} // moves: a value
	if s == "" {
		f := &failure{} // stays: a value
		f.text = s + "f" // stays: text
		x := len(s) // stays: a variable
		f.at = &x
		return nil, f
	}
	p.err = &failure{} // stays: a value
	e := p.err
	e.text = "bad " + s // stays: text
	return p, p.err
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parseAsCommented(t, written(t, "-- p.go --\npackage m\n"+source))
		})
	}
}
