package main

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/arena-go/arena/arenajson"
)

// A ready has everything of an order that it takes JSON and rows to know.
type ready struct {
	order  *Order
	answer *Answer
	skus   []string
	lines  []byte // of the order, as they are inserted
	body   []byte // of the answer
}

// readyOrder is order as if JSON and rows cost nothing: it reads the request and the rows as they
// come, and decodes only the first of each order. After that it knows all of it. So what it takes
// is what net/http, the driver, the kernel and the log take.
func (s *service) readyOrder(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	buf := s.buffers.Get().(*bytes.Buffer)
	defer s.buffers.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		s.fail(w, r, start, http.StatusBadRequest, err)
		return
	}
	s.mu.RLock()
	known := s.known[string(buf.Bytes())]
	s.mu.RUnlock()
	var err error
	if known == nil {
		known, err = s.learn(r.Context(), buf.String())
	} else if err = s.store.skip(r.Context(), known.skus); err == nil {
		err = s.store.insertLines(r.Context(), known.order, known.answer.Total, known.lines)
	}
	if err != nil {
		s.fail(w, r, start, http.StatusServiceUnavailable, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(known.body)))
	w.Write(known.body)
	s.access(r, start, http.StatusOK, known.order, known.answer)
}

// learn takes an order for the first time, and remembers what there is to know of it.
func (s *service) learn(ctx context.Context, body string) (k *ready, err error) {
	k = &ready{order: new(Order)}
	if err = arenajson.Unmarshal(nil, []byte(body), k.order); err != nil {
		return nil, err
	}
	k.skus = k.order.skus(nil)
	if k.answer, err = s.take(ctx, nil, k.order); err != nil {
		return nil, err
	}
	if k.lines, err = arenajson.Marshal(nil, k.order.Lines); err != nil {
		return nil, err
	}
	if k.body, err = arenajson.Marshal(nil, k.answer); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]*ready{}
	}
	s.known[body] = k
	return k, nil
}

// memory is what readyOrder remembers.
type memory struct {
	mu      sync.RWMutex
	known   map[string]*ready // by the body of the request
	buffers sync.Pool
}
