package loggers

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/arena-go/arena"
)

func (w *worker) copied(in []byte) {
	a := w.pool.Get()
	w.log.With("job", strings.Clone(arena.String(a, in))).Info("done", "size", len(in))
	w.pool.Put(a)
}

// A logger that nothing is logged with.
func (w *worker) silent(in []byte) bool {
	a := w.pool.Get()
	defer w.pool.Put(a)
	log := w.log.With("job", arena.String(a, in))
	return log.Enabled(context.Background(), slog.LevelDebug)
}

// A handler that writes at once.
func (w *worker) written(out io.Writer, in []byte) {
	a := w.pool.Get()
	slog.New(slog.NewJSONHandler(out, nil)).With("job", arena.String(a, in)).Info("done")
	w.pool.Put(a)
}
