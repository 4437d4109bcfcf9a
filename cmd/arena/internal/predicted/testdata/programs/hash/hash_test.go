package hash

import "testing"

func BenchmarkChain(b *testing.B) {
	text := []byte("text")
	for b.Loop() {
		if r := Chain(text, 1000); r.Rounds != 1000 {
			b.Fatal(r)
		}
	}
}
