package main

import (
	"errors"
	"fmt"
)

// An order is what a customer wants a quote for. It is a JSON document such as
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
type order struct {
	Customer customer `json:"customer"`
	Baskets  int      `json:"baskets"` // how many the answer may have
	Lines    []line   `json:"lines"`

	discount int64 // in percent
}

type customer struct {
	ID      string `json:"id"`
	Country string `json:"country"`
	Tier    string `json:"tier"`
}

// A line of an order is a wish that any article may fulfil that all words describe.
type line struct {
	Category string   `json:"category"`
	Words    []string `json:"words"`
	Quantity int      `json:"quantity"`
	Limit    int64    `json:"limit"`  // the highest price of one in cents, or 0
	Prefer   []string `json:"prefer"` // brands that come first
}

const (
	maxLines       = 1000
	maxWords       = 8 // of a line, also its brands
	maxQuantity    = 1e6
	maxBaskets     = 50
	defaultBaskets = 5
)

// discounts are the customers' tiers.
var discounts = map[string]int64{"": 0, "silver": 5, "gold": 10}

// check says what is wrong with an order, and sets its discount.
func (o *order) check() error {
	discount, ok := discounts[o.Customer.Tier]
	if !ok {
		return fmt.Errorf("tier: is %q, want silver, gold or none", o.Customer.Tier)
	}
	o.discount = discount
	if o.Baskets < 1 || o.Baskets > maxBaskets {
		return fmt.Errorf("baskets: is %d, want 1 to %d", o.Baskets, maxBaskets)
	}
	if n := len(o.Lines); n < 1 || n > maxLines {
		return fmt.Errorf("lines: are %d, want 1 to %d", n, maxLines)
	}
	for i := range o.Lines {
		if err := o.Lines[i].check(); err != nil {
			return fmt.Errorf("line %d: %w", i, err)
		}
	}
	return nil
}

func (l *line) check() error {
	switch {
	case l.Category == "":
		return errors.New("category: is missing")
	case len(l.Words) < 1 || len(l.Words) > maxWords:
		return fmt.Errorf("words: are %d, want 1 to %d", len(l.Words), maxWords)
	case len(l.Prefer) > maxWords:
		return fmt.Errorf("prefer: are %d, want at most %d", len(l.Prefer), maxWords)
	case l.Quantity < 1 || l.Quantity > maxQuantity:
		return fmt.Errorf("quantity: is %d, want 1 to %d", l.Quantity, int(maxQuantity))
	case l.Limit < 0:
		return fmt.Errorf("limit: is %d, want 0 or more", l.Limit)
	}
	return nil
}
