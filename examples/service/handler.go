package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// maxBody bounds a request in bytes.
const maxBody = 1 << 20

// A service takes orders.
type service struct {
	store store
	log   *slog.Logger
	memory
}

// handler returns the handler of a way to answer, but for the arena.
func (s *service) handler(way string) http.Handler {
	order := s.plainOrder
	switch way {
	case nilArena, inArena:
		order = s.order
	case noCodecs:
		s.buffers.New = func() any { return new(bytes.Buffer) }
		order = s.readyOrder
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", order)
	return mux
}

// order takes an order with the adapters of arenas. Without an arena in the context, all of it is
// on the heap.
func (s *service) order(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	//arena:trust drivers encode the arguments of a query, by reflection, and keep nothing of them when its rows are closed
	a := arena.FromContext(r.Context())
	o := arena.New[Order](a)
	if err := (arenajson.ReadOptions{MaxBytes: maxBody}).Read(r, o); err != nil {
		status := http.StatusBadRequest
		var bad *arenajson.RequestError
		if errors.As(err, &bad) {
			status = bad.Status
		}
		s.fail(w, r, start, status, err)
		return
	}
	if err := o.check(); err != nil {
		s.fail(w, r, start, http.StatusUnprocessableEntity, err)
		return
	}
	answer, err := s.take(r.Context(), a, o)
	if err != nil {
		s.fail(w, r, start, http.StatusServiceUnavailable, err)
		return
	}
	if err := arenajson.Write(w, http.StatusOK, answer); err != nil {
		s.log.Error("cannot answer", "error", err.Error())
		return
	}
	s.access(r, start, http.StatusOK, o, answer)
}

// take looks up what the order is about, and keeps the order.
func (s *service) take(ctx context.Context, a *arena.Arena, o *Order) (*Answer, error) {
	products, err := s.store.products(ctx, a, o.skus(a))
	if err != nil {
		return nil, err
	}
	answer, err := o.answer(a, products)
	if err != nil {
		return nil, err
	}
	return answer, s.store.insert(ctx, a, o, answer.Total)
}

// plainOrder is order as most programs have it: encoding/json, pgx.CollectRows or Rows.Scan, and
// maps of Go.
func (s *service) plainOrder(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	o := new(Order)
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(o); err != nil {
		status := http.StatusBadRequest
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			status = http.StatusRequestEntityTooLarge
		}
		s.fail(w, r, start, status, err)
		return
	}
	if err := o.check(); err != nil {
		s.fail(w, r, start, http.StatusUnprocessableEntity, err)
		return
	}
	answer, err := s.plainTake(r.Context(), o)
	if err != nil {
		s.fail(w, r, start, http.StatusServiceUnavailable, err)
		return
	}
	body, err := json.Marshal(answer)
	if err != nil {
		s.log.Error("cannot answer", "error", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
	s.access(r, start, http.StatusOK, o, answer)
}

func (s *service) plainTake(ctx context.Context, o *Order) (*Answer, error) {
	skus := make([]string, len(o.Lines))
	for i := range o.Lines {
		skus[i] = o.Lines[i].SKU
	}
	products, err := s.store.plainProducts(ctx, skus)
	if err != nil {
		return nil, err
	}
	answer, err := o.plainAnswer(products)
	if err != nil {
		return nil, err
	}
	return answer, s.store.plainInsert(ctx, o, answer.Total)
}

// access writes a line of the access log.
func (s *service) access(r *http.Request, start time.Time, status int, o *Order, answer *Answer) {
	s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", status),
		slog.Duration("took", time.Since(start)), slog.Int64("order", o.Number), slog.String("customer", o.Customer.ID), slog.Int("lines", len(answer.Lines)), slog.Int64("total", answer.Total))
}

// fail answers with an error. What the database says is for the log, and not for clients.
func (s *service) fail(w http.ResponseWriter, r *http.Request, start time.Time, status int, err error) {
	s.log.LogAttrs(r.Context(), slog.LevelWarn, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", status),
		slog.Duration("took", time.Since(start)), slog.String("error", err.Error()))
	text := err.Error()
	if status == http.StatusServiceUnavailable {
		text = "the database does not answer, and the order was not taken; try again"
	}
	body, _ := json.Marshal(map[string]string{"error": text})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
