package main

import (
	"bytes"
	"math/rand/v2"
	"net/http/httptest"
	"testing"
)

// BenchmarkQuote answers an order of a hundred lines, next to a catalogue of 60,000 articles, on
// the heap and in arenas.
func BenchmarkQuote(b *testing.B) {
	body := randomOrder(rand.New(rand.NewPCG(1, 1)), 100)
	handlers := ways(newCatalogue(60000))
	for _, way := range []string{onHeap, inArena} {
		b.Run("way="+way, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				handlers[way].ServeHTTP(w, post(bytes.NewReader(body)))
				if w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
