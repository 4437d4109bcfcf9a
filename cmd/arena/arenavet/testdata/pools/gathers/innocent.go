package gathers

import "sync"

func first(n int) (first error) {
	s := stripes.Get().(*stripe)
	defer stripes.Put(s)
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- read(s.parts[i]) }()
	}
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func joined(n int) error {
	s := stripes.Get().(*stripe)
	defer stripes.Put(s)
	var wg sync.WaitGroup
	defer wg.Wait()
	errs := make(chan error, n)
	for i := range n {
		wg.Go(func() { errs <- read(s.parts[i]) })
	}
	for range n {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func drained(n int) error {
	s := stripes.Get().(*stripe)
	defer stripes.Put(s)
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- read(s.parts[i]) }()
	}
	for left := n - 1; left >= 0; left-- {
		if err := <-errs; err != nil {
			for ; left > 0; left-- {
				<-errs
			}
			return err
		}
	}
	return nil
}

func oneByOne(n int) error {
	s := stripes.Get().(*stripe)
	defer stripes.Put(s)
	errs := make(chan error)
	for i := range n {
		go func() { errs <- read(s.parts[i]) }()
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func offerOrPut(s *stripe, ready chan *stripe) {
	select {
	case ready <- s:
	default:
		stripes.Put(s)
	}
}
