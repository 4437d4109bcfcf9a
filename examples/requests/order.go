package main

import (
	"fmt"
	"strconv"

	"github.com/arena-go/arena"
)

// An order is what a customer wants a quote for.
type order struct {
	customer string
	country  string
	discount int64 // in percent
	baskets  int   // how many the answer may have
	lines    []*line
}

// A line of an order is a wish that any article may fulfil that all words describe.
type line struct {
	category string
	words    []string
	quantity int
	limit    int64    // the highest price of one in cents, or 0
	prefer   []string // brands that come first
}

const (
	maxLines   = 1000
	maxWords   = 8 // of a line, also its brands
	maxBaskets = 50
)

// discounts are the customers' tiers.
var discounts = map[string]int64{"": 0, "silver": 5, "gold": 10}

// parseOrder returns the order in a JSON document such as
//
//	{
//	  "customer": {"id": "c17", "country": "DE", "tier": "gold"},
//	  "baskets": 5,
//	  "lines": [
//	    {"category": "screws", "words": ["steel", "m8"], "quantity": 20, "limit": 150, "prefer": ["Acme"]}
//	  ]
//	}
//
// Category, words and quantity are required. Other members are ignored.
func parseOrder(a *arena.Arena, text string) (*order, error) {
	doc, err := parseJSON(a, text)
	if err != nil {
		return nil, err
	}
	f := fields{arena: a, line: -1}
	customer := f.get(doc, "customer", isObject)
	o := arena.Put(a, order{
		customer: f.str(customer, "id"),
		country:  f.str(customer, "country"),
		baskets:  int(f.int(doc, "baskets", 1, maxBaskets, 5)),
	})
	tier := f.str(customer, "tier")
	discount, ok := discounts[tier]
	if !ok {
		f.fail("tier", "is %q, want silver, gold or none", tier)
	}
	o.discount = discount

	lines := f.get(doc, "lines", isArray)
	if lines == nil || lines.len() == 0 || lines.len() > maxLines {
		f.fail("lines", "want 1 to %d", maxLines)
		return nil, f.err
	}
	o.lines = arena.MakeSlice[*line](a, 0, lines.len())
	for n := lines.first; n != nil && f.err == nil; n = n.next {
		f.line++
		o.lines = append(o.lines, arena.Put(a, line{
			category: f.str(n, "category"),
			words:    f.strs(n, "words"),
			quantity: int(f.int(n, "quantity", 1, 1e6, 0)),
			limit:    f.int(n, "limit", 1, 1e12, 0),
			prefer:   f.strs(n, "prefer"),
		}))
		switch l := o.lines[f.line]; {
		case l.category == "":
			f.fail("category", "is missing")
		case len(l.words) == 0:
			f.fail("words", "is missing")
		case l.quantity == 0:
			f.fail("quantity", "is missing")
		}
	}
	return o, f.err
}

// fields reads members of objects. The first that is wrong is its error.
type fields struct {
	arena *arena.Arena
	line  int // or -1
	err   error
}

func (f *fields) fail(name, format string, args ...any) {
	if f.err != nil {
		return
	}
	where := ""
	if f.line >= 0 {
		where = fmt.Sprintf("line %d: ", f.line)
	}
	f.err = fmt.Errorf("%s%s: %s", where, name, fmt.Sprintf(format, args...))
}

// get returns a member of the given kind, or nil where there is none, or null.
func (f *fields) get(n *node, name string, want kind) *node {
	if n != nil && n.kind != isObject {
		f.fail(name, "want an object around it, not %v", n.kind)
		return nil
	}
	m := n.get(name)
	if m == nil || m.kind == isNull {
		return nil
	}
	if m.kind != want {
		f.fail(name, "is %v, want %v", m.kind, want)
		return nil
	}
	return m
}

func (f *fields) str(n *node, name string) string {
	if m := f.get(n, name, isString); m != nil {
		return m.text
	}
	return ""
}

// int returns a number from lowest to highest, or the other one where there is none.
func (f *fields) int(n *node, name string, lowest, highest, none int64) int64 {
	m := f.get(n, name, isNumber)
	if m == nil {
		return none
	}
	i, err := strconv.ParseInt(m.text, 10, 64)
	if err != nil || i < lowest || i > highest {
		f.fail(name, "is %s, want an integer from %d to %d", m.text, lowest, highest)
		return none
	}
	return i
}

// strs returns a list of strings.
func (f *fields) strs(n *node, name string) []string {
	list := f.get(n, name, isArray)
	if list == nil {
		return nil
	}
	count := list.len()
	if count > maxWords {
		f.fail(name, "are %d, want at most %d", count, maxWords)
		return nil
	}
	s := arena.MakeSlice[string](f.arena, 0, count)
	for m := list.first; m != nil; m = m.next {
		if m.kind != isString {
			f.fail(name, "has %v, want strings", m.kind)
			return nil
		}
		s = append(s, m.text)
	}
	return s
}
