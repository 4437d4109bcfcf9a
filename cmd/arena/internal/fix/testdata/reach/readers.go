package reach

import (
	"strings"
	"sync"
)

// A Dict is shared by goroutines that split, which does not change it.
type Dict struct {
	ids  map[string]int
	list []string
}

// Insert adds the words of a text.
func (d *Dict) Insert(text string) []*Node { return d.split(text, true) }

// Split is a root, and does not add words.
func (d *Dict) Split(text string) []*Node { return d.split(text, false) }

func (d *Dict) split(text string, insert bool) (all []*Node) {
	for w := range strings.FieldsSeq(text) {
		id, ok := d.ids[w]
		if !ok && insert {
			id = len(d.list)
			d.ids[w] = id
			d.list = append(d.list, w)
		}
		all = append(all, d.node(w, id)) // moves: append
	}
	return all
}

func (d *Dict) node(w string, id int) *Node {
	return &Node{Text: d.mark(w) + d.list[id]} // moves: a value, text
}

func (d *Dict) mark(w string) string { return w + "=" } // moves: text

func newDict(words string) *Dict {
	d := &Dict{ids: map[string]int{}}
	d.Insert(words)
	return d
}

var (
	dicts   = map[string]*Dict{"ab": newDict("a b")}
	english = sync.OnceValue(func() *Dict { return newDict("one two") })
	lazy    struct {
		once sync.Once
		dict *Dict
	}
)

// Looked is a root that finds a Dict in a table.
func Looked(name, text string) []*Node { return dicts[name].Split(text) }

// Once is a root that makes a Dict when it is called first.
func Once(text string) []*Node {
	lazy.once.Do(func() { lazy.dict = newDict("one two") })
	return append(lazy.dict.Split(text), english().Split(text)...) // moves: append
}

// A Titled is changed by its first call only, before it is shared.
type Titled struct{ text string }

// Title is a root.
func (l *Titled) Title() *Node {
	if l.text == "" {
		l.text = "title"
	}
	return &Node{Text: l.quoted() + "."} // moves: a value, text
}

func (l *Titled) quoted() string { return "'" + l.text } // moves: text

// A Duplex is read by one goroutine, and written by another one.
type Duplex struct{ in, out []string }

// Read is a root, and so is Write.
func (d *Duplex) Read() *Node {
	d.in = append(d.in, "<")              // moves: append
	return &Node{Text: d.mark("<") + "."} // moves: a value, text
}

// Write is a root.
func (d *Duplex) Write() *Node {
	d.out = append(d.out, ">")            // moves: append
	return &Node{Text: d.mark(">") + "."} // moves: a value, text
}

func (d *Duplex) mark(s string) string { return s + s } // moves: text

// A Phrase is shared when it is not to be loud.
type Phrase struct {
	text string
	said int
}

// NewPhrase is a root.
func NewPhrase(text string) *Phrase { return &Phrase{text: text} } // moves: a value

// Say is called by many goroutines.
func (p *Phrase) Say(loud bool) string {
	if loud {
		p.said++
		p.text = strings.ToUpper(p.text)
	}
	return p.text + "!"
}
