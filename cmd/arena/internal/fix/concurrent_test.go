package fix

import (
	"strings"
	"testing"
)

// TestConcurrent: where goroutines may call the roots at the same time, what may belong to a
// variable of a package keeps only what is stored under a lock, and what is named there.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

import "sync"

type node struct {
	next *node
	kids []*node
}

var (
	end   = &node{}
	known = map[string]*node{}
	mu    sync.Mutex
	once  sync.Once
)

func last(n *node, k bool) *node {
	if k {
		return end
	}
	return n
}

// Parse keeps an end in what it makes, and stores in what comes before.
func Parse(k bool) *node {
	n := &node{kids: []*node{end}}
	last(n, k).next = &node{} // Parse
	end.next = &node{} // named
	return n
}

// Cached stores in what others know, under a lock.
func Cached(s string) {
	mu.Lock()
	defer mu.Unlock()
	n := known[s]
	add(n)
}

func add(n *node) { n.next = &node{} } // add

// Held has a lock by another function.
func Held(s string) {
	lock()
	n := known[s]
	n.next = &node{} // Held
	mu.Unlock()
}

func lock() { mu.Lock() }

// Once does so in what is called once.
func Once(s string) *node {
	once.Do(func() {
		n := known[s]
		n.next = &node{} // Once
	})
	n := last(&node{}, s == "")
	n.kids = append(n.kids, &node{}) // after
	return n
}

var queue = make(chan *node, 1)

// Queued is alone with what it receives, until it sends that.
func Queued() {
	n := <-queue
	n.next = &node{} // Queued
	queue <- n
}
`
	lines := strings.Split(strings.SplitN(source, "--\n", 2)[1], "\n")
	for _, concurrent := range []bool{false, true} {
		r, err := Run(Options{Dir: written(t, source), Roots: []string{"m.Parse", "m.Cached", "m.Held", "m.Once", "m.Queued"}, Concurrent: concurrent})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, s := range r.Sites {
			if _, name, ok := strings.Cut(lines[s.Line-1], "// "); ok {
				got[name] = got[name] || s.Why == ""
			}
		}
		for _, name := range []string{"Parse", "named", "add", "Held", "Once", "after", "Queued"} {
			if want := concurrent && (name == "Parse" || name == "after"); got[name] != want {
				t.Errorf("concurrent %v: %s moves: %v, want %v", concurrent, name, got[name], want)
			}
		}
	}
}
