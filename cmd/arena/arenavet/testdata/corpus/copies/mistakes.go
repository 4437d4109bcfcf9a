// Package copies has structs that are copied out of values of a sync.Pool, with their slices.
package copies

import "sync"

type tokens struct {
	all   []int
	lines []string
	n     int
}

type scanner struct {
	tokens
	depth []byte
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) reset() {
	s.all = s.all[:0]
	s.lines = s.lines[:0]
	s.n = 0
}

func (s *scanner) scan(in string) {
	s.all = append(s.all, len(in))
	s.lines = append(s.lines, in)
	s.n++
}

func scan(in string) tokens {
	s := scanners.Get().(*scanner)
	s.reset()
	s.scan(in)
	r := s.tokens
	scanners.Put(s)
	return r // want `syncpool: `
}

func deferred(in string) (tokens, error) {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	s.reset()
	s.scan(in)
	return s.tokens, nil // want `syncpool: `
}

func sum(in string) (n int) {
	s := scanners.Get().(*scanner)
	s.reset()
	s.scan(in)
	r := s.tokens
	scanners.Put(s)
	for _, x := range r.all { // want `syncpool: `
		n += x
	}
	return n
}
