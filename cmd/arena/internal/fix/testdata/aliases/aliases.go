// Package aliases has what generated functions are made of: see alias_random_test.go.
package aliases

// A N refers to others.
type N struct {
	S    string
	X    *int
	Next *N
	Kids []*N
}

// A P refers to some by several names.
type P struct {
	A, B *N
	L    []*N
	M    map[string]*N
	T    N
	Any  any
	Q    **N
	In   *P
}

// G is older than each call.
var G = &P{}

// Texts and Ints are, too.
var (
	Texts []string
	Ints  []*int
)

func made(s string) *P {
	n := &N{S: s + "m"}
	p := &P{A: n, B: &N{S: s + "b"}, M: map[string]*N{"k": {S: s + "k"}}, T: N{S: s + "t"}}
	p.L = append(p.L, &N{S: s + "l"}, p.B)
	p.Any = p.L[0]
	p.Q = &p.A
	return p
}

func ok(n *N) *N {
	if n == nil {
		return &N{S: "none"}
	}
	return n
}

func inner(p *P) *P {
	if p.In == nil {
		p.In = &P{A: p.A, B: p.B, L: p.L, M: p.M, T: p.T, Any: p.B, Q: &p.B}
	}
	return p.In
}

func pick(a, b *N) *N {
	if len(a.S) > len(b.S) {
		return a
	}
	return b
}

func number(n int) *int { return &n }

func (p *P) push(n *N) { p.L = append(p.L, n) }

func (p *P) top() *N { return p.L[len(p.L)-1] }

func (p *P) swap() { p.A, p.B = p.B, p.A }

func (p *P) set(n *N) *P { p.B = n; return p }

func (p *P) enter(k string) { p.A = ok(p.M[k]) }

func (n *N) add(c *N) *N { n.Kids = append(n.Kids, c); return c }

func (n *N) name(s string) { n.S = s + "n" }

func (n *N) text() string { return n.S }

func each(l []*N, f func(n *N)) {
	for _, n := range l {
		f(n)
	}
}
