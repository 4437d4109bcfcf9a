package arenaslog

import (
	"errors"
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
