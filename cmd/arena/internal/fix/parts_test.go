package fix

import (
	"bytes"
	"testing"
)

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
	direct := keepSame(&Lexer{}) // moves: a value
	returned := &Lexer{} // stays: a value
	theInt = number(returned)
	return append(all, read, address, array, embedded, used, given, pointed, named, near, held, counted, copied, deferred, direct, returned)
}

func keepCache(l *Lexer) { theCache = l.cache }

func keepSame(l *Lexer) *Lexer { theCache = l.cache; return l }

func keepInt(l *Lexer) { theInt = &l.n }

func number(l *Lexer) *int { return &l.n }
`,
		// So it is with results.
		"results": `
type cache struct{ list []int }

type Lexer struct {
	cache *cache
	n     int
	names []string
}

var (
	theCache *cache
	theInt   *int
)

func keepCache(l *Lexer) int { theCache = l.cache; return l.n }

func newSet(s string) *Lexer {
	c := &cache{} // stays: a value
	return &Lexer{cache: c} // moves: a value
}

func newGiven(s string) *Lexer {
	c := &cache{} // stays: a value
	l := &Lexer{} // moves: a value
	l.cache = c
	l.names = append(l.names, s+"n") // moves: append, text
	return l
}

func newNamed(s string) (l *Lexer) {
	l = &Lexer{} // moves: a value
	l.cache = &cache{} // stays: a value
	return
}

func newWrapped(s string) *Lexer { return wrapped(s) }

func wrapped(s string) *Lexer {
	l := &Lexer{} // moves: a value
	l.cache = &cache{} // stays: a value
	return l
}

func newAddressed(s string) *Lexer { return &Lexer{} } // stays: a value

func newBoth(s string) (*Lexer, error) {
	l := &Lexer{} // moves: a value
	l.cache = &cache{} // stays: a value
	return l, nil
}

func Parse(s string) []*Lexer {
	a := newSet(s)
	theCache = a.cache
	keepCache(newGiven(s))
	b := newNamed(s)
	keepCache(b)
	c := newWrapped(s)
	d := c
	theCache = d.cache
	e := newAddressed(s)
	theInt = &e.n
	f, err := newBoth(s)
	if err == nil {
		theCache = f.cache
	}
	return []*Lexer{a, b, c, e, f}
}
`,
		// A variable without pointers is kept by its address.
		"numbers": `
var (
	theInt  *int
	theList []int
	theFunc func() int
	ints    = make(chan *int, 1)
)

type pair struct{ a, b int }

func keep(list []int) { theList = list }

func Parse(s string) []*int {
	a := len(s) // stays: a variable
	theInt = &a
	var b [8]int // stays: a variable
	keep(b[:])
	c := pair{a: len(s)} // stays: a variable
	theInt = &c.a
	d := len(s) // stays: a variable
	ints <- &d
	e := len(s) // moves: a variable
	f := len(s) // moves: a variable
	theInt = new(f)
	g := pair{a: len(s)} // moves: a variable
	theInt = new(g.a)
	return []*int{&a, &e, &f, &g.b}
}
`,
		// What a literal returns goes where its calls are, and where its callers put it.
		"results of literals": `
type N struct{ next *N }

type Reg struct{ last *N }

var (
	theNode *N
	reg     = &Reg{}
)

func keep(f func() *N) { theNode = f() }

func keepLater(f func() *N) { keep(f) }

func pass(f func() *N) *N { return f() }

func def() *Reg { return reg }

func put(get func() *Reg, n *N) { get().last = n }

func Parse(s string) (all []*N) {
	local := func() *N {
		return &N{} // stays: a value
	}
	theNode = local()
	at := func() *N { return &N{} } // moves: a value
	all = append(all, at())
	keep(func() *N {
		return &N{} // stays: a value
	})
	keepLater(func() *N {
		return &N{} // stays: a value
	})
	theNode = pass(func() *N {
		return &N{} // stays: a value
	})
	all = append(all, pass(func() *N {
		return &N{} // moves: a value
	}))
	theNode = func() *N { return &N{} }() // stays: a value
	n := &N{} // stays: a value
	put(def, n)
	return append(all, n)
}
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

// local calls all methods of a table that nobody else has.
func local(s string) *table {
	t := &table{names: map[string]bool{}} // moves: a value
	t.has(s)
	t.add(s)
	t.wrap(s)
	t.inLiteral(s)
	t.inValue(s)
	t.address(&node{}) // moves: a value
	t.alias(s)
	t.inside(s)
	t.through(s)
	t.called(s)
	t.ranged([]string{s})
	t.named(s)
	return t
}

func Parse(s string) (all []string, n *node, t *table) {
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
	return append(all, k, l, m, o, p, q, r, u, v, w, x), n, local(s)
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
	a.parts[0] = s + "a" // stays: text
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
type Expr interface{ pos() int }

type Node struct {
	name string
	kids []Expr
}

type Leaf struct{ name string }

func (n *Node) pos() int { return len(n.name) }

func (l *Leaf) pos() int { return len(l.name) }

func walk(x Expr, stack *[]Expr, f func(x Expr, stack []Expr) error) {
	if err := f(x, *stack); err != nil {
		return
	}
	*stack = append(*stack, x)
	down := func(x Expr) { walk(x, stack, f) }
	switch n := x.(type) {
	case *Node:
		for _, k := range n.kids {
			down(k)
		}
	}
	*stack = (*stack)[:len(*stack)-1]
}

func Parse(s string) (*Node, int) {
	n := &Node{name: s} // moves: a value
	n.kids = append(n.kids, &Leaf{name: s + "k"}) // moves: a value, text, append
	var stack []Expr
	depth := 0
	walk(n, &stack, func(_ Expr, stack []Expr) error { depth = max(depth, len(stack)); return nil })
	return n, depth
}
`,
		// A struct that has in a field what is a package's is none of it. What a copy has may be.
		"fields of packages": `
type Dialect struct{ name string }

type Matcher struct {
	dialects map[string]*Dialect
	lang     string
}

var (
	builtin  = map[string]*Dialect{"en": &Dialect{}}
	names    = []string{"a", "b"}
	dialects = []*Dialect{&Dialect{}}
)

func newMatcher(d map[string]*Dialect) *Matcher { return &Matcher{dialects: d} }

func setMatcher(d map[string]*Dialect) *Matcher {
	m := &Matcher{} // moves: a value
	m.dialects = d
	return m
}

func through(d map[string]*Dialect) *Matcher { return setMatcher(d) }

func same(d *Dialect) *Dialect { return d }

func wrapped(d *Dialect) *Dialect { return same(d) }

func Parse(s string) ([]*Matcher, []string, []*Dialect) {
	a := newMatcher(builtin)
	a.lang = s + "a" // moves: text
	b := through(builtin)
	b.lang = s + "b" // moves: text
	a.dialects["en"].name = s + "c" // stays: text
	same(builtin["en"]).name = s + "d" // stays: text
	wrapped(builtin["en"]).name = s + "e" // stays: text
	list := make([]string, len(names)) // moves: a slice
	copy(list, names)
	list[0] = s + "f" // moves: text
	copied := make([]*Dialect, len(dialects)) // moves: a slice
	copy(copied, dialects)
	copied[0].name = s + "g" // stays: text
	return []*Matcher{a, b}, list, copied
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
	key := s + "-" + strings.Join(groups, "-") // moves: text
	_, ok := m.LoadOrStore(key, true)
	return ok
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := written(t, "-- p.go --\npackage m\n"+source)
			r := parseAsCommented(t, dir)
			for _, src := range r.Files {
				if bytes.Contains(src, []byte("mistakeIn")) {
					t.Error("what becomes an error lies in the arena")
				}
			}
		})
	}
}

// TestFunctionTypes: a place that package unsafe looks at may have functions of several types. A
// call is of functions that fit.
func TestFunctionTypes(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import (
	"encoding/json"
	"unsafe"
)

type differ struct {
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
	value     any
	list      []string
}

func Compare(src any) []string {
	d := &differ{marshal: json.Marshal, unmarshal: json.Unmarshal}
	touch(unsafe.Pointer(d))
	b, err := d.marshal(src)
	if err != nil || d.unmarshal(b, &d.value) != nil {
		return nil
	}
	d.list = append(d.list, "text")
	return d.list
}

func touch(p unsafe.Pointer) { *(*byte)(p) |= 0 }
`
	if r, _ := rewritten(t, source, Options{Roots: []string{"m.Compare"}}); r.Moved() == 0 {
		t.Error("nothing moves")
	}
}
