// Package twice has code that is there twice when it has been rewritten: as it was, for a nil arena, and with an arena.
package twice

import "strings"

// An Index has the places of words.
type Index struct {
	Places map[string][]int
	Names  []string
	marked map[string][]*int
	chain  *pair
	both   *both
	counts []*counted
	last   *pair
	half   *pair
}

// Build returns the index of a text.
func Build(text string) *Index {
	x := &Index{Places: map[string][]int{}, marked: map[string][]*int{}} // field by field
	for i, word := range strings.Fields(text) {
		add(x, []byte(word), i)
	}
	return x
}

func add(x *Index, word []byte, place int) {
	x.Places[string(word)] = append(x.Places[string(word)], place) // once
	switch {
	case len(word) > 1:
		x.Places[string(word[:1])] = append(x.Places[string(word[:1])], place, -place) // once
	}
	at := place
	x.marked[string(word)] = append(x.marked[string(word)], &at) // in two steps: with a variable that is moved
	if list := x.Places; place > 1 {
		list["many"] = append(list["many"], place)
	}
	x.Names = append(x.Names, join(", ", string(word), "again"), quoted(string(word)))
	x.Names = append(x.Names, unnamed("a", 1), join2(string(word)), shadow(string(word)))
	var all []string
	collect(&all, string(word))
	x.Names = append(x.Names, all...)
	x.counts = append(x.counts, ordered(&count{}), unordered(&count{}))
	x.chain, x.both = chain(place, x.Names...), unkeyed(place, 2)
	x.last = assigned(&count{})
	first, _ := results(&count{3})
	second, _ := called(&count{3})
	x.counts = append(x.counts, first, second)
	x.half = half(nil)
}

func join(by string, words ...string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(by)
		}
		b.WriteString(w)
	}
	return b.String()
}

type text string

func (t text) quoted() string {
	var b strings.Builder
	b.WriteByte('"')
	b.WriteString(string(t))
	b.WriteByte('"')
	return b.String()
}

func quoted(s string) string { return text(s).quoted() }

// unnamed has a parameter that it cannot pass on.
func unnamed(s string, _ int) string {
	var b strings.Builder
	b.WriteString(s)
	return b.String()
}

func join2(s string) (joined string) {
	var b strings.Builder
	b.WriteString(s)
	b.WriteString(s)
	joined = b.String()
	return
}

// shadow has a parameter of its name.
func shadow(shadow string) string {
	var b strings.Builder
	b.WriteString(shadow)
	return b.String()
}

// collect has no result.
func collect(to *[]string, s string) {
	var b strings.Builder
	b.WriteString(s)
	b.WriteString("!")
	*to = append(*to, b.String())
}

// A pair is a value that two literals make.
type pair struct {
	left, right any
	_           int
	next        *pair
}

// A count changes when it is asked.
type count struct{ n int }

func (c *count) more() int { c.n++; return c.n }

type counted struct{ before, first, second, after int }

func ordered(c *count) *counted {
	return &counted{before: 7, first: c.more(), second: c.more(), after: c.n} // field by field
}

func unordered(c *count) *counted {
	return &counted{before: c.n, first: c.more(), second: c.n + c.more(), after: c.more()} // at once
}

func chain(n int, names ...string) *pair {
	first := &pair{left: names[0], next: &pair{left: n}} // field by field
	first.next.next = &pair{right: names}
	if n > 1 {
		return &pair{
			right: func() string { /* a comment in a value */ return "r" }(),
			left:  n,
			next:  first,
		}
	}
	last := &pair{
		left: n, // a comment beside a value
		next: first,
	}
	return last
}

type both struct{ a, b int }

func unkeyed(a, b int) *both { return &both{a + 1, b} } // field by field

func assigned(c *count) *pair {
	last := &pair{left: c.more()}
	last = &pair{left: c.more(), next: last} // with what the variable was
	last.next.next = &pair{left: c.more()}
	list := []*pair{nil}
	list[c.more()-4] = &pair{left: c.more()} // at once: the index comes first
	last, c.n = &pair{next: last, right: list[0]}, 0
	return last
}

func results(c *count) (*counted, error) {
	return &counted{before: 7, first: c.more()}, nil // field by field
}

func called(c *count) (*counted, int) {
	return &counted{before: 7, first: 4}, c.more() // at once
}

// half panics before the value is whole.
func half(c *count) (p *pair) {
	defer func() { _ = recover() }()
	p = &pair{left: "half", right: c.n}
	return p
}
