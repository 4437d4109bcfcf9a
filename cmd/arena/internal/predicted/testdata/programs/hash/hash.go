// Package hash computes, and allocates next to nothing.
package hash

import "crypto/sha256"

// A Result is what Chain returns.
type Result struct {
	Sum    [sha256.Size]byte
	Rounds int
}

// Chain hashes text, and the hash of that, and so on.
func Chain(text []byte, rounds int) *Result {
	r := &Result{Sum: sha256.Sum256(text)}
	for r.Rounds < rounds {
		r.Sum = sha256.Sum256(r.Sum[:])
		r.Rounds++
	}
	return r
}
