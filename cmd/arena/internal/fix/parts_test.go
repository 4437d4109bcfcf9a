package fix

import "testing"

// TestParts: comments in the sources say what becomes of what is made.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		// A value in a field that is kept does not keep the struct; an address in the struct does.
		"fields": `
import "sync"

type cache struct{ list []int }

type inner struct{ n int }

type Lexer struct {
	cache *cache
	in    inner
	nums  [2]int
	n     int
	next  *Lexer
}

var (
	pool     = sync.Pool{New: func() any { return new(cache) }}
	theCache *cache
	theInt   *int
	theList  []int
	theInner *inner
	theFunc  func() int
)

func Parse(s string) (all []*Lexer) {
	c := &cache{} // stays: a value
	read := &Lexer{cache: c} // moves: a value
	theCache = read.cache
	address := &Lexer{} // stays: a value
	theInt = &address.n
	array := &Lexer{} // stays: a value
	theList = array.nums[:]
	embedded := &Lexer{} // stays: a value
	theInner = &embedded.in
	used := &Lexer{} // stays: a value
	theFunc = func() int { return len(used.cache.list) }
	given := &Lexer{} // moves: a value
	keepCache(given)
	pointed := &Lexer{} // stays: a value
	keepInt(pointed)
	named := &Lexer{} // stays: a value
	other := named
	theInt = &other.n
	far := &Lexer{} // stays: a value
	near := &Lexer{next: far} // moves: a value
	theInt = &near.next.n
	held := &Lexer{cache: pool.Get().(*cache)} // moves: a value
	held.n = len(held.cache.list)
	pool.Put(held.cache)
	counted := &Lexer{} // stays: a value
	theFunc = func() int { return counted.n }
	copied := &Lexer{} // moves: a value
	theInt = new(copied.n)
	deferred := &Lexer{} // moves: a value
	defer func() { theCache = deferred.cache }()
	returned := &Lexer{} // stays: a value
	theInt = number(returned)
	return append(all, read, address, array, embedded, used, given, pointed, named, near, held, counted, copied, deferred, returned)
}

func keepCache(l *Lexer) { theCache = l.cache }

func keepInt(l *Lexer) { theInt = &l.n }

func number(l *Lexer) *int { return &l.n }
`,
		// A function that stores one parameter in another does not store a third one there.
		"puts": `
type node struct {
	name string
	n    int
}

type table struct {
	names map[string]bool
	last  string
	node  *node
	n     *int
	texts []string
	call  func() string
}

var theTable = &table{names: map[string]bool{}}

func (t *table) has(key string) bool { t.last = "looked"; return t.names[key] }

func (t *table) add(key string) { t.names[key] = true }

func (t *table) wrap(key string) { x := wrapped(key); t.node = x }

func (t *table) inLiteral(key string) { func() { t.last = key }() }

func (t *table) inValue(key string) { t.call = func() string { return key } }

func (t *table) address(n *node) { t.n = &n.n }

func (t *table) alias(key string) { u := t; u.last = key }

func (t *table) inside(key string) { u := &t.texts; *u = append(*u, key) }

func (t *table) through(key string) { t.add(key) }

func (t *table) called(key string) { set := t.add; set(key) }

func (t *table) ranged(keys []string) {
	for _, key := range keys {
		t.last = key
	}
}

func (t *table) named(key string) (same string) { same = key; t.last = same; return }

func wrapped(name string) *node { return &node{name: name} }

func Parse(s string) (all []string, n *node) {
	k := s + "a" // moves: text
	theTable.has(k)
	l := s + "b" // stays: text
	theTable.add(l)
	m := s + "c" // stays: text
	theTable.wrap(m)
	o := s + "d" // stays: text
	theTable.inLiteral(o)
	p := s + "e" // stays: text
	theTable.inValue(p)
	n = &node{} // stays: a value
	theTable.address(n)
	q := s + "f" // stays: text
	theTable.alias(q)
	r := s + "g" // stays: text
	theTable.inside(r)
	u := s + "h" // stays: text
	theTable.through(u)
	v := s + "i" // stays: text
	theTable.called(v)
	w := s + "j" // stays: text
	theTable.ranged([]string{w})
	x := s + "k" // stays: text
	theTable.named(x)
	return append(all, k, l, m, o, p, q, r, u, v, w, x), n
}
`,
		// A variable of a package that refers to nothing is none in which something is stored.
		"blank": `
type Token struct {
	kind  string
	parts []string
}

var (
	none    = Token{kind: "none"}
	filled  = Token{parts: []string{""}}
	changed Token
	taken   Token
	Public  Token
)

func Change(parts []string) { changed.parts = parts }

func address(t *Token) { t.parts = []string{""} }

func lex(s string, n int) Token {
	address(&taken)
	switch n {
	case 0:
		return one(s, none)
	case 1:
		return one(s, filled)
	}
	return Token{}
}

func one(s string, other Token) Token {
	if s == "" {
		return other
	}
	return Token{parts: []string{s}}
}

func fromNone(s string) Token {
	if s == "" {
		return none
	}
	return Token{parts: []string{s}}
}

func fromChanged(s string) Token {
	if s == "" {
		return changed
	}
	return Token{parts: []string{s}}
}

func fromTaken(s string) Token {
	if s == "" {
		return taken
	}
	return Token{parts: []string{s}}
}

func fromPublic(s string) Token {
	if s == "" {
		return Public
	}
	return Token{parts: []string{s}}
}

func Parse(s string) (all []Token) {
	a := fromNone(s)
	a.parts[0] = s + "a" // moves: text
	b := lex(s, 1)
	b.parts[0] = s + "b" // stays: text
	c := fromChanged(s)
	c.parts[0] = s + "c" // stays: text
	d := fromTaken(s)
	d.parts[0] = s + "d" // stays: text
	e := fromPublic(s)
	e.parts[0] = s + "e" // stays: text
	return append(all, a, b, c, d, e)
}
`,
		// A local literal is known: nothing that it uses calls others.
		"walk": `
type Node struct {
	name string
	kids []*Node
}

func walk(n *Node, stack *[]*Node, f func(n *Node, stack []*Node)) {
	f(n, *stack)
	*stack = append(*stack, n)
	down := func(n *Node) { walk(n, stack, f) }
	for _, k := range n.kids {
		down(k)
	}
}

func Parse(s string) *Node {
	n := &Node{name: s} // moves: a value
	n.kids = append(n.kids, &Node{name: s + "k"}) // moves: a value, text, append
	var stack []*Node
	depth := 0
	walk(n, &stack, func(_ *Node, stack []*Node) { depth = max(depth, len(stack)) })
	return n
}
`,
		// What is kept in one parameter does not keep all that a function makes.
		"heeds": `
type config struct{ names map[string]string }

type Node struct {
	name string
	kids []*Node
}

var theConfig = config{map[string]string{}}

func Parse(s string) (*Node, error) {
	n := parse(s, theConfig)
	if len(s) > 10 {
		return nil, failure{mistake(s)}
	}
	return n, nil
}

func parse(s string, c config) *Node {
	name := s + "n" // stays: text
	c.names[name] = name
	return &Node{name: name, kids: kids(s)} // moves: a value
}

func kids(s string) (all []*Node) {
	return append(all, &Node{name: s + "k"}) // moves: a value, text, append
}

type failure struct{ n *Node }

func (f failure) Error() string { return f.n.name }

func mistake(s string) *Node { return &Node{name: s + "m"} }
`,
		// A map of package sync stays where it is, and keeps what is put in.
		"maps": `
import (
	"strings"
	"sync"
)

type Definition struct {
	known sync.Map
	name  string
}

type Lexer struct {
	def *Definition
	pos string
}

func Parse(s string) *Lexer {
	l := &Lexer{def: &Definition{}} // moves: a value
	l.pos = s + "p" // moves: text
	cached(&l.def.known, l.pos, []string{s})
	return l
}

func cached(m *sync.Map, s string, groups []string) bool {
	key := s + "-" + strings.Join(groups, "-") // stays: text
	_, ok := m.LoadOrStore(key, true)
	return ok
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := written(t, "-- p.go --\npackage m\n"+source)
			r, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}})
			if err != nil {
				t.Fatal(err)
			}
			asCommented(t, dir, r)
		})
	}
}
