package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

// maxApps bounds the applications, each set of labels counting as one: anybody may send names.
const maxApps = 10_000

// A storeOptions says how a store keeps profiles.
type storeOptions struct {
	window  time.Duration // how long a window is
	windows int           // how many of them are kept
	limit   int64         // of the arena of each window, in bytes
	heap    bool          // keep the trees on the heap
}

// A store has the call trees of all applications. Any number of goroutines may use it.
type store struct {
	storeOptions
	mu    sync.RWMutex
	apps  map[string]*app // by the text of their names
	ended arena.Stats     // what is counted of the arenas of applications that are gone
}

// An app is an application with its last windows, in a ring: window i is at ring[i % len(ring)].
type app struct {
	name   name
	mu     sync.RWMutex // held for writing while a profile is added or windows rotate, so that no reader sees a part of that
	ring   []window
	newest int64 // of all windows there were
	size   size  // of the tree of the newest window but one, as far as it had come
	gone   bool  // no more in store.apps
}

// A window is the time from number*storeOptions.window on, since the epoch. All of its tree is in
// its arena, which a Reset empties for the window that comes next in the ring.
type window struct {
	number int64
	arena  *arena.Arena // nil on the heap
	tree   *tree        // nil when there is nothing
}

func newStore(o storeOptions) *store {
	return &store{storeOptions: o, apps: map[string]*app{}}
}

// An oldError says that a profile came too late.
type oldError struct{ text string }

func (e *oldError) Error() string { return e.text }

// add adds stacks to the window of the time t, or changes no value: see tree.add for its errors and
// panics. It is an *oldError if newer windows have taken the place of that one. What it needs
// meanwhile is in a.
func (s *store) add(a *arena.Arena, n name, t time.Time, stacks *stacks) error {
	number := s.number(t)
	for {
		p, err := s.app(n)
		if err != nil {
			return err
		}
		if done, err := s.addTo(p, number, a, stacks); done {
			return err
		}
	}
}

// addTo is add for a window of an application. It is not done if the application is gone.
func (s *store) addTo(p *app, number int64, a *arena.Arena, stacks *stacks) (done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return false, nil
	}
	if number < 0 || number <= p.newest-int64(len(p.ring)) {
		return true, &oldError{fmt.Sprintf("the profile is of a window that is over: newer ones have taken its place, and %d are kept", len(p.ring))}
	}
	if number > p.newest {
		if w := &p.ring[p.newest%int64(len(p.ring))]; w.tree != nil {
			p.size = w.tree.size()
		}
		p.newest = number
		p.expire(number - int64(len(p.ring)))
	}
	w := &p.ring[number%int64(len(p.ring))]
	if w.tree == nil {
		if w.arena == nil && !s.heap {
			w.arena = arena.NewWith(arena.Options{Name: windowArena, Limit: s.limit})
		}
		w.number, w.tree = number, newTree(w.arena, p.size)
	}
	return true, w.tree.add(a, stacks)
}

// number returns the number of the window that t is in.
func (s *store) number(t time.Time) int64 { return t.UnixNano() / int64(s.window) }

// over returns the number of the last window that is over at the time now.
func (s *store) over(now time.Time) int64 { return s.number(now) - int64(s.windows) }

// scratch returns an arena for the caller to Free, or nil, if the store is on the heap.
func (s *store) scratch() *arena.Arena {
	if s.heap {
		return nil
	}
	return arena.NewArena()
}

// windowArena is the name of the arenas of windows.
const windowArena = "window"

// expire empties the windows up to the given one.
func (p *app) expire(last int64) {
	for i := range p.ring {
		if w := &p.ring[i]; w.tree != nil && w.number <= last {
			w.tree = nil
			w.arena.Reset() //arena:trust only w.tree referred to it, and readers hold the lock until they are done
		}
	}
}

// app returns the application of a name, which it makes if there is none.
func (s *store) app(n name) (*app, error) {
	key := n.String()
	s.mu.RLock()
	p := s.apps[key]
	s.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.apps[key]; p != nil {
		return p, nil
	}
	if len(s.apps) >= maxApps {
		return nil, &fullError{fmt.Sprintf("there are %d applications, and cannot be more", maxApps)}
	}
	p = &app{name: n, ring: make([]window, s.windows)}
	s.apps[key] = p
	return p, nil
}

// expire empties all windows that are too old at the time now, and forgets the applications that
// have no others.
func (s *store) expire(now time.Time) {
	last := s.over(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.apps {
		p.mu.Lock()
		p.expire(last)
		if !slices.ContainsFunc(p.ring, func(w window) bool { return w.tree != nil }) {
			for _, w := range p.ring {
				st := w.arena.Stats()
				s.ended.Resets += st.Resets
				s.ended.LimitHits += st.LimitHits
				w.arena.Free() //arena:trust no window has a tree any more, and only that referred to it
			}
			p.gone = true
			delete(s.apps, key)
		}
		p.mu.Unlock()
	}
}

// selected returns the applications that n selects, all of them if it is nil, in the order of their
// names.
func (s *store) selected(n *name) []*app {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var apps []*app
	for _, key := range slices.Sorted(maps.Keys(s.apps)) {
		if p := s.apps[key]; n == nil || n.selects(p.name) {
			apps = append(apps, p)
		}
	}
	return apps
}

// merged returns all windows of the applications that n selects, in one sorted tree in a, which is
// the reader's own, and the time that it is of. The tree is nil if there is nothing.
func (s *store) merged(a *arena.Arena, n name) (t *tree, from, until time.Time, err error) {
	for _, p := range s.selected(&n) {
		err := p.read(func(w *window) error {
			if t == nil {
				t = newTree(a, w.tree.size())
			}
			if start := time.Unix(0, w.number*int64(s.window)); from.IsZero() || start.Before(from) {
				from = start
			}
			if end := time.Unix(0, (w.number+1)*int64(s.window)); end.After(until) {
				until = end
			}
			return t.addTree(a, w.tree)
		})
		if err != nil {
			return nil, from, until, err
		}
	}
	if t != nil {
		t.sort(a)
	}
	return t, from, until, nil
}

// read calls f with the windows of an application that are not empty, the oldest first. f must keep
// nothing of them.
func (p *app) read(f func(*window) error) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for i := range p.ring {
		w := &p.ring[(p.newest+1+int64(i))%int64(len(p.ring))]
		if w.tree != nil {
			if err := f(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// stats returns the sums over the arenas of all windows.
func (s *store) stats() arena.Stats {
	apps := s.selected(nil)
	s.mu.RLock()
	sum := s.ended
	s.mu.RUnlock()
	for _, p := range apps {
		p.mu.Lock() // Stats is a use of the arena
		for _, w := range p.ring {
			st := w.arena.Stats()
			sum.InUse += st.InUse
			sum.Reserved += st.Reserved
			sum.Peak = max(sum.Peak, st.Peak)
			sum.Chunks += st.Chunks
			sum.Resets += st.Resets
			sum.LimitHits += st.LimitHits
		}
		p.mu.Unlock()
	}
	return sum
}
