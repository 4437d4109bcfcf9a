// Package loggers has mistakes with handlers that keep records, and the attributes of a logger.
package loggers

import (
	"context"
	"log/slog"
	"sync"

	"github.com/arena-go/arena"
)

type batch struct {
	mu   sync.Mutex
	recs []slog.Record
}

type handler struct {
	*batch
	attrs []slog.Attr
}

func (h *handler) Enabled(context.Context, slog.Level) bool { return true }
func (h *handler) WithGroup(string) slog.Handler            { return h }

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.batch, append(append([]slog.Attr(nil), h.attrs...), attrs...)}
}

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r = r.Clone()
	r.AddAttrs(h.attrs...)
	h.recs = append(h.recs, r)
	return nil
}

type worker struct {
	pool arena.Pool
	h    *handler
	log  *slog.Logger
}

func newWorker() *worker {
	h := &handler{batch: new(batch)}
	return &worker{h: h, log: slog.New(h)}
}

func (w *worker) record(in []byte) {
	a := w.pool.Get()
	w.log.Info("done", "job", arena.String(a, in)) // want `outlives: the result of arena.String .*; it ends by Pool.Put`
	w.pool.Put(a)
}

func (w *worker) with(in []byte) {
	a := w.pool.Get()
	log := w.log.With("job", arena.String(a, in))
	log.Info("done") // want `outlives: the result of arena.String .*; it ends by Pool.Put`
	w.pool.Put(a)
}

func (w *worker) made(in []byte) {
	a := w.pool.Get()
	log := slog.New(w.h).With(slog.String("job", arena.String(a, in)))
	log.Info("done") // want `outlives: the result of arena.String .*; it ends by Pool.Put`
	w.pool.Put(a)
}
