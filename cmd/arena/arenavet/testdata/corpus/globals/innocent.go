package globals

import (
	"bytes"
	"context"
	"log/slog"
	"strings"

	"github.com/arena-go/arena"
)

// A printer keeps nothing.
type printer struct{ out bytes.Buffer }

func (p *printer) Enabled(context.Context, slog.Level) bool { return true }

func (p *printer) Handle(_ context.Context, r slog.Record) error {
	p.out.WriteString(r.Message)
	return nil
}

func (p *printer) WithAttrs([]slog.Attr) slog.Handler { return p }
func (p *printer) WithGroup(string) slog.Handler      { return p }

var printing = slog.New(&printer{})

func okPrinted(line []byte) {
	a := pool.Get()
	printing.Info(arena.String(a, line))
	pool.Put(a)
}

func okCloned(line []byte) {
	a := pool.Get()
	logger.Info(strings.Clone(arena.String(a, line)))
	pool.Put(a)
}
