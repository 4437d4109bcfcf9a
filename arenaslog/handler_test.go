package arenaslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaslog"
)

// TestHandler runs the standard library's tests of handlers.
func TestHandler(t *testing.T) {
	var b bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		b.Reset()
		return arenaslog.New(slog.NewJSONHandler(&b, nil))
	}, func(t *testing.T) map[string]any {
		var m map[string]any
		if err := json.Unmarshal(b.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m
	})
	defer func() {
		if p, _ := recover().(string); !strings.HasPrefix(p, "arenaslog: ") {
			t.Errorf("the panic for a nil handler is %q", p)
		}
	}()
	arenaslog.New(nil)
}

// late is a handler that writes what it was given when it is asked to.
type late struct {
	*queue
	to slog.Handler // of which attributes and groups are what was given before
}

type queue struct {
	mu    sync.Mutex
	write []func()
}

func (l late) Enabled(context.Context, slog.Level) bool { return true }
func (l late) Handle(ctx context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue.write = append(l.queue.write, func() { l.to.Handle(context.Background(), r) })
	return nil
}

// A lazy handler formats attributes of With when a record is written.
type lazy struct {
	slog.Handler
	more []func(slog.Handler) slog.Handler
}

func (l lazy) Handle(ctx context.Context, r slog.Record) error {
	h := l.Handler
	for _, f := range l.more {
		h = f(h)
	}
	return h.Handle(ctx, r)
}
func (l lazy) with(f func(slog.Handler) slog.Handler) lazy {
	return lazy{l.Handler, append(l.more[:len(l.more):len(l.more)], f)}
}

func (l late) WithAttrs(attrs []slog.Attr) slog.Handler {
	return late{l.queue, l.to.(lazy).with(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })}
}
func (l late) WithGroup(name string) slog.Handler {
	return late{l.queue, l.to.(lazy).with(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })}
}

// Values of all kinds that a program logs, with text of an arena.
type (
	valuer struct{ v slog.Value }
	user   struct{ Name, secret string }
	node   struct {
		Name string
		Next *node `json:"-"`
	}
	locked struct {
		_    sync.Mutex
		Name string
	}
	marshals struct{ f func() string }
	bad      struct{ C chan int }
	wrapped  struct{ err error }
	list     []string
)

func (v valuer) LogValue() slog.Value           { return v.v }
func (m marshals) MarshalText() ([]byte, error) { return []byte("text:" + m.f()), nil }
func (m marshals) MarshalJSON() ([]byte, error) { return []byte(`"<json>:` + m.f() + `"`), nil }
func (w *wrapped) Error() string                { return "wrapped: " + w.err.Error() }
func (u user) String() string                   { return "user " + u.Name + u.secret }

// log logs all kinds of attributes, with text of a, on l.
func log(l *slog.Logger, a *arena.Arena, id int) {
	s := func(s string) string { return arena.Sprintf(a, "%s of %d", s, id) }
	cycle := arena.Ptr(a, node{Name: s("node")})
	cycle.Next = cycle
	l = l.With(s("with"), s("with value")).WithGroup(s("group")).With(slog.Group(s("inner"), s("key"), s("value")))
	l.Info(s("message"),
		s("string"), s("string value"),
		"int", id, "float", math.Pi, "bool", true, "time", time.Unix(1e9, 0).UTC(), "duration", time.Second,
		"nil", nil, "addr", netip.MustParseAddr("192.0.2.1"),
		"valuer", valuer{slog.GroupValue(slog.String(s("a"), s("b")), slog.Any("c", valuer{slog.StringValue(s("d"))}))},
		"user", arena.Ptr(a, user{s("name"), s("secret")}), "struct", user{s("name"), s("secret")},
		"list", list(arena.SliceOf(a, s("x"), s("y"))), "bytes", arena.Bytes(a, []byte(s("bytes"))),
		"map", map[string]any{s("k"): []any{s("v"), 1, map[string]string{s("kk"): s("vv")}}},
		"cycle", cycle, "error", errors.New(s("error")), "wrapping", &wrapped{fmt.Errorf("a: %w", errors.New(s("b")))},
		"nested error", map[string]any{"e": &wrapped{errors.New(s("e"))}},
		"marshals", marshals{func() string { return s("f") }}, "bad", bad{make(chan int)}, "locked", struct{ L *locked }{nil},
		"many", arena.MakeSlice[*user](a, 5000, 5000), "context", context.Background(), "nil error", (*wrapped)(nil),
		"source", slog.Source{Function: s("f"), File: s("file")}, "group", slog.GroupValue(slog.String(s("g"), s("h"))))
}

// TestLate proves that a handler which writes when the arena is used for something else writes what
// one does that writes at once, both with many goroutines.
func TestLate(t *testing.T) {
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"JSON": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, options) },
		"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, options) },
	} {
		const goroutines, rounds = 4, 8
		var want bytes.Buffer
		for id := range goroutines * rounds {
			log(slog.New(handler(&want)), nil, id)
		}
		var got lines
		q := &queue{}
		l := slog.New(arenaslog.New(late{q, lazy{Handler: handler(&got)}}))
		done := make(chan bool)
		wrote := make(chan bool)
		go func() { // writes while others log
			defer close(wrote)
			for end := false; !end; {
				select {
				case <-done:
					end = true
				default:
				}
				q.mu.Lock()
				write := q.write
				q.write = nil
				q.mu.Unlock()
				for _, f := range write {
					f()
				}
			}
		}()
		var pool arena.Pool
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range rounds {
					pool.Do(func(a *arena.Arena) { log(l, a, g*rounds+i) })
				}
			})
		}
		wg.Wait()
		close(done)
		<-wrote
		w := map[string]bool{}
		for line := range strings.Lines(want.String()) {
			w[line] = true
		}
		for _, line := range got.all {
			if !w[line] {
				t.Fatalf("%s: the line\n%.2000s is not one of those of a handler that writes at once, such as\n%.3000s", name, line, want.String())
			}
			delete(w, line)
		}
		if len(w) > 0 {
			t.Errorf("%s: %d lines are missing", name, len(w))
		}
	}
}

// TestZones logs times in zones whose names are in an arena.
func TestZones(t *testing.T) {
	var b bytes.Buffer
	inner := slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindTime {
			a.Value = slog.StringValue(a.Value.Time().Format(time.RFC1123))
		}
		return a
	}})
	q := &queue{}
	h := arenaslog.New(late{q, lazy{Handler: inner}})
	a := arena.NewArena()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone(arena.String(a, "ZONE"), 3600))
	r := slog.NewRecord(at, slog.LevelInfo, "", 0)
	r.Add("x", at, "utc", at.UTC(), "local", at.Local())
	if err := h.Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	a.Reset()
	arena.String(a, "used again")
	for _, f := range q.write {
		f()
	}
	const want = "Fri, 02 Jan 2026 03:04:05 ZONE"
	if got := b.String(); strings.Count(got, want) != 2 || !strings.Contains(got, "02:04:05 UTC") || !strings.Contains(got, at.Local().Format(time.RFC1123)) {
		t.Errorf("%s", got)
	}
}

// options leave out what no two runs have in common.
var options = &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey && len(groups) == 0:
		return slog.Attr{}
	case a.Key == "cycle" || a.Key == "bad":
		return slog.String(a.Key, "an address") // which fmt writes of pointers and channels
	}
	return a
}}

// lines are what is written, a line at a time.
type lines struct{ all []string }

func (l *lines) Write(b []byte) (int, error) {
	l.all = append(l.all, string(b))
	return len(b), nil
}
