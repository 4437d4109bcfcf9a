// Package gathers has mistakes with goroutines of which only some have answered, and with values that
// were sent.
package gathers

import "sync"

type stripe struct{ parts [][]byte }

var stripes = sync.Pool{New: func() any { return new(stripe) }}

func read(p []byte) error { return nil }

func gather(n int) error {
	s := stripes.Get().(*stripe)
	defer stripes.Put(s)
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- read(s.parts[i]) }() // want `syncpool: `
	}
	for range n {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func work(todo, ready chan *stripe) {
	for s := range todo {
		read(s.parts[0])
		ready <- s // want `syncpool: `
		s.parts = nil
		stripes.Put(s)
	}
}
