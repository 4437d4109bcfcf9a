// Package errgroup stands for that of golang.org/x/sync.
package errgroup

import "sync"

// A Group runs functions in goroutines.
type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

// Go calls f in a goroutine.
func (g *Group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

// Wait waits for all of them, and returns the first error.
func (g *Group) Wait() error {
	g.wg.Wait()
	return g.err
}
