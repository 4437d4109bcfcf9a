package keeps

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
	chans  map[string]chan string
}

var cell = &Cell{keys: map[string]bool{}, counts: map[factName]int{}}

// other has no place for a Fact, or for a part of one.
type other struct {
	file *file
	at   int
}

type file struct {
	lines []int32
	next  *file
}

// A log has what has gone wrong with others, and so much that may be part of these.
type log struct {
	all []entry
}

type entry interface{ where() other }

type misfit struct {
	at   other
	fact *Fact
}

func (w *misfit) where() other { return w.at }

var nowhere = other{}

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
	free := &Fact{Text: string(b) + "free"} // moves: a value, text
	into := &log{}
	logged(into, free)
	return []*Fact{free, into.all[0].(*misfit).fact} // moves: a slice
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

// logged puts a fact and a place into a log. Nothing of the fact can lie in what the place leads to.
func logged(l *log, f *Fact) {
	at := nowhere
	if len(f.Text) > 0 {
		at = other{nowhere.file, 1}
	}
	l.add(at, f)
	at.mark()
}

func (l *log) add(at other, f *Fact) { l.all = append(l.all, &misfit{at, f}) } // moves: append, a value

func (o other) mark() {
	if o.file != nil {
		o.file.next = nowhere.file
	}
}
