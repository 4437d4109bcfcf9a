package copies

import (
	"slices"
	"sync"
)

func number(in string) int {
	s := scanners.Get().(*scanner)
	s.scan(in)
	r := s.tokens
	scanners.Put(s)
	return r.n
}

func cloned(in string) tokens {
	s := scanners.Get().(*scanner)
	s.reset()
	s.scan(in)
	r := s.tokens
	r.all, r.lines = slices.Clone(r.all), slices.Clone(r.lines)
	scanners.Put(s)
	return r
}

// The scanner gets other slices.
func replaced(in string) tokens {
	s := scanners.Get().(*scanner)
	s.reset()
	s.scan(in)
	r := s.tokens
	s.tokens = tokens{all: make([]int, 0, 8), lines: make([]string, 0, 8)}
	scanners.Put(s)
	return r
}

func singly(in string) tokens {
	s := scanners.Get().(*scanner)
	s.reset()
	s.scan(in)
	r := s.tokens
	s.all = make([]int, 0, 8)
	s.lines = make([]string, 0, 8)
	scanners.Put(s)
	return r
}

// A parser gives its result away, which is nil from there on.
type parser struct {
	result struct{ words []string }
	stack  []int
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

func (p *parser) add(s string) {
	p.result.words = append(p.result.words, s)
	p.stack = p.stack[:0]
}

func (p *parser) take() struct{ words []string } {
	r := p.result
	p.result = struct{ words []string }{}
	return r
}

func parsed(in string) []string {
	p := parsers.Get().(*parser)
	p.result.words = p.result.words[:0]
	p.add(in)
	r := p.take()
	parsers.Put(p)
	return r.words
}
