// Package inner reads words with a parser that has a reader as a value in it, which begins anew by being set.
package inner

import "example.com/inner/tail"

// A place is where something is. Two can be compared.
type place struct{ line, column int }

func (p *place) lineText() string   { return "line " + text(p.line) }
func (p *place) columnText() string { return "column " + text(p.column) }
func (p *place) both() string       { return p.lineText() + ", " + p.columnText() }

type reader struct {
	src  []byte
	read [][]byte
	at   place
}

// start begins anew.
func (r *reader) start(src string) { *r = reader{src: []byte(src)} }

func (r *reader) next() []byte {
	for len(r.src) > 0 && r.src[0] == ' ' {
		r.src, r.at.column = r.src[1:], r.at.column+1
	}
	n := 0
	for n < len(r.src) && r.src[n] != ' ' {
		n++
	}
	if n == 0 {
		return nil
	}
	word := append([]byte(nil), r.src[:n]...)
	r.src, r.at.column = r.src[n:], r.at.column+n
	return word
}

func (r *reader) all() [][]byte {
	for word := r.next(); word != nil; word = r.next() {
		r.read = append(r.read, word)
	}
	return r.read
}

type parser struct {
	reader reader
	words  []string
	tail   tail.Tail
}

// Words returns the words of a text, and where it ends.
func Words(src string) ([]string, string) {
	p := parser{}
	p.parse(src)
	if p.reader.at == (place{}) {
		return nil, "nowhere"
	}
	return keep(&p), p.reader.at.both()
}

// Again is as Words, by a variable.
func Again(src string) []string {
	var p parser
	p.parse(src)
	return keep(&p)
}

// Tabs returns two numbers.
func Tabs(n int) []int {
	l := new(line)
	l.tabs.reset().add(n)
	return l.tabs.copy()
}

// Anew is as Words, by new, with a variable that has the name of a type.
func Anew(src string) []string {
	reader := new(parser)
	reader.parse(src)
	return keep(reader)
}

var kept = 0

//go:noinline
func keep(p *parser) []string { kept += len(p.words); return p.words }

func (p *parser) parse(src string) {
	p.reader.start(src)
	for _, word := range p.reader.all() {
		p.add(word)
	}
	p.close()
}

type word struct {
	text []byte
}

func (p *parser) add(text []byte) { p.words = append(p.words, string(p.word(text).text)) }

// word has other variables with the name of its receiver.
//
//go:noinline
func (p *parser) word(text []byte) *word {
	if len(text) > 1 {
		p := &word{text: append([]byte(nil), text...)}
		return p
	}
	if len(text) > 0 {
		p := word{text: append([]byte(nil), text...)}
		return &p
	}
	return &word{}
}

func (p *parser) close() { p.tail.Begin(); p.words = append(p.words, p.tail.End(".")) }

func text(n int) string {
	if n < 10 {
		return string([]byte{'0' + byte(n)})
	}
	return text(n/10) + text(n%10)
}

// A line is a value that has a carrier in it, and is made without an arena.
type line struct{ tabs tabs }

type tabs struct{ all []int }

func (t *tabs) add(n int)    { t.push(n); t.push(n + 1) }
func (t *tabs) push(n int)   { t.all = append(t.all, n) }
func (t *tabs) copy() []int  { return append([]int(nil), t.all...) }
func (t *tabs) reset() *tabs { *t = tabs{}; return t }
