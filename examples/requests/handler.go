package main

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/arena-go/arena"
)

// maxBody is the largest request in bytes.
const maxBody = 1 << 20

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
	text, err := readBody(a, w, r)
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		respondError(a, w, status, err.Error())
		return
	}
	o, err := parseOrder(a, text)
	if err != nil {
		respondError(a, w, http.StatusBadRequest, err.Error())
		return
	}
	out := writer{Builder: arena.NewBuilder(a)}
	newQuote(a, c, o).write(&out)
	respond(w, http.StatusOK, out.Bytes())
}

// serveItem answers with an article. It makes next to nothing.
func (c *catalogue) serveItem(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 0 || id >= len(c.articles) {
		respondError(a, w, http.StatusNotFound, "there is no such article")
		return
	}
	out := writer{Builder: arena.NewBuilder(a)}
	out.Grow(1 << 10)
	c.articles[id].write(&out)
	respond(w, http.StatusOK, out.Bytes())
}

// write writes the article as JSON.
func (a *article) write(w *writer) {
	w.open('{')
	w.name("id")
	w.int(int64(a.id))
	w.name("name")
	w.str(a.name)
	w.name("category")
	w.str(a.category)
	w.name("offers")
	w.open('[')
	for _, o := range a.offers {
		w.open('{')
		w.name("supplier")
		w.str(o.supplier.name)
		w.name("price")
		w.int(o.price)
		w.name("stock")
		w.int(int64(o.stock))
		w.name("days")
		w.int(int64(o.days))
		w.close('}')
	}
	w.close(']')
	w.close('}')
}

// readBody returns the body of r.
func readBody(a *arena.Arena, w http.ResponseWriter, r *http.Request) (string, error) {
	piece := arena.MakeSlice[byte](a, 4<<10, 4<<10)
	b := arena.NewBuilder(a)
	if n := r.ContentLength; n > 0 && n <= maxBody {
		b.Grow(int(n))
	}
	_, err := io.CopyBuffer(b, http.MaxBytesReader(w, r.Body, maxBody), piece)
	return b.String(), err
}

func respondError(a *arena.Arena, w http.ResponseWriter, status int, text string) {
	out := writer{Builder: arena.NewBuilder(a)}
	out.open('{')
	out.name("error")
	out.str(text)
	out.close('}')
	respond(w, status, out.Bytes())
}

// respond writes the response. Its bytes are not used any more when it returns.
func respond(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
