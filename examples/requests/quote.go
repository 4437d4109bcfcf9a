package main

import (
	"cmp"
	"slices"

	"github.com/arena-go/arena"
)

// A quote is the answer to an order: for each of its lines what fits, and the baskets
// of the suppliers who have most of it. All that it points at lies in its arena or in
// the catalogue.
type quote struct {
	arena   *arena.Arena
	order   *order
	found   [][]*candidate // for each line, the best first
	baskets []*basket      // the best first
	of      *arena.Map[*supplier, *basket]
}

// A candidate is an offer that a line can be fulfilled with.
type candidate struct {
	line      int
	article   *article
	offer     *offer
	preferred bool
	unit      int64 // price of one in cents, after the discount
	sum       int64 // price of all
}

// A basket is what one supplier has, at most one candidate for each line.
type basket struct {
	supplier *supplier
	items    []*candidate // in the order of the lines
	goods    int64        // sum of the items in cents
	shipping int64
}

func (b *basket) total() int64 { return b.goods + b.shipping }

// newQuote answers an order, in the given arena, in which the order lies too.
func newQuote(a *arena.Arena, c *catalogue, o *order) *quote {
	q := arena.Put(a, quote{arena: a, order: o, of: arena.NewMap[*supplier, *basket](a, 0)})
	q.found = arena.MakeSlice[[]*candidate](a, len(o.lines), len(o.lines))
	for i := range o.lines {
		q.found[i] = q.candidates(c, i)
		for _, c := range q.found[i] {
			q.add(c)
		}
	}
	for _, b := range q.baskets {
		q.ship(b)
	}
	slices.SortFunc(q.baskets, func(x, y *basket) int {
		return cmp.Or(
			cmp.Compare(len(y.items), len(x.items)),
			cmp.Compare(x.total(), y.total()),
			cmp.Compare(x.supplier.id, y.supplier.id))
	})
	q.baskets = q.baskets[:min(len(q.baskets), o.baskets)]
	return q
}

// candidates returns what fits the line of this number, the best first.
func (q *quote) candidates(c *catalogue, number int) (found []*candidate) {
	l := q.order.lines[number]
	for _, id := range q.articles(c, l) {
		a := c.articles[id]
		preferred := slices.Contains(l.prefer, a.brand)
		for i := range a.offers {
			o := &a.offers[i]
			unit := o.price - o.price*q.order.discount/100
			if o.stock < l.quantity || l.limit > 0 && unit > l.limit {
				continue
			}
			found = arena.Append(q.arena, found, arena.Put(q.arena, candidate{
				line:      number,
				article:   a,
				offer:     o,
				preferred: preferred,
				unit:      unit,
				sum:       unit * int64(l.quantity),
			}))
		}
	}
	slices.SortFunc(found, (*candidate).compare)
	return found
}

// compare orders the candidates of a line, the best first.
func (c *candidate) compare(d *candidate) int {
	switch {
	case c.preferred && !d.preferred:
		return -1
	case d.preferred && !c.preferred:
		return +1
	case c.unit != d.unit:
		return cmp.Compare(c.unit, d.unit)
	case c.offer.days != d.offer.days:
		return cmp.Compare(c.offer.days, d.offer.days)
	}
	return cmp.Compare(c.article.id, d.article.id)
}

// articles returns the ids of those that all words of l describe, in order.
func (q *quote) articles(c *catalogue, l *line) []int32 {
	ids := c.index[term{l.category, l.words[0]}]
	for _, word := range l.words[1:] {
		next := c.index[term{l.category, word}]
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
	b := q.basket(c.offer.supplier)
	if n := len(b.items); n > 0 && b.items[n-1].line == c.line {
		return
	}
	b.items = arena.Append(q.arena, b.items, c)
	b.goods += c.sum
}

// basket returns the basket of s.
func (q *quote) basket(s *supplier) *basket {
	b := q.of.Entry(s)
	if *b == nil {
		*b = arena.Put(q.arena, basket{supplier: s})
		q.baskets = arena.Append(q.arena, q.baskets, *b)
	}
	return *b
}

// ship sets the price of shipping.
func (q *quote) ship(b *basket) {
	s := b.supplier
	switch {
	case b.goods >= s.freeFrom:
	case s.country != q.order.country:
		b.shipping = 2 * s.shipping
	default:
		b.shipping = s.shipping
	}
}

// write writes the quote as JSON.
func (q *quote) write(w *writer) {
	w.open('{')
	w.name("customer")
	w.str(q.order.customer)
	w.name("lines")
	w.open('[')
	for _, found := range q.found {
		w.open('{')
		w.name("candidates")
		w.int(int64(len(found)))
		w.name("best")
		if len(found) > 0 {
			w.int(found[0].unit)
		} else {
			w.null()
		}
		w.close('}')
	}
	w.close(']')
	w.name("baskets")
	w.open('[')
	for _, b := range q.baskets {
		q.writeBasket(w, b)
	}
	w.close(']')
	w.close('}')
}

func (q *quote) writeBasket(w *writer, b *basket) {
	w.open('{')
	w.name("supplier")
	w.str(b.supplier.name)
	w.name("country")
	w.str(b.supplier.country)
	w.name("goods")
	w.int(b.goods)
	w.name("shipping")
	w.int(b.shipping)
	w.name("items")
	w.open('[')
	for _, c := range b.items {
		w.open('{')
		w.name("line")
		w.int(int64(c.line))
		w.name("article")
		w.int(int64(c.article.id))
		w.name("name")
		w.str(c.article.name)
		w.name("unit")
		w.int(c.unit)
		w.name("sum")
		w.int(c.sum)
		w.name("days")
		w.int(int64(c.offer.days))
		w.close('}')
	}
	w.close(']')
	w.name("missing")
	w.open('[')
	items := b.items
	for i := range q.order.lines {
		if len(items) > 0 && items[0].line == i {
			items = items[1:]
		} else {
			w.int(int64(i))
		}
	}
	w.close(']')
	w.close('}')
}
