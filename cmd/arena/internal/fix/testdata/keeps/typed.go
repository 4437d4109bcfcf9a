package keeps

import "example.com/keeps/raw"

// A Fact is what functions store something of in a Cell, which may be a package's.
type Fact struct {
	Text string
	Nums [3]int
	Sub  struct{ P *int }
	Next *Fact
}

type factAlias Fact

type factName string

// A Cell has a place of each kind.
type Cell struct {
	text   *string
	list   []int
	name   factName
	bytes  []byte
	any    any
	call   func() string
	keys   map[string]bool
	counts map[factName]int
	sub    *struct{ P *int }
	alias  *factAlias
	raw    *raw.Header
}

var cell = &Cell{raw: new(raw.Header), keys: map[string]bool{}, counts: map[factName]int{}}

// A spot has no place for a problem, though a problem has a spot.
type spot struct {
	file *file
	at   int
}

type file struct {
	lines []int32
	open  opener
	names func() string
}

type opener interface{ Open() int }

type opened struct{ n *int }

func (o opened) Open() int { return *o.n }

// A problem has what has gone wrong.
type problem interface{ where() spot }

type problems []problem

func (p problems) where() spot { return p[0].where() }

type misfit struct {
	at   spot
	fact *Fact
}

func (m *misfit) where() spot { return m.at }

// A finder is kept in a keeper, which is a package's.
type finder interface{ Find() problem }

type keeper struct{ found finder }

type finding struct{ last problem }

func (f *finding) Find() problem { return f.last }

var theKeeper = keeper{&finding{}}

var nowhere = spot{}

func typed(b []byte) []*Fact {
	c := cell
	f := &Fact{Text: string(b) + "a"} // stays: a value, text
	storeText(c, f)
	g := &Fact{} // stays: a value
	storeList(c, g)
	h := string(b) + "b" // stays: text
	storeName(c, h)
	i := &Fact{Text: string(b) + "c"} // stays: a value, text
	storeAny(c, i)
	j := &Fact{Text: string(b) + "d"} // stays: a value, text
	storeCall(c, j)
	k := string(b) + "e" // stays: text
	storeKey(c, k)
	l := string(b) + "f" // stays: text
	storeCount(c, l)
	m := &Fact{} // stays: a value
	storeSub(c, m)
	n := &Fact{Text: string(b) + "g"} // stays: a value, text
	storeAlias(c, n)
	o := &Fact{Text: string(b) + "h"} // stays: a value, text
	storeGeneric(&c.any, any(o))
	p := append([]byte(nil), b...) // stays: append
	storeBytes(c, p)
	textsSet.add(string(b) + "i") // stays: text
	mark(marks, string(b)+"j")    // stays: text
	q := string(b) + "k"          // stays: text
	ranged(c, []string{q})
	found := &Fact{Text: string(b) + "l"}            // stays: a value, text
	storeProblem(theKeeper, &misfit{nowhere, found}) // stays: a value
	raw.Put(c.raw, new(int))                         // stays: a value
	free := &Fact{Text: string(b) + "free"}          // moves: a value, text
	into := &log{}
	into.expect(free)
	return []*Fact{free, into.all.(*misfit).fact} // moves: a slice
}

func storeProblem(k keeper, p problem) {
	f, _ := k.found.(*finding)
	f.last = p
}

func storeText(c *Cell, f *Fact)     { c.text = &f.Text }
func storeList(c *Cell, f *Fact)     { c.list = f.Nums[:] }
func storeName(c *Cell, s string)    { c.name = factName(s) }
func storeAny(c *Cell, f *Fact)      { c.any = f }
func storeCall(c *Cell, f *Fact)     { c.call = func() string { return f.Text } }
func storeKey(c *Cell, s string)     { c.keys[s] = true }
func storeCount(c *Cell, s string)   { c.counts[factName(s)]++ }
func storeSub(c *Cell, f *Fact)      { c.sub = &f.Sub }
func storeAlias(c *Cell, f *Fact)    { c.alias = (*factAlias)(f) }
func storeGeneric[T any](to *T, v T) { *to = v }
func storeBytes(c *Cell, b []byte)   { c.bytes = b }

func ranged(c *Cell, list []string) {
	for _, *c.text = range list {
	}
}

type textSet map[string]struct{}

func (s textSet) add(text string) { s[text] = struct{}{} }

var textsSet, marks = textSet{}, map[string]bool{}

func mark(m map[string]bool, text string) { m[text] = true }

// A log is what a parser is. What it adds to itself is of a spot, too, as far as it has one in it.
type log struct {
	at   spot
	all  problem
	lits []string
}

func (l *log) expect(f *Fact) spot {
	at := l.at
	if len(f.Text) > 0 {
		l.fail(at, f)
		at = nowhere
	}
	l.next(f)
	return at
}

func (l *log) fail(at spot, f *Fact) {
	l.all = add(l.all, &misfit{at, f}) // moves: a value
}

func (l *log) next(f *Fact) {
	l.lits = append(l.lits, f.Text+";") // moves: append, text
}

func add(a, b problem) problem {
	switch a := a.(type) {
	case nil:
		return b
	case problems:
		return append(a, b) // moves: append, a value in an interface
	}
	return append(problems{a}, b)
}
