// Package sums computes, and allocates next to nothing.
package sums

// A Result is what Primes returns.
type Result struct{ Count, Largest int }

// Primes counts the primes below n.
func Primes(n int) *Result {
	r := &Result{}
	composite := make([]bool, n)
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		r.Count, r.Largest = r.Count+1, i
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return r
}
