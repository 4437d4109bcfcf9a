package main

import (
	"cmp"
	"slices"

	"github.com/arena-go/arena"
)

// A quote is the answer to an order: for each of its lines what fits, and the baskets
// of the suppliers who have most of it. All that it points at lies in its arena or in
// the catalogue. Its exported fields are what the customer gets.
type quote struct {
	Customer string    `json:"customer"`
	Lines    []found   `json:"lines"`
	Baskets  []*basket `json:"baskets"` // the best first

	arena *arena.Arena
	order *order
	of    *arena.Map[*supplier, *basket]
}

// found says what fits a line.
type found struct {
	Candidates int    `json:"candidates"`
	Best       *int64 `json:"best"` // the price of one
}

// A candidate is an offer that a line can be fulfilled with.
type candidate struct {
	Line    int    `json:"line"`
	Article int    `json:"article"`
	Name    string `json:"name"`
	Unit    int64  `json:"unit"` // price of one in cents, after the discount
	Sum     int64  `json:"sum"`  // price of all
	Days    int    `json:"days"`

	supplier  *supplier
	preferred bool
}

// A basket is what one supplier has, at most one candidate for each line.
type basket struct {
	Supplier string       `json:"supplier"`
	Country  string       `json:"country"`
	Goods    int64        `json:"goods"` // sum of the items in cents
	Shipping int64        `json:"shipping"`
	Items    []*candidate `json:"items"`   // in the order of the lines
	Missing  []int        `json:"missing"` // lines without an item

	supplier *supplier
}

func (b *basket) total() int64 { return b.Goods + b.Shipping }

// newQuote answers an order, in the given arena, in which the order lies too.
func newQuote(a *arena.Arena, c *catalogue, o *order) *quote {
	q := arena.Ptr(a, quote{
		Customer: o.Customer.ID,
		Lines:    arena.MakeSlice[found](a, len(o.Lines), len(o.Lines)),
		Baskets:  arena.MakeSlice[*basket](a, 0, 0), // [] in JSON if none fits
		arena:    a, order: o, of: arena.NewMap[*supplier, *basket](a, 0),
	})
	for i := range o.Lines {
		fits := q.candidates(c, i)
		for _, c := range fits {
			q.add(c)
		}
		if q.Lines[i].Candidates = len(fits); len(fits) > 0 {
			q.Lines[i].Best = &fits[0].Unit
		}
	}
	for _, b := range q.Baskets {
		q.ship(b)
	}
	slices.SortFunc(q.Baskets, func(x, y *basket) int {
		return cmp.Or(
			cmp.Compare(len(y.Items), len(x.Items)),
			cmp.Compare(x.total(), y.total()),
			cmp.Compare(x.supplier.id, y.supplier.id))
	})
	q.Baskets = q.Baskets[:min(len(q.Baskets), o.Baskets)]
	for _, b := range q.Baskets {
		q.miss(b)
	}
	return q
}

// candidates returns what fits the line of this number, the best first.
func (q *quote) candidates(c *catalogue, number int) (fits []*candidate) {
	l := &q.order.Lines[number]
	for _, id := range q.articles(c, l) {
		a := c.articles[id]
		preferred := slices.Contains(l.Prefer, a.brand)
		for i := range a.offers {
			o := &a.offers[i]
			unit := o.price - o.price*q.order.discount/100
			if o.stock < l.Quantity || l.Limit > 0 && unit > l.Limit {
				continue
			}
			fits = arena.Push(q.arena, fits, arena.Ptr(q.arena, candidate{
				Line:      number,
				Article:   a.id,
				Name:      a.name,
				Unit:      unit,
				Sum:       unit * int64(l.Quantity),
				Days:      o.days,
				supplier:  o.supplier,
				preferred: preferred,
			}))
		}
	}
	slices.SortFunc(fits, (*candidate).compare)
	return fits
}

// compare orders the candidates of a line, the best first.
func (c *candidate) compare(d *candidate) int {
	switch {
	case c.preferred && !d.preferred:
		return -1
	case d.preferred && !c.preferred:
		return +1
	case c.Unit != d.Unit:
		return cmp.Compare(c.Unit, d.Unit)
	case c.Days != d.Days:
		return cmp.Compare(c.Days, d.Days)
	}
	return cmp.Compare(c.Article, d.Article)
}

// articles returns the ids of those that all words of l describe, in order.
func (q *quote) articles(c *catalogue, l *line) []int32 {
	ids := c.index[term{l.Category, l.Words[0]}]
	for _, word := range l.Words[1:] {
		next := c.index[term{l.Category, word}]
		var both []int32
		for i, j := 0, 0; i < len(ids) && j < len(next); {
			switch {
			case ids[i] < next[j]:
				i++
			case ids[i] > next[j]:
				j++
			default:
				both = arena.Append(q.arena, both, ids[i])
				i, j = i+1, j+1
			}
		}
		ids = both
	}
	return ids
}

// add puts c into the basket of its supplier, unless that has a better one for the line.
func (q *quote) add(c *candidate) {
	b := q.basket(c.supplier)
	if n := len(b.Items); n > 0 && b.Items[n-1].Line == c.Line {
		return
	}
	b.Items = arena.Push(q.arena, b.Items, c)
	b.Goods += c.Sum
}

// basket returns the basket of s.
func (q *quote) basket(s *supplier) *basket {
	b := q.of.Entry(s)
	if *b == nil {
		*b = arena.Ptr(q.arena, basket{Supplier: s.name, Country: s.country, supplier: s})
		q.Baskets = arena.Push(q.arena, q.Baskets, *b)
	}
	return *b
}

// ship sets the price of shipping.
func (q *quote) ship(b *basket) {
	s := b.supplier
	switch {
	case b.Goods >= s.freeFrom:
	case s.country != q.order.Customer.Country:
		b.Shipping = 2 * s.shipping
	default:
		b.Shipping = s.shipping
	}
}

// miss lists the lines for which b has nothing.
func (q *quote) miss(b *basket) {
	b.Missing = arena.MakeSlice[int](q.arena, 0, len(q.order.Lines)-len(b.Items))
	items := b.Items
	for i := range q.order.Lines {
		if len(items) > 0 && items[0].Line == i {
			items = items[1:]
		} else {
			b.Missing = append(b.Missing, i)
		}
	}
}
