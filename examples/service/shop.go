package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/arena-go/arena"
	"github.com/jackc/pgx/v5/pgtype"
)

// An Order is what a client sends.
type Order struct {
	Number   int64    `json:"number"`
	Customer Customer `json:"customer"`
	Lines    []Line   `json:"lines"`
	Coupons  []string `json:"coupons,omitempty"`
	Note     *string  `json:"note,omitempty"`
}

type Customer struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Email   string  `json:"email"`
	Address Address `json:"address"`
}

type Address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Zip     string `json:"zip"`
	Country string `json:"country"`
}

type Line struct {
	SKU      string   `json:"sku"`
	Quantity int64    `json:"quantity"`
	Note     string   `json:"note,omitempty"`
	Options  []Option `json:"options,omitempty"`
}

type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Product is a row of the database.
type Product struct {
	ID         int64
	SKU        string
	Name       string
	Category   string
	Price      pgtype.Numeric
	Stock      int64
	Weight     float64
	Updated    time.Time
	Note       *string
	Attributes Attributes
}

// Attributes are a document in a column.
type Attributes struct {
	Color string   `json:"color"`
	Size  int      `json:"size"`
	Tags  []string `json:"tags"`
}

// An Answer is what the client gets.
type Answer struct {
	Number   int64        `json:"number"`
	Customer string       `json:"customer"`
	Lines    []AnswerLine `json:"lines"`
	Missing  []string     `json:"missing,omitempty"`
	Total    int64        `json:"total_cents"`
	Weight   float64      `json:"weight"`
}

type AnswerLine struct {
	SKU       string    `json:"sku"`
	Name      string    `json:"name"`
	Category  string    `json:"category"`
	Quantity  int64     `json:"quantity"`
	Available bool      `json:"available"`
	Price     int64     `json:"price_cents"`
	Total     int64     `json:"total_cents"`
	Updated   time.Time `json:"updated"`
	Color     string    `json:"color"`
	Tags      []string  `json:"tags"`
	Note      *string   `json:"note,omitempty"`
}

// maxLines bounds an order.
const maxLines = 1000

// check says what is wrong with an order.
func (o *Order) check() error {
	switch {
	case o.Number <= 0:
		return errors.New("number must be positive")
	case o.Customer.ID == "":
		return errors.New("customer.id is missing")
	case len(o.Lines) == 0 || len(o.Lines) > maxLines:
		return fmt.Errorf("lines must be 1 to %d", maxLines)
	}
	for i := range o.Lines {
		if l := &o.Lines[i]; l.SKU == "" || l.Quantity < 1 || l.Quantity > 10000 {
			return fmt.Errorf("line %d: sku is missing, or quantity is not 1 to 10000", i)
		}
	}
	return nil
}

// skus returns what the order asks for.
func (o *Order) skus(a *arena.Arena) []string {
	list := arena.MakeSlice[string](a, len(o.Lines), len(o.Lines))
	for i := range o.Lines {
		list[i] = o.Lines[i].SKU
	}
	return list
}

// answer makes the answer of an order and the products that were found. Both are referred to.
func (o *Order) answer(a *arena.Arena, products []Product) (*Answer, error) {
	bySKU := arena.NewMap[string, *Product](a, len(products))
	for i := range products {
		bySKU.Set(products[i].SKU, &products[i])
	}
	answer := arena.Ptr(a, Answer{Number: o.Number, Customer: o.Customer.ID, Lines: arena.MakeSlice[AnswerLine](a, 0, len(o.Lines))})
	for i := range o.Lines {
		l := &o.Lines[i]
		p, ok := bySKU.Get(l.SKU)
		if !ok {
			answer.Missing = arena.Push(a, answer.Missing, l.SKU)
			continue
		}
		price, err := cents(p.Price)
		if err != nil {
			return nil, fmt.Errorf("product %s: %w", p.SKU, err)
		}
		answer.Lines = append(answer.Lines, AnswerLine{
			SKU: p.SKU, Name: p.Name, Category: p.Category, Quantity: l.Quantity, Available: p.Stock >= l.Quantity, Price: price,
			Total: price * l.Quantity, Updated: p.Updated, Color: p.Attributes.Color, Tags: p.Attributes.Tags, Note: p.Note,
		})
		answer.Total += price * l.Quantity
		answer.Weight += p.Weight * float64(l.Quantity)
	}
	return answer, nil
}

// plainAnswer is answer as written without arenas, with a Go map.
func (o *Order) plainAnswer(products []Product) (*Answer, error) {
	bySKU := make(map[string]*Product, len(products))
	for i := range products {
		bySKU[products[i].SKU] = &products[i]
	}
	answer := &Answer{Number: o.Number, Customer: o.Customer.ID, Lines: make([]AnswerLine, 0, len(o.Lines))}
	for i := range o.Lines {
		l := &o.Lines[i]
		p, ok := bySKU[l.SKU]
		if !ok {
			answer.Missing = append(answer.Missing, l.SKU)
			continue
		}
		price, err := cents(p.Price)
		if err != nil {
			return nil, fmt.Errorf("product %s: %w", p.SKU, err)
		}
		answer.Lines = append(answer.Lines, AnswerLine{
			SKU: p.SKU, Name: p.Name, Category: p.Category, Quantity: l.Quantity, Available: p.Stock >= l.Quantity, Price: price,
			Total: price * l.Quantity, Updated: p.Updated, Color: p.Attributes.Color, Tags: p.Attributes.Tags, Note: p.Note,
		})
		answer.Total += price * l.Quantity
		answer.Weight += p.Weight * float64(l.Quantity)
	}
	return answer, nil
}

// cents returns a price, which has two decimals at most, in cents.
func cents(n pgtype.Numeric) (int64, error) {
	if !n.Valid || n.NaN || n.InfinityModifier != pgtype.Finite || n.Int == nil || !n.Int.IsInt64() || n.Exp < -2 || n.Exp > 10 {
		return 0, errors.New("its price is not a number with two decimals")
	}
	v := n.Int.Int64()
	for range n.Exp + 2 {
		if v *= 10; v > 1e15 || v < -1e15 {
			return 0, errors.New("its price is too large")
		}
	}
	return v, nil
}
