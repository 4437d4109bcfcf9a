package main

import (
	"bytes"
	"math/rand/v2"
	"net/http/httptest"
	"testing"
)

// BenchmarkOrder answers an order of 200 lines, as most programs do, on the heap with the adapters,
// and in arenas.
func BenchmarkOrder(b *testing.B) {
	s, err := openStore(b.Context(), "pgx", "", orderFile(b))
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	body := randomOrder(rand.New(rand.NewPCG(1, 1)), 1, 200, products)
	for _, way := range []string{plain, nilArena, inArena} {
		b.Run("way="+way, func(b *testing.B) {
			h := handlers(s)[way]
			for b.Loop() {
				r := httptest.NewRequest("POST", "/orders", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
