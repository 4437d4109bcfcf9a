package testrun

import "sync"

// A Gate lets the handlers of a server run until it is closed. The Close of an HTTP/2 server waits
// neither for handlers whose streams were reset nor for such that it has yet to start.
type Gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup // gets more under mu only, and nothing once closed is true
}

// Do calls f, unless the gate is closed.
func (g *Gate) Do(f func()) {
	if g.enter() {
		defer g.inside.Done()
		f()
	}
}

func (g *Gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.inside.Add(1)
	}
	return !g.closed
}

// Close returns when no call of Do is running, and none will call its function any more.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}
