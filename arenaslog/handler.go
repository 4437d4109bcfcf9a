package arenaslog

import (
	"context"
	"log/slog"
	"strings"
	"time"
)

// New returns a handler that passes h copies, on the heap, of everything that it receives. See the
// package comment. Any number of goroutines may use it, like any handler. New panics if h is nil.
func New(h slog.Handler) slog.Handler {
	if h == nil {
		panic("arenaslog: New: nil handler; pass the handler that receives the copies")
	}
	return &handler{h}
}

type handler struct{ inner slog.Handler }

func (h *handler) Enabled(ctx context.Context, l slog.Level) bool { return h.inner.Enabled(ctx, l) }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	c := slog.NewRecord(timeOf(r.Time), r.Level, strings.Clone(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		c.AddAttrs(attrOf(a))
		return true
	})
	return h.inner.Handle(ctx, c)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	return &handler{h.inner.WithAttrs(attrsOf(attrs))}
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{h.inner.WithGroup(strings.Clone(name))}
}

func attrOf(a slog.Attr) slog.Attr {
	return slog.Attr{Key: strings.Clone(a.Key), Value: valueOf(a.Value)}
}

func attrsOf(attrs []slog.Attr) []slog.Attr {
	c := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		c[i] = attrOf(a)
	}
	return c
}

func valueOf(v slog.Value) slog.Value {
	switch v = v.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.StringValue(strings.Clone(v.String()))
	case slog.KindGroup:
		return slog.GroupValue(attrsOf(v.Group())...)
	case slog.KindAny:
		return slog.AnyValue(anyOf(v.Any()))
	case slog.KindTime:
		return slog.TimeValue(timeOf(v.Time()))
	}
	return v // a number or a bool
}

// timeOf returns t with the name of its zone on the heap, if t may be in a time.FixedZone. Other
// zones have names of the time package, or of the system.
func timeOf(t time.Time) time.Time {
	name, offset := t.Zone()
	if at := t.Location(); at == time.UTC || at == time.Local || at.String() != name {
		return t
	}
	return t.In(time.FixedZone(strings.Clone(name), offset))
}
