package arenajson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/jsonwire"
)

func TestValid(t *testing.T) {
	f := &filler{Rand: seeded(t), fails: true}
	texts := append(append([]string{"\x00", "1\x00", "", " "}, rawTexts...), badTexts...)
	for _, n := range []int{9999, 10000, 10001} {
		texts = append(texts, strings.Repeat("[", n)+strings.Repeat("]", n), strings.Repeat(`{"":`, n)+"1"+strings.Repeat("}", n))
	}
	for _, text := range texts {
		if got, want := Valid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%.100q: %v, want %v", text, got, want)
		}
	}
	const parts = " \x00{}[]\",:0-9.eE\\ut\xff"
	for range rounds(20_000) {
		b, _ := json.Marshal(map[string]any{f.text(): []any{float32(f.NormFloat64()), f.text(), nil, f.oneIn(2)}})
		for range f.IntN(3) {
			if len(b) > 0 {
				b[f.IntN(len(b))] = parts[f.IntN(len(parts))]
			}
		}
		if got, want := Valid(b), json.Valid(b); got != want {
			t.Fatalf("%q: %v, want %v", b, got, want)
		}
		if c, ok := jsonwire.AppendCompact(nil, b, styleOf(true), jsonwire.MaxNesting); ok != json.Valid(b) {
			t.Fatalf("compact %q: %v %q", b, ok, c)
		}
	}
}
