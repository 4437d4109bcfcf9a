package sums

import "testing"

func BenchmarkPrimes(b *testing.B) {
	for b.Loop() {
		if r := Primes(50_000); r.Count != 5133 {
			b.Fatal(r)
		}
	}
}
