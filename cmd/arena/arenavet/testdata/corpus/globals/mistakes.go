// Package globals has loggers that the declarations of variables make.
package globals

import (
	"context"
	"log/slog"

	"github.com/arena-go/arena"
)

var pool arena.Pool

// A batch keeps messages.
type batch struct{ messages []string }

func (b *batch) Enabled(context.Context, slog.Level) bool { return true }

func (b *batch) Handle(_ context.Context, r slog.Record) error {
	b.messages = append(b.messages, r.Message)
	return nil
}

func (b *batch) WithAttrs([]slog.Attr) slog.Handler { return b }
func (b *batch) WithGroup(string) slog.Handler      { return b }

var (
	logger  = slog.New(&batch{})
	kept    = &batch{}
	another = slog.New(kept)
)

func logged(line []byte) {
	a := pool.Get()
	logger.Info(arena.String(a, line)) // want `outlives: .* is stored in what the handler of the logger keeps`
	pool.Put(a)
}

func loggedByVariable(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	another.Warn(arena.String(a, line)) // want `outlives: `
}
