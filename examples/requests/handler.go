package main

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// newHandler returns the service. Everything that a request needs is in the arena that its
// context carries, and on the heap when it carries none.
func newHandler(c *catalogue) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /quote", c.serveQuote)
	mux.HandleFunc("GET /item/{id}", c.serveItem)
	return mux
}

// serveQuote answers an order with a quote. It makes some thousand small values.
func (c *catalogue) serveQuote(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	o := arena.Ptr(a, order{Baskets: defaultBaskets})
	if err := arenajson.Read(r, o); err != nil {
		status := http.StatusInternalServerError
		if bad := (*arenajson.RequestError)(nil); errors.As(err, &bad) {
			status = bad.Status
		}
		respondError(a, w, status, err.Error())
		return
	}
	if err := o.check(); err != nil {
		respondError(a, w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	respond(w, http.StatusOK, newQuote(a, c, o))
}

// An item is an article as the service shows it.
type item struct {
	ID       int     `json:"id"`
	Name     string  `json:"name"`
	Category string  `json:"category"`
	Offers   []price `json:"offers"`
}

// A price is an offer of an item.
type price struct {
	Supplier string `json:"supplier"`
	Price    int64  `json:"price"`
	Stock    int    `json:"stock"`
	Days     int    `json:"days"`
}

// serveItem answers with an article. It makes next to nothing.
func (c *catalogue) serveItem(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 0 || id >= len(c.articles) {
		respondError(a, w, http.StatusNotFound, "there is no such article")
		return
	}
	article := c.articles[id]
	offers := arena.MakeSlice[price](a, 0, len(article.offers))
	for _, o := range article.offers {
		offers = append(offers, price{o.supplier.name, o.price, o.stock, o.days})
	}
	respond(w, http.StatusOK, arena.Ptr(a, item{article.id, article.name, article.category, offers}))
}

// A failure is the answer to a request that cannot be served.
type failure struct {
	Error string `json:"error"`
}

func respondError(a *arena.Arena, w http.ResponseWriter, status int, text string) {
	respond(w, status, arena.Ptr(a, failure{text}))
}

// respond writes the response. An error means that the client has gone: all values of this program
// can be encoded.
func respond(w http.ResponseWriter, status int, v any) {
	arenajson.Write(w, status, v)
}
