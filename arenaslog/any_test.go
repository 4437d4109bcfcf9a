package arenaslog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"testing"
	"time"
)

// TestAny proves which values are copied, and which are written instead.
func TestAny(t *testing.T) {
	type tree struct {
		Left, Right *tree
		Text        string
	}
	type private struct{ f func() }
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	shared := &tree{Text: "shared"}
	for _, test := range []struct {
		x    any
		data bool
	}{
		{1, true}, {"text", true}, {[]byte("bytes"), true}, {[3]*int{}, true}, {time.Now(), true}, {&tree{Left: shared, Right: shared}, true},
		{cyclic, true}, {map[string]any{"a": []any{1, "b", nil}}, true}, {make([]byte, 1<<20), true}, {private{}, true}, {(*private)(nil), true},
		{private{func() {}}, false}, {make(chan int), false}, {map[string]any{"e": errors.New("e")}, false}, {t.Context(), false},
		{&struct{ C any }{make(chan int)}, false}, {make([]any, maxValues), false}, {reflect.TypeFor[int](), false},
	} {
		w := walk{seen: map[place]bool{}}
		if got := w.isData(reflect.ValueOf(test.x)); got != test.data {
			t.Errorf("%T: data %t, want %t", test.x, got, test.data)
		}
		x := slog.AnyValue(anyOf(test.x)).Any()
		if _, ok := x.(*written); ok == test.data {
			t.Errorf("%T became a %T", test.x, x)
		}
		if test.data && !reflect.DeepEqual(x, test.x) && !reflect.DeepEqual(x, slog.AnyValue(test.x).Any()) && reflect.TypeOf(test.x) != reflect.TypeFor[private]() {
			t.Errorf("%v became %v", test.x, x)
		}
	}
}

// These have methods that panic, and a channel, so that they are written at once.
type (
	noText struct{ C chan int }
	noJSON struct{ C chan int }
	noErr  struct{ error }
)

func (noText) MarshalText() ([]byte, error) { panic("no text") }
func (noJSON) MarshalJSON() ([]byte, error) { panic(errors.New("no JSON")) }

// failing has a method that returns an error, and a channel.
type failing struct{ C chan int }

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("no <JSON>\u2028\xff") }

// TestUnwritable logs values whose methods panic, and others that cannot be written as JSON. The
// handlers of package slog write that, and so they do behind the copy: a value that cannot be
// written must not end what logs it.
func TestUnwritable(t *testing.T) {
	for _, x := range []any{noText{make(chan int)}, noJSON{nil}, &noJSON{make(chan int)}, noErr{}, fmt.Errorf("wrapped: %w", noErr{}), errors.Join(noErr{}), []any{noErr{}},
		make(chan int), func() {}, map[string]any{"c": make(chan int)}, []any{1, "<>", struct{ F func() }{func() {}}}, failing{}, &failing{make(chan int)}} {
		for name, of := range map[string]func(io.Writer) slog.Handler{
			"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
			"JSON": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		} {
			var got, want bytes.Buffer
			for w, h := range map[*bytes.Buffer]slog.Handler{&want: of(&want), &got: New(of(&got))} {
				r := slog.NewRecord(time.Time{}, slog.LevelInfo, "message", 0)
				r.Add("x", x)
				if err := h.WithAttrs([]slog.Attr{slog.Any("with", x)}).Handle(t.Context(), r); err != nil || w.Len() == 0 {
					t.Errorf("%T in %s: %v, %q", x, name, err, w)
				}
			}
			if got.String() != want.String() {
				t.Errorf("%T in %s:\n got %s\nwant %s", x, name, &got, &want)
			}
		}
	}
}
